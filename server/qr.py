"""QR codes to the hub's own pages, for people who stand in front of a wall with a phone."""

import re
from collections.abc import Container
from functools import lru_cache
from io import BytesIO
from urllib.parse import urlsplit

import segno
from aiohttp import web

from server.addresses import own_addresses
from server.gate import host_of, is_loopback

TO = re.compile(r"(?P<page>/[a-z]*)(?P<asked>\?event=[A-Za-z0-9_-]{1,64})?")
"""A page, and which event: nothing else can be asked for."""


@lru_cache(64)
def drawn(address: str) -> bytes:
    """Draw an address; a phone reads it from a screen that is seen at an angle."""
    out = BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(out, kind="svg", scale=4, border=2, dark="#000", light="#fff", xmldecl=False)
    return out.getvalue()


def base(request: web.Request, url: str | None) -> str:
    """Say how others reach this hub: a screen on the hub's own machine calls it by another name."""
    if url:
        return url.rstrip("/")
    host = request.host
    name = host_of(host)
    if name == "localhost" or is_loopback(name):
        port = urlsplit(f"//{host}").port
        here = [each for each in own_addresses() if not each.is_loopback and not each.is_link_local]
        if here:
            address = str(here[0]) if here[0].version == 4 else f"[{here[0]}]"  # noqa: PLR2004
            host = address if port is None else f"{address}:{port}"
    return f"{request.scheme}://{host}"


def handler(pages: Container[str], url: str | None) -> web.RouteDef:
    """Give the route `/qr.svg?to=/phone`."""

    async def answer(request: web.Request) -> web.Response:
        found = TO.fullmatch(request.query.get("to", ""))
        if found is None or found["page"] not in pages:
            raise web.HTTPNotFound(text="There is no such page.")
        address = base(request, url) + found["page"] + (found["asked"] or "")
        return web.Response(body=drawn(address), content_type="image/svg+xml")

    return web.get("/qr.svg", answer)
