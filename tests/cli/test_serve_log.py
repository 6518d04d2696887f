"""The log: to the screen, or to files that are begun anew every midnight, and bounded in number and size."""

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

import pytest

from croupier.cli import serve
from croupier.cli.serve import INTERVAL_S, PARTS, REPEATS_MAX, BoundedFiles, RateLimit
from croupier.config.schema import Log


def test_log_goes_to_a_file_where_one_is_named(tmp_path: Path) -> None:
    """The folder of the file is made, and as many days are kept as are wanted."""
    path = tmp_path / "logs" / "croupier.log"
    handler = serve._handler(Log(path=path, keep_days=3))  # noqa: SLF001 - to set the whole log up would change this process
    handler.close()

    assert isinstance(handler, BoundedFiles)
    assert (path.exists(), handler.backupCount, handler.when) == (True, 3, "MIDNIGHT")


def record(msg: object, at: float = 0.0, line: int = 1) -> logging.LogRecord:
    args = ("it",) if "%s" in str(msg) else ()
    made = logging.LogRecord("somewhere", logging.WARNING, "module.py", line, msg, args, None)
    made.created = at
    return made


@pytest.mark.parametrize("foreign", [False, True])
def test_repeated_lines_are_counted_and_not_written(*, foreign: bool) -> None:
    """Of one kind 100 lines a minute are written; the first of the next minute says how many were left out."""
    limit = RateLimit()
    said: object = "Somebody else says %s." if foreign else {"event": "accept_failed"}
    assert [limit.filter(record(said)) for _ in range(REPEATS_MAX + 7)] == [True] * REPEATS_MAX + [False] * 7
    assert limit.filter(record("Another line.", line=2))
    assert limit.filter(record({"event": "another"}))

    later = record(said, INTERVAL_S)
    assert limit.filter(later)
    if foreign:
        assert later.getMessage() == "Somebody else says it. (7 lines like this were suppressed)"
    else:
        assert later.msg == {"event": "accept_failed", "suppressed": 7}
    again = record(said, INTERVAL_S + 1)
    assert limit.filter(again)
    assert again.msg == said


def test_clock_that_is_set_back_begins_a_new_interval() -> None:
    """A line that seems to come before the last is written and counted from there."""
    limit = RateLimit()
    for _ in range(REPEATS_MAX):
        limit.filter(record({"event": "accept_failed"}, 1_000))
    assert limit.filter(record({"event": "accept_failed"}, 10))


@pytest.fixture
def files(tmp_path: Path) -> Iterator[BoundedFiles]:
    """Log files that may be 8,000 bytes together, with what earlier days have left."""
    today = datetime.now(UTC).date()
    for days in (1, 2, 3):
        (tmp_path / f"croupier.log.{today - timedelta(days=days)}").write_text("old", "utf-8")
    (tmp_path / "croupier.log.txt").write_text("not ours", "utf-8")
    handler = BoundedFiles(tmp_path / "croupier.log", 2, 8_000)
    yield handler
    handler.close()


def test_files_that_are_too_old_go(files: BoundedFiles, tmp_path: Path) -> None:
    """At the start files older than the days that are kept are deleted, and nothing that is not of the log."""
    today = datetime.now(UTC).date()
    kept = {f"croupier.log.{today - timedelta(days=days)}" for days in (1, 2)}
    assert {path.name for path in tmp_path.iterdir()} == {"croupier.log", "croupier.log.txt", *kept}
    assert files.baseFilename == str(tmp_path / "croupier.log")


def test_all_files_together_stay_within_their_size(files: BoundedFiles, tmp_path: Path) -> None:
    """A file is begun anew at an eighth of the size, the oldest go, and the newest lines are there in their order."""
    files.setFormatter(logging.Formatter("%(message)s"))
    for number in range(400):
        files.emit(record(json.dumps({"number": number, "filled": "x" * 80})))
        sizes = [path.stat().st_size for path in tmp_path.glob("croupier.log*")]
        assert sum(sizes) <= 8_000 + 200
        assert max(sizes) < 8_000 // PARTS + 200
    old = serve._old_files(tmp_path / "croupier.log")  # noqa: SLF001 - the order of the files is the point
    lines = [line for path in (*old, tmp_path / "croupier.log") for line in path.read_text("utf-8").splitlines()]
    numbers = [json.loads(line)["number"] for line in lines]
    assert numbers == list(range(400 - len(numbers), 400))
    assert len(numbers) >= 40


def test_file_that_is_gone_is_begun_anew_at_its_time(files: BoundedFiles, tmp_path: Path) -> None:
    """Where somebody has moved the file away, nothing is large."""
    (tmp_path / "croupier.log").unlink()
    assert not files.shouldRollover(record("A line."))


def test_no_module_is_silenced_by_the_log_of_a_library() -> None:
    """The level that silences the WebSocket library is set on no logger above a module of ours: sign-ins are logged."""
    modules = ("croupier.server.auth.staff", "croupier.server.router", "croupier.client.connection")
    for module in modules:
        import_module(module)
        assert logging.getLogger(module).getEffectiveLevel() == logging.getLogger().getEffectiveLevel()
