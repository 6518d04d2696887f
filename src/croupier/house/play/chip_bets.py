"""Bets with chips at a live table: placed, changed and withdrawn, their limits, and their seal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final

from croupier.house.declare import (
    ChipCommand,
    Events,
    EventTopic,
    PlayerCommand,
    PlayerEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.settings import live_clause
from croupier.house.ids import Context, Instant, PositionId, RoundNumber, TableId
from croupier.house.live.arrangements import require_admitted
from croupier.house.live.seats_and_colours import (
    live_of,
    live_settings,
    move_float,
    own_colour,
    player_at,
    records_bets,
    require_no_gap,
)
from croupier.house.play.betting import ReturnReason
from croupier.house.play.stakes import Funding, begin_anew, change_bets
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import (
    Advice,
    ChipBets,
    ChipFunding,
    Entered,
    Layout,
    LiveTable,
    RoundChips,
    SealedPosition,
    SpotPieces,
)
from croupier.house.state.tables import BETTING_PHASES, UNDO_MAX, BetChange, Phase, Position, Round, Table
from croupier.rules.calls import NUMBERS_UNDER_MARKER, MarkerLimits, MarkerUse, marker_objection
from croupier.rules.geometry import STRAIGHT, Pocket, SpotKey
from croupier.rules.limits import UnderMinimum
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import chip_places
from croupier.rules.payouts import ChipId, denomination, most_on
from croupier.rules.procedure import Channel, ChannelName, Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, first_of, raise_if, refuse
from croupier.rules.rulebook import Stakes

if TYPE_CHECKING:
    from croupier.house import House


#: The pieces of each chip on one spot.
Pieces = dict[str, int]


class Manner(StrEnum):
    """How chips came to lie on the layout."""

    PLACED = "placed"
    #: Placed by the dealer for the player, who is responsible for their position.
    ASSISTED = "assisted"
    #: Announced by the player, with chips, and in time for the dealer to place them.
    VERBAL = "verbal"


@dataclass(slots=True, eq=False)
class ChipSeat(Funding[Pieces]):
    """A player with chips at a live table, and the betting position."""

    house: House
    live: LiveTable
    player: ChipFunding

    @property
    def channel(self) -> Channel:
        return self.table.rulebook.channels[ChannelName.TABLE]

    @property
    def nothing(self) -> Pieces:
        return {}

    @property
    def lying(self) -> Layout:
        return self.player.pieces

    @property
    def undone(self) -> Layout | None:
        return self.player.undo[-1] if self.player.undo else None

    def find(self, spot: SpotKey) -> SpotKey:
        return self.find_places(spot)[0][0]

    def find_places(self, on: str) -> list[tuple[SpotKey, int]]:
        """Find the spots of a bet, each with its share of the pieces: of the layout, or one of the block."""
        felt = self.table.payouts
        if on in felt.spots or on in felt.blocks:
            return [(SpotKey(on), 1)]
        return chip_places(self.table.rulebook, on)

    def add(self, lies: Pieces, more: Pieces) -> Pieces:
        return {chip: lies.get(chip, 0) + more.get(chip, 0) for chip in {**lies, **more}}

    def stakes(self, after: Mapping[SpotKey, Pieces]) -> Stakes:
        return stakes_of(self.live, after)

    def nothing_there(self, message: str, _why: str) -> Refused:
        return Refused(Code.NOTHING_THERE, live_clause(self.table.rulebook, CitedTopic.BETS), message)

    def change(
        self, how: BetChange, after: Mapping[SpotKey, Pieces], manner: Manner = Manner.PLACED
    ) -> tuple[ChipsChanged]:
        """Change the pieces on some spots, or refuse; with advice on bets that lie outside the limits."""
        self.check(after)
        stakes = self.stakes(after)
        event = ChipsChanged(
            self.table.id,
            self.game.id,
            self.table.playing.number,
            how,
            tuple(stakes),
            tuple(stakes.values()),
            flat(after),
            manner,
            tuple(advice_on(self, stakes)),
        )
        return (event,)

    def check_player(self, after: Mapping[SpotKey, Pieces]) -> None:
        self._check_settled(after)
        self.check_bar(after)

    def _check_settled(self, spots: Iterable[SpotKey]) -> None:
        """12(c), 12(d): a winning bet stays until its outside box, or for all others the whole layout, is paid."""
        round_, felt = self.table.playing, self.table.payouts
        walk = round_.walk
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
                until = "its box" if outside else "every winning bet"
                message = f"The bet on {spot} is not touched until {until} is paid."
                raise Refused(Code.NOT_SETTLED_YET, live_clause(self.table.rulebook, topic), message, spot=spot)

    def check_bar(self, after: Mapping[SpotKey, Pieces]) -> None:
        """12(d), 12(l): refuse every change that puts a chip of a barred player on a spot; chips may be withdrawn."""
        lying = self.player.pieces
        if any(
            count > lying.get(spot, {}).get(chip, 0) for spot, pieces in after.items() for chip, count in pieces.items()
        ):
            require_admitted(self.player)

    def check_markers(self, after: Mapping[SpotKey, Pieces], raised: Sequence[SpotKey] = ()) -> None:
        """12(a): the unit, the number of bets and the players of marker bets; 6(j): a fifth of it must be payable.

        A bet that is not raised is asked for its chips and its unit only.
        """
        rulebook, live = self.table.rulebook, live_settings(self.table)
        limits = MarkerLimits(
            self.game.effective_limits.limits.of(STRAIGHT).least or Cents(0),
            live.marker_unit,
            live.markers_per_number,
            live.markers_per_spin,
            live.designated_only,
        )
        objections = (
            marker_objection(
                rulebook.call_names[spot.split(" ")[0]],
                Cents(stake),
                limits,
                self._marker_use(spot, after) if spot in raised else MarkerUse(designated=True),
            )
            for spot, stake in self.stakes(after).items()
            if stake and spot in self.table.payouts.blocks
        )
        raise_if(first_of(each for each in objections if each is not None))

    def _marker_use(self, spot: SpotKey, after: Mapping[SpotKey, Pieces]) -> MarkerUse:
        """Count the marker bets beside one that is raised, after a change; one that is there is no further."""
        designated = self.player.markers_allowed
        if spot in self.player.pieces:
            return MarkerUse(designated=designated)
        others = [each.player.pieces for each in chip_seats(self.house, self.table) if each.game is not self.game]
        own = {each: pieces for each, pieces in {**self.player.pieces, **after}.items() if pieces and each != spot}
        blocks = self.table.payouts.blocks.keys()
        in_spin = sum(len(blocks & pieces.keys()) for pieces in (own, *others))
        return MarkerUse(sum(spot in pieces for pieces in others), in_spin, designated)

    def check_partners(self, stakes: Stakes, raised: Sequence[SpotKey]) -> None:
        """Refuse more over the maximum that partners have on a spot; on a number with what marker bets bring to it."""
        table, game, before, after = self.table, self.game, self.game.bets, {**self.game.bets, **stakes}
        # What is moved leaves room where it lay.
        left = {**after, **{spot: before.get(spot, 0) for spot in raised}}
        partners = [self.house.positions[each] for each in partners_of(self.live, game.id) if each != game.id]
        for spot in raised:
            block = table.payouts.blocks.get(spot)
            # A marker bet counts on each of its numbers.
            for place in [spot] if block is None else map(SpotKey, block.numbers):
                mosts = [each.effective_limits.ranges[place].most for each in (game, *partners)]
                most = None if None in mosts else max(each or 0 for each in mosts)
                theirs = sum(sum(on_number(table, each.bets, place)) for each in partners)
                own, more = (sum(on_number(table, each, place)) for each in (before, after))
                if most is not None and theirs and more > own and more + theirs > most:
                    room = max(0, most - theirs - sum(on_number(table, left, place)))
                    room *= 1 if block is None else NUMBERS_UNDER_MARKER
                    message = f"Players who bet together have {amount_text(room)} left on {spot}."
                    clause = partnership_clause(table)
                    raise Refused(Code.PARTNERSHIP_OVER_MAXIMUM, clause, message, spot=spot, room=room)

    def check_funds(self, after: Mapping[SpotKey, Pieces], _cost: int) -> None:
        """Refuse more pieces of a colour than the player has; value chips circulate, and their number is unknown."""
        for name in self.player.colours:
            out = self.live.colours[name].out
            lies = on_layout({**self.player.pieces, **after}, name) + on_layout(self.player.carried, name)
            if out is not None and lies > out:
                clause = live_clause(self.table.rulebook, CitedTopic.CHIPS)
                left = out - self.player.on_layout(name)
                message = f"The player has {left} chips of {name} left."
                raise Refused(Code.CHIPS_SHORT, clause, message, colour=name, left=left)


#: The most numbers of a bet around the numbers; a column, a dozen or an even chance has more.
_INSIDE_MOST: Final = 6


# A terminal's chips are moved by its player only, and those on a table's layout are recorded by its dealer. The
# commands differ in who may send them; the bets are the same.
@command(Duty.DEAL, when=BETTING_PHASES)
class PlaceChips(ChipCommand, frozen=True):
    """Record that a player added pieces of one chip: each on a spot of the layout, or of the block for markers."""

    bets: ChipBets
    chip: str
    manner: Manner = Manner.PLACED
    #: For a verbal bet: whether the chips for it lie on the table.
    chips_down: bool = True
    #: Pieces of other chips that were placed with them: a marker bet of several kinds is one bet.
    beside: SpotPieces = ()


@event("Chips of position {position}: {how}, so that there lie {stakes}.", EventTopic.BETS)
class ChipsChanged(PlayerEvent, frozen=True):
    """Chips of a player were placed, moved or removed: the new stake and the new pieces on each changed spot."""

    round: RoundNumber
    how: BetChange
    spots: tuple[SpotKey, ...]
    #: As many as there are spots, in their order, in cents.
    amounts: tuple[int, ...]
    #: Every chip on these spots, in the order of placement.
    pieces: SpotPieces
    manner: Manner = Manner.PLACED
    advice: tuple[Advice, ...] = ()

    @property
    def stakes(self) -> Stakes:
        """What lies on each spot that was touched."""
        return dict(zip(self.spots, self.amounts, strict=True))


@decides(PlaceChips)
def place_chips(house: House, command: PlaceChips, _context: Context) -> Events:
    seat = chip_seat(house, command)
    if command.manner is Manner.VERBAL and not command.chips_down:
        clause = live_clause(seat.table.rulebook, CitedTopic.VERBAL)
        raise Refused(Code.VERBAL_WITHOUT_CHIPS, clause, "A verbal bet is taken only with the chips for it.")
    placed = (*((on, command.chip, pieces) for on, pieces in command.bets), *command.beside)
    for chip in dict.fromkeys((command.chip, *(chip for _, chip, _ in placed))):
        chip_value(seat.table, seat.live, command, chip)
    clause = live_clause(seat.table.rulebook, CitedTopic.BETS)
    after: Layout = {}
    objections: list[Refusal] = []
    for on, chip, pieces in placed:
        try:
            places = seat.find_places(on)
        except Refused as refused:
            objections.append(refused.refusal)
            continue
        if pieces <= 0:
            objections.append(refuse(Code.STAKE_NOT_POSITIVE, clause, "A bet is one chip at least.", pieces=pieces))
        for spot, share in places:
            lies = after.get(spot) or seat.player.pieces.get(spot, {})
            after[spot] = seat.add(lies, {chip: pieces * share})
    raise_if(first_of(objections))
    if not command.bets:
        raise Refused(Code.NOTHING_THERE, clause, "No bet is named.")
    return seat.change(BetChange.PLACE, after, command.manner)


def chip_seat(house: House, command: PlayerCommand) -> ChipSeat:
    """Find the player that a command names, at a table that records every bet."""
    table, live, player = player_at(house, command)
    if not records_bets(table.settings):
        clause = live_clause(table.rulebook, CitedTopic.CHIPS)
        message = f"Table {table.id} records winning bets only, when they are paid."
        raise Refused(Code.BETS_NOT_RECORDED, clause, message)
    require_no_gap(table)
    return ChipSeat(table, house.positions[command.position], house, live, player)


#: What a dealer enters for banknotes on the layout.
CASH: Final = "cash"


def chip_value(table: Table, live: LiveTable, command: PlayerCommand, chip: str) -> Cents:
    """Return the value of a chip that a player may use here, or refuse it."""
    if chip == CASH:
        clause = live_clause(table.rulebook, CitedTopic.CASH)
        raise Refused(Code.CASH_NOT_TAKEN, clause, "Cash is no bet: it buys chips first.")
    value, settings = denomination(ChipId(chip)), live_settings(table)
    if value is not None and value in (*settings.denominations, *settings.circulating):
        return value
    return Cents(own_colour(table, live, command, chip).value)


def stakes_of(live: LiveTable, pieces: Mapping[SpotKey, Pieces]) -> Stakes:
    """Compute the stake on each spot from its pieces."""
    values = values_of(live)
    return {spot: worth(values, each) for spot, each in pieces.items()}


def values_of(live: LiveTable) -> dict[str, int]:
    """Return the value of each colour that a player has."""
    return {name: colour.value for name, colour in live.colours.items() if colour.position is not None}


def worth(values: Mapping[str, int], pieces: Mapping[str, int]) -> int:
    """Add up the value of pieces."""
    return sum(count * piece_value(values, chip) for chip, count in pieces.items())


def layout_worth(values: Mapping[str, int], layout: Layout) -> int:
    """Add up the value of all pieces on a layout."""
    return sum(worth(values, pieces) for pieces in layout.values())


def piece_value(values: Mapping[str, int], chip: str) -> int:
    """Return the value of one piece: declared for a colour, marked on a value chip."""
    value = values.get(chip)
    return (denomination(ChipId(chip)) or 0) if value is None else value


def flat(layout: Mapping[SpotKey, Pieces]) -> SpotPieces:
    """List the pieces on each spot."""
    return tuple((spot, chip, count) for spot, pieces in layout.items() for chip, count in pieces.items())


def on_layout(pieces: Mapping[SpotKey, Pieces], chip: str) -> int:
    """Count the pieces of a chip on a player's layout."""
    return sum(each.get(chip, 0) for each in pieces.values())


def chip_seats(house: House, table: Table) -> Iterator[ChipSeat]:
    """Iterate over the players with chips at a table."""
    if table.live is not None:
        for position, player in table.live.players.items():
            yield ChipSeat(table, house.positions[position], house, table.live, player)


# Partners.
def partnership_clause(table: Table) -> ClauseId | None:
    return table.rulebook.channels[ChannelName.TABLE].partnership


def partners_of(live: LiveTable, position: PositionId) -> tuple[PositionId, ...]:
    """List the players of a partnership, with the one that is named; none without partners."""
    group = live.players[position].group
    if group is None:
        return ()
    return tuple(each for each, player in live.players.items() if player.group == group)


def on_number(table: Table, bets: Stakes, spot: SpotKey) -> Iterator[int]:
    """List a player's bets that count on a spot: the chips on it, and a fifth of each marker bet on that number."""
    yield bets.get(spot, 0)
    for marker, block in table.payouts.blocks.items():
        if marker in bets and Pocket(spot) in block.numbers:
            yield bets[marker] // NUMBERS_UNDER_MARKER


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
        bets, most = [*on_number(seat.table, after, number)], limits.of(STRAIGHT).most
        if most is not None and max(bets) <= most < sum(bets):
            yield Advice(Code.STAKE_OVER_MAXIMUM, limits.over_clause, number, sum(bets), most)


def numbers_of(table: Table, stakes: Iterable[SpotKey]) -> tuple[SpotKey, ...]:
    """List the numbers that bets concern: straight up, and under marker bets."""
    felt, numbers = table.payouts, dict[SpotKey, None]()
    for spot in stakes:
        if spot in felt.blocks:
            numbers.update(dict.fromkeys(map(SpotKey, felt.blocks[spot].numbers)))
        elif felt.spots[spot].kind == STRAIGHT:
            numbers[spot] = None
    return tuple(numbers)


@evolves(ChipsChanged)
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
    del game.undo[:-UNDO_MAX]
    player.undo.append(before)
    del player.undo[:-UNDO_MAX]


def unflat(spots: Iterable[SpotKey], pieces: SpotPieces) -> Layout:
    """Group listed pieces by their spots; a spot without pieces is empty."""
    layout: Layout = {spot: {} for spot in spots}
    for spot, chip, count in pieces:
        layout[spot][chip] = count
    return layout


# The layout.
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
        house.chips.value -= amount
        source = LedgerAccount.VALUE_CHIPS
    else:
        colour.booked -= amount
        source = LedgerAccount.COLOUR_CHIPS
    house.ledger.post(amount, source=source, target=LedgerAccount.STAKES)


def collect(house: House, live: LiveTable, pieces: Mapping[str, int], times: int = 1) -> None:
    """Move collected value chips into the float; colours go back to the rack, where they are worth nothing."""
    amount = times * sum(count * piece_value({}, chip) for chip, count in pieces.items() if chip not in live.colours)
    move_float(live, amount)
    house.ledger.post(amount, source=LedgerAccount.FLOATS, target=LedgerAccount.VALUE_CHIPS)
    house.chips.value += amount


@command(Duty.DEAL, when=BETTING_PHASES)
class ChangeChips(ChipCommand, frozen=True):
    """Set the number of pieces of one chip on a spot."""

    spot: SpotKey
    chip: str
    pieces: int


@decides(ChangeChips)
def change_chips(house: House, command: ChangeChips, _context: Context) -> Events:
    seat = chip_seat(house, command)
    chip_value(seat.table, seat.live, command, command.chip)
    (spot, _), *more = seat.find_places(command.spot)
    if more or command.pieces < 0:
        raise Refused(Code.MALFORMED, None, "One spot is changed at a time, to no chip or more.")
    lies = seat.player.pieces.get(spot, {})
    if lies.get(command.chip, 0) == command.pieces:
        return ()
    after = {**lies, command.chip: command.pieces}
    return seat.change(BetChange.CHANGE, {spot: {chip: count for chip, count in after.items() if count}})


# 12(c), 12(d) at Adelaide: a winning bet may be taken once its segment, or all, is paid.
@command(Duty.DEAL, when={*BETTING_PHASES, Phase.PAYING, Phase.BETWEEN})
class RemoveChips(ChipCommand, frozen=True):
    """Record that a player withdrew all pieces from some spots."""

    withdraws: ClassVar[bool] = True
    spots: tuple[SpotKey, ...]


@decides(RemoveChips)
def remove_chips(house: House, command: RemoveChips, _context: Context) -> Events:
    return chip_seat(house, command).remove(command.spots)


@command(Duty.DEAL, when=BETTING_PHASES)
class MoveChips(ChipCommand, frozen=True):
    """Move all pieces of a player on one spot to another."""

    source: SpotKey
    target: SpotKey


@decides(MoveChips)
def move_chips(house: House, command: MoveChips, _context: Context) -> Events:
    return chip_seat(house, command).move(command.source, command.target)


@command(Duty.DEAL, when=BETTING_PHASES)
class UndoChips(ChipCommand, frozen=True):
    """Undo the last change of a player's chips, back to the opening of betting at most."""

    withdraws: ClassVar[bool] = True


@decides(UndoChips)
def undo_chips(house: House, command: UndoChips, _context: Context) -> Events:
    return chip_seat(house, command).undo()


@command(Duty.DEAL, when=BETTING_PHASES)
class ClearChips(ChipCommand, frozen=True):
    """Record that a player withdrew all chips."""

    withdraws: ClassVar[bool] = True


@decides(ClearChips)
def clear_chips(house: House, command: ClearChips, _context: Context) -> Events:
    return chip_seat(house, command).clear()


@event("Chips of position {position} went back unplayed from {spots}: {why}.", EventTopic.BETS)
class ChipsReturned(PlayerEvent, frozen=True):
    """Chips of a player were returned without being played; with the reason and its clause."""

    round: RoundNumber
    why: ReturnReason
    clause: ClauseId
    spots: tuple[SpotKey, ...]


@evolves(ChipsReturned)
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
        barred = barred_from(seat.player, table.playing)
        if barred is not None and seat.player.pieces:
            here = (table.id, seat.game.id, table.playing.number)
            yield ChipsReturned(*here, ReturnReason.BARRED, barred, tuple(seat.player.pieces))
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


def barred_from(player: ChipFunding, round_: Round) -> ClauseId | None:
    """Return the clause by which a player was barred before a round opened: no bet of the player counts in it."""
    return player.barred if player.barred_at <= round_.opened_at else None


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
        if seat.player.pieces or seat.player.carried:
            chips.sealed[seat.game.id] = sealed_position(table, seat.player)
            chips.entered[seat.game.id] = copied(seat.player.entered)
    return chips


def sealed_position(table: Table, player: ChipFunding) -> SealedPosition:
    """Copy one player's chips, with the limits that apply to them."""
    pieces, carried = (
        {spot: dict(each) for spot, each in layout.items()} for layout in (player.pieces, player.carried)
    )
    limits = player.limits or table.settings.limits
    return SealedPosition(pieces, limits, player.label, tuple(player.colours), carried)


def copied(entered: Entered) -> Entered:
    return {spot: list(each) for spot, each in entered.items()}


def unseal_chips(house: House, table: Table, round_: Round) -> None:
    """Reopen sealed layouts: chips stay where they lie, and may be changed."""
    sealed = round_.sealed
    if sealed is not None and sealed.chips is not None and table.live is not None:
        values = sealed.chips.values
        table.live.meters.refunded += sum(
            worth(values, pieces) for each in sealed.chips.sealed.values() for pieces in each.pieces.values()
        )
        sealed.chips = None
    begin_chips(house, table)
