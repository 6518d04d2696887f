"""The placard: what everybody at a table may see of it; nothing that predicts the running game."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from croupier.house.event.base import Event
from croupier.house.name import RoundNumber, TableId, TerminalId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Round, Status, Table
from croupier.house.terms import Terms
from croupier.house.views import says
from croupier.rules.pocket import Pocket
from croupier.rules.rulebook import Rulebook
from croupier.web import outgoing
from croupier.web.outgoing import Notice, TableState
from croupier.web.recovery import outdates

#: Names the felt of a terminal or, without one, of a table.
FeltOf = Callable[[House, TableId, TerminalId | None], str]


#: Rounds and their numbers, the newest first.
Spins = tuple[tuple[RoundNumber, Pocket], ...]


@dataclass(slots=True)
class Placards:
    """Every table as it was last told, with the count of its versions."""

    house: House
    felt_of: FeltOf
    #: What a start has done, until the round has gone on from there.
    recovered: dict[TableId, Notice]
    told: dict[TableId, tuple[int, TableState]] = field(default_factory=dict)
    #: The numbers of past spins with their rounds, as they were last told.
    spins: dict[TableId, Spins] = field(default_factory=dict)
    #: The rulebook and the limits that each table played by when it was last told.
    played_by: dict[TableId, tuple[Rulebook, Terms]] = field(default_factory=dict)

    def draw(self, name: TableId) -> outgoing.Table:
        """Draw a table anew, as its next version."""
        state = placard(self.house, name, self.felt_of(self.house, name, None), self.recovered.get(name))
        version = self.told[name][0] + 1 if name in self.told else 1
        self.told[name] = version, state
        table = self.house.tables[name]
        self.played_by[name] = table.rulebook, table.terms
        self.spins[name] = tuple(table.history)
        return outgoing.Table(tv=version, state=state)

    def plays_anew(self, name: TableId) -> bool:
        """Tell whether a table plays by other rules or limits by now than it did when it was last told."""
        if name not in self.played_by:
            return False
        table, (rulebook, terms) = self.house.tables[name], self.played_by[name]
        return rulebook.digest != table.rulebook.digest or terms is not table.terms

    def heed(self, events: Iterable[Event]) -> None:
        """Take down what a start has done, where the round has gone on."""
        for event in events if self.recovered else ():
            self.recovered = {name: each for name, each in self.recovered.items() if not outdates(event, name, each)}


def placard(house: House, name: TableId, felt: str, recovered: Notice | None) -> TableState:
    """Tell what a table shows; what a restart has done comes before what has become of the round."""
    table = house.tables[name]
    round_ = table.round
    return TableState(
        table=name,
        rulebook=table.rulebook.id,
        felt=felt,
        phase=table.phase,
        round=table.rounds,
        spin=1 if round_ is None else round_.spin,
        says=says(table),
        closes_at=None if round_ is None else round_.closes_at,
        launched_at=None if round_ is None else round_.launched_at,
        pocket=None if round_ is None or round_.invalidated else round_.pocket,
        numbers=table.numbers[: table.settings.history_shown],
        closed=table.closed,
        random=table.settings.wheel is WheelKind.RANDOM,
        wheel=table.settings.wheel,
        notice=recovered or _notice(table, round_),
    )


def _notice(table: Table, round_: Round | None) -> Notice | None:
    """Say what became of a round that is not simply played to its end."""
    if round_ is None:
        return None
    standing = "no_spin" if round_.no_spin else "invalidated" if round_.invalidated else round_.status
    words = _WORDS.get(standing)
    if words is None:
        return None
    reason = "" if round_.reason is None else round_.reason.value
    return Notice(table.rounds, reason, round_.clause, words)


_WORDS: Final[Mapping[str, str]] = {
    "no_spin": "This spin does not count.",
    "invalidated": "The outcome was taken back: every stake went back.",
    Status.SUSPENDED: "The round is suspended until somebody decides it.",
    Status.VOID: "The round is void: every stake went back.",
}
