"""Arrangements: a player's restriction to straight up bets, made in writing before play and for that player alone."""

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.command.venue import ArrangeVip, EndArrangement
from croupier.house.event.venue import ArrangementEnded, VipArranged
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.rules.matter import Matter
from croupier.rules.refusal import Code


def arrange_vip(house: House, command: ArrangeVip, stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    if rulebook.arrangement is None:
        clause = rulebook.cites[Matter.SETTINGS]
        return refuse(Code.SETTING_IMPOSSIBLE, clause, "These rules know no arrangements with single players.")
    if terminal.session_games or terminal.in_play:
        says = "An arrangement is made before play, not during it."
        if session.is_spent(terminal):
            says += " If another player sits here now, end the session of the last one first."
        return refuse(Code.OUT_OF_TURN, rulebook.arrangement, says)
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, rulebook.arrangement, "Say who signed the arrangement, and when.")
    notified_at = house.notified.get(terminal.id)
    if notified_at is None or notified_at >= stamp.now:
        says = "The Government Inspectorate must be notified of an arrangement first."
        return refuse(Code.NOT_NOTIFIED, rulebook.arrangement, says)
    return (VipArranged(terminal.id, command.words),)


def vip_arranged(house: House, event: VipArranged, _stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    terminal.straight_only = True
    for game in terminal.games.values():
        game.previous = {}
        game.undo.clear()
    # One notice is good for one thing.
    house.notified.pop(event.terminal, None)


def end_arrangement(house: House, command: EndArrangement, _stamp: Stamp) -> Decision:
    """End an arrangement; as it is made outside play, so it ends outside it."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    clause = rulebook.arrangement or rulebook.cites[Matter.SETTINGS]
    if not terminal.straight_only:
        return refuse(Code.NOTHING_THERE, clause, f"There is no arrangement at terminal {terminal.id}.")
    if terminal.in_play:
        return refuse(Code.OUT_OF_TURN, clause, "Chips are in play: an arrangement does not end during a game.")
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why the arrangement ends.")
    return (ArrangementEnded(terminal.id, command.words),)


def arrangement_ended(house: House, event: ArrangementEnded, _stamp: Stamp) -> None:
    house.terminals[event.terminal].straight_only = False


DECIDERS: Deciders = {ArrangeVip: arrange_vip, EndArrangement: end_arrangement}
EVOLVERS: Evolvers = {VipArranged: vip_arranged, ArrangementEnded: arrangement_ended}
