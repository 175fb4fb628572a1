"""Metrics: text that Prometheus can read, with everything that was promised, and no secret."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import aiohttp
import pytest

from server import api
from server.access import Badge
from server.metrics import SECONDS, Histogram, exposition
from tests.hub.test_trust_kit import guest
from tests.rig import Rig
from tests.served import Room, serving

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = re.compile(
    r'(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>[a-z_]+="[^"\\\n]*"(?:,[a-z_]+="[^"\\\n]*")*)\})?'
    r" (?P<value>-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)"
)
Samples = dict[str, dict[str, float]]


def _parsed(text: str) -> tuple[dict[str, str], Samples]:
    """Read the text form strictly: types, and samples by name and labels."""
    types: dict[str, str] = {}
    helped: set[str] = set()
    samples: Samples = defaultdict(dict)
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, words = line.removeprefix("# HELP ").split(" ", 1)
            assert words
            assert name not in helped
            helped.add(name)
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            assert kind in ("counter", "gauge", "histogram")
            assert name not in types
            types[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            labels = found["labels"] or ""
            assert labels not in samples[found["name"]], line
            samples[found["name"]][labels] = float(found["value"])
    assert helped == types.keys()
    for name in samples:
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        assert types.get(name) or types.get(base) == "histogram", name
    return types, samples


def _busy() -> str:
    """Give the metrics of a hub that has seen something."""
    with Rig() as rig:
        rig.create()
        rig.stall(400)
        director = guest(rig, Badge("director", "Dora"))
        director.follow("t/1", "hub", "devices", "t/1/table/7")
        dealer = guest(rig, Badge("dealer", 'Da"n\n', "1", 7))
        dealer.say("report", offset=1, uncertainty=2, skew=-37, build='x"} 1\n')
        viewers = [guest(rig) for _ in range(3)]
        viewers[0].say("report")
        viewers[1].say("report", skew=5)
        dealer.done("hand.start", on="1", table=7)
        dealer.do("hand.start", on="1", table=8)
        viewers[0].do("hand.start", on='"} 1\nx', table=8)
        rig.run(5_000)
        return exposition(rig.hub)


def test_the_text_can_be_read() -> None:
    """Every line is a sample, a type or a help text, each name with one of both."""
    types, samples = _parsed(_busy())
    assert all(name.startswith("railbird_") for name in types)
    assert types["railbird_refused_total"] == "counter"
    assert types["railbird_clients"] == "gauge"
    assert samples["railbird_storage_ok"] == {"": 1}
    assert samples["railbird_events"] == {"": 1}


@pytest.mark.parametrize(
    "name", ["railbird_loop_lag_seconds", "railbird_commit_seconds", "railbird_fanout_seconds"]
)
def test_a_histogram_is_one(name: str) -> None:
    """Buckets grow with their bounds up to the count, the sum is of what was seen."""
    types, samples = _parsed(_busy())
    assert types[name] == "histogram"
    bounds = [label.removeprefix('le="').rstrip('"') for label in samples[f"{name}_bucket"]]
    assert bounds[-1] == "+Inf"
    assert [float(bound) for bound in bounds] == sorted(float(bound) for bound in bounds)
    counts = list(samples[f"{name}_bucket"].values())
    assert counts == sorted(counts)
    assert counts[-1] == samples[f"{name}_count"][""] > 0
    assert samples[f"{name}_sum"][""] >= 0


def test_a_bucket_holds_what_is_not_above_its_bound() -> None:
    """What took exactly as long as a bound says is within it."""
    seen = Histogram()
    for seconds in (0.0, *SECONDS, 99.0):
        seen.see(seconds)
    _, samples = _parsed("\n".join(seen.lines("x", "X.")) + "\n")
    assert list(samples["x_bucket"].values()) == [*range(2, len(SECONDS) + 2), len(SECONDS) + 2]
    assert samples["x_sum"][""] == pytest.approx(sum(SECONDS) + 99)


def test_a_stall_is_seen() -> None:
    """A hub that was held up for 400 ms says so."""
    _, samples = _parsed(_busy())
    buckets = samples["railbird_loop_lag_seconds_bucket"]
    assert buckets['le="+Inf"'] - buckets['le="0.25"'] == 1


def test_clients_refusals_and_skew_are_counted() -> None:
    """Who is there by role, what was refused by code, and the worst screen of all."""
    _, samples = _parsed(_busy())
    roles = {'role="dealer"': 1, 'role="director"': 1, 'role="viewer"': 3}
    assert samples["railbird_clients"] == roles
    codes = {'code="forbidden"': 1, 'code="unknown_event"': 1}
    assert samples["railbird_refused_total"] == codes
    assert samples["railbird_client_skew_ms"] == {"": 37}


def test_trouble_is_seen() -> None:
    """A hub that cannot store anything says so in its metrics."""
    with Rig() as rig:
        rig.journal.broken = True
        guest(rig).do("hand.start", on="1", table=7)
        rig.run(6_000)
        assert _parsed(exposition(rig.hub))[1]["railbird_storage_ok"] == {"": 0}
        rig.journal.broken = False
        rig.run(2_000)
        assert _parsed(exposition(rig.hub))[1]["railbird_storage_ok"] == {"": 1}


def test_a_stranger_cannot_spoil_the_figures() -> None:
    """The skew of a screen is that of devices that were let in, not what a phone makes up."""
    with Rig() as rig:
        guest(rig).say("report", skew=1 << 53)
        assert _parsed(exposition(rig.hub))[1]["railbird_client_skew_ms"] == {"": 0}


async def _status(room: Room, token: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"http://127.0.0.1:{room.port}/metrics"
    async with aiohttp.request("GET", url, headers=headers) as response:
        return response.status, await response.text()


async def test_who_may_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's machine may, and elsewhere who has a token that is more than a viewer's."""
    async with serving(tmp_path / "data") as room:
        status, text = await _status(room)
        assert status == 200
        _parsed(text)
        assert (await _status(room, "wrong"))[0] == 401
        monkeypatch.setattr(api, "is_loopback", lambda _: False)
        assert (await _status(room))[0] == 403
        assert (await _status(room, room.token(Badge("viewer", "Wall"))))[0] == 403
        for role in ("dealer", "floor", "director"):
            assert (await _status(room, room.token(Badge(role, "Ann", "1", 7))))[0] == 200
