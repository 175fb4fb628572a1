"""Pages: what a browser can open, each by a short address that people can type.

Pages and their modules are plain files. They are asked for anew every time (the hub answers "not
changed" in a few bytes), so that no screen runs yesterday's code against today's hub.
"""

from pathlib import Path

from aiohttp import web

from server.files import Files
from server.gallery import Gallery

ROOT = Path(__file__).parents[1]
SCREENS = ROOT / "display" / "web"
CONSOLES = ROOT / "dealer_console" / "web"

PAGES = {
    "/": SCREENS / "index.html",
    "/wall": SCREENS / "wall.html",
    "/legacy": SCREENS / "legacy.html",
    "/dealer": CONSOLES / "dealer.html",
    "/phone": SCREENS / "phone.html",
    "/flash": SCREENS / "flash.html",
    "/director": CONSOLES / "director.html",
}
"""Every page by its address."""

WORKERS = {"/dealer-worker.js": CONSOLES / "worker.js"}
"""The dealer page's service worker: beside the page, as it answers only for what is below it."""

FOLDERS = {"/web": SCREENS, "/console": CONSOLES}
"""What the pages load: scripts and style sheets."""

ASK_ANEW = "no-cache"
PICTURES = frozenset({".svg", ".png", ".jpg", ".jpeg", ".webp", ".avif"})
FONTS = frozenset({".woff2", ".woff", ".ttf", ".otf"})
"""What a theme may show; anything else in its folder is nobody's business."""


def routes(gallery: Gallery) -> list[web.RouteDef]:
    """List the pages, what they load, and the venue's own looks and sounds."""
    gallery.look()  # now, while nobody waits for an answer
    files = Files()

    async def page(request: web.Request) -> web.Response:
        return await files.answer(request, {**PAGES, **WORKERS}[request.path])

    async def below(request: web.Request) -> web.Response:
        return await files.below(request, FOLDERS[f"/{request.path.split('/')[1]}"])

    async def listed(_request: web.Request) -> web.Response:
        return web.json_response(list(PAGES))

    async def theme(request: web.Request) -> web.Response:
        style = gallery.style(request.match_info["theme"])
        if style is None:
            raise web.HTTPNotFound(text="There is no such theme.")
        return web.Response(text=style, content_type="text/css")

    async def picture(request: web.Request) -> web.FileResponse:
        path = Path(request.match_info["picture"])
        if path.suffix not in PICTURES | FONTS:
            raise web.HTTPNotFound(text="There is no such picture.")
        return web.FileResponse(gallery.picture(path.name))

    async def sound(request: web.Request) -> web.FileResponse:
        path = gallery.recording(request.match_info["sound"])
        if path is None:
            raise web.HTTPNotFound(text="There is no such sound.")
        return web.FileResponse(path)

    return [
        *(web.get(address, page) for address in (*PAGES, *WORKERS)),
        *(web.get(f"{address}/{{name:.+}}", below) for address in FOLDERS),
        web.get("/pages.json", listed),
        web.get("/themes/{theme:[A-Za-z0-9_-]+}.css", theme),
        web.get("/themes/{picture:[A-Za-z0-9_-][A-Za-z0-9._-]*}", picture),
        web.get("/sounds/{sound:[a-z]+[.][a-z0-9]+}", sound),
    ]
