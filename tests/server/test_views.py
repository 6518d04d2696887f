"""Recipients of every event: the screens on which it changes something."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from croupier.house import House
from croupier.house.credit.tickets import TicketRedeemed, TicketVoided
from croupier.house.declare import EVENTS, Event, PlayerEvent, PositionEvent, TableEvent, TerminalEvent
from croupier.house.floor.malfunctions import BetsConfirmed, BetsVoided, CaseCleared, LineLossCleared, RaiseMalfunction
from croupier.house.floor.service import MessageSent, TerminalLost, TerminalReturned
from croupier.house.floor.setup import TerminalAdded
from croupier.house.ids import SYSTEM, Context, Day, Number, PositionId, TableId, TerminalId
from croupier.house.live.arrangements import ArrangementEnded, VipArranged
from croupier.house.live.carried_chips import ChipsReleased
from croupier.house.play.betting import BetsChanged
from croupier.house.rounds.closing import BetsSealed
from croupier.house.rounds.corrections import OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.irregularities import RoundVoided, SpinVoided, TerminalsReset
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.recovery import TerminalsRefunded
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.settlement import CarriedReleased, RoundSettled
from croupier.house.settings import TableSettings
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import BetChange
from croupier.journal.entry import Entry
from croupier.rules.geometry import Pocket
from croupier.server.events import view_changes
from croupier.server.views import seat
from tests.support.connections import VENUE, played
from tests.support.engine_driver import done
from tests.support.server_harness import server_harness
from tests.support.shift import T1, T2, TABLE, Shift
from tests.support.wire.houses import MARINA
from tests.support.wire.runs import connect_actors


class Reported(NamedTuple):
    """Whether the table is published again, and the seats whose whole state is."""

    table: bool = False
    seats: tuple[TerminalId, ...] = ()
    #: The seats that receive their service state, and those of which only staff are notified.
    served: tuple[TerminalId, ...] = ()
    linked: tuple[TerminalId, ...] = ()
    #: Whether the consoles of the live table alone are sent what has changed.
    live: bool = False


STAFF: Final = Reported()
PUBLIC_VIEW: Final = Reported(table=True)
EVERYBODY: Final = Reported(table=True, seats=(T1, T2))
SEAT: Final = Reported(seats=(T1,))
LINK: Final = Reported(linked=(T1,))

#: Who is told besides staff, who are told of everything: where it is not by the event's base alone.
EXCEPTIONS: Final[Mapping[type[Event], Reported]] = {
    # Chips that were touched are told to the seat that moved them, in a way of their own.
    BetsChanged: STAFF,
    BetsOpened: EVERYBODY,
    BetsSealed: EVERYBODY,
    RoundSettled: EVERYBODY,
    RoundVoided: EVERYBODY,
    SpinVoided: EVERYBODY,
    TerminalsReset: EVERYBODY,
    TerminalsRefunded: EVERYBODY,
    CarriedReleased: EVERYBODY,
    # What is recorded of the last round says whose chips were given up since.
    ChipsReleased: PUBLIC_VIEW,
    ResultCorrected: EVERYBODY,
    OutcomeInvalidated: EVERYBODY,
    VipArranged: EVERYBODY,
    ArrangementEnded: EVERYBODY,
    TerminalAdded: Reported(table=True, seats=(T1,)),
    TicketVoided: SEAT,
    # At a terminal it is credit there, wherever the ticket came from.
    TicketRedeemed: Reported(seats=(T2,)),
    MessageSent: Reported(seats=(T1, T2)),
    TerminalLost: LINK,
    TerminalReturned: LINK,
    BetsConfirmed: SEAT,
    BetsVoided: SEAT,
    CaseCleared: SEAT,
    LineLossCleared: Reported(table=True, served=(T1,)),
}


_OF_SEATS: Final = (TerminalEvent, PositionEvent)


def expected(kind: type[Event]) -> Reported:
    """Return the recipients of an event: an exception, or all clients at its table, or the player at its terminal."""
    if kind in EXCEPTIONS:
        return EXCEPTIONS[kind]
    if issubclass(kind, PlayerEvent):
        return Reported(live=True)
    return PUBLIC_VIEW if issubclass(kind, TableEvent) else SEAT if issubclass(kind, _OF_SEATS) else STAFF


#: What an event says that who is told goes by; of what else it says nothing is looked at.
SAYS: Final[Mapping[str, object]] = {
    "table": TABLE,
    "terminal": T1,
    "case": Number(1),
    "cases": (Number(1),),
    "sequence": Number(1),
    "place": T2,
    "at_terminal": True,
    "terminals": (),
    "tables": (TABLE,),
    "how": BetChange.PLACE,
    "position": PositionId(1),
    "spots": ("17", "20"),
    "amounts": (500, 0),
}


def event(kind: Any, **says: object) -> Event:  # noqa: ANN401 - of any kind
    """An event of a kind, as far as anybody looks at it here."""
    made: Event = kind(**{name: says.get(name, SAYS.get(name)) for name in kind.__struct_fields__})
    return made


def entry(kind: Any, **says: object) -> Entry:  # noqa: ANN401 - of any kind
    """An entry with such an event."""
    return Entry(1, 1, Day(0), Context(Shift().clock.now(), SYSTEM), "", None, event(kind, **says))


@pytest.fixture(scope="module")
def house() -> House:
    """A house with a table, two seats, a ticket and a case of the first."""
    shift = Shift.founded(TableSettings())
    shift.ticket()
    done(shift.run, RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."))
    return shift.house


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_event_is_published_to_those_it_concerns(house: House, kind: type[Event]) -> None:
    """An event draws its table anew and tells its seats, as the table of who is told has it."""
    change = view_changes(house, [event(kind)])

    shown = (change.seats, change.served, change.linked)
    seats, served, linked = map(tuple, shown)
    reported = Reported(TABLE in change.tables, seats, served, linked, TABLE in change.live)
    assert reported == expected(kind)
    assert bool(change.rest) != bool(change.played)
    assert set(change.moved(house)) == {(TABLE, each) for each in (*change.played, *chain(*shown))}


def test_chips_are_reported_spot_by_spot(house: House) -> None:
    """After moves of chips the seat receives the changed spots, however many commands there were."""
    both = event(BetsChanged), event(BetsChanged, spots=("17", "red"), amounts=(0, 100))
    change = view_changes(house, both)
    shown = seat.seat_changes(house, T1, change.played[T1]).games

    assert isinstance(shown, dict)
    assert {table: game.stakes for table, game in shown.items()} == {TABLE: {"17": 0, "20": 0, "red": 100}}
    assert (change.seats, change.tables, change.rest) == ({}, {}, [])


@pytest.mark.parametrize(
    ("kind", "says", "seats"),
    [
        (BetsChanged, {"how": BetChange.RECALL}, (T1,)),
        (TicketRedeemed, {"at_terminal": False, "place": "D1"}, ()),
        (MessageSent, {"terminals": (T2,)}, (T2,)),
    ],
    ids=["ghosts that are placed", "a ticket paid in cash", "a message to one"],
)
def test_event_says_itself_whom_it_concerns(
    house: House, kind: type[Event], says: dict[str, object], seats: tuple[TerminalId, ...]
) -> None:
    """Ghosts that are placed are a seat's whole matter, a ticket paid in cash none's, and a message its addressees'."""
    assert tuple(view_changes(house, [event(kind, **says)]).seats) == seats


def words(said: object) -> set[str]:
    """All that stands as a word of its own anywhere in what was said."""
    if isinstance(said, dict):
        return {word for each in said.values() for word in words(each)}
    if isinstance(said, list):
        return {word for each in said for word in words(each)}
    return {said} if isinstance(said, str) else set()


def test_number_that_was_drawn_is_nobodys_to_see(tmp_path: Path) -> None:
    """A number that a random wheel drew for a round which is referred is sent to nobody before it counts."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            await harness.player("A")
            await harness.connect("board", join="")
            dealer, boss = await harness.staff("dealer", "dealer"), await harness.staff("pit", "manager")
            await harness.passes(5 + 30 + 2)
            assert dealer.page.state("A")["phase"] == "running"
            await harness.does(dealer, "ReferRound", table="A", words="Somebody shouted.")
            await harness.wheel(BallAtRest(TableId("A"), Pocket("29"), spin_id=99))
            await harness.passes(5)

            assert harness.house.tables[TableId("A")].playing.spin.reported == "29"
            assert not [client.device for client in harness.clients if "29" in words(client.log)]
            await harness.does(boss, "DecideReferral", table="A", verdict="settle", words="Nobody did.")
            assert {client.page.state("A")["pocket"] for client in harness.clients} == {"29"}

    played(scenario)


def test_number_that_lies_in_the_wheel_is_the_dealers_to_confirm(tmp_path: Path) -> None:
    """A number that a sensor reports is shown to those who confirm it, and to players once they have."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            await harness.does(pit.dealer, "CloseBets", table="M")
            await harness.spin("M", "29")

            seeing = [client.kind for client in harness.clients if "29" in words(client.log)]
            assert seeing == ["dealer", "pit", "pit", "auditor"]
            await harness.does(pit.dealer, "ConfirmResult", table="M", pocket="29")
            assert {client.page.state("M")["pocket"] for client in harness.clients} == {"29"}

    played(scenario)


def test_number_is_published_with_its_time(tmp_path: Path) -> None:
    """A number carries the time at which it was first published, the same for a late client and in later versions."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            await harness.does(pit.dealer, "CloseBets", table="M")
            await harness.spin("M", "29")
            rested = harness.house.tables[TableId("M")].playing.spin.rested_at
            await harness.passes(3)
            assert "number_at" not in pit.one.page.state("M")
            await harness.does(pit.dealer, "ConfirmResult", table="M", pocket="29")
            at = pit.one.page.state("M")["number_at"]
            await harness.passes(1)
            late = await harness.player("M")

            assert rested is not None
            assert at > rested
            assert late.page.state("M")["number_at"] == pit.one.page.state("M")["number_at"] == at
            await harness.does(pit.dealer, "OpenBets", table="M")
            assert "number_at" not in late.page.state("M")

    played(scenario)
