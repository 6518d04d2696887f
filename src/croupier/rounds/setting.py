"""Settings: what may be set for the venue, a table and a seat of a round, and how each value is read."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_fields
from datetime import date
from enum import StrEnum
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from croupier.house.settings import LimitSettings, Mode, TableSettings, TerminalSettings, WheelKind
from croupier.rounds.wanted import WantedError
from croupier.rules.money import Cents, cents_of
from croupier.rules.procedure import TaxBasis
from croupier.rules.spot import Kind
from croupier.rules.transcript import Setting

EVEN_MONEY: Final = (Kind.RED, Kind.BLACK, Kind.ODD, Kind.EVEN, Kind.LOW, Kind.HIGH)


@dataclass(frozen=True, slots=True)
class VenueSetting:
    """Whether the money is real, the gaming day, and how long slips and tickets are good for."""

    mode: Mode = Mode.DEMO
    day: int = 20261115
    ticket_days: int | None = None


@dataclass(frozen=True, slots=True)
class SeatSetting:
    """A seat's credit, at how many tables it plays, and what its terminal offers."""

    credit: int = 0
    tables: int = 1
    terminal: TerminalSettings = field(default_factory=TerminalSettings)


def _amount(value: str) -> Cents:
    cents = cents_of(value)
    if cents is None:
        raise WantedError("an amount")
    return cents


def _amounts(value: str) -> tuple[Cents, ...]:
    return tuple(_amount(each) for each in value.split("/"))


def _whole(value: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", value):
        raise WantedError("a whole number")
    return int(value)


def _wholes(value: str) -> tuple[int, ...]:
    return tuple(_whole(each) for each in value.split("/"))


def _yes(value: str) -> bool:
    if value not in ("yes", "no"):
        raise WantedError("'yes' or 'no'")
    return value == "yes"


def gaming_day(value: str) -> int:
    """Read a gaming day such as 2020-03-17 into the number that the house keeps."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        raise WantedError("a day such as 2020-03-17") from None
    return int(day.strftime("%Y%m%d"))


Read = Callable[[str], object]


def _one_of(words: type[StrEnum]) -> Read:
    def read(value: str) -> StrEnum:
        if value not in set(words):
            raise WantedError(f"one of {', '.join(words)}")
        return words(value)

    return read


#: A setting's own field, and how its value is read.
Known = Mapping[str, tuple[str, Read]]

_VENUE: Final[Known] = {
    "day": ("day", gaming_day),
    "mode": ("mode", _one_of(Mode)),
    "ticket days": ("ticket_days", _whole),
}

_TABLE: Final[Known] = {
    "betting": ("betting_s", _whole),
    "warning": ("warning_s", _whole),
    "launch": ("launch_to_close_s", _whole),
    "rest": ("rest_s", _whole),
    "pause": ("pause_s", _whole),
    "least betting": ("betting_least_s", _whole),
    "games per hour": ("games_per_hour_most", _whole),
    "patience": ("patience_s", _whole),
    "decision": ("decision_s", _whole),
    "attest": ("attest_s", _whole),
    "session idle": ("session_idle_s", _whole),
    "wheel": ("wheel", _one_of(WheelKind)),
    "confirms": ("confirms", _yes),
    "tax basis": ("tax_basis", _one_of(TaxBasis)),
    "history": ("history_shown", _whole),
}

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
    """Change one of a table's settings, or raise WantedError with what was wanted."""
    limit = _LIMIT.fullmatch(setting.name)
    if limit is None:
        return replace(table, **_read(_TABLE, setting, "minimum", "maximum"))
    return replace(table, limits=_limited(table.limits, limit, _value(_amount, setting)))


def set_all(table: TableSettings, settings: Iterable[Setting]) -> TableSettings:
    for setting in settings:
        table = set_table(table, setting)
    return table


def _read(known: Known, setting: Setting, *others: str) -> dict[str, Any]:
    if setting.name not in known:
        raise WantedError(f"one of the settings {', '.join((*known, *others))}")
    name, read = known[setting.name]
    return {name: _value(read, setting)}


Value = TypeVar("Value")


def _value(read: Callable[[str], Value], setting: Setting) -> Value:
    try:
        return read(setting.value)
    except WantedError as error:
        raise WantedError(f"{error} after '{setting.name}'") from None


def _limited(limits: LimitSettings, limit: re.Match[str], amount: Cents) -> LimitSettings:
    change = {"least" if limit["bound"] == "minimum" else "most": amount}
    if limit["kind"] is None:
        part = "total" if limit["total"] else "spot"
        return replace(limits, **{part: replace(getattr(limits, part), **change)})
    kinds = dict(limits.kinds)
    for kind in _kinds(limit["kind"]):
        # A kind keeps the table's other bound, where that is set before it.
        kinds[kind] = replace(kinds.get(kind, limits.spot), **change)
    return replace(limits, kinds=tuple(kinds.items()))


def _kinds(name: str) -> tuple[Kind, ...]:
    if name == "even-money":
        return EVEN_MONEY
    known = {kind.value.replace("_", "-"): kind for kind in Kind}
    if name not in known:
        raise WantedError(f"one of {', '.join(known)} or even-money")
    return (known[name],)
