"""A rulebook: one venue's rules as data, from the wheel to the words on the screen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from types import MappingProxyType

from croupier.rules.bet import Bet
from croupier.rules.callbet import CallBet, NeighboursButton
from croupier.rules.clause import Clause, ClauseId
from croupier.rules.exposure import exposure_of
from croupier.rules.irregularity import Irregularity
from croupier.rules.layout import Area, Layout, derive_spots
from croupier.rules.limits import Limits
from croupier.rules.matter import Cites
from croupier.rules.money import Cents
from croupier.rules.paytable import Paytable
from croupier.rules.pocket import Pocket, in_order
from croupier.rules.procedure import Channel, ChannelName, Messages, Procedure, Profile, Tax, Terminal
from croupier.rules.refusal import Refusal
from croupier.rules.risk import RiskCheck
from croupier.rules.spot import Spot, SpotKey
from croupier.rules.staff import Staff
from croupier.rules.wheel import Wheel


@dataclass(frozen=True, slots=True)
class SpotAlias:
    """A second place on the felt for a spot that has one already: one bet, one limit."""

    name: str
    label: str
    spot: SpotKey
    area: Area
    clause: ClauseId


@dataclass(frozen=True, repr=False)
class Rulebook:
    """One venue's rules."""

    id: str
    venue: str
    title: str
    version: str
    currency: str
    #: A slip that can be played here, to show people what one looks like.
    example: str
    clause: ClauseId
    wheel: Wheel
    wheel_clause: ClauseId
    layout: Layout
    paytable: Paytable
    calls_clause: ClauseId
    procedure: Procedure
    channels: Mapping[ChannelName, Channel]
    staff: Staff
    cites: Cites
    messages: Messages
    irregularities: tuple[Irregularity, ...]
    clauses: tuple[Clause, ...]
    #: The day from which the document is in force; missing where it bears no date.
    effective: date | None = None
    terminal: Terminal = field(default_factory=Terminal)
    calls: tuple[CallBet, ...] = ()
    profiles: tuple[Profile, ...] = ()
    aliases: tuple[SpotAlias, ...] = ()
    #: The limits that the document itself fixes; a table's own may be narrower.
    limits: Limits | None = None
    neighbours_button: NeighboursButton | None = None
    risk: RiskCheck | None = None
    tax: Tax | None = None
    #: The clause that has the game system approved, where the rules ask for it.
    approval: ClauseId | None = None
    #: The clause that wants somebody notified before a table or terminal is closed, where there is one.
    closing_notice: ClauseId | None = None
    #: The clause on arrangements with single players, and the one on what they may be, where the rules know them.
    arrangement: ClauseId | None = None
    restriction: ClauseId | None = None
    #: The clause that has disputes follow a memorandum, where there is one.
    memorandum: ClauseId | None = None
    #: The clause that lists the only ways to add to the credit meter, where the list is closed.
    credit_only: ClauseId | None = None
    #: The SHA-256 of the rules above, the clause matrix left out; set by whoever loads the rulebook.
    digest: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"<Rulebook {self.id} {self.digest[:8]}>"

    def __hash__(self) -> int:
        return hash((self.id, self.version))

    @cached_property
    def spots(self) -> Mapping[SpotKey, Spot]:
        """Every legal spot by name: it is on the layout and it has a price."""
        derived = derive_spots(self.layout)
        return MappingProxyType({spot.key: spot for spot in derived if spot.kind in self.paytable.prices})

    @cached_property
    def pockets(self) -> tuple[Pocket, ...]:
        """The pockets of the wheel, in printed order."""
        return in_order(self.wheel.order)

    @cached_property
    def call_names(self) -> Mapping[str, CallBet]:
        """The calls by every name they go by."""
        return {name: call for call in self.calls for name in (call.name, *call.aliases)}

    @cached_property
    def spot_aliases(self) -> Mapping[str, Spot]:
        return {alias.name: self.spots[alias.spot] for alias in self.aliases}

    def risk_objection(self, bets: Iterable[Bet]) -> Refusal | None:
        """Say what the venue's risk check has against bets that stand together, counted in cents."""
        if self.risk is None:
            return None
        return self.risk.objection(exposure_of(bets, self.paytable, self.wheel), credit=Cents(1))
