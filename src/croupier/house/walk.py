"""The dealer's walk after a round with chips: collect, pay segment by segment, late bets, and debts."""

from collections import Counter
from typing import NamedTuple

from croupier.house.base import Decision, PlayerCommand, RoundEvent
from croupier.house.chip_bets import (
    ChipSeat,
    barred_from,
    chip_seat,
    chip_value,
    copied,
    flat,
    marker_objections,
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
    PaymentRounded,
    SealAmended,
    SegmentPaid,
)
from croupier.house.events.play import BetChange
from croupier.house.ids import Context, PositionId
from croupier.house.livetable import (
    in_hand,
    live_at,
    live_of,
    move_colour,
    move_float,
    open_float,
    player_at,
    rack_short,
    records_bets,
    short_float,
)
from croupier.house.permissions import has_duty, is_unannounced, round_clause
from croupier.house.results import number_visible
from croupier.house.setup import live_clause
from croupier.house.stakes import change_bets
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import Layout, LiveTable, RoundChips, Walk
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import Round, Table, is_paying
from croupier.rules.geometry import SpotKey
from croupier.rules.limits import UnderMinimum, under_minimum
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import chip_places
from croupier.rules.payouts import (
    STACK,
    ChipCount,
    ChipId,
    Payment,
    PayoutTerms,
    denomination,
    pieces_for,
    undecided_for,
)
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, first_of, refuse


def return_late(house: House, command: ReturnLate, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, live, _ = found
    value = chip_value(table, live, command, command.chip)
    if isinstance(value, Refusal):
        return value
    layout = read_bets(table, command.chip, command.bets)
    if isinstance(layout, Refusal):
        return layout
    amount = Cents(sum(worth({command.chip: value}, pieces) for pieces in layout.values()))
    clause = live_clause(table.rulebook, CitedTopic.LATE_BET)
    here = (table.id, command.position, table.playing.number)
    return (LateBetReturned(*here, command.chip, command.bets, amount, clause),)


def read_bets(table: Table, chip: str, bets: ChipBets) -> Layout | Refusal:
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
    # 12(a): a marker bet under its unit is no bet, and its chips go back.
    return first_of(marker_objections(seat, layout)) or _amended(house, command, layout)


def _found(seat: ChipSeat, command: AmendSeal) -> Layout | Refusal:
    """Read what lies on some spots, where it differs from what was sealed."""
    clause, lies = live_clause(seat.table.rulebook, CitedTopic.BETS), seat.player.pieces
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say how it is known what lies there.")
    if number_visible(seat.table) and not command.sighting.strip():
        late = live_clause(seat.table.rulebook, CitedTopic.POSITION)
        message = "The number can be seen: say who saw the chips there before the close, or which recording shows them."
        return refuse(Code.REASON_NOT_LISTED, late, message)
    after: Layout = {}
    for spot, chip, count in command.pieces:
        value, places = round_value(seat.table, seat.live, command, chip), chip_places(seat.table.rulebook, spot)
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


def round_value(table: Table, live: LiveTable, command: PlayerCommand, chip: str) -> Cents | Refusal:
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
        round_.chips.entered[event.position] = copied(player.entered)
    round_.digest = event.digest
    assert layouts_digest(_sealed_stakes(house, table)) == event.digest


class Walking(NamedTuple):
    """A round whose chips are collected and paid."""

    table: Table
    live: LiveTable
    round: Round
    chips: RoundChips
    walk: Walk


def walking(house: House, command: CollectLosers | PaySegment | FinishPaying | RecordWinner) -> Walking | Refusal:
    table = house.tables[command.table]
    round_ = table.round
    if round_ is None or round_.number != command.round or round_.chips is None or not is_paying(round_):
        message = f"Round {command.round} has no chips to collect or to pay."
        if is_unannounced(table, command.round):
            message = f"The number of round {command.round} is not announced yet."
        return refuse(Code.WRONG_ROUND, round_clause(table, command), message, round=table.rounds)
    assert round_.chips.walk is not None
    return Walking(table, live_of(house, table.id), round_, round_.chips, round_.chips.walk)


def payout_clause(table: Table) -> ClauseId:
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
    walk = walk_of(house, event)
    assert walk is not None
    walk.marked = event.pocket


def unmarked_objection(table: Table) -> Refusal | None:
    """Refuse to collect or pay chips while the last round's number is not marked on the layout."""
    chips = None if table.round is None else table.round.chips
    if chips is None or chips.walk is None or chips.pocket in (None, chips.walk.marked):
        return None
    message = f"The dolly is placed on {chips.pocket} before chips are collected or paid."
    return refuse(Code.DOLLY_NOT_PLACED, live_clause(table.rulebook, CitedTopic.DOLLY), message, pocket=chips.pocket)


def collect_first(at: Walking) -> Refusal | None:
    if at.walk.collected:
        return None
    return refuse(
        Code.COLLECT_FIRST, payout_clause(at.table), "All losing bets are collected before the first is paid."
    )


def collect_losers(house: House, command: CollectLosers, _context: Context) -> Decision:
    at = walking(house, command)
    if isinstance(at, Refusal):
        return at
    if (unmarked := unmarked_objection(at.table)) is not None:
        return unmarked
    if at.walk.collected:
        return refuse(Code.ALREADY_THERE, payout_clause(at.table), "The losing bets of this round are collected.")
    here = (at.table.id, at.round.number)
    if not records_bets(at.table.settings):
        return (LosersCollected(*here, None, ()),)
    assert at.chips.pocket is not None
    plan = payout_plan(house, at.table, at.round, at.chips.pocket)
    taken = tuple((chip, count) for chip, count in collected_pieces(plan).items() if count)
    return (LosersCollected(*here, plan.collected, taken),)


def losers_collected(house: House, event: LosersCollected, _context: Context) -> None:
    walk = walk_of(house, event)
    assert walk is not None
    walk.collected = walk.swept = True
    walk.moves = None
    if event.amount is not None:
        collect(house, live_of(house, event.table), dict(event.chips))


def walk_of(house: House, event: RoundEvent) -> Walk | None:
    round_ = house.tables[event.table].find_round(event.round)
    return None if round_ is None or round_.chips is None else round_.chips.walk


def pay_segment(house: House, command: PaySegment, context: Context) -> Decision:
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
        return refuse(Code.NOTHING_THERE, payout_clause(table), message, segment=command.segment)
    if command.handed and command.position is None:
        return refuse(Code.MALFORMED, None, "Name the position to which other chips were handed.")
    payments, notes = [], list[PaymentRounded]()
    supervises = has_duty(house, command, Duty.INSPECT, context)
    for position, amount in due.items():
        way = payment_way(table, live, (position, amount), planned.get(position))
        chips = _handed_over(table, live, position, way, command.handed, supervises=supervises)
        if isinstance(chips, Refusal):
            return chips
        payments.append(ChipPayment(position, chips, _value(live, chips)))
        if way.clause is not None and payments[-1].value != amount:
            here = (table.id, position, command.round, SpotKey(command.segment))
            notes.append(PaymentRounded(*here, amount, payments[-1].value, way.clause))
    return _unpayable(table, live, payments) or (
        SegmentPaid(table.id, command.round, command.segment, tuple(payments)),
        *notes,
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
        # What is due to a player who left is paid to that player, by name, and to nobody in passing.
        left = {} if command.position is None else live.left
        due.update({each: account.payable for each, account in (*live.players.items(), *left.items())})
    return {each: amount for each, amount in due.items() if amount and command.position in (None, each)}


def _planned(house: House, table: Table, command: PaySegment) -> dict[PositionId, Payment] | Refusal:
    """Return the payments of a segment by the plan, or refuse to pay it now.

    It has none after a correction, or if no number counts.
    """
    if (unmarked := unmarked_objection(table)) is not None:
        return unmarked
    if command.segment == CORRECTION:
        return {}
    at = walking(house, command)
    refusal = at if isinstance(at, Refusal) else collect_first(at)
    if refusal is not None:
        return refusal
    assert not isinstance(at, Refusal)
    if at.chips.pocket is None:
        return {}
    plan = payout_plan(house, at.table, at.round, at.chips.pocket)
    return {PositionId(each.position): each for each in plan.payments if each.segment == command.segment}


def _value(live: LiveTable, chips: ChipPieces) -> int:
    return worth(values_of(live), Counter(dict(chips)))


class PaymentWay(NamedTuple):
    """How an amount is paid: its chips, or None if a person decides; and the clause if another amount is paid."""

    amount: int
    chips: ChipPieces | None
    clause: ClauseId | None = None
    #: The next payable amounts, for a person to decide.
    choices: tuple[ChipPieces, ...] = ()


def payment_way(table: Table, live: LiveTable, due: tuple[PositionId, int], planned: Payment | None) -> PaymentWay:
    """Choose the chips of a payment: those of the plan, or others for what the plan does not have.

    Others are value chips, with as many pieces of an own colour as make it exact. If neither makes it, the next higher
    amount is paid where a clause says so, else a person decides.
    """
    position, amount = due
    settings, rules, player = table.settings.live, table.rulebook.payout, live.players.get(position)
    assert settings is not None
    assert rules is not None
    colours = {ChipId(name): Cents(value) for name, value in values_of(live).items()}
    terms = PayoutTerms(settings.denominations, colours, settings.multiples, settings.cash_from)
    if planned is not None and planned.paid == amount:
        undecided, chips = planned.undecided, (*planned.colours, *planned.cash)
    else:
        racks = {name: live.colours[name] for name in (player.colours if player is not None else ())}
        at_hand = {
            ChipId(name): min(STACK if each.out is None else each.pieces_in_set - each.out, amount // each.value)
            for name, each in racks.items()
        }
        own = [(terms.value(chip), count) for chip, count in at_hand.items()]
        clause = None if settings.multiples else rules.rounding
        payable = amount if clause is None else terms.sums.at_least(amount, own)
        made = pieces_for(terms, payable, {chip: range(count + 1) for chip, count in at_hand.items()})
        if made is not None:
            return PaymentWay(amount, _pieces(made), clause)
        undecided, chips = undecided_for(table.payouts, terms, amount, at_hand), ()
    if undecided is None:
        return PaymentWay(amount, _pieces(chips))
    return PaymentWay(amount, None, undecided.clause, tuple(map(_pieces, undecided.choices)))


def _pieces(chips: tuple[ChipCount, ...]) -> ChipPieces:
    return tuple((str(chip), count) for chip, count in chips)


def _handed_over(  # noqa: PLR0913 - what is due, and how it is paid
    table: Table, live: LiveTable, position: PositionId, way: PaymentWay, handed: ChipPieces, *, supervises: bool
) -> ChipPieces | Refusal:
    """Return the chips of a payment; refuse others that this player cannot be paid in, or that are another amount."""
    by = PlayerCommand(table.id, position)
    for chip, count in handed:
        value = chip_value(table, live, by, chip)
        if isinstance(value, Refusal):
            return value
        if count <= 0:
            return refuse(Code.MALFORMED, None, "At least one chip of each kind is handed over.", pieces=count)
    amount, choices = way.amount, [_value(live, chips) for chips in way.choices]
    paid = _value(live, handed)
    if not handed and way.chips is not None:
        return way.chips
    # Other chips of the amount that the rules round to are as good as those proposed.
    rounded = amount if way.chips is None else _value(live, way.chips)
    if paid in (amount, rounded) or (paid in choices and supervises):
        return handed
    if way.chips is None and (not handed or paid in choices):
        words = " or ".join((*map(amount_text, choices), *(() if min(choices) < amount else ("nothing",))))
        title = table.rulebook.staff.titles_for(Duty.INSPECT)[0]
        message = f"The chips at hand do not make {amount_text(amount)}: the {title} decides whether {words} is paid."
        return refuse(Code.PAYMENT_UNDECIDED, way.clause, message, due=amount, choices=tuple(choices))
    message = f"{amount_text(amount)} are due, and {amount_text(paid)} were handed over."
    return refuse(Code.PAYMENT_DIFFERS, table.rulebook.paytable.clause, message, due=amount, handed=paid)


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
    live, walk = live_of(house, event.table), walk_of(house, event)
    if walk is not None:
        walk.moves = None
    for payment in event.payments:
        more = _make(house.tables[event.table], walk, event.segment, payment)
        house.ledger.post(more, source=LedgerAccount.HOUSE, target=LedgerAccount.CHIPS_PAYABLE)
        live.meters.won -= more
        live.meters.returned += more
        live.meters.rounding += more
        for chip, count in payment.chips:
            _hand_over(house, live, chip, count)


def _make(table: Table, walk: Walk | None, segment: str, payment: ChipPayment) -> int:
    """Mark a payment as made; return what was paid more than was due, or less, and note it with the round."""
    live, position = table.live, payment.position
    assert live is not None
    here = (segment, position)
    items = [each for each in (walk.items if walk else ()) if (each.segment, each.position) == here and not each.made]
    if items:
        more = payment.value - sum(item.amount for item in items)
        for item in items:
            item.made = True
        items[-1].amount += more
    else:
        account = live.players.get(position) or live.left[position]
        more, account.payable = payment.value - account.payable, 0
        assert account.corrected is not None
        round_ = table.find_round(account.corrected)
        walk = None if round_ is None or round_.chips is None else round_.chips.walk
        _forget_paid(live, position)
    if more and walk is not None:
        rounded = walk.rounded.setdefault(segment, {})
        rounded[position] = rounded.get(position, 0) + more
    return more


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
    SettleOwed: settle_owed,
}
EVOLVERS: Evolvers = {
    LateBetReturned: late_returned,
    SealAmended: seal_amended,
    DollyPlaced: dolly_placed,
    LosersCollected: losers_collected,
    SegmentPaid: segment_paid,
    OwedSettled: owed_settled,
}
