"""Pages: what a browser can open, each by a short address that people can type.

Pages and their modules are plain files. They are asked for anew every time (the hub answers "not
changed" in a few bytes), so that no screen runs yesterday's code against today's hub.
"""

from pathlib import Path

from aiohttp import web

from themes import Shelf, css

ROOT = Path(__file__).parents[1]
SCREENS = ROOT / "display" / "web"
CONSOLES = ROOT / "dealer_console" / "web"

PAGES = {
    "/": SCREENS / "index.html",
    "/wall": SCREENS / "wall.html",
    "/legacy": SCREENS / "legacy.html",
    "/dealer": CONSOLES / "dealer.html",
}
"""Every page by its address."""

FOLDERS = {"/web": SCREENS, "/console": CONSOLES}
"""What the pages load: scripts and style sheets."""

ASK_ANEW = "no-cache"
PICTURES = frozenset({".svg", ".png", ".jpg", ".jpeg", ".webp", ".avif"})
"""What a theme may show; anything else in its folder is nobody's business."""


def routes(shelf: Shelf) -> list[web.RouteDef | web.StaticDef]:
    """List the pages, what they load, and the themes that they are painted with."""

    async def page(request: web.Request) -> web.FileResponse:
        return web.FileResponse(PAGES[request.path])

    async def theme(request: web.Request) -> web.Response:
        found = shelf.themes.get(request.match_info["theme"])
        if found is None:
            raise web.HTTPNotFound(text="There is no such theme.")
        return web.Response(text=css(found), content_type="text/css")

    async def picture(request: web.Request) -> web.FileResponse:
        path = Path(request.match_info["picture"])
        if shelf.folder is None or path.suffix not in PICTURES:
            raise web.HTTPNotFound(text="There is no such picture.")
        return web.FileResponse(shelf.folder / path.name)

    return [
        *(web.get(address, page) for address in PAGES),
        *(web.static(address, folder) for address, folder in FOLDERS.items() if folder.is_dir()),
        web.get("/themes/{theme:[A-Za-z0-9_-]+}.css", theme),
        web.get("/themes/{picture:[A-Za-z0-9_-][A-Za-z0-9._-]*}", picture),
    ]
