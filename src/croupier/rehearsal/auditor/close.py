"""The close: which chips go back unplayed, in the order of the rules, and what may be sealed."""

from collections.abc import Iterator

from croupier.house.event.play import Return
from croupier.house.name import TerminalId
from croupier.rehearsal.auditor.felt import Stakes
from croupier.rehearsal.auditor.finding import never
from croupier.rehearsal.auditor.game import Table
from croupier.rehearsal.auditor.model import GoesBack, Model
from croupier.rehearsal.auditor.seat import Game, Seat
from croupier.rules.procedure import TerminalLoss


def unplayed(model: Model, table: Table) -> Iterator[GoesBack]:
    """Name all chips that go back at a close."""
    for seat, game in model.games(table):
        for why, stakes in _steps(table, seat, game):
            if stakes:
                yield GoesBack(seat.name, table.name, why, frozenset(stakes))


def _steps(table: Table, seat: Seat, game: Game) -> Iterator[tuple[Return, Stakes]]:
    """Take one seat's chips through the close: the link, the standing warning, red chips, the least total."""
    everything, felt = game.stakes, table.felt
    red = {spot: stake for spot, stake in everything.items() if stake < game.bounds.spots[spot][0]}
    rest = {spot: stake for spot, stake in everything.items() if spot not in red}
    releases = felt.rulebook.procedure.terminal_loss.does is TerminalLoss.RELEASE_AT_CLOSE
    if seat.dark and releases:
        yield Return.DARK_AT_CLOSE, everything
    elif felt.risky(everything, seat.unit) or felt.risky(rest, seat.unit):
        yield Return.TOO_LITTLE_RISK, everything
    else:
        yield Return.UNDER_MINIMUM, red
        if sum(rest.values()) < game.bounds.total[0]:
            yield Return.UNDER_TOTAL, rest


def stray(model: Model, table: Table, why: Return) -> Iterator[GoesBack]:
    """Name the chips on a table that is in no spin, all of which go back for one reason."""
    for seat, game in model.games(table):
        if game.stakes:
            yield GoesBack(seat.name, table.name, why, frozenset(game.stakes))


def seal(model: Model, table: Table) -> dict[TerminalId, Stakes]:
    """Seal what lies on every layout; what is too little or not at risk has gone back, and nothing may be too much."""
    sealed: dict[TerminalId, Stakes] = {}
    for seat, game in model.games(table):
        game.stayed = {}
        if game.stakes:
            _within(seat, game)
            sealed[seat.name] = dict(game.stakes)
            seat.meters["turnover"] += game.staked
            table.meters["turnover"] += game.staked
    return sealed


def _within(seat: Seat, game: Game) -> None:
    for spot, stake in game.stakes.items():
        most = game.bounds.spots[spot][1]
        never("I18", f"{seat.name} seals {stake} on {spot}, which may hold {most}", when=stake > most)
    most = game.bounds.total[1]
    never("I18", f"{seat.name} seals {game.staked} in all, which may be {most}", when=game.staked > most)
