"""The payout of chips on the command line, and drills in it."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from secrets import randbelow
from statistics import median
from typing import Any, Final

import click
from rich.console import Console, Group, RenderableType
from rich.text import Text

from croupier.cli.group import json_option
from croupier.cli.output import accepted, console, exit_refused, give, plain_table, prompt
from croupier.cli.rules import open_rulebook
from croupier.cli.rules_output import Data, money, pocket_text
from croupier.rulebooks.loader import rulebook_ids
from croupier.rules.drills import SEED_MAX, Drill, Level, Question, levels_of, make_drill
from croupier.rules.limits import Limits, Range
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.notation import read_chips, read_pocket
from croupier.rules.payouts import (
    BetLine,
    ChipCount,
    ChipId,
    ChipStakes,
    Note,
    Payment,
    PayoutPlan,
    PayoutTerms,
    Pieces,
    WinningBet,
    denomination,
    plan_payout,
)
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.refusal import Refused
from croupier.rules.rulebook import PayoutTable, Rulebook

#: The float if no value chips are named: 1, 5, 25, 100, 500 and 1000.
FLOAT: Final = tuple(map(Cents, (1_00, 5_00, 25_00, 100_00, 500_00, 1_000_00)))
_COLOUR: Final = re.compile(r"[a-z][a-z0-9-]*")


def _amount(_context: click.Context, parameter: click.Parameter, text: str | None) -> Cents | None:
    if text is None:
        return None
    amount = cents_of(text)
    if not amount:
        raise click.BadParameter(f"{text!r} is not an amount above 0.", param=parameter)
    return amount


@dataclass(frozen=True)
class ChipValues:
    """The value chips of the float, and the value of each colour."""

    float_chips: tuple[Cents, ...]
    colours: dict[ChipId, Cents]


def _chip_values(_context: click.Context, parameter: click.Parameter, text: str) -> ChipValues:
    """Parse ``blue=5,white=1,5,25``: colours with their values, and value chips of the float."""
    floats, colours = [], {}
    for part in filter(None, re.split(r"[,\s]+", text)):
        name, _, value = part.rpartition("=")
        amount, chip = cents_of(value), ChipId(name.lower())
        if not amount or (name and (not _COLOUR.fullmatch(chip) or denomination(chip) or chip in ("on", "by", "x"))):
            raise click.BadParameter(f"{part!r} is neither COLOUR=VALUE nor a VALUE.", param=parameter)
        if name:
            colours[chip] = amount
        else:
            floats.append(amount)
    return ChipValues(tuple(floats) or FLOAT, colours)


@click.command()
@click.argument("slip", metavar="[SLIP]", required=False)
@click.option("--result", metavar="POCKET", help="The pocket in which the ball came to rest: such as 0, 00 or 17.")
@click.option("--rulebook", metavar="RULEBOOK", help="The rulebook; the first that pays chips if none is named.")
@click.option(
    "--chip-values",
    metavar="LIST",
    default="",
    callback=_chip_values,
    help="Colours with their values, and the value chips of the float: blue=5,white=1,5,25,100.",
)
@click.option("--minimum", metavar="AMOUNT", callback=_amount, help="The table minimum on a spot.")
@click.option("--maximum", metavar="AMOUNT", callback=_amount, help="The table maximum on a spot.")
@click.option("--multiples", is_flag=True, help="A notice at the table requires multiples of the minimum.")
@click.option(
    "--cash-from",
    type=click.IntRange(min=1),
    metavar="PIECES",
    help="Pay whole stacks in value chips from this number of pieces.",
)
@click.option("--drill", is_flag=True, help="Answer drills instead, against the clock.")
@click.option(
    "--level",
    type=click.Choice([level.value for level in Level]),
    default=Level.PICTURE.value,
    show_default=True,
    help="The drills' level.",
)
@click.option("--count", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many drills.")
@click.option("--seed", type=click.IntRange(0, SEED_MAX), metavar="N", help="The seed of the first drill.")
@json_option
def payout(slip: str | None, result: str | None, rulebook: str | None, **options: Any) -> None:  # noqa: ANN401 - click's
    """Show the payout of chips, or drill it.

    A SLIP of chips names pieces of a colour, pieces of a value chip, or an amount: "2 blue on 17; 3 x 5 on red; 25 on
    neighbours 0".
    """
    book = open_rulebook(rulebook) if rulebook else next(filter(levels_of, map(open_rulebook, rulebook_ids())))
    if not levels_of(book):
        raise click.UsageError(f"{book.id} has no rules for the payout of chips.")
    if options["drill"]:
        if slip is not None or result is not None:
            raise click.UsageError("--drill takes neither a SLIP nor --result.")
        run_drills(book, Level(options["level"]), options["count"], options["seed"])
        return
    if slip is None or result is None:
        raise click.UsageError("Give a SLIP and --result, or --drill.")
    _settle(book, slip, result, options)


def _settle(book: Rulebook, slip: str, result: str, options: Data) -> None:
    values: ChipValues = options["chip_values"]
    terms = PayoutTerms(values.float_chips, values.colours, options["multiples"], options["cash_from"])
    try:
        pocket = read_pocket(book, result)
    except Refused as refused:
        exit_refused(refused.refusal)
    layout = accepted(read_chips(book, slip, terms))
    stakes = ChipStakes(1, layout, _limits(book, options["minimum"], options["maximum"]))
    plan = plan_payout(PayoutTable(book), pocket, [stakes], terms)
    give(plan_data(book, plan, terms), lambda: plan_table(book, plan))


def _limits(book: Rulebook, least: Cents | None, most: Cents | None) -> Limits:
    """Combine the limits of the options with those that the document fixes: the narrower bound applies."""
    table = book.channels[ChannelName.TABLE]
    bounds = Range(least, most)
    if book.limits is not None:
        known = book.limits.spot
        low = max((each for each in (known.least, least) if each is not None), default=None)
        high = min((each for each in (known.most, most) if each is not None), default=None)
        bounds = Range(low, high)
    return Limits(table.under_minimum.clause, table.over_maximum.clause, bounds)


# As data.


def plan_data(book: Rulebook, plan: PayoutPlan, terms: PayoutTerms) -> Data:
    [position] = plan.positions
    assert book.payout is not None
    return {
        "rulebook": book.id,
        "result": plan.pocket,
        "collected": {"amount": position.collected, "chips": _chips(position.collected_pieces)},
        "returned": {spot: _chips(pieces) for spot, pieces in position.returned.items()},
        "payments": [_payment(payment, terms) for payment in plan.payments],
        "paid": plan.paid,
        "stays": {spot: _chips(pieces) for spot, pieces in position.stays.items()},
        "notes": [_note(note) for note in position.notes],
        "clause": book.payout.clause,
    }


def _payment(payment: Payment, terms: PayoutTerms) -> Data:
    return {
        "segment": payment.segment,
        "bets": [_bet(bet) for bet in payment.bets],
        "due": payment.due,
        "paid": payment.paid,
        "pieces": [_cut(count, terms) for count in payment.pieces],
        "colours": [_cut(count, terms) for count in payment.colours],
        "cash": [{"value": denomination(chip), "count": count} for chip, count in payment.cash],
        "undecided": None if payment.undecided is None else payment.undecided.clause,
    }


def _bet(bet: WinningBet) -> Data:
    lines = [
        {"chip": line.chip, "value": line.value, "settled": line.settled, "due": line.due, "pieces": line.pieces}
        for line in bet.lines
    ]
    return {
        "spot": bet.spot,
        "stake": bet.stake,
        "settled": bet.settled,
        "pays": bet.odds,
        "lines": lines,
        "due": bet.due,
        "paid": bet.paid,
        "clause": bet.clause,
    }


def _cut(count: ChipCount, terms: PayoutTerms) -> Data:
    stacks, rest = count.stacks
    amount = count.pieces * terms.value(count.chip)
    return {"chip": count.chip, "pieces": count.pieces, "stacks": stacks, "rest": rest, "amount": amount}


def _chips(pieces: Pieces) -> list[Data]:
    return [{"chip": chip, "pieces": count} for chip, count in pieces.items()]


def _note(note: Note) -> Data:
    return {
        "kind": note.kind.value,
        "on": note.spot,
        "before": note.before,
        "after": note.after,
        "clause": note.clause,
    }


# For people.


def plan_table(book: Rulebook, plan: PayoutPlan) -> RenderableType:
    """Lay out the payout in the order of the table: number, collection, then each segment."""
    [position] = plan.positions
    assert book.payout is not None
    taken = {chip: count for chip, count in position.collected_pieces.items() if count > 0}
    # A fifth of a marker bet that the bet's own chips do not make.
    change = {chip: -count for chip, count in position.collected_pieces.items() if count < 0}
    chips = (chips_text(taken) or "nothing") + (
        f", place {chips_text(change)} from the float on {plan.pocket}" if change else ""
    )
    parts: list[RenderableType] = [
        Text.assemble("Result ", pocket_text(plan.pocket, book.wheel)),
        Text.assemble(
            ("collect ", "bold"), f"{chips}, {money(position.collected, book)}", (f"  [{book.payout.clause}]", "dim")
        ),
    ]
    parts += [Text(f"return {chips_text(pieces)} from {spot}") for spot, pieces in position.returned.items() if pieces]
    for payment in plan.payments:
        parts += _payment_table(book, payment)
    parts += [_note_text(note) for note in position.notes]
    if position.stays:
        stays = "; ".join(f"{chips_text(pieces)} on {spot}" for spot, pieces in position.stays.items())
        parts.append(Text(f"on the layout: {stays}"))
    undecided = sum(payment.paid for payment in plan.payments if payment.undecided is not None)
    totals = f"collected {money(plan.collected, book)}, paid {money(Cents(plan.paid - undecided), book)}"
    parts.append(Text(totals + (f", undecided {money(Cents(undecided), book)}" if undecided else ""), style="bold"))
    return Group(*parts)


def _payment_table(book: Rulebook, payment: Payment) -> Iterator[RenderableType]:
    yield Text(f"\n{payment.segment}", style="bold")
    table = plain_table("bet", "stake x odds", "due", "clause", right=["stake x odds", "due"])
    for bet in payment.bets:
        for line in bet.lines:
            table.add_row(bet.spot, _sum(line, bet.odds), _due(line), bet.clause)
    if payment.bets:
        yield table
    yield Text.assemble(("pay " if payment.undecided is None else "due ", "bold"), _pay_text(book, payment))


def _pay_text(book: Rulebook, payment: Payment) -> str:
    """Write a payment: the pieces due with their stacks, the amount, and the chips if they are others."""
    owed, handed = [_cut_text(count) for count in payment.pieces], (*payment.colours, *payment.cash)
    in_chips = "" if payment.pieces == handed else f": {chips_text(dict(handed))}"
    if payment.undecided is not None:
        choices = " or ".join(chips_text(dict(each)) for each in payment.undecided.choices)
        title = book.staff.titles_for(Duty.INSPECT)[0]
        in_chips = f": the {title} decides, {choices}  [{payment.undecided.clause}]"
    return f"{', '.join((*owed, money(payment.paid, book)))}{in_chips}"


def _sum(line: BetLine, odds: int | str) -> str:
    """Write the multiplication that a dealer does: pieces where they are whole, otherwise the amount."""
    pieces, rest = divmod(line.settled, line.value)
    if rest:
        return f"{amount_text(line.settled)} x {odds}"
    return f"{pieces} x {odds}" if line.pieces is not None else f"{pieces} x {amount_text(line.value)} x {odds}"


def _due(line: BetLine) -> str:
    return amount_text(line.due) if line.pieces is None else f"{line.pieces} {line.chip}"


def _cut_text(count: ChipCount) -> str:
    return f"{count.pieces} {count.chip} ({_stacks_text(count)})" if count.stacks[0] else f"{count.pieces} {count.chip}"


def _stacks_text(count: ChipCount) -> str:
    stacks, rest = count.stacks
    full = "1 stack" if stacks == 1 else f"{stacks} stacks"
    return f"{full} and {rest}" if rest else full


def chips_text(pieces: Pieces) -> str:
    """Write pieces as the notation does: ``2 blue + 3 x 5``."""
    return " + ".join(_chip_text(chip, count) for chip, count in pieces.items())


def _chip_text(chip: ChipId, count: int) -> str:
    value = denomination(chip)
    return f"{count} {chip if value is None else f'x {amount_text(value)}'}"


_WORDS: Final = {
    "under_minimum": "{on}: {before} is under the minimum; settled, and the owner is advised",
    "returned": "{on}: {before} is under the minimum; returned",
    "capped": "{on}: {before} is over the maximum; settled up to {after}",
    "rounded": "{on}: {before} cannot be paid from the float; {after} is paid",
}


def _note_text(note: Note) -> Text:
    words = _WORDS[note.kind.value].format(on=note.spot, before=amount_text(note.before), after=amount_text(note.after))
    return Text.assemble((words, "yellow"), (f"  [{note.clause}]", "dim"))


# Drills.


@dataclass
class Score:
    """The answers of one run of drills."""

    right: int = 0
    streak: int = 0
    best: int = 0
    seconds: tuple[float, ...] = ()

    def count(self, *, right: bool, seconds: float) -> None:
        self.right += right
        self.streak = self.streak + 1 if right else 0
        self.best = max(self.best, self.streak)
        self.seconds = (*self.seconds, seconds)


def run_drills(book: Rulebook, level: Level, count: int, seed: int | None) -> None:
    """Ask drills in this terminal."""
    if level not in levels_of(book):
        raise click.UsageError(f"{book.id} has no drills of the level {level}.")
    first = randbelow(SEED_MAX) if seed is None else seed
    drills = (make_drill(PayoutTable(book), level, (first + step) % (SEED_MAX + 1)) for step in range(count))
    ask_drills(book, drills, console(), prompt, time.monotonic)


def ask_drills(
    book: Rulebook,
    drills: Iterator[Drill],
    screen: Console,
    ask: Callable[[str], str | None],
    clock: Callable[[], float],
) -> Score:
    """Ask each drill, show the working, and the score at the end; no answer ends it."""
    score = Score()
    for drill in drills:
        screen.print(_picture(book, drill))
        since = clock()
        said = ask(_ASKS[drill.question])
        if not said:
            break
        seconds = clock() - since
        right = read_answer(drill.question, said) == drill.answer
        score.count(right=right, seconds=seconds)
        screen.print(_working(book, drill, right=right, seconds=seconds))
    if score.seconds:
        screen.print(
            f"{score.right} of {len(score.seconds)} right, {score.best} in a row at most, "
            f"median {median(score.seconds):.1f} s."
        )
    return score


_ASKS: Final = {
    Question.PIECES: "How many pieces? ",
    Question.STACKS: "How many stacks, and how many pieces more? ",
    Question.AMOUNT: "How much? ",
}


def read_answer(question: Question, said: str) -> tuple[int, ...]:
    """Parse an answer: a number, two numbers, or an amount; empty if it is none of them."""
    if question is Question.AMOUNT:
        amount = cents_of(said)
        return () if amount is None else (amount,)
    figures = re.findall(r"[0-9]{1,9}", said)
    return tuple(map(int, figures))


def _picture(book: Rulebook, drill: Drill) -> Text:
    bets = "; ".join(f"{count} on {spot}" for spot, count in drill.pieces.items())
    at = f"{drill.chip.capitalize()} at {money(drill.value, book)}"
    return Text.assemble("\n", pocket_text(drill.pocket, book.wheel), f"  {at}: {bets}")


def _working(book: Rulebook, drill: Drill, *, right: bool, seconds: float) -> Text:
    sums = " + ".join(f"{_sum(line, bet.odds)}" for bet in drill.payment.bets for line in bet.lines)
    [due] = drill.payment.pieces
    verdict = (f"Right, {seconds:.1f} s. ", "bold green") if right else ("Wrong. ", "bold red")
    return Text.assemble(
        verdict,
        f"{sums} = {due.pieces} pieces = {_stacks_text(due)} = {money(drill.payment.due, book)}",
    )
