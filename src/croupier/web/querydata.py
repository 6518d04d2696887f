"""What staff are told when they ask: corrections tried, rounds replayed, the journal, tickets, meters and people."""

import msgspec

from croupier.rules.pocket import Pocket
from croupier.rules.spot import SpotKey
from croupier.web.needdata import Action
from croupier.web.seatdata import Cited


class Money(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is a player's at one terminal."""

    credit: int
    #: Chips on this table.
    up: int
    held: int
    #: Owed to the house after corrections; below nothing where the house owes it.
    owed: int


class Reckoned(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One seat before and after a correction that is only tried."""

    terminal: str
    staked: int
    paid: int
    due: int
    before: Money
    after: Money
    #: Whoever played then has collected since.
    gone: bool


class Deed(msgspec.Struct, frozen=True, gc=False):
    """Who has done something, and when."""

    person: str
    at_us: int


class FrozenRound(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A round as it stood when somebody disputed it."""

    rulebook: str
    opened_at_us: int
    status: str
    pocket: Pocket | None
    #: Numbers that stood before they were corrected.
    corrected: tuple[Pocket, ...]
    reason: str
    clause: str | None
    #: How many seats had sealed bets, what they staked, and what they got back by then.
    seats: int
    staked: int
    returned: int
    #: The seat that the dispute is about: its sealed chips, and what it got back.
    stakes: dict[SpotKey, int]
    paid: int | None
    #: The seal's own digest, as the journal has it; and one over all that was frozen.
    sealed: str
    digest: str


class DisputeRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A dispute, with everything that the house keeps of it."""

    dispute: int
    table: str
    round: int
    terminal: str | None
    basis: str
    #: By which clause it is dealt with, and the rule that it arises from.
    clause: str
    rule: str | None
    words: str
    memorandum: str
    state: str
    opened: Deed
    #: None where only the journal still has the round whole.
    evidence: FrozenRound | None
    decision: str
    decided: Deed | None
    advised: Deed | None
    #: Who put it on record that a review is asked for, and whether it is the house that asks.
    review: Deed | None
    review_by_house: bool
    outcome: str
    reviewed: Deed | None
    resolved: bool | None
    closed: Deed | None
    #: What can be done about it now, and by whom.
    actions: tuple[Action, ...]


class ReplayStep(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One thing that happened in a round."""

    position: int
    at_us: int
    kind: str
    words: str
    clause: str | None
    person: str
    device: str
    terminal: str | None
    #: What lay on each spot that was touched after it; nothing where no chips were moved.
    stakes: dict[SpotKey, int]
    pocket: Pocket | None


class ReplaySeat(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One seat of a round: its chips as they were sealed, and what came of them."""

    terminal: str
    at_start: dict[SpotKey, int]
    sealed: dict[SpotKey, int]
    staked: int
    returned: int | None
    #: The spots that won, with what each brought back.
    winners: dict[SpotKey, int]


class JournalRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An entry of the journal in plain words."""

    position: int
    at_us: int
    day: int
    kind: str
    words: str
    clause: str | None
    person: str
    device: str
    table: str | None
    terminal: str | None
    #: The round of its table that it is about, where it names one.
    round: int | None


class TicketRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A slip or ticket, as the house has it."""

    sequence: int
    form: str
    amount: int
    currency: str
    #: One of issued, printed, redeemed, void and expired; frozen where that stands in the way of payment.
    status: str
    terminal: str
    issued_at_us: int
    day: int
    last_four: str
    duplicates: int
    reported_lost: bool
    paid_at_us: int | None
    paid_place: str
    paid_by: str
    #: Why it is not paid, where it is not.
    why_not: Cited | None
    #: What can be done with it besides paying it.
    actions: tuple[Action, ...]


class AuditLine(msgspec.Struct, frozen=True, gc=False):
    """One line of a self-audit: what is added up, and what it comes to."""

    words: str
    amount: int


class PersonRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A member of staff."""

    person: str
    titles: tuple[str, ...]
    #: Titles held for a time, each with when that ends.
    acting: tuple[tuple[str, int], ...]
    #: The consoles at which this person is signed in now.
    devices: tuple[str, ...]
