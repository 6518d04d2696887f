"""Operator settings and effective limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.limits import Limits, Range
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import Channel, TaxBasis
from croupier.rules.rulebook import Rulebook

#: The number of closed records of each kind in the state, unless the house was provisioned with another number.
RECORDS_KEPT: Final = 100


class Mode(StrEnum):
    """Whether the money is real; fixed when the house is provisioned."""

    REAL = "real"
    DEMO = "demo"


class WheelKind(StrEnum):
    """Where a table's numbers come from."""

    #: Sensors on a wheel that a dealer or a launcher spins.
    SENSOR = "sensor"
    #: A dealer enters them.
    KEYPAD = "keypad"
    #: A random source draws each once, after the seal.
    RANDOM = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The declaration of one setting: its meaning, and for a whole number its unit and bounds.

    It is part of the field's annotation. The house, the configuration file, its template and its reference page
    are all derived from it.
    """

    description: str
    unit: str = ""
    minimum: int = 0
    maximum: int = 999_999
    #: An example value as TOML; if empty, the default is shown.
    example: str = ""
    #: The behaviour when the setting has no value.
    unset: str = ""


#: An hour bounds the times of a round, and a day bounds the time in which people decide. Both are in seconds.
HOUR, DAY = 3_600, 24 * 3_600
#: The least time from launch to rest of a wheel with a driver, unless the venue states another.
SPIN_MIN_S: Final = 15
#: The number of past results that a table stores.
HISTORY_MAX: Final = 100


class LimitBounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least and the most; None where there is no bound.

    It is decoded from messages and refuses unknown fields. The rules, which decode nothing, have `Range`.
    """

    least: Cents | None = None
    most: Cents | None = None


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on a spot, which a kind may have of its own, and on all bets of a game together."""

    spot: LimitBounds = LimitBounds()
    kinds: tuple[tuple[SpotKind, LimitBounds], ...] = ()
    total: LimitBounds = LimitBounds()


class DozenLabels(StrEnum):
    """What is printed in the boxes of the dozens."""

    #: 1st 12, 2nd 12, 3rd 12.
    ORDINAL = "ordinal"
    #: 1 12, 13 24, 25 36.
    RANGE = "range"


class Recording(StrEnum):
    """How much of the play with chips is recorded at a live table."""

    #: Every chip on the layout.
    FULL = "full"
    #: Buy-ins, colours, results and payments.
    SUPERVISED = "supervised"


class LiveSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A live table, at which players bet with chips. Its set of chips and its recording are fixed when it is added."""

    recording: Annotated[
        Recording,
        Setting(
            description="What is recorded of play with chips: every chip on the layout, or buy-ins, colours, "
            "results and payments only."
        ),
    ] = Recording.FULL
    denominations: Annotated[
        tuple[Cents, ...], Setting(description="The values of the value chips in the float, in the venue's currency.")
    ] = (Cents(100), Cents(500), Cents(2_500), Cents(10_000), Cents(50_000))
    circulating: Annotated[
        tuple[Cents, ...],
        Setting(
            description="The values of further value chips of the venue that players may bet here, and that the float "
            "does not have.",
            example="[2.50]",
            unset="none",
        ),
    ] = ()
    value_colours: Annotated[
        tuple[str, ...],
        Setting(
            description="The colours and designs of the value chips, if players' colours must differ from them.",
            example='["red/house"]',
            unset="none",
        ),
    ] = ()
    emblem: Annotated[
        str,
        Setting(
            description="The emblem on the table's own chips, which have no value marked on them. It is unique.",
            example='"anchor"',
        ),
    ]
    colours: Annotated[
        tuple[str, ...],
        Setting(description='The colours of the table\'s own chips, or a colour and a design such as "blue/anchor".'),
    ] = ("blue", "green", "yellow", "orange", "pink", "brown")
    pieces: Annotated[
        int, Setting(description="The number of chips of each colour.", unit="chips", minimum=1, maximum=100_000)
    ] = 300
    multiples: Annotated[
        bool, Setting(description="Whether the notice at the table requires bets in multiples of the minimum.")
    ] = False
    marker_buttons: Annotated[
        tuple[str, ...],
        Setting(
            description="The marker buttons at the table: each with its number, and on its rim the neighbours of that "
            "number on the wheel.",
            example='["17: 2 25 34 6"]',
            unset="one for each number of the wheel",
        ),
    ] = ()
    infringements_most: Annotated[
        int,
        Setting(
            description="The number of infringements from which a dealer may refuse the bets of a player.",
            unit="infringements",
            minimum=1,
            maximum=100,
        ),
    ] = 3
    marker_unit: Annotated[
        Cents | None,
        Setting(
            description="The lowest bet under a Neighbours marker, if the notice names one.",
            example="25",
            unset="five times the minimum",
        ),
    ] = None
    markers_per_number: Annotated[
        int | None,
        Setting(
            description="How many marker bets one number may have in a spin.",
            unit="bets",
            minimum=1,
            maximum=100,
            example="2",
            unset="no limit",
        ),
    ] = None
    markers_per_spin: Annotated[
        int | None,
        Setting(
            description="How many marker bets all numbers together may have in a spin.",
            unit="bets",
            minimum=1,
            maximum=1_000,
            example="10",
            unset="no limit",
        ),
    ] = None
    designated_only: Annotated[
        bool, Setting(description="Whether only players whom an inspector names may use marker buttons.")
    ] = False
    cash_from: Annotated[
        int | None,
        Setting(
            description="From how many pieces whole stacks of a payment are paid in value chips.",
            unit="chips",
            minimum=20,
            maximum=100_000,
            example="100",
            unset="whenever the rack lacks pieces",
        ),
    ] = None


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table's limits and timers. Times are whole seconds; None switches a timer off."""

    limits: LimitSettings = LimitSettings()
    #: None at a stand-alone table.
    live: LiveSettings | None = None
    wheel: Annotated[
        WheelKind,
        Setting(
            description="The source of the numbers: sensors at the wheel, the dealer's keypad, or a random generator. "
            "A wheel with sensors needs a `driver`. Without one, a dealer who spins the ball enters every number, and "
            "a wheel that launches its own ball needs keypad or random.",
        ),
    ] = WheelKind.SENSOR
    confirms: Annotated[
        bool,
        Setting(
            description="Whether a dealer confirms the number that the wheel reports before settlement. "
            "A live table needs `true`."
        ),
    ] = False
    provable: Annotated[
        bool,
        Setting(
            description="Whether the draws of a random wheel can be proven: the house commits to a secret before "
            "bets, and players may add shares."
        ),
    ] = False
    inspects_equipment: Annotated[
        bool,
        Setting(
            description="Whether rounds open only after the wheel head and the ball were inspected on this gaming day."
        ),
    ] = False
    betting_s: Annotated[
        int | None,
        Setting(
            description="The time from opening to no more bets.",
            unit="seconds",
            minimum=1,
            maximum=HOUR,
            example="25",
            unset="a dealer closes",
        ),
    ] = None
    warning_s: Annotated[
        int,
        Setting(
            description="The time from the warning to no more bets, if the rules have a warning.",
            unit="seconds",
            maximum=HOUR,
        ),
    ] = 5
    launch_to_close_s: Annotated[
        int | None,
        Setting(
            description="The time from the launch to no more bets, if the rules have such a time.",
            unit="seconds",
            minimum=1,
            maximum=HOUR,
            example="5",
            unset="the rulebook's time",
        ),
    ] = None
    rest_s: Annotated[
        int,
        Setting(
            description="The time from the launch until the ball counts as not seated.", unit="seconds", maximum=HOUR
        ),
    ] = 120
    pause_s: Annotated[
        int | None,
        Setting(
            description="The time from a settled round to the next opening.",
            unit="seconds",
            maximum=HOUR,
            example="6",
            unset="a dealer opens",
        ),
    ] = None
    betting_min_s: Annotated[
        int, Setting(description="The minimum time from opening to close.", unit="seconds", maximum=HOUR)
    ] = 0
    games_per_hour_max: Annotated[
        int | None,
        Setting(
            description="The maximum number of games in an hour.",
            unit="games",
            minimum=1,
            maximum=HOUR,
            example="60",
            unset="no limit",
        ),
    ] = None
    offline_grace_s: Annotated[
        int,
        Setting(
            description="How long a terminal may be offline before it is a malfunction, if the rules say so.",
            unit="seconds",
            maximum=DAY,
        ),
    ] = 5
    decision_s: Annotated[
        int,
        Setting(
            description="How long a launch that was reported too early waits for a decision before the round is void, "
            "and how long a held round waits before it is referred.",
            unit="seconds",
            maximum=DAY,
        ),
    ] = 60
    attest_s: Annotated[
        int,
        Setting(
            description="How long an interrupted round waits for two people to attest where the ball lay. 0 voids it "
            "at once.",
            unit="seconds",
            maximum=DAY,
        ),
    ] = 300
    #: None means that only staff end a session.
    session_idle_s: Annotated[
        int | None,
        Setting(
            description="How long a session without credits, stakes and held wins lasts before it ends. The next money "
            "then begins another session.",
            unit="seconds",
            minimum=1,
            maximum=DAY,
        ),
    ] = 600
    tax_basis: Annotated[
        TaxBasis | None,
        Setting(
            description="The amount that is compared with the tax threshold, if the rules have one.",
            example='"net_of_winning_stakes"',
            unset="the rulebook's basis",
        ),
    ] = None
    history_shown: Annotated[
        int,
        Setting(
            description="How many numbers of past spins are shown.", unit="numbers", minimum=1, maximum=HISTORY_MAX
        ),
    ] = 20
    open_text: Annotated[
        str | None,
        Setting(
            description="The words that open betting: one of those that the rulebook permits.",
            example='"Bets are open"',
            unset="the first of them",
        ),
    ] = None
    dozen_labels: Annotated[
        DozenLabels,
        Setting(description="The boxes of the dozens: 1st 12, or where the rules permit it their numbers (1 12)."),
    ] = DozenLabels.ORDINAL
    net_win: Annotated[bool, Setting(description="Whether the greatest win of a bet is shown without its stake.")] = (
        False
    )


class TerminalSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a terminal offers."""

    profile: Annotated[
        str | None,
        Setting(
            description="The terminal model, if the rulebook has several.",
            example='"terminal"',
            unset="the rulebook's usual model",
        ),
    ] = None
    denominations: Annotated[
        tuple[Cents, ...],
        Setting(
            description="The possible values of one credit, in the venue's currency. A session starts with the first."
        ),
    ] = (Cents(1),)
    chips: Annotated[tuple[int, ...], Setting(description="The chips on the tray, in credits.", maximum=10**9)] = (
        100,
        500,
        1_000,
        2_500,
        10_000,
    )
    notes: Annotated[
        tuple[Cents, ...], Setting(description="The notes that are accepted, in the venue's currency.")
    ] = (Cents(500), Cents(1_000), Cents(2_000), Cents(5_000), Cents(10_000))
    #: Its own limits, which replace the table's.
    limits: LimitSettings | None = None


@dataclass(frozen=True, slots=True)
class EffectiveLimits:
    """A game's limits, with the bounds of each spot precomputed."""

    limits: Limits
    ranges: dict[SpotKey, Range]
    #: The same as plain integers: the minimum is 0 and the maximum beyond every amount where there is none.
    bounds: dict[SpotKey, tuple[int, int]]
    #: The maximum of all stakes together in the same way.
    total_most: int
    #: The highest minimum of any spot.
    least: int


def effective_limits(rulebook: Rulebook, channel: Channel, settings: LimitSettings) -> EffectiveLimits:
    kinds = {kind: _range(bounds) for kind, bounds in settings.kinds}
    spot, total = _range(settings.spot), _range(settings.total)
    document = rulebook.limits
    if document is not None:
        kinds = {kind: _narrower(kinds.get(kind, spot), document.of(kind)) for kind in rulebook.kind_names}
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
    ranges = {key: limits.of(each.kind) for key, each in rulebook.spots.items()}
    bounds = {key: (each.least or 0, _most(each)) for key, each in ranges.items()}
    return EffectiveLimits(limits, ranges, bounds, _most(total), max(least for least, _ in bounds.values()))


def _most(bounds: Range) -> int:
    return NO_MAXIMUM if bounds.most is None else bounds.most


#: Beyond every amount.
NO_MAXIMUM: Final = 2**63
#: 10^9 currency units, in cents: the win of a full table is then still represented exactly wherever it is shown (2^53).
AMOUNT_MAX: Final = 100_000_000_000


class LimitProblem(NamedTuple):
    """An impossible limit: its subject, the wrong bound, and the reason."""

    on: str
    bound: Literal["least", "most"]
    words: str


def limit_problems(settings: LimitSettings) -> Iterator[LimitProblem]:
    """List the problems of limits that cannot be applied."""
    named = {"spot": settings.spot, "total": settings.total}
    named |= {str(kind): bounds for kind, bounds in settings.kinds}
    for name, bounds in named.items():
        least, most = bounds.least or 0, bounds.most
        if least < 0 or (most is not None and most < max(least, 1)):
            words = f"The limits on {name} are {least} to {most} cents: no stake is within them."
            yield LimitProblem(name, "least" if least < 0 else "most", words)
        elif max(least, most or 0) > AMOUNT_MAX:
            words = f"The limits on {name} go beyond {amount_text(AMOUNT_MAX)}, the largest amount."
            yield LimitProblem(name, "least" if least > AMOUNT_MAX else "most", words)


def _range(bounds: LimitBounds) -> Range:
    return Range(bounds.least, bounds.most)


def _narrower(one: Range, other: Range) -> Range:
    leasts = [each.least for each in (one, other) if each.least is not None]
    mosts = [each.most for each in (one, other) if each.most is not None]
    return Range(Cents(max(leasts)) if leasts else None, Cents(min(mosts)) if mosts else None)
