"""The web side: one port for pages, the API and the websocket.

A thin shell around visitors. Documents are written straight to the socket, framed once for
everybody; here only what comes in is read, and connections are set up and closed.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import WSMsgType, web

from server import bad_requests, certificates, pages, qr
from server.api import MOST_BYTES, Api
from server.fanout import Direct
from server.gate import Gate, is_loopback
from server.hub import Hub
from server.limits import Porch
from server.logs import log
from server.protocol import messages as m
from server.replies import answer_json
from server.request_threads import Busy
from server.turns import HOPS
from server.visitor import Visitor

if TYPE_CHECKING:
    from asyncio import Transport

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SEND_BUFFER = 32 << 10
"""What the kernel may hold for a client: what is more waits here, where the newest wins."""

BACKLOG = 4_096
"""Connections that may wait to be taken: a whole room comes back at once after a restart."""

LAST_WORDS = 1.0
"""Seconds that somebody has to read why the connection is closed."""

KEEP_ALIVE = 5
"""Seconds that a connection may be idle, or take to say what it wants."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


async def _live(request: web.Request) -> web.StreamResponse:
    """Serve one websocket."""
    hub, address = request.app[HUB], request.remote or ""
    full = hub.doorman.refuse(address)
    if full is not None:
        log("connection refused", reason=full, address=address)
        return web.Response(status=503, text=full, headers={"Retry-After": "5"})
    response = web.WebSocketResponse(
        autoping=False, compress=False, decode_text=False, max_msg_size=MOST_BYTES + 1, timeout=2.0
    )
    await response.prepare(request)
    transport = request.transport
    if transport is None:
        return response  # gone before it began
    secure = hub.config.plain or request.secure or is_loopback(address)
    visitor = Visitor(
        hub,
        transport,
        partial(_close, transport),
        address,
        direct=_direct(transport),
        secure=secure,
    )
    try:
        async for message in response:
            match message.type:
                case WSMsgType.TEXT | WSMsgType.BINARY:
                    visitor.receive(message.data)
                case WSMsgType.PONG:
                    visitor.pong(message.data)
                case WSMsgType.PING:
                    visitor.ping(message.data)
                case _:
                    break
    finally:
        visitor.gone()
    return response


def _close(transport: "Transport", at_once: bool) -> None:
    """Close a connection; one that does not take its last words is let go of soon."""
    if at_once:
        transport.abort()
        return
    transport.close()
    asyncio.get_running_loop().call_later(LAST_WORDS, transport.abort)


def _direct(transport: "Transport") -> Direct | None:
    """Find the way straight to a plain connection's socket."""
    raw = transport.get_extra_info("socket")
    if raw is None:
        return None
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    if transport.get_extra_info("sslcontext") is not None:
        return None
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # The socket itself, which asyncio keeps to itself: unlike its number it cannot come to mean
    # somebody else's connection. Where there is none, the transport does as well, if slower.
    plain = getattr(raw, "_sock", None)
    return None if plain is None else plain.send


@web.middleware
async def _gate(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Look only at requests that are meant for this hub, from its own pages or from programs."""
    gate, host = request.app[GATE], request.headers.get("Host", "")
    if not gate.knows(host):
        log("wrong host", address=request.remote)
        return web.Response(status=421, text="This hub does not go by that name.")
    if not gate.is_own(request.headers.get("Origin"), host, request.scheme):
        log("wrong origin", address=request.remote)
        return web.Response(status=403, text="Only the hub's own pages may do this.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        # A few bytes may be squeezed so that they fill the memory; nobody who is honest needs it.
        return answer_json(m.Problem("bad_message", "Send the body as it is, not squeezed."), 415)
    try:
        return await handler(request)
    except Busy as busy:
        answer = answer_json(m.Problem("busy", str(busy)), 503)
        answer.headers["Retry-After"] = "2"
        return answer


async def _guard(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", pages.ASK_ANEW)


HUB = web.AppKey("hub", Hub)
GATE = web.AppKey("gate", Gate)


def application(hub: Hub, backups: Path) -> web.Application:
    """Put everything that the port serves together."""
    app = web.Application(client_max_size=MOST_BYTES, middlewares=[_gate])
    app[HUB], app[GATE] = hub, Gate(hub.config.hosts, hub.config.url)
    app.on_response_prepare.append(_guard)
    app.add_routes(Api(hub, backups).routes())
    authority = certificates.handler(Path(hub.config.data))
    app.add_routes([web.get("/ws", _live), web.get(certificates.URL, authority)])
    app.add_routes([qr.handler(pages.PAGES, hub.config.url), *pages.routes(hub.gallery)])
    return app


def _watch(server: web.Server, porch: Porch) -> None:
    """Count connections from their first moment; one too many is closed without a word."""
    made, lost = server.connection_made, server.connection_lost

    def came(handler: web.RequestHandler, transport: "Transport") -> None:
        made(handler, transport)
        peer = transport.get_extra_info("peername")
        if not porch.enter(handler, str(peer[0]) if peer else ""):
            transport.abort()

    def left(handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        porch.leave(handler)
        lost(handler, exc)

    # There is no other place where aiohttp tells of a connection before it has asked for something.
    server.connection_made = came  # type: ignore[method-assign]
    server.connection_lost = left  # type: ignore[method-assign]


async def listen(
    hub: Hub, backups: Path, host: str, port: int, tls: ssl.SSLContext | None = None
) -> tuple[web.AppRunner, int]:
    """Open the port, and say which it is."""
    runner = web.AppRunner(
        application(hub, backups),
        keepalive_timeout=KEEP_ALIVE,
        access_log=None,
        shutdown_timeout=1.0,
        lingering_time=LAST_WORDS / 2,
        auto_decompress=False,
        logger=bad_requests.LOGGER,
    )
    await runner.setup()
    if runner.server is not None:
        _watch(runner.server, hub.porch)
    site = web.TCPSite(runner, host, port, backlog=BACKLOG, ssl_context=tls)
    await site.start()
    return runner, runner.addresses[0][1]


async def stop_listening(runner: web.AppRunner) -> None:
    """Take no connection any more, and let those begin that were taken already.

    asyncio forgets a connection, with its socket open, that it has taken and not begun when its
    server is closed.
    """
    loop = asyncio.get_running_loop()
    for site in runner.sites:
        listening = getattr(site, "_server", None)  # aiohttp tells of no other way to it
        for taken in () if listening is None else listening.sockets:
            loop.remove_reader(taken.fileno())
    for _ in range(HOPS):
        await asyncio.sleep(0)
