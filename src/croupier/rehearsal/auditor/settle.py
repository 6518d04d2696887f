"""Settling: what every seat gets for the bets it sealed, on a result, a void, a correction and a confirmed case."""

from croupier.house.name import Number
from croupier.rehearsal.auditor.felt import Stakes
from croupier.rehearsal.auditor.game import Round, Table
from croupier.rehearsal.auditor.model import Case, Model
from croupier.rehearsal.auditor.seat import Game, Hold, Seat
from croupier.rules.procedure import TaxBasis, WinningStake


def settle(model: Model, table: Table, round_: Round) -> tuple[int, int]:
    """Settle a round on its number; tell what was staked and what came back, bets in question left out."""
    assert round_.sealed is not None
    staked = returned = 0
    for seat, game in model.games(table):
        stakes = round_.sealed.get(seat.name)
        if stakes is not None:
            case = model.in_question(table, round_, seat.name)
            if case is None:
                staked += sum(stakes.values())
                returned += _pay(model, table, round_, seat)
            else:
                _set_aside(case, table, game)
            game.previous = dict(stakes)
        game.undo = []
    table.meters["returned"] += returned
    table.meters["rounds"] += 1
    round_.status = "settled"
    return staked, returned


def _set_aside(case: Case, table: Table, game: Game) -> None:
    case.suspense[table.name] += game.staked
    game.stakes = {}


def _pay(model: Model, table: Table, round_: Round, seat: Seat) -> int:
    """Pay one seat; where winning stakes stay up (Adelaide) they come back and are staked anew."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    stakes, game = round_.sealed[seat.name], seat.games[table.name]
    gross = _book_return(model, round_, seat, round_.felt.brings(stakes, round_.pocket))
    model.won += sum(stakes.values())
    game.stakes = {}
    stays = seat.channel.winning_stake.does is WinningStake.STAY
    if stays and not (seat.closed or table.closed or seat.case is not None):
        game.stakes = round_.felt.winners(stakes, round_.pocket)
        game.stayed = dict(game.stakes)
    credit(model, table, round_, seat, gross - game.staked)
    return gross


def _book_return(model: Model, round_: Round, seat: Seat, gross: int) -> int:
    round_.paid[seat.name] = gross
    seat.meters["returned"] += gross
    seat.meters["games"] += 1
    model.won -= gross
    return gross


def credit(model: Model, table: Table, round_: Round, seat: Seat, amount: int) -> None:
    """Put an amount on the meter, or hold it where the win needs a tax form."""
    if amount and form_due(table, round_, seat):
        model.held += 1
        seat.holds[Number(model.held)] = Hold(table.name, round_.number, amount)
    else:
        seat.credit += amount


def form_due(table: Table, round_: Round, seat: Seat) -> bool:
    """Tell whether a seat's win in a round needs a form, counted as the venue counts it (22 at Clearwater)."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    rule, stakes = round_.felt.rulebook.tax, round_.sealed[seat.name]
    if rule is None:
        return False
    gross = round_.felt.brings(stakes, round_.pocket)
    basis = table.settings.tax_basis or rule.basis
    if basis is TaxBasis.NET_OF_WINNING_STAKES:
        gross -= sum(round_.felt.winners(stakes, round_.pocket).values())
    elif basis is TaxBasis.NET_OF_TOTAL_BET:
        gross -= sum(stakes.values())
    return gross >= rule.threshold


def refund(model: Model, table: Table, round_: Round) -> None:
    """Give every stake of a table back, and offer the same bets again; a sealed stake counts as refunded."""
    for seat, game in model.games(table):
        stakes = dict(game.stakes)
        back = seat.take_back(table.name, tuple(stakes))
        if round_.sealed is not None:
            count_refund(table, seat, back)
        game.previous = stakes or game.previous
        game.undo, game.stayed = [], {}


def count_refund(table: Table, seat: Seat, amount: int) -> None:
    seat.meters["refunded"] += amount
    table.meters["refunded"] += amount


def void(model: Model, table: Table, round_: Round) -> None:
    """A void round: every stake goes back, and no number was."""
    refund(model, table, round_)
    no_result(table, round_)
    round_.betting, round_.status = "closed", "void"
    table.meters["voids"] += 1


def no_result(table: Table, round_: Round) -> None:
    round_.reported, round_.pocket = round_.pocket or round_.reported, None
    table.history = [each for each in table.history if each[0] != round_.number]


def confirm(model: Model, case: Case) -> None:
    """Settle by the record what was set aside; a round that still runs is settled in its turn."""
    seat = model.seats[case.seat]
    model.won += case.suspense.total()
    case.suspense.clear()
    case.state = "confirmed"
    for name, number in case.questioned:
        table = model.tables[name]
        round_ = table.rounds[number]
        stakes = (round_.sealed or {}).get(case.seat)
        if round_.status == "settled" and stakes is not None:
            gross = _book_return(model, round_, seat, _by_record(round_, stakes))
            table.meters["returned"] += gross
            credit(model, table, round_, seat, gross)


def _by_record(round_: Round, stakes: Stakes) -> int:
    assert round_.pocket is not None
    return sum(stakes.values()) if round_.invalidated else round_.felt.brings(stakes, round_.pocket)


def void_case(model: Model, case: Case) -> None:
    """Give the stakes of a case back: those set aside, and those still on the layout of a running round."""
    seat = model.seats[case.seat]
    case.state = "voided"
    for name, amount in case.suspense.items():
        seat.credit += amount
        count_refund(model.tables[name], seat, amount)
    case.suspense.clear()
    for name, number in case.questioned:
        table = model.tables[name]
        round_ = table.rounds[number]
        if not round_.over and round_.sealed is not None and seat.name in round_.sealed:
            del round_.sealed[seat.name]
            count_refund(table, seat, seat.take_back(name, tuple(seat.games[name].stakes)))
