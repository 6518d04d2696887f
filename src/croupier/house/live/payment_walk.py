"""The dealer's walk after a round with chips: collect, pay segment by segment, late bets, and debts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import msgspec
from msgspec.structs import replace

from croupier.house.declare import (
    Events,
    EventTopic,
    PaymentCommand,
    PlayerCommand,
    PlayerEvent,
    RoundEvent,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.permissions import has_duty, round_clause, titles_for
from croupier.house.floor.settings import live_clause
from croupier.house.ids import Context, PositionId, RoundNumber
from croupier.house.live.chip_settlement import (
    CORRECTION,
    PaymentRounded,
    Walking,
    collected_pieces,
    payout_plan,
    walking_at,
    walking_of,
)
from croupier.house.live.seats_and_colours import (
    find_float,
    in_hand,
    live_at,
    live_of,
    live_settings,
    move_colour,
    move_float,
    payout_rules,
    player_at,
    records_bets,
    require_in_float,
    require_in_rack,
    require_settled,
)
from croupier.house.play.chip_bets import (
    ChipSeat,
    chip_seat,
    chip_value,
    collect,
    copied,
    flat,
    on_layout,
    piece_value,
    sealed_position,
    stakes_of,
    unflat,
    values_of,
    worth,
)
from croupier.house.play.chip_bets import lay as lay_pieces
from croupier.house.play.stakes import change_bets
from croupier.house.rounds.closing import layouts_digest, number_visible
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipBets, ChipPieces, Layout, LiveTable, SpotPieces, Walk, WalkItem
from croupier.house.state.tables import SEALED_PHASES, BetChange, Phase, Table
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.limits import UnderMinimum, under_minimum
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import chip_places
from croupier.rules.payouts import (
    RETURNS,
    STACK,
    ChipCount,
    ChipId,
    Payment,
    PayoutTerms,
    denomination,
    pieces_for,
    undecided_for,
)
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused, raise_if
from croupier.rules.rulebook import Stakes

if TYPE_CHECKING:
    from croupier.house import House
    from croupier.house.live.supervised import FinishPaying, RecordWinner


class ChipPayment(msgspec.Struct, frozen=True, gc=False):
    """A payment to one position: the chips that were handed over, and their value."""

    position: PositionId
    chips: ChipPieces
    value: int


class PaymentWay(NamedTuple):
    """How an amount is paid: its chips, or None if a person decides; and the clause if another amount is paid."""

    amount: int
    chips: ChipPieces | None
    clause: ClauseId | None = None
    #: The next payable amounts, for a person to decide.
    choices: tuple[ChipPieces, ...] = ()


@command(Duty.DEAL, when=SEALED_PHASES)
class ReturnLate(PlayerCommand, frozen=True):
    """Record that chips placed after the close went back at once; the spin stands."""

    bets: ChipBets
    chip: str


@event("A late bet of {amount} went back to position {position}; the spin stands.", EventTopic.BETS)
class LateBetReturned(PlayerEvent, frozen=True):
    """Chips that were placed after the close were returned at once."""

    round: RoundNumber
    chip: str
    bets: ChipBets
    amount: Cents
    clause: ClauseId


@decides(ReturnLate)
def return_late(house: House, command: ReturnLate, _context: Context) -> Events:
    table, live, _ = player_at(house, command)
    value = chip_value(table, live, command, command.chip)
    layout = read_bets(table, command.chip, command.bets)
    amount = Cents(sum(worth({command.chip: value}, pieces) for pieces in layout.values()))
    clause = live_clause(table.rulebook, CitedTopic.LATE_BET)
    here = (table.id, command.position, table.playing.number)
    return (LateBetReturned(*here, command.chip, command.bets, amount, clause),)


def read_bets(table: Table, chip: str, bets: ChipBets) -> Layout:
    """Read pieces of one chip on some spots."""
    layout: Layout = {}
    for on, pieces in bets:
        places = chip_places(table.rulebook, on)
        if pieces <= 0:
            clause = live_clause(table.rulebook, CitedTopic.BETS)
            raise Refused(Code.STAKE_NOT_POSITIVE, clause, "A bet is one chip at least.", pieces=pieces)
        for spot, share in places:
            lies = layout.setdefault(spot, {})
            lies[chip] = lies.get(chip, 0) + pieces * share
    if not layout:
        raise Refused(Code.NOTHING_THERE, live_clause(table.rulebook, CitedTopic.BETS), "No bet is named.")
    return layout


@evolves(LateBetReturned)
def late_returned(_house: House, _event: LateBetReturned, _context: Context) -> None:
    """Change no state: the chips never counted."""


# 6(i), 6(j) at Adelaide: nothing is placed after the close, and a bet is settled by its position when the ball rests.
@command(Duty.DEAL, Duty.INSPECT, Duty.CORRECT, when=SEALED_PHASES, signatures=2)
class AmendSeal(PlayerCommand, frozen=True, omit_defaults=True):
    """Correct the sealed layout of a player by what lies there: the pieces of each named chip on each named spot.

    One of the two who sign has the duty to inspect. Once the number can be seen, the other has the duty to correct.
    """

    step: ClassVar[str] = "amend the sealed bets"
    pieces: SpotPieces
    words: str
    #: Who saw the chips there before the close, or which recording shows them; required once the number can be seen.
    sighting: str = ""
    #: The round and spin that is meant; the first signature sets them.
    round: RoundNumber | None = None
    spin: int | None = None

    def is_for(self, table: Table) -> bool:
        return table.is_current(self.round, self.spin)

    def cited_topic(self, _table: Table) -> CitedTopic:
        return CitedTopic.POSITION

    def as_proposed(self, house: House) -> AmendSeal:
        """What is amended for one spin must not be signed for another."""
        playing = house.tables[self.table].playing
        return replace(self, round=playing.number, spin=playing.spin.number)

    def require_signers(self, house: House, *signed: Context) -> None:
        """6(i), 6(j): one signer inspects; once the number can be seen, the other is one who may correct a number.

        Of a first signature alone, refuse what no second one can complete.
        """
        table = house.tables[self.table]
        inspect, correct = (
            [has_duty(house, self, duty, each) for each in signed] for duty in (Duty.INSPECT, Duty.CORRECT)
        )
        is_first = len(signed) == 1
        clause = live_clause(table.rulebook, CitedTopic.POSITION)
        if not number_visible(table):
            if not is_first and not any(inspect):
                titles = titles_for((table.rulebook,), (Duty.INSPECT,))
                message = f"A sealed layout is amended with the signature of {' or '.join(titles)}."
                raise Refused(Code.NOT_AUTHORISED, clause, message, titles=titles)
        elif not (inspect[0] or correct[0] if is_first else (inspect[0] and correct[1]) or (inspect[1] and correct[0])):
            titles = titles_for((table.rulebook,), (Duty.INSPECT, Duty.CORRECT))
            message = "The number can be seen: one who inspects and one who may correct a number sign together."
            raise Refused(Code.NOT_AUTHORISED, clause, message, titles=titles)


@event(
    "The sealed chips of position {position} were amended: {stakes}. {words} {sighting}",
    EventTopic.BETS,
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
)
class SealAmended(PlayerEvent, frozen=True, omit_defaults=True):
    """The sealed layout of a player was corrected by what lies there; with the digest of all layouts."""

    round: RoundNumber
    spin: int
    spots: tuple[SpotKey, ...]
    amounts: tuple[int, ...]
    pieces: SpotPieces
    #: The total stake of all positions.
    staked: int
    digest: str
    words: str
    #: How it is known that the chips lay there, and the number that the wheel had reported by then.
    sighting: str = ""
    reported: Pocket | None = None

    @property
    def stakes(self) -> Stakes:
        """What lies on each spot that was amended."""
        return dict(zip(self.spots, self.amounts, strict=True))


@decides(AmendSeal)
def amend_seal(house: House, command: AmendSeal, _context: Context) -> Events:
    """Set the sealed pieces of some spots by what lies there; what exceeds a limit is settled as the rules say."""
    seat = chip_seat(house, command)
    layout = _amended_layout(seat, command)
    table, live, player, game = seat.table, seat.live, seat.player, seat.game
    round_ = table.playing
    if player.barred_at <= (round_.closed_at or 0):
        seat.check_bar(layout)
    for name in player.colours:
        out = live.colours[name].out
        lies = on_layout({**player.pieces, **layout}, name) + on_layout(player.carried, name)
        if out is not None and lies > out:
            clause = live_clause(table.rulebook, CitedTopic.CHIPS)
            raise Refused(Code.CHIPS_SHORT, clause, f"The player has {out} chips of {name}.", colour=name, left=out)
    # 12(a): a marker bet under its unit is no bet, and its chips go back.
    seat.check_markers(layout)
    stakes = stakes_of(live, layout)
    if player.advised_at is not None and seat.channel.under_minimum.choice is UnderMinimum.HONOUR_ONCE:
        ranges, limits = game.effective_limits.ranges, game.effective_limits.limits
        for spot, stake in stakes.items():
            least = ranges[spot].least if spot in ranges else None
            if least is not None and 0 < stake < least:
                # The player was advised: the chips go back instead.
                raise_if(under_minimum(spot, stake, least, limits))
    layouts = _sealed_stakes(house, table)
    layouts[command.position] = {spot: stake for spot, stake in {**game.bets, **stakes}.items() if stake}
    if not layouts[command.position]:
        del layouts[command.position]
    staked = sum(sum(each.values()) for each in layouts.values())
    here = (table.id, command.position, round_.number, round_.spin.number)
    spots, amounts, pieces = tuple(stakes), tuple(stakes.values()), flat(layout)
    said = (command.words, command.sighting)
    return (SealAmended(*here, spots, amounts, pieces, staked, layouts_digest(layouts), *said, round_.spin.reported),)


def _amended_layout(seat: ChipSeat, command: AmendSeal) -> Layout:
    """Read what lies on some spots, where it differs from what was sealed."""
    clause, lies = live_clause(seat.table.rulebook, CitedTopic.BETS), seat.player.pieces
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say how it is known what lies there.")
    if number_visible(seat.table) and not command.sighting.strip():
        late = live_clause(seat.table.rulebook, CitedTopic.POSITION)
        message = "The number can be seen: say who saw the chips there before the close, or which recording shows them."
        raise Refused(Code.REASON_NOT_LISTED, late, message)
    after: Layout = {}
    for spot, chip, count in command.pieces:
        round_value(seat.table, seat.live, command, chip)
        places = chip_places(seat.table.rulebook, spot)
        if count < 0 or len(places) > 1:
            raise Refused(Code.MALFORMED, None, "On each spot lies no chip or more.")
        key, _ = places[0]
        after.setdefault(key, dict(lies.get(key, {})))[chip] = count
    layout = {spot: {chip: count for chip, count in pieces.items() if count} for spot, pieces in after.items()}
    layout = {spot: pieces for spot, pieces in layout.items() if pieces != lies.get(spot, {})}
    if not layout:
        raise Refused(Code.NOTHING_THERE, clause, "That is what was sealed.")
    return layout


def round_value(table: Table, live: LiveTable, command: PlayerCommand, chip: str) -> Cents:
    """Return the value of a chip in the round that runs, or refuse a colour that was allocated after its close."""
    value, chips = chip_value(table, live, command, chip), table.playing.chips
    if denomination(ChipId(chip)) is None and (chips is None or chips.values.get(chip) != value):
        clause = live_clause(table.rulebook, CitedTopic.LATE_BET)
        message = f"{chip} was allocated after NO MORE BETS: it has no bet in this round."
        raise Refused(Code.BETS_CLOSED, clause, message, colour=chip)
    return value


def _sealed_stakes(house: House, table: Table) -> dict[PositionId, dict[SpotKey, int]]:
    """Return the sealed stakes of all positions."""
    round_ = table.playing
    sealed = () if round_.chips is None else round_.chips.sealed
    chips = {position: dict(bets) for position in sealed if (bets := house.positions[position].bets)}
    return {**{position: dict(stakes) for position, stakes in round_.layouts.items()}, **chips}


@evolves(SealAmended)
def seal_amended(house: House, event: SealAmended, context: Context) -> None:
    table, live = house.tables[event.table], live_of(house, event.table)
    game, player, sealed = house.positions[event.position], live.players[event.position], table.playing.sealed_bets
    assert sealed.chips is not None
    before = game.staked
    lay_pieces(house, event.table, event.position, unflat(event.spots, event.pieces))
    change_bets(house, game, BetChange.CHANGE, (event.spots, event.amounts), context.now)
    live.meters.turnover += game.staked - before
    sealed.chips.sealed.pop(event.position, None)
    if player.pieces or player.carried:
        sealed.chips.sealed[event.position] = sealed_position(table, player)
        sealed.chips.entered[event.position] = copied(player.entered)
    sealed.digest = event.digest
    assert layouts_digest(_sealed_stakes(house, table)) == event.digest


@command(Duty.DEAL, when={Phase.PAYING, Phase.BETWEEN})
class PlaceDolly(TableCommand, frozen=True):
    """Record that the dealer placed the dolly, or crown, on the number of a round: chips are collected and paid then.

    A confirmation that names the dolly records it too. After a correction it is placed on the corrected number.
    """

    step: ClassVar[str] = "place the dolly"
    round: RoundNumber
    pocket: Pocket

    def cited_topic(self, _table: Table) -> CitedTopic:
        return CitedTopic.DOLLY


@event("The dolly was placed on {pocket}.", EventTopic.ROUND)
class DollyPlaced(RoundEvent, frozen=True):
    """The dealer placed the dolly, or crown, on the number: chips may be collected and paid."""

    pocket: Pocket


@decides(PlaceDolly)
def place_dolly(house: House, command: PlaceDolly, _context: Context) -> Events:
    """9(d), Rotation (3): the dolly marks the number that counts, before chips are collected or paid."""
    table = house.tables[command.table]
    at, clause = walking_at(table, table.round), live_clause(table.rulebook, CitedTopic.DOLLY)
    if at is None or at.round.number != command.round:
        message = f"Round {command.round} has no chips to collect or to pay."
        raise Refused(Code.WRONG_ROUND, clause, message, round=table.rounds)
    if command.pocket != at.walk.pocket:
        message = f"The dolly is placed on {at.walk.pocket}, the number of the round, and not on {command.pocket}."
        raise Refused(Code.NUMBERS_DIFFER, clause, message, dolly=command.pocket, entered=at.walk.pocket)
    if at.walk.marked == command.pocket:
        raise Refused(Code.ALREADY_THERE, clause, f"The dolly is on {command.pocket} already.")
    return (DollyPlaced(table.id, command.round, command.pocket),)


@evolves(DollyPlaced)
def dolly_placed(house: House, event: DollyPlaced, _context: Context) -> None:
    walking_of(house, event.table, event.round).walk.marked = event.pocket


@command(Duty.DEAL, when={Phase.PAYING})
class CollectLosers(PaymentCommand, frozen=True):
    """Record that the dealer collected all losing bets of a round."""


@event("The losing bets of round {round} were collected.", EventTopic.ROUND, EventTopic.MONEY)
class LosersCollected(RoundEvent, frozen=True):
    """The dealer collected all losing bets: their amount (None if not all bets are recorded) and their chips."""

    amount: int | None
    chips: ChipPieces


@decides(CollectLosers)
def collect_losers(house: House, command: CollectLosers, _context: Context) -> Events:
    at = walking(house, command)
    require_dolly(at.table)
    if at.walk.collected:
        raise Refused(Code.ALREADY_THERE, payout_rules(at.table).clause, "The losing bets of this round are collected.")
    here = (at.table.id, at.round.number)
    if not records_bets(at.table.settings):
        return (LosersCollected(*here, None, ()),)
    plan = payout_plan(house, at.table, at.round, at.chips, at.pocket)
    taken = tuple((chip, count) for chip, count in collected_pieces(plan).items() if count)
    return (LosersCollected(*here, plan.collected, taken),)


def walking(house: House, command: CollectLosers | PaySegment | FinishPaying | RecordWinner) -> Walking:
    """Find the round that a command names, or refuse it if its chips are not being collected and paid."""
    table = house.tables[command.table]
    at = walking_at(table, table.round)
    if at is None or at.round.number != command.round or at.walk.over:
        message = f"Round {command.round} has no chips to collect or to pay."
        if table.is_unannounced(command.round):
            message = f"The number of round {command.round} is not announced yet."
        raise Refused(Code.WRONG_ROUND, round_clause(table, command), message, round=table.rounds)
    return at


def require_dolly(table: Table) -> None:
    """Refuse to collect or pay chips while the last round's number is not marked on the layout."""
    walk = None if table.round is None else table.round.walk
    if walk is not None and walk.pocket not in (None, walk.marked):
        clause = live_clause(table.rulebook, CitedTopic.DOLLY)
        message = f"The dolly is placed on {walk.pocket} before chips are collected or paid."
        raise Refused(Code.DOLLY_NOT_PLACED, clause, message, pocket=walk.pocket)


@evolves(LosersCollected)
def losers_collected(house: House, event: LosersCollected, _context: Context) -> None:
    walk = walking_of(house, event.table, event.round).walk
    walk.collected = walk.swept = True
    walk.moves = None
    if event.amount is not None:
        collect(house, live_of(house, event.table), dict(event.chips))


@command(Duty.DEAL)
class PaySegment(PaymentCommand, frozen=True):
    """Record that the dealer paid a segment of the layout, to all its winners or to one.

    A segment is an outside box by its spot, "inside", "returns" for change, or "correction" for what a correction of
    the number has added.
    """

    segment: str
    position: PositionId | None = None
    #: Other chips of the same value than those proposed, for one position.
    handed: ChipPieces = ()


@event("The segment {segment} of round {round} was paid.", EventTopic.ROUND, EventTopic.MONEY)
class SegmentPaid(RoundEvent, frozen=True):
    """The dealer paid winners of a segment."""

    segment: str
    payments: tuple[ChipPayment, ...]


@decides(PaySegment)
def pay_segment(house: House, command: PaySegment, context: Context) -> Events:
    """Pay what is open of a segment: with the chips that the plan proposes, or with those that were handed over."""
    table = house.tables[command.table]
    live = live_at(table)
    require_dolly(table)
    # A segment has no planned payments after a correction, or if no number counts.
    planned: dict[PositionId, Payment] = {}
    if command.segment != CORRECTION:
        at = walking(house, command)
        require_collected(at)
        if at.walk.pocket is not None:
            plan = payout_plan(house, table, at.round, at.chips, at.walk.pocket)
            planned = {PositionId(each.position): each for each in plan.payments if each.segment == command.segment}
    due = _due(table, live, command)
    if not due:
        message = f"Nothing is to be paid in {command.segment}."
        raise Refused(Code.NOTHING_THERE, payout_rules(table).clause, message, segment=command.segment)
    if command.handed and command.position is None:
        raise Refused(Code.MALFORMED, None, "Name the position to which other chips were handed.")
    payments, notes = [], list[PaymentRounded]()
    supervises = has_duty(house, command, Duty.INSPECT, context)
    for position, amount in due.items():
        way = payment_way(table, live, WalkItem(command.segment, position, amount), planned.get(position))
        chips = _handed_over(table, live, position, way, command.handed, supervises=supervises)
        payments.append(ChipPayment(position, chips, _value(live, chips)))
        if way.clause is not None and payments[-1].value != amount:
            here = (table.id, position, command.round, SpotKey(command.segment))
            notes.append(PaymentRounded(*here, amount, payments[-1].value, way.clause))
    _require_chips(table, live, payments)
    return (SegmentPaid(table.id, command.round, command.segment, tuple(payments)), *notes)


def require_collected(at: Walking) -> None:
    if not at.walk.collected:
        message = "All losing bets are collected before the first is paid."
        raise Refused(Code.COLLECT_FIRST, payout_rules(at.table).clause, message)


def _due(table: Table, live: LiveTable, command: PaySegment) -> dict[PositionId, int]:
    """List the open payments of a segment; after corrections, also those of players' accounts."""
    round_ = table.find_round(command.round)
    walk = None if round_ is None else round_.walk
    due: Counter[PositionId] = Counter()
    for item in walk.items if walk is not None else ():
        if item.segment == command.segment and not item.made:
            due[item.position] += item.amount
    if command.segment == CORRECTION and not due:
        # What is due to a player who left is paid to that player, by name, and to nobody in passing.
        left = {} if command.position is None else live.left
        due.update({each: account.payable for each, account in (*live.players.items(), *left.items())})
    return {each: amount for each, amount in due.items() if amount and command.position in (None, each)}


def _value(live: LiveTable, chips: ChipPieces) -> int:
    return worth(values_of(live), Counter(dict(chips)))


def payment_way(table: Table, live: LiveTable, due: WalkItem, planned: Payment | None) -> PaymentWay:
    """Choose the chips of a payment: those of the plan, or others for what the plan does not have.

    Others are value chips, with as many pieces of an own colour as make it exact. If neither makes it, the next higher
    amount is paid where a clause says so, else a person decides.
    """
    position, amount = due.position, due.amount
    settings, rules, player = live_settings(table), payout_rules(table), live.players.get(position)
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
        clause = None if settings.multiples or not _has_won(table, live, due) else rules.rounding
        payable = amount if clause is None else terms.sums.at_least(amount, own)
        made = pieces_for(terms, payable, {chip: range(count + 1) for chip, count in at_hand.items()})
        if made is not None:
            return PaymentWay(amount, _pieces(made), clause)
        undecided, chips = undecided_for(table.payouts, terms, amount, at_hand), ()
    if undecided is None:
        return PaymentWay(amount, _pieces(chips))
    return PaymentWay(amount, None, undecided.clause, tuple(map(_pieces, undecided.choices)))


def _has_won(table: Table, live: LiveTable, due: WalkItem) -> bool:
    """12(g) rounds what bets have won: not change, and not stakes that go back because no outcome counts."""
    if due.segment != CORRECTION:
        return due.segment != RETURNS
    account = live.players.get(due.position) or live.left[due.position]
    round_ = None if account.corrected is None else table.find_round(account.corrected)
    return round_ is None or round_.walk is None or round_.walk.pocket is not None


def _pieces(chips: tuple[ChipCount, ...]) -> ChipPieces:
    return tuple((str(chip), count) for chip, count in chips)


def _handed_over(  # noqa: PLR0913 - what is due, and how it is paid
    table: Table, live: LiveTable, position: PositionId, way: PaymentWay, handed: ChipPieces, *, supervises: bool
) -> ChipPieces:
    """Return the chips of a payment; refuse others that this player cannot be paid in, or that are another amount."""
    by = PlayerCommand(table.id, position)
    for chip, count in handed:
        chip_value(table, live, by, chip)
        if count <= 0:
            raise Refused(Code.MALFORMED, None, "At least one chip of each kind is handed over.", pieces=count)
    amount, choices = way.amount, [_value(live, chips) for chips in way.choices]
    paid = _value(live, handed)
    if not handed and way.chips is not None:
        return way.chips
    # Other chips of the amount that the rules round to are as good as those proposed.
    rounded = amount if way.chips is None else _value(live, way.chips)
    if paid in (amount, rounded) or (paid in choices and supervises):
        return handed
    if way.chips is None and (not handed or paid in choices):
        words = " or ".join(map(amount_text, choices))
        title = table.rulebook.staff.titles_for(Duty.INSPECT)[0]
        message = f"The chips at hand do not make {amount_text(amount)}: the {title} decides whether {words} is paid."
        raise Refused(Code.PAYMENT_UNDECIDED, way.clause, message, due=amount, choices=tuple(choices))
    message = f"{amount_text(amount)} are due, and {amount_text(paid)} were handed over."
    raise Refused(Code.PAYMENT_DIFFERS, table.rulebook.paytable.clause, message, due=amount, handed=paid)


def _require_chips(table: Table, live: LiveTable, payments: list[ChipPayment]) -> None:
    """Refuse payments for which the rack or the float has not enough."""
    find_float(table)
    pieces: Counter[str] = Counter()
    for payment in payments:
        pieces.update(dict(payment.chips))
    for name in pieces.keys() & live.colours.keys():
        require_in_rack(table, live.colours[name], pieces[name])
    value_chips = {chip: count for chip, count in pieces.items() if chip not in live.colours}
    require_in_float(table, worth({}, value_chips))


@evolves(SegmentPaid)
def segment_paid(house: House, event: SegmentPaid, _context: Context) -> None:
    table, live = house.tables[event.table], live_of(house, event.table)
    round_ = table.find_round(event.round)
    walk = None if round_ is None else round_.walk
    if walk is not None:
        walk.moves = None
    for payment in event.payments:
        more = _mark_paid(table, live, walk, event.segment, payment)
        house.ledger.post(more, source=LedgerAccount.HOUSE, target=LedgerAccount.CHIPS_PAYABLE)
        live.meters.won -= more
        live.meters.returned += more
        live.meters.rounding += more
        for chip, count in payment.chips:
            _hand_over(house, live, chip, count)


def _mark_paid(table: Table, live: LiveTable, walk: Walk | None, segment: str, payment: ChipPayment) -> int:
    """Mark a payment as made; return what was paid more than was due, or less, and note it with the round."""
    position = payment.position
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
        round_ = None if account.corrected is None else table.find_round(account.corrected)
        walk = None if round_ is None else round_.walk
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


@command(Duty.DEAL)
class SettleOwed(PlayerCommand, frozen=True):
    """Take chips of a player for a debt that a correction has caused."""

    chip: str
    pieces: int


@event("Position {position} settled {amount} of its debt.", EventTopic.MONEY)
class OwedSettled(PlayerEvent, frozen=True):
    """A player paid a debt that a correction had caused, in chips."""

    chip: str
    pieces: int
    amount: Cents


@decides(SettleOwed)
def settle_owed(house: House, command: SettleOwed, _context: Context) -> Events:
    table = house.tables[command.table]
    live = live_at(table)
    clause = table.rulebook.cited_clauses[CitedTopic.CORRECTION]
    account = live.players.get(command.position) or live.left.get(command.position)
    if account is None or not account.owed:
        raise Refused(Code.NOTHING_THERE, clause, f"Position {command.position} owes nothing.")
    amount = Cents(command.pieces * chip_value(table, live, command, command.chip))
    find_float(table)
    if not 0 < amount <= account.owed:
        message = f"{amount_text(account.owed)} are owed."
        raise Refused(Code.PAYMENT_DIFFERS, clause, message, owed=account.owed, amount=amount)
    left = None
    if command.chip in live.colours:
        require_settled(table, command.position)
        left = in_hand(live, command.chip)
    if left is not None and command.pieces > left:
        short = live_clause(table.rulebook, CitedTopic.CHIPS)
        raise Refused(Code.CHIPS_SHORT, short, f"The player has {left} chips of {command.chip} in hand.", left=left)
    return (OwedSettled(table.id, command.position, command.chip, command.pieces, amount),)


@evolves(OwedSettled)
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
