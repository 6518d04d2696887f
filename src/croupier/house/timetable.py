"""The timetable of a round: when betting closes by itself, when the ball is launched, when the next may begin."""

from croupier.house.command.base import AtTable
from croupier.house.name import SECOND, Instant
from croupier.house.settings import TableSettings
from croupier.house.state import House
from croupier.house.table import Round, Table
from croupier.rules.rulebook import Rulebook


def running(house: House, command: AtTable) -> tuple[Table, Round]:
    """Find the round that runs on a command's table; only for commands that need one."""
    table = house.tables[command.table]
    return table, table.playing


def next_opening(table: Table) -> Instant:
    """Tell when the next round may begin, by the most games that an hour may hold."""
    most, round_ = table.settings.games_per_hour_most, table.round
    if most is None or round_ is None:
        return Instant(0)
    return Instant(round_.opened_at + -(-3600 * SECOND // most))


def timetable(rulebook: Rulebook, settings: TableSettings, now: Instant) -> tuple[Instant | None, Instant | None]:
    """Tell when betting closes by itself, and when the ball is to be launched before that."""
    if settings.betting_s is None:
        return None, None
    closes_at = Instant(now + max(settings.betting_s, settings.betting_least_s) * SECOND)
    ahead = launch_to_close(rulebook, settings)
    return closes_at, None if ahead is None else Instant(max(now, closes_at - ahead))


def launch_to_close(rulebook: Rulebook, settings: TableSettings) -> int | None:
    """Tell how long after the launch betting closes, in microseconds, where the rules have it so."""
    figure = rulebook.procedure.launch_to_close
    if figure is None:
        return None
    return (settings.launch_to_close_s or figure.figure) * SECOND
