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
    "audit": LazyCommand(
        "journal:audit_command",
        "Read a journal from its first entry and hold everything in it against everything else.",
    ),
    "backup": LazyCommand("operations:backup_command", "Copy a journal, prove the copy and sign for it."),
    "check": LazyCommand(
        "rules:check", "Prove a rulebook consistent, or say all that is wrong with it by file and key."
    ),
    "clauses": LazyCommand(
        "rules:clauses",
        "Print the clause matrix: every clause, what is done about it, the code and the tests that show it.",
    ),
    "demo": LazyCommand(
        "serve:demo_command", "Open the demonstration with simulated players at its tables, until it is stopped."
    ),
    "expand": LazyCommand("rules:expand", 'Take a call bet apart: "voisins", "neighbours 22", "5 on complete 17".'),
    "export": LazyCommand(
        "journal:export_command",
        "Write a part of a journal as one file that anybody can verify, also while a system runs on it.",
    ),
    "exposure": LazyCommand(
        "rules:exposure",
        "Show what a slip would bring back on every pocket, the best and the worst, and the venue's risk check.",
    ),
    "felt": LazyCommand("rules:felt", "Draw the layout with every spot marked."),
    "init": LazyCommand(
        "serve:init_command", "Write a configuration file with every key, its description and its default."
    ),
    "odds": LazyCommand("rules:odds", "Give the odds and the exact house edge of every spot and every call."),
    "play": LazyCommand(
        "rules:play", "Play rounds in this terminal: choose a venue, write a slip, watch the spin and the payments."
    ),
    "recover": LazyCommand(
        "journal:recover_command",
        "Start the house on a data directory, have every round that was running decided, and stop again.",
    ),
    "reload": LazyCommand(
        "control:reload_command",
        "Have the system that runs on a data directory read its configuration again, and add what is new in it.",
    ),
    "replay": LazyCommand(
        "journal:replay_command",
        "Write one round of the journal as a .round file, which `croupier round` can play again.",
    ),
    "restore": LazyCommand(
        "operations:restore_command",
        "Prove a backup, put it in its place, and start and stop the house on it, as `croupier recover` does.",
    ),
    "round": LazyCommand(
        "rules:round_",
        "Play .round files, and those in folders, against the house: each line is held against what happens.",
    ),
    "rulebooks": LazyCommand("rules:rulebooks", "List the rulebooks that come with Croupier."),
    "rules": LazyCommand("rules:rules", "Print one clause in our words, with the example rounds that cite it."),
    "serve": LazyCommand("serve:serve_command", "Open a venue, and serve its pages and its wire until it is stopped."),
    "settle": LazyCommand("rules:settle", "Settle a slip: what each bet brings back, and the clause that says so."),
    "simulate": LazyCommand(
        "simulate:simulate_command",
        "Simulate a venue from seeds, with faults, and check every invariant after each step.",
    ),
    "staff": LazyCommand(
        "operations:staff_group", "Staff and devices of a house: one-time codes, locked accounts, device keys."
    ),
    "status": LazyCommand(
        "control:status_command",
        "Ask the system that runs on a data directory how it is doing: what is open, what is not, and why.",
    ),
    "verify": LazyCommand(
        "operations:verify_command",
        "Hold the installed software, and all that it stands on, against the records of its installation.",
    ),
}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code: 0 for an answer, 2 for a refusal."""
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
