"""Chips that wait on the layout for another spin: after a correction, as their player leaves, and in a gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from croupier.house.declare import (
    Events,
    EventTopic,
    Part,
    PlayerCommand,
    PlayerEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.settings import live_clause
from croupier.house.ids import Context, PositionId, RoundNumber
from croupier.house.live.seats_and_colours import live_of, player_at
from croupier.house.play.chip_bets import collect, piece_value, stake_pieces, stakes_of, values_of, worth
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipMove, Layout, RoundChips, SealedPosition, Walk
from croupier.house.state.tables import BETTING_PHASES, Phase, Table
from croupier.rules.geometry import SpotKey
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused
from croupier.rules.rulebook import PayoutTable, Stakes

if TYPE_CHECKING:
    from croupier.house import House
    from croupier.house.live.chip_settlement import Walking

_STAKES: Final = LedgerAccount.STAKES
_IMPRISONED: Final = LedgerAccount.IMPRISONED


def set_carried(house: House, table: Table, position: PositionId, layout: Layout) -> None:
    """Set what a player's chips carry to the next spin, after the money was posted."""
    live = live_of(house, table.id)
    live.players[position].carried = layout
    house.positions[position].carried = stakes_of(live, layout)


class Chain(NamedTuple):
    """What becomes of the stakes that a round carries on, by the settled rounds after it."""

    #: What they have returned, and what is still carried.
    returned: Counter[PositionId]
    carried: dict[PositionId, Layout]
    #: What of them came to each round.
    came: dict[RoundNumber, dict[PositionId, Layout]]


def hold(house: House, at: Walking, chains: Sequence[Chain], changed: Moved) -> Counter[PositionId]:
    """Change what is carried to the next spin, and came to those that followed; return what each position has more."""
    table, live, chips = at.table, at.live, at.chips
    more: Counter[PositionId] = Counter()
    for round_ in table.settled_since(at.round.number + 1):
        if round_.chips is not None:
            was, is_ = (chain.came.get(round_.number, {}) for chain in chains)
            if is_ and round_.chips.walk is None:
                # Without bets there was nothing to settle.
                number = None if round_.invalidated else round_.declared.pocket
                round_.chips.walk = Walk(number, marked=number, collected=True)
            for position in {**was, **is_}:
                _come(round_.chips, chips.sealed[position], position, _less(was, position), is_.get(position, {}))
    for (position, spot, chip), count in changed.items():
        value = piece_value(values_of(live), chip)
        colour = live.colours.get(chip)
        if colour is None:
            collect(house, live, {chip: -count})
        else:
            assert colour.out is not None
            colour.out += count
        house.ledger.post(count * value, source=LedgerAccount.HOUSE, target=_IMPRISONED)
        live.meters.carried += count * value
        more[position] += count * value
        set_carried(house, table, position, _changed(live.players[position].carried, {spot: {chip: count}}))
    running = table.playing
    if running is not at.round and not running.over and running.chips is not None:
        for position in dict.fromkeys(position for position, _, _ in changed):
            carried = {spot: dict(pieces) for spot, pieces in live.players[position].carried.items()}
            _seat(running.chips, chips.sealed[position], position, carried)
    return more


def _less(layouts: Mapping[PositionId, Layout], position: PositionId) -> Layout:
    return {spot: {chip: -n for chip, n in pieces.items()} for spot, pieces in layouts.get(position, {}).items()}


def _come(chips: RoundChips, seat: SealedPosition, position: PositionId, less: Layout, more: Layout) -> None:
    """Change the record of what came to a round."""
    sealed = chips.sealed.get(position)
    before = {} if sealed is None else sealed.carried
    _seat(chips, seat, position, _changed(_changed(before, less), more))


def _seat(chips: RoundChips, seat: SealedPosition, position: PositionId, carried: Layout) -> None:
    """Set what came to a round in its record; a position without bets in it has the seat of the round before."""
    sealed = chips.sealed.get(position) or structs.replace(seat, pieces={}, carried={})
    chips.sealed[position] = structs.replace(sealed, carried=carried)
    if not (sealed.pieces or carried):
        del chips.sealed[position]


def _changed(layout: Layout, more: Layout) -> Layout:
    """Add pieces to a layout, or take some off."""
    after = {spot: Counter(pieces) for spot, pieces in layout.items()}
    for spot, pieces in more.items():
        after.setdefault(spot, Counter()).update(pieces)
    assert all(count >= 0 for pieces in after.values() for count in pieces.values())
    return {spot: dict(kept) for spot, pieces in after.items() if (kept := +pieces)}


def chain_of(house: House, at: Walking, carried: Mapping[PositionId, Layout]) -> Chain:
    """Follow what a round carries on through the settled rounds after it; of a player who left, it ends."""
    chips = at.chips
    chain = Chain(Counter(), dict(carried), {})
    for round_ in at.table.settled_since(at.round.number):
        felt = house.felt_of(round_)
        if round_ is not at.round and chain.carried:
            chain.came[round_.number] = dict(chain.carried)
            # Without an outcome, stakes wait for another spin.
            for position, layout in () if round_.invalidated else chain.came[round_.number].items():
                returned, again = felt.resolve(_stakes(chips, layout), round_.declared.pocket)
                chain.returned[position] += returned
                chain.carried[position] = {spot: layout[spot] for spot in again}
        for position in [*chain.carried]:
            if position in round_.declared.released:
                _release(felt, chain, chips, position)
    for position, layout in [*chain.carried.items()]:
        if not _has_chips(at, position, layout):
            _release(house.felt_of(at.round), chain, chips, position)
    for position in [each for each, layout in chain.carried.items() if not layout]:
        del chain.carried[position]
    return chain


def _has_chips(at: Walking, position: PositionId, layout: Layout) -> bool:
    """Check whether a player is still there, with the colours of some chips and their value."""
    chips = {chip for pieces in layout.values() for chip in pieces}
    return position in at.live.players and all(
        colour.position == position and colour.value == at.chips.values[chip]
        for chip, colour in at.live.colours.items()
        if chip in chips
    )


def _release(felt: PayoutTable, chain: Chain, chips: RoundChips, position: PositionId) -> None:
    chain.returned[position] += felt.released(_stakes(chips, chain.carried.pop(position)))


def _stakes(chips: RoundChips, layout: Layout) -> Stakes:
    return {spot: worth(chips.values, pieces) for spot, pieces in layout.items()}


#: The pieces of each chip that lie more on a spot for a position.
Moved = Counter[tuple[PositionId, SpotKey, str]]


def moved(*moves: tuple[Iterable[ChipMove], Iterable[ChipMove]]) -> Moved:
    """Add up moves: in each pair those off the layout, and those onto it."""
    more = Moved()
    for off, on in moves:
        for times, moved_ in ((-1, off), (1, on)):
            for move in moved_:
                more[move.position, move.spot, move.chip] += times * move.count
    return more


def listed(more: Moved) -> tuple[tuple[ChipMove, ...], tuple[ChipMove, ...]]:
    """List the moves off the layout and onto it by position."""
    keys = sorted(more, key=lambda each: each[0])
    off = tuple(ChipMove(*key, -more[key]) for key in keys if more[key] < 0)
    return off, tuple(ChipMove(*key, more[key]) for key in keys if more[key] > 0)


@command(Duty.DEAL, when={Phase.BETWEEN, *BETTING_PHASES})
class ReleaseChips(PlayerCommand, frozen=True):
    """Record that a player who leaves, or whose table closes or changes its rules, gave up chips that wait for a spin.

    The rulebook says how much of them comes back.
    """


@event(
    "Position {position} gave up {carried} that waited for the next spin: {returned} came back.",
    EventTopic.MONEY,
    touches=(Part.TABLE,),
)
class ChipsReleased(PlayerEvent, frozen=True):
    """Chips that waited for the next spin were released: their value, and what came back of it."""

    clause: ClauseId
    carried: int
    returned: int


@decides(ReleaseChips)
def release_chips(house: House, command: ReleaseChips, _context: Context) -> Events:
    table, _, player = player_at(house, command)
    rules, game = table.rulebook.paytable.carried, house.positions[command.position]
    if rules is None or not player.carried:
        message = f"No chips of position {command.position} wait for the next spin."
        raise Refused(Code.NOTHING_THERE, live_clause(table.rulebook, CitedTopic.BETS), message)
    returned = table.payouts.released(game.carried)
    return (ChipsReleased(table.id, command.position, rules.release.clause, game.carried_total, returned),)


@evolves(ChipsReleased)
def chips_released(house: House, event: ChipsReleased, _context: Context) -> None:
    """Hand back whole pieces, and collect the rest; what no piece makes is due to the player."""
    table, live = house.tables[event.table], live_of(house, event.table)
    player = live.players[event.position]
    for spot, stake in house.positions[event.position].carried.items():
        pieces, left = player.carried[spot], table.payouts.released({spot: stake})
        for chip in reversed(pieces):
            value = piece_value(values_of(live), chip)
            back = min(pieces[chip], left // value)
            left -= back * value
            house.ledger.post(back * value, source=_IMPRISONED, target=_STAKES)
            stake_pieces(house, live, chip, -back)
            colour = live.colours.get(chip)
            if colour is None:
                collect(house, live, {chip: pieces[chip] - back})
            else:
                # Stakes that wait for a spin are on record only where every bet is.
                assert colour.out is not None
                colour.out -= pieces[chip] - back
        house.ledger.post(left, source=_IMPRISONED, target=LedgerAccount.CHIPS_PAYABLE)
        player.payable += left
    won = event.carried - event.returned
    house.ledger.post(won, source=_IMPRISONED, target=LedgerAccount.HOUSE)
    live.meters.carried -= event.carried
    live.meters.returned += event.returned
    live.meters.won += won
    live.meters.collected += won
    for round_ in [*table.settled_since(0)][-1:]:
        round_.declared.released.append(event.position)
    set_carried(house, table, event.position, {})


def free_chips(house: House, table: Table, position: PositionId) -> None:
    """Hand back all chips that wait for a spin, as play went on without a record: a count finds what became of them."""
    live = live_of(house, table.id)
    if not live.players[position].carried:
        return
    for pieces in live.players[position].carried.values():
        for chip, count in pieces.items():
            amount = count * piece_value(values_of(live), chip)
            house.ledger.post(amount, source=_IMPRISONED, target=_STAKES)
            live.meters.carried -= amount
            live.meters.returned += amount
            stake_pieces(house, live, chip, -count)
    for round_ in [*table.settled_since(0)][-1:]:
        round_.declared.released.append(position)
    set_carried(house, table, position, {})
