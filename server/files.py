"""Files of the pages, squeezed: a phone on a full Wi-Fi loads a third of what they weigh.

A browser asks for every file anew, and gets a few bytes if it has the newest already. A file that
changes on the disk is read again; what was squeezed once is kept.
"""

import asyncio
import gzip
import mimetypes
from hashlib import blake2b
from pathlib import Path

from aiohttp import web

from server.daemon_threads import DaemonThreads
from server.request_threads import BUSY, Busy

TEXTS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
"""What is squeezed, and read by browsers as UTF-8."""


MOST_LOOKS = 200
"""Files that are looked at, or wait for it: more than there are."""


class Kept:
    """A file as it was read: whole, squeezed, and known by its tag."""

    def __init__(self, path: Path) -> None:
        self.seen = path.stat().st_mtime_ns
        self.whole = path.read_bytes()
        text = TEXTS.get(path.suffix)
        self.kind = text or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        self.charset = None if text is None else "utf-8"
        self.squeezed = None if text is None else gzip.compress(self.whole, 9, mtime=0)
        self.tag = blake2b(self.whole, digest_size=12).hexdigest()


class Files:
    """Answers with files, of which it remembers what it has read."""

    def __init__(self) -> None:
        self._kept: dict[Path, Kept] = {}
        self._looks: dict[Path, asyncio.Future[Kept | None]] = {}
        self._threads = DaemonThreads(1, "files")

    async def answer(self, request: web.Request, path: Path) -> web.Response:
        """Answer with a file, or with the news that it has not changed."""
        kept = await self._newest(path)
        if kept is None:
            raise web.HTTPNotFound(text="There is no such file.")
        headers = {"ETag": f'"{kept.tag}"', "Vary": "Accept-Encoding"}
        known = request.if_none_match or ()
        if any(each.value in (kept.tag, "*") for each in known):
            return web.Response(status=304, headers=headers)
        body = kept.whole
        if kept.squeezed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
            body = kept.squeezed
            headers["Content-Encoding"] = "gzip"
        return web.Response(
            body=body, headers=headers, content_type=kept.kind, charset=kept.charset
        )

    async def below(self, request: web.Request, folder: Path) -> web.Response:
        """Answer with a file of a folder, named by the rest of the address; never one outside."""
        name = request.match_info["name"]
        parts = name.split("/")
        if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
            raise web.HTTPNotFound(text="There is no such file.")
        return await self.answer(request, folder.joinpath(*parts))

    async def _newest(self, path: Path) -> Kept | None:
        """Look at a file once for everybody who asks for it now: a whole room comes at once."""
        look = self._looks.get(path)
        if look is None:
            if len(self._looks) >= MOST_LOOKS:
                raise Busy(BUSY)
            loop = asyncio.get_running_loop()
            look = loop.run_in_executor(self._threads, self._read, path)
            self._looks[path] = look
            look.add_done_callback(lambda _: self._looks.pop(path))
        return await asyncio.shield(look)  # who hangs up does not take it from the others

    def _read(self, path: Path) -> Kept | None:
        kept = self._kept.get(path)
        try:
            if kept is None or kept.seen != path.stat().st_mtime_ns:
                kept = self._kept[path] = Kept(path)
        except OSError:  # not there, or a folder
            self._kept.pop(path, None)
            return None
        return kept
