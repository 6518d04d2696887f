"""The command `bench`: the benchmarks of a checkout."""

import os
import subprocess
import sys
from pathlib import Path

import click

#: Where the benchmarks are if this package is used from a checkout. They are not installed.
CHECKOUT = Path(__file__).parents[3]


@click.command("bench", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def bench_command(options: tuple[str, ...]) -> None:
    """Measure this machine with the benchmarks of a checkout, as `python -m benchmarks` does."""
    if not CHECKOUT.joinpath("benchmarks", "__main__.py").is_file():
        raise click.UsageError("The benchmarks are in a checkout of the project, not in an installed package.")
    searched = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-P", "-m", "benchmarks", *options], env={**os.environ, "PYTHONPATH": searched}, check=False
    )
    raise click.exceptions.Exit(done.returncode)
