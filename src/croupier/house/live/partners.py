"""Partners: players with chips who bet together and have one maximum (12(e) first at Adelaide)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from croupier.house.declare import Events, EventTopic, TableCommand, TableEvent, command, decides, event, evolves
from croupier.house.ids import Context, Number, PositionId, RoundNumber
from croupier.house.live.chip_settlement import round_in_payment, settle_again, settled_again, walking_of
from croupier.house.live.seats_and_colours import live_at, live_of
from croupier.house.play.chip_bets import numbers_of, on_number, partnership_clause
from croupier.house.state.live import Advice, RoundChips
from croupier.house.state.tables import Table
from croupier.rules.money import Cents
from croupier.rules.payouts import ChipId, ChipStakes, PayoutTerms, most_on, partner_shares
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


@command(Duty.INSPECT)
class LinkPlayers(TableCommand, frozen=True):
    """Note that players bet as partners: a maximum then applies to all of them together."""

    positions: tuple[PositionId, ...]


@event("Players were linked as partners, group {group}.", EventTopic.STAFF, EventTopic.BETS)
class PlayersLinked(TableEvent, frozen=True):
    """Players bet as partners; former groups of these players are part of this one."""

    group: Number
    positions: tuple[PositionId, ...]
    #: Their bets that are over the maximum together: what lies there, and what counts of it.
    advice: tuple[tuple[PositionId, Advice], ...] = ()
    #: The round that is being paid and is settled again by their partnership, and the digest of its amounts.
    round: RoundNumber | None = None
    digest: str = ""


@decides(LinkPlayers)
def link_players(house: House, command: LinkPlayers, _context: Context) -> Events:
    """Link players, with advice on their bets that are over the maximum together."""
    table = house.tables[command.table]
    live = live_at(table)
    clause, wanted = partnership_clause(table), {*command.positions}
    if len(wanted) < 2:  # noqa: PLR2004 - a partnership has two players
        raise Refused(Code.MALFORMED, None, "Partners are at least two players.")
    for position in sorted(wanted - live.players.keys()):
        message = f"No player at table {table.id} has position {position}."
        raise Refused(Code.UNKNOWN_RECORD, clause, message, position=position)
    groups = {live.players[each].group for each in wanted}
    if len(groups) == 1 and None not in groups:
        raise Refused(Code.ALREADY_THERE, clause, "These players are linked already.")
    if clause is None:
        raise Refused(Code.SETTING_IMPOSSIBLE, None, "These rules do not limit partners together.")
    # The players and their partners so far, in the order of their positions.
    joined = {each for each, player in live.players.items() if player.group in groups - {None}}
    group, partners = Number(live.groups_made + 1), tuple(sorted(wanted | joined))
    at = round_in_payment(table)
    if at is None:
        return (PlayersLinked(table.id, group, partners, tuple(partner_advice(house, table, partners))),)
    # The bets of the round count, as they lay when it was sealed.
    advice = tuple(partner_advice(house, table, partners, at.chips))
    linked = {**at.chips.partners, **dict.fromkeys(partners, group)}
    digest, notes = settled_again(house, at, linked)
    return (PlayersLinked(table.id, group, partners, advice, at.round.number, digest), *notes)


def partner_advice(
    house: House, table: Table, partners: tuple[PositionId, ...], sealed: RoundChips | None = None
) -> Iterator[tuple[PositionId, Advice]]:
    """List the bets of partners that are over their maximum together: of each, the stake and what counts of it.

    The bets are those that lie on the layout, or those of a round.
    """
    live, clause = live_of(house, table.id), partnership_clause(table)
    layout = []
    for position in partners:
        player = live.players[position]
        pieces, entered = player.pieces, player.entered
        if sealed is not None:
            pieces = sealed.sealed[position].pieces if position in sealed.sealed else {}
            entered = sealed.entered.get(position, {})
        limits = house.positions[position].effective_limits.limits
        layout.append(ChipStakes(position, pieces, limits, group=0, entries=entered))  # type: ignore[arg-type]
    colours = {ChipId(name): Cents(colour.value) for name, colour in live.colours.items()}
    terms = PayoutTerms((), colours)
    numbers = numbers_of(table, dict.fromkeys(spot for each in layout for spot in each.pieces))
    shares = partner_shares(table.payouts, terms, layout, numbers)
    for each in layout:
        bets = {spot: int(terms.amount(pieces)) for spot, pieces in each.pieces.items()}
        for spot, share in shares[each.position].items():
            stake = sum(on_number(table, bets, spot)) if spot in numbers else bets.get(spot, 0)
            most = most_on(table.payouts, each.limits, spot)
            if share < (stake if most is None else min(stake, most)):
                assert clause is not None
                advice = Advice(Code.PARTNERSHIP_OVER_MAXIMUM, clause, spot, stake, share)
                yield PositionId(each.position), advice


@evolves(PlayersLinked)
def players_linked(house: House, event: PlayersLinked, _context: Context) -> None:
    live = live_of(house, event.table)
    live.groups_made = event.group
    for position in event.positions:
        live.players[position].group = event.group
    if event.round is not None:
        at = walking_of(house, event.table, event.round)
        settle_again(house, at, {**at.chips.partners, **dict.fromkeys(event.positions, event.group)}, event.digest)


@command(Duty.INSPECT)
class UnlinkPlayers(TableCommand, frozen=True):
    """End a partnership."""

    group: Number


@event("Group {group} of partners ended.", EventTopic.STAFF, EventTopic.BETS)
class PlayersUnlinked(TableEvent, frozen=True):
    """A partnership ended; a round that is being paid is settled again without it."""

    group: Number
    round: RoundNumber | None = None
    digest: str = ""


@decides(UnlinkPlayers)
def unlink_players(house: House, command: UnlinkPlayers, _context: Context) -> Events:
    table = house.tables[command.table]
    live = live_at(table)
    partners = {each for each, player in live.players.items() if player.group == command.group}
    if not partners:
        message = f"There is no group {command.group} at table {table.id}."
        raise Refused(Code.NOTHING_THERE, partnership_clause(table), message)
    at = round_in_payment(table)
    if at is None:
        return (PlayersUnlinked(table.id, command.group),)
    left = {each: group for each, group in at.chips.partners.items() if each not in partners}
    digest, notes = settled_again(house, at, left)
    return (PlayersUnlinked(table.id, command.group, at.round.number, digest), *notes)


@evolves(PlayersUnlinked)
def players_unlinked(house: House, event: PlayersUnlinked, _context: Context) -> None:
    live = live_of(house, event.table)
    partners = {each for each, player in live.players.items() if player.group == event.group}
    for position in partners:
        live.players[position].group = None
    if event.round is not None:
        at = walking_of(house, event.table, event.round)
        left = {each: group for each, group in at.chips.partners.items() if each not in partners}
        settle_again(house, at, left, event.digest)
