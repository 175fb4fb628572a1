"""The embedded journal: what is acknowledged is on the disk, in order, whole, and stays there."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from server.journal import GENESIS, Line, StorageError, Stored, verify
from server.sqlite_journal import SqliteJournal

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
WAIT = 5
"""Seconds after which a promise counts as never kept."""


def line(number: int, event: str = "1", body: bytes = b'{"fact":"x"}') -> Line:
    """Make a line like those of a night."""
    return Line(event, number, None, number + 3, "Ann", "tablet 7", f"c{number}", body)


BROKEN = Line("1", 1, None, 1, None, "tablet 7", "c", b"{}")  # type: ignore[arg-type]
"""A line that the store refuses: nobody did it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a place for a journal."""
    return tmp_path / "railbird.db"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    """Open a journal, and close it after the test."""
    opened = SqliteJournal(path)
    yield opened
    opened.close()


@contextmanager
def held(journal: SqliteJournal) -> Iterator[sqlite3.Connection]:
    """Keep the writer from committing, as a slow disk does, and lend its connection."""
    with journal._lock:  # noqa: SLF001 - the one way to be between two commits
        yield journal._db  # noqa: SLF001 - settings are those of the connection


def fails(journal: SqliteJournal, *lines: Line) -> str:
    """Expect that lines are not stored, and give the words."""
    with pytest.raises(StorageError) as caught:
        journal.append(list(lines)).result(WAIT)
    return str(caught.value)


def run(code: str, path: Path) -> subprocess.Popen[str]:
    """Run a program on a journal in a process of its own."""
    command = [sys.executable, "-c", code, str(path)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def reopened(path: Path) -> tuple[list[Stored], tuple[int, bytes]]:
    """Read a closed journal as the next run of the hub does."""
    again = SqliteJournal(path)
    try:
        return list(again.read()), again.head()
    finally:
        again.close()


def test_lines_are_numbered_and_read_back_in_order(journal: SqliteJournal) -> None:
    """Every line comes back as it was, hostile text too, in the order in which it was given."""
    wild = "'; DROP TABLE journal; --\x00[/]\u202e🂡"
    lines = [line(n, event=wild, body=bytes(range(256)) * n) for n in range(1, 8)]
    assert journal.append(lines[:1]).result(WAIT) == 1
    assert journal.append(lines[1:4]).result(WAIT) == 4
    futures = [journal.append([one]) for one in lines[4:]]
    assert [future.result(WAIT) for future in futures] == [5, 6, 7]
    stored = list(journal.read())
    assert [(found.seq, found.line) for found in stored] == list(enumerate(lines, 1))
    assert journal.head() == (7, stored[-1].hash)
    assert verify(stored, journal.head()) is None


def test_an_event_is_read_from_any_place(journal: SqliteJournal) -> None:
    """One tournament is read without the others, and only what came later, over many pages."""
    journal.append([line(n, event=str(n % 2)) for n in range(1, 12_002)]).result(WAIT)
    assert [found.seq for found in journal.read("1", after=11_990)] == [
        11991,
        *range(11993, 12002, 2),
    ]
    assert sum(1 for _ in journal.read("0")) == 6_000
    assert verify(journal.read(), journal.head()) is None


def test_what_is_acknowledged_is_in_the_file(path: Path) -> None:
    """A closed journal, opened again, has the same lines and head, and goes on from there."""
    journal = SqliteJournal(path)
    journal.append([line(1), line(2)]).result(WAIT)
    lines, head = list(journal.read()), journal.head()
    journal.close()
    assert reopened(path) == (lines, head)
    again = SqliteJournal(path)
    assert again.append([line(3)]).result(WAIT) == 3
    assert verify(again.read(), head) is None
    futures = [again.append([line(n)]) for n in range(4, 101)]
    again.close()  # finishes what was asked for
    assert [future.result(0) for future in futures] == list(range(4, 101))
    assert len(reopened(path)[0]) == 100


def test_a_storm_shares_few_commits(journal: SqliteJournal) -> None:
    """What queued up behind one commit is committed in the next; a single tap is one, at once."""
    told: list[str] = []
    with held(journal) as db:
        db.set_trace_callback(told.append)
        futures = [journal.append([line(n)]) for n in range(1, 501)]
        assert not any(future.done() for future in futures)
    assert [future.result(WAIT) for future in futures] == list(range(1, 501))
    assert 1 <= told.count("COMMIT") <= 2
    told.clear()
    for number in (501, 502, 503):
        assert journal.append([line(number)]).result(WAIT) == number
    assert told.count("COMMIT") == 3


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal SET actor = 'Eve' WHERE seq = 1",
        "DELETE FROM journal WHERE seq = 2",
        "DELETE FROM journal",
        "INSERT INTO journal SELECT * FROM journal WHERE seq = 1",
        "REPLACE INTO journal VALUES (1, '1', 9, 9, 9, 'Eve', '', '', x'00', x'00')",
    ],
)
def test_the_journal_is_append_only(path: Path, statement: str) -> None:
    """No line is changed, replaced or taken away by a statement, from the hub or another tool."""
    journal = SqliteJournal(path)
    journal.append([line(1), line(2)]).result(WAIT)
    with held(journal) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute(statement)
    journal.close()
    other = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError):
        other.execute(statement)
    other.close()


def test_a_second_hub_is_kept_out(journal: SqliteJournal, path: Path) -> None:
    """Who opens the same file is told so, from this process or another; the first goes on."""
    code = (
        "import sys; from pathlib import Path; from server.sqlite_journal import SqliteJournal\n"
        "try: SqliteJournal(Path(sys.argv[1]))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    other = run(code, path)
    with pytest.raises(StorageError, match="another hub is using this data"):
        SqliteJournal(path)
    assert (
        other.communicate(timeout=30)[0] == f"StorageError {path}: another hub is using this data\n"
    )
    assert journal.append([line(1)]).result(WAIT) == 1


def test_the_settings_are_in_force(journal: SqliteJournal) -> None:
    """The settings that the measurements ask for are those of the one connection."""
    journal.append([line(1)]).result(WAIT)
    asked = {"locking_mode": "exclusive", "journal_mode": "wal", "synchronous": 2}
    asked |= {"foreign_keys": 1, "trusted_schema": 0, "cell_size_check": 1, "mmap_size": 0}
    with held(journal) as db:
        found = {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in asked}
        strict = db.execute("SELECT strict FROM pragma_table_list WHERE schema='main'").fetchall()
    assert found == asked
    assert strict.count((1,)) == 2


def test_a_failure_fails_all_behind_it_until_reset(path: Path) -> None:
    """What was decided on a state that never came to be is not stored; after reset all is well."""
    journal = SqliteJournal(path)
    journal.append([line(1)]).result(WAIT)
    head = journal.head()
    with held(journal):
        queued = [journal.append(lines) for lines in ([line(2)], [line(3), BROKEN], [line(4)])]
        queued.append(journal.put("k", 1))
    assert all(isinstance(future.exception(WAIT), StorageError) for future in queued)
    assert fails(journal, line(5)) == "an earlier write failed"
    with pytest.raises(StorageError):
        journal.put("k", 2).result(WAIT)
    assert (journal.head(), journal.get("k")) == (head, None)
    journal.reset()
    assert journal.append([line(6)]).result(WAIT) == 2
    lines = list(journal.read())
    journal.close()
    assert [found.line.at for found in lines] == [1, 6]
    assert verify(reopened(path)[0], head) is None


def test_what_was_queued_before_a_reset_stays_failed(journal: SqliteJournal) -> None:
    """A reset lets new lines in, not those that were on their way when the store failed."""
    with held(journal):
        first = journal.append([BROKEN])
    assert isinstance(first.exception(WAIT), StorageError)
    with held(journal):
        late = journal.append([line(1)])
        journal.reset()
        good = journal.append([line(2)])
    assert isinstance(late.exception(WAIT), StorageError)
    assert good.result(WAIT) == 1
    assert [found.line.at for found in journal.read()] == [2]


def test_a_full_disk_stores_nothing_and_recovers(journal: SqliteJournal) -> None:
    """Without space there is no acknowledgement; when space returns the hub writes again."""
    journal.append([line(1)]).result(WAIT)
    with held(journal) as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count={pages}")
    assert "full" in fails(journal, line(2), line(3, body=b"x" * 100_000))
    assert [found.seq for found in journal.read()] == [1]
    with held(journal) as db:
        db.execute("PRAGMA max_page_count=1000000")
    journal.reset()
    assert journal.append([line(2), line(3, body=b"x" * 100_000)]).result(WAIT) == 3
    assert verify(journal.read(), journal.head()) is None


NUMBER, SURROGATE = line(1 << 63), Line("1", 1, None, 1, "\ud800", "", "", b"")
NO_BYTES = Line("1", 1, None, 1, "", "", "", "x")  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [NUMBER, SURROGATE, NO_BYTES], ids=["number", "text", "no bytes"])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_line_that_cannot_be_written_is_a_failure_like_any(
    journal: SqliteJournal, bad: Line
) -> None:
    """Whatever is wrong with a line, its promise is broken in words and the writer lives on."""
    with pytest.raises(StorageError):
        journal.append([bad]).result(1)
    journal.reset()
    assert journal.append([line(1)]).result(1) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_who_stops_waiting_stops_nobody_else(journal: SqliteJournal) -> None:
    """A promise that is cancelled, as a task's end does, leaves the writer and the others alone."""
    with held(journal):
        journal.append([line(1)]).cancel()
        other = journal.append([line(2)])
    assert other.result(1) in (1, 2)
    assert journal.append([line(3)]).result(1) in (2, 3)


def test_small_values_are_kept_replaced_and_forgotten(path: Path) -> None:
    """A value under a key is durable like a line, replaceable, and None forgets it."""
    journal = SqliteJournal(path)
    for key, value in {"t/1": {"a": [1, "x"]}, "t/2": 2, "u": "é", "T/1": 0, "t%": 1}.items():
        journal.put(key, value).result(WAIT)
    assert journal.get("t/1") == {"a": [1, "x"]}
    assert journal.keys("t/") == ["t/1", "t/2"]
    assert (journal.keys("t%"), journal.keys("nothing"), len(journal.keys(""))) == (["t%"], [], 5)
    journal.put("t/1", 7).result(WAIT)
    journal.put("t/2", None).result(WAIT)
    journal.put("never", None).result(WAIT)
    journal.close()
    again = SqliteJournal(path)
    assert [again.get(key) for key in ("t/1", "t/2", "u", "never")] == [7, None, "é", None]
    assert again.keys("t/") == ["t/1"]
    assert again.head() == (0, GENESIS)
    again.close()


def test_a_backup_while_writing_is_a_journal(journal: SqliteJournal, tmp_path: Path) -> None:
    """A copy made in the middle of a storm opens, verifies, and is a beginning of the whole."""
    journal.put("k", "kept").result(WAIT)
    before = [journal.append([line(n)]) for n in range(1, 301)]
    before[0].result(WAIT)
    journal.backup(str(tmp_path / "copy.db"))
    after = [journal.append([line(n)]) for n in range(301, 401)]
    assert after[-1].result(WAIT) == 400
    lines, head = reopened(tmp_path / "copy.db")
    assert verify(lines, head) is None
    assert 1 <= len(lines) <= 300
    assert lines == list(journal.read())[: len(lines)]
    assert verify(journal.read(), head) is None


@pytest.mark.parametrize("kind", ["no database", "cut", "page"])
def test_a_damaged_file_is_refused(path: Path, kind: str) -> None:
    """A file that is not sound is refused with its name, not read as if it were."""
    journal = SqliteJournal(path)
    journal.append([line(n, body=b"x" * 900) for n in range(200)]).result(WAIT)
    journal.close()
    whole = path.read_bytes()
    middle = len(whole) // 2 // 4096 * 4096
    damaged = {
        "no database": b"railbird" * (len(whole) // 8),
        "cut": whole[:middle],
        "page": whole[:middle] + b"\xa5" * 4096 + whole[middle + 4096 :],
    }
    path.write_bytes(damaged[kind])
    with pytest.raises(StorageError, match=path.name):
        SqliteJournal(path)


def test_an_edited_file_is_found_by_its_chain(path: Path) -> None:
    """An edit that SQLite cannot notice is found when the journal is verified."""
    journal = SqliteJournal(path)
    journal.append([line(n, body=f"honest {n:03}".encode()) for n in range(1, 50)]).result(WAIT)
    journal.close()
    path.write_bytes(path.read_bytes().replace(b"honest 025", b"forged 025"))
    damage = verify(reopened(path)[0])
    assert damage is not None
    assert damage.seq == 25


WRITER = """
import sys
from pathlib import Path
from server.journal import Line
from server.sqlite_journal import SqliteJournal
journal = SqliteJournal(Path(sys.argv[1]))
line = Line("1", 1, None, 1, "a", "d", "c", b"x" * 300)
while True:
    for future in [journal.append([line, line]) for _ in range(5)]:
        print(future.result(), flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 37, 400])
def test_a_kill_loses_nothing_acknowledged(path: Path, acknowledged: int) -> None:
    """After kill -9 every number that was told is in the file, and no pair of lines is torn."""
    for _ in range(2):
        with run(WRITER, path) as writer:
            assert writer.stdout is not None
            told = [writer.stdout.readline() for _ in range(acknowledged)]
            writer.kill()
            told += writer.stdout.readlines()
        last = max(int(number) for number in told if number.endswith("\n"))
        lines, head = reopened(path)
        assert verify(lines, head) is None
        assert len(lines) >= last
        assert len(lines) % 2 == 0
