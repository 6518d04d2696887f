"""The log: to the screen, or to a file that is begun anew every midnight."""

from logging.handlers import TimedRotatingFileHandler
from pathlib import Path

from croupier.config.shape import Log
from croupier.upkeep import log


def test_log_goes_to_a_file_where_one_is_named(tmp_path: Path) -> None:
    """The folder of the file is made, and as many days are kept as are wanted."""
    path = tmp_path / "logs" / "croupier.log"
    handler = log._handler(Log(path=path, keep_days=3))  # noqa: SLF001 - to set the whole log up would change this process
    handler.close()

    assert isinstance(handler, TimedRotatingFileHandler)
    assert (path.exists(), handler.backupCount, handler.when) == (True, 3, "MIDNIGHT")
