"""The log: events with fields, a line of JSON each, on the screen or in files that are kept for some days."""

import logging
from logging.handlers import TimedRotatingFileHandler
from typing import Final

import structlog

from croupier.config.shape import Log

_SHARED: Final[list[structlog.typing.Processor]] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def keep_log(log: Log) -> None:
    """Have everything that is logged written as one line each, whoever logs it; nothing in it is a secret."""
    handler = _handler(log)
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
    return TimedRotatingFileHandler(log.path, when="midnight", backupCount=log.keep_days, utc=True, encoding="utf-8")
