"""Settings: what an operator chooses for the house, a table and a terminal, within the rules."""

from enum import StrEnum
from typing import Final

import msgspec

from croupier.rules.money import Cents
from croupier.rules.procedure import TaxBasis
from croupier.rules.spot import Kind

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


class Bounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least and the most; None where there is no bound."""

    least: Cents | None = None
    most: Cents | None = None


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on a spot, which a kind may have of its own, and on all bets of a game together."""

    spot: Bounds = Bounds()
    kinds: tuple[tuple[Kind, Bounds], ...] = ()
    total: Bounds = Bounds()


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
