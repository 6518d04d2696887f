"""Samples: one real value of every message of the wire, in the order in which a page tells of them."""

from typing import Final

import msgspec

from croupier.house.ids import DeviceKind, RoundNumber
from croupier.house.play.betting import PlaceBets
from croupier.house.settings import WheelKind
from croupier.house.state.tables import BetChange, CallReason, PauseReason, Phase, SeatMessageKind
from croupier.protocol import inbound, outbound, queries, staff, terminal
from croupier.protocol.queries import DocumentFormat
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from tests.support.wire.live import LIVE, LIVE_PARTS, NOTICE, WALK
from tests.support.wire.papers import BLOCKS, PAPER_PARTS, SLIP
from tests.support.wire.staff import (
    CHIPS_RECKONED,
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

#: Inbound messages.
SAID: Final[tuple[msgspec.Struct, ...]] = (
    inbound.Hello(screen=DeviceKind.TERMINAL, protocol=inbound.PROTOCOL, device="A-1", key=KEY),
    inbound.Ping(1),
    inbound.Resync(),
    inbound.SignIn("ruth", "a secret of her own"),
    inbound.Visit(),
    inbound.SetPassword("ruth", "K4QX-7M2P-T9WB", "a secret of her own"),
    inbound.Resume(BADGE),
    inbound.StepUp("a secret of her own"),
    inbound.SignOut(),
    inbound.SendCommand(41, 7, BET),
    inbound.Note(42, 7, Cents(5_000)),
    inbound.Practice(),
    inbound.Displayed("A", 12, "17"),
    inbound.QueryGames(),
    inbound.QuerySlips(("344530222951541680",)),
    inbound.TicketIn(43, 7, "344530222951541680"),
    inbound.CashOut(44, 7),
    inbound.CollectFor(2, 7, "A-1"),
    inbound.Redeem(3, 7, "D1", "344530222951541680", Cents(9_000)),
    inbound.QueryPreview(q=1, table=A, round=11, pocket="19"),
    inbound.QueryReplay(q=2, table=A, round=11, terminal=SEAT, notation=True),
    inbound.Bundle(q=7, table=A, round=11),
    inbound.Export(q=8, after=10_000),
    inbound.Verify(q=9),
    inbound.QueryDisputes(q=10, before=2),
    inbound.QueryJournal(q=3, before=4_711, table=A, kind="ResultDeclared"),
    inbound.QueryTicket(q=4, number="344530222951541680"),
    inbound.QueryMeters(q=5, terminal=SEAT),
    inbound.QueryDocument(q=11, form=DocumentFormat.SCREEN, document=SLIP),
    inbound.QueryStaff(q=6),
)

OVER: Final = outbound.RefusalBody(
    id=41,
    code="stake_over_maximum",
    clause="7(h)v",
    says="105 on 17/20 is over the maximum of 100.",
    facts={"spot": "17/20", "stake": 10_500, "maximum": 10_000},
)
TABLE: Final = outbound.TableState(
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
DRAW: Final = outbound.DrawState(
    rulebook="skycity-adelaide-2003",
    table=A,
    round=12,
    spin=1,
    commitment="5e" * 32,
    committed={"1": "a1" * 32},
    revealed={"1": "b2" * 32},
    secret="c3" * 32,
    pocket="17",
)
VOID: Final = outbound.Notice(12, "no_spin", "ball_out_of_wheel", "10(e)", "This spin does not count.")
NEIGHBOURS: Final = terminal.Neighbours(Pocket("17"), 2, dict.fromkeys(map(SpotKey, ("25", "2", "34", "6")), 100))
IDLE: Final = terminal.Idle(3, "11(f)")
GAME: Final = terminal.GameView(
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
    repeats=True,
)
HOLD: Final = terminal.HeldWinView(126_000, "22")
CLOSED: Final = terminal.Cited("This terminal is out of service: please use another.", "5.14", "terminal_closed")
RETURNED: Final = terminal.MessageView(
    kind=SeatMessageKind.RETURNED, says="5 went back to your credit [5.14].", clause="5.14", amount=500
)
SESSION: Final = terminal.SessionView(NOW - 900_000_000, 50_000, 0, -1_500, 7)
PRINTED: Final = outbound.SlipStatus("344530222951541680", "printed", 20270128)
OWN_LIMITS: Final = terminal.OwnLimitsView(10_000, 60)
CALL: Final = terminal.CallView(CallReason.MONEY, NOW)
PAUSE: Final = terminal.PauseView(PauseReason.BREAK, NOW + 900_000_000)
WHOLE: Final = terminal.SeatState(
    credit=48_500,
    denomination=100,
    held=0,
    holds=(),
    in_service=True,
    out_of_service=None,
    messages=(RETURNED,),
    session=SESSION,
    own_limits=OWN_LIMITS,
    pause=None,
    call=None,
    patterns={},
    games={A: GAME},
)
FIXTURE: Final = terminal.Fixture(
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
PLAYED: Final = terminal.PlayedGame(
    table=A,
    round=11,
    at_start={RED: 1_000},
    steps=(terminal.RecallStep(NOW - 60_000_000, BetChange.PLACE, {SPLIT: 500}),),
    sealed={RED: 1_000, SPLIT: 500},
    pocket=Pocket("17"),
    staked=1_500,
    returned=9_000,
    credit=56_500,
)
#: Outbound messages.
REPORTED: Final[tuple[msgspec.Struct, ...]] = (
    outbound.Welcome(
        protocol=inbound.PROTOCOL,
        epoch=7,
        device="A-1",
        venue="SkyCity Adelaide",
        mode="demo",
        now_us=NOW,
        staff=False,
    ),
    outbound.Enrolled(device="A-1", key=KEY),
    outbound.EnrolledDevice(device="pit-2", kind=DeviceKind.PIT, key=KEY),
    outbound.ViewSnapshot(epoch=7, v=1, last_cmd=40, now_us=NOW, tables=((31, TABLE),), fixture=FIXTURE, seat=WHOLE),
    outbound.TableUpdate(tv=32, state=msgspec.structs.replace(TABLE, phase=Phase.NO_SPIN, notice=VOID)),
    outbound.SeatUpdate(
        v=2,
        last_cmd=42,
        set=terminal.SeatState(
            credit=48_000, games={A: terminal.GameView(stakes={SPLIT: 500, SEVENTEEN: 0}, staked=2_000)}
        ),
        refused=(OVER,),
    ),
    outbound.Ack(
        id=3, refusal=outbound.RefusalBody(id=3, code="ticket_paid", clause="7(e)", says="Slip 2 is already paid.")
    ),
    outbound.FloorUpdate(v=2, last_cmd=3, set=staff.FloorState(tables={A: FLOOR_TABLE}, incidents=(INCIDENT,))),
    outbound.LiveUpdate(table=A, lv=8, set=LIVE),
    outbound.WalkUpdate(state=WALK),
    outbound.NoticeUpdate(state=NOTICE),
    outbound.SignedIn(person="ruth", titles=("Pit Boss",), token=BADGE, idle_s=1_800),
    outbound.ChoosePassword(person="ruth"),
    outbound.SignedOut(says="Signed out."),
    outbound.SteppedUp(until_us=NOW + 120_000_000),
    outbound.Pong(c=1, now_us=NOW),
    outbound.GamesResult(games=(PLAYED,)),
    outbound.SlipsResult(slips=(PRINTED,)),
    outbound.SlipPrinted(
        sequence=2,
        form="payment_slip",
        number="344530222951541680",
        amount=9_000,
        currency="AUD",
        issued_at_us=NOW,
        venue="SkyCity Adelaide",
        terminal=SEAT,
    ),
    outbound.PreviewResult(
        q=1,
        table=A,
        round=11,
        was=Pocket("17"),
        pocket=Pocket("19"),
        clause="11(e)",
        seats=(RECKONED,),
        chips=(CHIPS_RECKONED,),
        house=45_000,
    ),
    outbound.ReplayResult(
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
    outbound.File(q=8, name="journal-10001-20003.zip", type="application/zip", content="UEsFBg==", more_after=20_003),
    outbound.VerificationResult(
        q=9, sound=True, entries=20_312, pages=9_001, head=FELT, checkpoints=3, faults=(), took_ms=1_907
    ),
    outbound.DisputesResult(q=10, disputes=(DISPUTE,), more=False),
    outbound.JournalResult(q=3, rows=(JOURNAL_ROW,), first=1, last=4_710, more=False, head=4_802),
    outbound.TicketResult(q=4, ticket=TICKET),
    outbound.MetersResult(
        q=5,
        terminal=SEAT,
        meters={"games": 7, "notes": 50_000, "turnover": 10_500, "returned": 9_000},
        notes={"5000": 10},
        by_meters=(queries.AuditLine("notes", 50_000), queries.AuditLine("turnover", -1_500)),
        on_terminal=(LINE,),
        difference=0,
        sound=True,
    ),
    outbound.DocumentResult(q=11, title="Payment slip 17", roll=True, blocks=BLOCKS),
    outbound.StaffResult(q=6, people=(PERSON,), more=0, devices=("cashier-1", "pit-1")),
    outbound.Refused(refusal=outbound.RefusalBody(code="malformed", says="Invalid message: JSON is malformed.")),
    outbound.Bye(
        refusal=outbound.RefusalBody(code="evicted", says="This device is open in another window, which goes on.")
    ),
)

#: What messages are made of.
PARTS: Final[tuple[msgspec.Struct, ...]] = (
    DRAW,
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
    RETURNED,
    SESSION,
    OWN_LIMITS,
    PRINTED,
    CALL,
    PAUSE,
    FIXTURE,
    PLAYED,
    PLAYED.steps[0],
    *STAFF_PARTS,
    *LIVE_PARTS,
    *PAPER_PARTS,
)
