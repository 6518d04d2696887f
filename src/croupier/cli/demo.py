"""The demonstration on the command line: a venue with simulated players at its tables, alive from the first start."""

from pathlib import Path

import click

from croupier.cli.serve import lan_option, port_option, read_venue, serve_until_stopped
from croupier.config.shape import Config
from croupier.director import Director, money_objection
from croupier.rules.refusal import Refusal


@click.command("demo")
@click.option("--config", "path", type=click.Path(path_type=Path), help="A venue of your own, for play money.")
@click.option(
    "--players", type=click.IntRange(min=0), help="How many simulated players; otherwise a few at each table."
)
@lan_option
@port_option
def demo_command(path: Path | None, players: int | None, lan: bool, port: int | None) -> None:  # noqa: FBT001 - click's flag
    """Open the demonstration with simulated players at its tables, until it is stopped.

    They play for play money alone, and leave a seat free at every table. Without a configuration the data is in
    ./croupier-demo. Exits as `croupier serve` does, and with 2 where the venue is for real money.
    """

    def read() -> Config | Refusal:
        config = read_venue(path, lan=lan, port=port)
        return config if isinstance(config, Refusal) else money_objection(config) or config

    serve_until_stopped(read, lambda venue: Director.engaged(venue, players))
