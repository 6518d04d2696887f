"""Pots of progressive bets: what a round plays for, what it adds, and what it wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from croupier.house.credit.transfers import VenueAccount
from croupier.house.declare import Events, EventTopic, RoundEvent, event, evolves
from croupier.house.ids import Context, PositionId, TableId
from croupier.house.state.ledger import LedgerAccount, Pot, PotReport
from croupier.house.state.tables import Round, Table
from croupier.rules.geometry import Pocket
from croupier.rules.progressive import PotAtStake, Progressive
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Rulebook, Stakes

if TYPE_CHECKING:
    from croupier.house import House


@event("The round plays for a pot of {amount}, which bets of {staked} share.", EventTopic.ROUND)
class PotPlayedFor(RoundEvent, frozen=True):
    """Bets on the pot were sealed: the round plays for it as it stands now, whatever other tables add or win."""

    amount: int
    whole: int
    staked: int
    wins: int
    #: It has reached the amount at which it must be won: it is won on every number.
    due: bool
    clause: ClauseId


@event(
    "The pot is {pot} now: {contributed} were added to it and its reserve, and {paid} were won.",
    EventTopic.ROUND,
    EventTopic.MONEY,
)
class PotChanged(RoundEvent, frozen=True):
    """A settlement or a correction added to a pot or its reserve, or paid from them; what is taken back is negative."""

    contributed: int
    paid: int
    #: The pot, its reserve, and how often it was won so far; of a pot that another venue keeps, as far as it is known.
    pot: int
    reserve: int
    wins: int
    clause: ClauseId
    #: What is reported to the venue that keeps it.
    report: PotReport | None = None

    def tables_in(self, house: House) -> Iterable[TableId]:
        """All tables that play for the pot show it."""
        rulebook = house.tables[self.table].rulebook.id
        return (self.table, *(each.id for each in house.tables.values() if each.rulebook.id == rulebook))


def open_pot(house: House, rulebook: Rulebook) -> None:
    """Begin the pot of a rulebook with its seed, which the reserve owes; a pot that there is goes on."""
    rules = rulebook.paytable.progressive
    if rules is not None and rulebook.id not in house.pots:
        house.pots[rulebook.id] = Pot(rules.seed, -rules.seed)
        house.ledger.post(rules.seed, source=LedgerAccount.RESERVE, target=LedgerAccount.PROGRESSIVE)


def pot_sealed(house: House, table: Table, layouts: Mapping[PositionId, Stakes]) -> Events:
    """Fix the pot that a round plays for, if one of its bets can win it."""
    rules, spot = table.rulebook.paytable.progressive, table.payouts.progressive
    if rules is None or spot is None:
        return ()
    staked = sum(stakes.get(spot, 0) for stakes in layouts.values())
    if not staked:
        return ()
    pot = house.pots[table.rulebook.id]
    stake, here = rules.played_for(pot.amount, staked, pot.wins), (table.id, table.playing.number)
    if stake.due and (not _is_due_here(pot) or _is_due_elsewhere(house, table, pot.wins)):
        stake = replace(stake, due=False)
    return (PotPlayedFor(*here, stake.amount, stake.whole, stake.staked, stake.wins, stake.due, rules.clause),)


def _is_due_here(pot: Pot) -> bool:
    """Check whether a pot that must be won may be won at this venue: of those that share it one is named."""
    if pot.share is None:
        return True
    return pot.share.due_at == "" if pot.share.is_kept else pot.share.stated.due and pot.wins == pot.share.stated.wins


def _is_due_elsewhere(house: House, table: Table, wins: int) -> bool:
    """Check whether a round at another table will win the pot whatever its number is: only the next one does."""
    rounds = (
        each.round for each in house.tables.values() if each.id != table.id and each.rulebook.id == table.rulebook.id
    )
    sealed = (each.sealed for each in rounds if each is not None and not each.over)
    pots = (each.pot for each in sealed if each is not None)
    return any(each is not None and each.due and each.wins == wins for each in pots)


def pots_shown(house: House, table: Table) -> dict[str, int]:
    """Say what the pot of a table is worth: in a round with bets on it, what the round plays for."""
    rules, spot = table.rulebook.paytable.progressive, table.payouts.progressive
    if rules is None or spot is None:
        return {}
    round_ = table.round
    stake = None if round_ is None or round_.over or round_.sealed is None else round_.sealed.pot
    amount = house.pots[table.rulebook.id].amount if stake is None else stake.amount
    return {spot: min(amount, rules.must_hit_by)}


@evolves(PotPlayedFor)
def pot_played_for(house: House, event: PotPlayedFor, _context: Context) -> None:
    sealed = house.tables[event.table].playing.sealed_bets
    sealed.pot = PotAtStake(event.amount, event.whole, event.staked, event.wins, event.due)


def won_of_pot(house: House, round_: Round, positions: Iterable[PositionId], pocket: Pocket | None) -> int:
    """Compute what some positions of a round win of its pot on a pocket; nothing if no number counts."""
    if pocket is None:
        return 0
    felt = house.felt_of(round_)
    return sum(felt.pot_won(round_.layouts[position], pocket) for position in positions)


def pot_events(  # noqa: PLR0913 - all that a pot depends on
    house: House, table: Table, round_: Round, counted: Iterable[PositionId], *, won: tuple[int, int], times: int = 0
) -> Events:
    """Change the pot by what a round wins of it, before and after; the stakes of some positions are counted, or not.

    If the pot has not been won since the bets were sealed, a win takes all of it, and the next begins with its seed. A
    win that is taken back puts it back. Otherwise the reserve pays and receives.
    """
    stake = None if round_.sealed is None else round_.sealed.pot
    rulebook = house.rulebooks[round_.rulebook]
    rules, spot = rulebook.paytable.progressive, house.payout_tables[round_.rulebook].progressive
    if stake is None or rules is None or spot is None:
        return ()
    pot, (before, after) = house.pots[rulebook.id], won
    grows, reserved = _contributed(rules, (round_.layouts[position].get(spot, 0) for position in counted))
    amount, wins, times_won = pot.amount, pot.wins, bool(after) - bool(before)
    stands = wins == stake.wins + bool(before)
    if stands:
        amount += times_won * (rules.seed - stake.whole)
        wins += times_won
    contributed, paid = times * (grows + reserved), after - before
    if not contributed and not paid:
        return ()
    added = times * grows if stands or times > 0 else 0
    amount += added
    here = (table.id, round_.number, contributed, paid, amount)
    if not pot.is_kept:
        last = pot.shared.last
        totals = (last.grown + added, last.reserved + contributed - added, last.paid + paid)
        report = PotReport(last.number + 1, *totals, stake.wins + bool(before), stake.whole, times_won)
        return (PotChanged(*here, 0, wins, rules.clause, report),)
    # What the pot does not have is the reserve's.
    reserve = pot.reserve + contributed - paid - (amount - pot.amount)
    return (PotChanged(*here, reserve, wins, rules.clause),)


def replayed(
    rules: Progressive, pot: tuple[int, int], last: PotReport, reports: Iterable[PotReport]
) -> tuple[int, int]:
    """Apply reports to a pot after the last one that was applied: its amount, and how often it was won.

    A win takes a pot that has not been won since the round was sealed. A venue may have known more of it than there is:
    it never has less than its seed.
    """
    amount, wins = pot
    for report in reports:
        amount += report.grown - last.grown
        if report.won and wins == report.wins:
            amount = max(rules.seed, amount + report.won * (rules.seed - report.whole))
            wins += report.won
        last = report
    return amount, wins


def hold_due(house: House, rulebook: str, venue: str = "") -> None:
    """Note where a shared pot must be won that is kept here: at the venue whose change has made it due."""
    pot = house.pots[rulebook]
    if pot.share is None or not pot.share.is_kept:
        return
    rules = next(book.paytable.progressive for book in house.rulebooks.values() if book.id == rulebook)
    pot.share.changes += 1
    if rules is None or pot.amount < rules.must_hit_by:
        pot.share.due_at = None
    elif pot.share.due_at is None:
        pot.share.due_at = venue


def _contributed(rules: Progressive, stakes: Iterable[int]) -> tuple[int, int]:
    """Add what each stake adds to the pot and to the reserve."""
    added = [rules.contributed(stake) for stake in stakes]
    return sum(grows for grows, _ in added), sum(reserved for _, reserved in added)


@evolves(PotChanged)
def pot_changed(house: House, event: PotChanged, _context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.named_round(event.round)
    pot = house.pots[house.rulebooks[round_.rulebook].id]
    table.meters.contributed += event.contributed - event.paid
    net = event.contributed - event.paid
    if event.report is not None:
        share = pot.shared
        share.last = event.report
        if event.report.won:
            share.reports.append(event.report)
        house.venue_accounts.setdefault(share.keeper, VenueAccount()).sent += net
        house.ledger.post(net, source=LedgerAccount.HOUSE, target=LedgerAccount.INTER_VENUE)
    else:
        house.ledger.post(event.pot - pot.amount, source=LedgerAccount.HOUSE, target=LedgerAccount.PROGRESSIVE)
        house.ledger.post(event.reserve - pot.reserve, source=LedgerAccount.HOUSE, target=LedgerAccount.RESERVE)
        assert event.pot - pot.amount + event.reserve - pot.reserve == net
    pot.amount, pot.reserve, pot.wins = event.pot, event.reserve, event.wins
    hold_due(house, table.rulebook.id)
