"""The `railbird` command."""

import argparse
import asyncio
import io
import json
import os
import sys
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

import msgspec

from display.terminal import options
from server import archive as archiving
from server import config, presets, proof, restoring, serve, sheets
from server.backups import make_backup
from server.certificates import TlsPlaces
from server.config import BadConfig, Places
from server.engine import BadInput
from server.engine.reading import time_of_day
from server.engine.visible import escaped
from server.export import as_csv, as_json
from server.head_file import Head, head_path, read_head
from server.journal import StorageError, Stored, verify
from server.presets import BadPreset
from server.rehearsal import BadLine, rehearse
from server.remote import NotDone, Remote, Unreachable, arguments
from server.script import NoSuchEvent, created, script
from server.sqlite_journal import SqliteJournal, begin_of, read_file
from server.timetable import render
from server.turns import TimedLoop
from server.wishes import WISHES

T = TypeVar("T")
MOST_DAYS = 36_500
DO_USAGE = 'railbird do COMMAND [--event ID] [--data DIR] [--reason "fire alarm"] [--table 7] …'


class Damaged(Exception):  # noqa: N818 - what `verify` found
    """The journal is not what was written."""


TOLD = (
    BadConfig,
    BadInput,
    BadLine,
    BadPreset,
    Damaged,
    NoSuchEvent,
    NotDone,
    OSError,
    StorageError,
    Unreachable,
)
"""Errors that are told in one line: they say by themselves what is wrong."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 1 is the exit status of a refusal or damage, 2 of what cannot be read."""
    parser = _parser()
    args, rest = parser.parse_known_args(argv)
    if rest and args.run not in (_do, _wall, _dealer):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    args.rest = rest
    if isinstance(sys.stdout, io.TextIOWrapper):  # what we print is UTF-8, whatever the terminal
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        for line in args.run(args):
            say(line)
        print(end="", flush=True)
    except TOLD as error:
        if isinstance(error, BrokenPipeError):  # whoever read our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(end="", flush=True)  # what came before the error comes before its message
        say(f"railbird: {error}", file=sys.stderr)
        return 1 if isinstance(error, NotDone | Damaged) else 2
    except KeyboardInterrupt:
        return 130
    return 0


def say(words: str, file: TextIO | None = None, *, flush: bool = False) -> None:
    """Print words, with the codes of what would command a terminal: they may be a stranger's."""
    print("\n".join(map(escaped, words.split("\n"))), file=file, flush=flush)


class _Parser(argparse.ArgumentParser):
    """Reads the command line, and tells of mistakes in it as everything else is told."""

    def error(self, message: str) -> NoReturn:
        super().error(escaped(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="railbird", description="The clock of a poker tournament room.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("presets", help="list the houses' presets")
    listing.set_defaults(run=_presets)

    night = commands.add_parser("rehearse", help="play a night in virtual time from a script")
    night.add_argument("preset", metavar="PRESET", help="a preset's id, or a TOML file")
    night.add_argument("script", metavar="SCRIPT.jsonl", help="the script, or - for standard input")
    night.add_argument("--events", action="store_true", help="print every event as it happens")
    night.set_defaults(run=_rehearse)

    table = commands.add_parser("timetable", help="print when each level and break begins")
    table.add_argument("preset", metavar="PRESET", help="a preset's id, or a TOML file")
    table.add_argument("--start", metavar="HH:MM", help="when play starts; else the preset's time")
    table.set_defaults(run=_timetable)

    hub = commands.add_parser("serve", help="run the hub")
    hub.add_argument("--config", metavar="FILE.toml", type=Path, help="see docs/install.md")
    for key in ("data", "host", "url"):
        hub.add_argument(f"--{key}", help=f"instead of the config's {key}")
    hub.add_argument("--port", type=int, help="instead of the config's port")
    for key, told in (
        ("plain", "no https, and commands all the same: secrets can be overheard"),
        ("despite-damage", "go on with a journal that is not what was written, and say so"),
    ):
        hub.add_argument(f"--{key}", action="store_const", const=True, help=told)
    hub.set_defaults(run=_serve)

    _add_more(commands)

    do = commands.add_parser(
        "do", help="command something of the hub on this machine", usage=DO_USAGE
    )
    do.add_argument("command", metavar="COMMAND", help="such as clock.pause")
    do.add_argument("--event", default="", help="the event's id; not for the hub's own commands")
    do.set_defaults(run=_do)

    show = commands.add_parser("show", help="print a document of the hub on this machine")
    show.add_argument("topic", metavar="TOPIC", help="such as events, t/1 or t/1/table/7")
    show.set_defaults(run=_show)

    backup, restore, away = _add_saving(commands)

    tls = commands.add_parser("tls", help="certificates for https")
    deeds = tls.add_subparsers(required=True, metavar="WHAT")
    init = deeds.add_parser("init", help="make a certificate for this hub, or renew it")
    init.add_argument(
        "--name",
        action="append",
        default=[],
        help="a name or address that the room knows the hub by; as often as needed",
    )
    init.set_defaults(run=_tls_init)

    prove = commands.add_parser("verify", help="prove that nobody has changed the journal")
    prove.add_argument("--head", metavar="LINE:HASH", help="a head printed before; finds a cut end")
    prove.set_defaults(run=_verify)

    export = commands.add_parser("export", help="print the journal for a dispute")
    export.add_argument("--format", choices=("csv", "jsonl"), default="csv")
    export.add_argument("--event", help="only this event")
    export.set_defaults(run=_export)

    replay = commands.add_parser("replay", help="print a played event as a rehearsal script")
    replay.add_argument("--event", required=True, help="the event's id")
    replay.set_defaults(run=_replay)

    for reader in (do, show, backup, restore, away, init, prove, export, replay):
        reader.add_argument("--data", type=Path, default=Path("data"), help="the hub's data folder")
    for reader in (prove, export, replay):
        reader.add_argument("--file", type=Path, help="a backup, instead of the hub's own journal")
    return parser


def _add_saving(commands: Any) -> tuple[Any, Any, Any]:
    """Add what copies the journal, puts a copy back, and moves old lines out of it."""
    backup = commands.add_parser("backup", help="copy the journal, also while the hub runs")
    backup.set_defaults(run=_backup)

    restore = commands.add_parser("restore", help="put a backup in a damaged journal's place")
    restore.add_argument("backup", metavar="BACKUP", type=Path, nargs="?", help="which one")
    restore.add_argument("--newest", action="store_true", help="the newest one that is good")
    restore.set_defaults(run=_restore)

    away = commands.add_parser("archive", help="move what is long over out of the journal")
    age = away.add_mutually_exclusive_group()
    age.add_argument("--days", type=int, default=90, help="older than so many days; else 90")
    age.add_argument("--before", metavar="YYYY-MM-DD", help="older than this day")
    away.add_argument("--dry-run", action="store_true", help="only say what would be moved")
    away.set_defaults(run=_archive)
    return backup, restore, away


def _wall(args: argparse.Namespace) -> Iterable[str]:
    from display.terminal import wall  # noqa: PLC0415 - Textual takes its time to load

    status = wall.main(args.rest)
    if status:
        raise SystemExit(status)
    return []


def _dealer(args: argparse.Namespace) -> Iterable[str]:
    from dealer_console.terminal import dealer  # noqa: PLC0415 - Textual takes its time to load

    status = dealer.main(args.rest)
    if status:
        raise SystemExit(status)
    return []


def _td(args: argparse.Namespace) -> Iterable[str]:
    from dealer_console.terminal import td  # noqa: PLC0415 - Textual takes its time to load

    try:
        shelf = options.checked(args)
    except options.BadOption as bad:
        raise BadInput("", str(bad)) from None
    found = {"event": args.event, "theme": args.theme, "shelf": shelf}
    if args.hub is not None:
        td.run(args.hub, None, **found)
    else:
        url, token, trusted = Remote(args.data).way_in()
        td.run(url, token, ssl=trusted, **found)
    return []


def _add_more(commands: Any) -> None:
    _add_robots(commands)
    _add_screens(commands)
    _add_sheets(commands)


def _add_screens(commands: Any) -> None:
    """Add what is shown in a terminal; it reads its own arguments, so that Textual loads late."""
    screen = commands.add_parser("wall", help="show a wall in this terminal", add_help=False)
    screen.set_defaults(run=_wall)
    console = commands.add_parser("dealer", help="work a table in this terminal", add_help=False)
    console.set_defaults(run=_dealer)
    desk = commands.add_parser("td", help="direct the room from this terminal")
    desk.add_argument("--data", type=Path, default=Path("data"), help="of the hub on this machine")
    options.add(desk, hub=None)  # another machine's, which has to let this one in
    desk.set_defaults(run=_td)


def _add_sheets(commands: Any) -> None:
    """Add structures as files."""
    sheet = commands.add_parser("structure", help="take an event's structure away, or bring one")
    sheet.add_argument("deed", choices=("export", "import"))
    sheet.add_argument("file", metavar="FILE", type=Path, help="structure.toml or structure.csv")
    sheet.add_argument("--event", required=True, help="the event's id")
    sheet.set_defaults(run=_structure)
    sheet.add_argument("--data", type=Path, default=Path("data"), help="the hub's data folder")


def _add_robots(commands: Any) -> None:
    """Add what plays by itself: to be seen, and to be measured."""
    show_off = commands.add_parser("demo", help="run a hub with a room of robots in it")
    show_off.add_argument("--tables", type=int, default=12)
    show_off.add_argument("--speed", type=float, default=4.0, help="1 is the pace of real people")
    show_off.add_argument("--seed", type=int, default=1)
    show_off.add_argument("--preset", default="star-brisbane-saturday")
    show_off.add_argument("--host", default="127.0.0.1")
    show_off.add_argument("--port", type=int, default=8080)
    show_off.set_defaults(run=_demo)

    bot = commands.add_parser("bot", help="drive a running hub with load, and measure it")
    bot.add_argument("--url", required=True, help="such as ws://127.0.0.1:8080/ws")
    bot.add_argument("--token", required=True, help="a director's")
    bot.add_argument("--tables", type=int, default=20)
    bot.add_argument("--viewers", type=int, default=50)
    bot.add_argument("--rate", type=float, default=50.0, help="taps a second, of all together")
    bot.add_argument("--seconds", type=float, default=30.0)
    bot.add_argument("--seed", type=int, default=1)
    bot.set_defaults(run=_bot)


# ── the hub ──────────────────────────────────────────────────────────────────────────────────────


def _serve(args: argparse.Namespace) -> Iterable[str]:
    found = config.read(args.config)
    given = {key: getattr(args, key) for key in ("data", "host", "url", "port", "plain")}
    changed = {key: value for key, value in given.items() if value is not None}
    found = msgspec.structs.replace(found, **changed).checked("the command line")
    try:
        with asyncio.Runner(loop_factory=TimedLoop) as runner:
            runner.run(
                serve.run(
                    found,
                    lambda line: say(line, flush=True),
                    despite_damage=bool(args.despite_damage),
                )
            )
    except (BadConfig, OSError):
        raise
    except Exception as error:
        told = restoring.advice(Places(Path(found.data)))
        if not told:
            raise
        raise StorageError(f"{error}\n{told}") from error
    return []


def _demo(args: argparse.Namespace) -> Iterable[str]:
    from server.demo import demo  # noqa: PLC0415 - robots are not needed to serve a room

    place = config.Config(host=args.host, port=args.port).checked("the command line")
    play = demo(
        place,
        tables=args.tables,
        speed=args.speed,
        seed=args.seed,
        preset=args.preset,
        say=lambda line: say(line, flush=True),
    )
    asyncio.run(_told(play))
    return []


def _bot(args: argparse.Namespace) -> Iterable[str]:
    from server.bot import drive  # noqa: PLC0415 - robots are not needed to serve a room

    if args.tables < 1 or args.rate <= 0:
        raise BadInput("bot", "needs at least one table and a rate above 0")
    load = drive(
        args.url,
        args.token,
        tables=args.tables,
        viewers=args.viewers,
        rate=args.rate,
        seconds=args.seconds,
        seed=args.seed,
    )
    return asyncio.run(_told(load)).lines()


async def _told(work: Coroutine[Any, Any, T]) -> T:
    """Do what robots do, and tell in one line why they cannot."""
    from server import demo  # noqa: PLC0415
    from server.protocol.link import Closed  # noqa: PLC0415
    from server.robots import evening  # noqa: PLC0415

    try:
        return await work
    except (Closed, demo.BadDemo, evening.NotDone) as error:
        raise NotDone(str(error)) from None


def _do(args: argparse.Namespace) -> Iterable[str]:
    given = arguments(args.command, args.rest)
    event = args.event
    if args.command in WISHES and event:  # the hub's own commands name the event they are about
        given["event"], event = event, ""
    answer = Remote(args.data).do(args.command, event, given)
    yield "done already" if answer.get("again") else "done"


def _show(args: argparse.Namespace) -> Iterable[str]:
    yield json.dumps(Remote(args.data).document(args.topic)["doc"], ensure_ascii=False, indent=2)


def _backup(args: argparse.Namespace) -> Iterable[str]:
    try:
        yield str(Remote(args.data).backup())
    except Unreachable:
        with _journal(args.data) as journal:
            restoring.clear_up(Places(args.data))
            yield str(make_backup(journal, Places(args.data).backups).resolve())


def _restore(args: argparse.Namespace) -> Iterable[str]:
    places = Places(args.data)
    backup = args.backup
    if backup is None and not args.newest:
        yield from restoring.report(places)
        return
    if backup is not None and args.newest:
        raise BadInput("--newest", "is instead of naming a backup")
    backup = backup or restoring.newest(places)
    done = restoring.restore(places, backup)
    yield f"Restored {done.lines} lines from {backup}"
    if done.aside is not None:
        yield f"The journal that was there is now {done.aside}"
    if done.backups is not None:
        yield f"Backups with more lines, or others, are now in {done.backups}"
    yield "Start the hub, and look at its list of devices: it is as old as the backup."


def _archive(args: argparse.Namespace) -> Iterable[str]:
    places, begins = Places(args.data), _day(args)
    found = archiving.archive(places, round(begins.timestamp() * 1_000), only_look=args.dry_run)
    if found.end == found.begin:
        yield f"There is nothing to archive: {found.why}."
        return
    would, file = ("would go" if args.dry_run else "went"), places.archive / found.file
    yield f"Lines {found.begin + 1} to {found.end} {would} to {file}"
    yield from (f"  event {id_}: {name}" for id_, name in found.events.items())
    yield f"No more of them: {found.why}."
    if not args.dry_run:
        yield f"To read it: railbird export --file {file}"


def _day(args: argparse.Namespace) -> datetime:
    """Read the day before which things must be over."""
    if args.before is None:
        if not 0 <= args.days <= MOST_DAYS:
            raise BadInput("--days", f"must be from 0 to {MOST_DAYS}")
        return datetime.now().astimezone() - timedelta(days=args.days)
    try:
        return datetime.combine(date.fromisoformat(args.before), time.min).astimezone()
    except ValueError:
        raise BadInput("--before", "must be a day such as 2026-08-31") from None


def _tls_init(args: argparse.Namespace) -> Iterable[str]:
    try:
        from server import authority  # noqa: PLC0415 - needs a package that serving does not
    except ImportError:
        raise BadConfig(
            "making certificates needs the cryptography package: pip install 'railbird[tls]'"
        ) from None
    made = authority.init(args.data, args.name)
    places = TlsPlaces.of(args.data)
    yield f"The hub's certificate is in {places.folder}, good until {made.ends:%d %B %Y}, for"
    yield from (f"  {name}" for name in made.names)
    if made.left_out:
        yield f"not for {', '.join(made.left_out)}: the authority was made without them."
    yield ""
    if made.new:
        yield f"Every device must trust {places.ca} once: see docs/tls.md. Its SHA-256 fingerprint:"
    else:
        yield "Renewed. Devices that trust the authority need nothing. Its SHA-256 fingerprint:"
    yield f"  {made.fingerprint}"
    yield "A hub that is running uses the new certificate when it is started again."


@contextmanager
def _journal(data: Path) -> Iterator[SqliteJournal]:
    path = Places(data).journal
    restoring.finish_decided(Places(data))
    if not path.exists():
        raise StorageError(f"{path}: there is no journal")
    journal = SqliteJournal(path)
    try:
        yield journal
    finally:
        journal.close()


@contextmanager
def _source(args: argparse.Namespace) -> Iterator[tuple[Iterator[Stored], tuple[int, bytes]]]:
    """Read a journal: a file that is given, a copy that the running hub makes, or the hub's own.

    Also gives the number and hash of the line before the first.
    """
    if args.file is not None:
        yield read_file(args.file), begin_of(args.file)
        return
    try:
        copy = Remote(args.data).backup()
    except Unreachable:
        with _journal(args.data) as journal:
            yield journal.read(), journal.begin()
        return
    try:
        yield read_file(copy), begin_of(copy)
    finally:
        copy.unlink(missing_ok=True)


def _lines(args: argparse.Namespace) -> Iterator[Stored]:
    with _source(args) as (stored, _):
        yield from stored


def _verify(args: argparse.Namespace) -> Iterable[str]:
    head = None
    if args.head is not None:
        line, _, digest = args.head.partition(":")
        try:
            head = int(line), bytes.fromhex(digest)
        except ValueError:
            raise BadInput("--head", "must be LINE:HASH as printed by verify") from None
    acknowledged = None if args.file is not None else _acknowledged(Places(args.data))
    with _source(args) as (own, own_begin):
        archives = [] if args.file else archiving.leading_to(Places(args.data), own_begin)
        begin = begin_of(archives[0]) if archives else own_begin
        stored = _holding(chain(*map(read_file, archives), own), acknowledged)
        if head is not None and 0 < head[0] <= begin[0] and head != begin:
            raise BadInput("--head", f"is before line {begin[0] + 1}, which is the first here")
        last = [begin]
        damage = verify(_seen(stored, last), None if head == begin else head, begin)
    if damage is not None:
        raise Damaged(f"the journal was changed: {damage.reason}")
    seq, digest = last[0]
    yield f"{seq - begin[0]} lines, all as they were written"
    for path in archives:
        yield f"those that went are in {path}, and join"
    if begin[0]:
        yield f"lines 1 to {begin[0]} are in an archive that is not here"
    yield f"head {seq}:{digest.hex()}"


def _holding(stored: Iterator[Stored], head: Head | None) -> Iterator[Stored]:
    """Pass lines on, and insist at their end that the one is among them that the head file names.

    A hub that runs goes on meanwhile: the file is read before its lines are.
    """
    held = head is None or head[0] == 0
    for found in stored:
        held = held or (found.seq, found.hash) == head
        yield found
    if not held and head is not None:
        raise Damaged(f"line {head[0]} was acknowledged, and is not in the journal as it was")


def _acknowledged(places: Places) -> Head | None:
    """Give the head that the head file names, and insist that a journal that lies still has it."""
    head = read_head(head_path(places.journal))
    lacking = None if head is None else proof.lacks(places.journal, head)
    if lacking is not None:
        raise Damaged(lacking)
    return head


def _seen(stored: Iterator[Stored], last: list[tuple[int, bytes]]) -> Iterator[Stored]:
    for found in stored:
        last[0] = found.seq, found.hash
        yield found


def _export(args: argparse.Namespace) -> Iterable[str]:
    wanted = (s for s in _lines(args) if args.event is None or s.line.event == args.event)
    yield from as_csv(wanted) if args.format == "csv" else as_json(wanted)


def _structure(args: argparse.Namespace) -> Iterable[str]:
    hub, kind = Remote(args.data), args.file.suffix.removeprefix(".")
    if kind not in sheets.FORMATS:
        raise BadInput(str(args.file), "must end in .toml or .csv")
    if args.deed == "export":
        args.file.write_text(hub.structure(args.event, kind), encoding="utf-8", newline="")
        yield f"written: {args.file}"
        return
    steps = hub.read_structure(args.event, kind, args.file.read_text(encoding="utf-8"))
    hub.do("structure.set", args.event, {"steps": steps})
    yield f"done: {len(steps)} steps from the current one on"


def _replay(args: argparse.Namespace) -> Iterable[str]:
    stored = list(_lines(args))
    try:
        made = created(stored, args.event)
    except NoSuchEvent as error:
        archives = Places(args.data).archive
        if args.file is not None or not archives.exists():
            raise
        raise NoSuchEvent(f"{error}; look in {archives} and name a file with --file") from None
    say(f"railbird: rehearse it with the preset {made['preset']}", file=sys.stderr)
    yield from script(stored, args.event, made)


# ── without a hub ────────────────────────────────────────────────────────────────────────────────


def _presets(_args: argparse.Namespace) -> Iterable[str]:
    for preset in presets.shipped():
        rules = presets.load(preset)
        yield f"{preset:<24}{rules.name} — {rules.house}"


def _rehearse(args: argparse.Namespace) -> Iterable[str]:
    rules = presets.load(args.preset)
    if args.script == "-":
        if sys.stdin is None:
            raise BadLine("there is no standard input to read a script from")
        yield from rehearse(rules, sys.stdin.buffer, events=args.events)
        return
    with Path(args.script).open("rb") as script:
        yield from rehearse(rules, script, events=args.events)


def _timetable(args: argparse.Namespace) -> Iterable[str]:
    rules = presets.load(args.preset)
    start = rules.start or 0
    if args.start is not None:
        start = time_of_day(args.start, "--start")
    yield from render(rules, start)


if __name__ == "__main__":
    sys.exit(main())
