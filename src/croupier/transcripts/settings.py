"""Settings of venue, table and seat, read and written."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_fields
from datetime import date
from enum import StrEnum
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from croupier.house import House
from croupier.house.settings import (
    LimitBounds,
    LimitSettings,
    LiveSettings,
    Mode,
    Recording,
    TableSettings,
    TerminalSettings,
    WheelKind,
)
from croupier.house.state.tables import Terminal
from croupier.rules.geometry import EVEN_MONEY, SpotKind
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.procedure import TaxBasis
from croupier.transcripts.format import ParseExpectationError, Setting


@dataclass(frozen=True, slots=True)
class VenueSetting:
    """Whether the money is real, the gaming day, and how long slips and tickets are valid."""

    mode: Mode = Mode.DEMO
    day: int = 20261115
    ticket_days: int | None = None


@dataclass(frozen=True, slots=True)
class SeatSetting:
    """A seat's credit, the number of its tables, and its terminal's settings."""

    credit: int = 0
    tables: int = 1
    terminal: TerminalSettings = field(default_factory=TerminalSettings)


def _amount(value: str) -> Cents:
    cents = cents_of(value)
    if cents is None:
        raise ParseExpectationError("an amount")
    return cents


def amount_after(setting: Setting) -> Cents:
    """Parse the amount of a setting."""
    return _value(_amount, setting)


def _amounts(value: str) -> tuple[Cents, ...]:
    return tuple(_amount(each) for each in value.split("/"))


def _whole(value: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", value):
        raise ParseExpectationError("a whole number")
    return int(value)


def _wholes(value: str) -> tuple[int, ...]:
    return tuple(_whole(each) for each in value.split("/"))


def _yes(value: str) -> bool:
    if value not in ("yes", "no"):
        raise ParseExpectationError("'yes' or 'no'")
    return value == "yes"


def gaming_day(value: str) -> int:
    """Parse a gaming day such as 2020-03-17 into the house's number."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        raise ParseExpectationError("a day such as 2020-03-17") from None
    return int(day.strftime("%Y%m%d"))


Read = Callable[[str], object]


def _one_of(words: type[StrEnum]) -> Read:
    def read(value: str) -> StrEnum:
        if value not in set(words):
            raise ParseExpectationError(f"one of {', '.join(words)}")
        return words(value)

    return read


#: The field of a setting, and the parser of its value.
Known = Mapping[str, tuple[str, Read]]

_VENUE: Final[Known] = {
    "day": ("day", gaming_day),
    "mode": ("mode", _one_of(Mode)),
    "ticket days": ("ticket_days", _whole),
}

_TABLE_SETTINGS: Final[Known] = {
    "betting": ("betting_s", _whole),
    "warning": ("warning_s", _whole),
    "launch": ("launch_to_close_s", _whole),
    "rest": ("rest_s", _whole),
    "pause": ("pause_s", _whole),
    "least betting": ("betting_min_s", _whole),
    "games per hour": ("games_per_hour_max", _whole),
    "patience": ("offline_grace_s", _whole),
    "decision": ("decision_s", _whole),
    "attest": ("attest_s", _whole),
    "session idle": ("session_idle_s", _whole),
    "wheel": ("wheel", _one_of(WheelKind)),
    "confirms": ("confirms", _yes),
    "tax basis": ("tax_basis", _one_of(TaxBasis)),
    "history": ("history_shown", _whole),
}

#: The settings of a live table. Any of them makes a table one, at which a dealer confirms every number.
_LIVE: Final[Known] = {
    "recording": ("recording", _one_of(Recording)),
    "denominations": ("denominations", _amounts),
    "smallest": ("denominations", lambda value: _from_smallest(_amount(value))),
    "takes": ("circulating", _amounts),
    "set": ("emblem", str),
    "colours": ("colours", lambda value: tuple(value.split("/"))),
    "pieces": ("pieces", _whole),
    "multiples": ("multiples", _yes),
    "marker unit": ("marker_unit", _amount),
    "markers per number": ("markers_per_number", _whole),
    "markers per spin": ("markers_per_spin", _whole),
    "designated only": ("designated_only", _yes),
    "cash from": ("cash_from", _whole),
    "infringements": ("infringements_most", _whole),
}


def _from_smallest(smallest: Cents) -> tuple[Cents, ...]:
    """List the usual value chips that a smallest one divides, beginning with it."""
    usual = LiveSettings(emblem="").denominations
    return (smallest, *(each for each in usual if each > smallest and each % smallest == 0))


_SEAT: Final[Known] = {
    "credit": ("credit", _amount),
    "chips": ("credit", _amount),
    "tables": ("tables", _whole),
}

_TERMINAL: Final[Known] = {
    "denomination": ("denominations", _amounts),
    "profile": ("profile", str),
    "notes": ("notes", _amounts),
    "chip values": ("chips", _wholes),
}

_LIMIT: Final = re.compile("(?:(?P<kind>[a-z-]+) )?(?P<bound>minimum|maximum)(?P<total> total)?")


def set_venue(venue: VenueSetting, setting: Setting) -> VenueSetting:
    return with_fields(venue, **_read(_VENUE, setting))


def set_seat(seat: SeatSetting, setting: Setting) -> SeatSetting:
    if setting.name in _TERMINAL:
        return with_fields(seat, terminal=replace(seat.terminal, **_read(_TERMINAL, setting)))
    return with_fields(seat, **_read(_SEAT, setting, *_TERMINAL))


def set_table(table: TableSettings, setting: Setting) -> TableSettings:
    """Change one of a table's settings, or raise ParseExpectationError with what is expected."""
    limit = _LIMIT.fullmatch(setting.name)
    if setting.name in _LIVE:
        live = table.live or LiveSettings(emblem="anchor")
        return replace(table, live=replace(live, **_read(_LIVE, setting)), confirms=True)
    if limit is None:
        return replace(table, **_read(_TABLE_SETTINGS, setting, *_LIVE, "minimum", "maximum"))
    return replace(table, limits=_limited(table.limits, limit, _value(_amount, setting)))


def set_all(table: TableSettings, settings: Iterable[Setting]) -> TableSettings:
    for setting in settings:
        table = set_table(table, setting)
    return table


def _read(known: Known, setting: Setting, *others: str) -> dict[str, Any]:
    if setting.name not in known:
        raise ParseExpectationError(f"one of the settings {', '.join((*known, *others))}")
    name, read = known[setting.name]
    return {name: _value(read, setting)}


Value = TypeVar("Value")


def _value(read: Callable[[str], Value], setting: Setting) -> Value:
    try:
        return read(setting.value)
    except ParseExpectationError as error:
        raise ParseExpectationError(f"{error} after '{setting.name}'") from None


def _limited(limits: LimitSettings, limit: re.Match[str], amount: Cents) -> LimitSettings:
    change = {"least" if limit["bound"] == "minimum" else "most": amount}
    if limit["kind"] is None:
        part = "total" if limit["total"] else "spot"
        return replace(limits, **{part: replace(getattr(limits, part), **change)})
    kinds = dict(limits.kinds)
    for kind in _kinds(limit["kind"]):
        # A kind inherits the table's other bound, if that is set before it.
        kinds[kind] = replace(kinds.get(kind, limits.spot), **change)
    return replace(limits, kinds=tuple(kinds.items()))


def _kinds(name: str) -> tuple[SpotKind, ...]:
    if name == "even-money":
        return EVEN_MONEY
    # A kind that no rulebook has is refused by the house when the table is set up.
    return (SpotKind(name.replace("-", "_")),)


#: Each timer or choice of a table, by its field. The pause is not among them: a transcript has one round.
_TABLE_HEADINGS: Final = {
    "betting_s": "betting",
    "warning_s": "warning",
    "launch_to_close_s": "launch",
    "rest_s": "rest",
    "betting_min_s": "least betting",
    "games_per_hour_max": "games per hour",
    "offline_grace_s": "patience",
    "decision_s": "decision",
    "attest_s": "attest",
    "session_idle_s": "session idle",
    "wheel": "wheel",
    "tax_basis": "tax basis",
    "history_shown": "history",
}


def venue_settings(house: House) -> Iterator[Setting]:
    """Write the gaming day, and how long slips and tickets are valid."""
    yield from legible(_of_venue(house), lambda setting: set_venue(VenueSetting(), setting))


def _of_venue(house: House) -> Iterator[Setting]:
    if house.day:
        yield Setting("day", date_text(house.day))
    if house.setup.ticket_days is not None:
        yield Setting("ticket days", str(house.setup.ticket_days))


def date_text(day: int) -> str:
    """Write a gaming day such as 2020-03-17."""
    digits = f"{day:08d}"
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def table_settings(settings: TableSettings) -> Iterator[Setting]:
    """Write a table's settings that differ from the defaults."""
    yield from legible(_all_of(settings), lambda setting: set_table(TableSettings(), setting))


def _all_of(settings: TableSettings) -> Iterator[Setting]:
    plain = TableSettings()
    yield from limit_settings(settings.limits)
    for name, words in _TABLE_HEADINGS.items():
        value = getattr(settings, name)
        if value != getattr(plain, name):
            yield Setting(words, str(value))
    if settings.live is not None:
        yield from _live_settings(settings.live)
    elif settings.confirms:
        yield Setting("confirms", "yes")


def _live_settings(live: LiveSettings) -> Iterator[Setting]:
    plain = LiveSettings(emblem=live.emblem)
    yield Setting("recording", live.recording)
    yield Setting("set", live.emblem)
    for name, (field_name, _) in _LIVE.items():
        value = getattr(live, field_name)
        if name in ("smallest", "set", "recording") or value == getattr(plain, field_name):
            continue
        if isinstance(value, bool):
            yield Setting(name, "yes" if value else "no")
        elif name in ("denominations", "takes"):
            yield Setting(name, "/".join(map(amount_text, value)))
        elif name == "colours":
            yield Setting(name, "/".join(value))
        else:
            yield Setting(name, amount_text(value) if name == "marker unit" else str(value))


def limit_settings(limits: LimitSettings) -> Iterator[Setting]:
    """Write limits on a spot, of all bets together, and of each kind."""
    yield from _bounds("", limits.spot, "")
    yield from _bounds("", limits.total, " total")
    for kind, bounds in limits.kinds:
        yield from _bounds(f"{kind.replace('_', '-')} ", bounds, "")


def _bounds(before: str, bounds: LimitBounds, after: str) -> Iterator[Setting]:
    for word, amount in (("minimum", bounds.least), ("maximum", bounds.most)):
        if amount is not None:
            yield Setting(f"{before}{word}{after}", amount_text(amount))


def legible(settings: Iterable[Setting], read: Callable[[Setting], object]) -> Iterator[Setting]:
    """Omit values that cannot be parsed again: numbers with too many digits."""
    for setting in settings:
        try:
            read(setting)
        except ParseExpectationError:
            continue
        yield setting


def can_be_written(settings: TableSettings) -> bool:
    """Return whether headings can express all settings but the pause: a kind without the table's bound cannot be."""
    read = set_all(TableSettings(pause_s=settings.pause_s), table_settings(settings))
    return read == settings


def seat_settings(terminal: Terminal, credit: int) -> Iterator[Setting]:
    """Write a seat's credit and its terminal's settings, the chosen denomination first."""
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
