"""The command line: a hub that is served in a process of its own, and every tool around it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import urllib.request
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from websockets.sync.client import connect

from server.cli import main
from server.config import BadConfig, Config, Places, read
from server.export import FORMULA
from server.journal import GENESIS, Line, chain
from server.remote import NotDone, Remote
from server.serve import qr
from tests.served import PATIENCE, ROOT, Process, railbird, railbird_here

if TYPE_CHECKING:
    from collections.abc import Iterator

CONSOLATION = "selkirk-consolation"  # has no start of its own
SATURDAY = "star-brisbane-saturday"  # starts at 12:30
MAIN = "selkirk-main"  # starts at 19:00, and stops hard at 0:45
FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-1-1", "@SUM(A1)", "  =1+1", "|x", "%x"]


def play(remote: Remote, event: str) -> None:
    """Play a little of everything, and let the room stand at the end."""
    script: list[tuple[str, dict[str, Any]]] = [
        ("clock.start", {}),
        *(
            ("seat.put", {"player": f"{t}-{s}", "name": name, "table": t, "seat": s})
            for t in (1, 2)
            for s, name in enumerate(("Ann", "Bob", FORMULAS[t]), start=1)
        ),
        ("bank.grant", {"chips": 3, "mode": "set"}),
        ("hand.start", {"table": 1, "button": 1}),
        ("hand.start", {"table": 2}),
        ("action.start", {"table": 1, "seat": 2}),
        ("action.bank", {"table": 1, "seat": 2, "chips": 1}),
        ("action.next", {"table": 1}),
        ("action.hold", {"table": 1}),
        ("table.pause", {"table": 2, "reason": "=dispute()"}),
        ("clock.add", {"ms": -61_000}),
        ("level.next", {}),
        ("announce", {"text": "@Dinner"}),
        ("undo", {}),
        ("player.limit", {"player": "1-1", "seconds": 10}),
        ("player.bust", {"player": "2-3"}),
        ("floor.call", {"table": 1, "reason": "Chips"}),
        ("clock.pause", {"reason": "The end"}),
    ]
    for do, args in script:
        with suppress(NotDone):  # not every house has an action clock: refusals are no news
            remote.do(do, event, args)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Serve a hub on which some events have been played; the tests only look at it."""
    process = Process(tmp_path_factory.mktemp("running") / "data")
    try:
        remote = Remote(process.data)
        remote.do("event.create", "", {"preset": CONSOLATION})
        remote.do("event.create", "", {"preset": SATURDAY, "name": "=Saturday()"})
        for event in ("1", "2"):
            play(remote, event)
        remote.do("event.create", "", {"preset": MAIN})
        for do in ("clock.start", "clock.pause"):
            remote.do(do, "3", {})
        remote.do("event.create", "", {"preset": CONSOLATION})
        now = remote.document("events")["doc"]["now"]
        remote.do("event.schedule", "4", {"starts_at": now + 3_600_000})
        hostile(process.data)
        yield process
    finally:
        assert process.stop() == 0


def hostile(data: Path) -> None:
    """Let a device with a hostile name in, and command something from it by a hostile id."""
    url = Places(data).address.read_text("ascii").strip().replace("http", "ws") + "/ws"
    with connect(url, compression=None, proxy=None) as wire:

        def heard(type_: str) -> Any:
            while (found := json.loads(wire.recv(timeout=PATIENCE)))["type"] != type_:
                assert found["type"] in ("welcome", "code"), found
            return found

        hello = {"type": "hello", "version": 1, "device": "\t=evil()", "kind": "-evil()"}
        wire.send(json.dumps(hello))
        wire.send('{"type":"pair"}')
        args = {"code": heard("code")["code"], "role": "director", "name": "=evil()"}
        Remote(data).do("device.pair", "", args)
        assert heard("welcome")["name"] == "=evil()"
        said = {"text": '=HYPERLINK("x")'}
        do = {"type": "do", "id": "@cmd", "event": "1", "do": "announce", "args": said}
        wire.send(json.dumps(do))
        heard("done")


@pytest.fixture(scope="module")
def stopped(hub: Process, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the same data, of a hub that does not run."""
    data = tmp_path_factory.mktemp("stopped") / "data"
    data.mkdir()
    copy = Remote(hub.data).backup()
    copy.rename(data / "railbird.db")
    return data


@pytest.fixture(params=["running", "stopped"])
def data(request: pytest.FixtureRequest, hub: Process, stopped: Path) -> Path:
    """Give data that can be read, whether the hub runs or not."""
    return hub.data if request.param == "running" else stopped


# ── serving ──────────────────────────────────────────────────────────────────────────────────────


def test_serve_prints_the_directors_link(hub: Process) -> None:
    """The console shows the address, the director's link and the same link to scan, no more."""
    said = "\n".join(hub.said)
    token = Places(hub.data).token.read_text("ascii").strip()
    address = Places(hub.data).address.read_text("ascii").strip()
    assert hub.said[0] == f"Railbird is ready: {address}"
    invitation = invited(hub)
    link = f"{address}/#token={invitation}"
    assert f"  {link}" in hub.said
    assert qr(link).rstrip("\n") in said
    assert said.count(invitation) == 1
    assert token not in said  # the console's own is for who can read its file


def invited(process: Process) -> str:
    """Give the secret in the director's link."""
    (link,) = [line for line in process.said if "#token=" in line]
    return link.partition("#token=")[2]


def test_the_directors_link_is_good_once(tmp_path: Path) -> None:
    """Who uses it gets a token of their own, which outlives the hub; nobody else gets in."""

    def greeted(process: Process, token: str) -> list[dict[str, Any]]:
        address = Places(process.data).address.read_text("ascii").strip()
        url = address.replace("http", "ws") + "/ws"
        with connect(url, compression=None, proxy=None) as wire:
            wire.send(json.dumps({"type": "hello", "version": 1, "token": token}))
            found = [json.loads(wire.recv(timeout=PATIENCE))]
            if found[0]["type"] == "admitted":
                found.append(json.loads(wire.recv(timeout=PATIENCE)))
            return found

    process = Process(tmp_path / "data")
    try:
        secret = invited(process)
        admitted, welcome = greeted(process, secret)
        assert (admitted["type"], welcome["role"]) == ("admitted", "director")
        own = admitted["token"]
        assert own not in (secret, Places(process.data).token.read_text("ascii").strip())
        assert [found["code"] for found in greeted(process, secret)] == ["unauthorised"]
        assert [found["role"] for found in greeted(process, own)] == ["director"]
    finally:
        process.stop()
    again = Process(tmp_path / "data")
    try:
        assert [found["role"] for found in greeted(again, own)] == ["director"]
        assert [found["code"] for found in greeted(again, secret)] == ["unauthorised"]
    finally:
        again.stop()


def test_serve_is_ready_when_it_says_so(hub: Process) -> None:
    """When the link is on the console, the hub answers."""
    address = Places(hub.data).address.read_text("ascii").strip()
    with urllib.request.urlopen(f"{address}/healthz", timeout=PATIENCE) as answer:  # noqa: S310
        assert json.load(answer)["status"] == "ok"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_hub_in_peace(tmp_path: Path, number: int) -> None:
    """Told to stop, the hub says that it did, and ends with 0; its journal is whole."""
    process = Process(tmp_path / "data")
    assert process.stop(number) == 0
    assert json.loads(process.log()[-1])["what"] == "stopped"
    assert not (tmp_path / "data" / "railbird.db-wal").exists()


def test_a_second_hub_is_kept_out(hub: Process) -> None:
    """Two hubs on the same data would ruin it: the second one says so and ends."""
    second = railbird("serve", "--data", hub.data, "--port", "0")
    assert second.returncode == 2
    assert second.stderr.splitlines()[-1].endswith("another hub is using this data")
    assert "Traceback" not in second.stderr
    assert Remote(hub.data).document("events")["doc"]["events"]
    address = Places(hub.data).address.read_text("ascii").strip()
    assert hub.said[0].endswith(address)


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    """A port that somebody else has is told in one line, with the number."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        found = railbird("serve", "--data", tmp_path / "data", "--port", port)
    assert found.returncode == 2
    assert port in found.stderr
    assert "Traceback" not in found.stderr


def test_logs_are_json_lines_without_secrets(hub: Process) -> None:
    """Every line of the log is a JSON object; none has a token, or what could be used as one."""
    lines = hub.log()
    found = [json.loads(line) for line in lines]
    assert {line["what"] for line in found} >= {"ready", "event opened"}
    for line in found:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["at"])
        assert line["level"] in ("info", "warning", "error")
    secrets = [Places(hub.data).token.read_text("ascii").strip(), invited(hub)]
    assert not [secret for secret in secrets if secret in "\n".join(lines)]
    with closing(sqlite3.connect(Remote(hub.data).backup())) as db:
        kept = [key for (key,) in db.execute("SELECT key FROM kept WHERE key LIKE 'device/%'")]
        dump = "\n".join(db.iterdump())
    assert kept
    assert not [secret for secret in secrets if secret in dump]


def test_the_token_is_for_the_hubs_own_user(hub: Process) -> None:
    """Only who runs the hub can read the director's token and the hub's folder."""
    places = Places(hub.data)
    assert stat.S_IMODE(places.token.stat().st_mode) == 0o600
    assert stat.S_IMODE(places.folder.stat().st_mode) == 0o700


def test_a_token_file_is_closed_to_others_before_it_is_written(tmp_path: Path) -> None:
    """A token is not put into a file that was there before and that everybody can read."""
    token = Places(tmp_path).token
    token.write_text("an old token\n", "ascii")
    token.chmod(0o644)
    assert Process(tmp_path).stop() == 0
    assert token.read_text("ascii") != "an old token\n"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600


def test_a_token_file_that_is_no_text_is_no_end(tmp_path: Path) -> None:
    """A damaged token file is replaced, or told in words; nobody sees a traceback."""
    Places(tmp_path).token.write_bytes(b"\xff\xfe")
    process = Process(tmp_path)
    process.stop()
    assert not [line for line in process.log() if "Traceback" in line]


def test_a_console_that_does_not_scroll_does_not_stop_the_clocks(tmp_path: Path) -> None:
    """Nobody reads the log (a pipe, or Ctrl-S on the console): the hub serves all the same."""
    config = tmp_path / "railbird.toml"
    config.write_text("port = 0\nlimits = { rate = 1000 }\n", "ascii")
    serve = (sys.executable, "-m", "server.cli", "serve", "--config", config, "--data", tmp_path)
    process = subprocess.Popen(
        serve,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        assert "ready" in process.stdout.readline()
        url = Places(tmp_path).address.read_text("ascii").strip().replace("http", "ws") + "/ws"
        with connect(url, compression=None, proxy=None, close_timeout=0.1) as wire:
            wire.send('{"type":"hello","version":1}')
            for number in range(600):  # a viewer makes lines that nobody reads
                do = {"type": "do", "id": f"{number}", "event": "x" * 60, "do": "clock.pause"}
                wire.send(json.dumps(do))
            answered = 0
            while answered < 600:
                answered += json.loads(wire.recv(timeout=PATIENCE))["type"] == "refused"
    finally:
        process.kill()
        process.communicate()


# ── do and show ──────────────────────────────────────────────────────────────────────────────────


def test_do_commands_and_show_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A night can be run from the console: create, command, look, finish, archive."""
    data = tmp_path / "data"
    process = Process(data)
    try:
        for words in (
            ("event.create", "--preset", CONSOLATION, "--name", "007"),
            ("clock.start", "--event", "1"),
            ("clock.add", "--event", "1", "--ms", "-60000"),
            ("seat.put", "--event=1", "--player", "7", "--table", "3", "--seat", "2"),
            ("announce", "--event", "1", "--text", "-- 10 % off --"),
        ):
            assert run(capsys, "do", *words, "--data", data) == (0, "done\n", "")
        found = railbird("do", "clock.pause", "--event", "1", "--data", data)
        assert (found.returncode, found.stdout, found.stderr) == (0, "done\n", "")
        event = json.loads(railbird_here("show", "t/1", "--data", data).stdout)
        assert (event["name"], event["announcement"]) == ("007", "-- 10 % off --")
        table = json.loads(run(capsys, "show", "t/1/table/3", "--data", data)[1])
        assert table["seats"]["2"]["player"] == "7"
        refused = railbird_here("do", "event.archive", "--event", "1", "--data", data)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == "railbird: not_allowed: Finish the event before you archive it.\n"
        for do in ("event.finish", "event.archive"):
            assert run(capsys, "do", do, "--event", "1", "--data", data)[0] == 0
        assert json.loads(run(capsys, "show", "events", "--data", data)[1])["events"] == []
    finally:
        process.stop()
    for away in (("do", "clock.pause", "--event", "1"), ("show", "events")):
        told = run(capsys, *away, "--data", data)
        assert told == (2, "", f"railbird: no hub has been started with {data}\n")


def test_a_hub_that_was_killed_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hub that had no time to clean up has left its address: nobody answers there."""
    data = tmp_path / "data"
    Process(data).stop(signal.SIGKILL)
    for away in (("do", "clock.pause", "--event", "1"), ("show", "events")):
        status, _, told = run(capsys, *away, "--data", data)
        assert status == 2
        assert re.fullmatch(r"railbird: no hub answers at .*; is it running\?\n", told)


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Run a command in this process, which is quicker."""
    try:
        status = main([str(word) for word in words])
    except SystemExit as left:
        status = int(left.code or 0)
    out, err = capsys.readouterr()
    return status, out, err


def call(
    capsys: pytest.CaptureFixture[str], data: Path, *words: str | Path
) -> tuple[int, str, str]:
    """Run a command as a process of its own where the hub runs, else in this one."""
    if not Places(data).address.exists():
        return run(capsys, *words, "--data", data)
    found = railbird(*words, "--data", data)
    return found.returncode, found.stdout, found.stderr


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("do", "no.such"), 1, "bad_value: do: the hub has no command 'no.such'."),
        (("do", "no.such", "--event", "1"), 1, "bad_value: do: there is no command 'no.such'."),
        (("do", "clock.pause", "--event", "9"), 1, "unknown_event: There is no event 9."),
        (("do", "clock.pause", "--event", "1", "--table", "1"), 1, "bad_value: "),
        (("do", "clock.add", "--event", "1"), 1, "bad_value: args.ms: is missing."),
        (("do", "clock.add", "--event", "1", "--ms", "soon"), 1, "bad_value: args.ms: "),
        (("do", "clock.add", "--event", "1", "--ms"), 2, "--ms: arguments are given as --name "),
        (("do", "clock.add", "--event", "1", "ms", "5"), 2, "ms: arguments are given as --name "),
        (("do", "event.create", "--preset", "../x"), 1, "bad_value: there is no preset '../x'"),
        (("show", "t/9"), 1, "unknown_topic: There is no document t/9."),
        (("show", "x"), 1, "unknown_topic: "),
    ],
)
def test_a_refusal_is_one_line(
    hub: Process,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    status: int,
    told: str,
) -> None:
    """What is refused ends with 1, what cannot be read with 2; both say why in one line."""
    found, out, err = run(capsys, *words, "--data", hub.data)
    assert (found, out) == (status, "")
    assert err.startswith(f"railbird: {told}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("topic", ["t/1 x", "t/é", "t/1\n", "t/1?x", "t/1#x"])
def test_any_topic_can_be_asked_for(
    hub: Process, capsys: pytest.CaptureFixture[str], topic: str
) -> None:
    """A topic with letters that an address cannot have is not there, like any other."""
    found, _, err = run(capsys, "show", topic, "--data", hub.data)
    assert found in (1, 2)
    assert err.startswith("railbird: unknown_topic: ")


def test_a_command_that_is_too_large_is_told(
    hub: Process, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words without end are refused in one line, like everything else."""
    words = ("do", "announce", "--event", "1", "--text", "x" * 70_000)
    found, _, err = run(capsys, *words, "--data", hub.data)
    assert found in (1, 2)
    assert err.startswith("railbird: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("do", "clock.pause"), ("show", "events"), ("backup",), ("verify",), ("export",)]
)
def test_a_folder_without_a_hub_is_told_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """Where no hub has ever been, a tool says so and makes nothing."""
    data = tmp_path / "nothing"
    found, _, err = run(capsys, *words, "--data", data)
    assert found == 2
    assert str(data) in err
    assert not data.exists()


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("no-such",),
        ("do",),
        ("show",),
        ("replay",),
        ("verify", "--event", "1"),
        ("verify", "more"),
        ("export", "--format", "xml"),
        ("serve", "--port", "http"),
        ("serve", "--colour", "red"),
        ("backup", "--file", "x"),
    ],
)
def test_wrong_arguments_are_told_with_the_usage(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """Who gives wrong arguments is shown the right ones, and the status is 2."""
    found, out, err = run(capsys, *words)
    assert (found, out) == (2, "")
    assert err.startswith("usage: railbird")


def test_wrong_arguments_end_a_real_command_too(tmp_path: Path) -> None:
    """The command itself ends with 2 and words, and without a traceback."""
    found = railbird("serve", "--port", "99999", "--data", tmp_path / "data")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "railbird: the command line: port: must be from 0 to 65535\n"
    assert not (tmp_path / "data").exists()


# ── the config ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("prot = 80", "prot"),
        ("port = '80'", "port: "),
        ("port = true", "port: "),
        ("port = 80.0", "port: "),
        ("port = 65536", "port: must be from 0 to 65535"),
        ("port = -1", "port: must be from 0 to 65535"),
        ("host = ''", "host: must not be empty"),
        ("host = 7", "host: "),
        ("log = 'loud'", "log: must be debug, info, warning or error"),
        ("data = ['x']", "data: "),
        ("[server]\nport = 80", "server"),
        ("port = ", "not TOML"),
        ("port = 80\nport = 81", "not TOML"),
        ("\ud8ff", "not TOML"),
    ],
)
def test_a_mistake_in_the_config_is_told_with_its_key(tmp_path: Path, text: str, told: str) -> None:
    """The file comes first, then the key, then what is wrong with it."""
    path = tmp_path / "railbird.toml"
    path.write_text(text, "utf-8", "surrogatepass")
    with pytest.raises(BadConfig) as found:
        read(path)
    assert str(found.value).startswith(f"{path}: ")
    assert told in str(found.value)


@pytest.mark.parametrize("content", [b"port = " + b"[" * 5_000, b"port = 9" + b"9" * 5_000])
def test_a_config_that_is_no_config_is_told(tmp_path: Path, content: bytes) -> None:
    """Whatever the file is, the answer is in words."""
    path = tmp_path / "railbird.toml"
    path.write_bytes(content)
    with pytest.raises(BadConfig, match=str(path)):
        read(path)


def test_a_config_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A file that does not exist, or is a folder, is told by name."""
    for path in (tmp_path / "no.toml", tmp_path):
        with pytest.raises(BadConfig, match=str(path)):
            read(path)
    assert read(None) == Config()


def test_serve_reads_its_config(tmp_path: Path) -> None:
    """The config's values count, those of the command line count more, and mistakes end it."""
    config, data = tmp_path / "railbird.toml", tmp_path / "elsewhere"
    config.write_text(f'data = "{tmp_path}/unused"\nlog = "error"\nurl = "http://room"', "utf-8")
    process = Process(data, "--config", str(config))
    assert process.stop() == 0
    assert process.said[0] == "Railbird is ready: http://room"
    assert process.log() == []
    assert not (tmp_path / "unused").exists()
    config.write_text("prot = 80", "utf-8")
    found = railbird("serve", "--config", config)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith(f"railbird: {config}: ")
    assert "prot" in found.stderr


# ── backup and verify ────────────────────────────────────────────────────────────────────────────


def test_a_backup_is_whole(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup is one file that verifies, whether the hub runs or not."""
    status, out, err = call(capsys, data, "backup")
    assert (status, err) == (0, "")
    path = Path(out.strip())
    assert path.is_absolute()
    assert path.parent == (data / "backups").resolve()
    assert run(capsys, "verify", "--file", path, "--data", data / "nowhere")[0] == 0
    assert [other.name for other in path.parent.glob(f"{path.stem}*")] == [path.name]


def test_verify_proves_and_gives_a_head(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A journal that is whole is told so with its head, which proves it again later."""
    status, out, err = call(capsys, data, "verify")
    assert (status, err) == (0, "")
    words, head = out.splitlines()
    match = re.fullmatch(r"head (\d+):([0-9a-f]{64})", head)
    assert match is not None
    assert words == f"{match[1]} lines, all as they were written"
    head = head.removeprefix("head ")
    assert run(capsys, "verify", "--data", data, "--head", head) == (0, out, "")


def test_verify_leaves_nothing_behind(hub: Process, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a running hub a copy is read, which is gone afterwards, also when damage was found."""
    folder = Places(hub.data).backups
    before = sorted(folder.iterdir()) if folder.exists() else []
    assert run(capsys, "verify", "--data", hub.data)[0] == 0
    assert run(capsys, "verify", "--data", hub.data, "--head", f"1:{'00' * 32}")[0] == 1
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("head", "status", "told"),
    [
        (f"1:{'00' * 32}", 1, "line 1 is not the one that was exported as the head"),
        (f"9999:{'00' * 32}", 1, "the head was line 9999"),
        ("1", 1, "line 1 is not"),
        ("x:00", 2, "--head: must be LINE:HASH"),
        ("1:zz", 2, "--head: must be LINE:HASH"),
        ("", 2, "--head: must be LINE:HASH"),
    ],
)
def test_a_head_that_does_not_fit_is_told(
    stopped: Path, capsys: pytest.CaptureFixture[str], head: str, status: int, told: str
) -> None:
    """A head of another journal is damage; one that is no head is a wrong argument."""
    found, out, err = run(capsys, "verify", "--data", stopped, "--head", head)
    assert (found, out) == (status, "")
    assert told in err


def _tampered(stopped: Path, tmp_path: Path, *statements: str) -> Path:
    """Change a journal behind the hub's back."""
    data = tmp_path / "data"
    shutil.copytree(stopped, data)
    with closing(sqlite3.connect(data / "railbird.db", isolation_level=None)) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            assert db.execute(statement).rowcount
    return data


TAMPERING = {
    "an edit": "UPDATE journal SET body = CAST(replace(CAST(body AS TEXT), 'Ann', 'Eve') AS BLOB)"
    " WHERE instr(body, 'Ann')",
    "an instant": "UPDATE journal SET at = at + 1 WHERE seq = 7",
    "another actor": "UPDATE journal SET actor = 'somebody' WHERE seq = 7",
    "a deletion": "DELETE FROM journal WHERE seq = 7",
    "another hash": "UPDATE journal SET hash = zeroblob(32) WHERE seq = 7",
    "an insertion": "INSERT INTO journal SELECT seq + 1000, event, at, tapped, received, actor,"
    " device, command, body, hash FROM journal WHERE seq = 7",
}


@pytest.mark.parametrize("statement", TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_is_found(
    stopped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str
) -> None:
    """Whatever was changed with the triggers dropped is found and told with its line."""
    data = _tampered(stopped, tmp_path, statement)
    for words in (("--data", data), ("--file", data / "railbird.db")):
        found, out, err = run(capsys, "verify", *words)
        assert (found, out) == (1, "")
        assert re.match(r"railbird: the journal was changed: line \d+ is ", err)


def test_tampering_ends_a_real_verify(stopped: Path, tmp_path: Path) -> None:
    """The command itself ends with 1 and the words."""
    data = _tampered(stopped, tmp_path, TAMPERING["a deletion"])
    found = railbird("verify", "--data", data)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "railbird: the journal was changed: line 7 is missing\n"


def test_a_cut_tail_is_found_with_the_head(
    stopped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A journal whose end was cut off is whole by itself; the head that was kept tells."""
    head = run(capsys, "verify", "--data", stopped)[1].splitlines()[1].removeprefix("head ")
    last = int(head.partition(":")[0])
    data = _tampered(stopped, tmp_path, f"DELETE FROM journal WHERE seq > {last - 3}")  # noqa: S608
    assert run(capsys, "verify", "--data", data)[0] == 0
    found, _, err = run(capsys, "verify", "--data", data, "--head", head)
    assert found == 1
    assert f"the journal ends at line {last - 3}, the head was line {last}" in err


@pytest.mark.parametrize("content", [b"", b"no journal at all" * 400, b"SQLite format 3\x00" * 99])
def test_a_file_that_is_no_journal_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    """Whatever the file is, the answer is in words."""
    path = tmp_path / "some.db"
    path.write_bytes(content)
    for words in (("verify",), ("export",), ("replay", "--event", "1")):
        found, _, err = run(capsys, *words, "--file", path)
        assert found == 2
        assert err.startswith(f"railbird: {path}: not a journal")


# ── export ───────────────────────────────────────────────────────────────────────────────────────


def test_a_csv_has_every_line_and_no_formula(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every line of the journal is in the CSV, and no cell of it is one that a spreadsheet runs."""
    status, out, err = call(capsys, data, "export")
    assert (status, err) == (0, "")
    head, *rows = csv.reader(io.StringIO(out))
    assert head[:3] == ["line", "event", "what"]
    assert head[-2:] == ["details", "hash"]
    assert {len(row) for row in rows} == {len(head)}
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        for cell in row:
            assert not cell.lstrip(" ").startswith(FORMULA), cell
    devices = {row[head.index("device")] for row in rows}
    commands = {row[head.index("command")] for row in rows}
    assert not [device for device in devices if "evil" in device]  # the hub names devices
    assert "'=evil()" in {row[head.index("actor")] for row in rows}
    assert "'@cmd" in commands
    details = [json.loads(row[-2]) for row in rows]
    assert any(name in json.dumps(detail) for detail in details for name in FORMULAS)
    assert any(detail.get("rules", {}).get("name") == "=Saturday()" for detail in details)


def test_json_lines_have_everything_that_the_hash_covers(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the JSON lines alone anybody can prove the whole chain."""
    status, out, err = call(capsys, data, "export", "--format", "jsonl")
    assert (status, err) == (0, "")
    before = GENESIS
    for seq, text in enumerate(out.splitlines(), start=1):
        row = json.loads(text)
        body = msgspec.json.encode(row["record"])
        who = (row["actor"], row["device"], row["command"])
        line = Line(row["event"], row["at"], row["tapped"], row["received"], *who, body)
        before = chain(before, seq, line)
        assert (row["line"], row["hash"]) == (seq, before.hex())


def test_an_export_of_one_event_has_only_its_lines(
    stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a dispute about one event the others' lines stay at home."""
    parts = {}
    for event in ("1", "2", "3", "4", ""):
        _, out, _ = run(capsys, "export", "--data", stopped, "--format", "jsonl", "--event", event)
        rows = [json.loads(line) for line in out.splitlines()]
        assert {row["event"] for row in rows} == {event}
        parts[event] = len(rows)
    _, out, _ = run(capsys, "export", "--data", stopped, "--format", "jsonl")
    assert sum(parts.values()) == len(out.splitlines())


def test_a_reader_that_has_seen_enough_is_no_error(stopped: Path) -> None:
    """`railbird export | head -1` ends quietly."""
    words = [sys.executable, "-m", "server.cli", "export", "--data", str(stopped)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("line,")
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(PATIENCE) == 0


# ── replay ───────────────────────────────────────────────────────────────────────────────────────


def _plain(node: Any, began: int) -> Any:
    """Take out of a document what only says when it was looked at, and count from the creation."""
    if isinstance(node, dict):
        return {key: _plain(value, began) for key, value in node.items() if key != "now"}
    if isinstance(node, list):
        return [_plain(value, began) for value in node]
    return node - began if isinstance(node, int) and node > began else node


def _created(data: Path, event: str) -> int:
    with closing(sqlite3.connect(data / "railbird.db")) as db:
        rows = db.execute("SELECT body FROM journal WHERE event = ''").fetchall()
    records = [json.loads(body) for (body,) in rows]
    made = [r for r in records if r["event"] == "event.created" and r["id"] == event]
    return int(made[0]["at"])


def _shown(lines: str) -> dict[str, Any]:
    found = [json.loads(line) for line in lines.splitlines()]
    assert [line for line in found if "refused" in line] == []
    return {line["topic"]: _plain(line["doc"], 1 << 60) for line in found}


def _live(hub: Process, stopped: Path, event: str, shown: dict[str, Any]) -> dict[str, Any]:
    remote, began = Remote(hub.data), _created(stopped, event)
    names = {topic: f"t/{event}" + ("" if topic == "event" else f"/{topic}") for topic in shown}
    return {topic: _plain(remote.document(name)["doc"], began) for topic, name in names.items()}


def test_a_night_is_replayed_as_it_was(
    hub: Process, stopped: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script of a played event, rehearsed, ends with the documents that the hub shows."""
    status, script, told = call(capsys, data, "replay", "--event", "1")
    assert (status, told) == (0, f"railbird: rehearse it with the preset {CONSOLATION}\n")
    night = railbird("rehearse", CONSOLATION, "-", given=script)
    assert (night.returncode, night.stderr) == (0, "")
    shown = _shown(night.stdout)
    assert shown.keys() == {"event", "table/1", "table/2"}
    assert shown == _live(hub, stopped, "1", shown)


@pytest.mark.parametrize(
    "case",
    [
        ("2", SATURDAY),
        ("3", MAIN),
        ("4", CONSOLATION),
    ],
)
def test_instants_are_replayed_as_they_were(
    hub: Process,
    stopped: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    case: tuple[str, str],
) -> None:
    """A house's start and hard stop, and a start that was scheduled, are where they were."""
    event, preset = case
    path = tmp_path / "script.jsonl"
    path.write_text(run(capsys, "replay", "--data", stopped, "--event", event)[1], "utf-8")
    shown = _shown(run(capsys, "rehearse", preset, path)[1])
    live = _live(hub, stopped, event, shown)
    for told in (shown, live):
        del told["event"]["name"]  # a rehearsal tells the preset's own
    assert shown == live


def test_a_replay_of_no_event_is_told(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An event that the journal does not have is told in words."""
    found, out, err = run(capsys, "replay", "--data", stopped, "--event", "9")
    assert (found, out, err) == (2, "", "railbird: the journal has no event '9'\n")
