"""The commands about rulebooks and roulette: each responds from the rules, without a server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from croupier.cli import rules_output
from croupier.cli.group import json_option
from croupier.cli.output import accepted, exit_refused, give
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.template import marked_lines
from croupier.rules.money import Cents
from croupier.rules.notation import expand_call, read_slip, settle_slip
from croupier.rules.pricing import exposure_of, highest_multiples, highest_pot
from croupier.rules.refusal import Refused
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.runner import examples, named_files, play_file, update_file

#: The exit code if a line of a round differs.
DIFFERS = 1

rulebook_argument = click.argument("rulebook", metavar="RULEBOOK")
slip_argument = click.argument("slip", metavar="SLIP")


def profile_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--profile", metavar="ID", help="Offer only the calls of this terminal or table.")(command)


def open_rulebook(reference: str) -> Rulebook:
    return accepted(load_rulebook(reference))


@click.command()
@json_option
def rulebooks() -> None:
    """List the rulebooks that come with Croupier."""
    books = [open_rulebook(name) for name in rulebook_ids()]
    give({"rulebooks": [rules_output.summary(book) for book in books]}, lambda: rules_output.rulebooks(books))


@click.command()
@rulebook_argument
@json_option
def check(rulebook: str) -> None:
    """Check that a rulebook is consistent, or list every problem by file and key.

    Of a consistent one, the lines are listed that are still those of the template that it was begun from.
    """
    book = open_rulebook(rulebook)
    left = [] if rulebook in rulebook_ids() else [*marked_lines(Path(rulebook))]
    data = {"consistent": True, **rules_output.summary(book), "template": [each._asdict() for each in left]}
    give(data, lambda: rules_output.checked(book, left))


@click.command()
@rulebook_argument
@profile_option
@json_option
def odds(rulebook: str, profile: str | None) -> None:
    """Show the odds and the exact house edge of every spot and every call."""
    book = open_rulebook(rulebook)
    try:
        calls = rules_output.calls(book, profile)
    except Refused as refused:
        exit_refused(refused.refusal)
    data = {"rulebook": book.id, "spots": rules_output.spots(book), "calls": calls}
    give(
        {**data, **rules_output.multipliers_data(book), **rules_output.progressive_data(book)},
        lambda: rules_output.odds(book, calls),
    )


@click.command()
@rulebook_argument
@click.argument("call", metavar="CALL")
@profile_option
@json_option
def expand(rulebook: str, call: str, profile: str | None) -> None:
    """Expand a call bet: "voisins", "neighbours 22", "5 on complete 17"."""
    expansion = accepted(expand_call(open_rulebook(rulebook), call, profile))
    give(rules_output.expansion_data(expansion), lambda: rules_output.expansion_table(expansion))


@click.command()
@rulebook_argument
@slip_argument
@click.option(
    "--result", metavar="POCKET", required=True, help="The pocket in which the ball came to rest: such as 0, 00 or 17."
)
@click.option(
    "--multipliers",
    metavar="DRAWN",
    default="",
    help='The numbers that were drawn and their multiples, where the rules have such: "17 x100, 23 x60, 0 x60".',
)
@click.option("--pot", metavar="AMOUNT", default="", help="The pot that the slip alone plays for, where there is one.")
@profile_option
@json_option
def settle(  # noqa: PLR0913, PLR0917 - all that a spin is
    rulebook: str, slip: str, result: str, multipliers: str, pot: str, profile: str | None
) -> None:
    """Settle a slip: the return of each bet, and its clause."""
    book = open_rulebook(rulebook)
    settlement = accepted(settle_slip(book, slip, profile, result=result, multipliers=multipliers, pot=pot))
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
    """Show the return of a slip for every pocket, the best, the worst, and the venue's risk check.

    It is the house's worst case: where numbers with multiples are drawn, each pocket has the highest multiple, and a
    pot is the highest that there can be.
    """
    book = open_rulebook(rulebook)
    bets, multiples = accepted(read_slip(book, slip, profile)), highest_multiples(book.paytable, book.wheel)
    exposed = exposure_of(bets, book.paytable, book.wheel, multiples, highest_pot(book.paytable, bets))
    data = rules_output.exposure_data(book, exposed, Cents(credit))
    give(data, lambda: rules_output.exposure_table(book, exposed, data["risk"]))


@click.command()
@click.argument("rulebook", metavar="[RULEBOOK]", required=False)
@json_option
def clauses(rulebook: str | None) -> None:
    """Print the clause matrix: every clause, its status, the code and the tests."""
    books = [open_rulebook(name) for name in (rulebook_ids() if rulebook is None else [rulebook])]
    give(
        {"clauses": [row for book in books for row in rules_output.clauses_data(book)]},
        lambda: rules_output.clauses_table(books),
    )


@click.command()
@rulebook_argument
@click.argument("clause", metavar="CLAUSE")
@json_option
def rules(rulebook: str, clause: str) -> None:
    """Print a paraphrase of one clause, with the example rounds that cite it."""
    rule = accepted(rules_output.rule_data(open_rulebook(rulebook), clause, accepted(examples(rulebook))))
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
