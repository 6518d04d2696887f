"""Pots that venues of one operator share: one of them keeps the pot, and the others report what they add and win.

A venue that does not keep a pot pays what its rounds played for at once, and owes the keeper what they add. It reports
the totals of both in numbered reports, and the keeper applies each once, in the order in which they reach it: the first
win takes the pot, and another win of the same pot is paid from the reserve. The keeper states the pot to each venue.
What a round plays for is what its own journal says of the pot, so that each journal explains its cents alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from croupier.house.credit.transfers import VenueAccount
from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context, TableId
from croupier.house.rounds.progressive import hold_due, replayed
from croupier.house.state.ledger import LedgerAccount, Pot, PotReport, PotShare, PotStatement
from croupier.rules.progressive import Progressive
from croupier.rules.refusal import ClauseId, Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


class PotEvent(Event, frozen=True):
    """An event of a pot that venues share, at the tables that play for it."""

    parts: ClassVar[tuple[Part, ...]] = (Part.TABLE,)
    #: The id of its rulebook.
    rulebook: str

    def tables_in(self, house: House) -> Iterable[TableId]:
        return (each.id for each in house.tables.values() if each.rulebook.id == self.rulebook)


def _rules(house: House, rulebook: str) -> Progressive:
    """Find the rules of a pot by the id of its rulebook, or refuse one that there is not."""
    books = (each for each in house.rulebooks.values() if each.id == rulebook)
    rules = next((each.paytable.progressive for each in books if each.paytable.progressive is not None), None)
    if rules is None:
        message = f"There is no pot of {rulebook} here."
        raise Refused(Code.NOTHING_THERE, None, message, rulebook=rulebook)
    return rules


def _shared(house: House, digest: str, keeper: str) -> tuple[str, Progressive, Pot, PotShare]:
    """Find a pot that is shared and kept by a venue, by the digest of its rulebook, or refuse."""
    book = house.rulebooks.get(digest)
    pot = None if book is None else house.pots.get(book.id)
    rules = None if book is None else book.paytable.progressive
    if book is None or rules is None or pot is None or pot.share is None or pot.share.keeper != keeper:
        message = f"No pot of these rules is shared here and kept by {keeper}."
        raise Refused(Code.NOT_TAKEN_HERE, None, message, rules=digest)
    return book.id, rules, pot, pot.share


@command(MachineRole.SYSTEM)
class SharePot(Command, frozen=True):
    """Share the pot of a rulebook with other venues of the operator; one of them keeps it."""

    rulebook: str
    #: The venue that keeps it: this one, or another.
    keeper: str


@event(
    "The pot of {rulebook} is shared with other venues, and kept by {keeper}.", EventTopic.MONEY, EventTopic.SIGNIFICANT
)
class PotShared(PotEvent, frozen=True):
    """A pot is shared by several venues from now on."""

    keeper: str


@decides(SharePot)
def share_pot(house: House, command: SharePot, _context: Context) -> Events:
    """Share a pot: at any time where it is kept, and elsewhere only before a round has played for it."""
    rules = _rules(house, command.rulebook)
    pot = house.pots[command.rulebook]
    if pot.share is not None and pot.share.keeper == command.keeper:
        message = f"The pot of {command.rulebook} is shared already."
        raise Refused(Code.ALREADY_THERE, rules.clause, message, rulebook=command.rulebook)
    fresh = (pot.amount, pot.reserve, pot.wins) == (rules.seed, -rules.seed, 0) and not _is_played_for(house, command)
    if pot.share is not None or (command.keeper != house.setup.venue and not fresh):
        message = f"Players have played for the pot of {command.rulebook}: its keeper cannot be changed any more."
        raise Refused(Code.SETTING_IMPOSSIBLE, rules.clause, message, rulebook=command.rulebook)
    return (PotShared(command.rulebook, command.keeper),)


def _is_played_for(house: House, command: SharePot) -> bool:
    rounds = (each.round for each in house.tables.values() if each.rulebook.id == command.rulebook)
    return any(each is not None and each.sealed is not None and each.sealed.pot is not None for each in rounds)


@evolves(PotShared)
def pot_shared(house: House, event: PotShared, _context: Context) -> None:
    pot = house.pots[event.rulebook]
    pot.share = PotShare(event.keeper, is_kept=event.keeper == house.setup.venue)
    if not pot.share.is_kept:
        # The seed is advanced by the house of the keeper.
        house.ledger.post(pot.amount, source=LedgerAccount.PROGRESSIVE, target=LedgerAccount.RESERVE)
        pot.reserve = 0


@command(MachineRole.SYSTEM)
class ReceivePotReports(Command, frozen=True):
    """Another venue reports what it has added to a pot that is kept here, and won of it."""

    venue: str
    #: The digest of its rulebook, which must be adopted here too.
    rules: str
    reports: tuple[PotReport, ...]
    #: The message as the other venue has written it, and its signature in hexadecimal digits.
    body: str
    signature: str


@event(
    "{venue} has added {contributed} to the pot of {rulebook} and its reserve, and paid {paid}: the pot is {pot} now.",
    EventTopic.MONEY,
)
class PotReported(PotEvent, frozen=True):
    """Reports of another venue were applied to a pot that is kept here."""

    venue: str
    #: The last report that was applied, and the one before it.
    report: PotReport
    previous: int
    contributed: int
    paid: int
    pot: int
    reserve: int
    wins: int
    clause: ClauseId
    body: str
    signature: str


@decides(ReceivePotReports)
def receive_pot_reports(house: House, command: ReceivePotReports, _context: Context) -> Events:
    """Apply the reports that were not applied yet."""
    rulebook, rules, pot, share = _shared(house, command.rules, house.setup.venue)
    last = share.applied.get(command.venue, PotReport())
    new = [each for each in command.reports if each.number > last.number]
    if not new:
        message = f"The reports of {command.venue} were applied already."
        raise Refused(Code.ALREADY_THERE, rules.clause, message, last=last.number)
    amount, wins = replayed(rules, (pot.amount, pot.wins), last, new)
    end = new[-1]
    contributed = end.grown + end.reserved - last.grown - last.reserved
    paid = end.paid - last.paid
    reserve = pot.reserve + contributed - paid - (amount - pot.amount)
    applied = (command.venue, end, last.number, contributed, paid)
    return (PotReported(rulebook, *applied, amount, reserve, wins, rules.clause, command.body, command.signature),)


@evolves(PotReported)
def pot_reported(house: House, event: PotReported, _context: Context) -> None:
    pot, net = house.pots[event.rulebook], event.contributed - event.paid
    house.ledger.post(event.pot - pot.amount, source=LedgerAccount.INTER_VENUE, target=LedgerAccount.PROGRESSIVE)
    house.ledger.post(event.reserve - pot.reserve, source=LedgerAccount.INTER_VENUE, target=LedgerAccount.RESERVE)
    assert event.pot - pot.amount + event.reserve - pot.reserve == net
    house.venue_accounts.setdefault(event.venue, VenueAccount()).received += net
    pot.amount, pot.reserve, pot.wins = event.pot, event.reserve, event.wins
    pot.shared.applied[event.venue] = event.report
    hold_due(house, event.rulebook, event.venue)


@command(MachineRole.SYSTEM)
class ReceivePotStatement(Command, frozen=True):
    """The venue that keeps a pot says what it is now."""

    venue: str
    #: The digest of its rulebook, which must be adopted here too.
    rules: str
    statement: PotStatement
    #: The message as the keeper has written it, and its signature in hexadecimal digits.
    body: str
    signature: str


@event("By {venue} the pot of {rulebook} is {pot} now.", EventTopic.MONEY)
class PotStated(PotEvent, frozen=True):
    """The pot of a venue that does not keep it is what its keeper has stated, and what was added and won here since."""

    venue: str
    statement: PotStatement
    pot: int
    wins: int
    body: str
    signature: str


@decides(ReceivePotStatement)
def receive_pot_statement(house: House, command: ReceivePotStatement, _context: Context) -> Events:
    """Take over a newer statement; what the keeper has not applied yet is applied to it here."""
    rulebook, rules, _, share = _shared(house, command.rules, command.venue)
    said = command.statement
    if said.number <= share.stated.number:
        message = f"Statement {said.number} of {command.venue} was received already."
        raise Refused(Code.ALREADY_THERE, rules.clause, message, last=share.stated.number)
    if said.applied.number > share.last.number:
        # An older copy of the journal was accepted here: the keeper has applied what is lost.
        message = (
            f"{command.venue} has applied report {said.applied.number}, and this venue has made {share.last.number}."
        )
        raise Refused(Code.OUT_OF_TURN, rules.clause, message, last=share.last.number)
    pot = replayed(rules, (said.amount, said.wins), said.applied, unapplied(share, said.applied.number))
    return (PotStated(rulebook, command.venue, said, *pot, command.body, command.signature),)


@evolves(PotStated)
def pot_stated(house: House, event: PotStated, _context: Context) -> None:
    pot = house.pots[event.rulebook]
    share = pot.shared
    pot.amount, pot.wins = event.pot, event.wins
    share.stated = event.statement
    share.reports = [each for each in share.reports if each.number > event.statement.applied.number]


def unapplied(share: PotShare, applied: int) -> Sequence[PotReport]:
    """List the reports that a keeper has not applied: those with a win, and the last one, which has all totals."""
    left = [each for each in share.reports if each.number > applied]
    is_listed = bool(left) and left[-1].number == share.last.number
    return left if is_listed or share.last.number <= applied else [*left, share.last]


def statement_for(house: House, rulebook: str, venue: str) -> PotStatement:
    """Say to a venue what the pot is that is kept here, and which of its reports are applied."""
    pot = house.pots[rulebook]
    share = pot.shared
    # A lost part of the journal may have used as many numbers as were skipped.
    number = share.changes + house.tickets.skipped + 1
    applied = share.applied.get(venue, PotReport())
    return PotStatement(number, pot.amount, pot.wins, applied, due=share.due_at == venue)
