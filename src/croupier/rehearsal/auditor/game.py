"""A table's game: the round that runs, as its events tell it, and the rounds before it."""

from collections import Counter
from dataclasses import dataclass, field

from croupier.house.name import Instant, RoundNumber, TableId, TerminalId
from croupier.house.settings import TableSettings
from croupier.rehearsal.auditor.felt import Felt, Stakes
from croupier.rules.pocket import Pocket

#: How many numbers a table remembers.
HISTORY_KEPT = 100


@dataclass(slots=True)
class Round:
    """One round; words for its states are those of the house."""

    number: RoundNumber
    felt: Felt
    spin: int = 1
    betting: str = "open"
    ball: str = "idle"
    status: str = "active"
    no_spin: bool = False
    closes_at: Instant | None = None
    sealed: dict[TerminalId, Stakes] | None = None
    #: Whose turn it was at each terminal when its bets were sealed.
    sessions: dict[TerminalId, int] = field(default_factory=dict)
    reported: Pocket | None = None
    #: What sensors saw of the running spin.
    ways: set[bool] = field(default_factory=set)
    turns: set[int] = field(default_factory=set)
    troubled: bool = False
    pocket: Pocket | None = None
    paid: dict[TerminalId, int] = field(default_factory=dict)
    invalidated: bool = False

    @property
    def over(self) -> bool:
        return self.status in ("settled", "void")

    @property
    def phase(self) -> str:
        if self.over:
            return "between"
        if self.status == "suspended":
            return "suspended"
        if self.betting == "open":
            return "open" if self.ball == "idle" else "open_running"
        if self.betting == "last_call":
            return "last_call"
        if self.no_spin:
            return "no_spin"
        return {"idle": "closed", "spinning": "running", "at_rest": "at_rest"}[self.ball]


@dataclass(slots=True)
class Table:
    """One table."""

    name: TableId
    felt: Felt
    settings: TableSettings
    #: What takes effect from the next round.
    next_felt: Felt | None = None
    next_settings: TableSettings | None = None
    rounds: dict[RoundNumber, Round] = field(default_factory=dict)
    round: Round | None = None
    seats: list[TerminalId] = field(default_factory=list)
    #: Numbers with their rounds, the newest first.
    history: list[tuple[RoundNumber, Pocket]] = field(default_factory=list)
    closed: bool = False
    meters: Counter[str] = field(default_factory=Counter)

    @property
    def phase(self) -> str:
        return "between" if self.round is None else self.round.phase

    @property
    def number(self) -> RoundNumber:
        return RoundNumber(0) if self.round is None else self.round.number

    @property
    def unsealed(self) -> bool:
        """Tell whether chips on this table are in no spin."""
        return self.round is None or self.round.over or self.round.sealed is None

    def new_terms(self) -> bool:
        """Tell whether other limits or rules hold from the next round on."""
        other_limits = self.next_settings is not None and self.next_settings.limits != self.settings.limits
        return other_limits or (self.next_felt is not None and self.next_felt is not self.felt)
