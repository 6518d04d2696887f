"""Samples: one real value of every message of the wire, in the order in which a page tells of them."""

from typing import Final

import msgspec

from croupier.house.command.play import PlaceBets
from croupier.house.device import DeviceKind
from croupier.house.event.play import Edit
from croupier.house.name import RoundNumber
from croupier.house.settings import WheelKind
from croupier.house.table import Phase
from croupier.rules.money import Cents
from croupier.rules.pocket import Pocket
from croupier.rules.spot import SpotKey
from croupier.web import floordata, incoming, outgoing, querydata, seatdata
from croupier.web.paperdata import Form
from tests.wirepapers import BLOCKS, PAPER_PARTS, SLIP
from tests.wirestaff import (
    DEBT,
    DISPUTE,
    FLOOR_TABLE,
    INCIDENT,
    JOURNAL_ROW,
    LINE,
    NOW,
    PAID,
    PERSON,
    RECKONED,
    RED,
    REPLAY_SEAT,
    REPLAY_STEP,
    SEAT,
    SPLIT,
    STAFF_PARTS,
    STRAIGHT,
    TICKET,
    A,
)

SEVENTEEN = SpotKey("17")
FELT: Final = "1b10a478" * 8
KEY: Final = "QUBn48sS8G53vVizDUi1uTnPfqEbUh8em5f1b_w-hkg"
BADGE: Final = "7_hNHtJNCsms2M7rx7gwcSp3baD06CXeWe7Kj6UW0QE"

BET: Final = PlaceBets(SEAT, A, RoundNumber(12), 1, ((SPLIT, 500), ("neighbours 22", 100)))

#: What a door says.
SAID: Final[tuple[msgspec.Struct, ...]] = (
    incoming.Hello(door=DeviceKind.TERMINAL, protocol=incoming.PROTOCOL, device="A-1", key=KEY),
    incoming.Ping(1),
    incoming.Resync(),
    incoming.SignIn("ruth", "a secret of her own"),
    incoming.NewSecret("ruth", "K4QX-7M2P-T9WB", "a secret of her own"),
    incoming.Resume(BADGE),
    incoming.StepUp("a secret of her own"),
    incoming.SignOut(),
    incoming.Ask(41, 7, BET),
    incoming.Note(42, 7, Cents(5_000)),
    incoming.Practice(),
    incoming.Games(),
    incoming.TicketIn(43, 7, "344530222951541680"),
    incoming.CashOut(44, 7),
    incoming.CollectFor(2, 7, "A-1"),
    incoming.Redeem(3, 7, "D1", "344530222951541680", Cents(9_000)),
    incoming.Preview(q=1, table=A, round=11, pocket="19"),
    incoming.Replay(q=2, table=A, round=11, terminal=SEAT, notation=True),
    incoming.Bundle(q=7, table=A, round=11),
    incoming.Export(q=8, after=10_000),
    incoming.Verify(q=9),
    incoming.Disputes(q=10, before=2),
    incoming.Journal(q=3, before=4_711, table=A, kind="ResultDeclared"),
    incoming.LookUp(q=4, number="344530222951541680"),
    incoming.Meters(q=5, terminal=SEAT),
    incoming.Paper(q=11, form=Form.SCREEN, document=SLIP),
    incoming.Staff(q=6),
)

OVER: Final = outgoing.No(
    id=41,
    code="stake_over_maximum",
    clause="7(h)v",
    says="105 on 17/20 is over the maximum of 100.",
    facts={"spot": "17/20", "stake": 10_500, "maximum": 10_000},
)
TABLE: Final = outgoing.TableState(
    table=A,
    rulebook="skycity-adelaide-2003",
    felt=FELT,
    phase=Phase.LAST_CALL,
    round=12,
    spin=1,
    says="Finish Betting",
    closes_at=NOW + 5_000_000,
    numbers=("17", "0", "32"),
    wheel=WheelKind.SENSOR,
)
VOID: Final = outgoing.Notice(12, "ball_out_of_wheel", "10(e)", "This spin does not count.")
NEIGHBOURS: Final = seatdata.Neighbours(Pocket("17"), 2, dict.fromkeys(map(SpotKey, ("25", "2", "34", "6")), 100))
IDLE: Final = seatdata.Idle(3, "11(f)")
GAME: Final = seatdata.Game(
    bets={SPLIT: 500, RED: 1_000},
    staked=1_500,
    won=0,
    red=(),
    ghosts={},
    warning="",
    auto_copy_to=None,
    sealed=None,
    spot_least=250,
    spot_most=10_000,
    total_least=None,
    total_most=500_000,
    limits=(STRAIGHT,),
    idle=None,
)
HOLD: Final = seatdata.Hold(126_000, "22")
CLOSED: Final = seatdata.Cited("This terminal is out of service: please use another.", "5.14")
SESSION: Final = seatdata.Session(NOW - 900_000_000, 50_000, 0, -1_500, 7)
WHOLE: Final = seatdata.SeatState(
    credit=48_500,
    denomination=100,
    held=0,
    holds=(),
    in_service=True,
    out_of_service=None,
    messages=(),
    session=SESSION,
    patterns={},
    games={A: GAME},
)
FIXTURE: Final = seatdata.Fixture(
    terminal=SEAT,
    currency="AUD",
    felt=FELT,
    practice=False,
    denominations=(100,),
    chips=(5, 10, 25, 100),
    notes=(500, 1_000, 2_000, 5_000, 10_000),
    tickets=False,
    table_ids=(A,),
    break_minutes=60,
)
PLAYED: Final = seatdata.PlayedGame(
    table=A,
    round=11,
    at_start={RED: 1_000},
    steps=(seatdata.Step(NOW - 60_000_000, Edit.PLACE, {SPLIT: 500}),),
    sealed={RED: 1_000, SPLIT: 500},
    pocket=Pocket("17"),
    staked=1_500,
    returned=9_000,
    credit=56_500,
)
#: What a door is told.
TOLD: Final[tuple[msgspec.Struct, ...]] = (
    outgoing.Welcome(
        protocol=incoming.PROTOCOL,
        epoch=7,
        device="A-1",
        venue="SkyCity Adelaide",
        mode="demo",
        now_us=NOW,
        staff=False,
    ),
    outgoing.Enrolled(device="A-1", key=KEY),
    outgoing.EnrolledDevice(device="pit-2", kind=DeviceKind.PIT, key=KEY),
    outgoing.Snap(epoch=7, v=1, last_cmd=40, now_us=NOW, tables=((31, TABLE),), fixture=FIXTURE, seat=WHOLE),
    outgoing.Table(tv=32, state=msgspec.structs.replace(TABLE, phase=Phase.NO_SPIN, notice=VOID)),
    outgoing.Seat(
        v=2,
        last_cmd=42,
        set=seatdata.SeatState(
            credit=48_000, games={A: seatdata.Game(stakes={SPLIT: 500, SEVENTEEN: 0}, staked=2_000)}
        ),
        refused=(OVER,),
    ),
    outgoing.Ack(id=3, refusal=outgoing.No(id=3, code="ticket_paid", clause="7(e)", says="Slip 2 is already paid.")),
    outgoing.Floor(v=2, last_cmd=3, set=floordata.FloorState(tables={A: FLOOR_TABLE}, incidents=(INCIDENT,))),
    outgoing.SignedIn(person="ruth", titles=("Pit Boss",), token=BADGE, idle_s=1_800),
    outgoing.MustChoose(person="ruth"),
    outgoing.SignedOut(says="Signed out."),
    outgoing.SteppedUp(until_us=NOW + 120_000_000),
    outgoing.Pong(c=1, now_us=NOW),
    outgoing.Games(games=(PLAYED,)),
    outgoing.Slip(
        sequence=2,
        form="payment_slip",
        number="344530222951541680",
        amount=9_000,
        currency="AUD",
        issued_at_us=NOW,
        venue="SkyCity Adelaide",
        terminal=SEAT,
    ),
    outgoing.Preview(
        q=1, table=A, round=11, was=Pocket("17"), pocket=Pocket("19"), clause="11(e)", seats=(RECKONED,), house=9_000
    ),
    outgoing.Replay(
        q=2,
        table=A,
        round=11,
        rulebook="skycity-adelaide-2003",
        opened_at_us=NOW - 90_000_000,
        pocket=Pocket("17"),
        corrected=(),
        status="settled",
        reason="",
        clause=None,
        seats=(REPLAY_SEAT,),
        steps=(REPLAY_STEP,),
        left_out=0,
        notation=None,
        no_notation="",
    ),
    outgoing.File(q=8, name="journal-10001-20003.zip", type="application/zip", content="UEsFBg==", more_after=20_003),
    outgoing.Verified(q=9, sound=True, entries=20_312, pages=9_001, head=FELT, checkpoints=3, faults=(), took_ms=1_907),
    outgoing.Disputes(q=10, disputes=(DISPUTE,), more=False),
    outgoing.Journal(q=3, rows=(JOURNAL_ROW,), first=1, last=4_710, more=False, head=4_802),
    outgoing.LookedUp(q=4, ticket=TICKET),
    outgoing.Meters(
        q=5,
        terminal=SEAT,
        meters={"games": 7, "notes": 50_000, "turnover": 10_500, "returned": 9_000},
        notes={"5000": 10},
        by_meters=(querydata.AuditLine("Notes taken in", 50_000), querydata.AuditLine("Stakes sealed", -1_500)),
        on_terminal=(LINE,),
        difference=0,
        sound=True,
    ),
    outgoing.Paper(q=11, title="Payment slip 17", roll=True, blocks=BLOCKS),
    outgoing.Staff(q=6, people=(PERSON,), more=0, devices=("cashier-1", "pit-1")),
    outgoing.Refused(refusal=outgoing.No(code="malformed", says="That is no message: JSON is malformed.")),
    outgoing.Bye(refusal=outgoing.No(code="evicted", says="This device is open in another window, which goes on.")),
)

#: What messages are made of.
PARTS: Final[tuple[msgspec.Struct, ...]] = (
    OVER,
    PAID,
    TABLE,
    VOID,
    WHOLE,
    GAME,
    STRAIGHT,
    NEIGHBOURS,
    IDLE,
    HOLD,
    DEBT,
    CLOSED,
    SESSION,
    FIXTURE,
    PLAYED,
    PLAYED.steps[0],
    *STAFF_PARTS,
    *PAPER_PARTS,
)
