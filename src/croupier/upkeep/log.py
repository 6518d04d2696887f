"""The log: events with fields, a line of JSON each, on the screen or in files that are bounded in number and size."""

import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from croupier.config.shape import Log

#: So many lines of one kind are written in an interval of so many seconds; the rest are counted.
REPEATS_MOST: Final = 100
INTERVAL_S: Final = 60
#: The file that is written to is begun anew when it takes this part of what all files together may.
PARTS: Final = 8
_MEGABYTE: Final = 1024 * 1024
_SHARED: Final[list[structlog.typing.Processor]] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def keep_log(log: Log) -> None:
    """Have everything that is logged written as one line each, whoever logs it; nothing in it is a secret."""
    handler = _handler(log)
    handler.addFilter(RateLimit())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=log.level.value.upper(), force=True)
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _handler(log: Log) -> logging.Handler:
    if log.path is None:
        return logging.StreamHandler()
    log.path.parent.mkdir(parents=True, exist_ok=True)
    return BoundedFiles(log.path, log.keep_days, log.keep_mb * _MEGABYTE)


class _Count(NamedTuple):
    """The lines of one kind in one interval: since when, how many, and how many of them were not written."""

    since: float
    lines: int
    suppressed: int


class RateLimit(logging.Filter):
    """Writes no more than so many lines of one kind in an interval, and with the next one how many it left out."""

    def __init__(self) -> None:
        super().__init__()
        #: By the name of an event, or by the line of code that logs it: there are only so many of either.
        self._counts: dict[object, _Count] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key = record.msg["event"] if isinstance(record.msg, dict) else (record.pathname, record.lineno)
        since, lines, suppressed = self._counts.get(key, _Count(record.created, 0, 0))
        if not 0 <= record.created - since < INTERVAL_S:
            since, lines = record.created, 0
        if lines >= REPEATS_MOST:
            self._counts[key] = _Count(since, lines, suppressed + 1)
            return False
        if suppressed:
            _add(record, suppressed)
        self._counts[key] = _Count(since, lines + 1, 0)
        return True


def _add(record: logging.LogRecord, suppressed: int) -> None:
    """Say on a line how many like it were left out before it."""
    if isinstance(record.msg, dict):
        record.msg = {**record.msg, "suppressed": suppressed}
    else:
        record.msg, record.args = f"{record.getMessage()} ({suppressed} lines like this were suppressed)", ()


class BoundedFiles(TimedRotatingFileHandler):
    """A file that is begun anew at midnight and when it is large; old ones go after some days, or for their size."""

    def __init__(self, path: Path, days: int, size: int) -> None:
        super().__init__(path, when="midnight", backupCount=days, utc=True, encoding="utf-8")
        self._size = size
        # Also for what an earlier process left behind.
        self._clear()

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802 - logging's own name
        return bool(super().shouldRollover(record)) or self._is_large()

    def _is_large(self) -> bool:
        try:
            return Path(self.baseFilename).stat().st_size >= self._size // PARTS
        except OSError:
            return False

    def rotation_filename(self, default_name: str) -> str:
        """Name a file that is there by none: of one day there may be several."""
        taken = [part for name, part in _days_and_parts(Path(self.baseFilename)) if name == Path(default_name).name]
        return f"{default_name}.{max(taken) + 1}" if taken else default_name

    def getFilesToDelete(self) -> list[str]:  # noqa: N802 - logging's own name
        """List the files that are too old, and the oldest of those that together are too large."""
        path = Path(self.baseFilename)
        oldest = (datetime.now(UTC).date() - timedelta(days=self.backupCount)).isoformat()
        room, found = self._size - self._size // PARTS, []
        for file in reversed(_old_files(path)):
            room -= file.stat().st_size
            if room < 0 or file.name.removeprefix(f"{path.name}.") < oldest:
                found.append(str(file))
        return found

    def _clear(self) -> None:
        for name in self.getFilesToDelete():
            Path(name).unlink(missing_ok=True)


def _days_and_parts(path: Path) -> Iterator[tuple[str, int]]:
    """Name each file that was begun anew by its day, with its part of that day: the first is 0."""
    form = re.compile(rf"({re.escape(path.name)}\.\d{{4}}-\d\d-\d\d)(?:\.(\d+))?")
    for file in path.parent.iterdir():
        if found := form.fullmatch(file.name):
            yield found[1], int(found[2] or 0)


def _old_files(path: Path) -> list[Path]:
    """List the files before the one that is written to, the oldest first."""
    found = sorted(_days_and_parts(path))
    return [path.with_name(f"{name}.{part}" if part else name) for name, part in found]
