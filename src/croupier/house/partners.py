"""Partners: players with chips who bet together and have one maximum (12(e) first at Adelaide)."""

from collections.abc import Iterable, Iterator

from croupier.house.base import Decision
from croupier.house.commands.liveplayers import LinkPlayers, UnlinkPlayers
from croupier.house.events.live import Advice
from croupier.house.events.liveplayers import PlayersLinked, PlayersUnlinked
from croupier.house.ids import Context, Number, PositionId
from croupier.house.livetable import live_at, live_of
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import LiveTable
from croupier.house.state.tables import Position, Table
from croupier.rules.calls import NUMBERS_UNDER_MARKER
from croupier.rules.geometry import Pocket, SpotKey, SpotKind
from croupier.rules.money import Cents, amount_text
from croupier.rules.payouts import ChipId, ChipStakes, PayoutTerms, most_on, partner_shares
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import ClauseId, Code, Refusal, first_of, refuse
from croupier.rules.rulebook import Stakes


def link_players(house: House, command: LinkPlayers, _context: Context) -> Decision:
    """Link players, with advice on their bets that are over the maximum together."""
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    objection = first_of(_link_objections(table, live, command))
    if objection is not None:
        return objection
    group, partners = Number(live.groups_made + 1), tuple(_joined(live, command.positions))
    return (PlayersLinked(table.id, group, partners, tuple(partner_advice(house, table, partners))),)


def _clause(table: Table) -> ClauseId | None:
    return table.rulebook.channels[ChannelName.TABLE].partnership


def _link_objections(table: Table, live: LiveTable, command: LinkPlayers) -> Iterator[Refusal]:
    clause, wanted = _clause(table), {*command.positions}
    if clause is None:
        message = "These rules do not limit partners together."
        yield refuse(Code.SETTING_IMPOSSIBLE, None, message)
    for position in sorted(wanted - live.players.keys()):
        message = f"No player at table {table.id} has position {position}."
        yield refuse(Code.UNKNOWN_RECORD, clause, message, position=position)
    if len(wanted) < 2:  # noqa: PLR2004 - a partnership has two players
        yield refuse(Code.MALFORMED, None, "Partners are at least two players.")
    groups = {live.players[each].group for each in wanted if each in live.players}
    if len(groups) == 1 and None not in groups:
        yield refuse(Code.ALREADY_THERE, clause, "These players are linked already.")


def _joined(live: LiveTable, positions: tuple[PositionId, ...]) -> list[PositionId]:
    """List players and their partners so far, in the order of their positions."""
    groups = {live.players[each].group for each in positions} - {None}
    return sorted({*positions, *(each for each, player in live.players.items() if player.group in groups)})


def partners_of(live: LiveTable, position: PositionId) -> tuple[PositionId, ...]:
    """List the players of a partnership, with the one that is named; none without partners."""
    group = live.players[position].group
    if group is None:
        return ()
    return tuple(each for each, player in live.players.items() if player.group == group)


def players_linked(house: House, event: PlayersLinked, _context: Context) -> None:
    live = live_of(house, event.table)
    live.groups_made = event.group
    for position in event.positions:
        live.players[position].group = event.group


def unlink_players(house: House, command: UnlinkPlayers, _context: Context) -> Decision:
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    if all(player.group != command.group for player in live.players.values()):
        return refuse(Code.NOTHING_THERE, _clause(table), f"There is no group {command.group} at table {table.id}.")
    return (PlayersUnlinked(table.id, command.group),)


def players_unlinked(house: House, event: PlayersUnlinked, _context: Context) -> None:
    for player in live_of(house, event.table).players.values():
        if player.group == event.group:
            player.group = None


# Their maximum.


def numbers_of(table: Table, stakes: Iterable[SpotKey]) -> tuple[SpotKey, ...]:
    """List the numbers that bets concern: straight up, and under marker bets."""
    felt, numbers = table.payouts, dict[SpotKey, None]()
    for spot in stakes:
        if spot in felt.blocks:
            numbers.update(dict.fromkeys(map(SpotKey, felt.blocks[spot].numbers)))
        elif felt.spots[spot].kind is SpotKind.STRAIGHT:
            numbers[spot] = None
    return tuple(numbers)


def on_number(table: Table, bets: Stakes, spot: SpotKey) -> Iterator[int]:
    """List a player's bets that count on a spot: the chips on it, and a fifth of each marker bet on that number."""
    yield bets.get(spot, 0)
    for marker, block in table.payouts.blocks.items():
        if marker in bets and Pocket(spot) in block.numbers:
            yield bets[marker] // NUMBERS_UNDER_MARKER


def partnership_objections(house: House, table: Table, game: Position, stakes: Stakes) -> Iterator[Refusal]:
    """Refuse more over the maximum that partners have on a spot; on a number with what marker bets bring to it."""
    live, felt, before, after = live_of(house, table.id), table.payouts, game.bets, {**game.bets, **stakes}
    raised = [spot for spot, stake in stakes.items() if stake > before.get(spot, 0)]
    # What is moved leaves room where it lay.
    left = {**after, **{spot: before.get(spot, 0) for spot in raised}}
    partners = [house.positions[each] for each in partners_of(live, game.id) if each != game.id]
    for spot in raised:
        block = felt.blocks.get(spot)
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
                yield refuse(Code.PARTNERSHIP_OVER_MAXIMUM, _clause(table), message, spot=spot, room=room)


def partner_advice(house: House, table: Table, partners: tuple[PositionId, ...]) -> Iterator[tuple[PositionId, Advice]]:
    """List the bets of partners that are over their maximum together: of each, the stake and what counts of it."""
    live, clause = live_of(house, table.id), _clause(table)
    games = [house.positions[each] for each in partners]
    numbers = numbers_of(table, dict.fromkeys(spot for game in games for spot in game.bets))
    layout = [
        ChipStakes(
            game.id,
            live.players[game.id].pieces,  # type: ignore[arg-type]
            game.effective_limits.limits,
            group=0,
            entries=live.players[game.id].entered,  # type: ignore[arg-type]
        )
        for game in games
    ]
    colours = {ChipId(name): Cents(colour.value) for name, colour in live.colours.items()}
    shares = partner_shares(table.payouts, PayoutTerms((), colours), layout, numbers)
    for game in games:
        for spot, share in shares[game.id].items():
            stake = sum(on_number(table, game.bets, spot)) if spot in numbers else game.bets.get(spot, 0)
            most = most_on(table.payouts, game.effective_limits.limits, spot)
            if share < (stake if most is None else min(stake, most)):
                assert clause is not None
                yield game.id, Advice(Code.PARTNERSHIP_OVER_MAXIMUM, clause, spot, stake, share)


DECIDERS: Deciders = {LinkPlayers: link_players, UnlinkPlayers: unlink_players}
EVOLVERS: Evolvers = {PlayersLinked: players_linked, PlayersUnlinked: players_unlinked}
