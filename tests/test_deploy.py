"""What a venue installs: the service, its config, the watchdog that the service relies on."""

from __future__ import annotations

import configparser
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.cli import _parser
from server.config import Config, Limits, Tls, read
from server.watchdog import Watchdog
from tests.served import PATIENCE, Process

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "deploy" / "railbird.service"
SAMPLE = ROOT / "deploy" / "railbird.toml"


class _Many(dict[str, Any]):
    """A section in which a key may come again, as systemd's may."""

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, list) and key in self:
            value = [*self[key], *value]
        super().__setitem__(key, value)


@pytest.fixture(scope="module")
def unit() -> configparser.RawConfigParser:
    """Read the unit."""
    parser = configparser.RawConfigParser(strict=False, dict_type=_Many, allow_no_value=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT, encoding="utf-8")
    return parser


def test_the_service_is_locked_in_and_watched(unit: configparser.RawConfigParser) -> None:
    """It may touch nothing but its data, comes back always, and is watched."""
    service = unit["Service"]
    wanted = {
        "Type": "notify",
        "Restart": "always",
        "User": "railbird",
        "StateDirectory": "railbird",
        "ProtectSystem": "strict",
        "NoNewPrivileges": "yes",
        "PrivateTmp": "yes",
        "CapabilityBoundingSet": "",
        "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
        "StandardOutput": "null",  # the director's link is printed there
    }
    assert {key: service[key] for key in wanted} == wanted
    assert int(service["WatchdogSec"]) >= 5
    assert "@system-service" in service["SystemCallFilter"]
    assert service["MemoryMax"]
    assert "ProcSubset" not in service  # hubtime reads the name of the boot in /proc/sys
    assert int(service["LimitNOFILE"]) > Limits().connections


def test_the_service_says_what_the_command_line_understands(
    unit: configparser.RawConfigParser,
) -> None:
    """The command of the unit is one that exists, with options that exist."""
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert Path(program).name == "railbird"
    args = _parser().parse_args(words)
    assert args.config == Path("/etc/railbird/railbird.toml")
    assert args.run.__name__ == "_serve"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_understands_the_service(tmp_path: Path) -> None:
    """No key is unknown, no value is wrong; the program is one that exists here."""
    copy = tmp_path / UNIT.name
    text = UNIT.read_text("utf-8").replace("/opt/railbird/bin/railbird", sys.executable)
    copy.write_text(text, "utf-8")
    analyze = shutil.which("systemd-analyze") or ""
    said = subprocess.run(
        [analyze, "verify", "--man=no", copy], capture_output=True, encoding="utf-8", check=False
    )
    assert UNIT.name not in said.stderr
    assert said.returncode == 0, said.stderr


def test_the_sample_config_is_read() -> None:
    """It opens the hub to the room, and keeps its data where the service may write."""
    found = read(SAMPLE)
    assert (found.data, found.host) == ("/var/lib/railbird", "0.0.0.0")  # noqa: S104 - the room
    assert found.tls is None


def test_the_sample_config_shows_every_key() -> None:
    """Also those that are not set: each is there, and what is shown is right."""
    lines = SAMPLE.read_text("utf-8").splitlines()
    shown = [line.removeprefix("# ") for line in lines if "=" in line or "[" in line]
    raw = tomllib.loads("\n".join(shown))
    found = msgspec.convert(raw, Config)
    assert set(raw) == set(Config.__struct_fields__)
    assert set(raw["limits"]) == set(Limits.__struct_fields__)
    assert set(raw["tls"]) == set(Tls.__struct_fields__)
    assert found.limits == Limits()


def test_every_key_of_the_config_is_explained() -> None:
    """The table in the manual has each key, with its default."""
    manual = (ROOT / "docs" / "install.md").read_text("utf-8")
    for key, default in zip(Config.__struct_fields__, Config.__struct_defaults__, strict=True):
        rows = [line for line in manual.splitlines() if line.startswith(f"| `{key}` |")]
        assert len(rows) == 1, key
        if not isinstance(default, Limits | type(None)) and key != "hosts":
            assert f"| `{msgspec.json.encode(default).decode()}` |" in rows[0]
    for key in Limits.__struct_fields__:
        assert f"| `limits.{key}` | `{getattr(Limits(), key)}` |" in manual


@pytest.mark.parametrize("page", ["install.md", "tls.md", "raspberry-pi.md"])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    """No link of the pages for venue staff is dead."""
    folder = ROOT / "docs"
    text = (folder / page).read_text("utf-8")
    for part in text.split("](")[1:]:
        target = part.partition(")")[0].partition("#")[0]
        assert (folder / target).exists(), target


# ── the watchdog ─────────────────────────────────────────────────────────────────────────────────


class Manager:
    """Stands in for systemd: a datagram socket, and what it was told."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)

    def heard(self) -> list[str]:
        """Give what has come."""
        found = []
        while True:
            try:
                found.append(self.socket.recv(4_096).decode())
            except BlockingIOError:
                return found


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_is_told_everything(tmp_path: Path, abstract: bool) -> None:
    """Ready, alive, stopping: over a socket in a folder, or in Linux's abstract namespace."""
    name = f"railbird-{os.getpid()}" if abstract else str(tmp_path / "notify")
    manager = Manager(f"\0{name}" if abstract else name)
    address = f"@{name}" if abstract else name
    with manager.socket:
        environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "10000000"}
        dog = Watchdog.from_environment({**environment, "WATCHDOG_PID": str(os.getpid())})
        dog.ready("https://railbird.local:8080")
        assert manager.heard() == ["READY=1\nSTATUS=https://railbird.local:8080", "WATCHDOG=1"]
        dog.beat()
        assert manager.heard() == []
        dog.stopping()
        assert manager.heard() == ["STOPPING=1"]
        dog.beat()
        dog.stopping()
        assert manager.heard() == []


def test_beats_are_as_many_as_needed(tmp_path: Path) -> None:
    """Three in the time that systemd allows, however often the hub looks."""
    now = [0.0]
    manager = Manager(str(tmp_path / "notify"))
    with manager.socket:
        dog = Watchdog(str(tmp_path / "notify"), 10 / 3, lambda: now[0])
        for tick in range(100):
            now[0] = tick / 10
            dog.beat()
        assert manager.heard() == ["WATCHDOG=1"] * 3
        dog.stopping()


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"NOTIFY_SOCKET": ""},
        {"NOTIFY_SOCKET": "vsock:2:1234", "WATCHDOG_USEC": "1000"},
        {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "x"},
        {"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "-5"},
        {"NOTIFY_SOCKET": "/" + "x" * 300, "WATCHDOG_USEC": "1000"},
    ],
)
def test_without_systemd_nothing_happens(environment: dict[str, str]) -> None:
    """Nobody there, nonsense in the environment: the hub goes on."""
    dog = Watchdog.from_environment(environment)
    dog.ready()
    dog.beat()
    dog.stopping()


def test_a_hub_in_a_service_is_ready_alive_and_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real process says so: ready once it can be reached, then beats, then goodbye."""
    manager = Manager(str(tmp_path / "notify"))
    with manager.socket:
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "900000")
        hub = Process(tmp_path / "data")
        try:
            ready, first = manager.heard()[:2]
            assert ready.startswith("READY=1\nSTATUS=")
            assert hub.said[0].removeprefix("Railbird is ready: ") in ready
            assert first == "WATCHDOG=1"
            manager.socket.settimeout(PATIENCE)
            assert manager.socket.recv(100) == b"WATCHDOG=1"
        finally:
            assert hub.stop() == 0
        manager.socket.setblocking(False)
        assert manager.heard()[-1] == "STOPPING=1"


def test_a_watchdog_for_another_process_is_not_ours(tmp_path: Path) -> None:
    """Who inherits the environment does not beat for the hub."""
    manager = Manager(str(tmp_path / "notify"))
    with manager.socket:
        environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "1"}
        dog = Watchdog.from_environment({**environment, "WATCHDOG_PID": "1"})
        dog.beat()
        assert manager.heard() == []
        dog.stopping()


def test_a_manager_that_does_not_listen_stops_no_clock(tmp_path: Path) -> None:
    """A full queue loses a beat, and nobody waits."""
    manager = Manager(str(tmp_path / "notify"))
    with manager.socket:
        dog = Watchdog(str(tmp_path / "notify"), 0.0)
        for _ in range(2_000):
            dog.beat()
        assert 0 < len(manager.heard()) < 2_000
        dog.stopping()


def test_the_kiosk_brings_its_browser_back(tmp_path: Path) -> None:
    """However the browser ends it is started again, on the page that was asked for."""
    said, browser = tmp_path / "said", tmp_path / "browser"
    again = f'[ "$(wc -l < {said})" -lt 2 ] || kill $PPID'
    browser.write_text(f'#!/bin/sh\necho "$@" >> {said}\n{again}\nexit 3\n', "utf-8")
    browser.chmod(0o755)
    nap = tmp_path / "sleep"  # a kiosk waits a moment between two browsers; a test does not
    nap.write_text("#!/bin/sh\n", "utf-8")
    nap.chmod(0o755)
    kept = tmp_path / "share" / "railbird-wall" / "Default" / "Preferences"
    kept.parent.mkdir(parents=True)
    kept.write_text('{"profile":{"exit_type":"Crashed","exited_cleanly":false}}', "utf-8")
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "share"),
        "BROWSER": str(browser),
    }
    kiosk = ROOT / "deploy" / "kiosk.sh"
    done = subprocess.run(
        [kiosk, "http://hub/wall"], env=environment, timeout=PATIENCE, check=False
    )
    assert done.returncode != 0  # only a signal ends it
    lines = said.read_text("utf-8").splitlines()
    assert len(lines) == 2
    assert all("--kiosk" in line and line.endswith("http://hub/wall") for line in lines)
    assert '"exit_type":"Normal","exited_cleanly":true' in kept.read_text("utf-8")


def test_the_wall_is_a_service_of_its_user() -> None:
    """The unit starts the script that lies beside it, and starts it again always."""
    text = (ROOT / "deploy" / "railbird-wall.service").read_text("utf-8")
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    assert parser["Service"]["ExecStart"] == "%h/.local/bin/kiosk.sh ${WALL}"
    assert parser["Service"]["Restart"] == "always"
    assert os.access(ROOT / "deploy" / "kiosk.sh", os.X_OK)
