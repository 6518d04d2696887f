"""Bets with chips at a live table: placed, changed and withdrawn, their limits, and their seal."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from croupier.house.base import Decision, PlayerCommand
from croupier.house.commands.live import (
    ChangeChips,
    ClearChips,
    Manner,
    MoveChips,
    PlaceChips,
    RemoveChips,
    SpotPieces,
    UndoChips,
)
from croupier.house.events.live import Advice, ChipsChanged, ChipsReturned
from croupier.house.events.play import BetChange, ReturnReason
from croupier.house.ids import Context, Instant, PositionId, TableId
from croupier.house.liveplayers import barred_objection
from croupier.house.livetable import gap_open, live_of, own_colour, player_at, records_bets
from croupier.house.partners import numbers_of, on_number, partnership_objections
from croupier.house.setup import live_clause
from croupier.house.stakes import begin_anew, change_bets, restricted
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import ChipFunding, Entered, Layout, LiveTable, RoundChips, SealedPosition
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import UNDO_MAX, Position, Round, Table
from croupier.rules.calls import MarkerLimits, MarkerUse, marker_objection
from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.limits import OverMaximum, UnderMinimum, over_maximum, total_over_maximum, under_minimum
from croupier.rules.money import Cents
from croupier.rules.notation import chip_places
from croupier.rules.payouts import ChipId, denomination, most_on
from croupier.rules.procedure import Channel, ChannelName
from croupier.rules.refusal import CitedTopic, Code, Refusal, first_of, refuse
from croupier.rules.rulebook import Stakes

#: What a dealer enters for banknotes on the layout.
CASH: Final = "cash"


class ChipSeat(NamedTuple):
    """A player with chips at a live table, and the betting position."""

    table: Table
    live: LiveTable
    player: ChipFunding
    game: Position

    @property
    def channel(self) -> Channel:
        return self.table.rulebook.channels[ChannelName.TABLE]


def chip_seats(house: House, table: Table) -> Iterator[ChipSeat]:
    """Iterate over the players with chips at a table."""
    if table.live is not None:
        for position, player in table.live.players.items():
            yield ChipSeat(table, table.live, player, house.positions[position])


def chip_seat(house: House, command: PlayerCommand) -> ChipSeat | Refusal:
    """Find the player that a command names, at a table that records every bet."""
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, live, player = found
    if not records_bets(table.settings):
        clause = live_clause(table.rulebook, CitedTopic.CHIPS)
        message = f"Table {table.id} records winning bets only, when they are paid."
        return refuse(Code.BETS_NOT_RECORDED, clause, message)
    gap = gap_open(table, live)
    if gap is not None:
        return gap
    return ChipSeat(table, live, player, house.positions[command.position])


def chip_value(table: Table, live: LiveTable, command: PlayerCommand, chip: str) -> Cents | Refusal:
    """Return the value of a chip that a player may use here, or refuse it."""
    if chip == CASH:
        clause = live_clause(table.rulebook, CitedTopic.CASH)
        return refuse(Code.CASH_NOT_TAKEN, clause, "Cash is no bet: it buys chips first.")
    assert table.settings.live is not None
    value = denomination(ChipId(chip))
    if value is not None and value in (*table.settings.live.denominations, *table.settings.live.circulating):
        return value
    colour = own_colour(table, live, command, chip)
    return colour if isinstance(colour, Refusal) else Cents(colour.value)


def values_of(live: LiveTable) -> dict[str, int]:
    """Return the value of each colour that a player has."""
    return {name: colour.value for name, colour in live.colours.items() if colour.position is not None}


def piece_value(values: Mapping[str, int], chip: str) -> int:
    """Return the value of one piece: declared for a colour, marked on a value chip."""
    value = values.get(chip)
    return (denomination(ChipId(chip)) or 0) if value is None else value


def worth(values: Mapping[str, int], pieces: Mapping[str, int]) -> int:
    """Add up the value of pieces."""
    return sum(count * piece_value(values, chip) for chip, count in pieces.items())


def on_layout(pieces: Layout, chip: str) -> int:
    """Count the pieces of a chip on a player's layout."""
    return sum(each.get(chip, 0) for each in pieces.values())


def place_chips(house: House, command: PlaceChips, _context: Context) -> Decision:
    seat = chip_seat(house, command)
    if isinstance(seat, Refusal):
        return seat
    if command.manner is Manner.VERBAL and not command.chips_down:
        clause = live_clause(seat.table.rulebook, CitedTopic.VERBAL)
        return refuse(Code.VERBAL_WITHOUT_CHIPS, clause, "A verbal bet is taken only with the chips for it.")
    value = chip_value(seat.table, seat.live, command, command.chip)
    if isinstance(value, Refusal):
        return value
    after = _added(seat, command)
    return after if isinstance(after, Refusal) else _change(house, seat, BetChange.PLACE, after, command.manner)


def _added(seat: ChipSeat, command: PlaceChips) -> Layout | Refusal:
    """Compute the pieces on each spot of a command after it."""
    after: Layout = {}
    objections: list[Refusal] = []
    clause = live_clause(seat.table.rulebook, CitedTopic.BETS)
    for on, pieces in command.bets:
        places = _places(seat, on)
        if isinstance(places, Refusal):
            objections.append(places)
        elif pieces <= 0:
            message = "A bet is one chip at least."
            objections.append(refuse(Code.STAKE_NOT_POSITIVE, clause, message, pieces=pieces))
        else:
            for spot, share in places:
                lies = after.setdefault(spot, dict(seat.player.pieces.get(spot, {})))
                lies[command.chip] = lies.get(command.chip, 0) + pieces * share
    if not command.bets:
        objections.append(refuse(Code.NOTHING_THERE, clause, "No bet is named."))
    return first_of(objections) or after


def _places(seat: ChipSeat, on: str) -> list[tuple[SpotKey, int]] | Refusal:
    felt = seat.table.payouts
    if on in felt.spots or on in felt.blocks:
        return [(SpotKey(on), 1)]
    return chip_places(seat.table.rulebook, on)


def change_chips(house: House, command: ChangeChips, _context: Context) -> Decision:
    seat = chip_seat(house, command)
    if isinstance(seat, Refusal):
        return seat
    value = chip_value(seat.table, seat.live, command, command.chip)
    if isinstance(value, Refusal):
        return value
    places = _places(seat, command.spot)
    if isinstance(places, Refusal):
        return places
    if len(places) > 1 or command.pieces < 0:
        return refuse(Code.MALFORMED, None, "One spot is changed at a time, to no chip or more.")
    ((spot, _),) = places
    lies = seat.player.pieces.get(spot, {})
    if lies.get(command.chip, 0) == command.pieces:
        return ()
    after = {**lies, command.chip: command.pieces}
    return _change(house, seat, BetChange.CHANGE, {spot: {chip: count for chip, count in after.items() if count}})


def remove_chips(house: House, command: RemoveChips, _context: Context) -> Decision:
    seat = chip_seat(house, command)
    if isinstance(seat, Refusal):
        return seat
    spots = [seat.table.rulebook.named_spot(spot) for spot in command.spots]
    empty = next((spot for spot in spots if spot not in seat.player.pieces), None)
    if empty is not None or not spots:
        return _nothing_there(seat, f"Nothing lies on {empty}." if empty is not None else "No spot is named.")
    refusal = first_of(_unsettled(seat, spots))
    return refusal or _change(house, seat, BetChange.REMOVE, {spot: {} for spot in spots})


def _unsettled(seat: ChipSeat, spots: Iterable[SpotKey]) -> Iterator[Refusal]:
    """12(c), 12(d): a winning bet stays until its outside box, or for all others the whole layout, is paid."""
    round_, felt = seat.table.playing, seat.table.payouts
    walk = None if round_.chips is None else round_.chips.walk
    if walk is None or walk.over:
        return
    open_ = {item.segment for item in walk.items if not item.made}
    boxes = {item.segment for item in walk.items}
    for spot in spots:
        # A box without a payment, or a bet inside, waits for all.
        outside = spot in boxes and spot in felt.spots and len(felt.spots[spot].numbers) > _INSIDE_MOST
        waits = spot in open_ if outside and walk.collected else True
        if waits:
            topic = CitedTopic.WINNING_SEGMENT if outside else CitedTopic.WINNING_BETS
            clause = live_clause(seat.table.rulebook, topic)
            message = f"The bet on {spot} is not touched until {'its box' if outside else 'every winning bet'} is paid."
            yield refuse(Code.NOT_SETTLED_YET, clause, message, spot=spot)


#: The most numbers of a bet around the numbers; a column, a dozen or an even chance has more.
_INSIDE_MOST: Final = 6


def move_chips(house: House, command: MoveChips, _context: Context) -> Decision:
    seat = chip_seat(house, command)
    if isinstance(seat, Refusal):
        return seat
    places = _places(seat, command.target)
    if isinstance(places, Refusal):
        return places
    source, (target, _) = seat.table.rulebook.named_spot(command.source), places[0]
    moved = seat.player.pieces.get(source)
    if not moved or target == source:
        return _nothing_there(seat, f"Nothing lies on {source} that could go elsewhere.")
    lies = dict(seat.player.pieces.get(target, {}))
    for chip, count in moved.items():
        lies[chip] = lies.get(chip, 0) + count
    return _change(house, seat, BetChange.MOVE, {source: {}, target: lies})


def undo_chips(house: House, command: UndoChips, _context: Context) -> Decision:
    seat = chip_seat(house, command)
    if isinstance(seat, Refusal):
        return seat
    if not seat.player.undo:
        message = f"There is nothing left to take back: the last {UNDO_MAX} changes of a round can be."
        return _nothing_there(seat, message)
    return _change(house, seat, BetChange.UNDO, seat.player.undo[-1])


def clear_chips(house: House, command: ClearChips, _context: Context) -> Decision:
    seat = chip_seat(house, command)
    if isinstance(seat, Refusal):
        return seat
    if not seat.player.pieces:
        return _nothing_there(seat, "There are no chips to take back.")
    return _change(house, seat, BetChange.CLEAR, {spot: {} for spot in seat.player.pieces})


def _nothing_there(seat: ChipSeat, message: str) -> Refusal:
    return refuse(Code.NOTHING_THERE, live_clause(seat.table.rulebook, CitedTopic.BETS), message)


def _change(
    house: House, seat: ChipSeat, how: BetChange, after: Layout, manner: Manner = Manner.PLACED
) -> tuple[ChipsChanged] | Refusal:
    """Change the pieces on some spots, or refuse; with advice on bets that lie outside the limits."""
    refusal = barred_from(seat.player, after) or first_of(_objections(house, seat, after))
    if refusal is not None:
        return refusal
    stakes = stakes_of(seat.live, after)
    event = ChipsChanged(
        seat.table.id,
        seat.game.id,
        seat.table.playing.number,
        how,
        tuple(stakes),
        tuple(stakes.values()),
        flat(after),
        manner,
        tuple(advice_on(seat, stakes)),
    )
    return (event,)


def barred_from(player: ChipFunding, after: Layout) -> Refusal | None:
    """12(d), 12(l): refuse every change that puts a chip of a barred player on a spot; chips may be withdrawn."""
    more = any(
        count > player.pieces.get(spot, {}).get(chip, 0)
        for spot, pieces in after.items()
        for chip, count in pieces.items()
    )
    return barred_objection(player) if more else None


def stakes_of(live: LiveTable, pieces: Layout) -> Stakes:
    """Compute the stake on each spot from its pieces."""
    values = values_of(live)
    return {spot: worth(values, each) for spot, each in pieces.items()}


def flat(layout: Layout) -> SpotPieces:
    """List the pieces on each spot."""
    return tuple((spot, chip, count) for spot, pieces in layout.items() for chip, count in pieces.items())


def unflat(spots: Iterable[SpotKey], pieces: SpotPieces) -> Layout:
    """Group listed pieces by their spots; a spot without pieces is empty."""
    layout: Layout = {spot: {} for spot in spots}
    for spot, chip, count in pieces:
        layout[spot][chip] = count
    return layout


def _objections(house: House, seat: ChipSeat, after: Layout) -> Iterator[Refusal]:
    stakes = stakes_of(seat.live, after)
    table, game = seat.table, seat.game
    raised = {spot: stake for spot, stake in stakes.items() if stake > game.bets.get(spot, 0)}
    placed = {spot: stake for spot, stake in stakes.items() if spot in table.payouts.spots}
    if game.straight_only and (refusal := restricted(table, _restrictable(seat, stakes))) is not None:
        yield refusal
    if (short := _short(seat, after)) is not None:
        yield short
    blocks = raised.keys() & table.payouts.blocks.keys()
    yield from marker_objections(seat, after, {spot: _marker_use(house, seat, spot, after) for spot in blocks})
    yield from _limit_objections(seat, placed)
    yield from partnership_objections(house, table, game, stakes)


def _restrictable(seat: ChipSeat, stakes: Stakes) -> Stakes:
    """Select the bets that a restriction to straight up applies to; marker bets too unless its arrangement has them."""
    assert seat.game.arrangement is not None
    markers = seat.table.arrangements[seat.game.arrangement].markers
    return {
        spot: stake for spot, stake in stakes.items() if stake and not (markers and spot in seat.table.payouts.blocks)
    }


def _short(seat: ChipSeat, after: Layout) -> Refusal | None:
    """Refuse more pieces of a colour than the player has; value chips circulate, and their number is unknown."""
    for name in seat.player.colours:
        out = seat.live.colours[name].out
        assert out is not None
        wanted = on_layout({**seat.player.pieces, **after}, name)
        if wanted > out:
            clause = live_clause(seat.table.rulebook, CitedTopic.CHIPS)
            left = out - on_layout(seat.player.pieces, name)
            message = f"The player has {left} chips of {name} left."
            return refuse(Code.CHIPS_SHORT, clause, message, colour=name, left=left)
    return None


def marker_objections(
    seat: ChipSeat, after: Layout, uses: Mapping[SpotKey, MarkerUse] = MappingProxyType({})
) -> Iterator[Refusal]:
    """12(a): the unit, the number of bets and the players of marker bets; 6(j): a fifth of it must be payable.

    A bet that is not raised is asked for its chips and its unit only.
    """
    rulebook, live = seat.table.rulebook, seat.table.settings.live
    assert live is not None
    limits = MarkerLimits(
        seat.game.effective_limits.limits.of(SpotKind.STRAIGHT).least or Cents(0),
        live.marker_unit,
        live.markers_per_number,
        live.markers_per_spin,
        live.designated_only,
    )
    for spot, stake in stakes_of(seat.live, after).items():
        if not stake or spot not in seat.table.payouts.blocks:
            continue
        call = rulebook.call_names[spot.split(" ")[0]]
        if len(after[spot]) > 1:
            message = f"The chips on {spot} must be of one kind."
            yield refuse(Code.MARKER_TOTAL_INDIVISIBLE, call.clause, message, spot=spot, total=stake)
        refusal = marker_objection(call, Cents(stake), limits, uses.get(spot, MarkerUse(designated=True)))
        if refusal is not None:
            yield refusal


def _marker_use(house: House, seat: ChipSeat, spot: SpotKey, after: Layout) -> MarkerUse:
    """Count the marker bets beside one that is raised, as they lie after a change; one that is there is no further."""
    designated = seat.player.markers_allowed
    if spot in seat.player.pieces:
        return MarkerUse(designated=designated)
    others = [each.player.pieces for each in chip_seats(house, seat.table) if each.game is not seat.game]
    own = {each: pieces for each, pieces in {**seat.player.pieces, **after}.items() if pieces and each != spot}
    blocks = seat.table.payouts.blocks.keys()
    in_spin = sum(len(blocks & pieces.keys()) for pieces in (own, *others))
    return MarkerUse(sum(spot in pieces for pieces in others), in_spin, designated)


def _limit_objections(seat: ChipSeat, stakes: Stakes) -> Iterator[Refusal]:
    """Refuse bets outside the limits where the rules refuse them; elsewhere the dealer gives advice."""
    channel, bets = seat.channel, seat.game.bets
    ranges, limits = seat.game.effective_limits.ranges, seat.game.effective_limits.limits
    for spot, stake in stakes.items():
        least, most = ranges[spot].least, ranges[spot].most
        if least is not None and 0 < stake < least and channel.under_minimum.choice is UnderMinimum.REFUSE:
            yield under_minimum(spot, stake, least, limits)
        over = most is not None and stake > max(most, bets.get(spot, 0))
        if over and channel.over_maximum.choice is OverMaximum.REFUSE:
            assert most is not None
            yield over_maximum(spot, stake, most, limits)
    total = seat.game.staked + sum(stake - bets.get(spot, 0) for spot, stake in stakes.items())
    most = limits.total.most
    if most is not None and total > max(most, seat.game.staked):
        yield total_over_maximum(total, most, limits)


def advice_on(seat: ChipSeat, stakes: Stakes) -> Iterator[Advice]:
    """List bets outside the limits, which a dealer tells the player about: those on these spots, after these stakes."""
    ranges, limits = seat.game.effective_limits.ranges, seat.game.effective_limits.limits
    after = {**seat.game.bets, **stakes}
    placed = {spot: stake for spot, stake in stakes.items() if stake}
    for spot, stake in placed.items():
        # Marker bets have a minimum of their own, under which they are refused.
        bounds = ranges.get(spot)
        if bounds is not None and bounds.least is not None and stake < bounds.least:
            yield Advice(Code.STAKE_UNDER_MINIMUM, limits.under_clause, spot, stake, bounds.least)
        most = most_on(seat.table.payouts, limits, spot)
        if most is not None and stake > most:
            yield Advice(Code.STAKE_OVER_MAXIMUM, limits.over_clause, spot, stake, most)
    for number in numbers_of(seat.table, placed):
        bets, most = [*on_number(seat.table, after, number)], limits.of(SpotKind.STRAIGHT).most
        if most is not None and max(bets) <= most < sum(bets):
            yield Advice(Code.STAKE_OVER_MAXIMUM, limits.over_clause, number, sum(bets), most)


def lay(house: House, table: TableId, position: PositionId, after: Layout) -> None:
    """Set the pieces on some spots, from the player's hands or back to them."""
    live = live_of(house, table)
    player = live.players[position]
    for spot, pieces in after.items():
        before = player.pieces.pop(spot, {})
        for chip in {**before, **pieces}:
            stake_pieces(house, live, chip, pieces.get(chip, 0) - before.get(chip, 0))
        if pieces:
            player.pieces[spot] = dict(pieces)
    enter(live, player, after)


def enter(live: LiveTable, player: ChipFunding, after: Layout) -> None:
    """Record the turn of what was added on some spots; what was taken off was placed last."""
    live.turns += 1
    for spot, stake in stakes_of(live, after).items():
        entries, left = list[tuple[int, int]](), stake
        for turn, amount in player.entered.pop(spot, ()):
            if left:
                entries.append((turn, min(amount, left)))
                left -= min(amount, left)
        if left:
            entries.append((live.turns, left))
        if entries:
            player.entered[spot] = entries


def stake_pieces(house: House, live: LiveTable, chip: str, pieces: int) -> None:
    """Post pieces that a player puts on the layout; a negative number goes back to the player."""
    colour = live.colours.get(chip)
    amount = pieces * piece_value(values_of(live), chip)
    if colour is None:
        house.value_chips -= amount
        source = LedgerAccount.VALUE_CHIPS
    else:
        colour.booked -= amount
        source = LedgerAccount.COLOUR_CHIPS
    house.ledger.post(amount, source=source, target=LedgerAccount.STAKES)


def chips_changed(house: House, event: ChipsChanged, context: Context) -> None:
    player, game = live_of(house, event.table).players[event.position], house.positions[event.position]
    player.played = True
    before = {spot: player.pieces.get(spot, {}) for spot in event.spots}
    lay(house, event.table, event.position, unflat(event.spots, event.pieces))
    step = change_bets(house, game, event.how, (event.spots, event.amounts), context.now)
    # What was withdrawn of a winning bet is in the player's hands, also if other chips are placed there.
    game.stayed = {spot: min(stake, game.bets[spot]) for spot, stake in game.stayed.items() if spot in game.bets}
    if event.how is BetChange.UNDO:
        game.undo.pop()
        player.undo.pop()
        return
    game.undo.append(step)
    player.undo.append(before)
    del player.undo[:-UNDO_MAX]


def chips_returned(house: House, event: ChipsReturned, context: Context) -> None:
    take_up(house, event.table, event.position, event.spots, context.now)


def take_up(house: House, table: TableId, position: PositionId, spots: tuple[SpotKey, ...], now: Instant) -> None:
    """Return all pieces on some spots to their player."""
    lay(house, table, position, {spot: {} for spot in spots})
    game = house.positions[position]
    change_bets(house, game, BetChange.RETURN, (spots, (0,) * len(spots)), now)
    forget(live_of(house, table).players[position], game)


def forget(player: ChipFunding, game: Position) -> None:
    """Clear the steps of a betting period that has ended: earlier changes cannot be undone."""
    begin_anew(game)
    player.undo.clear()


def begin_chips(house: House, table: Table) -> None:
    """Clear the steps of all players with chips as another betting period begins."""
    for seat in chip_seats(house, table):
        forget(seat.player, seat.game)


def returns_at_close(house: House, table: Table) -> Iterator[ChipsReturned]:
    """List the chips that go back at the close.

    12(d): of a player who was barred before this round, chips that stayed up are a future bet. 12(e): bets under the
    minimum of a player who was advised before.
    """
    for seat in chip_seats(house, table):
        if is_barred_from(seat.player, table.playing) and seat.player.pieces:
            assert seat.player.barred is not None
            here = (table.id, seat.game.id, table.playing.number)
            yield ChipsReturned(*here, ReturnReason.BARRED, seat.player.barred, tuple(seat.player.pieces))
            continue
        under = seat.channel.under_minimum
        if seat.player.advised_at is None or under.choice is not UnderMinimum.HONOUR_ONCE:
            continue
        ranges = seat.game.effective_limits.ranges
        spots = tuple(
            spot for spot, stake in seat.game.bets.items() if spot in ranges and stake < (ranges[spot].least or 0)
        )
        if spots:
            number = table.playing.number
            here = (table.id, seat.game.id, number)
            yield ChipsReturned(*here, ReturnReason.UNDER_MINIMUM, under.clause, spots)


def is_barred_from(player: ChipFunding, round_: Round) -> bool:
    """Check whether a player was barred before a round opened, so that no bet of the player counts in it."""
    return player.barred is not None and player.barred_at <= round_.opened_at


def chips_left(house: House, table: Table, returns: Iterable[ChipsReturned]) -> dict[PositionId, Stakes]:
    """Compute the stakes of all players with chips after these returns."""
    gone = {event.position: {*event.spots} for event in returns}
    left = {}
    for seat in chip_seats(house, table):
        away = gone.get(seat.game.id, set())
        stakes = {spot: stake for spot, stake in seat.game.bets.items() if spot not in away}
        if stakes:
            left[seat.game.id] = stakes
    return left


def seal_chips(house: House, table: Table) -> RoundChips | None:
    """Copy the chips of all players as betting is sealed."""
    live, settings = table.live, table.settings.live
    if live is None or settings is None:
        return None
    chips = RoundChips({}, values_of(live), settings)
    for seat in chip_seats(house, table):
        seat.game.stayed = {}
        live.meters.turnover += seat.game.staked
        if seat.player.pieces:
            chips.sealed[seat.game.id] = sealed_position(table, seat.player)
            chips.entered[seat.game.id] = copied(seat.player.entered)
    return chips


def sealed_position(table: Table, player: ChipFunding) -> SealedPosition:
    """Copy one player's chips, with the limits that apply to them."""
    pieces = {spot: dict(each) for spot, each in player.pieces.items()}
    return SealedPosition(pieces, player.limits or table.settings.limits, player.label, tuple(player.colours))


def copied(entered: Entered) -> Entered:
    return {spot: list(each) for spot, each in entered.items()}


def unseal_chips(house: House, table: Table, round_: Round) -> None:
    """Reopen sealed layouts: chips stay where they lie, and may be changed."""
    if round_.chips is not None and table.live is not None:
        values = round_.chips.values
        table.live.meters.refunded += sum(
            worth(values, pieces) for each in round_.chips.sealed.values() for pieces in each.pieces.values()
        )
        round_.chips = None
    begin_chips(house, table)


DECIDERS: Deciders = {
    PlaceChips: place_chips,
    ChangeChips: change_chips,
    RemoveChips: remove_chips,
    MoveChips: move_chips,
    UndoChips: undo_chips,
    ClearChips: clear_chips,
}
EVOLVERS: Evolvers = {ChipsChanged: chips_changed, ChipsReturned: chips_returned}
