"""Payments of a round, and the theoretical win."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import isqrt
from typing import Final, NamedTuple

from msgspec.structs import replace

from croupier.house import cashier, tickets
from croupier.house.base import BallState, Events, RoundStatus
from croupier.house.commands.rounds import BallAtRest
from croupier.house.events.rounds import ResultDeclared, ResultSource, RoundSettled
from croupier.house.ids import Context, Number, TerminalId
from croupier.house.stakes import begin_anew, compact_steps, set_stakes
from croupier.house.state import CaseState, Evolvers, House, MalfunctionCase
from croupier.house.state.money import LedgerAccount, TableMeters
from croupier.house.state.tables import Game, GameRecord, HeldWin, Moment, Round, Sighting, Table, Terminal
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import amount_text
from croupier.rules.procedure import WinningStake
from croupier.rules.rulebook import Stakes

#: 1.96 standard deviations on either side hold 95 in 100, once many rounds were played; squared.
WIDE: Final = Fraction(196, 100) ** 2


class TheoreticalWin(NamedTuple):
    """What was played and won in settled rounds, what was to be expected of it, and between which bounds."""

    played: int
    won: int
    expected: int
    low: int
    high: int


def theory(table: Table) -> TheoreticalWin:
    """Hold what a table has won against the odds since it was set up."""
    return expected_and_variance(table.meters, unsettled(table.round))


def expected_and_variance(meters: TableMeters, sealed: int = 0) -> TheoreticalWin:
    """Hold what meters have counted against the odds, but for what is sealed and not settled.

    Mean and variance are exact over the very bets that were settled.
    """
    brings = sum((Fraction(brought, pockets) for pockets, brought in meters.brings.items()), Fraction(0))
    variance = sum((Fraction(spread, pockets**2) for pockets, spread in meters.spreads.items()), Fraction(0))
    # Where outcomes of an earlier day were taken back, more may have been taken off than was played.
    expected, reach = meters.played - round(brings), isqrt(max(0, int(variance * WIDE)))
    return TheoreticalWin(meters.played, meters.won - sealed, expected, expected - reach, expected + reach)


def count(house: House, table: Table, round_: Round, *, times: int = 1) -> None:
    """Count a settled round, or take it out again where its outcome does not count.

    The bets of a round win and lose together, so its spread is reckoned over all of them: with R brought back on a
    pocket, n times the sum of R squared less the square of the sum of R is the variance times n squared.
    """
    assert round_.sealed is not None
    felt, meters = house.payout_tables[round_.rulebook], table.meters
    stakes = combined_stakes(round_.sealed.values())
    returns, pockets = felt.returns(stakes), felt.pockets
    total = sum(returns)
    meters.played += times * sum(stakes.values())
    meters.brings[pockets] += times * total
    meters.spreads[pockets] += times * (pockets * sum(each * each for each in returns) - total * total)


def combined_stakes(layouts: Iterable[Stakes]) -> Stakes:
    """Lay several players' chips on one felt."""
    stakes = Counter[SpotKey]()
    for each in layouts:
        stakes.update(each)
    return stakes


def unsettled(round_: Round | None) -> int:
    """Tell what is sealed and not settled: the meters count it as staked already."""
    if round_ is None or round_.over or round_.sealed is None:
        return 0
    return sum(sum(stakes.values()) for stakes in round_.sealed.values())


def declared(
    house: House, table: Table, pocket: Pocket, source: ResultSource, *, report: BallAtRest | None = None
) -> Events:
    """Declare a result and settle on it; with the wheel's report, where that is declared at once."""
    round_ = table.playing
    seen = (None, None, None) if report is None else (report.revolutions, report.spin_id, report.opposite)
    return ResultDeclared(table.id, round_.number, pocket, source, *seen), settled(house, table, round_, pocket)


def settled(house: House, table: Table, round_: Round, pocket: Pocket) -> RoundSettled:
    paid = dict(payments(house, table, round_, pocket))
    assert round_.sealed is not None
    staked = sum(sum(round_.sealed[terminal].values()) for terminal in paid)
    return RoundSettled(table.id, round_.number, staked, sum(paid.values()), payments_digest(paid))


def payments(house: House, table: Table, round_: Round, pocket: Pocket) -> Iterator[tuple[TerminalId, int]]:
    """Tell what each terminal gets back on a pocket; those whose bets are in question wait."""
    assert round_.sealed is not None
    felt = house.payout_tables[round_.rulebook]
    waiting = {case.terminal for case in bets_in_question(house, table, round_)}
    for terminal, stakes in round_.sealed.items():
        if terminal not in waiting:
            yield terminal, felt.returned(stakes, pocket)


def bets_in_question(house: House, table: Table, round_: Round) -> Iterator[MalfunctionCase]:
    """Find the open cases about bets that are sealed in a round; a reset may have given some back since."""
    here, sealed = (table.id, round_.number), round_.sealed or {}
    for case in house.open_cases.values():
        if case.state is CaseState.OPEN and here in case.questioned and case.terminal in sealed:
            yield case


def payments_digest(paid: dict[TerminalId, int]) -> str:
    text = "\n".join(f"{terminal} {paid[terminal]}" for terminal in sorted(paid))
    return hashlib.sha256(text.encode()).hexdigest()


def result_declared(house: House, event: ResultDeclared, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    assert round_.sealed is not None
    round_.pocket, round_.source = event.pocket, event.source
    if event.source in (ResultSource.SENSOR, ResultSource.RANDOM) and round_.ball is not BallState.AT_REST:
        round_.see(Sighting(Moment.REST, event.opposite, revolutions=event.revolutions))
    round_.ball = BallState.AT_REST
    round_.status = RoundStatus.ACTIVE
    round_.decide_by = None
    round_.rested_at = round_.rested_at or context.now
    table.history.appendleft((event.round, event.pocket))
    table.spin_id = table.spin_id if event.spin_id is None else event.spin_id


def round_settled(house: House, event: RoundSettled, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    assert round_.pocket is not None
    round_.paid = dict(payments(house, table, round_, round_.pocket))
    assert payments_digest(round_.paid) == event.digest
    for case in bets_in_question(house, table, round_):
        _suspend(house, table, round_, case)
    for terminal_id in table.terminals:
        _finish(house, table, house.terminals[terminal_id], context)
    table.meters.returned += event.returned
    table.meters.rounds += 1
    count(house, table, round_)
    end(table, RoundStatus.SETTLED, context)


def end(table: Table, status: RoundStatus, context: Context) -> None:
    """A round is over."""
    table.playing.status = status
    table.playing.decide_by = None
    table.over_at = context.now


def _suspend(house: House, table: Table, round_: Round, case: MalfunctionCase) -> None:
    """Set the stakes of a case aside until its bets are confirmed or void, with what the record says they bring."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    stakes = round_.sealed[case.terminal]
    staked = sum(stakes.values())
    case.suspense += staked
    case.returned += house.payout_tables[round_.rulebook].returned(stakes, round_.pocket)
    house.ledger.post(staked, source=LedgerAccount.STAKES, target=LedgerAccount.SUSPENSE)
    set_stakes(house.terminals[case.terminal].games[table.id], {}, table)


def _finish(house: House, table: Table, terminal: Terminal, context: Context) -> None:
    """Pay one terminal, write its record, and make its layout ready for the next round."""
    round_ = table.playing
    assert round_.sealed is not None
    assert round_.pocket is not None
    game = terminal.games[table.id]
    stakes = round_.sealed.get(terminal.id)
    game.won = 0
    game.idle_spins = 0 if stakes or not _sat_here(round_, terminal) else game.idle_spins + 1
    if stakes is not None and terminal.id in round_.paid:
        _pay(house, table, terminal, stakes)
    if stakes is not None:
        _record(round_, terminal, game, stakes)
        terminal.session_games += 1
        game.previous = stakes
        if terminal.lost_at is not None:
            back = amount_text(round_.paid.get(terminal.id, 0))
            clause = table.rulebook.procedure.accepted_stands
            words = f"Round {round_.number} was settled on {round_.pocket}: {back} came back [{clause}]."
            terminal.messages.append(words)
    begin_anew(game)
    tickets.watch(house, terminal, context)


def _sat_here(round_: Round, terminal: Terminal) -> bool:
    """Tell whether the player's session had begun while bets were open, so that the spin was one to bet on."""
    assert round_.closed_at is not None
    return terminal.session_since is not None and terminal.session_since < round_.closed_at


def _pay(house: House, table: Table, terminal: Terminal, stakes: Stakes) -> None:
    round_, game, ledger = table.playing, terminal.games[table.id], house.ledger
    assert round_.pocket is not None
    returned = round_.paid[terminal.id]
    winners = table.payouts.winning(stakes, round_.pocket) if returned else {}
    kept = sum(winners.values())
    game.won = returned - kept
    terminal.meters.returned += returned
    terminal.meters.games += 1
    staked = game.staked
    stays = terminal.channel.winning_stake.does is WinningStake.STAY
    if stays and not (terminal.closed or table.closed or terminal.case):
        # 7(h)vi: the winning stake stays up; in the books it comes back and is staked anew.
        set_stakes(game, winners, table)
        game.stayed = dict(winners)
        ledger.post(staked - kept, source=LedgerAccount.STAKES, target=LedgerAccount.HOUSE)
        returned -= kept
    else:
        set_stakes(game, {}, table)
        ledger.post(staked, source=LedgerAccount.STAKES, target=LedgerAccount.HOUSE)
    credit_win(house, round_, terminal, returned, table=table)


def credit_win(house: House, round_: Round, terminal: Terminal, amount: int, *, table: Table) -> None:
    """Pay an amount to the meter, or hold it where the win needs a tax form."""
    assert round_.pocket is not None
    assert round_.sealed is not None
    rulebook = house.rulebooks[round_.rulebook]
    rule = rulebook.tax
    if rule is not None and round_.paid[terminal.id] >= rule.threshold:
        bases = cashier.bases(round_.sealed[terminal.id], house.payout_tables[round_.rulebook], round_.pocket)
        if cashier.due(rulebook, table.settings, bases):
            house.held += 1
            number = Number(house.held)
            terminal.holds[number] = HeldWin(number, table.id, round_.number, amount, bases)
            house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.HELD)
            return
    terminal.credit += amount
    house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.CREDIT)


def _record(round_: Round, terminal: Terminal, game: Game, stakes: Stakes) -> None:
    """Keep the game for recall."""
    compact_steps(game)
    start, steps = game.at_start, tuple(game.steps)
    returned = round_.paid.get(terminal.id, 0)
    staked = sum(stakes.values())
    terminal.recall.append(
        GameRecord(game.table, round_.number, start, steps, stakes, round_.pocket, staked, returned, terminal.credit)
    )


def rewrite_record(house: House, terminal: Terminal, table: Table, round_: Round) -> None:
    """Put into a terminal's record, and on its screen where that is its last round, what it truly got."""
    assert round_.sealed is not None
    for place, record in enumerate(terminal.recall):
        if (record.table, record.round) == (table.id, round_.number):
            terminal.recall[place] = replace(record, returned=round_.paid[terminal.id], pocket=round_.pocket)
    records = [record for record in terminal.recall if record.table == table.id]
    same_player = round_.sessions[terminal.id] == terminal.session
    if same_player and records and records[-1].round == round_.number and round_.pocket is not None:
        won = house.payout_tables[round_.rulebook].winning(round_.sealed[terminal.id], round_.pocket)
        terminal.games[table.id].won = 0 if round_.invalidated else round_.paid[terminal.id] - sum(won.values())


EVOLVERS: Evolvers = {ResultDeclared: result_declared, RoundSettled: round_settled}
