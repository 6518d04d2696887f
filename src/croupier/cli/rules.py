"""The commands about rulebooks and roulette: each responds from the rules, without a server; and play in a terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from croupier.cli import rules_output
from croupier.cli.group import json_option
from croupier.cli.output import accepted, console, give, refusal_text
from croupier.cli.rules_output import (
    felt_svg,
    felt_text,
    money,
    pocket_text,
    settlement_table,
)
from croupier.devices.random_source import draw
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rules.geometry import Pocket, Wheel
from croupier.rules.money import Cents
from croupier.rules.notation import Bets, expand_call, read_slip, settle_slip
from croupier.rules.pricing import exposure_of, settle_bets, staked
from croupier.rules.procedure import MessageKind
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.runner import examples, named_files, play_file, update_file

#: The exit code if a line of a round differs.
DIFFERS = 1

rulebook_argument = click.argument("rulebook", metavar="RULEBOOK")
slip_argument = click.argument("slip", metavar="SLIP")


def profile_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--profile", metavar="ID", help="Offer only the calls of this terminal or table.")(command)


def _open(reference: str) -> Rulebook:
    return accepted(load_rulebook(reference))


@click.command()
@json_option
def rulebooks() -> None:
    """List the rulebooks that come with Croupier."""
    books = [_open(name) for name in rulebook_ids()]
    give({"rulebooks": [rules_output.summary(book) for book in books]}, lambda: rules_output.rulebooks(books))


@click.command()
@rulebook_argument
@json_option
def check(rulebook: str) -> None:
    """Check that a rulebook is consistent, or list every problem by file and key."""
    book = _open(rulebook)
    give({"consistent": True, **rules_output.summary(book)}, lambda: rules_output.checked(book))


@click.command()
@rulebook_argument
@profile_option
@json_option
def odds(rulebook: str, profile: str | None) -> None:
    """Show the odds and the exact house edge of every spot and every call."""
    book = _open(rulebook)
    calls = accepted(rules_output.calls(book, profile))
    give(
        {"rulebook": book.id, "spots": rules_output.spots(book), "calls": calls}, lambda: rules_output.odds(book, calls)
    )


@click.command()
@rulebook_argument
@click.argument("call", metavar="CALL")
@profile_option
@json_option
def expand(rulebook: str, call: str, profile: str | None) -> None:
    """Expand a call bet: "voisins", "neighbours 22", "5 on complete 17"."""
    expansion = accepted(expand_call(_open(rulebook), call, profile))
    give(rules_output.expansion_data(expansion), lambda: rules_output.expansion_table(expansion))


@click.command()
@rulebook_argument
@slip_argument
@click.option(
    "--result", metavar="POCKET", required=True, help="The pocket in which the ball came to rest: 0, 00, 1 to 36."
)
@profile_option
@json_option
def settle(rulebook: str, slip: str, result: str, profile: str | None) -> None:
    """Settle a slip: the return of each bet, and its clause."""
    book = _open(rulebook)
    settlement = accepted(settle_slip(book, slip, profile, result=result))
    give(rules_output.settlement_data(book, settlement), lambda: rules_output.settlement_table(book, settlement))


@click.command()
@rulebook_argument
@slip_argument
@profile_option
@click.option(
    "--credit",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="CENTS",
    help="One credit in cents, the step of the risk check where the venue has one.",
)
@json_option
def exposure(rulebook: str, slip: str, profile: str | None, credit: int) -> None:
    """Show the return of a slip for every pocket, the best, the worst, and the venue's risk check."""
    book = _open(rulebook)
    exposed = exposure_of(accepted(read_slip(book, slip, profile)), book.paytable, book.wheel)
    data = rules_output.exposure_data(book, exposed, Cents(credit))
    give(data, lambda: rules_output.exposure_table(book, exposed, data["risk"]))


@click.command()
@click.argument("rulebook", metavar="[RULEBOOK]", required=False)
@json_option
def clauses(rulebook: str | None) -> None:
    """Print the clause matrix: every clause, its status, the code and the tests."""
    books = [_open(name) for name in (rulebook_ids() if rulebook is None else [rulebook])]
    give(
        {"clauses": [row for book in books for row in rules_output.clauses_data(book)]},
        lambda: rules_output.clauses_table(books),
    )


@click.command()
@rulebook_argument
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw into an SVG file.")
@json_option
def felt(rulebook: str, svg: Path | None) -> None:
    """Draw the layout with every spot marked."""
    book = _open(rulebook)
    if svg is not None:
        try:
            svg.write_text(felt_svg(book), "utf-8")
        except OSError as error:
            message = f"{svg} cannot be written: {error.strerror}"
            raise click.BadParameter(message, param_hint="'--svg'") from error
    give(rules_output.felt(book), lambda: felt_text(book) if svg is None else f"Drawn into {svg}.")


@click.command()
@rulebook_argument
@click.argument("clause", metavar="CLAUSE")
@json_option
def rules(rulebook: str, clause: str) -> None:
    """Print a paraphrase of one clause, with the example rounds that cite it."""
    rule = accepted(rules_output.rule_data(_open(rulebook), clause, accepted(examples(rulebook))))
    give(rule, lambda: rules_output.rule_table(rule), as_written=True)


@click.command("round")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--update", is_flag=True, help="Write the results into the files in place of the expectations, for review."
)
@json_option
def round_(files: tuple[Path, ...], update: bool) -> None:  # noqa: FBT001 - click's flag
    """Play .round files, and those in directories, against the house, and verify each line.

    Exits 1 if a line differs, and 2 if a file cannot be read or set up.
    """
    played = [(path, accepted(play_file(path))) for path in map(accepted, named_files(files))]
    rounds = [rules_output.transcript_data(path, each) for path, each in played]
    holds = all(each.holds for _, each in played)
    if update:
        for path, each in played:
            accepted(update_file(path, each))
    data = {"holds": holds, "updated": update and not holds, "rounds": rounds}
    give(data, lambda: rules_output.transcript_table(rounds, updated=update), as_written=True)
    if not holds and not update:
        raise click.exceptions.Exit(DIFFERS)


@click.command()
@click.argument("rulebook", metavar="[RULEBOOK]", required=False)
def play(rulebook: str | None) -> None:
    """Play rounds in this terminal: choose a venue, enter a slip, see the spin and the payments."""
    play_in_terminal(None if rulebook is None else _open(rulebook))


BUY_IN = Cents(100_000)


@dataclass(frozen=True)
class TerminalGame:
    """The environment of a game: the prompt, the console, the wheel and the pause for its animation."""

    console: Console
    ask: Callable[[str], str | None]
    draw: Callable[[Wheel], Pocket]
    pause: Callable[[float], None] | None = None


with suppress(ImportError):
    import readline  # noqa: F401 - if present, the arrow keys work at the prompt


def play_in_terminal(book: Rulebook | None) -> None:
    """Play with the user of this terminal; numbers come from the system's random source."""
    screen = console()
    pause = time.sleep if screen.is_terminal and sys.stdin.isatty() else None
    play_rounds(TerminalGame(screen, _ask, lambda wheel: draw(wheel.order), pause), book)


def _ask(question: str) -> str | None:
    try:
        return input(question).strip()
    except (EOFError, KeyboardInterrupt):
        return None


def play_rounds(parlour: TerminalGame, book: Rulebook | None) -> None:
    """Play rounds until the player quits or has nothing left."""
    book = book or _choose_venue(parlour)
    if book is None:
        return
    show = parlour.console.print
    credit = BUY_IN
    show(Text.assemble("\n", (book.venue, "bold"), f", {book.title}. Play money only."))
    show(Text.assemble("A slip is written like this: ", (book.example, "yellow")))
    while credit > 0:
        bets = _ask_slip(parlour, book, credit)
        if bets is None:
            break
        pocket = parlour.draw(book.wheel)
        _show_spin(parlour, book, pocket)
        settled = settle_bets(bets, book.paytable, pocket)
        show(settlement_table(book, settled))
        credit = Cents(credit + settled.net)
    show(f"You leave with {money(credit, book)}.")


def _choose_venue(parlour: TerminalGame) -> Rulebook | None:
    ledger = [book for book in map(load_rulebook, rulebook_ids()) if isinstance(book, Rulebook)]
    parlour.console.print(rules_output.rulebooks(ledger, numbered=True))
    while True:
        answer = parlour.ask(f"\nWhich venue? 1 to {len(ledger)}: ")
        if answer is None:
            return None
        if answer in map(str, range(1, len(ledger) + 1)):
            return ledger[int(answer) - 1]
        chosen = next((book for book in ledger if book.id == answer), None)
        if chosen is not None:
            return chosen


def _ask_slip(parlour: TerminalGame, book: Rulebook, credit: Cents) -> Bets | None:
    """Prompt for a slip until it can be played; None when the player quits."""
    while True:
        answer = parlour.ask(f"\nCredit {money(credit, book)}. Your slip, or nothing to leave: ")
        if not answer:
            return None
        bets = _playable(book, answer, credit)
        if not isinstance(bets, Text):
            return bets
        parlour.console.print(bets)


def _playable(book: Rulebook, slip: str, credit: Cents) -> Bets | Text:
    """Parse a slip into bets, or return why it cannot be played."""
    bets = read_slip(book, slip)
    if isinstance(bets, Refusal):
        return refusal_text(bets)
    objection = book.risk_objection(bets)
    if objection is not None:
        return refusal_text(objection)
    if staked(bets) > credit:
        return Text(f"That is {money(staked(bets), book)}, more than you have.")
    return bets


def _show_spin(parlour: TerminalGame, book: Rulebook, pocket: Pocket) -> None:
    """Announce that bets are closed and animate the wheel; without a pause, only announce it."""
    parlour.console.print(Text(f"\n{book.messages[MessageKind.CLOSED].texts[0]}", style="bold"))
    if parlour.pause is None:
        return
    with Live(console=parlour.console, auto_refresh=False) as live:
        for window, delay in spin_frames(book.wheel, pocket):
            live.update(window, refresh=True)
            parlour.pause(delay)


def spin_frames(wheel: Wheel, pocket: Pocket) -> Iterator[tuple[Text, float]]:
    """Show the pockets passing under the ball, ever slower, until the winning one lies there."""
    steps = len(wheel.order) + 20
    landing = wheel.order.index(pocket)
    for step in range(steps + 1):
        under = wheel.order[(landing - steps + step) % len(wheel.order)]
        strip = Text("   ")
        for near in wheel.neighbours(under, each_side=5):
            strip.append_text(pocket_text(near) if near != under else Text.assemble("▸", pocket_text(near), "◂"))
            strip.append(" ")
        yield strip, 0.02 + 0.3 * (step / steps) ** 4
