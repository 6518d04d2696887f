"""Winning bets at a table that does not record all bets: the dealer records them when they are paid."""

from collections import Counter
from dataclasses import replace

from croupier.house.base import Decision
from croupier.house.chip_bets import copied, is_barred_from, worth
from croupier.house.chip_settlement import notes_of, payout_plan
from croupier.house.commands.live import FinishPaying, RecordWinner
from croupier.house.events.live import PayingFinished, WinnerRecorded
from croupier.house.ids import Context, PositionId
from croupier.house.liveplayers import barred_objection
from croupier.house.livetable import live_of, not_all_paid, player_at, records_bets
from croupier.house.settings import effective_limits
from croupier.house.setup import live_clause
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import Layout, RoundChips, SealedPosition, Walk, WalkItem
from croupier.house.state.money import LedgerAccount
from croupier.house.walk import (
    Walking,
    collect_first,
    payout_clause,
    read_bets,
    round_value,
    unmarked_objection,
    walk_of,
    walking,
)
from croupier.rules.geometry import SpotKey
from croupier.rules.limits import under_minimum
from croupier.rules.payouts import NoteKind, PayoutPlan
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import CitedTopic, Code, Refusal, refuse


def record_winner(house: House, command: RecordWinner, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    at = walking(house, command)
    if isinstance(at, Refusal):
        return at
    refusal = _only_here(at) or unmarked_objection(at.table) or collect_first(at) or _without_number(at)
    refusal = refusal or _barred(at, command.position)
    value = round_value(at.table, at.live, command, command.chip)
    layout = read_bets(at.table, command.chip, command.bets)
    for each in (refusal, value, layout):
        if isinstance(each, Refusal):
            return each
    assert not isinstance(layout, Refusal)
    pocket, recorded = at.chips.pocket, _with(at, command.position, layout)
    assert pocket is not None
    before = payout_plan(house, at.table, at.round, pocket)
    refusal = _lost(at, layout) or _returned(at, command.position, recorded, before)
    if refusal is not None:
        return refusal
    after = payout_plan(house, at.table, at.round, pocket, recorded)
    due, known = _newly_due(before, after, command.position), tuple(notes_of(at.table, at.round, before))
    notes = tuple(note for note in notes_of(at.table, at.round, after) if note not in known)
    event = WinnerRecorded(at.table.id, command.position, at.round.number, command.chip, command.bets, due)
    return _paid_already(at, command.position, due) or (event, *notes)


def _barred(at: Walking, position: PositionId) -> Refusal | None:
    """12(d), 12(l): no bet counts of a player who was barred before the round opened."""
    player = at.live.players[position]
    return barred_objection(player) if is_barred_from(player, at.round) else None


def _lost(at: Walking, layout: Layout) -> Refusal | None:
    lost = next((spot for spot in layout if not _wins(at, spot)), None)
    if lost is None:
        return None
    message = f"{lost} did not win on {at.chips.pocket}."
    return refuse(Code.RECORD_DIFFERS, payout_clause(at.table), message, spot=lost)


def _returned(at: Walking, position: PositionId, recorded: RoundChips, before: PayoutPlan) -> Refusal | None:
    """12(e): refuse a bet under the minimum of a player who was advised in an earlier round; the chips go back."""
    notes = (note for each in before.positions if each.position == position for note in each.notes)
    if at.live.players[position].advised_at is None or any(note.kind is NoteKind.UNDER_MINIMUM for note in notes):
        return None
    felt, channel = at.table.payouts, at.table.rulebook.channels[ChannelName.TABLE]
    sealed = recorded.sealed[position]
    limits = effective_limits(felt.rulebook, channel, sealed.limits).limits
    for spot in sealed.pieces.keys() & felt.spots.keys():
        stake, least = worth(at.chips.values, sealed.pieces[spot]), limits.of(felt.spots[spot].kind).least
        if least is not None and stake < least:
            return under_minimum(spot, stake, least, limits)
    return None


def _paid_already(at: Walking, position: PositionId, due: tuple[tuple[str, int], ...]) -> Refusal | None:
    """Refuse a bet with which less is due than was paid: 12(g) may round more chips on a spot down further."""
    for segment, change in due:
        open_ = sum(item.amount for item in _open_items(at.walk, segment, position))
        if open_ + change < 0:
            message = f"With this bet less is due in {segment} than was paid: the bet is a dispute."
            return refuse(Code.RECORD_DIFFERS, at.table.rulebook.cited_clauses[CitedTopic.DISPUTE], message)
    return None


def _open_items(walk: Walk, segment: str, position: PositionId) -> list[WalkItem]:
    return [each for each in walk.items if (each.segment, each.position, each.made) == (segment, position, False)]


def _without_number(at: Walking) -> Refusal | None:
    if at.chips.pocket is not None:
        return None
    return refuse(Code.OUT_OF_TURN, at.round.clause, "The outcome of this round was invalidated: nothing has won.")


def _wins(at: Walking, spot: SpotKey) -> bool:
    felt, pocket = at.table.payouts, at.chips.pocket
    assert pocket is not None
    block = felt.blocks.get(spot)
    return spot in felt.winners[pocket] if block is None else pocket in block.numbers


def _only_here(at: Walking) -> Refusal | None:
    """Refuse what only a table that does not record all bets needs."""
    if not records_bets(at.table.settings):
        return None
    clause = live_clause(at.table.rulebook, CitedTopic.CHIPS)
    return refuse(Code.OUT_OF_TURN, clause, "Every bet of this table is recorded: the winners are known.")


def _newly_due(before: PayoutPlan, after: PayoutPlan, position: PositionId) -> tuple[tuple[str, int], ...]:
    """Compute what a recorded bet adds to the payments of its player, or takes off."""
    due: Counter[str] = Counter()
    # What was recorded before is due by this number too, whatever was paid of it by another.
    for plan, times in ((before, -1), (after, 1)):
        for each in plan.payments:
            due[str(each.segment)] += times * each.paid if each.position == position else 0
    return tuple((segment, amount) for segment, amount in due.items() if amount)


def _with(at: Walking, position: PositionId, layout: Layout) -> RoundChips:
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


def winner_recorded(house: House, event: WinnerRecorded, _context: Context) -> None:
    table, live = house.tables[event.table], live_of(house, event.table)
    round_ = table.playing
    assert round_.chips is not None
    assert round_.chips.walk is not None
    at = Walking(table, live, round_, round_.chips, round_.chips.walk)
    layout = read_bets(table, event.chip, event.bets)
    assert not isinstance(layout, Refusal)
    recorded = _with(at, event.position, layout)
    at.chips.sealed, at.chips.entered = recorded.sealed, recorded.entered
    amount = sum(due for _, due in event.due)
    for segment, change in event.due:
        # What is open of the segment is paid as one if less is due than before.
        joined = _open_items(at.walk, segment, event.position) if change < 0 else []
        at.walk.items = [each for each in at.walk.items if each not in joined]
        due = change + sum(item.amount for item in joined)
        if due:
            at.walk.items.append(WalkItem(segment, event.position, due))
    house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.CHIPS_PAYABLE)
    live.meters.won -= amount
    live.meters.returned += amount


def finish_paying(house: House, command: FinishPaying, _context: Context) -> Decision:
    at = walking(house, command)
    if isinstance(at, Refusal):
        return at
    refusal = _only_here(at) or unmarked_objection(at.table) or collect_first(at)
    if refusal is None and not all(item.made for item in at.walk.items):
        refusal = not_all_paid(at.table)
    return refusal or (PayingFinished(at.table.id, at.round.number),)


def paying_finished(house: House, event: PayingFinished, _context: Context) -> None:
    walk = walk_of(house, event)
    assert walk is not None
    walk.finished = True


DECIDERS: Deciders = {RecordWinner: record_winner, FinishPaying: finish_paying}
EVOLVERS: Evolvers = {WinnerRecorded: winner_recorded, PayingFinished: paying_finished}
