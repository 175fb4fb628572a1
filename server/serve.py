"""Serving: a hub from its start to its end, with its data in one folder."""

import asyncio
import gc
import io
import logging
import re
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import msgspec

from server import certificates, proof
from server.backups import Keeper
from server.config import BadConfig, Config, Places
from server.gallery import keep_looking
from server.hub import Hub
from server.limits import Doorman, Porch
from server.logs import log, set_up
from server.sqlite_journal import SqliteJournal
from server.watchdog import Watchdog
from server.web import listen


@dataclass(frozen=True, slots=True)
class Served:
    """A hub that is being served."""

    hub: Hub
    url: str  # for people in the room
    local: str  # for programs on this machine
    link: str  # lets one director in, once; the secret is in the fragment, which no server sees
    warnings: tuple[str, ...] = ()  # what the director should know


@asynccontextmanager
async def served(config: Config, *, despite_damage: bool = False) -> AsyncIterator[Served]:
    """Open a hub's data, serve it, and close it again."""
    refuse_old_packages()
    certificate = certificates.found(config)
    tls = certificates.context(certificate)
    config = msgspec.structs.replace(
        config, hosts=[*config.hosts, *certificates.more_names(config)]
    )
    places = Places(Path(config.data))
    places.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    proof.refuse_lost(places)
    allow_many_connections(Porch.before(Doorman(config.limits.connections)).total)
    journal = SqliteJournal(places.journal)
    watchdog = Watchdog.from_environment()
    usual = gc.get_threshold()
    sys.setswitchinterval(HANDOVER)
    gc.disable()  # nothing of what is loaded becomes garbage; looking for some doubles the time
    try:
        damage = proof.insist(journal, despite_damage=despite_damage)
        hub = Hub(journal, config)
        hub.start()
        hub.reception.devices.console(places.token)
        invitation = hub.reception.invite()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECT)
        gc.enable()
        runner, port = await listen(hub, places.backups, config.host, config.port, tls)
        scheme = "http" if tls is None else "https"
        local = f"{scheme}://{_reachable(config.host)}:{port}"
        url = config.url or f"{scheme}://{_seen_from_the_room(config.host)}:{port}"
        places.address.write_text(local + "\n", encoding="ascii")
        certificates.leave(config)
        log("ready", url=url, events=len(hub.desks))
        tasks = [
            asyncio.create_task(Keeper(hub, places.backups, hub.levels).run()),
            asyncio.create_task(_reassure(watchdog)),
            asyncio.create_task(proof.tell(hub, damage)),
            asyncio.create_task(keep_looking(hub.gallery, hub.show_gallery)),
        ]
        watchdog.ready(f"serving {len(hub.desks)} events at {url}")
        told = (*filter(None, [damage]), *certificates.warnings(certificate))
        for words in told:
            log("warning", level=logging.WARNING, told=words)
        try:
            yield Served(hub, url, local, f"{url}/#token={invitation}", told)
        finally:
            watchdog.stopping()
            for task in tasks:
                task.cancel()
            places.address.unlink(missing_ok=True)  # whoever has the port next is not us
            await hub.stop()
            await runner.cleanup()
    finally:
        gc.set_threshold(*usual)
        gc.enable()
        gc.unfreeze()
        journal.close()


def allow_many_connections(wanted: int) -> None:
    """Ask the system for as many open files as there may be connections, and some more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    more = min(wanted + 256, hard) if hard != resource.RLIM_INFINITY else wanted + 256
    if more > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))


async def _reassure(watchdog: Watchdog) -> None:
    """Tell the service manager that the loop turns."""
    while True:
        watchdog.beat()
        await asyncio.sleep(1.0)


async def run(config: Config, say: Callable[[str], None], *, despite_damage: bool = False) -> None:
    """Serve until told to stop."""
    set_up(config.log)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with served(config, despite_damage=despite_damage) as hub:
        for line in greeting(hub, config):
            say(line)
        await stop.wait()
    log("stopped")


HANDOVER = 0.0005
"""Seconds after which the loop and the journal's thread let each other run: a tenth of Python's own
figure, since a commit that waits for it is a tap that waits."""

COLLECT = (50_000, 20, 100)
"""The collector looks seldom: a look at a thousand connections holds every tap up for 50 ms, and
hardly anything here is garbage that only it could find."""

NEEDED = {"aiohttp": (3, 14, 4), "msgspec": (0, 21)}
"""Older ones have holes, or lack what protects us."""


def refuse_old_packages() -> None:
    """Refuse to serve with a package that is known to be unsafe."""
    for name, least in NEEDED.items():
        found = import_module(name).__version__
        numbers = tuple(int(part) for part in re.findall(r"\d+", found)[: len(least)])
        if numbers < least:
            wanted = ".".join(map(str, least))
            raise BadConfig(f"{name} {found} is too old to be safe: {wanted} or newer is needed")


def greeting(hub: Served, config: Config) -> list[str]:
    """Say where the hub is, and how the first director comes in."""
    lines = [
        f"Railbird is ready: {hub.url}",
        "",
        "The director's link, good for one device, once:",
        "",
    ]
    lines += [f"  {hub.link}", "", qr(hub.link)]
    if config.host in ("127.0.0.1", "localhost", "::1"):
        lines += ["Only this machine can reach it. For the whole room: --host 0.0.0.0", ""]
    return [*lines, *hub.warnings]


def qr(text: str) -> str:
    """Draw a QR code for a terminal."""
    import segno  # noqa: PLC0415 - a hub that comes back after a crash need not wait for it

    out = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out, compact=True, border=2)
    return out.getvalue()


def _reachable(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - asked about, not bound to
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _seen_from_the_room(host: str) -> str:
    """Guess the address that others know this machine by; nothing is sent to find out."""
    if host not in ("0.0.0.0", "::"):  # noqa: S104 - asked about, not bound to
        return _reachable(host)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
