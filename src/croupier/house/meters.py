"""Meters: what a terminal and a table have counted since they were set up."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class TerminalMeters:
    """A terminal's counters, in cents but for the games."""

    #: Stakes that were sealed, and what came back for them, stakes included.
    turnover: int = 0
    returned: int = 0
    #: Sealed stakes that went back because a round or its bets were void.
    refunded: int = 0
    games: int = 0
    #: How many notes of each value.
    notes: Counter[int] = field(default_factory=Counter)
    #: Cash that was taken at the cashier's.
    bought_in: int = 0
    tickets_in: int = 0
    tickets_out: int = 0
    #: What tickets that were voided gave back.
    tickets_back: int = 0
    hand_pays: int = 0
    #: What the cashier paid to players of ended sessions after corrections.
    payables_paid: int = 0
    adjusted_in: int = 0
    adjusted_out: int = 0
    granted: int = 0

    @property
    def put_in(self) -> int:
        """What has come in otherwise than by play."""
        notes = sum(value * count for value, count in self.notes.items())
        return notes + self.bought_in + self.tickets_in + self.tickets_back + self.adjusted_in + self.granted

    @property
    def taken_out(self) -> int:
        """What has gone out otherwise than by play."""
        return self.tickets_out + self.hand_pays + self.payables_paid + self.adjusted_out

    def balance(self) -> int:
        """Tell what the meters say must be on the terminal: credits, stakes not yet sealed, and holds."""
        return self.put_in + self.returned + self.refunded - self.turnover - self.taken_out


@dataclass(slots=True)
class TableMeters:
    """A table's counters."""

    turnover: int = 0
    returned: int = 0
    #: Sealed stakes that went back because a round, a spin or bets were void.
    refunded: int = 0
    rounds: int = 0
    voids: int = 0
    no_spins: int = 0
    #: Stakes of settled rounds; and, by the number of pockets on the wheel, what they would bring back on all pockets
    #: together and how far that lies apart: `theory` reckons with these.
    played: int = 0
    brings: Counter[int] = field(default_factory=Counter)
    spreads: Counter[int] = field(default_factory=Counter)

    @property
    def won(self) -> int:
        """What the house has won here, stakes that are sealed and not settled counted in."""
        return self.turnover - self.returned - self.refunded
