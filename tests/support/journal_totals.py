"""Totals of a journal, computed entry by entry without code of the house."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

from croupier.house.credit.notes import NoteStacked, PlayMoneyGranted
from croupier.house.credit.tickets import TicketIssued
from croupier.house.declare import Event, RoundEvent
from croupier.house.floor.setup import RulebookAdopted, TableAdded, TerminalAdded
from croupier.house.ids import PositionId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import BetsChanged, BetsReturned
from croupier.house.rounds.closing import BetsSealed
from croupier.house.rounds.irregularities import RoundVoided, SpinVoided
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.recovery import HouseRecovered, RecoveredRound, RecoveryStatus
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled, WinHeld
from croupier.journal.entry import Entry, IdempotencyKey
from croupier.journal.pages import VerifiedPage
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.simulation.auditor.payouts import ModelPayouts, Stakes
from croupier.simulation.auditor.permissions import Order

#: Where the winning stake stays on the layout: by 7(h)vi, and by Rotation (4).
STAYS: Final = ("skycity-adelaide-2003", "us-double-zero")
Round = tuple[TableId, RoundNumber]


class Committed(NamedTuple):
    """What was on a terminal once a page was kept."""

    position: int
    epoch: int
    credit: int
    chips: dict[TableId, Stakes]


class Recovered(NamedTuple):
    """What ran when the system stopped, what the start says that it found, and what it did there."""

    running: dict[TableId, RecoveryStatus]
    found: tuple[RecoveredRound, ...]
    done: Sequence[RoundEvent]


@dataclass(slots=True)
class Purse:
    """What is on one terminal: on its meter, and on the felt of its games."""

    chips: dict[TableId, Stakes]
    credit: int = 0

    def stake(self, table: TableId, stakes: Iterable[tuple[SpotKey, int]]) -> None:
        """Make what lies on each of these spots a given amount, for credit."""
        before = self.chips[table]
        lying = {**before, **dict(stakes)}
        self.chips[table] = {spot: stake for spot, stake in lying.items() if stake}
        self.credit += sum(before.values()) - sum(self.chips[table].values())

    def take_back(self, table: TableId) -> None:
        self.stake(table, ((spot, 0) for spot in self.chips[table]))


@dataclass(slots=True)
class JournalTotals:
    """The totals of a journal, to be compared with what clients received."""

    purses: dict[TerminalId, Purse] = field(default_factory=dict)
    #: The terminal and the table of each betting position.
    positions: dict[PositionId, tuple[TerminalId, TableId]] = field(default_factory=dict)
    #: What every terminal had, page by page.
    past: dict[TerminalId, list[Committed]] = field(default_factory=lambda: defaultdict(list))
    #: The entries that came of each device's commands.
    causes: dict[tuple[str, IdempotencyKey], list[Entry]] = field(default_factory=lambda: defaultdict(list))
    #: The last round that was opened at each table, the numbers of rounds, and how each ended.
    last: dict[TableId, RoundNumber] = field(default_factory=dict)
    results: dict[Round, Pocket] = field(default_factory=dict)
    ends: dict[Round, RoundEvent] = field(default_factory=dict)
    slips: dict[int, TicketIssued] = field(default_factory=dict)
    #: What each start did, by its epoch.
    recoveries: dict[int, Recovered] = field(default_factory=dict)
    #: What is not as it must be.
    complaints: list[str] = field(default_factory=list)
    #: The felts of rulebooks by their digests, the rulebook of each table, and what is sealed there.
    felts: dict[str, ModelPayouts] = field(default_factory=dict)
    ledger: dict[TableId, str] = field(default_factory=dict)
    sealed: dict[TableId, dict[TerminalId, Stakes]] = field(default_factory=dict)
    _order: Order = field(default_factory=Order)

    def read(self, sheets: Iterable[VerifiedPage]) -> Self:
        """Read a journal; a Finding says what is not in its place."""
        for sheet in sheets:
            self._recover(sheet)
            for entry in sheet.entries:
                self._order.entry(entry.position, entry.epoch, entry.context, entry.event)
                self._note(entry)
            self._keep(sheet)
        return self

    def felt(self, table: TableId) -> ModelPayouts:
        return self.felts[self.ledger[table]]

    def at(self, table: TableId) -> dict[TerminalId, Purse]:
        """Find the terminals that play at a table."""
        return {name: purse for name, purse in self.purses.items() if table in purse.chips}

    def agree(self, event: Event, mine: object, theirs: object) -> None:
        if mine != theirs:
            self.complaints.append(f"{event} should have {mine}")

    def _note(self, entry: Entry) -> None:
        event = entry.event
        if entry.cause is not None:
            self.causes[entry.context.device, entry.cause.key].append(entry)
        if isinstance(event, RoundSettled | RoundVoided):
            self.ends[event.table, event.round] = event
        act = _ACTS.get(type(event))
        if act is not None:
            act(self, event)

    def _recover(self, sheet: VerifiedPage) -> None:
        events = [entry.event for entry in sheet.entries]
        if isinstance(events[0], HouseRecovered):
            done = [event for event in events if isinstance(event, RoundEvent)]
            self.recoveries[sheet.page.epoch] = Recovered(self._running(), events[0].found, done)

    def _running(self) -> dict[TableId, RecoveryStatus]:
        """Tell how every round stands that is not over."""
        return {
            table: RecoveryStatus.SEALED if table in self.sealed else RecoveryStatus.OPEN
            for table, last in self.last.items()
            if (table, last) not in self.ends
        }

    def _keep(self, sheet: VerifiedPage) -> None:
        for name, purse in self.purses.items():
            past, now = self.past[name], (sheet.page.epoch, purse.credit, purse.chips)
            if not past or past[-1][1:] != now:
                past.append(Committed(sheet.page.last, *now[:2], dict(purse.chips)))


def _adopt(kept: JournalTotals, event: RulebookAdopted) -> None:
    kept.felts[event.digest] = ModelPayouts(read_canonical(event.canonical))


def _add_table(kept: JournalTotals, event: TableAdded) -> None:
    kept.ledger[event.table] = event.rulebook


def _add_terminal(kept: JournalTotals, event: TerminalAdded) -> None:
    kept.purses[event.terminal] = Purse({table: {} for table in event.tables})
    for number, table in zip(event.positions, event.tables, strict=True):
        kept.positions[number] = (event.terminal, table)


def _grant_play_money(kept: JournalTotals, event: PlayMoneyGranted) -> None:
    kept.purses[event.terminal].credit += event.amount


def _stack(kept: JournalTotals, event: NoteStacked) -> None:
    kept.purses[event.terminal].credit += event.value


def _hold(kept: JournalTotals, event: WinHeld) -> None:
    kept.purses[event.terminal].credit -= event.amount


def _issue(kept: JournalTotals, event: TicketIssued) -> None:
    kept.purses[event.terminal].credit -= event.amount
    kept.slips[event.sequence] = event


def _change(kept: JournalTotals, event: BetsChanged) -> None:
    terminal, table = kept.positions[event.position]
    kept.purses[terminal].stake(table, event.stakes.items())


def _return(kept: JournalTotals, event: BetsReturned) -> None:
    terminal, table = kept.positions[event.position]
    kept.purses[terminal].stake(table, ((spot, 0) for spot in event.spots))


def _open(kept: JournalTotals, event: BetsOpened) -> None:
    kept.last[event.table] = event.round


def _seal(kept: JournalTotals, event: BetsSealed) -> None:
    at = kept.at(event.table)
    sealed = {name: purse.chips[event.table] for name, purse in at.items() if purse.chips[event.table]}
    staked = sum(sum(stakes.values()) for stakes in sealed.values())
    kept.agree(event, (len(sealed), staked), (event.positions, event.staked))
    kept.sealed[event.table] = sealed


def _declare(kept: JournalTotals, event: ResultDeclared) -> None:
    kept.results[event.table, event.round] = event.pocket


def _settle(kept: JournalTotals, event: RoundSettled) -> None:
    """Pay what was sealed: stake times odds plus one; where winning stakes stay they are not paid out."""
    felt, pocket = kept.felt(event.table), kept.results[event.table, event.round]
    staked = returned = 0
    for name, stakes in kept.sealed.pop(event.table).items():
        purse, back = kept.purses[name], felt.brings(stakes, pocket)
        stay = felt.winners(stakes, pocket) if felt.rulebook.id in STAYS else {}
        purse.credit += back - sum(stay.values())
        purse.chips[event.table] = stay
        staked, returned = staked + sum(stakes.values()), returned + back
    kept.agree(event, (staked, returned), (event.staked, event.returned))


def _void(kept: JournalTotals, event: RoundVoided) -> None:
    kept.sealed.pop(event.table, None)
    for purse in kept.at(event.table).values():
        purse.take_back(event.table)


def _spin_again(kept: JournalTotals, event: SpinVoided) -> None:
    """The chips stay their owners' (the US table)."""
    kept.sealed.pop(event.table, None)


_ACTS: Final[Mapping[type[Event], Callable[[JournalTotals, Any], None]]] = {
    RulebookAdopted: _adopt,
    TableAdded: _add_table,
    TerminalAdded: _add_terminal,
    PlayMoneyGranted: _grant_play_money,
    NoteStacked: _stack,
    WinHeld: _hold,
    TicketIssued: _issue,
    BetsChanged: _change,
    BetsReturned: _return,
    BetsOpened: _open,
    BetsSealed: _seal,
    ResultDeclared: _declare,
    RoundSettled: _settle,
    RoundVoided: _void,
    SpinVoided: _spin_again,
}
