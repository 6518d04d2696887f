"""A guard around drivers, which may be of other packages: one that raises harms its own table or terminal alone."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import structlog

_LOG = structlog.get_logger()
Driver = TypeVar("Driver")


class BrokenDriver:
    """Takes the place of a driver that has raised: it does nothing, and its fault says why."""

    def __init__(self, place: str, fault: str) -> None:
        self.table = self.terminal = place
        self.fault = fault
        self._port: Any = None

    def open(self, port: object) -> None:
        self._port = port

    def close(self) -> None:
        """There is nothing to release."""

    accept = reject = acknowledge = close

    def print(self, job: int, _data: bytes) -> None:
        self._port.failed(job, self.fault)


def made(make: Callable[[], Driver], place: str) -> Driver:
    """Make a driver for a table or terminal; a broken one takes its place when that raises."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - any code may be behind it
        return _broken(place, error)  # type: ignore[no-any-return]


def opened(driver: Driver, place: str, port: object) -> Driver:
    """Open a driver, and return it; a broken one takes its place when that raises."""
    known: Any = driver
    try:
        known.open(port)
    except Exception as error:  # noqa: BLE001 - any code may be behind it
        closed(driver)
        broken: Any = _broken(place, error)
        broken.open(port)
        return broken  # type: ignore[no-any-return]
    return driver


def closed(driver: object) -> None:
    """Close a driver, whatever it raises."""
    known: Any = driver
    with suppress(Exception):
        known.close()


def fault_of(driver: object) -> str:
    """Return the fault of a driver; that it raises is one."""
    known: Any = driver
    try:
        return str(known.fault)
    except Exception as error:  # noqa: BLE001 - any code may be behind it
        return _words(error)


def failure_of(do: Callable[[], object]) -> str:
    """Call a driver, and return what it raised in words; empty when it raised nothing."""
    try:
        do()
    except Exception as error:  # noqa: BLE001 - any code may be behind it
        _LOG.exception("driver_failed")
        return _words(error)
    return ""


def _broken(place: str, error: Exception) -> Any:  # noqa: ANN401 - it has the methods of every driver
    _LOG.error("driver_failed", place=place, exc_info=error)
    return BrokenDriver(place, _words(error))


def _words(error: Exception) -> str:
    return f"its driver failed: {type(error).__name__}: {error}"
