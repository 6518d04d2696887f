"""The dealer's walk after a round with chips: collect, pay segment by segment, late bets, and debts."""

from collections import Counter
from typing import NamedTuple

from croupier.house.base import Decision, PlayerCommand, RoundEvent
from croupier.house.chip_bets import (
    ChipSeat,
    barred_from,
    chip_seat,
    chip_value,
    flat,
    on_layout,
    piece_value,
    sealed_position,
    stakes_of,
    unflat,
    values_of,
    worth,
)
from croupier.house.chip_bets import lay as lay_pieces
from croupier.house.chip_settlement import CORRECTION, collect, collected_pieces, payout_plan
from croupier.house.closing import layouts_digest
from croupier.house.commands.live import (
    AmendSeal,
    ChipBets,
    ChipPieces,
    CollectLosers,
    FinishPaying,
    PaySegment,
    PlaceDolly,
    RecordWinner,
    ReturnLate,
    SettleOwed,
)
from croupier.house.events.live import (
    ChipPayment,
    DollyPlaced,
    LateBetReturned,
    LosersCollected,
    OwedSettled,
    PayingFinished,
    SealAmended,
    SegmentPaid,
    WinnerRecorded,
)
from croupier.house.events.play import BetChange
from croupier.house.ids import Context, PositionId
from croupier.house.livetable import (
    in_hand,
    live_at,
    live_of,
    move_colour,
    move_float,
    not_all_paid,
    open_float,
    player_at,
    rack_short,
    records_bets,
    short_float,
    smallest_chip,
)
from croupier.house.results import number_visible
from croupier.house.setup import live_clause
from croupier.house.stakes import change_bets
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import Layout, LiveTable, RoundChips, SealedPosition, Walk, WalkItem
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import Round, Table, is_paying
from croupier.rules.geometry import SpotKey
from croupier.rules.limits import UnderMinimum, under_minimum
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import chip_places
from croupier.rules.payouts import STACK, ChipId, denomination, value_chips
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, refuse


def return_late(house: House, command: ReturnLate, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, live, _ = found
    value = chip_value(table, live, command, command.chip)
    if isinstance(value, Refusal):
        return value
    layout = _read(table, command.chip, command.bets)
    if isinstance(layout, Refusal):
        return layout
    amount = Cents(sum(worth({command.chip: value}, pieces) for pieces in layout.values()))
    clause = live_clause(table.rulebook, CitedTopic.LATE_BET)
    here = (table.id, command.position, table.playing.number)
    return (LateBetReturned(*here, command.chip, command.bets, amount, clause),)


def _read(table: Table, chip: str, bets: ChipBets) -> Layout | Refusal:
    """Read pieces of one chip on some spots."""
    layout: Layout = {}
    for on, pieces in bets:
        places = chip_places(table.rulebook, on)
        if isinstance(places, Refusal):
            return places
        if pieces <= 0:
            clause = live_clause(table.rulebook, CitedTopic.BETS)
            return refuse(Code.STAKE_NOT_POSITIVE, clause, "A bet is one chip at least.", pieces=pieces)
        for spot, share in places:
            lies = layout.setdefault(spot, {})
            lies[chip] = lies.get(chip, 0) + pieces * share
    if not layout:
        return refuse(Code.NOTHING_THERE, live_clause(table.rulebook, CitedTopic.BETS), "No bet is named.")
    return layout


def late_returned(_house: House, _event: LateBetReturned, _context: Context) -> None:
    """Change no state: the chips never counted."""


def amend_seal(house: House, command: AmendSeal, _context: Context) -> Decision:
    """Set the sealed pieces of some spots by what lies there; what exceeds a limit is settled as the rules say."""
    seat = chip_seat(house, command)
    if isinstance(seat, Refusal):
        return seat
    layout = _found(seat, command)
    if isinstance(layout, Refusal):
        return layout
    if seat.player.barred_at <= (seat.table.playing.closed_at or 0):
        barred = barred_from(seat.player, layout)
        if barred is not None:
            return barred
    for name in seat.player.colours:
        out = seat.live.colours[name].out
        if out is not None and on_layout({**seat.player.pieces, **layout}, name) > out:
            clause = live_clause(seat.table.rulebook, CitedTopic.CHIPS)
            return refuse(Code.CHIPS_SHORT, clause, f"The player has {out} chips of {name}.", colour=name, left=out)
    return _amended(house, command, layout)


def _found(seat: ChipSeat, command: AmendSeal) -> Layout | Refusal:
    """Read what lies on some spots, where it differs from what was sealed."""
    clause, lies = live_clause(seat.table.rulebook, CitedTopic.BETS), seat.player.pieces
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say how it is known what lies there.")
    if number_visible(seat.table) and not command.sighting.strip():
        late = live_clause(seat.table.rulebook, CitedTopic.LATE_BET)
        message = "The number can be seen: say who saw the chips there before the close, or which recording shows them."
        return refuse(Code.REASON_NOT_LISTED, late, message)
    after: Layout = {}
    for spot, chip, count in command.pieces:
        value, places = _round_value(seat.table, seat.live, command, chip), chip_places(seat.table.rulebook, spot)
        if isinstance(value, Refusal):
            return value
        if isinstance(places, Refusal):
            return places
        if count < 0 or len(places) > 1:
            return refuse(Code.MALFORMED, None, "On each spot lies no chip or more.")
        key, _ = places[0]
        after.setdefault(key, dict(lies.get(key, {})))[chip] = count
    layout = {spot: {chip: count for chip, count in pieces.items() if count} for spot, pieces in after.items()}
    layout = {spot: pieces for spot, pieces in layout.items() if pieces != lies.get(spot, {})}
    return layout or refuse(Code.NOTHING_THERE, clause, "That is what was sealed.")


def _round_value(table: Table, live: LiveTable, command: PlayerCommand, chip: str) -> Cents | Refusal:
    """Return the value of a chip in the round that runs, or refuse a colour that was allocated after its close."""
    value, chips = chip_value(table, live, command, chip), table.playing.chips
    if isinstance(value, Refusal) or denomination(ChipId(chip)) is not None:
        return value
    if chips is None or chips.values.get(chip) != value:
        clause = live_clause(table.rulebook, CitedTopic.LATE_BET)
        message = f"{chip} was allocated after NO MORE BETS: it has no bet in this round."
        return refuse(Code.BETS_CLOSED, clause, message, colour=chip)
    return value


def _amended(house: House, command: AmendSeal, layout: Layout) -> Decision:
    table = house.tables[command.table]
    live, round_, game = live_of(house, table.id), table.playing, house.positions[command.position]
    stakes = stakes_of(live, layout)
    under = table.rulebook.channels[ChannelName.TABLE].under_minimum
    if live.players[command.position].advised_at is not None and under.choice is UnderMinimum.HONOUR_ONCE:
        ranges, limits = game.effective_limits.ranges, game.effective_limits.limits
        for spot, stake in stakes.items():
            least = ranges[spot].least if spot in ranges else None
            if least is not None and 0 < stake < least:
                # The player was advised: the chips go back instead.
                return under_minimum(spot, stake, least, limits)
    layouts = _sealed_stakes(house, table)
    own = {**game.bets, **stakes}
    layouts[command.position] = {spot: stake for spot, stake in own.items() if stake}
    layouts = {position: each for position, each in layouts.items() if each}
    staked = sum(sum(each.values()) for each in layouts.values())
    here = (table.id, command.position, round_.number, round_.spin)
    spots, amounts, pieces = tuple(stakes), tuple(stakes.values()), flat(layout)
    said = (command.words, command.sighting)
    return (SealAmended(*here, spots, amounts, pieces, staked, layouts_digest(layouts), *said, round_.reported),)


def _sealed_stakes(house: House, table: Table) -> dict[PositionId, dict[SpotKey, int]]:
    """Return the sealed stakes of all positions."""
    round_ = table.playing
    assert round_.chips is not None
    chips = {position: dict(house.positions[position].bets) for position in round_.chips.sealed}
    return {**(round_.sealed or {}), **chips}


def seal_amended(house: House, event: SealAmended, context: Context) -> None:
    table, live = house.tables[event.table], live_of(house, event.table)
    round_, game, player = table.playing, house.positions[event.position], live.players[event.position]
    assert round_.chips is not None
    before = game.staked
    lay_pieces(house, event.table, event.position, unflat(event.spots, event.pieces))
    change_bets(house, game, BetChange.CHANGE, (event.spots, event.amounts), context.now)
    live.meters.turnover += game.staked - before
    round_.chips.sealed.pop(event.position, None)
    if player.pieces:
        round_.chips.sealed[event.position] = sealed_position(table, player)
    round_.digest = event.digest
    assert layouts_digest(_sealed_stakes(house, table)) == event.digest


class Walking(NamedTuple):
    """A round whose chips are collected and paid."""

    table: Table
    live: LiveTable
    round: Round
    chips: RoundChips
    walk: Walk


def _walking(house: House, command: CollectLosers | PaySegment | FinishPaying | RecordWinner) -> Walking | Refusal:
    table = house.tables[command.table]
    round_ = table.round
    if round_ is None or round_.number != command.round or round_.chips is None or not is_paying(round_):
        message = f"Round {command.round} has no chips to collect or to pay."
        clause = live_clause(table.rulebook, CitedTopic.ROUND)
        return refuse(Code.WRONG_ROUND, clause, message, round=table.rounds)
    assert round_.chips.walk is not None
    return Walking(table, live_of(house, table.id), round_, round_.chips, round_.chips.walk)


def _payout_clause(table: Table) -> ClauseId:
    assert table.rulebook.payout is not None
    return table.rulebook.payout.clause


def place_dolly(house: House, command: PlaceDolly, _context: Context) -> Decision:
    """9(d), Rotation (3): the dolly marks the number that counts, before chips are collected or paid."""
    table = house.tables[command.table]
    round_, clause = table.round, live_clause(table.rulebook, CitedTopic.DOLLY)
    chips = None if round_ is None else round_.chips
    if round_ is None or round_.number != command.round or chips is None or chips.walk is None:
        message = f"Round {command.round} has no chips to collect or to pay."
        return refuse(Code.WRONG_ROUND, clause, message, round=table.rounds)
    if command.pocket != chips.pocket:
        message = f"The dolly is placed on {chips.pocket}, the number of the round, and not on {command.pocket}."
        return refuse(Code.NUMBERS_DIFFER, clause, message, dolly=command.pocket, entered=chips.pocket)
    if chips.walk.marked == command.pocket:
        return refuse(Code.ALREADY_THERE, clause, f"The dolly is on {command.pocket} already.")
    return (DollyPlaced(table.id, round_.number, command.pocket),)


def dolly_placed(house: House, event: DollyPlaced, _context: Context) -> None:
    walk = _walk_of(house, event)
    assert walk is not None
    walk.marked = event.pocket


def _unmarked(table: Table) -> Refusal | None:
    """Refuse to collect or pay chips while the last round's number is not marked on the layout."""
    chips = None if table.round is None else table.round.chips
    if chips is None or chips.walk is None or chips.pocket in (None, chips.walk.marked):
        return None
    message = f"The dolly is placed on {chips.pocket} before chips are collected or paid."
    return refuse(Code.DOLLY_NOT_PLACED, live_clause(table.rulebook, CitedTopic.DOLLY), message, pocket=chips.pocket)


def _collect_first(at: Walking) -> Refusal | None:
    if at.walk.collected:
        return None
    return refuse(
        Code.COLLECT_FIRST, _payout_clause(at.table), "All losing bets are collected before the first is paid."
    )


def _supervised(at: Walking) -> Refusal | None:
    """Refuse what only a table that does not record all bets needs."""
    if not records_bets(at.table.settings):
        return None
    clause = live_clause(at.table.rulebook, CitedTopic.CHIPS)
    return refuse(Code.OUT_OF_TURN, clause, "Every bet of this table is recorded: the winners are known.")


def collect_losers(house: House, command: CollectLosers, _context: Context) -> Decision:
    at = _walking(house, command)
    if isinstance(at, Refusal):
        return at
    if (unmarked := _unmarked(at.table)) is not None:
        return unmarked
    if at.walk.collected:
        return refuse(Code.ALREADY_THERE, _payout_clause(at.table), "The losing bets of this round are collected.")
    here = (at.table.id, at.round.number)
    if not records_bets(at.table.settings):
        return (LosersCollected(*here, None, ()),)
    assert at.chips.pocket is not None
    plan = payout_plan(house, at.table, at.round, at.chips.pocket)
    taken = tuple((chip, count) for chip, count in collected_pieces(plan).items() if count)
    return (LosersCollected(*here, plan.collected, taken),)


def losers_collected(house: House, event: LosersCollected, _context: Context) -> None:
    walk = _walk_of(house, event)
    assert walk is not None
    walk.collected = walk.swept = True
    if event.amount is not None:
        collect(house, live_of(house, event.table), dict(event.chips))


def _walk_of(house: House, event: RoundEvent) -> Walk | None:
    round_ = house.tables[event.table].find_round(event.round)
    return None if round_ is None or round_.chips is None else round_.chips.walk


def pay_segment(house: House, command: PaySegment, _context: Context) -> Decision:
    """Pay what is open of a segment: with the chips that the plan proposes, or with those that were handed over."""
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    planned = _planned(house, table, command)
    if isinstance(planned, Refusal):
        return planned
    due = _due(table, live, command)
    if not due:
        message = f"Nothing is to be paid in {command.segment}."
        return refuse(Code.NOTHING_THERE, _payout_clause(table), message, segment=command.segment)
    if command.handed and command.position is None:
        return refuse(Code.MALFORMED, None, "Name the position to which other chips were handed.")
    payments = []
    for position, amount in due.items():
        chips = planned.get(position, ())
        if command.handed or _value(live, chips) != amount:
            chips = command.handed or _split(table, live, position, amount)
        refusal = _handed_objection(table, live, (position, amount), chips) if command.handed else None
        if refusal is not None:
            return refusal
        payments.append(ChipPayment(position, chips, _value(live, chips)))
    return _unpayable(table, live, payments) or (
        SegmentPaid(table.id, command.round, command.segment, tuple(payments)),
    )


def _due(table: Table, live: LiveTable, command: PaySegment) -> dict[PositionId, int]:
    """List the open payments of a segment; after corrections, also those of players' accounts."""
    round_ = table.find_round(command.round)
    walk = None if round_ is None or round_.chips is None else round_.chips.walk
    due: Counter[PositionId] = Counter()
    for item in walk.items if walk is not None else ():
        if item.segment == command.segment and not item.made:
            due[item.position] += item.amount
    if command.segment == CORRECTION and not due:
        due.update({each: account.payable for each, account in (*live.players.items(), *live.left.items())})
    return {each: amount for each, amount in due.items() if amount and command.position in (None, each)}


def _planned(house: House, table: Table, command: PaySegment) -> dict[PositionId, ChipPieces] | Refusal:
    """Return the chips that the plan proposes for each payment of a segment, or refuse to pay it now.

    It proposes none after a correction, or if no number counts.
    """
    if (unmarked := _unmarked(table)) is not None:
        return unmarked
    if command.segment == CORRECTION:
        return {}
    at = _walking(house, command)
    refusal = at if isinstance(at, Refusal) else _collect_first(at)
    if refusal is not None:
        return refusal
    assert not isinstance(at, Refusal)
    if at.chips.pocket is None:
        return {}
    plan = payout_plan(house, at.table, at.round, at.chips.pocket)
    return {
        PositionId(each.position): tuple((str(chip), count) for chip, count in (*each.colours, *each.cash))
        for each in plan.payments
        if each.segment == command.segment
    }


def _value(live: LiveTable, chips: ChipPieces) -> int:
    return worth(values_of(live), Counter(dict(chips)))


def _split(table: Table, live: LiveTable, position: PositionId, amount: int) -> ChipPieces:
    """Choose the chips for an amount: value chips, with as many pieces of an own colour as make it exact.

    If neither makes it, the next higher amount is paid.
    """
    assert table.settings.live is not None
    smallest, player = smallest_chip(table), live.players.get(position)
    for name in player.colours if player is not None else ():
        colour = live.colours[name]
        rack = STACK if colour.out is None else colour.pieces_in_set - colour.out
        most = min(rack, amount // colour.value)
        pieces = next((n for n in range(min(most, smallest) + 1) if (amount - n * colour.value) % smallest == 0), None)
        if pieces is not None:
            rest = value_chips(amount - pieces * colour.value, table.settings.live.denominations)
            own = ((name, pieces),) if pieces else ()
            return (*own, *((str(chip), count) for chip, count in rest))
    payable = -(-amount // smallest) * smallest
    return tuple((str(chip), count) for chip, count in value_chips(payable, table.settings.live.denominations))


def _handed_objection(table: Table, live: LiveTable, due: tuple[PositionId, int], chips: ChipPieces) -> Refusal | None:
    """Refuse chips that are not the amount due, or that this player cannot be paid in."""
    position, amount = due
    by = PlayerCommand(table.id, position)
    for chip, count in chips:
        value = chip_value(table, live, by, chip)
        if isinstance(value, Refusal):
            return value
        if count <= 0:
            return refuse(Code.MALFORMED, None, "At least one chip of each kind is handed over.", pieces=count)
    handed = _value(live, chips)
    if handed == amount:
        return None
    message = f"{amount_text(amount)} are due, and {amount_text(handed)} were handed over."
    return refuse(Code.PAYMENT_DIFFERS, table.rulebook.paytable.clause, message, due=amount, handed=handed)


def _unpayable(table: Table, live: LiveTable, payments: list[ChipPayment]) -> Refusal | None:
    """Refuse payments for which the rack or the float has not enough."""
    float_ = open_float(table, live)
    if isinstance(float_, Refusal):
        return float_
    pieces: Counter[str] = Counter()
    for payment in payments:
        pieces.update(dict(payment.chips))
    for name in pieces.keys() & live.colours.keys():
        short = rack_short(table, live.colours[name], pieces[name])
        if short is not None:
            return short
    return short_float(table, sum(n * piece_value({}, chip) for chip, n in pieces.items() if chip not in live.colours))


def segment_paid(house: House, event: SegmentPaid, _context: Context) -> None:
    live, walk = live_of(house, event.table), _walk_of(house, event)
    for payment in event.payments:
        amount = _make(live, walk, event.segment, payment.position)
        # What the chips at hand cannot pay exactly is rounded up.
        more = payment.value - amount
        house.ledger.post(more, source=LedgerAccount.HOUSE, target=LedgerAccount.CHIPS_PAYABLE)
        live.meters.won -= more
        live.meters.returned += more
        live.meters.rounding += more
        for chip, count in payment.chips:
            _hand_over(house, live, chip, count)


def _make(live: LiveTable, walk: Walk | None, segment: str, position: PositionId) -> int:
    """Mark a payment as made; return its amount."""
    here = (segment, position)
    items = [each for each in (walk.items if walk else ()) if (each.segment, each.position) == here and not each.made]
    if items:
        for item in items:
            item.made = True
        return sum(item.amount for item in items)
    account = live.players.get(position) or live.left[position]
    amount, account.payable = account.payable, 0
    _forget_paid(live, position)
    return amount


def _forget_paid(live: LiveTable, position: PositionId) -> None:
    account = live.left.get(position)
    if account is not None and not (account.payable or account.owed):
        del live.left[position]


def _hand_over(house: House, live: LiveTable, chip: str, pieces: int) -> None:
    """Hand chips to a player: of a colour from the rack, or value chips from the float."""
    amount = pieces * piece_value(values_of(live), chip)
    if chip in live.colours:
        move_colour(live.colours[chip], pieces, amount)
        live.meters.paid_colour += amount
        target = LedgerAccount.COLOUR_CHIPS
    else:
        move_float(live, -amount)
        live.meters.paid_value += amount
        target = LedgerAccount.FLOATS
    house.ledger.post(amount, source=LedgerAccount.CHIPS_PAYABLE, target=target)


def record_winner(house: House, command: RecordWinner, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    at = _walking(house, command)
    if isinstance(at, Refusal):
        return at
    refusal = _supervised(at) or _unmarked(at.table) or _collect_first(at) or _without_number(at)
    value = _round_value(at.table, at.live, command, command.chip)
    layout = _read(at.table, command.chip, command.bets)
    for each in (refusal, value, layout):
        if isinstance(each, Refusal):
            return each
    assert not isinstance(layout, Refusal)
    lost = next((spot for spot in layout if not _wins(at, spot)), None)
    if lost is not None:
        message = f"{lost} did not win on {at.chips.pocket}."
        return refuse(Code.RECORD_DIFFERS, _payout_clause(at.table), message, spot=lost)
    due = _newly_due(house, at, command.position, layout)
    here = (at.table.id, command.position, at.round.number)
    return (WinnerRecorded(*here, command.chip, command.bets, due),)


def _without_number(at: Walking) -> Refusal | None:
    if at.chips.pocket is not None:
        return None
    return refuse(Code.OUT_OF_TURN, at.round.clause, "The outcome of this round was invalidated: nothing has won.")


def _wins(at: Walking, spot: SpotKey) -> bool:
    felt, pocket = at.table.payouts, at.chips.pocket
    assert pocket is not None
    block = felt.blocks.get(spot)
    return spot in felt.winners[pocket] if block is None else pocket in block.numbers


def _newly_due(house: House, at: Walking, position: PositionId, layout: Layout) -> tuple[tuple[str, int], ...]:
    """Compute what a recorded bet adds to the payments of its player."""
    pocket, recorded = at.chips.pocket, at.chips.sealed
    assert pocket is not None
    after = payout_plan(house, at.table, at.round, pocket, {**recorded, position: _with(at, position, layout)})
    due: Counter[str] = Counter()
    # What was recorded before is due by this number too, whatever was paid of it by another.
    for plan, times in ((payout_plan(house, at.table, at.round, pocket), -1), (after, 1)):
        for each in plan.payments:
            due[str(each.segment)] += times * each.paid if each.position == position else 0
    return tuple((segment, amount) for segment, amount in due.items() if amount)


def _with(at: Walking, position: PositionId, layout: Layout) -> SealedPosition:
    """Add recorded pieces to those of a player, under the limits that apply to the player."""
    before = at.chips.sealed.get(position)
    pieces: Layout = {} if before is None else {spot: dict(each) for spot, each in before.pieces.items()}
    for spot, added in layout.items():
        lies = pieces.setdefault(spot, {})
        for chip, count in added.items():
            lies[chip] = lies.get(chip, 0) + count
    limits = at.live.players[position].limits or at.table.settings.limits
    return SealedPosition(pieces, limits if before is None else before.limits)


def winner_recorded(house: House, event: WinnerRecorded, _context: Context) -> None:
    table, live = house.tables[event.table], live_of(house, event.table)
    round_ = table.playing
    assert round_.chips is not None
    assert round_.chips.walk is not None
    at = Walking(table, live, round_, round_.chips, round_.chips.walk)
    layout = _read(table, event.chip, event.bets)
    assert not isinstance(layout, Refusal)
    at.chips.sealed[event.position] = _with(at, event.position, layout)
    amount = sum(due for _, due in event.due)
    at.walk.items += [WalkItem(segment, event.position, due) for segment, due in event.due]
    house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.CHIPS_PAYABLE)
    live.meters.won -= amount
    live.meters.returned += amount


def finish_paying(house: House, command: FinishPaying, _context: Context) -> Decision:
    at = _walking(house, command)
    if isinstance(at, Refusal):
        return at
    refusal = _supervised(at) or _unmarked(at.table) or _collect_first(at)
    if refusal is None and not all(item.made for item in at.walk.items):
        refusal = not_all_paid(at.table)
    return refusal or (PayingFinished(at.table.id, at.round.number),)


def paying_finished(house: House, event: PayingFinished, _context: Context) -> None:
    walk = _walk_of(house, event)
    assert walk is not None
    walk.finished = True


def settle_owed(house: House, command: SettleOwed, _context: Context) -> Decision:
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    clause = table.rulebook.cited_clauses[CitedTopic.CORRECTION]
    account = live.players.get(command.position) or live.left.get(command.position)
    if account is None or not account.owed:
        return refuse(Code.NOTHING_THERE, clause, f"Position {command.position} owes nothing.")
    value, float_ = chip_value(table, live, command, command.chip), open_float(table, live)
    for found in (value, float_):
        if isinstance(found, Refusal):
            return found
    assert not isinstance(value, Refusal)
    amount = Cents(command.pieces * value)
    if not 0 < amount <= account.owed:
        message = f"{amount_text(account.owed)} are owed."
        return refuse(Code.PAYMENT_DIFFERS, clause, message, owed=account.owed, amount=amount)
    left = in_hand(live, command.chip) if command.chip in live.colours else None
    if left is not None and command.pieces > left:
        short = live_clause(table.rulebook, CitedTopic.CHIPS)
        return refuse(Code.CHIPS_SHORT, short, f"The player has {left} chips of {command.chip} in hand.", left=left)
    return (OwedSettled(table.id, command.position, command.chip, command.pieces, amount),)


def owed_settled(house: House, event: OwedSettled, _context: Context) -> None:
    live = live_of(house, event.table)
    account = live.players.get(event.position) or live.left[event.position]
    account.owed -= event.amount
    _forget_paid(live, event.position)
    if event.chip in live.colours:
        move_colour(live.colours[event.chip], -event.pieces, -event.amount)
        source = LedgerAccount.COLOUR_CHIPS
    else:
        move_float(live, event.amount)
        source = LedgerAccount.FLOATS
    house.ledger.post(event.amount, source=source, target=LedgerAccount.RECEIVABLES)


DECIDERS: Deciders = {
    ReturnLate: return_late,
    AmendSeal: amend_seal,
    PlaceDolly: place_dolly,
    CollectLosers: collect_losers,
    PaySegment: pay_segment,
    RecordWinner: record_winner,
    FinishPaying: finish_paying,
    SettleOwed: settle_owed,
}
EVOLVERS: Evolvers = {
    LateBetReturned: late_returned,
    SealAmended: seal_amended,
    DollyPlaced: dolly_placed,
    LosersCollected: losers_collected,
    SegmentPaid: segment_paid,
    WinnerRecorded: winner_recorded,
    PayingFinished: paying_finished,
    OwedSettled: owed_settled,
}
