"""Messages: what is said comes across exactly, and what is not in the contract is refused."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.protocol.messages import (
    VERSION,
    Admitted,
    Bye,
    Code,
    Do,
    Document,
    Done,
    Hello,
    Pair,
    Probe,
    Probed,
    Problem,
    Refused,
    Report,
    Subscribe,
    ToClient,
    ToHub,
    Unsubscribe,
    Welcome,
    encode,
    read_to_client,
    read_to_hub,
    schema,
)

SAFE = st.integers(-(1 << 53), 1 << 53)
INSTANTS = st.integers(0, 1 << 53)
TOPICS = st.text(min_size=1, max_size=80)
JSON = st.recursive(
    st.none() | st.booleans() | SAFE | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
TO_HUB: st.SearchStrategy[ToHub] = st.one_of(
    st.builds(
        Hello,
        version=st.integers(0, 99),
        token=st.none() | st.text(max_size=128),
        device=st.text(max_size=64),
        kind=st.text(max_size=200),
        hub=st.text(max_size=64),
        have=st.dictionaries(TOPICS, INSTANTS, max_size=3),
    ),
    st.builds(Subscribe, topics=st.lists(TOPICS, max_size=3)),
    st.builds(Unsubscribe, topics=st.lists(TOPICS, max_size=3)),
    st.builds(
        Do,
        id=st.text(min_size=1, max_size=64),
        event=st.text(max_size=64),
        do=st.text(max_size=64),
        args=st.dictionaries(st.text(max_size=5), JSON, max_size=3),
        at=st.none() | INSTANTS,
        seen=st.just(msgspec.UNSET) | st.none() | INSTANTS,
    ),
    st.builds(Probe, sent=SAFE),
    st.builds(Pair),
    st.builds(
        Report,
        offset=st.none() | SAFE,
        uncertainty=st.none() | INSTANTS,
        skew=st.none() | SAFE,
        build=st.text(max_size=64),
        scene=st.text(max_size=64),
        age=st.none() | INSTANTS,
        sound=st.text(max_size=16),
    ),
)
TO_CLIENT: list[ToClient] = [
    Welcome(VERSION, "h", "1.0", "dealer", "Ann", "1", 7, 5),
    Welcome(VERSION, "h", "1.0", "viewer", "", None, None, 5),
    Code("BCDFGH", "secret", 180_000),
    Admitted("token"),
    Document("t/1", 3, msgspec.Raw(b'{"clock":{"small":100}}')),
    Document("t/1", 4, msgspec.Raw(b"null")),
    Done("c1", 17),
    Done("c1", 17, again=True),
    Refused("c1", "no_chips", "There are no chips."),
    Probed(1, 2, 3),
    Problem("bad_value", "what?"),
    Bye("too slow", 250),
    Bye("revoked", None),
]
HELLO: dict[str, Any] = {"type": "hello", "version": 1}
SUBSCRIBE: dict[str, Any] = {"type": "subscribe", "topics": ["t/1"]}
UNSUBSCRIBE: dict[str, Any] = {"type": "unsubscribe", "topics": ["t/1"]}
DO: dict[str, Any] = {"type": "do", "id": "c1", "event": "1", "do": "undo"}
PROBE: dict[str, Any] = {"type": "probe", "sent": 1}
PAIR: dict[str, Any] = {"type": "pair"}
REPORT: dict[str, Any] = {"type": "report"}
ALL = [HELLO, SUBSCRIBE, UNSUBSCRIBE, DO, PROBE, PAIR, REPORT]
BIG = 1 << 53


def refused(frame: str | bytes) -> str:
    """Expect a refusal, as the reader promises it, and give its words."""
    with pytest.raises(msgspec.DecodeError) as caught:
        read_to_hub(frame)
    return str(caught.value)


@given(TO_HUB)
def test_what_a_client_says_comes_across(message: ToHub) -> None:
    """Every message to the hub is read as it was meant, from bytes and from text."""
    frame = encode(message)
    assert read_to_hub(frame) == message
    assert read_to_hub(frame.decode()) == message


@pytest.mark.parametrize("message", TO_CLIENT)
def test_what_the_hub_says_comes_across(message: ToClient) -> None:
    """Every message to a client is read as it was meant, and is plain JSON with its type."""
    frame = encode(message)
    assert read_to_client(frame) == message
    assert json.loads(frame)["type"] == type(message).__struct_config__.tag


def test_the_samples_are_complete() -> None:
    """Every message that the hub sends is among the samples, and every one it reads too."""
    assert {type(message) for message in TO_CLIENT} == set(get_args(ToClient))
    assert {type(read_to_hub(json.dumps(raw))) for raw in ALL} == set(get_args(ToHub))


@pytest.mark.parametrize("raw", ALL)
def test_an_unknown_field_is_refused(raw: dict[str, Any]) -> None:
    """The hub does not guess what a field means that it does not know."""
    assert "extra" in refused(json.dumps({**raw, "extra": 1}))


@pytest.mark.parametrize(
    ("raw", "name"), [(raw, name) for raw in ALL for name in raw], ids=lambda x: str(x)[:30]
)
def test_a_missing_field_is_refused(raw: dict[str, Any], name: str) -> None:
    """A message without something that it needs is refused, and the field is named."""
    assert name in refused(json.dumps({key: raw[key] for key in raw if key != name}))


@pytest.mark.parametrize(
    ("raw", "change"),
    [
        (HELLO, {"version": "1"}),
        (HELLO, {"version": True}),
        (HELLO, {"version": 1.5}),
        (HELLO, {"version": None}),
        (HELLO, {"token": 5}),
        (HELLO, {"device": None}),
        (HELLO, {"have": []}),
        (HELLO, {"have": {"t/1": "3"}}),
        (HELLO, {"have": {"t/1": 1.5}}),
        (HELLO, {"have": {"": 1}}),
        (SUBSCRIBE, {"topics": "t/1"}),
        (SUBSCRIBE, {"topics": [1]}),
        (SUBSCRIBE, {"topics": [None]}),
        (SUBSCRIBE, {"topics": [""]}),
        (UNSUBSCRIBE, {"topics": {"t/1": 1}}),
        (DO, {"id": 5}),
        (DO, {"id": ""}),
        (DO, {"event": 1}),
        (DO, {"do": None}),
        (DO, {"args": []}),
        (DO, {"args": None}),
        (DO, {"at": -1}),
        (DO, {"at": 1.0}),
        (DO, {"at": "5"}),
        (DO, {"at": True}),
        (PROBE, {"sent": 1.0}),
        (PROBE, {"sent": "1"}),
        (PROBE, {"sent": True}),
        (PROBE, {"sent": None}),
        (PROBE, {"type": "welcome"}),
        (PROBE, {"type": "Probe"}),
        (PROBE, {"type": 5}),
    ],
    ids=str,
)
def test_a_wrong_type_is_refused(raw: dict[str, Any], change: dict[str, Any]) -> None:
    """Nothing is bent into the right type, and the place is named."""
    (name,) = change
    assert name in refused(json.dumps({**raw, **change}))


@pytest.mark.parametrize(
    ("raw", "change"),
    [
        (HELLO, {"token": "x" * 129}),
        (HELLO, {"device": "x" * 201}),
        (HELLO, {"have": {"x" * 81: 1}}),
        (HELLO, {"have": {str(n): 1 for n in range(65)}}),
        (SUBSCRIBE, {"topics": ["x" * 81]}),
        (SUBSCRIBE, {"topics": ["t/1"] * 65}),
        (UNSUBSCRIBE, {"topics": ["t/1"] * 65}),
        (DO, {"id": "x" * 65}),
        (DO, {"event": "x" * 65}),
        (DO, {"do": "x" * 65}),
        (DO, {"at": BIG + 1}),
    ],
    ids=lambda x: str(x)[:30],
)
def test_too_much_is_refused(raw: dict[str, Any], change: dict[str, Any]) -> None:
    """Everything has its bound, and one beyond it is refused."""
    refused(json.dumps({**raw, **change}))


@pytest.mark.parametrize(
    ("raw", "change"),
    [
        (PROBE, {"sent": BIG * 1000}),
        (PROBE, {"sent": int("9" * 1_000)}),
        (HELLO, {"version": int("9" * 1_000)}),
        (HELLO, {"have": {"t/1": int("9" * 1_000)}}),
    ],
    ids=lambda x: str(x)[:30],
)
def test_a_number_beyond_what_a_browser_counts_is_refused(
    raw: dict[str, Any], change: dict[str, Any]
) -> None:
    """A number that a browser cannot hold exactly is nobody's clock, version or revision."""
    refused(json.dumps({**raw, **change}))


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000, "01", "+1", ".5", "0x1"]
)
def test_what_is_no_number_is_refused(number: str) -> None:
    """NaN and its kin are refused, also inside arguments."""
    refused(f'{{"type":"probe","sent":{number}}}')
    refused(f'{{"type":"do","id":"a","event":"1","do":"undo","args":{{"x":{number}}}}}')


@pytest.mark.parametrize(
    "frame",
    [
        "",
        " ",
        "null",
        "[]",
        "{}",
        "5",
        '"probe"',
        '{"type":"nope"}',
        '{"type":null}',
        '{"type":"probe","sent":1',
        '{"type":"probe","sent":1}x',
        '{"type":"probe","sent":1}{"type":"probe","sent":1}',
        '{"type":"probe","sent":1,}',
        "{'type':'probe','sent':1}",
        '\ufeff{"type":"probe","sent":1}',
        '{"type":"do","id":"\\ud800","event":"1","do":"undo"}',
        '{"type":"do","id":"a\x00","event":"1","do":"undo"}',
    ],
)
def test_what_is_no_message_is_refused(frame: str) -> None:
    """Broken JSON, lone surrogates and other shapes are refused."""
    refused(frame)


def test_deep_nesting_is_refused() -> None:
    """A message nested too deeply is refused in the promised way, within a dealer's 4 KiB."""
    deep = "[" * 1_900 + "]" * 1_900
    refused(f'{{"type":"do","id":"a","event":"1","do":"undo","args":{{"x":{deep}}}}}')


def test_bytes_that_are_no_text_are_refused() -> None:
    """Bytes that are not UTF-8 are refused in the promised way."""
    refused(b'{"type":"do","id":"\xff","event":"1","do":"undo"}')


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_noise_is_refused(frame: bytes | str) -> None:
    """Whatever comes in, it is read or refused."""
    try:
        read_to_hub(frame)
    except msgspec.DecodeError:
        return
    raise AssertionError(frame)


def test_a_client_takes_fields_of_a_newer_hub() -> None:
    """A client reads a hub that says more than it knows, so that screens survive an update."""
    assert read_to_client('{"type":"bye","reason":"x","retry_ms":1,"new":2}') == Bye("x", 1)


def test_defaults_are_not_shared() -> None:
    """What one message holds does not appear in the next."""
    one = read_to_hub('{"type":"do","id":"a","event":"1","do":"undo"}')
    assert isinstance(one, Do)
    one.args["x"] = 1
    other = read_to_hub('{"type":"do","id":"b","event":"1","do":"undo"}')
    assert isinstance(other, Do)
    assert other.args == {}


def test_the_schema_names_all_messages() -> None:
    """The schema has every message under its name and its tag, each in its direction, as JSON."""
    described = json.loads(json.dumps(schema()))
    assert described["version"] == VERSION
    assert set(described["$defs"]) == {cls.__name__ for cls in get_args(ToHub) + get_args(ToClient)}
    for direction, union in (("to_hub", ToHub), ("to_client", ToClient)):
        tags = {cls.__struct_config__.tag: f"#/$defs/{cls.__name__}" for cls in get_args(union)}
        assert described[direction]["discriminator"]["mapping"] == tags
        assert {one["$ref"] for one in described[direction]["anyOf"]} == set(tags.values())


def test_the_schema_is_as_strict_as_the_reader() -> None:
    """Messages to the hub allow no further properties, and name what they need."""
    found = schema()["$defs"]
    for raw, cls in zip(ALL, get_args(ToHub), strict=True):
        assert found[cls.__name__]["additionalProperties"] is False
        assert set(found[cls.__name__]["required"]) == set(raw)
