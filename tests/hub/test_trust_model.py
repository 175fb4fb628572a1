"""The threat model: every test that it names exists, and every promise is there with a proof."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MODEL = (TESTS.parent / "docs" / "threat-model.md").read_text("utf-8")
NAMED = sorted(
    set(re.findall(r"`([a-z0-9_/]*test_[a-z0-9_]+\.py)(?:::(test_[a-z0-9_]+))?`", MODEL))
)


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda part: part)
def test_named_tests_exist(path: str, name: str) -> None:
    """A proof that was renamed or taken away is missed here."""
    source = (TESTS / path).read_text("utf-8")
    assert not name or re.search(rf"^(?:async )?def {name}\(", source, re.MULTILINE)


def test_every_attack_has_a_proof() -> None:
    """Every row of the tables of attacks and promises names at least one test."""
    sections = MODEL.split("\n## ")
    rows = [
        row
        for section in sections
        if "shown by" in section
        for row in section.splitlines()
        if row.startswith("| ") and "shown by |" not in row
    ]
    assert len(rows) > 40
    assert [row for row in rows if ".py" not in row.rpartition(" | ")[2]] == []
    assert len(NAMED) > 70
