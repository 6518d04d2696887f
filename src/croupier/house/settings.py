"""Operator settings and effective limits."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, NamedTuple

import msgspec

from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.limits import Limits, Range
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import Channel, TaxBasis
from croupier.rules.rulebook import Rulebook

#: So many closed records of each kind stay in the state unless the house was founded with another number.
RECORDS_KEPT: Final = 100


class Mode(StrEnum):
    """Whether the money is real; fixed when the house is founded."""

    REAL = "real"
    DEMO = "demo"


class WheelKind(StrEnum):
    """Where a table's numbers come from."""

    #: Sensors on a wheel that a dealer or a launcher spins.
    SENSOR = "sensor"
    #: A dealer types them.
    KEYPAD = "keypad"
    #: A random source draws them, once, after the seal.
    RANDOM = "random"


class LimitBounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least and the most; None where there is no bound."""

    least: Cents | None = None
    most: Cents | None = None


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on a spot, which a kind may have of its own, and on all bets of a game together."""

    spot: LimitBounds = LimitBounds()
    kinds: tuple[tuple[SpotKind, LimitBounds], ...] = ()
    total: LimitBounds = LimitBounds()


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table's limits and timers. Times are whole seconds; None switches a timer off."""

    limits: LimitSettings = LimitSettings()
    wheel: WheelKind = WheelKind.SENSOR
    #: Whether a dealer must confirm what the wheel reports before it is settled.
    confirms: bool = False
    #: From the opening to no more bets.
    betting_s: int | None = None
    #: From the warning to no more bets, where the rules have a warning.
    warning_s: int = 5
    #: From the launch to no more bets; the rulebook's own figure where it is None.
    launch_to_close_s: int | None = None
    #: From the launch until the ball counts as not seated.
    rest_s: int = 120
    #: From a settled round to the next opening; None where somebody opens it.
    pause_s: int | None = None
    #: The least time between opening and close.
    betting_least_s: int = 0
    games_per_hour_most: int | None = None
    #: How long a terminal may be dark before that is a malfunction, where the rules read it so.
    patience_s: int = 5
    #: How long a launch seen too early waits for a decision before the round is void.
    decision_s: int = 60
    #: How long an interrupted round waits for two people to attest where the ball lay; with 0 it is void at once.
    attest_s: int = 300
    #: How long a session goes on with no credits, stakes or held wins before it ends; None where only staff end it.
    session_idle_s: int | None = 600
    #: What is held against the tax threshold; the rulebook's own where it is None.
    tax_basis: TaxBasis | None = None
    #: How many numbers of past spins are shown.
    history_shown: int = 20


class TerminalSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a terminal offers."""

    #: The model, where the rulebook knows several.
    profile: str | None = None
    #: What one credit may be worth; the first is chosen at the start.
    denominations: tuple[Cents, ...] = (Cents(1),)
    #: The chips on the tray, in credits.
    chips: tuple[int, ...] = (100, 500, 1_000, 2_500, 10_000)
    #: The notes that are taken.
    notes: tuple[Cents, ...] = (Cents(500), Cents(1_000), Cents(2_000), Cents(5_000), Cents(10_000))
    #: Limits of its own, in place of the table's.
    limits: LimitSettings | None = None


@dataclass(frozen=True, slots=True)
class EffectiveLimits:
    """A game's limits, with each spot's own bounds looked up beforehand."""

    limits: Limits
    ranges: dict[SpotKey, Range]


def effective_limits(rulebook: Rulebook, channel: Channel, settings: LimitSettings) -> EffectiveLimits:
    kinds = {kind: _range(bounds) for kind, bounds in settings.kinds}
    spot, total = _range(settings.spot), _range(settings.total)
    document = rulebook.limits
    if document is not None:
        kinds = {kind: _narrower(kinds.get(kind, spot), document.of(kind)) for kind in SpotKind}
        spot = _narrower(spot, document.spot)
        total = _narrower(total, document.total)
    limits = Limits(
        under_clause=channel.under_minimum.clause,
        over_clause=channel.over_maximum.clause,
        spot=spot,
        kinds=kinds,
        total=total,
        total_under_clause=channel.total_minimum,
        total_over_clause=channel.total_maximum,
    )
    return EffectiveLimits(limits, {key: limits.of(each.kind) for key, each in rulebook.spots.items()})


#: A thousand million: what a full table then wins is still counted exactly wherever it is shown (2^53).
AMOUNT_MAX: Final = 100_000_000_000


class LimitProblem(NamedTuple):
    """A limit that cannot be kept: what it is a limit on, which of its bounds is wrong, and why."""

    on: str
    bound: Literal["least", "most"]
    words: str


def limit_problems(settings: LimitSettings) -> Iterator[LimitProblem]:
    """Say what is wrong with limits that cannot be kept."""
    named = {"spot": settings.spot, "total": settings.total}
    named |= {kind.value: bounds for kind, bounds in settings.kinds}
    for name, bounds in named.items():
        least, most = bounds.least or 0, bounds.most
        if least < 0 or (most is not None and most < max(least, 1)):
            words = f"The limits on {name} run from {least} to {most} cents, which nothing can keep."
            yield LimitProblem(name, "least" if least < 0 else "most", words)
        elif max(least, most or 0) > AMOUNT_MAX:
            words = f"The limits on {name} go beyond {amount_text(AMOUNT_MAX)}, which is more than is ever staked."
            yield LimitProblem(name, "least" if least > AMOUNT_MAX else "most", words)


def _range(bounds: LimitBounds) -> Range:
    return Range(bounds.least, bounds.most)


def _narrower(one: Range, other: Range) -> Range:
    leasts = [each.least for each in (one, other) if each.least is not None]
    mosts = [each.most for each in (one, other) if each.most is not None]
    return Range(Cents(max(leasts)) if leasts else None, Cents(min(mosts)) if mosts else None)
