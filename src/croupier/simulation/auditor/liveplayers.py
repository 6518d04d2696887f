"""Players with chips: partnerships, marker buttons, infringements and adjustments."""

from croupier.house import House
from croupier.house.declare import PlayerEvent, TableEvent
from croupier.house.ids import Context
from croupier.house.live.arrangements import (
    ChipsAdjusted,
    InfringementNoted,
    MarkersDesignated,
    PlayerAdmitted,
    PlayerBarred,
)
from croupier.house.live.partners import PlayersLinked, PlayersUnlinked
from croupier.rules.procedure import Channel, ChannelName, InfringementEffect
from croupier.simulation.auditor.chips import partners_changed
from croupier.simulation.auditor.model import CHIPS, Model, ModelLive
from croupier.simulation.auditor.registry import follows
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not


def _channel(model: Model, event: PlayerEvent) -> Channel:
    return model.tables[event.table].felt.rulebook.channels[ChannelName.TABLE]


def _live(model: Model, event: TableEvent) -> ModelLive:
    live = model.tables[event.table].live
    if live is None:
        raise InvariantViolation(CHIPS, f"{event} at a table without chips")
    return live


@follows(PlayersLinked)
def _linked(model: Model, event: PlayersLinked, _context: Context) -> None:
    """A group has all partners of its players, and a player is in one group."""
    live = _live(model, event)
    named = {*event.positions}
    check_not(CHIPS, f"{event} of players who are not seated", when=not named <= live.players.keys())
    joined = [number for number, members in live.groups.items() if members & named]
    partners = {each for number in joined for each in live.groups.pop(number) if each in live.players}
    check_not(CHIPS, f"{event} leaves partners {partners - named} out", when=not partners <= named)
    check_not(CHIPS, f"{event} has a number that was used", when=event.group <= live.groups_made)
    live.groups_made = event.group
    live.groups[event.group] = named
    partners_changed(model, event, named)


@follows(PlayersUnlinked)
def _unlinked(model: Model, event: PlayersUnlinked, _context: Context) -> None:
    members = _live(model, event).groups.pop(event.group, set())
    check_not(CHIPS, f"{event} of no group", when=not members)
    partners_changed(model, event, members & _live(model, event).players.keys())


@follows(MarkersDesignated)
def _designated(model: Model, event: MarkersDesignated, _context: Context) -> None:
    live = _live(model, event)
    check_not(CHIPS, f"{event} changes nothing", when=event.on is (event.position in live.designated))
    live.designated ^= {event.position}


@follows(InfringementNoted)
def _noted(model: Model, event: InfringementNoted, _context: Context) -> None:
    live, listed = _live(model, event), _channel(model, event).infringements[event.kind]
    live.infringements[event.position] += listed.choice is InfringementEffect.COUNT
    due = (listed.clause, live.infringements[event.position])
    check_equal(CHIPS, f"{event} counts", (event.clause, event.count), due)


@follows(PlayerBarred)
def _barred(model: Model, event: PlayerBarred, context: Context) -> None:
    live, channel = _live(model, event), _channel(model, event)
    grounds = {each.clause for each in channel.infringements.values() if each.choice is InfringementEffect.BAR}
    check_not(CHIPS, f"{event} under another clause", when=event.clause not in {*grounds, channel.barring})
    check_not(CHIPS, f"{event} of a player who is barred", when=event.position in live.barred)
    live.barred[event.position], live.barred_at[event.position] = event.clause, context.now


@follows(PlayerAdmitted)
def _admitted(model: Model, event: PlayerAdmitted, _context: Context) -> None:
    live = _live(model, event)
    check_not(CHIPS, f"{event} of a player who is not barred", when=live.barred.pop(event.position, None) is None)
    del live.infringements[event.position]


@follows(ChipsAdjusted)
def _adjusted(model: Model, event: ChipsAdjusted, _context: Context) -> None:
    live = _live(model, event)
    if live.tray is None:
        raise InvariantViolation(CHIPS, f"{event} while the float is closed")
    live.tray -= event.amount
    check_not(CHIPS, f"{event} leaves {live.tray} in the float", when=live.full and live.tray < 0)
    model.chips_adjusted += event.amount


def compare(model: Model, house: House) -> None:
    """Verify what the house has about players with chips against the model."""
    for table in model.tables.values():
        shown, live = house.tables[table.name].live, table.live
        if shown is None or live is None:
            continue
        groups = {position: number for number, members in live.groups.items() for position in members}
        for position, player in shown.players.items():
            found = (player.group, player.markers_allowed, player.infringements, player.barred)
            due = (
                groups.get(position),
                position in live.designated,
                live.infringements[position],
                live.barred.get(position),
            )
            check_equal(CHIPS, (table.name, position), found, due)
