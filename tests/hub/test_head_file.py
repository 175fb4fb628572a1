"""The head file: the newest line that was acknowledged, whatever was torn, deleted or replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.head_file import HeadFile, head_path, read_head
from server.journal import GENESIS, StorageError, verify
from server.sqlite_journal import SqliteJournal, read_file
from tests.hub.test_sqlite_journal import WAIT, fails, held, line

if TYPE_CHECKING:
    from pathlib import Path

SLOTS = (0, 4_096)
SIZE = 64


def test_the_newest_head_is_read(tmp_path: Path) -> None:
    """Also by who opens the file anew, and also if it is smaller than the one before."""
    path = tmp_path / "railbird.head"
    assert read_head(path) is None
    for lines in (1, 2, 3, 900, 12):
        file = HeadFile(path)
        file.write((lines, bytes([lines % 256]) * 32))
        file.close()
        assert read_head(path) == (lines, bytes([lines % 256]) * 32)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("torn", range(0, SIZE, 7))
def test_a_torn_write_leaves_the_head_before(tmp_path: Path, torn: int) -> None:
    """Wherever the power went away in the middle of a write, the other slot is as it was."""
    path = tmp_path / "railbird.head"
    file = HeadFile(path)
    file.write((1, b"\1" * 32))
    before = path.read_bytes()
    file.write((2, b"\2" * 32))
    file.close()
    after = bytearray(path.read_bytes())
    at = next(at for at in SLOTS if after[at : at + SIZE] != before[at : at + SIZE])
    after[at + torn] ^= 1
    path.write_bytes(after)
    assert read_head(path) == (1, b"\1" * 32)
    again = HeadFile(path)
    again.write((3, b"\3" * 32))
    again.close()
    assert read_head(path) == (3, b"\3" * 32)


def test_every_commit_is_named_before_it_is_told(tmp_path: Path) -> None:
    """The head file is never behind what somebody has heard of."""
    path = tmp_path / "railbird.db"
    journal = SqliteJournal(path)
    for number in range(1, 40):
        assert journal.append([line(number)]).result(WAIT) == number
        assert read_head(head_path(path)) == journal.head()
    journal.put("k", 1).result(WAIT)
    head = journal.head()
    journal.close()
    assert head[0] == 39
    assert read_head(head_path(path)) == head


def test_a_head_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    """The line is durable by itself; the file is written again as soon as it can be."""
    path = tmp_path / "railbird.db"
    head_path(path).mkdir()
    journal = SqliteJournal(path)
    assert journal.append([line(1)]).result(WAIT) == 1
    head_path(path).rmdir()
    assert journal.append([line(2)]).result(WAIT) == 2
    assert read_head(head_path(path)) == journal.head()
    journal.close()


def test_what_failed_is_not_named(tmp_path: Path) -> None:
    """A commit that failed was not acknowledged."""
    path = tmp_path / "railbird.db"
    journal = SqliteJournal(path)
    journal.append([line(1)]).result(WAIT)
    with held(journal) as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count={pages}")
    fails(journal, line(2, body=b"x" * 100_000))
    head = read_head(head_path(path))
    assert head is not None
    assert head[0] == 1
    journal.close()


def test_what_was_refused_is_not_in_the_new_file(tmp_path: Path) -> None:
    """Committed into a file that was gone by then, and no new one could be written: it never was.

    The new file that is written later has neither those lines nor a gap.
    """
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / "railbird.db"
    journal = SqliteJournal(path)
    journal.append([line(1), line(2)]).result(WAIT)
    with held(journal):  # the files go away between the look before a commit and that after it
        late = journal.append([line(3), line(4)])
        folder.rename(tmp_path / "elsewhere")
        folder.write_text("in the way")
    with pytest.raises(StorageError, match="deleted or replaced"):
        late.result(WAIT)
    journal.reset()
    assert "cannot be written again" in fails(journal, line(5))
    folder.unlink()
    journal.reset()
    assert journal.append([line(6)]).result(WAIT) == 3
    assert [found.line.at for found in journal.read()] == [1, 2, 6]
    assert read_head(head_path(path)) == journal.head()
    journal.close()
    again = SqliteJournal(path)
    assert [found.line.at for found in again.read()] == [1, 2, 6]
    assert verify(again.read(), again.head()) is None
    again.close()


def test_what_was_written_anew_is_not_written_again_at_every_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it cannot be put in place it lies there whole: a death finds all of it."""
    path, new = tmp_path / "railbird.db", tmp_path / "railbird.db.new"
    journal = SqliteJournal(path)
    journal.append([line(1), line(2)]).result(WAIT)
    written: list[int] = []
    with monkeypatch.context() as busy:

        def in_use(file: Path, *_: object) -> None:
            written.append(file.stat().st_ino)
            raise StorageError("in use")

        busy.setattr("server.sqlite_journal.put_in_place", in_use)
        path.unlink()
        assert "in use" in fails(journal, line(3))  # it may have been committed already
        del written[:]
        for _ in range(3):
            journal.reset()
            assert "in use" in fails(journal, line(3))
            assert [found.line.at for found in read_file(new)] == [1, 2]
    assert len(written) >= 3
    assert len(set(written)) == 1
    journal.reset()
    assert journal.append([line(4)]).result(WAIT) == 3
    assert not new.exists()
    journal.close()


def test_an_empty_journal_has_a_head(tmp_path: Path) -> None:
    """A proved journal is given one, whatever another one left."""
    path = tmp_path / "railbird.db"
    file = HeadFile(head_path(path))
    file.write((812, b"\7" * 32))
    file.close()
    journal = SqliteJournal(path)
    journal.begin_head()
    assert read_head(head_path(path)) == (0, GENESIS)
    journal.close()


def test_the_files_are_lost_while_a_backup_is_made(tmp_path: Path) -> None:
    """The backup gives up, or is whole; the journal goes on in new files either way."""
    path = tmp_path / "railbird.db"
    journal = SqliteJournal(path)
    journal.append([line(n, body=b"x" * 2_000) for n in range(2_000)]).result(WAIT)
    told: list[str] = []
    journal.tell = told.append
    let_write, count = journal._let_write, 0  # noqa: SLF001 - the moment between two steps

    def lose() -> None:
        nonlocal count
        count += 1
        if count == 1:
            path.unlink()
            journal._lock.release()  # noqa: SLF001 - as it does itself
            journal.put("k", 1)
            journal._lock.acquire()  # noqa: SLF001
        let_write()

    journal._let_write = lose  # type: ignore[method-assign]  # noqa: SLF001
    try:
        journal.backup(str(tmp_path / "copy.db"))
    except StorageError as error:
        assert "is being replaced" in str(error)  # noqa: PT017 - or it was quick enough
    assert journal.append([line(2_001)]).result(WAIT) == 2_001
    assert len(told) == 1
    journal.close()
    again = SqliteJournal(path)
    assert (again.head()[0], again.get("k")) == (2_001, 1)
    again.close()
