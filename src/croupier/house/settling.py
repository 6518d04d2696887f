"""Settling: what every terminal gets back for the bets it sealed, in one entry however many there are."""

import hashlib
from collections.abc import Iterator

from msgspec.structs import replace

from croupier.house import session, tax, theory
from croupier.house.answer import Events, Evolvers
from croupier.house.books import Account
from croupier.house.chips import begin_anew, fold, lay
from croupier.house.command.round import BallAtRest
from croupier.house.docket import Case, CaseState
from croupier.house.event.round import ResultDeclared, RoundSettled, Source
from croupier.house.felt import Stakes
from croupier.house.name import Number, TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Ball, Moment, Round, Sighting, Status, Table
from croupier.house.terminal import Game, GameRecord, Hold, Terminal
from croupier.rules.money import amount_text
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import WinningStake


def declared(house: House, table: Table, pocket: Pocket, source: Source, *, report: BallAtRest | None = None) -> Events:
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
    felt = house.felts[round_.rulebook]
    waiting = {case.terminal for case in questions(house, table, round_)}
    for terminal, stakes in round_.sealed.items():
        if terminal not in waiting:
            yield terminal, felt.returned(stakes, pocket)


def questions(house: House, table: Table, round_: Round) -> Iterator[Case]:
    """Find the open cases about bets that are sealed in a round; a reset may have given some back since."""
    here, sealed = (table.id, round_.number), round_.sealed or {}
    for case in house.open_cases.values():
        if case.state is CaseState.OPEN and here in case.questioned and case.terminal in sealed:
            yield case


def payments_digest(paid: dict[TerminalId, int]) -> str:
    text = "\n".join(f"{terminal} {paid[terminal]}" for terminal in sorted(paid))
    return hashlib.sha256(text.encode()).hexdigest()


def result_declared(house: House, event: ResultDeclared, stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    assert round_.sealed is not None
    round_.pocket, round_.source = event.pocket, event.source
    if event.source in (Source.SENSOR, Source.RANDOM) and round_.ball is not Ball.AT_REST:
        round_.see(Sighting(Moment.REST, event.opposite, revolutions=event.revolutions))
    round_.ball = Ball.AT_REST
    round_.status = Status.ACTIVE
    round_.decide_by = None
    round_.rested_at = round_.rested_at or stamp.now
    table.history.appendleft((event.round, event.pocket))
    table.spin_id = table.spin_id if event.spin_id is None else event.spin_id


def round_settled(house: House, event: RoundSettled, stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    assert round_.pocket is not None
    round_.paid = dict(payments(house, table, round_, round_.pocket))
    assert payments_digest(round_.paid) == event.digest
    for case in questions(house, table, round_):
        _suspend(house, table, round_, case)
    for terminal_id in table.terminals:
        _finish(house, table, house.terminals[terminal_id], stamp)
    table.meters.returned += event.returned
    table.meters.rounds += 1
    theory.count(house, table, round_)
    end(table, Status.SETTLED, stamp)


def end(table: Table, status: Status, stamp: Stamp) -> None:
    """A round is over."""
    table.playing.status = status
    table.playing.decide_by = None
    table.over_at = stamp.now


def _suspend(house: House, table: Table, round_: Round, case: Case) -> None:
    """Set the stakes of a case aside until its bets are confirmed or void, with what the record says they bring."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    stakes = round_.sealed[case.terminal]
    staked = sum(stakes.values())
    case.suspense += staked
    case.returned += house.felts[round_.rulebook].returned(stakes, round_.pocket)
    house.books.move(staked, source=Account.STAKES, target=Account.SUSPENSE)
    lay(house.terminals[case.terminal].games[table.id], {}, table)


def _finish(house: House, table: Table, terminal: Terminal, stamp: Stamp) -> None:
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
    session.watch(house, terminal, stamp)


def _sat_here(round_: Round, terminal: Terminal) -> bool:
    """Tell whether the player's session had begun while bets were open, so that the spin was one to bet on."""
    assert round_.closed_at is not None
    return terminal.session_since is not None and terminal.session_since < round_.closed_at


def _pay(house: House, table: Table, terminal: Terminal, stakes: Stakes) -> None:
    round_, game, books = table.playing, terminal.games[table.id], house.books
    assert round_.pocket is not None
    returned = round_.paid[terminal.id]
    winners = table.felt.winning(stakes, round_.pocket) if returned else {}
    kept = sum(winners.values())
    game.won = returned - kept
    terminal.meters.returned += returned
    terminal.meters.games += 1
    staked = game.staked
    stays = terminal.channel.winning_stake.does is WinningStake.STAY
    if stays and not (terminal.closed or table.closed or terminal.case):
        # 7(h)vi: the winning stake stays up; in the books it comes back and is staked anew.
        lay(game, winners, table)
        game.stayed = dict(winners)
        books.move(staked - kept, source=Account.STAKES, target=Account.HOUSE)
        returned -= kept
    else:
        lay(game, {}, table)
        books.move(staked, source=Account.STAKES, target=Account.HOUSE)
    credit_win(house, round_, terminal, returned, table=table)


def credit_win(house: House, round_: Round, terminal: Terminal, amount: int, *, table: Table) -> None:
    """Pay an amount to the meter, or hold it where the win needs a tax form."""
    assert round_.pocket is not None
    assert round_.sealed is not None
    rulebook = house.rulebooks[round_.rulebook]
    rule = rulebook.tax
    if rule is not None and round_.paid[terminal.id] >= rule.threshold:
        bases = tax.bases(round_.sealed[terminal.id], house.felts[round_.rulebook], round_.pocket)
        if tax.due(rulebook, table.settings, bases):
            house.held += 1
            number = Number(house.held)
            terminal.holds[number] = Hold(number, table.id, round_.number, amount, bases)
            house.books.move(amount, source=Account.HOUSE, target=Account.HELD)
            return
    terminal.credit += amount
    house.books.move(amount, source=Account.HOUSE, target=Account.CREDIT)


def _record(round_: Round, terminal: Terminal, game: Game, stakes: Stakes) -> None:
    """Keep the game for recall."""
    fold(game)
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
        won = house.felts[round_.rulebook].winning(round_.sealed[terminal.id], round_.pocket)
        terminal.games[table.id].won = 0 if round_.invalidated else round_.paid[terminal.id] - sum(won.values())


EVOLVERS: Evolvers = {ResultDeclared: result_declared, RoundSettled: round_settled}
