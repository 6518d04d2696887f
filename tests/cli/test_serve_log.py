"""The log: to the screen, or to a file that may be moved away at any time."""

import logging
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from croupier.cli import logs
from croupier.cli.logs import INTERVAL_S, REPEATS_MAX, LogFile, RateLimit
from croupier.config.schema import Log


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
def log(tmp_path: Path) -> Iterator[LogFile]:
    """The log where a file is named: its folder is made."""
    handler = logs._handler(Log(tmp_path / "logs" / "croupier.log"))  # noqa: SLF001 - to set the whole log up would change this process
    assert isinstance(handler, LogFile)
    handler.setFormatter(logging.Formatter("%(message)s"))
    yield handler
    handler.close()


def test_file_that_is_moved_away_is_begun_anew(log: LogFile) -> None:
    """As logrotate does it: no line is lost, and nothing else goes to the old file."""
    path = Path(log.baseFilename)
    log.emit(record("before"))
    old = path.rename(path.with_name("croupier.log-2026-01-01"))
    log.emit(record("after"))

    assert (old.read_text("utf-8"), path.read_text("utf-8")) == ("before\n", "after\n")


def test_log_that_cannot_be_written_stops_nothing(log: LogFile, capsys: pytest.CaptureFixture[str]) -> None:
    """Without its folder a line goes to standard error with the cause; with the folder the file is begun anew."""
    path = Path(log.baseFilename)
    path.unlink()
    path.parent.rmdir()
    log.emit(record("lost"))
    assert "No such file or directory" in capsys.readouterr().err

    path.parent.mkdir()
    log.emit(record("back"))
    assert path.read_text("utf-8") == "back\n"


def test_no_module_is_silenced_by_the_log_of_a_library() -> None:
    """The level that silences the WebSocket library is set on no logger above a module of ours: sign-ins are logged."""
    modules = ("croupier.server.auth.staff", "croupier.server.router", "croupier.client.connection")
    for module in modules:
        import_module(module)
        assert logging.getLogger(module).getEffectiveLevel() == logging.getLogger().getEffectiveLevel()
