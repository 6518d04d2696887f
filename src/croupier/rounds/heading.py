"""Headings: the settings of a venue, a table and a seat, written as a round has them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from croupier.house.settings import Bounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rounds.setting import SeatSetting, VenueSetting, set_all, set_seat, set_table, set_venue
from croupier.rounds.wanted import WantedError
from croupier.rules.money import amount_text
from croupier.rules.transcript import Setting

#: Each timer or choice of a table, by the field that keeps it. Without its pause a round stands by itself.
_TABLE: Final = {
    "betting_s": "betting",
    "warning_s": "warning",
    "launch_to_close_s": "launch",
    "rest_s": "rest",
    "betting_least_s": "least betting",
    "games_per_hour_most": "games per hour",
    "patience_s": "patience",
    "decision_s": "decision",
    "attest_s": "attest",
    "session_idle_s": "session idle",
    "wheel": "wheel",
    "tax_basis": "tax basis",
    "history_shown": "history",
}


def venue_settings(house: House) -> Iterator[Setting]:
    """Write the gaming day, and how long slips and tickets are good for."""
    yield from legible(_terms(house), lambda setting: set_venue(VenueSetting(), setting))


def _terms(house: House) -> Iterator[Setting]:
    if house.day:
        yield Setting("day", date_text(house.day))
    if house.ticket_days is not None:
        yield Setting("ticket days", str(house.ticket_days))


def date_text(day: int) -> str:
    """Write a gaming day such as 2020-03-17."""
    digits = f"{day:08d}"
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def table_settings(settings: TableSettings) -> Iterator[Setting]:
    """Write what a table sets besides what is so anyway."""
    yield from legible(_all_of(settings), lambda setting: set_table(TableSettings(), setting))


def _all_of(settings: TableSettings) -> Iterator[Setting]:
    plain = TableSettings()
    yield from limit_settings(settings.limits)
    for name, words in _TABLE.items():
        value = getattr(settings, name)
        if value != getattr(plain, name):
            yield Setting(words, str(value))
    if settings.confirms:
        yield Setting("confirms", "yes")


def limit_settings(limits: LimitSettings) -> Iterator[Setting]:
    """Write limits on a spot, of all bets together, and of each kind."""
    yield from _bounds("", limits.spot, "")
    yield from _bounds("", limits.total, " total")
    for kind, bounds in limits.kinds:
        yield from _bounds(f"{kind.value.replace('_', '-')} ", bounds, "")


def _bounds(before: str, bounds: Bounds, after: str) -> Iterator[Setting]:
    for word, amount in (("minimum", bounds.least), ("maximum", bounds.most)):
        if amount is not None:
            yield Setting(f"{before}{word}{after}", amount_text(amount))


def legible(settings: Iterable[Setting], read: Callable[[Setting], object]) -> Iterator[Setting]:
    """Leave out what cannot be read again: figures that are too long."""
    for setting in settings:
        try:
            read(setting)
        except WantedError:
            continue
        yield setting


def told_whole(settings: TableSettings) -> bool:
    """Tell whether a heading says all that a table sets but its pause: a kind without the table's bound cannot be."""
    read = set_all(TableSettings(pause_s=settings.pause_s), table_settings(settings))
    return read == settings


def seat_settings(terminal: Terminal, credit: int) -> Iterator[Setting]:
    """Write a seat's credit and what its terminal offers, the credit that is chosen first."""
    yield from legible(_offers(terminal, credit), lambda setting: set_seat(SeatSetting(), setting))


def _offers(terminal: Terminal, credit: int) -> Iterator[Setting]:
    plain, settings = TerminalSettings(), terminal.settings
    worth = sorted(settings.denominations, key=lambda each: each != terminal.denomination)
    if credit:
        yield Setting("credit", amount_text(credit))
    if settings.profile is not None:
        yield Setting("profile", settings.profile)
    if tuple(worth) != plain.denominations:
        yield Setting("denomination", "/".join(map(amount_text, worth)))
    if settings.notes != plain.notes:
        yield Setting("notes", "/".join(map(amount_text, settings.notes)))
    if settings.chips != plain.chips:
        yield Setting("chip values", "/".join(map(str, settings.chips)))
