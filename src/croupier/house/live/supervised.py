"""Winning bets at a table that does not record all bets: the dealer records them when they are paid."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Events,
    EventTopic,
    PaymentCommand,
    PlayerCommand,
    PlayerEvent,
    RoundEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.settings import live_clause
from croupier.house.ids import Context, PositionId, RoundNumber
from croupier.house.live.arrangements import require_admitted
from croupier.house.live.chip_settlement import Walking, notes_of, payout_plan, walking_of
from croupier.house.live.payment_walk import (
    read_bets,
    require_collected,
    require_dolly,
    round_value,
    walking,
)
from croupier.house.live.seats_and_colours import not_all_paid, payout_rules, player_at, records_bets
from croupier.house.play.chip_bets import barred_from, copied, worth
from croupier.house.settings import effective_limits
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipBets, Layout, RoundChips, SealedPosition, Walk, WalkItem
from croupier.house.state.tables import Phase, Table
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.limits import under_minimum
from croupier.rules.payouts import NoteKind, PayoutPlan
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.refusal import CitedTopic, Code, Refused, raise_if

if TYPE_CHECKING:
    from croupier.house import House


@command(Duty.DEAL, when={Phase.PAYING})
class RecordWinner(PlayerCommand, frozen=True):
    """Record a winning bet at a table that does not record all bets: pieces of one chip on each spot."""

    round: RoundNumber
    bets: ChipBets
    chip: str

    def cited_topic(self, table: Table) -> CitedTopic:
        return CitedTopic.DOLLY if table.is_unannounced(self.round) else CitedTopic.ROUND


@event("A winning bet of position {position} was recorded: {due} are due.", EventTopic.BETS, EventTopic.MONEY)
class WinnerRecorded(PlayerEvent, frozen=True):
    """A winning bet at a table that does not record all bets."""

    round: RoundNumber
    chip: str
    bets: ChipBets
    #: The payment of each segment.
    due: tuple[tuple[str, int], ...]


@decides(RecordWinner)
def record_winner(house: House, command: RecordWinner, _context: Context) -> Events:
    player_at(house, command)
    at = walking(house, command)
    _require_partial_record(at)
    require_dolly(at.table)
    require_collected(at)
    pocket, player = at.walk.pocket, at.live.players[command.position]
    if pocket is None:
        message = "The outcome of this round was invalidated: nothing has won."
        raise Refused(Code.OUT_OF_TURN, at.round.clause, message)
    if barred_from(player, at.round) is not None:
        # 12(d), 12(l): no bet counts of a player who was barred before the round opened.
        require_admitted(player)
    round_value(at.table, at.live, command, command.chip)
    layout = read_bets(at.table, command.chip, command.bets)
    for spot in layout:
        if not _wins(at, spot, pocket):
            message = f"{spot} did not win on {pocket}."
            raise Refused(Code.RECORD_DIFFERS, payout_rules(at.table).clause, message, spot=spot)
    recorded = _with_bet(at, command.position, layout)
    before = payout_plan(house, at.table, at.round, at.chips, pocket)
    _check_minimum(at, command.position, recorded, before)
    after = payout_plan(house, at.table, at.round, recorded, pocket)
    due, known = _newly_due(before, after, command.position), tuple(notes_of(at.table, at.round, before))
    for segment, change in due:
        # 12(g) may round more chips on a spot down further.
        if change + sum(item.amount for item in _open_items(at.walk, segment, command.position)) < 0:
            message = f"With this bet less is due in {segment} than was paid: the bet is a dispute."
            raise Refused(Code.RECORD_DIFFERS, at.table.rulebook.cited_clauses[CitedTopic.DISPUTE], message)
    notes = tuple(note for note in notes_of(at.table, at.round, after) if note not in known)
    event = WinnerRecorded(at.table.id, command.position, at.round.number, command.chip, command.bets, due)
    return (event, *notes)


def _require_partial_record(at: Walking) -> None:
    """Refuse what only a table that does not record all bets needs."""
    if records_bets(at.table.settings):
        clause = live_clause(at.table.rulebook, CitedTopic.CHIPS)
        raise Refused(Code.OUT_OF_TURN, clause, "Every bet of this table is recorded: the winners are known.")


def _wins(at: Walking, spot: SpotKey, pocket: Pocket) -> bool:
    felt = at.table.payouts
    block = felt.blocks.get(spot)
    return spot in felt.winners[pocket] if block is None else pocket in block.numbers


def _check_minimum(at: Walking, position: PositionId, recorded: RoundChips, before: PayoutPlan) -> None:
    """12(e): refuse a bet under the minimum of a player who was advised in an earlier round; the chips go back."""
    notes = (note for each in before.positions if each.position == position for note in each.notes)
    if at.live.players[position].advised_at is None or any(note.kind is NoteKind.UNDER_MINIMUM for note in notes):
        return
    felt, channel = at.table.payouts, at.table.rulebook.channels[ChannelName.TABLE]
    sealed = recorded.sealed[position]
    limits = effective_limits(felt.rulebook, channel, sealed.limits).limits
    for spot in sealed.pieces.keys() & felt.spots.keys():
        stake, least = worth(at.chips.values, sealed.pieces[spot]), limits.of(felt.spots[spot].kind).least
        if least is not None and stake < least:
            raise_if(under_minimum(spot, stake, least, limits))


def _open_items(walk: Walk, segment: str, position: PositionId) -> list[WalkItem]:
    return [each for each in walk.items if (each.segment, each.position, each.made) == (segment, position, False)]


def _newly_due(before: PayoutPlan, after: PayoutPlan, position: PositionId) -> tuple[tuple[str, int], ...]:
    """Compute what a recorded bet adds to the payments of its player, or takes off."""
    due: Counter[str] = Counter()
    # What was recorded before is due by this number too, whatever was paid of it by another.
    for plan, times in ((before, -1), (after, 1)):
        for each in plan.payments:
            due[str(each.segment)] += times * each.paid if each.position == position else 0
    return tuple((segment, amount) for segment, amount in due.items() if amount)


def _with_bet(at: Walking, position: PositionId, layout: Layout) -> RoundChips:
    """Add recorded pieces to those of a player, under the limits that apply to the player."""
    limits = at.live.players[position].limits or at.table.settings.limits
    before = at.chips.sealed.get(position) or SealedPosition({}, limits)
    pieces: Layout = {spot: dict(each) for spot, each in before.pieces.items()}
    entered = copied(at.chips.entered.get(position, {}))
    turn = 1 + sum(len(entries) for each in at.chips.entered.values() for entries in each.values())
    for spot, added in layout.items():
        lies = pieces.setdefault(spot, {})
        for chip, count in added.items():
            lies[chip] = lies.get(chip, 0) + count
        entered.setdefault(spot, []).append((turn, worth(at.chips.values, added)))
    player = at.live.players[position]
    recorded = SealedPosition(pieces, before.limits, player.label, tuple(player.colours))
    sealed = {**at.chips.sealed, position: recorded}
    return replace(at.chips, sealed=sealed, entered={**at.chips.entered, position: entered})


@evolves(WinnerRecorded)
def winner_recorded(house: House, event: WinnerRecorded, _context: Context) -> None:
    at = walking_of(house, event.table, event.round)
    recorded = _with_bet(at, event.position, read_bets(at.table, event.chip, event.bets))
    at.chips.sealed, at.chips.entered = recorded.sealed, recorded.entered
    amount = sum(due for _, due in event.due)
    for segment, change in event.due:
        # What is open of the segment is paid as one if less is due than before.
        joined = _open_items(at.walk, segment, event.position) if change < 0 else []
        at.walk.items = [each for each in at.walk.items if each not in joined]
        due = change + sum(item.amount for item in joined)
        at.walk.items += [WalkItem(segment, event.position, due)] if due else []
    house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.CHIPS_PAYABLE)
    at.live.meters.won -= amount
    at.live.meters.returned += amount


@command(Duty.DEAL, when={Phase.PAYING})
class FinishPaying(PaymentCommand, frozen=True):
    """Record that every winning bet is paid, at a table that does not record all bets."""


@event("All winning bets of round {round} were paid.", EventTopic.ROUND)
class PayingFinished(RoundEvent, frozen=True):
    """The dealer paid all winners at a table that does not record all bets."""


@decides(FinishPaying)
def finish_paying(house: House, command: FinishPaying, _context: Context) -> Events:
    at = walking(house, command)
    _require_partial_record(at)
    require_dolly(at.table)
    require_collected(at)
    if not all(item.made for item in at.walk.items):
        raise not_all_paid(at.table)
    return (PayingFinished(at.table.id, at.round.number),)


@evolves(PayingFinished)
def paying_finished(house: House, event: PayingFinished, _context: Context) -> None:
    walking_of(house, event.table, event.round).walk.finished = True
