"""The log of a server process: one line of JSON for each event, without credentials, at a bounded rate."""

import logging
from logging.handlers import WatchedFileHandler
from typing import Final, NamedTuple

import structlog

from croupier.config.schema import Log

#: The most lines of one kind in an interval of so many seconds; the rest are counted.
REPEATS_MAX: Final = 100
INTERVAL_S: Final = 60
_SHARED: Final[list[structlog.typing.Processor]] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure_logging(log: Log) -> None:
    """Configure logging: one line for each event of any library, without credentials."""
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
    return LogFile(log.path, encoding="utf-8")


class _Count(NamedTuple):
    """The lines of one kind in one interval: since when, how many, and how many of them were not written."""

    since: float
    lines: int
    suppressed: int


class RateLimit(logging.Filter):
    """Writes at most so many lines of one kind in an interval, and with the next one the number suppressed."""

    def __init__(self) -> None:
        super().__init__()
        #: By the name of an event, or by the line of code that logs it: the number of both is bounded.
        self._counts: dict[object, _Count] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key = record.msg["event"] if isinstance(record.msg, dict) else (record.pathname, record.lineno)
        since, lines, suppressed = self._counts.get(key, _Count(record.created, 0, 0))
        if not 0 <= record.created - since < INTERVAL_S:
            since, lines = record.created, 0
        if lines >= REPEATS_MAX:
            self._counts[key] = _Count(since, lines, suppressed + 1)
            return False
        if suppressed:
            if isinstance(record.msg, dict):
                record.msg = {**record.msg, "suppressed": suppressed}
            else:
                record.msg, record.args = f"{record.getMessage()} ({suppressed} lines like this were suppressed)", ()
        self._counts[key] = _Count(since, lines + 1, 0)
        return True


class LogFile(WatchedFileHandler):
    """A file that may be moved away: the next line begins a new one. A line that cannot be written stops nothing."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)
