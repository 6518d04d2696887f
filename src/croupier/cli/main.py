"""The command line: its entry point, and the module that each command is loaded from."""

import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from croupier.cli.group import LazyCommand, LazyGroup, json_option

_COMMANDS = {
    "acceptor": LazyCommand("peripherals:acceptor_group", "Emulate a note acceptor on a serial line."),
    "audit": LazyCommand(
        "journal:audit_command",
        "Verify a journal from its first entry: digests, signatures, replay, accounts and meters.",
    ),
    "backup": LazyCommand("operations:backup_command", "Back up a journal: copy it, verify the copy and sign it."),
    "bench": LazyCommand(
        "simulate:bench_command",
        "Measure this machine with the benchmarks of a checkout, as `python -m benchmarks` does.",
    ),
    "check": LazyCommand("rules:check", "Check that a rulebook is consistent, or list every problem by file and key."),
    "clauses": LazyCommand(
        "rules:clauses",
        "Print the clause matrix: every clause, its status, the code and the tests.",
    ),
    "database": LazyCommand("database:database_group", "Prepare a PostgreSQL database for journals."),
    "day": LazyCommand(
        "control:day_group", "Open and close all tables of a running server, in the name of a person who may."
    ),
    "demo": LazyCommand(
        "serve:demo_command", "Open the demonstration with demo bots at its tables, until it is stopped."
    ),
    "expand": LazyCommand("rules:expand", 'Expand a call bet: "voisins", "neighbours 22", "5 on complete 17".'),
    "export": LazyCommand(
        "journal:export_command",
        "Export a part of a journal as one file that can be verified without Croupier.",
    ),
    "exposure": LazyCommand(
        "rules:exposure",
        "Show the return of a slip for every pocket, the best, the worst, and the venue's risk check.",
    ),
    "felt": LazyCommand("felt:felt", "Draw the layout with every spot marked."),
    "gateway": LazyCommand(
        "gateway:gateway_group",
        "Run gateways, which hold the connections of clients for a house, and manage their keys.",
    ),
    "init": LazyCommand(
        "serve:init_command", "Write a configuration file with every key, its description and its default."
    ),
    "migrate": LazyCommand(
        "database:migrate_command", "Move a journal from SQLite to PostgreSQL, or back, with an equal head."
    ),
    "odds": LazyCommand("rules:odds", "Show the odds and the exact house edge of every spot and every call."),
    "operator": LazyCommand(
        "database:operator_command",
        "Serve a page that lists the venues of a database with their health and takings, until it is stopped.",
    ),
    "partner": LazyCommand(
        "partner:partner_group", "Exchange keys with venues of the same operator, which pay each other's tickets."
    ),
    "payout": LazyCommand("payout:payout", "Show the payout of chips, or drill it."),
    "play": LazyCommand(
        "felt:play", "Play rounds in this terminal: choose a venue, enter a slip, see the spin and the payments."
    ),
    "printer": LazyCommand("peripherals:printer_group", "Emulate a ticket printer on a serial line."),
    "prove": LazyCommand(
        "prove:prove_command", "Verify a drawn number by what was committed to before the bets were sealed."
    ),
    "recover": LazyCommand(
        "journal:recover_command",
        "Start on a data directory, resolve interrupted rounds, then exit.",
    ),
    "reload": LazyCommand(
        "control:reload_command",
        "Make a running server reload its configuration, and add what is new in it.",
    ),
    "replay": LazyCommand(
        "journal:replay_command",
        "Write one round of the journal as a .round file, which `croupier round` can play again.",
    ),
    "restore": LazyCommand(
        "operations:restore_command",
        "Restore a backup: verify it, move it into place, and recover on it as `croupier recover` does.",
    ),
    "rng": LazyCommand("rng:rng_group", "Collect draws of the random wheel for a test laboratory, and test them."),
    "round": LazyCommand(
        "rules:round_",
        "Play .round files, and those in directories, against the house, and verify each line.",
    ),
    "rulebook": LazyCommand(
        "rulebook:rulebook_group", "Begin a rulebook from another, and see its felt while you edit it."
    ),
    "rulebooks": LazyCommand("rules:rulebooks", "List the rulebooks that come with Croupier."),
    "rules": LazyCommand("rules:rules", "Print a paraphrase of one clause, with the example rounds that cite it."),
    "serve": LazyCommand(
        "serve:serve_command", "Serve a venue: its pages and its WebSocket connections, until it is stopped."
    ),
    "settle": LazyCommand("rules:settle", "Settle a slip: the return of each bet, and its clause."),
    "simulate": LazyCommand(
        "simulate:simulate_command",
        "Simulate a venue from seeds, with faults, and check every invariant after each step.",
    ),
    "staff": LazyCommand(
        "operations:staff_group", "Manage staff and devices: one-time codes, locked accounts, device keys."
    ),
    "status": LazyCommand(
        "control:status_command",
        "Show the status of a running server: tables, connections, journal, backups and incidents.",
    ),
    "verify": LazyCommand(
        "operations:verify_command",
        "Verify the installed software and its dependencies against the records of their installation.",
    ),
    "wheel": LazyCommand("wheel:wheel_group", "Emulate a wheel on a serial line, and replay what one has sent."),
}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code: 0 for success, 2 for a refusal."""
    if hasattr(signal, "SIGPIPE"):
        # The reader of a pipe may close it early: end as other programs do.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a replacement.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except OSError as error:
        # Python would flush again at exit, and report the error a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo(f"Cannot write the output: {error.strerror}.", err=True)
        code = 1
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    try:
        code = app.main(args=list(arguments), prog_name="croupier", standalone_mode=False)
    except click.UsageError as error:
        if "--json" in arguments:
            from croupier.cli.output import print_refusal_json, usage_refusal  # noqa: PLC0415 - loaded when needed

            print_refusal_json(usage_refusal(error))
        else:
            error.show()
        return error.exit_code
    except click.Abort:
        return 130  # as a shell reports an interrupt
    return code if isinstance(code, int) else 0


@click.group(cls=LazyGroup, lazy=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="croupier")
@json_option
def app() -> None:
    """Electronic roulette: four venues' rules as data, and the server that runs a venue.

    A RULEBOOK is an id that `croupier rulebooks` lists, or the path of a directory that holds a rulebook.
    A slip is written as in "5 on 17; 10 on 17/20; 2 on red".
    """
