"""Players: bets and calls, second thoughts, buttons, patterns, copies, and money in and out."""

from collections.abc import Callable
from typing import Final

from croupier.house.command import credit, play
from croupier.house.command.any import AnyCommand
from croupier.house.command.record import ReportDisplay
from croupier.house.grant import BETTING
from croupier.house.name import RoundNumber, TableId, TerminalId
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.rehearsal.playbill import OFFERS
from croupier.rehearsal.stage import Menu, Stage
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.spot import SpotKey

#: What is bet most often beside any spot of the layout, and what is not to be bet everywhere, or nowhere.
USUAL: Final = ("17", "17", "17", "18", "0", "red", "black", "odd")
SELDOM: Final = ("neighbours 22", "voisins", "tiers", "complete 17", "red-splits", "finale 7", "00", "1/5")
STAKES: Final = (100, 100, 100, 100, 200, 200, 300, 400, 500, 5_000)
BUTTONS: Final[tuple[Callable[[TerminalId, TableId, RoundNumber, int], AnyCommand], ...]] = (
    play.UndoBet,
    play.UndoBet,
    play.ClearBets,
    play.RepeatBets,
    play.DoubleBets,
)

Game = tuple[TerminalId, TableId, RoundNumber, int]


def game(stage: Stage) -> Game:
    """Sit down somewhere: a terminal, one of its tables, and the round and spin that it shows."""
    seat = stage.seat()
    tables = [stage.house.tables[name] for name in stage.house.terminals[seat].games]
    open_ = [table for table in tables if table.phase in BETTING]
    return _at(seat, stage.any(open_ if open_ and stage.chance(90) else tables))


def _at(seat: TerminalId, table: Table) -> Game:
    return seat, table.id, table.rounds, 1 if table.round is None else table.round.spin


def act(stage: Stage) -> None:
    """Bet where bets are open; where they are not, mostly wait."""
    if stage.chance(15) or any(table.phase in BETTING for table in stage.house.tables.values()):
        stage.do_one_of(MENU)


def _terminal(stage: Stage, seat: TerminalId) -> Terminal:
    return stage.house.terminals[seat]


def _spot(stage: Stage) -> SpotKey:
    """Point at a spot, or name a call, as far as it is one."""
    if stage.chance(10):
        return SpotKey(stage.any(SELDOM))
    return SpotKey(stage.any(USUAL) if stage.chance(60) else stage.any(stage.bill.spots))


def _own_spot(stage: Stage, here: Game) -> SpotKey:
    """Point at a spot with chips on it, where there is one."""
    bets = list(_terminal(stage, here[0]).games[here[1]].bets)
    return stage.any(bets) if bets and stage.chance(80) else _spot(stage)


def place(stage: Stage) -> None:
    here = game(stage)
    bets = tuple((str(_spot(stage)), stage.any(STAKES)) for _ in range(stage.any((1, 1, 2, 3))))
    stage.ask(here[0], play.PlaceBets(*here, bets))


def change(stage: Stage) -> None:
    here = game(stage)
    stage.ask(here[0], play.ChangeBet(*here, _own_spot(stage, here), Cents(stage.any((0, *STAKES)))))


def remove(stage: Stage) -> None:
    here = game(stage)
    stage.ask(here[0], play.RemoveBets(*here, (_own_spot(stage, here),)))


def move(stage: Stage) -> None:
    here = game(stage)
    stage.ask(here[0], play.MoveBet(*here, _own_spot(stage, here), _spot(stage)))


def press(stage: Stage) -> None:
    here = game(stage)
    stage.ask(here[0], stage.any(BUTTONS)(*here))


def use_pattern(stage: Stage) -> None:
    """Save the chips, recall them as ghosts, and place those or let them go; seldom where terminals cannot do that."""
    for terminal in stage.house.terminals.values():
        if terminal.ghost is not None:
            shown = _at(terminal.id, stage.house.tables[terminal.ghost.table])
            stage.ask(terminal.id, stage.one_of(play.ConfirmRecall(*shown), play.CancelRecall(*shown)))
            return
    here, slot = game(stage), stage.any((1, 1, 1, 4))
    terminal = _terminal(stage, here[0])
    if terminal.patterns and stage.chance(60):
        stage.ask(here[0], play.RecallPattern(*here, slot))
    elif stage.bill.rulebook.terminal.patterns is not None or stage.chance(10):
        stage.ask(here[0], play.SavePattern(*here, slot, override=stage.chance(50)))


def copy(stage: Stage) -> None:
    """Copy to the other game by arrow or at the close; elsewhere than at terminals with two games, seldom."""
    here = game(stage)
    if len(stage.bill.tables) > 1 or stage.chance(10):
        other = stage.any(stage.bill.tables)
        auto = play.SetAutoCopy(here[0], here[1], other, on=stage.chance(80))
        stage.ask(here[0], stage.one_of(auto, play.CopyBets(*here, other)))


def spread(stage: Stage) -> None:
    """Put a chip on a number and press the button that spreads it, where there is one."""
    here = game(stage)
    stage.ask(here[0], play.PlaceBets(*here, (("17", 100),)))
    stage.ask(here[0], play.PressNeighbours(*here))


def choose_denomination(stage: Stage) -> None:
    seat = stage.seat()
    stage.ask(seat, play.ChooseDenomination(seat, stage.any((*OFFERS.denominations, Cents(7)))))


def buy_in(stage: Stage) -> None:
    """Put in a note; where the money is none, the house hands some out."""
    seat, currency = stage.seat(), stage.bill.rulebook.currency
    stage.ask(seat, credit.InsertNote(seat, currency, stage.any((*OFFERS.notes, Cents(10_000), Cents(300)))))
    if stage.chance(20):
        stage.system(credit.GrantPlayMoney(seat, Cents(20_000)))


def collect(stage: Stage) -> None:
    seat, number = stage.seat(), stage.house.next_ticket
    form = stage.any((None, None, None, *CreditOut))
    stage.ask(seat, credit.Collect(seat, credit.Validation(number, f"digest {number}", "1234"), form))


def use_ticket(stage: Stage) -> None:
    """Take the slip that was printed, or put one into a terminal."""
    tickets = list(stage.house.tickets.values())[-4:]
    if tickets:
        ticket, seat = stage.any(tickets), stage.seat()
        taken = credit.ConfirmPrint(ticket.terminal, ticket.sequence)
        if stage.chance(50):
            stage.ask(ticket.terminal, taken)
        else:
            stage.ask(seat, credit.InsertTicket(seat, ticket.digest))


def report_display(stage: Stage) -> None:
    """Report what the screen shows, which is seldom wrong."""
    seat = stage.seat()
    shown = _terminal(stage, seat).credit + (100 if stage.chance(5) else 0)
    stage.ask(seat, ReportDisplay(seat, Cents(shown), "37" if stage.chance(5) else None))


MENU: Final[Menu] = {
    place: 50,
    change: 6,
    remove: 5,
    move: 4,
    press: 14,
    use_pattern: 8,
    copy: 8,
    spread: 3,
    choose_denomination: 1,
    buy_in: 8,
    collect: 4,
    use_ticket: 5,
    report_display: 2,
}
