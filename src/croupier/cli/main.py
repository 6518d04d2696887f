"""The command line: its entry point, and the module that each command is loaded from."""

import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from croupier.cli.group import LazyGroup, json_option, written_help

#: Where each command is defined: a module of this package, and the name in it.
_COMMANDS = {
    "acceptor": "peripherals:acceptor_group",
    "audit": "journal:audit_command",
    "backup": "operations:backup_command",
    "bench": "bench:bench_command",
    "check": "rules:check",
    "clauses": "rules:clauses",
    "database": "database:database_group",
    "day": "control:day_group",
    "demo": "serve:demo_command",
    "expand": "rules:expand",
    "export": "journal:export_command",
    "exposure": "rules:exposure",
    "felt": "felt:felt",
    "gateway": "gateway:gateway_group",
    "init": "serve:init_command",
    "migrate": "database:migrate_command",
    "odds": "rules:odds",
    "operator": "database:operator_command",
    "partner": "partner:partner_group",
    "payout": "payout:payout",
    "play": "felt:play",
    "printer": "peripherals:printer_group",
    "prove": "prove:prove_command",
    "recover": "journal:recover_command",
    "reload": "control:reload_command",
    "replay": "journal:replay_command",
    "restore": "operations:restore_command",
    "rng": "rng:rng_group",
    "round": "rules:round_",
    "rulebook": "rulebook:rulebook_group",
    "rulebooks": "rules:rulebooks",
    "rules": "rules:rules",
    "serve": "serve:serve_command",
    "settle": "rules:settle",
    "simulate": "simulate:simulate_command",
    "staff": "operations:staff_group",
    "status": "control:status_command",
    "verify": "operations:verify_command",
    "wheel": "wheel:wheel_group",
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
    if (text := written_help(arguments)) is not None:
        click.echo(text)
        return 0
    try:
        code = app.main(args=list(arguments), prog_name="croupier", standalone_mode=False)
    except click.UsageError as error:
        if "--json" in arguments:
            from croupier.cli.output import print_refusal_json, usage_refusal  # noqa: PLC0415 - loaded when needed

            print_refusal_json(usage_refusal(error))
        else:
            from croupier.rules.texts import escaped  # noqa: PLC0415 - loaded when needed

            # What was typed is quoted, and is no command to the terminal.
            click.UsageError(escaped(error.format_message(), but="\n"), error.ctx).show()
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
