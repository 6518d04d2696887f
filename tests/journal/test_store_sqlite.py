"""The store in SQLite: its demands on SQLite and the disk, besides the contract of every store."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import apsw
import pytest

from croupier.journal.disk import Fenced, JournalFault, StoreLocked
from croupier.journal.entry import Page
from croupier.journal.stores.sqlite import FORMAT, SqliteStore, check_sqlite_version
from tests.journal.test_store_contract import pages, signed, some
from tests.support.disk import Disk, Op
from tests.support.disk_shift import JOURNAL


class Open(SqliteStore):
    """A store that lets its settings be seen."""

    def setting(self, name: str) -> object:
        return self._connection.pragma(name)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def store(path: Path) -> Iterator[Open]:
    """A store in a file, in its first epoch."""
    store = Open(path)
    store.fence()
    yield store
    store.close()


def write(store: SqliteStore, count: int) -> list[Page]:
    written = some(count)
    for page in written:
        store.append(page)
    return written


def contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("locking_mode", "normal"),
        ("trusted_schema", 0),
        ("cell_size_check", 1),
        ("user_version", FORMAT),
    ],
)
def test_setting_is_in_force(store: Open, setting: str, value: object) -> None:
    """A store that is open writes ahead, syncs at every commit, is locked, and trusts no schema."""
    assert store.setting(setting) == value


@pytest.mark.parametrize("version", ["3.51.2", "3.51.1", "3.50.4", "3.7.0", "2.8.17"])
def test_sqlite_that_may_lose_what_it_committed_is_refused(version: str) -> None:
    """An SQLite older than the cure of its race is refused by its version."""
    with pytest.raises(JournalFault, match=r"3\.51\.3 or newer is needed"):
        check_sqlite_version(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.52.0", "3.100.0", "4.0.0", apsw.sqlite_lib_version()])
def test_sqlite_that_is_cured_is_taken(version: str) -> None:
    """An SQLite that is new enough is taken, and the one in use is."""
    check_sqlite_version(version)


@pytest.mark.parametrize("writing", [True, False])
def test_second_opener_in_the_same_process_finds_it_in_use(store: Open, path: Path, *, writing: bool) -> None:
    """Nobody else opens a journal that is open, to write or to read, and who has it goes on."""
    with pytest.raises(StoreLocked):
        SqliteStore(path, writing=writing)
    assert write(store, 1) == list(store.pages())


OPENS = "from pathlib import Path; from croupier.journal.stores.sqlite import SqliteStore; SqliteStore(Path({!r}))"


def test_second_opener_in_another_process_finds_it_in_use(store: Open, path: Path) -> None:
    """Another process does not open a journal that is open, and who has it goes on."""
    other = subprocess.run([sys.executable, "-c", OPENS.format(str(path))], capture_output=True, text=True, check=False)

    assert other.returncode == 1
    assert "StoreLocked: the journal is in use by another process" in other.stderr
    assert write(store, 1) == list(store.pages())


def reform(path: Path, form: int) -> None:
    """Let a journal say that it has another form."""
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", form)
    connection.close()


@pytest.mark.parametrize("writing", [True, False])
@pytest.mark.parametrize("form", [FORMAT + 1, -1, 99])
def test_unknown_form_is_refused(path: Path, form: int, *, writing: bool) -> None:
    """A journal of a form that this software does not know is refused, and left as it is."""
    SqliteStore(path).close()
    reform(path, form)
    before = contents(path)

    with pytest.raises(JournalFault, match=f"has format {form}"):
        SqliteStore(path, writing=writing)
    assert contents(path)["journal.db"] == before["journal.db"]


def test_journal_of_an_older_version_is_refused_in_words(path: Path) -> None:
    """A journal of version 0.2 is refused with the version that reads it, and left as it is."""
    SqliteStore(path).close()
    reform(path, FORMAT - 1)

    with pytest.raises(JournalFault, match=r"it was written by version 0\.2 or older, which alone reads it"):
        SqliteStore(path)


def test_journal_that_was_refused_is_closed(path: Path) -> None:
    """Who was refused a journal holds it no longer, whatever becomes of the fault."""
    SqliteStore(path).close()
    reform(path, FORMAT + 1)
    with pytest.raises(JournalFault) as refused:
        SqliteStore(path)
    reform(path, FORMAT)

    SqliteStore(path).close()
    assert refused.type is JournalFault


@pytest.mark.parametrize("writing", [True, False])
def test_what_is_no_journal_is_refused(path: Path, *, writing: bool) -> None:
    """A file that is something else is refused, and left as it is."""
    path.write_bytes(b"something else" * 1_000)

    with pytest.raises(JournalFault, match="NotADBError"):
        SqliteStore(path, writing=writing)
    assert contents(path) == {"journal.db": b"something else" * 1_000}


def test_place_without_a_write_ahead_log_is_refused() -> None:
    """Where SQLite cannot write ahead, no journal is kept."""
    with pytest.raises(JournalFault, match="SQLite chose memory"):
        SqliteStore(Path(":memory:"))


def test_reading_makes_no_journal(path: Path) -> None:
    """Who opens a journal to read where there is none is told so, and makes none."""
    with pytest.raises(JournalFault, match="CantOpenError"):
        SqliteStore(path, writing=False)
    assert contents(path) == {}


def test_reading_leaves_the_files_as_they_are(path: Path) -> None:
    """Reading a journal that was closed in good order changes no byte, and leaves no file behind."""
    store = SqliteStore(path)
    store.fence()
    written = write(store, 3)
    store.close()
    before = contents(path)
    reading = SqliteStore(path, writing=False)

    assert list(reading.pages()) == written
    reading.close()
    assert contents(path) == before


def test_reading_leaves_what_a_crash_left(store: Open, path: Path, tmp_path: Path) -> None:
    """Reading what a crash left finds all that was kept, and changes no byte of the file or of its log."""
    written = write(store, 3)
    left = tmp_path / "left" / "journal.db"
    left.parent.mkdir()
    for name in ("journal.db", "journal.db-wal"):
        (left.parent / name).write_bytes((path.parent / name).read_bytes())
    before = contents(left)
    assert len(before["journal.db-wal"]) > 0
    for _ in range(2):
        reading = SqliteStore(left, writing=False)
        assert list(reading.pages()) == written
        reading.close()
        assert contents(left) == before

    again = SqliteStore(left)
    assert list(again.pages()) == written
    again.close()
    assert list(contents(left)) == ["journal.db"]


def test_log_stays_bounded() -> None:
    """However many pages are kept, the write-ahead log stays below the pages after which it is begun anew."""
    reached = 0

    def look(op: Op) -> None:
        nonlocal reached
        if op.file.endswith("-wal"):
            reached = max(reached, op.offset + len(op.data))

    disk = Disk()
    disk.trouble = look
    store = SqliteStore(JOURNAL, vfs=disk.name)
    store.fence()
    page = next(pages(1, entries=1))
    for number in range(1, 4_001):
        store.append(page._replace(number=number, body=bytes(1_500)))
    store.close()

    # A frame is a page of 4,096 bytes behind 24 of its own; one commit here is at most 8 pages.
    most = (SqliteStore.WAL_PAGES + 8) * 4_120
    assert most // 2 < reached < most


FILLS_UP = """
import resource, sys
from pathlib import Path
from croupier.journal.entry import Page
from croupier.journal.stores.sqlite import SqliteStore
SqliteStore.WAL_PAGES = 12
store = SqliteStore(Path({!r}))
store.fence()
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
for number in range(1, 100):
    store.append(Page(number, 1, number, number, bytes(32), bytes(3_000)))
"""


def test_fault_while_the_log_is_emptied_is_not_passed_over(path: Path) -> None:
    """A file that takes no more is a fault at once, where SQLite itself would let its write-ahead log grow instead."""
    code = FILLS_UP.format(str(path))
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    left = contents(path)

    assert child.returncode == 1
    assert "JournalFault: the journal cannot be read or written: IOError" in child.stderr
    assert len(left["journal.db"]) == 100_000
    assert len(left["journal.db-wal"]) < 70_000


GOOD = (1, 1, 1, 2, bytes(32), b"lines")


@pytest.mark.parametrize(
    "row",
    [
        (1, 1, 0, 2, bytes(32), b""),
        (1, 1, -1, 2, bytes(32), b""),
        (1, 1, 3, 2, bytes(32), b""),
        (1, 1, 1, 2, bytes(31), b""),
        (1, 1, 1, 2, bytes(33), b""),
        (1, 1, 1, 2, b"", b""),
        (1, 1, 1, 2, "x" * 32, b""),
        (1, 1, 1, 2, bytes(32), "text"),
        (1, 1, 1, 2, bytes(32), None),
        (1, 1, 1, 2, None, b""),
        (1, 1, 1, None, bytes(32), b""),
        (1, 1, None, 2, bytes(32), b""),
        (1, None, 1, 2, bytes(32), b""),
        (1, 1, 1.5, 2, bytes(32), b""),
        (1, 1, "one", 2, bytes(32), b""),
        (1, 1, 1, b"2", bytes(32), b""),
        (0, 1, 1, 2, bytes(32), b""),
        (2, 1, 1, 2, bytes(32), b""),
        (1, 2, 1, 2, bytes(32), b""),
    ],
)
def test_page_that_is_none_is_refused(row: tuple[int, int, int, int, bytes, bytes]) -> None:
    """What is no page is refused by the tables themselves, whoever writes it."""
    store = SqliteStore(JOURNAL, vfs=(disk := Disk()).name)
    store.fence()
    with pytest.raises(Fenced):
        store.append(Page(*row))
    assert store.last() is None
    store.append(Page(*GOOD))
    assert store.last() == Page(*GOOD)
    store.close()
    assert list(disk.files) == [str(JOURNAL)]


def one_page() -> Disk:
    """A disk with a journal of one page, under one signature."""
    store = SqliteStore(JOURNAL, vfs=(disk := Disk()).name)
    store.fence()
    store.append(Page(*GOOD))
    store.sign(signed(1))
    store.close()
    return disk


def force(disk: Disk, statement: str) -> None:
    """Have a statement carried out that is none of the store's."""
    connection = apsw.Connection(str(JOURNAL), vfs=disk.name)
    connection.pragma("locking_mode", "exclusive")
    connection.pragma("writable_schema", value=True)
    try:
        connection.execute(statement)
    finally:
        connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO fence VALUES (2, 1, x'')",
        "INSERT INTO fence VALUES (1, 1, x'')",
        "UPDATE fence SET epoch = 'many'",
        "UPDATE fence SET epoch = NULL",
        "UPDATE page SET last = 0",
        "UPDATE page SET body = 'text'",
        "UPDATE page SET head = x''",
        "UPDATE checkpoint SET body = NULL",
        "UPDATE checkpoint SET signature = 1",
        "INSERT INTO checkpoint VALUES (2, 1, 'text', x'00')",
        "INSERT INTO checkpoint VALUES (3, 1, x'00', x'00')",
        "INSERT INTO checkpoint VALUES (2, 2, x'00', x'00')",
        "INSERT INTO page VALUES (3, 1, 1, 1, zeroblob(32), x'', x'')",
    ],
)
def test_tables_refuse_nonsense(statement: str) -> None:
    """The tables keep to their form also against a statement that is none of the store's."""
    with pytest.raises(apsw.ConstraintError):
        force(one_page(), statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE page SET body = 'text'",
        "UPDATE page SET body = CAST(x'ff' AS TEXT)",
        "UPDATE checkpoint SET body = 'text'",
    ],
)
def test_row_of_another_form_is_a_fault(statement: str) -> None:
    """A row that somebody forced out of its form is a fault when it is read."""
    disk = one_page()
    force(disk, "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE type = 'table'")
    force(disk, statement)
    force(disk, "UPDATE sqlite_schema SET sql = sql || 'STRICT' WHERE type = 'table'")
    store = SqliteStore(JOURNAL, vfs=disk.name)

    with pytest.raises(JournalFault, match="other column types"):
        assert [*store.pages(), *store.checkpoints()]
    store.close()


def test_store_that_is_closed_reads_nothing(path: Path) -> None:
    """A store that was closed gives nothing more, and says so."""
    store = SqliteStore(path)
    store.close()

    with pytest.raises(JournalFault, match="ConnectionClosedError"):
        store.last()


@pytest.mark.parametrize("beside", [False, True], ids=["new", "with wider modes"])
def test_files_of_a_journal_are_their_owner_s_alone(tmp_path: Path, *, beside: bool) -> None:
    """Whatever the umask, a journal, its log and a copy of it are for their owner alone, also where they were not."""
    path, before = tmp_path / "journal.db", os.umask(0)
    try:
        if beside:
            SqliteStore(path).close()
            path.chmod(0o644)
            tmp_path.joinpath("journal.db-wal").touch(0o666)
        with closing(SqliteStore(path)) as store:
            store.fence()
            with closing(store.backup_to(tmp_path / "copy.db")) as copy:
                copy.step(-1)
            modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    finally:
        os.umask(before)

    assert modes == dict.fromkeys(("journal.db", "journal.db-wal", "journal.db-shm", "copy.db"), 0o600)


def test_place_where_no_journal_can_be_made_is_a_fault(tmp_path: Path) -> None:
    """Where there is no folder for it, a journal is not made, and that is said."""
    with pytest.raises(JournalFault, match="cannot be read or written: No such file or directory"):
        SqliteStore(tmp_path / "none" / "journal.db")


#: A user of the machine who owns nothing.
NOBODY = 65_534


@contextmanager
def only_reading(folder: Path) -> Iterator[None]:
    """Take away the leave to write in a folder; whoever is root is somebody else meanwhile."""
    modes = {each: each.stat().st_mode for each in (folder, *folder.iterdir())}
    for each, mode in modes.items():
        each.chmod(mode & 0o555 | 0o444)
    if root := os.geteuid() == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for each, mode in modes.items():
            each.chmod(mode)


@pytest.fixture
def evidence() -> Iterator[Path]:
    """A journal that a crash has left with its WAL, in a folder to which everybody may come."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        live, copy = place / "live", place / "copy"
        live.mkdir()
        copy.mkdir()
        with closing(SqliteStore(live / "journal.db")) as store:
            store.fence()
            for page in some(3):
                store.append(page)
            for each in live.iterdir():
                shutil.copy(each, copy / each.name)
        yield copy / "journal.db"


def test_journal_on_read_only_media_is_read_with_its_wal(evidence: Path) -> None:
    """A copy that nobody may write to is read to its last page, nothing in it changes, and nothing is left behind."""
    before = {each.name: each.read_bytes() for each in evidence.parent.iterdir()}
    assert set(before) >= {"journal.db", "journal.db-wal"}
    with only_reading(evidence.parent):
        store = SqliteStore(evidence, writing=False)
        copies = list(Path(gettempdir()).glob("croupier-journal-*/journal.db"))
        with closing(store):
            assert list(store.pages()) == some(3)
        assert [each for each in copies if each.exists()] == []

    assert copies
    assert {each.name: each.read_bytes() for each in evidence.parent.iterdir()} == before


def test_journal_in_use_is_not_copied_to_be_read(evidence: Path) -> None:
    """Where a system runs on files that one may only read, they are not copied half written: they are in use."""
    program = (
        "import sys; from pathlib import Path; from croupier.journal.stores.sqlite import SqliteStore; "
        "store = SqliteStore(Path(sys.argv[1])); store.fence(); print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(evidence)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as house:
        assert house.stdout is not None
        assert house.stdout.readline() == b"open\n"
        with only_reading(evidence.parent), pytest.raises(StoreLocked):
            SqliteStore(evidence, writing=False)
        house.communicate()


def test_journal_that_cannot_be_copied_is_a_fault(evidence: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room for a copy, that is said."""

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device", "copy")

    monkeypatch.setattr(shutil, "copyfile", full)
    with only_reading(evidence.parent), pytest.raises(JournalFault, match="cannot be copied to be read: No space left"):
        SqliteStore(evidence, writing=False)
