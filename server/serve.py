"""Serving: a hub from its start to its end, with its data in one folder."""

import asyncio
import gc
import io
import logging
import os
import re
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import msgspec

from server import certificates, modes, proof, restoring
from server.config import BadConfig, Config, Places
from server.gallery import keep_looking
from server.hub import Hub
from server.increments import Keeper
from server.journal import StorageError
from server.limits import Doorman, Porch
from server.logs import log, set_up
from server.recall import BETWEEN_STEPS
from server.sqlite_journal import SqliteJournal
from server.watchdog import Watchdog
from server.web import listen, stop_listening


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
    short = _prepared(places, despite_damage=despite_damage)
    allow_many_connections(Porch.before(Doorman(config.limits.connections)).total)
    journal = SqliteJournal(places.journal)
    watchdog = Watchdog.from_environment()
    usual = gc.get_threshold()
    sys.setswitchinterval(HANDOVER)
    gc.disable()  # nothing of what is loaded becomes garbage; looking for some doubles the time
    try:
        restoring.clear_up(places)
        found = (
            short,
            proof.insist(journal, despite_damage=despite_damage),
            proof.compare(journal, places, despite_damage=despite_damage),
        )
        damage = ". ".join(filter(None, found)) or None
        journal.begin_head()
        hub = Hub(journal, config)
        hub.start()
        journal.tell = _from_a_thread(hub.files_changed)
        _let_console_in(hub, places.token)
        invitation = hub.reception.invite()
        _collect_seldom()
        runner, port = await listen(hub, places.backups, config.host, config.port, tls)
        local, url = _addresses(config, port, "http" if tls is None else "https")
        log("ready", url=url, events=len(hub.desks))
        keeper = Keeper(hub, journal, places.backups, hub.levels)
        tasks = [
            *_left(places, local, config),
            asyncio.create_task(keeper.run()),
            asyncio.create_task(_collect_while_recalling(hub)),
            asyncio.create_task(_reassure(watchdog)),
            asyncio.create_task(proof.tell(hub, damage)),
            asyncio.create_task(keep_looking(hub.gallery, hub.show_gallery)),
        ]
        watchdog.ready(f"serving {len(hub.desks)} events at {url}")
        told = _warn(*filter(None, [damage]), *certificates.warnings(certificate))
        try:
            yield Served(hub, url, local, f"{url}/#token={invitation}", told)
        finally:
            watchdog.stopping()
            for task in tasks:
                task.cancel()
            places.address.unlink(missing_ok=True)  # whoever has the port next is not us
            await stop_listening(runner)
            await hub.stop()
            await runner.cleanup()
            keeper.close()
    finally:
        gc.set_threshold(*usual)
        gc.enable()
        gc.unfreeze()
        journal.close()


def _prepared(places: Places, *, despite_damage: bool) -> str | None:
    """Make the folder ready; say what its journal lacks, if that is to stop nobody."""
    places.folder.mkdir(parents=True, exist_ok=True, mode=modes.FOLDER)
    modes.make_private(places.folder)
    restoring.finish_decided(places)
    proof.refuse_lost(places)
    return proof.refuse_short(places, despite_damage=despite_damage)


def _let_console_in(hub: Hub, token: Path) -> None:
    """Let in who sits at this machine; a hub that cannot store anything lets nobody new in."""
    try:
        hub.reception.devices.console(token)
    except (StorageError, OSError) as error:
        if hub.trouble is None:
            raise
        log("no console", level=logging.WARNING, reason=str(error))


def _left(places: Places, local: str, config: Config) -> list[asyncio.Task[None]]:
    """Leave what programs on this machine look for; on a full disk a task goes on trying."""

    def leave() -> None:
        modes.make(places.address)
        places.address.write_text(local + "\n", encoding="ascii")
        certificates.leave(config)

    async def leave_later() -> None:
        while True:
            await asyncio.sleep(LEAVE_AGAIN)
            with suppress(OSError):
                leave()
                return

    try:
        leave()
    except OSError as error:
        log("address not written", level=logging.WARNING, reason=str(error))
        return [asyncio.create_task(leave_later())]
    return []


def _from_a_thread(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Have something called on this loop, for as long as that turns."""
    loop = asyncio.get_running_loop()

    def told(words: str) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(tell, words)

    return told


def _collect_seldom() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)
    gc.enable()


async def _collect_while_recalling(hub: Hub) -> None:
    """Look at what is new in short moments, while lines are played again.

    Nearly all that a recall makes is kept. Looked at in one go it would hold up taps for 50 ms, and
    in the end it is no more to be looked at than what was there at the start.
    """
    while hub.recalls.pending:
        await asyncio.sleep(BETWEEN_STEPS)
        gc.collect(0)
    gc.freeze()


def _warn(*told: str) -> tuple[str, ...]:
    """Log what the director should know."""
    for words in told:
        log("warning", level=logging.WARNING, told=words)
    return told


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
    os.umask(modes.OTHERS)
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

LEAVE_AGAIN = 5.0
"""Seconds between two tries to write down the hub's address on a full disk."""

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


def _addresses(config: Config, port: int, scheme: str) -> tuple[str, str]:
    """Give the hub's addresses: for this machine, and for the room."""
    room = config.url or f"{scheme}://{_seen_from_the_room(config.host)}:{port}"
    return f"{scheme}://{_reachable(config.host)}:{port}", room


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
