"""Sessions: how long a player has played and with what result, from the first money to the last credit collected."""

from pathlib import Path

import pytest

from croupier.engine.storage import decode_state, encode_state
from croupier.house import AnyCommand, House
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.sessions import AdjustCredit, Session, session_figures
from croupier.house.credit.tickets import InsertTicket, VoidTicket
from croupier.house.ids import Number
from croupier.house.settings import Mode
from croupier.house.state.tables import Table, Terminal
from croupier.rules.money import Cents
from tests.support.cashier_desk import T1, CashierDesk, note
from tests.support.house_driver import Play
from tests.support.transcript_runs import ROUNDS, entries_of, walked

ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
NOTHING = Session(None, 0, 0, 0, 0)


def reported(desk: CashierDesk) -> Session:
    return session_figures(desk.house, desk.t1)


def test_nobody_has_played_yet() -> None:
    """Before the first money there is no session to speak of."""
    assert reported(CashierDesk(ADELAIDE)) == NOTHING


def test_session_is_counted_from_the_first_money() -> None:
    """The time of a session runs from the first note, and further notes add to what was put in."""
    desk = CashierDesk(ADELAIDE)
    desk.ask(note(50))
    first = desk.house.now
    desk.ask(note(20))

    assert reported(desk) == Session(first, 7_000, 0, 0, 0)


@pytest.mark.parametrize(
    "command",
    [
        note(20, "USD"),
        GrantPlayMoney(T1, Cents(2_000)),
        InsertTicket(T1, "digest 1"),
        AdjustCredit(T1, Cents(2_000), "The meter had stuck."),
        VoidTicket(Number(1), "It was not printed."),
    ],
    ids=lambda command: type(command).__name__,
)
def test_every_way_in_begins_a_session(command: AnyCommand) -> None:
    """However the first credits come onto the meter, they are put in, and the time runs from then on."""
    desk = CashierDesk(CLEARWATER, mode=Mode.DEMO)
    if isinstance(command, InsertTicket | VoidTicket):
        assert desk.issue(2_000).digest == "digest 1"
        assert reported(desk) == NOTHING
    desk.ask(command)

    assert reported(desk) == Session(desk.house.now, 2_000, 0, 0, 0)


def test_what_staff_take_off_the_meter_is_no_loss() -> None:
    """A meter put right downwards is money taken out, and the result of play stays what it was."""
    desk = CashierDesk(ADELAIDE)
    desk.ask(note(50))
    since = desk.house.now
    desk.ask(AdjustCredit(T1, Cents(-1_000), "The meter had stuck."))

    assert reported(desk) == Session(since, 5_000, 1_000, 0, 0)


def test_collecting_ends_a_session() -> None:
    """With the last of the credits the session is over, and the next player's begins with nothing."""
    desk = CashierDesk(ADELAIDE)
    desk.ask(note(50))
    desk.ask(desk.collecting())
    assert reported(desk) == NOTHING

    desk.ask(note(20))
    assert reported(desk) == Session(desk.house.now, 2_000, 0, 0, 0)


def test_collecting_with_chips_in_play_does_not_end_it() -> None:
    """Who collects while chips are in play goes on playing: what was collected is money taken out."""
    desk = CashierDesk(ADELAIDE)
    desk.ask(note(100))
    since = desk.house.now
    desk.stake(3_000)
    desk.ask(desk.collecting())

    assert reported(desk) == Session(since, 10_000, 7_000, 0, 0)


def test_result_is_what_play_has_brought() -> None:
    """A lost stake counts below nothing once it is lost and not before, and a win above it."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    terminal = play.house.terminals[T1]
    play.open()
    play.bet("T1", "10 on 17")
    assert session_figures(play.house, terminal).net == 0

    play.close()
    play.spin()
    assert session_figures(play.house, terminal).net == 0
    play.rest("18")
    assert session_figures(play.house, terminal)[3:] == (-1_000, 1)
    play.round("17", T1="1 on 17")
    assert session_figures(play.house, terminal)[3:] == (-1_000 + 3_500, 2)


def sealed(house: House, terminal: Terminal) -> int:
    """What a terminal has sealed at tables whose round is not over."""

    def at(table: Table) -> int:
        round_ = table.round
        position = terminal.games[table.id].id
        stakes = None if round_ is None or round_.over or round_.sealed is None else round_.layouts.get(position)
        return sum((stakes or {}).values())

    return sum(at(house.tables[name]) for name in terminal.games)


def test_result_agrees_with_the_meters_after_every_entry() -> None:
    """Through every shipped round, whatever goes wrong in it, the first session's result is what the meters give."""
    looked = 0
    for path in ROUNDS:
        for entry, house in walked(entries_of(path)):
            for terminal in house.terminals.values():
                meters, case = terminal.meters, terminal.case
                suspense = 0 if case is None else house.cases.all[case].suspense
                carried = sum(sum(game.carried.values()) for game in terminal.games.values())
                kept = sealed(house, terminal) + carried + suspense
                played = meters.returned + meters.refunded - meters.turnover + kept
                assert terminal.session or session_figures(house, terminal).net == played, (path, entry)
                looked += not terminal.session and played != 0
    assert looked > 100


@pytest.mark.parametrize("path", ROUNDS[:2], ids=lambda path: path.stem)
def test_session_is_in_every_snapshot(path: Path) -> None:
    """A state that was encoded and decoded has every terminal's session as it was."""
    *_, (_, house) = walked(entries_of(path))
    decoded, _ = decode_state(encode_state(house))

    for name, terminal in house.terminals.items():
        assert session_figures(decoded, decoded.terminals[name]) == session_figures(house, terminal)
