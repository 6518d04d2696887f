"""Pots that venues share: what each has added and won, by its reports, and what is owed for that."""

from croupier.house.ids import Context
from croupier.house.rounds.progressive import PotChanged
from croupier.house.rounds.shared_pots import (
    PotReported,
    PotShared,
    PotStated,
    ReceivePotReports,
    ReceivePotStatement,
    SharePot,
)
from croupier.rules.progressive import Progressive
from croupier.rules.refusal import Code
from croupier.simulation.auditor.model import Model, ModelPot, ModelVenue
from croupier.simulation.auditor.registry import derives
from croupier.simulation.invariants import ExpectedEvent, check_equal

_NONE = (0, 0, 0, 0)


def _rules(model: Model, rulebook: str) -> Progressive | None:
    books = [felt.rulebook for felt in model.felts.values() if felt.rulebook.id == rulebook]
    return books[-1].paytable.progressive if books else None


def note_due(pot: ModelPot, rules: Progressive, venue: str) -> None:
    """A pot that must be won is due at the venue whose change has made it so."""
    if pot.keeper and pot.kept:
        pot.due_at = None if pot.amount < rules.must_hit_by else venue if pot.due_at is None else pot.due_at


def report(model: Model, pot: ModelPot, event: PotChanged, turn: tuple[int, int, int], added: int) -> None:
    """What a round adds to the pot of another venue and wins of it is owed by that venue, and reported to it."""
    number, grown, total, paid = pot.own
    pot.own = (number + 1, grown + added, total + event.contributed, paid + event.paid)
    wins, whole, change = turn
    said = event.report
    found = None if said is None else (said.number, said.grown, said.grown + said.reserved, said.paid)
    check_equal("I3", f"{event} reports", found, pot.own)
    assert said is not None
    check_equal("I3", f"{event} reports the win", (said.wins, said.whole, said.won), (wins, whole, change))
    if change:
        pot.turns.append((pot.own[0], pot.own[1], wins, whole, change))
    model.desk.venues.setdefault(pot.keeper, ModelVenue()).sent += event.contributed - event.paid


def _no_share(model: Model, command: SharePot, _context: Context) -> set[Code]:
    rules, pot = _rules(model, command.rulebook), model.pots.get(command.rulebook)
    if rules is None or pot is None:
        return {Code.NOTHING_THERE}
    if pot.keeper == command.keeper:
        return {Code.ALREADY_THERE}
    rounds = [table.round for table in model.tables.values() if table.felt.rulebook.id == command.rulebook]
    played = any(each is not None and each.pot is not None for each in rounds)
    played = played or (pot.amount, pot.reserve, pot.wins) != (rules.seed, -rules.seed, 0)
    return {Code.SETTING_IMPOSSIBLE} if pot.keeper or (command.keeper != model.venue and played) else set()


@derives(SharePot, unless=_no_share, breaks="I3")
def _share(model: Model, command: SharePot, _context: Context) -> list[ExpectedEvent]:
    pot = model.pots[command.rulebook]
    pot.keeper, pot.kept = command.keeper, command.keeper == model.venue
    pot.reserve = pot.reserve if pot.kept else 0
    return [ExpectedEvent(PotShared, {"rulebook": command.rulebook, "keeper": command.keeper})]


def _pot_of(model: Model, digest: str, keeper: str) -> tuple[str, ModelPot] | None:
    """Find a shared pot by the digest of its rules and its keeper."""
    felt = model.felts.get(digest)
    pot = None if felt is None else model.pots.get(felt.rulebook.id)
    return (felt.rulebook.id, pot) if felt is not None and pot is not None and pot.keeper == keeper else None


def _no_reports(model: Model, command: ReceivePotReports, _context: Context) -> set[Code]:
    found = _pot_of(model, command.rules, model.venue)
    if found is None:
        return {Code.NOT_TAKEN_HERE}
    last = found[1].applied.get(command.venue, _NONE)[0]
    return set() if any(each.number > last for each in command.reports) else {Code.ALREADY_THERE}


@derives(ReceivePotReports, unless=_no_reports, breaks="I3")
def _reports(model: Model, command: ReceivePotReports, _context: Context) -> list[ExpectedEvent]:
    found = _pot_of(model, command.rules, model.venue)
    assert found is not None
    rulebook, pot = found
    rules = _rules(model, rulebook)
    assert rules is not None
    last = pot.applied.get(command.venue, _NONE)
    new = [each for each in command.reports if each.number > last[0]]
    end = (new[-1].number, new[-1].grown, new[-1].grown + new[-1].reserved, new[-1].paid)
    turns = [(each.number, each.grown, each.wins, each.whole, each.won) for each in new if each.won]
    amount, before = _after(pot, rules, last, turns, end), pot.amount
    contributed, paid = end[2] - last[2], end[3] - last[3]
    pot.amount, pot.reserve = amount, pot.reserve + contributed - paid - (amount - before)
    pot.applied[command.venue] = end
    model.desk.venues.setdefault(command.venue, ModelVenue()).received += contributed - paid
    note_due(pot, rules, command.venue)
    says = {"rulebook": rulebook, "venue": command.venue, "report": new[-1], "previous": last[0], "paid": paid}
    says |= {"contributed": contributed, "pot": amount, "reserve": pot.reserve, "wins": pot.wins}
    return [ExpectedEvent(PotReported, {**says, "body": command.body, "signature": command.signature})]


def _after(
    pot: ModelPot,
    rules: Progressive,
    last: tuple[int, int, int, int],
    turns: list[tuple[int, int, int, int, int]],
    end: tuple[int, int, int, int],
) -> int:
    """Count additions and wins after each other, up to totals; the wins of the pot are counted with them."""
    amount, grown = pot.amount, last[1]
    for _, so_far, wins, whole, change in turns:
        amount, grown = amount + so_far - grown, so_far
        if wins == pot.wins:
            amount = max(rules.seed, amount + (rules.seed - whole if change > 0 else whole - rules.seed))
            pot.wins += change
    return amount + end[1] - grown


def _no_statement(model: Model, command: ReceivePotStatement, _context: Context) -> set[Code]:
    found = _pot_of(model, command.rules, command.venue)
    if found is None:
        return {Code.NOT_TAKEN_HERE}
    if command.statement.number <= found[1].stated:
        return {Code.ALREADY_THERE}
    return {Code.OUT_OF_TURN} if command.statement.applied.number > found[1].own[0] else set()


@derives(ReceivePotStatement, unless=_no_statement, breaks="I3")
def _statement(model: Model, command: ReceivePotStatement, _context: Context) -> list[ExpectedEvent]:
    found, said = _pot_of(model, command.rules, command.venue), command.statement
    assert found is not None
    rulebook, pot = found
    rules = _rules(model, rulebook)
    assert rules is not None
    pot.turns = [each for each in pot.turns if each[0] > said.applied.number]
    pot.amount, pot.wins = said.amount, said.wins
    applied = said.applied
    last = (applied.number, applied.grown, applied.grown + applied.reserved, applied.paid)
    pot.amount = _after(pot, rules, last, pot.turns, pot.own)
    pot.stated, pot.due_stated = said.number, (said.due, said.wins)
    says = {"rulebook": rulebook, "venue": command.venue, "statement": said, "pot": pot.amount, "wins": pot.wins}
    return [ExpectedEvent(PotStated, {**says, "body": command.body, "signature": command.signature})]
