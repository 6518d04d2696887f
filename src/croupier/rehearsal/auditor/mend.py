"""Mending: what a corrected number or an invalidated outcome gives to each seat, or takes from it."""

from croupier.house.name import TerminalId
from croupier.rehearsal.auditor.game import Round, Table
from croupier.rehearsal.auditor.model import Model
from croupier.rehearsal.auditor.seat import Seat
from croupier.rehearsal.auditor.settle import credit, form_due
from croupier.rules.pocket import Pocket


def correct(model: Model, table: Table, round_: Round, pocket: Pocket) -> int:
    """Put the true number in the place of a wrong one; tell what all seats get back by it."""
    assert round_.sealed is not None
    _lift(model, table, round_)
    round_.pocket = pocket
    table.history = [(number, pocket if number == round_.number else shown) for number, shown in table.history]
    due = {name: round_.felt.brings(round_.sealed[name], pocket) for name in round_.paid}
    _repay(model, table, round_, due)
    return sum(due.values())


def invalidate(model: Model, table: Table, round_: Round) -> None:
    """Take a settled outcome back: every seat gets its stakes, whatever it was paid."""
    assert round_.sealed is not None
    _lift(model, table, round_)
    table.history = [each for each in table.history if each[0] != round_.number]
    _repay(model, table, round_, {name: sum(round_.sealed[name].values()) for name in round_.paid})


def _lift(model: Model, table: Table, round_: Round) -> None:
    """Take winning stakes that stayed up off the felt, as much as lies there still, unless another spin has them."""
    running = table.round
    assert running is not None
    if running is not round_ and not (running.number == round_.number + 1 and running.sealed is None):
        return
    for name in round_.paid:
        seat = model.seats[name]
        game = seat.games[table.name]
        up = {spot: max(0, game.stakes[spot] - stake) for spot, stake in game.stayed.items() if spot in game.stakes}
        game.stayed = {}
        if up:
            seat.lay(table.name, up)
            game.undo = []


def _repay(model: Model, table: Table, round_: Round, due: dict[TerminalId, int]) -> None:
    for name, amount in due.items():
        seat = model.seats[name]
        change = amount - round_.paid[name]
        round_.paid[name] = amount
        seat.meters["returned"] += change
        table.meters["returned"] += change
        model.won -= change
        if change > 0:
            _give(model, table, round_, seat, change)
        elif change < 0:
            _take(table, round_, seat, -change)


def _give(model: Model, table: Table, round_: Round, seat: Seat, amount: int) -> None:
    """Pay a difference: to a player who has gone on account, to one who is there first what is owed, then credit."""
    turn = round_.sessions[seat.name]
    on_account = min(amount, max(0, seat.debts[turn])) if turn == seat.session else amount
    seat.debts[turn] -= on_account
    credit(model, table, round_, seat, amount - on_account)


def _take(table: Table, round_: Round, seat: Seat, amount: int) -> None:
    """Take a difference back: from the win while it is held, from the player's credits, and the rest is owed."""
    turn = round_.sessions[seat.name]
    for number, hold in tuple(seat.holds.items()):
        if (hold.table, hold.round) == (table.name, round_.number):
            taken = min(amount, hold.amount)
            amount -= taken
            hold.amount -= taken
            if hold.amount == 0 or round_.invalidated or not form_due(table, round_, seat):
                seat.credit += seat.holds.pop(number).amount
    credits_ = min(amount, seat.credit) if turn == seat.session else 0
    seat.credit -= credits_
    seat.debts[turn] += amount - credits_
