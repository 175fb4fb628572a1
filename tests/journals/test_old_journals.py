"""Journals of earlier versions load and replay: what they told is what is shown.

`<version>.db.gz` is the journal of a room of robots as that version wrote it, and `<version>.json`
the documents that the same version showed at its end. Hands of 0.1.0 know no betting round.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from server import registry
from server.engine import event_document, parse, table_document
from server.engine.machine import decide
from server.engine.refusals import Refused
from server.loading import load
from server.registry import HUB, Registry
from server.sqlite_journal import SqliteJournal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.engine import State

HERE = Path(__file__).parent
VERSIONS = sorted(path.name.removesuffix(".db.gz") for path in HERE.glob("*.db.gz"))


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """Give a version whose journal is kept."""
    return str(request.param)


@pytest.fixture
def states(version: str, tmp_path: Path) -> Iterator[dict[str, State]]:
    """Load all events of a kept journal with today's code."""
    path = tmp_path / "railbird.db"
    path.write_bytes(gzip.decompress((HERE / f"{version}.db.gz").read_bytes()))
    journal = SqliteJournal(path)
    known = Registry()
    for stored in journal.read(HUB):
        known = registry.evolve(known, msgspec.json.decode(stored.line.body))
    yield {id_: load(journal, made).state for id_, made in known.events.items()}
    journal.close()


def _kept(old: Any, new: Any) -> Any:
    """Give of a document what an older version's has, too."""
    if isinstance(old, dict):
        return {key: _kept(value, new[key]) for key, value in old.items()}
    return new


def test_a_journal_of_an_earlier_version_tells_the_same_night(
    version: str, states: dict[str, State]
) -> None:
    """Every key that the old documents had says what it said."""
    told = json.loads((HERE / f"{version}.json").read_text("utf-8"))
    now = told["now"]
    assert states.keys() == told["events"].keys()
    for id_, old in told["events"].items():
        new = json.loads(json.dumps(event_document(states[id_], now)))
        assert _kept(old["event"], new) == old["event"]
        for number, table in old["tables"].items():
            shown = json.loads(json.dumps(table_document(states[id_], int(number), now)))
            assert _kept(table, shown) == table


def test_a_hand_of_an_earlier_version_knows_no_round_and_is_played_on(
    version: str, states: dict[str, State]
) -> None:
    """Nothing is refused for want of knowledge."""
    told = json.loads((HERE / f"{version}.json").read_text("utf-8"))
    played = 0
    for id_, old in told["events"].items():
        for number, table in old["tables"].items():
            if not table["hand"]["in_progress"]:
                continue
            state = states[id_]
            doc = table_document(state, int(number), told["now"])
            assert doc is not None
            assert (doc["hand"]["next"], doc["hand"]["to_act"]) == (None, [])
            river = table["hand"]["street"] == "river"
            for do in ("action.next", "action.fold", "hand.end" if river else "street.next"):
                outcome = decide(state, parse(do, {"table": int(number)}), told["now"])
                assert not isinstance(outcome, Refused), outcome
            played += 1
    assert played
