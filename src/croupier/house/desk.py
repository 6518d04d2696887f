"""The cash desk: slips and tickets that are out, and the cashiers' drawers."""

from dataclasses import dataclass
from enum import StrEnum

from croupier.house.name import Day, DrawerId, Instant, Number, PersonId, TerminalId
from croupier.rules.procedure import CreditOut


class TicketState(StrEnum):
    """Where a slip or ticket stands."""

    ISSUED = "issued"
    PRINTED = "printed"
    REDEEMED = "redeemed"
    VOID = "void"
    EXPIRED = "expired"


@dataclass(slots=True)
class Ticket:
    """A slip or ticket; its number is known by digest and last four digits alone."""

    sequence: Number
    terminal: TerminalId
    form: CreditOut
    amount: int
    digest: str
    last_four: str
    issued_at: Instant
    day: Day
    #: Who collected it for the player, where the terminal could not: staff handed it over, and no terminal printed it.
    collected_by: PersonId = PersonId("")
    state: TicketState = TicketState.ISSUED
    duplicates: int = 0
    reported_lost: bool = False
    #: It may have been paid in a part of the journal that is lost.
    frozen: bool = False
    #: When, where and by whom it was paid.
    paid_at: Instant | None = None
    paid_place: str = ""
    paid_by: PersonId = PersonId("")

    @property
    def payable(self) -> bool:
        return self.state in (TicketState.ISSUED, TicketState.PRINTED)


@dataclass(slots=True)
class Drawer:
    """A cashier's drawer: what it began with, and what went in and out."""

    id: DrawerId
    cashier: PersonId
    float_: int
    opened_at: Instant
    cash: int
    paid_out: int = 0
    taken_in: int = 0
    #: What is in it, since it first moved: where a demonstration has several currencies, no drawer has two.
    currency: str = ""
    #: The last blind count, and what should have been there.
    counted: int | None = None
    expected: int | None = None
    closed: bool = False
