"""Corrections: a wrong number replaced or an outcome taken back, by compensating entries for every terminal."""

from croupier.house import session, tax, theory
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.chips import note, put
from croupier.house.command.round import CorrectResult, InvalidateOutcome
from croupier.house.event.play import Edit
from croupier.house.event.round import OutcomeInvalidated, ResultCorrected
from croupier.house.mishap import no_result, refund_all
from croupier.house.name import TerminalId
from croupier.house.settling import credit_win, end, payments_digest, rewrite_record
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Ball, Betting, Round, Status, Table
from croupier.house.terminal import Cause, Hold, Step, Terminal
from croupier.rules.irregularity import Effect, Reason
from croupier.rules.matter import Matter
from croupier.rules.pocket import Pocket
from croupier.rules.refusal import Code, Refusal
from croupier.rules.slip import read_pocket
from croupier.rules.staff import Duty


def correct_result(house: House, command: CorrectResult, _stamp: Stamp) -> Decision:
    table = house.tables[command.table]
    clause = table.rulebook.cites[Matter.CORRECTION]
    round_ = table.find_round(command.round)
    pocket = read_pocket(table.rulebook if round_ is None else house.rulebooks[round_.rulebook], command.pocket)
    if round_ is None:
        return refuse(Code.UNKNOWN_RECORD, clause, f"Round {command.round} is not kept here.", round=command.round)
    if round_.status is not Status.SETTLED or round_.invalidated or round_.pocket is None:
        return refuse(Code.OUT_OF_TURN, clause, "Only a round that was settled can be corrected.")
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why the number is corrected.")
    if isinstance(pocket, Refusal):
        return pocket
    if pocket == round_.pocket:
        says = f"{pocket} is the number that round {command.round} was settled on: there is nothing to correct."
        return refuse(Code.NUMBERS_DIFFER, clause, says)
    paid = repaid(house, round_, pocket)
    returned, digest = sum(paid.values()), payments_digest(paid)
    words = command.words
    return (ResultCorrected(table.id, round_.number, round_.pocket, pocket, clause, words, returned, digest),)


def repaid(house: House, round_: Round, pocket: Pocket) -> dict[TerminalId, int]:
    """Tell what each terminal that was paid would have got on another number."""
    assert round_.sealed is not None
    felt = house.felts[round_.rulebook]
    return {terminal: felt.returned(round_.sealed[terminal], pocket) for terminal in round_.paid}


def invalidate_outcome(house: House, command: InvalidateOutcome, _stamp: Stamp) -> Decision:
    table = house.tables[command.table]
    rulebook = table.rulebook
    clause = rulebook.staff.duties[Duty.DECIDE].clause
    listed = {each.reason: each for each in rulebook.irregularities if each.effect is Effect.INVALIDATE}
    rule = listed.get(command.reason)
    round_ = table.find_round(command.round)
    if round_ is None:
        return refuse(Code.UNKNOWN_RECORD, clause, f"Round {command.round} is not kept here.", round=command.round)
    if round_.status is Status.VOID or round_.invalidated:
        return refuse(Code.OUT_OF_TURN, clause, f"Round {command.round} is void already.")
    if rule is None:
        says = f"An outcome is invalidated only for: {', '.join(listed) or 'nothing'}."
        return refuse(Code.REASON_NOT_LISTED, clause, says, reason=command.reason.value)
    accused = command.reason not in (Reason.FRAUD_BY_PLAYER, Reason.FRAUD_BY_DEALER) or command.suspect
    if not accused or not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, rule.clause, "Say what happened, and name whom a fraud is laid to.")
    here = (table.id, round_.number)
    return (OutcomeInvalidated(*here, command.reason, rule.clause, command.words, command.suspect),)


def result_corrected(house: House, event: ResultCorrected, stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.find_round(event.round)
    assert round_ is not None
    assert round_.pocket is not None
    paid = repaid(house, round_, event.pocket)
    assert payments_digest(paid) == event.digest
    _lift(house, table, round_, stamp)
    round_.corrected.append(round_.pocket)
    round_.pocket = event.pocket
    _repay(house, table, round_, paid, stamp)
    _rewrite(table, round_, event.pocket)


def outcome_invalidated(house: House, event: OutcomeInvalidated, stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.find_round(event.round)
    assert round_ is not None
    round_.invalidated = True
    round_.reason, round_.clause = event.reason, event.clause
    if round_.status is Status.SETTLED:
        assert round_.sealed is not None
        theory.count(house, table, round_, times=-1)
        _lift(house, table, round_, stamp)
        back = {each: sum(round_.sealed[each].values()) for each in round_.paid}
        _repay(house, table, round_, back, stamp)
        _rewrite(table, round_, None)
        return
    refund_all(house, table, round_)
    table.loose_ball = round_.ball is Ball.SPINNING
    no_result(table, round_)
    round_.betting = Betting.CLOSED
    table.meters.voids += 1
    end(table, Status.VOID, stamp)


def _lift(house: House, table: Table, round_: Round, stamp: Stamp) -> None:
    """Take winning stakes that stayed up and are not in another spin yet off the felt: they won by a wrong number."""
    running = table.playing
    if running is not round_ and (running.number != round_.number + 1 or running.sealed is not None):
        return
    for terminal_id in round_.paid:
        terminal = house.terminals[terminal_id]
        game = terminal.games[table.id]
        up = ((spot, stake) for spot, stake in game.stayed.items() if spot in game.bets)
        stakes = tuple((spot, max(0, game.bets[spot] - stake)) for spot, stake in up)
        game.stayed = {}
        if stakes:
            put(house, terminal, game, stakes)
            note(game, Step(stamp.now, Edit.RETURN, stakes))
            game.spread = None
            game.undo.clear()


def _repay(house: House, table: Table, round_: Round, paid: dict[TerminalId, int], stamp: Stamp) -> None:
    assert round_.sealed is not None
    for terminal_id, due in paid.items():
        change = due - round_.paid[terminal_id]
        round_.paid[terminal_id] = due
        terminal = house.terminals[terminal_id]
        terminal.meters.returned += change
        table.meters.returned += change
        if change > 0:
            _give(house, table, round_, terminal, change)
        elif change < 0:
            _take(house, table, round_, terminal, -change)
        if change:
            _note_cause(terminal, round_.sessions[terminal_id], Cause(table.id, round_.number, stamp.now))
        rewrite_record(house, terminal, table, round_)
        session.watch(house, terminal, stamp)


def _note_cause(terminal: Terminal, of: int, cause: Cause) -> None:
    """Keep the correction behind what a session owes or is owed, for as long as there is anything."""
    terminal.causes.pop(of, None)
    if of in terminal.debts:
        terminal.causes[of] = cause


def _give(house: House, table: Table, round_: Round, terminal: Terminal, amount: int) -> None:
    """Pay a difference: first what the player owes, then to the meter, or held where the win needs a form.

    Where the session has ended, it is a payable of that session: the player who sits there now gets nothing of it.
    """
    of = round_.sessions[terminal.id]
    owed = terminal.debts.get(of, 0)
    settled = amount if of != terminal.session else max(0, min(amount, owed))
    post_debt(house, terminal, of, -settled)
    if settled < amount:
        credit_win(house, round_, terminal, amount - settled, table=table)


def _take(house: House, table: Table, round_: Round, terminal: Terminal, amount: int) -> None:
    """Take a difference back: from the win if it is still held, then from the player's credits; the rest is owed.

    Where the session has ended, it is taken from what that session is owed, and the rest is its receivable.
    """
    here, of = (table.id, round_.number), round_.sessions[terminal.id]
    for hold in [each for each in terminal.holds.values() if (each.table, each.round) == here]:
        held = min(amount, hold.amount)
        hold.amount -= held
        amount -= held
        house.books.move(held, source=Account.HELD, target=Account.HOUSE)
        _rebase(house, table, round_, terminal, hold)
    credit = min(amount, terminal.credit) if of == terminal.session else 0
    terminal.credit -= credit
    house.books.move(credit, source=Account.CREDIT, target=Account.HOUSE)
    post_debt(house, terminal, of, amount - credit)


def post_debt(house: House, terminal: Terminal, of: int, amount: int) -> None:
    """Add to what a session owes the house; below nothing it is owed by the house, and what is nil is forgotten."""
    before = terminal.debts.pop(of, 0)
    after = before + amount
    if after:
        terminal.debts[of] = after
    house.books.move(max(0, after) - max(0, before), source=Account.RECEIVABLES, target=Account.HOUSE)
    house.books.move(max(0, -after) - max(0, -before), source=Account.HOUSE, target=Account.PAYABLES)


def _rebase(house: House, table: Table, round_: Round, terminal: Terminal, hold: Hold) -> None:
    """Count a held win anew by the true number; what needs no form any more is not held any longer."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    hold.bases = tax.bases(round_.sealed[terminal.id], house.felts[round_.rulebook], round_.pocket)
    if (
        hold.amount == 0
        or round_.invalidated
        or not tax.due(house.rulebooks[round_.rulebook], table.settings, hold.bases)
    ):
        del terminal.holds[hold.number]
        terminal.credit += hold.amount
        house.books.move(hold.amount, source=Account.HELD, target=Account.CREDIT)


def _rewrite(table: Table, round_: Round, pocket: Pocket | None) -> None:
    """Show the true number in the history; none where the outcome does not count."""
    kept = [(number, pocket if number == round_.number else shown) for number, shown in table.history]
    table.history.clear()
    table.history.extend((number, shown) for number, shown in kept if shown is not None)


DECIDERS: Deciders = {CorrectResult: correct_result, InvalidateOutcome: invalidate_outcome}
EVOLVERS: Evolvers = {ResultCorrected: result_corrected, OutcomeInvalidated: outcome_invalidated}
