"""Players' deeds: what may be written of a seat, and what it asks of the house."""

from collections.abc import Callable
from functools import partial
from typing import Final

from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import Collect, ConfirmPrint, InsertNote, InsertTicket
from croupier.house.command.play import (
    CancelRecall,
    ChangeBet,
    ChooseDenomination,
    ClearBets,
    ConfirmRecall,
    CopyBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RecallPattern,
    RemoveBets,
    RepeatBets,
    SavePattern,
    SetAutoCopy,
    UndoBet,
)
from croupier.house.command.record import LoseTerminal, ReportDisplay, ReturnTerminal
from croupier.house.name import TableId
from croupier.rounds.cast import Scene, digest_of
from croupier.rounds.deed import Build, Deeds
from croupier.rounds.place import table_named
from croupier.rules.notation import Wager


def place(at: Scene, slip: tuple[Wager, ...]) -> PlaceBets:
    return PlaceBets(*at.game, tuple((str(wager.on), wager.amount) for wager in slip))


def _other(at: Scene) -> TableId:
    """The terminal's other game; the only one it has where there is no other, to be refused."""
    tables = list(at.seated.games)
    return next((table for table in tables if table != at.table), tables[0])


def _of_game(command: Callable[..., AnyCommand]) -> Build:
    """A deed whose slots are what its command says beyond the game, the round and the spin."""
    return lambda at, *values: command(*at.game, *values)


DEEDS: Final[Deeds] = {
    "undo": _of_game(UndoBet),
    "clear": _of_game(ClearBets),
    "repeat": _of_game(RepeatBets),
    "double": _of_game(DoubleBets),
    "neighbors": _of_game(PressNeighbours),
    "removes SPOT": lambda at, spot: _of_game(RemoveBets)(at, (spot,)),
    "changes SPOT to AMOUNT": _of_game(ChangeBet),
    "moves SPOT to SPOT": _of_game(MoveBet),
    "saves pattern N": _of_game(SavePattern),
    "overrides pattern N": _of_game(partial(SavePattern, override=True)),
    "recalls pattern N": _of_game(RecallPattern),
    "confirms": _of_game(ConfirmRecall),
    "cancels": _of_game(CancelRecall),
    "copies from table N": lambda at, number: _of_game(CopyBets)(at, table_named(number)),
    "auto copy to table N": lambda at, number: SetAutoCopy(at.terminal, at.table, table_named(number), on=True),
    "no auto copy": lambda at: SetAutoCopy(at.terminal, at.table, _other(at), on=False),
    "denomination AMOUNT": lambda at, worth: ChooseDenomination(at.terminal, worth),
    "inserts note AMOUNT": lambda at, value: InsertNote(at.terminal, at.here.rulebook.currency, value),
    "inserts note AMOUNT CURRENCY": lambda at, value, currency: InsertNote(at.terminal, currency, value),
    "inserts ticket N": lambda at, sequence: InsertTicket(at.terminal, digest_of(sequence)),
    "collects": lambda at: Collect(at.terminal, at.validation),
    "collects as MEANS": lambda at, means: Collect(at.terminal, at.validation, means),
    "prints slip N": lambda at, sequence: ConfirmPrint(at.terminal, sequence),
    "goes dark": lambda at: LoseTerminal(at.terminal),
    "comes back": lambda at: ReturnTerminal(at.terminal),
    "shows credit AMOUNT": lambda at, credit: ReportDisplay(at.terminal, credit=credit),
    "shows number POCKET": lambda at, number: ReportDisplay(at.terminal, number=number),
}
