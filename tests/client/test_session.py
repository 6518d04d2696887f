"""The session of a client without a server: keys, repeats, responses and views, message by message."""

import msgspec
import pytest
from msgspec.structs import replace

from croupier.client.session import (
    Accepted,
    ClientRequest,
    CollectForRequest,
    CollectRequest,
    DeviceKey,
    Enrolment,
    InsertNoteRequest,
    InsertTicketRequest,
    KeyedRequest,
    RedeemRequest,
    Session,
    request_message,
)
from croupier.house.ids import DeviceKind, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ClearBets
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Phase
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import CashOut, CollectFor, Note, Redeem, SendCommand, TicketIn
from croupier.protocol.live import LiveState, LiveView
from croupier.protocol.outbound import RefusalBody, SeatUpdate, TableState, ViewSnapshot
from croupier.protocol.staff import FloorState, FloorTable
from croupier.protocol.terminal import Fixture, GameView, SeatState
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from tests.support.wire.live import LIVE, NOTICE, PLAYER, WALK
from tests.support.wire.staff import FLOOR_TABLE, ROW

A, A1 = TableId("A"), TerminalId("A-1")
NOTE = InsertNoteRequest(Cents(500))
CLEAR = ClearBets(A1, A, RoundNumber(1), 1)
FIXTURE = Fixture(
    terminal="A-1",
    currency="AUD",
    felt="",
    practice=False,
    denominations=(100,),
    chips=(1,),
    notes=(500,),
    tickets=False,
    table_ids=(A,),
    break_minutes=0,
)
TABLE = TableState(table="A", rulebook="r", felt="f", phase=Phase.OPEN, round=1, spin=1, wheel=next(iter(WheelKind)))
REFUSAL = RefusalBody(code="bets_closed", says="Betting is closed.")


def snapshot(last_cmd: int = 0, v: int = 1, epoch: int = 3) -> ViewSnapshot:
    seat = SeatState(credit=1_000, games={A: GameView(bets={SpotKey("17"): 100, SpotKey("18"): 100}, staked=200)})
    return ViewSnapshot(epoch=epoch, v=v, last_cmd=last_cmd, now_us=0, tables=((1, TABLE),), fixture=FIXTURE, seat=seat)


def receive(session: Session, *messages: outbound.OutboundMessage) -> None:
    for message in messages:
        session.receive(outbound.encode(message))


def sent(session: Session) -> list[inbound.Incoming]:
    """Take what the session has sent, as the server decodes it."""
    frames, session.outgoing = session.outgoing, []
    return [inbound.decode(frame) for frame in frames]


@pytest.fixture
def session() -> Session:
    """A terminal that has had its snapshot."""
    session = Session(DeviceKey(DeviceKind.TERMINAL, "A-1", "key"))
    session.connected()
    receive(session, snapshot())
    sent(session)
    return session


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (NOTE, Note(7, 3, Cents(500))),
        (InsertTicketRequest("123"), TicketIn(7, 3, "123")),
        (CollectRequest(), CashOut(7, 3)),
        (CollectForRequest(A1), CollectFor(7, 3, "A-1")),
        (RedeemRequest("drawer", "123", Cents(5)), Redeem(7, 3, "drawer", "123", Cents(5))),
        (CLEAR, SendCommand(7, 3, CLEAR)),
    ],
)
def test_request_becomes_a_message_under_its_key(request_: ClientRequest, message: KeyedRequest) -> None:
    """Every request has a message of its own, with the id and the epoch."""
    assert request_message(request_, 7, 3) == message


def test_hello_states_the_protocol_and_the_key() -> None:
    """An enrolled device proves its key; one that enrols itself names a table, and has a key from then on."""
    session = Session(Enrolment(DeviceKind.TERMINAL, "A", "code"))
    session.connected()
    receive(session, outbound.Enrolled(device="A-1", key="key"))
    session.connected()

    assert session.identity == DeviceKey(DeviceKind.TERMINAL, "A-1", "key")
    (again,) = sent(session)
    assert again == inbound.Hello(screen=DeviceKind.TERMINAL, protocol=inbound.PROTOCOL, device="A-1", key="key")


def test_ids_rise_from_the_last_one_used(session: Session) -> None:
    """An id follows the last that this device used, by its own record or the server's."""
    kept = Session(DeviceKey(DeviceKind.TERMINAL, "A-1", "key", last_id=41))
    receive(session, snapshot(last_cmd=9, v=2))

    assert (kept.submit(CLEAR).message.id, session.submit(CLEAR).message.id) == (42, 10)
    assert session.identity == DeviceKey(DeviceKind.TERMINAL, "A-1", "key", last_id=10)


def test_responses_by_last_cmd_and_by_refusal(session: Session) -> None:
    """Every command up to `last_cmd` is accepted, except those that are listed as refused."""
    first, second, third = (session.submit(CLEAR) for _ in range(3))
    receive(session, SeatUpdate(v=2, last_cmd=2, refused=(replace(REFUSAL, id=2),)))

    assert (first.response, second.response, third.response) == (Accepted(1), replace(REFUSAL, id=2), None)
    assert list(session.unanswered()) == [third]


def test_unanswered_command_is_repeated_after_a_snapshot(session: Session) -> None:
    """It is sent again under the same key, and counts as accepted only once the command after it is answered."""
    pending = session.submit(CLEAR)
    session.connected()
    sent(session)
    receive(session, snapshot(last_cmd=1, epoch=4))
    repeated, barrier = sent(session)
    receive(session, SeatUpdate(v=2, last_cmd=1))

    assert repeated == pending.message == SendCommand(1, 3, CLEAR)
    assert isinstance(barrier, SendCommand)
    assert (barrier.id, barrier.epoch, pending.response) == (2, 4, None)
    receive(session, SeatUpdate(v=3, last_cmd=2, refused=(replace(REFUSAL, id=1),)))
    assert (pending.response, list(session.unanswered())) == (replace(REFUSAL, id=1), [])


def test_missed_delta_leaves_commands_unanswered(session: Session) -> None:
    """After a gap the client requests a snapshot: a refusal may be among what was missed."""
    pending = session.submit(CLEAR)
    sent(session)
    receive(session, SeatUpdate(v=3, last_cmd=1))

    assert (sent(session), pending.response, session.view.version) == ([inbound.Resync()], None, 1)
    receive(session, snapshot(last_cmd=1, v=4), SeatUpdate(v=5, last_cmd=2))
    assert pending.response == Accepted(1)


def test_seat_delta_changes_what_it_names(session: Session) -> None:
    """A delta names the spots that changed, 0 for one without chips; a missing field has not changed."""
    stakes = {SpotKey("17"): 0, SpotKey("20"): 300}
    game = GameView(stakes=stakes, staked=400, won=3_600, sealed=1)
    receive(session, SeatUpdate(v=2, last_cmd=0, set=SeatState(games={A: game})))
    view = session.view

    assert (view.credit, view.games[A].chips) == (1_000, {"18": 100, "20": 300})
    assert (view.games[A].staked, view.games[A].won, view.games[A].sealed) == (400, 3_600, 1)


def test_floor_delta_changes_what_it_names() -> None:
    """A console's delta replaces the fields that it names, and tables one by one."""
    session = Session(DeviceKey(DeviceKind.PIT, "pit", "key"))
    receive(
        session,
        ViewSnapshot(epoch=1, v=1, last_cmd=0, now_us=0, tables=(), floor=FloorState(tables={}, holds_more=1)),
        outbound.FloorUpdate(v=2, last_cmd=0, set=FloorState(incidents_more=5)),
    )

    assert (session.view.floor.tables, session.view.floor.holds_more) == ({}, 1)
    assert session.view.floor.incidents_more == 5


def floor_table(*terminals: str, staked: int) -> FloorTable:
    """A table as staff see it, with a seat of equal stakes for each terminal."""
    seats = tuple(replace(ROW, terminal=name, staked=staked) for name in terminals)
    return replace(FLOOR_TABLE, staked=staked, seats=seats)


def test_floor_delta_changes_the_rows_that_it_has() -> None:
    """Rows of seats in a delta of a console replace those of the same terminals; the others stay as they were."""
    session = Session(DeviceKey(DeviceKind.PIT, "pit", "key"))
    first, second = floor_table("A-1", "A-2", staked=100), floor_table("A-2", staked=700)
    receive(
        session,
        ViewSnapshot(epoch=1, v=1, last_cmd=0, now_us=0, tables=(), floor=FloorState(tables={A: first})),
        outbound.FloorUpdate(v=2, last_cmd=0, set=FloorState(tables={A: second, TableId("B"): first})),
    )

    tables = session.view.floor.tables
    assert not isinstance(tables, msgspec.UnsetType)
    shown = {name: [(row.terminal, row.staked) for row in table.seats] for name, table in tables.items()}
    assert shown == {"A": [("A-1", 100), ("A-2", 700)], "B": [("A-1", 100), ("A-2", 100)]}


def test_control_messages_have_one_response() -> None:
    """The next message of the right type, or a refusal, answers; others change nothing."""
    session = Session(DeviceKey(DeviceKind.PIT, "pit", "key"))
    session.connected()
    welcome = outbound.Welcome(protocol=1, epoch=1, device="pit", venue="", mode="demo", now_us=0, staff=True)
    receive(session, welcome)
    pending = session.send_control(inbound.SignIn("manager", "wrong"))
    assert list(session.unanswered()) == [pending]
    receive(session, outbound.Pong(c=0, now_us=0), outbound.Refused(refusal=REFUSAL))
    assert (pending.response, session.control) == (REFUSAL, None)
    unasked = outbound.SignedIn(person="manager", titles=(), token="t", idle_s=1)  # noqa: S106 - a test
    receive(
        session, unasked, outbound.Refused(refusal=REFUSAL), outbound.StaffResult(q=9, people=(), more=0, devices=())
    )
    assert (session.signed_in, session.is_ready) == (unasked, True)


def test_key_of_another_device_is_noted() -> None:
    """A console that enrols a device gets its key once."""
    session = Session(DeviceKey(DeviceKind.PIT, "pit", "key"))
    enrolled = outbound.EnrolledDevice(device="desk", kind=DeviceKind.CASHIER, key="secret")
    receive(session, enrolled, outbound.Ack(id=5))

    assert session.enrolled_devices == [enrolled]


def test_unknown_message_is_ignored_and_a_wrong_one_is_not(session: Session) -> None:
    """A newer server may send other types; a known type with wrong fields is an error."""
    assert session.receive(b'{"t":"something_new","v":1}') is None
    with pytest.raises(msgspec.ValidationError):
        session.receive(b'{"t":"pong"}')


def test_live_delta_changes_what_it_names() -> None:
    """A delta of a live table replaces the fields and players that it has, and null removes a player."""
    session = Session(DeviceKey(DeviceKind.LIVE_TABLE, "live", "key"))
    whole = replace(LIVE, players={"1": PLAYER, "2": PLAYER}, emblem="anchor")
    receive(
        session,
        ViewSnapshot(epoch=1, v=1, last_cmd=0, now_us=0, tables=(), live=LiveView(table="A", lv=4, state=whole)),
        outbound.LiveUpdate(table="A", lv=5, set=LiveState(players={"1": None, "3": PLAYER})),
        outbound.LiveUpdate(table="A", lv=6, set=LiveState(emblem="star")),
        outbound.WalkUpdate(state=WALK),
        outbound.NoticeUpdate(state=NOTICE),
    )

    assert session.view.live == replace(whole, players={"2": PLAYER, "3": PLAYER}, emblem="star")
    assert (session.view.walk, session.view.notice) == (WALK, NOTICE)
    assert session.sees


def test_missed_live_delta_requests_a_snapshot() -> None:
    """After a gap in the versions of a live table the client requests a snapshot, and applies nothing before it."""
    session = Session(DeviceKey(DeviceKind.LIVE_TABLE, "live", "key"))
    first = ViewSnapshot(epoch=1, v=1, last_cmd=0, now_us=0, tables=(), live=LiveView(table="A", lv=4, state=LIVE))
    gap = outbound.LiveUpdate(table="A", lv=6, set=LiveState(emblem="star"))
    receive(session, first, gap, outbound.WalkUpdate(state=WALK))

    assert sent(session) == [inbound.Resync()]
    assert (session.view.live, session.view.walk) == (LIVE, None)
