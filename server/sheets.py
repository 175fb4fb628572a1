"""Sheets: a structure as a file that people keep, edit and pass on, in TOML or CSV.

Both can be read back and give the same structure. The TOML is what a preset has in its `structure`;
the CSV opens in any spreadsheet, one row a step. Reading is strict: a file with a wrong number is
refused, with the row and the reason, because a wrong blind is worse than none.
"""

import csv
import io
from collections.abc import Mapping
from typing import Any

from server import bounded_toml
from server.engine import BadInput
from server.engine.reading import build
from server.engine.structure import MOST_STEPS, Break, Continuation, Step, Structure

FORMATS = ("toml", "csv")
COLUMNS = ("phase", "small", "big", "ante", "minutes", "hands", "colour_up")
MOST_BYTES = bounded_toml.MOST_BYTES
MOST_LINES = bounded_toml.MOST_LINES
MOST_CELL = 200
"""Characters: ten colours that go, each as large as an amount may be, have fewer."""

MOST_DIGITS = 13


def plain_step(step: Step) -> dict[str, Any]:
    """Write a step as `structure.set` and a preset take it, without what has its default."""
    if isinstance(step, Break):
        colour_up = {"colour_up": list(step.colour_up)} if step.colour_up else {}
        minutes = {} if step.minutes is None else {"minutes": step.minutes}
        return {"phase": "break", **minutes, **colour_up}
    found: dict[str, Any] = {"small": step.small, "big": step.big}
    if step.ante:
        found["ante"] = step.ante
    key = "hands" if step.hands is not None else "minutes"
    return {**found, key: getattr(step, key)}


def plain(structure: Structure) -> dict[str, Any]:
    """Write a whole structure as a preset takes it."""
    found: dict[str, Any] = {"steps": [plain_step(step) for step in structure.steps]}
    more = structure.continuation
    if more is not None:
        adds = {"small": more.small, "big": more.big, "minutes": more.minutes}
        found["continuation"] = {**adds, "ante": more.ante} if more.ante else adds
    return found


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def write(structure: Structure, kind: str) -> str:
    """Write a structure as TOML or CSV."""
    return _toml(structure) if kind == "toml" else _csv(structure)


def _toml(structure: Structure) -> str:
    lines = ["steps = ["]
    lines += [f"  {{ {_inline(plain_step(step))} }}," for step in structure.steps]
    lines.append("]")
    more = plain(structure).get("continuation")
    if more is not None:
        lines += ["", "[continuation]", *(f"{key} = {_value(more[key])}" for key in more)]
    return "\n".join(lines) + "\n"


def _inline(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {_value(value)}" for key, value in row.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return f"{value:_}"


def _csv(structure: Structure) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for step in structure.steps:
        row = {"phase": "level", **plain_step(step)}
        row["colour_up"] = " ".join(map(str, row.get("colour_up", ())))
        rows.writerow([row.get(column, "") for column in COLUMNS])
    more = structure.continuation
    if more is not None:
        adds = {"phase": "and so on", "small": more.small, "big": more.big, "ante": more.ante}
        rows.writerow([{**adds, "minutes": more.minutes}.get(column, "") for column in COLUMNS])
    return out.getvalue()


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def read(text: str, kind: str) -> Structure:
    """Read a structure from TOML or CSV; BadInput says where it is wrong, and why."""
    if len(text) > MOST_BYTES:
        raise BadInput("", f"must be at most {MOST_BYTES} characters long")
    return _from_toml(text) if kind == "toml" else _from_csv(text)


def _from_toml(text: str) -> Structure:
    try:
        raw = bounded_toml.loads(text)
    except bounded_toml.BadToml as error:
        raise BadInput("", f"not TOML: {error}") from None
    inner = raw.get("structure")
    return build(Structure, inner if isinstance(inner, Mapping) else raw)  # a whole preset will do


def _from_csv(text: str) -> Structure:
    if "\x00" in text:
        raise BadInput("", "not CSV: it has characters that no text has")
    text = text.removeprefix("\ufeff")
    rows = _rows(text)
    if not rows:
        raise BadInput("", "is empty")
    header = [cell.strip().casefold() for cell in rows[0]]
    for number, name in enumerate(header, start=1):
        if name not in COLUMNS or header.count(name) > 1:
            known = ", ".join(COLUMNS)
            raise BadInput(f"column {number}", f"unknown, or there twice; the columns are: {known}")
    return _structure([_cells(header, row, n) for n, row in enumerate(rows[1:], start=2)])


def _rows(text: str) -> list[list[str]]:
    """Read the rows that say something; who sends more than a structure has is stopped early."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), _dialect(text), strict=True)
    try:
        for row in reader:
            if reader.line_num > MOST_LINES:
                raise BadInput("", f"must have at most {MOST_LINES} lines")
            if any(cell.strip() for cell in row):
                rows.append(row)
            if len(rows) > MOST_STEPS + 2:
                raise BadInput("", f"must have at most {MOST_STEPS} steps")
    except csv.Error as error:
        raise BadInput("", f"not CSV: {error}") from None
    return rows


def _dialect(text: str) -> type[csv.Dialect]:
    """Read commas, and what spreadsheets of other countries write instead."""
    first = text.partition("\n")[0]

    class Dialect(csv.excel):
        delimiter = max(",;\t", key=first.count)

    return Dialect


def _cells(header: list[str], row: list[str], number: int) -> tuple[str, dict[str, str]]:
    where = f"row {number}"
    if len(row) > len(header):
        raise BadInput(where, f"has {len(row)} cells, the first row has {len(header)}")
    cells = {name: cell.strip() for name, cell in zip(header, row, strict=False)}
    for name, cell in cells.items():
        if len(cell) > MOST_CELL:
            raise BadInput(f"{where}.{name}", f"must be at most {MOST_CELL} characters long")
    return where, {name: cell for name, cell in cells.items() if cell}


def _structure(rows: list[tuple[str, dict[str, str]]]) -> Structure:
    steps: list[dict[str, Any]] = []
    more: Continuation | None = None
    places: list[str] = []
    for where, cells in rows:
        phase = cells.pop("phase", "level").casefold()
        raw: dict[str, Any] = {
            key: _colours(cell, where) if key == "colour_up" else _number(cell, f"{where}.{key}")
            for key, cell in cells.items()
        }
        if more is not None:
            raise BadInput(where, "comes after the row that says how it goes on")
        if phase == "and so on":
            more = build(Continuation, raw, where)
        elif phase in ("level", "break"):
            steps.append({"phase": phase, **raw})
            places.append(where)
        else:
            raise BadInput(f"{where}.phase", "must be level, break or and so on")
    try:
        return build(Structure, {"steps": steps, "continuation": more and plain_more(more)})
    except BadInput as bad:
        raise BadInput(_row_of(bad.where, places), bad.reason) from None


def plain_more(more: Continuation) -> dict[str, int]:
    """Write a continuation as a preset takes it."""
    return {"small": more.small, "big": more.big, "ante": more.ante, "minutes": more.minutes}


def _row_of(where: str, places: list[str]) -> str:
    """Say `row 4.small` where the reader of structures says `steps[2].small`."""
    if not where.startswith("steps["):
        return where
    number, _, rest = where.removeprefix("steps[").partition("]")
    return places[int(number)] + rest


def _number(cell: str, where: str) -> int:
    """Read a whole number, with or without separators between thousands."""
    digits = cell.replace(",", "").replace("_", "").replace(" ", "").replace("\u00a0", "")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > MOST_DIGITS:
        raise BadInput(where, f"must be a whole number, not {cell[:20]!r}")
    return int(digits)


def _colours(cell: str, where: str) -> list[int]:
    return [_number(part, f"{where}.colour_up") for part in cell.split()]
