"""The contract as others read it: the schema is the code's, and the page's examples are true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from server import visitor
from server.access import ROLES, Badge
from server.credit import BOUND
from server.fanout import BEHIND_MS
from server.leases import KEPT_FOR
from server.limits import RATES
from server.protocol.messages import (
    VERSION,
    ToClient,
    ToHub,
    read_to_client,
    read_to_hub,
    schema,
)
from server.protocol.session import ANSWER_WITHIN, MOST_KNOWN
from server.protocol.sync import DRIFT, PROBES_KEPT, SLEW_PER_SECOND

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = DOCS / "protocol.schema.json"
PAGE = (DOCS / "protocol.md").read_text("utf-8")

REGENERATE = """docs/protocol.schema.json is not what the code says; write it again with
.venv/bin/python -c 'import json; from server.protocol.messages import schema; \
print(json.dumps(schema(), indent=1, sort_keys=True))' > docs/protocol.schema.json"""


def _examples() -> list[str]:
    """Give every JSON object in the page's blocks; one may go over several lines."""
    found, decoder = [], json.JSONDecoder()
    for block in re.findall(r"^```json\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        rest = block
        while rest := rest.lstrip():
            _, end = decoder.raw_decode(rest)
            found.append(rest[:end])
            rest = rest[end:]
    return found


EXAMPLES = _examples()
TAGS = {
    "hub": {kind.__struct_config__.tag for kind in get_args(ToHub)},
    "client": {kind.__struct_config__.tag for kind in get_args(ToClient)},
}


def test_the_schema_is_the_codes() -> None:
    """The schema in docs/ is the one that the messages give."""
    made = json.dumps(schema(), indent=1, sort_keys=True) + "\n"
    assert SCHEMA.read_text("utf-8") == made, REGENERATE


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_in_the_contract(example: str) -> None:
    """Every example message on the page can be read by whom it is for."""
    tag = json.loads(example)["type"]
    message = read_to_hub(example) if tag in TAGS["hub"] else read_to_client(example)
    assert message.__struct_config__.tag == tag
    assert json.loads(example).keys() <= {"type", *message.__struct_fields__}


def test_every_message_has_an_example() -> None:
    """No message of either direction is missing on the page."""
    assert {json.loads(example)["type"] for example in EXAMPLES} == TAGS["hub"] | TAGS["client"]


def test_hello_is_of_this_version() -> None:
    """Who copies the page's hello is understood."""
    hellos = [json.loads(example) for example in EXAMPLES if '"hello"' in example]
    assert {hello["version"] for hello in hellos} == {VERSION}


def test_every_role_is_on_the_page() -> None:
    """The page says what each role may do."""
    for role in ROLES:
        assert re.search(rf"^\| {role} \|", PAGE, re.MULTILINE), role


def _source(*modules: str) -> str:
    folder = Path(visitor.__file__).parent
    return "".join((folder / f"{name}.py").read_text("utf-8") for name in modules)


def test_every_problem_is_on_the_page() -> None:
    """The page lists exactly the problems that the hub tells a client."""
    source = _source("visitor", "reception")
    told = set(re.findall(r'(?:Problem|_turn_away)\("(\w+)"', source))
    table = PAGE.split("## Problems")[1].split("\n\n")[1]
    assert told == set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


def test_every_refusal_of_the_hubs_own_is_on_the_page() -> None:
    """The page names every code by which the hub itself refuses a command; the rules have more."""
    source = _source("visitor", "hub", "desk", "office", "reception", "screens")
    told = set(re.findall(r'(?:Refused\([\w.]+, |No\(|_refuse\(\w+, )"(\w+)"', source))
    assert told >= {"table_taken", "insecure", "slow_down", "storage", "unknown_device"}
    named = PAGE.split("A command is not answered with a problem")[1].split("\n\n")[0]
    assert told <= set(re.findall(r"`(\w+)`", named))


def test_every_topic_is_on_the_page() -> None:
    """The page's list of topics says truly who may follow each."""
    table = PAGE.split("## Topics")[1].split("\n\n")[1]
    rows = dict(re.findall(r"^\| `([^`]+)` \|.*\| ([\w, ]+) \|$", table, re.MULTILINE))
    assert {"events", "hub", "devices", "t/<id>", "t/<id>/floor", "t/<id>/lease/<n>"} < set(rows)
    for name, who in rows.items():
        topic = name.replace("<id>", "1").replace("<n>", "7")
        seen = {role for role in ROLES if Badge(role).may_see(topic)}
        assert seen == (set(ROLES) if who == "everybody" else set(who.split(", "))), name


def test_the_limits_are_on_the_page() -> None:
    """The page names the limits that the hub keeps, and the rest of what it counts by."""
    page = " ".join(PAGE.split())
    sizes = {role: f"{most >> 10} KiB" for role, most in visitor.MOST_BYTES.items()}
    assert sizes["floor"] == sizes["director"]
    for said in (
        f"{sizes['viewer']} for viewers, {sizes['dealer']} for dealers, {sizes['floor']} for floor",
        f"hello may have {visitor.HELLO_BYTES >> 10} KiB",
        f"not said hello after {visitor.HELLO_WITHIN // 1_000} s",
        f"may come back after {visitor.RETRY // 1_000} s",
        *(
            f"{visitor.GONE_AFTER * visitor.PING_EVERY[role] / 1_000:.0f} s for {who}"
            for role, who in (("dealer", "a dealer"), ("floor", "floor"), ("viewer", "a viewer"))
        ),
        f"does not read what it is sent for {BEHIND_MS // 1_000} s",
        f"**{BOUND} ms** before the message arrived",
        "every {:.0f} s a dealer's and every {:.0f} s all others".format(
            *(visitor.PING_EVERY[role] / 1_000 for role in ("dealer", "floor"))
        ),
        f"Of the last {PROBES_KEPT} probes",
        f"both round trips together plus {DRIFT} ms",
        f"at most {SLEW_PER_SECOND} ms in a second",
        f"open for more than {ANSWER_WITHIN} ms",
        f"revision of each topic, {MOST_KNOWN} at most",
        "In 10 s a viewer may send {}, a dealer {}, floor {} and director {}, half of them".format(
            *(RATES[role][0] for role in ROLES)
        ),
        f"for more than {visitor.TOO_MANY} messages is shown out",
        "A viewer or a dealer may follow {} topics, floor and director {}.".format(
            *(visitor.MOST_TOPICS[role] for role in ("viewer", "floor"))
        ),
        f"keeps its table for {KEPT_FOR // 1_000} s",
    ):
        assert said in page, said


def test_the_page_can_be_read_in_a_terminal() -> None:
    """No line is wider than 100 columns."""
    assert [line for line in PAGE.splitlines() if len(line) > 100] == []
