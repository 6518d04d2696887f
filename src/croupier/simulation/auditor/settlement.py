"""Settlement, corrections and the close."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from croupier.house.ids import Number, PositionId, RoundNumber, TableId
from croupier.house.play.betting import ReturnReason
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import TaxBasis, TerminalLoss, WinningStake
from croupier.simulation.auditor.model import (
    ExpectedHold,
    ExpectedReturn,
    ExpectedRevision,
    Model,
    ModelCase,
    ModelGame,
    ModelHeldWin,
    ModelRound,
    ModelTable,
    ModelTerminal,
)
from croupier.simulation.auditor.payouts import Stakes
from croupier.simulation.invariants import check_not


def unplayed(model: Model, table: ModelTable) -> Iterator[ExpectedReturn]:
    """Return all chips that are returned at a close."""
    for seat, game in model.games(table):
        for why, stakes in _steps(table, seat, game):
            if stakes:
                yield ExpectedReturn(game.position, why, frozenset(stakes))


def _steps(table: ModelTable, seat: ModelTerminal, game: ModelGame) -> Iterator[tuple[ReturnReason, Stakes]]:
    """Apply the checks of a close to one seat's chips: the link, the standing warning, red chips, the least total."""
    everything, felt = game.stakes, table.felt
    red = {spot: stake for spot, stake in everything.items() if stake < game.bounds.spots[spot][0]}
    rest = {spot: stake for spot, stake in everything.items() if spot not in red}
    releases = felt.rulebook.procedure.terminal_loss.choice is TerminalLoss.RELEASE_AT_CLOSE
    if seat.dark and releases:
        yield ReturnReason.OFFLINE_AT_CLOSE, everything
    elif felt.risky(everything, seat.unit) or felt.risky(rest, seat.unit):
        yield ReturnReason.TOO_LITTLE_RISK, everything
    else:
        yield ReturnReason.UNDER_MINIMUM, red
        if sum(rest.values()) < game.bounds.total[0]:
            yield ReturnReason.UNDER_TOTAL, rest


def unplayed_stakes(model: Model, table: ModelTable, why: ReturnReason) -> Iterator[ExpectedReturn]:
    """Return the chips on a table that are not sealed in a spin, all of which are returned for one reason."""
    for _, game in model.games(table):
        if game.stakes:
            yield ExpectedReturn(game.position, why, frozenset(game.stakes))


def seal(model: Model, table: ModelTable) -> dict[PositionId, Stakes]:
    """Seal the stakes on every layout; stakes below the minimum or not at risk were returned, and none is too high."""
    sealed: dict[PositionId, Stakes] = {}
    for seat, game in model.games(table):
        game.stayed = {}
        if game.stakes:
            _within(seat, game)
            sealed[game.position] = dict(game.stakes)
            seat.meters["turnover"] += game.staked
            table.meters["turnover"] += game.staked
        elif game.carried:
            sealed[game.position] = {}
    return sealed


def _within(seat: ModelTerminal, game: ModelGame) -> None:
    for spot, stake in game.stakes.items():
        most = game.bounds.spots[spot][1]
        check_not("I18", f"{seat.name} seals {stake} on {spot}, which may hold {most}", when=stake > most)
    most = game.bounds.total[1]
    check_not("I18", f"{seat.name} seals {game.staked} in all, which may be {most}", when=game.staked > most)


def settle(model: Model, table: ModelTable, round_: ModelRound) -> tuple[int, int]:
    """Settle a round on its number; return the total staked and the total returned, without bets in question."""
    assert round_.sealed is not None
    staked = returned = 0
    for seat, game in model.games(table):
        stakes = round_.sealed.get(game.position)
        if stakes is not None:
            case = model.in_question(table, round_, seat.name)
            if case is None:
                staked += sum(stakes.values())
                returned += _pay(model, table, round_, seat)
            else:
                case.suspense[table.name] += game.staked
                game.stakes = {}
            game.previous = dict(stakes) or game.previous
        game.undo = []
    table.meters["returned"] += returned
    table.meters["rounds"] += 1
    round_.status = "settled"
    return staked, returned


def _pay(model: Model, table: ModelTable, round_: ModelRound, seat: ModelTerminal) -> int:
    """Pay one seat; where winning stakes stay up (Adelaide), they are returned and staked again."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    game = seat.games[table.name]
    stakes = round_.sealed[game.position]
    came = game.carried
    gross, carried = round_.felt.settles(stakes, came, round_.pocket)
    if came or carried:
        round_.carried[game.position] = came
    _carry(model, table, game, carried)
    _book_return(model, round_, (seat, game), gross, round_.felt.given_back(stakes, round_.pocket, came))
    model.won += sum(stakes.values())
    game.stakes = {}
    stays = seat.channel.winning_stake.choice is WinningStake.STAY
    if stays and not (seat.closed or table.closed or seat.case is not None or seat.pause):
        game.stakes = round_.felt.winners(stakes, round_.pocket)
        game.stayed = dict(game.stakes)
    credit(model, table, round_, seat, gross - game.staked)
    return gross


def _carry(model: Model, table: ModelTable, game: ModelGame, carried: Stakes) -> None:
    """Set what a game carries to its next spin: the house has neither won nor lost it."""
    change = sum(carried.values()) - sum(game.carried.values())
    game.carried = carried
    table.meters["carried"] += change
    model.won -= change


def release(model: Model, table: ModelTable) -> tuple[int, int]:
    """Release all that a table carries; return how much that was, and what came back."""
    settled = [round_ for round_ in table.rounds.values() if round_.status == "settled"]
    if settled:
        settled[-1].released.update(game.position for _, game in model.games(table))
    total = returned = 0
    for seat, game in model.games(table):
        back = table.felt.frees(game.carried)
        total, returned = total + sum(game.carried.values()), returned + back
        _carry(model, table, game, {})
        seat.credit += back
        seat.meters["returned"] += back
        table.meters["returned"] += back
        model.won -= back
    return total, returned


def _book_return(
    model: Model, round_: ModelRound, of: tuple[ModelTerminal, ModelGame], gross: int, given_back: int
) -> int:
    seat, game = of
    round_.paid[game.position] = gross
    seat.meters["returned"] += gross
    seat.meters["games"] += 1
    seat.meters["games_won"] += gross > given_back
    model.won -= gross
    return gross


def credit(model: Model, table: ModelTable, round_: ModelRound, seat: ModelTerminal, amount: int) -> None:
    """Add an amount to the credit meter, or hold it when the win needs a tax form."""
    if amount and form_due(table, round_, seat):
        model.held += 1
        seat.holds[Number(model.held)] = ModelHeldWin(table.name, round_.number, amount)
        model.holding.add(ExpectedHold(seat.name, Number(model.held), table.name, round_.number, amount))
    else:
        seat.credit += amount


def form_due(table: ModelTable, round_: ModelRound, seat: ModelTerminal) -> bool:
    """Return whether a seat's win in a round needs a form, counted as the venue counts it (22 at Clearwater)."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    rule, stakes = round_.felt.rulebook.tax, round_.sealed[seat.games[table.name].position]
    if rule is None:
        return False
    position = seat.games[table.name].position
    came = {} if position in round_.late else round_.carried.get(position, {})
    gross, _ = round_.felt.settles(stakes, came, round_.pocket)
    basis = table.settings.tax_basis or rule.basis
    if basis is TaxBasis.NET_OF_WINNING_STAKES:
        gross -= sum(round_.felt.winners(stakes, round_.pocket).values())
        gross -= round_.felt.given_back(stakes, round_.pocket, came)
    elif basis is TaxBasis.NET_OF_TOTAL_BET:
        gross -= sum(stakes.values()) + sum(came.values())
    return gross >= rule.threshold


def refund(model: Model, table: ModelTable, round_: ModelRound) -> None:
    """Return every stake of a table, and offer the same bets again; a sealed stake counts as refunded."""
    for seat, game in model.games(table):
        stakes = dict(game.stakes)
        back = seat.take_back(table.name, tuple(stakes))
        if round_.sealed is not None:
            count_refund(table, seat, back)
        game.previous = stakes or game.previous
        game.undo, game.stayed = [], {}


def count_refund(table: ModelTable, seat: ModelTerminal, amount: int) -> None:
    seat.meters["refunded"] += amount
    table.meters["refunded"] += amount


def void(model: Model, table: ModelTable, round_: ModelRound) -> None:
    """A void round: every stake is returned, and there is no number."""
    refund(model, table, round_)
    no_result(table, round_)
    round_.betting, round_.status = "closed", "void"
    table.meters["voids"] += 1
    if table.closed:
        release(model, table)


def no_result(table: ModelTable, round_: ModelRound) -> None:
    round_.reported, round_.pocket = round_.pocket or round_.reported, None
    table.history = [each for each in table.history if each[0] != round_.number]


def confirm(model: Model, case: ModelCase) -> set[tuple[TableId, RoundNumber, int]]:
    """Settle the stakes set aside by the record, and return the payments; a running round is settled at its end."""
    paid = set()
    seat = model.seats[case.seat]
    model.won += case.suspense.total()
    case.suspense.clear()
    case.state = "confirmed"
    for name, number in case.questioned:
        table = model.tables[name]
        round_ = table.rounds[number]
        stakes = (round_.sealed or {}).get(seat.games[name].position)
        if round_.status == "settled" and stakes is not None:
            gross, back = _by_record(round_, stakes), 0
            if round_.pocket is not None:
                back = round_.felt.given_back(stakes, round_.pocket) + _freed_at_once(round_, stakes)
            _book_return(model, round_, (seat, seat.games[name]), gross, back)
            if round_.felt.carries:
                round_.late.add(seat.games[name].position)
            table.meters["returned"] += gross
            credit(model, table, round_, seat, gross)
            paid.add((name, number, gross))
    return paid


def _by_record(round_: ModelRound, stakes: Stakes) -> int:
    assert round_.pocket is not None
    if round_.invalidated:
        return sum(stakes.values())
    return round_.felt.settles(stakes, {}, round_.pocket)[0] + _freed_at_once(round_, stakes)


def _freed_at_once(round_: ModelRound, stakes: Stakes) -> int:
    """Return what comes back of bets that would be carried, but are confirmed when their next spin may be over."""
    assert round_.pocket is not None
    return round_.felt.frees(round_.felt.settles(stakes, {}, round_.pocket)[1])


def void_case(model: Model, case: ModelCase) -> None:
    """Return the stakes of a case: those set aside, and those still on the layout of a running round."""
    seat = model.seats[case.seat]
    case.state = "voided"
    for name, amount in case.suspense.items():
        seat.credit += amount
        count_refund(model.tables[name], seat, amount)
    case.suspense.clear()
    for name, number in case.questioned:
        table = model.tables[name]
        round_ = table.rounds[number]
        game = seat.games[name]
        if not round_.over and round_.sealed is not None and game.position in round_.sealed:
            del round_.sealed[game.position]
            count_refund(table, seat, seat.take_back(name, tuple(game.stakes)))


def correct(model: Model, table: ModelTable, round_: ModelRound, pocket: Pocket) -> int:
    """Replace a wrong number by the true one; return the total that all seats get by the true number."""
    assert round_.sealed is not None
    _lift(model, table, round_, pocket)
    before = {position: _history(model, table, round_, position) for position in round_.paid}
    round_.pocket = pocket
    table.history = [(number, pocket if number == round_.number else shown) for number, shown in table.history]
    due = _judged_again(model, table, round_, before)
    _repay(model, table, round_, due)
    return sum(due.values())


def invalidate(model: Model, table: ModelTable, round_: ModelRound) -> None:
    """Invalidate a settled outcome: every seat gets its stakes back, whatever it was paid."""
    assert round_.sealed is not None
    _lift(model, table, round_, None)
    round_.invalidated = False
    before = {position: _history(model, table, round_, position) for position in round_.paid}
    round_.invalidated = True
    table.history = [each for each in table.history if each[0] != round_.number]
    _repay(model, table, round_, _judged_again(model, table, round_, before))


class _History(NamedTuple):
    """A session at a position from its first round on: its returns, what came to each round, and what is carried."""

    returned: int
    came: dict[RoundNumber, Stakes]
    carried: Stakes


def _history(model: Model, table: ModelTable, round_: ModelRound, position: PositionId) -> _History:
    """Play all rounds of the session that a position had in a round again, from the first, by the numbers as they are.

    A round of another session ends it.
    """
    session, returned, carried = round_.sessions[position], 0, Stakes()
    came: dict[RoundNumber, Stakes] = {}
    begun, felt = False, round_.felt
    for each in table.rounds.values():
        if each.status != "settled" or each.sealed is None:
            continue
        of = each.sessions.get(position)
        if of is not None and of != session:
            if begun:
                break
            continue
        begun = begun or of == session
        stakes = each.sealed.get(position, {})
        came[each.number], felt = carried, each.felt
        if each.invalidated:
            returned += sum(stakes.values())
        elif position in each.late:
            returned += _by_record(each, stakes)
        elif position in each.paid or position not in each.sealed:
            assert each.pocket is not None
            back, carried = each.felt.settles(stakes, carried, each.pocket)
            returned += back
        if position in each.released:
            returned, carried = returned + each.felt.frees(carried), {}
    if session != model.game(position)[0].session:
        returned, carried = returned + felt.frees(carried), {}
    return _History(returned, came, carried)


def _judged_again(
    model: Model, table: ModelTable, round_: ModelRound, before: Mapping[PositionId, _History]
) -> dict[PositionId, int]:
    """Give each position what its rounds return now, and less what they returned before; carry what they carry now."""
    due = {}
    for position, was in before.items():
        seat, game = model.game(position)
        now = _history(model, table, round_, position)
        due[position] = round_.paid[position] + now.returned - was.returned
        if not round_.felt.carries:
            continue
        for number, came in now.came.items():
            later = table.rounds[number]
            if number <= round_.number or later.sealed is None:
                continue
            if came and position not in later.sealed:
                later.sealed[position], later.paid[position] = {}, 0
                later.sessions[position] = round_.sessions[position]
            later.carried[position] = came
        if round_.sessions[position] != seat.session:
            last = table.rounds[max(number for number in now.came)]
            last.released.add(position)
            continue
        _carry(model, table, game, now.carried)
        running = table.round
        if running is not None and not running.over and running.sealed is not None and now.carried:
            running.sealed.setdefault(position, {})
            running.sessions.setdefault(position, seat.session)
    return due


def _lift(model: Model, table: ModelTable, round_: ModelRound, pocket: Pocket | None) -> None:
    """Remove winning stakes that stayed up and still lie there, unless another spin has them or they win again."""
    running = table.round
    assert running is not None
    if running is not round_ and not (running.number == round_.number + 1 and running.sealed is None):
        return
    for position in round_.paid:
        seat, game = model.game(position)
        again = {spot for spot in game.stayed if pocket is not None and pocket in round_.felt.covers[spot]}
        gone = {spot: stake for spot, stake in game.stayed.items() if spot not in again}
        up = {spot: max(0, game.stakes[spot] - stake) for spot, stake in gone.items() if spot in game.stakes}
        game.stayed = {spot: game.stayed[spot] for spot in again}
        if up:
            lifted = sum(game.stakes[spot] - left for spot, left in up.items())
            seat.lay(table.name, up)
            game.undo = []
            if round_.sessions[position] != seat.session:
                # The session that left it up gets it, on account.
                seat.credit -= lifted
                seat.debts[round_.sessions[position]] -= lifted


def _repay(model: Model, table: ModelTable, round_: ModelRound, due: dict[PositionId, int]) -> None:
    for position, amount in due.items():
        seat, _ = model.game(position)
        change = amount - round_.paid[position]
        round_.paid[position] = amount
        seat.meters["returned"] += change
        table.meters["returned"] += change
        model.won -= change
        if change > 0:
            _give(model, table, round_, seat, change)
        elif change < 0:
            _take(model, table, round_, seat, -change)


def _give(model: Model, table: ModelTable, round_: ModelRound, seat: ModelTerminal, amount: int) -> None:
    """Pay a difference: on account if the player has left, otherwise first against debts and then as credit."""
    session = round_.sessions[seat.games[table.name].position]
    on_account = min(amount, max(0, seat.debts[session])) if session == seat.session else amount
    seat.debts[session] -= on_account
    credit(model, table, round_, seat, amount - on_account)


def _take(model: Model, table: ModelTable, round_: ModelRound, seat: ModelTerminal, amount: int) -> None:
    """Recover a difference: from the win while it is held, then from the player's credits; the rest is owed."""
    session = round_.sessions[seat.games[table.name].position]
    for number, hold in tuple(seat.holds.items()):
        if (hold.table, hold.round) == (table.name, round_.number):
            taken = min(amount, hold.amount)
            amount -= taken
            hold.amount -= taken
            held = hold.amount > 0 and not round_.invalidated and form_due(table, round_, seat)
            model.revising.add(ExpectedRevision(seat.name, number, hold.amount, held))
            if not held:
                seat.credit += seat.holds.pop(number).amount
    credits_ = min(amount, seat.credit) if session == seat.session else 0
    seat.credit -= credits_
    seat.debts[session] += amount - credits_
