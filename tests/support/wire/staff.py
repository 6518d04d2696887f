"""Samples of the staff feed: one real value of every part of it."""

from typing import Final

from croupier.house.floor.disputes import CloseDispute
from croupier.house.floor.incidents import ClearIncident
from croupier.house.ids import Number, RoundNumber, TableId, TerminalId
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.results import ConfirmResult
from croupier.house.state.tables import StepName
from croupier.protocol import outbound, queries, staff, terminal
from croupier.rules.geometry import Pocket, SpotKey, SpotKind
from croupier.server.views.floor import METHOD

A, SEAT = TableId("A"), TerminalId("A-1")
SPLIT, RED = SpotKey("17/20"), SpotKey("red")
#: A quarter past nine p.m. on 15 November 2026 in Adelaide.
NOW: Final = 1_794_739_500_000_000
STRAIGHT: Final = terminal.KindLimits(SpotKind("straight"), 250, 10_000, 360_000)

ROW: Final = staff.SeatRow(
    terminal=SEAT,
    credit=48_500,
    staked=1_500,
    below=False,
    dark=False,
    lost_at_us=None,
    closed=False,
    case=None,
    held=0,
    idle=0,
    idle_long=False,
    spent=False,
    straight_only=False,
    position=1,
    arrangement=None,
)
STEP: Final = staff.StepRow(
    step=StepName.CONFIRM,
    words="Confirm the number",
    says="",
    clause="11(c)",
    by=staff.StepActor.DEALER,
    at_us=None,
    due_us=None,
    next=True,
    command=ConfirmResult(A, Pocket("17"), round=RoundNumber(12), spin=1),
    asks=(),
    waits=None,
)
TAKINGS: Final = staff.TableWin(
    turnover=1_250_000,
    won=41_000,
    rounds=208,
    played=1_248_500,
    held=39_500,
    expected=33_743,
    low=-61_020,
    high=128_506,
    method=METHOD,
)
EXPOSURE: Final = staff.ExposureRow(
    staked=1_500,
    returns={Pocket("0"): 0, Pocket("17"): 9_000, Pocket("20"): 9_000},
    most=9_000,
    worst=(Pocket("17"), Pocket("20")),
)
LIMITS: Final = staff.LimitsRow(
    spot_least=250, spot_most=10_000, total_least=None, total_most=500_000, kinds=(STRAIGHT,)
)
TERMS_ROW: Final = staff.LimitsInForce(
    rulebook="skycity-adelaide-2003", digest="4f1e", settings={"betting_s": 30}, limits=LIMITS
)
RULEBOOK: Final = staff.RulebookRow(
    rulebook="skycity-adelaide-2003",
    digest="4f1e",
    version="2003",
    currency="AUD",
    titles={"ChangeSettings": ("Shift Manager",)},
)
TERMS: Final = staff.TableTerms(now=TERMS_ROW, next=None)
HELD: Final = staff.HoldRow(
    terminal="C-1",
    hold=1,
    table="C",
    round=7,
    amount=126_000,
    currency="USD",
    bases={"net_of_winning_stakes": 122_500, "net_of_total_bet": 122_500, "gross": 126_000},
    basis="net_of_winning_stakes",
    form="W2-G",
    clause="22",
    recorded=False,
)
DEBT: Final = staff.DebtRow(
    terminal="A-2",
    session=3,
    ended=True,
    receivable=0,
    payable=36_000,
    currency="AUD",
    form="",
    table="A",
    round=11,
    at_us=NOW,
    clause="11(e)",
)
CLEARING: Final = staff.AvailableAction(
    label="clear", command=ClearIncident(Number(4)), asks=(), titles=("Dealer", "Inspector"), dual=False
)
NEED: Final = staff.PendingItem(
    kind=staff.PendingKind.INCIDENT,
    number=4,
    table=A,
    terminal=None,
    what="ball_not_seated",
    says="The ball has not come to rest.",
    facts={"subject": "A", "seconds": 90},
    clause="10(d)",
    since_us=NOW,
    due_us=None,
    amount=None,
    count=1,
    actions=(CLEARING,),
)
SIGHTING: Final = staff.SightingRow(moment="rest", revolutions=9, opposite=True)
ROUND: Final = staff.RoundRow(
    round=11,
    status="settled",
    pocket="17",
    corrected=("20",),
    reason="",
    clause=None,
    seen=(SIGHTING,),
)
BLOCKER: Final = staff.BlockerRow(
    reason="software_not_approved",
    clause="5.4(a)",
    says="Software version not approved: 0.2.",
    remedy="Enter it under [[approvals]] in the configuration.",
    facts={"version": "0.2", "table": "A"},
)
EQUIPMENT: Final = staff.EquipmentRow(
    head="W-1207",
    ball="B-3",
    head_inspected=20261115,
    ball_inspected=20261115,
    maintained_us=None,
    order=("0", "32", "15"),
    ball_least=17_000,
    ball_most=22_000,
)
FLOOR_TABLE: Final = staff.FloorTable(
    blocked=(BLOCKER,),
    reported="17",
    seen=(
        staff.SightingRow(moment="launch", opposite=False),
        SIGHTING,
    ),
    doubtful=True,
    safe_to_spin=False,
    steps=(STEP,),
    staked=1_500,
    seats=(ROW,),
    takings=TAKINGS,
    exposure=EXPOSURE,
    rounds=(ROUND,),
    equipment=EQUIPMENT,
)
INCIDENT: Final = staff.IncidentRow(
    incident=4,
    kind="ball_not_seated",
    subject="A",
    clause="10(d)",
    words="The ball has not come to rest.",
    facts={"subject": "A", "seconds": 90},
    at_us=NOW,
)
CORRECTION: Final = CorrectResult(A, RoundNumber(11), Pocket("19"), "The camera shows 19.")
PROPOSAL: Final = staff.ProposalRow(
    proposal=2, command=CORRECTION, person="ruth", device="pit-1", expires_at_us=NOW + 120_000_000
)
DRAWER: Final = staff.DrawerRow(
    drawer="D1",
    person="sam",
    float_=50_000,
    opened_at_us=1_780_000_000_000_000,
    filled=20_000,
    dropped=0,
    paid_out=None,
    taken_in=None,
    cash=None,
    counted=None,
    currency="AUD",
)
DEVICE: Final = staff.DeviceRow(terminal="A-1", tables=(A,), device="printer", words="it is out of paper")
FLOOR: Final = staff.FloorState(
    tables={A: FLOOR_TABLE},
    incidents=(INCIDENT,),
    incidents_more=0,
    proposals=(PROPOSAL,),
    devices=(DEVICE,),
    drawers=(DRAWER,),
    terms={A: TERMS},
    rulebooks=(RULEBOOK,),
    holds=(HELD,),
    holds_more=0,
    debts=(DEBT,),
    debts_more=0,
    needs=(NEED,),
    needs_more=0,
)

RECKONED: Final = queries.TerminalPreviewRow(
    terminal=SEAT,
    staked=1_500,
    paid=9_000,
    due=0,
    before=queries.TerminalMoneyRow(credit=56_500, up=0, held=0, owed=0),
    after=queries.TerminalMoneyRow(credit=47_500, up=0, held=0, owed=0),
    gone=False,
)
CHIPS_RECKONED: Final = queries.ChipPreviewRow(
    position=3,
    label="Seat 1",
    staked=1_500,
    paid=36_000,
    due=0,
    before=queries.ChipMoneyRow(unpaid=35_000, up=1_000, owed=0),
    after=queries.ChipMoneyRow(unpaid=0, up=0, owed=0),
    gone=False,
)
PAYMENT: Final = queries.FrozenPayment(segment="inside", amount=35_000, made=False)
FROZEN: Final = queries.FrozenRound(
    rulebook="skycity-adelaide-2003",
    opened_at_us=NOW - 90_000_000,
    status="settled",
    pocket=Pocket("17"),
    corrected=(),
    reason="",
    clause=None,
    seats=1,
    staked=1_500,
    returned=9_000,
    stakes={SPLIT: 500, RED: 1_000},
    paid=9_000,
    players=None,
    pieces={},
    payments=(),
    sealed="5c3d1e7a" * 8,
    digest="9f02b64e" * 8,
)
CLOSING: Final = staff.AvailableAction(
    label="close_resolved",
    command=CloseDispute(Number(1), resolved=True),
    asks=(),
    titles=("Shift Manager",),
    dual=False,
)
DISPUTE: Final = queries.DisputeRow(
    dispute=1,
    table=A,
    round=11,
    terminal=SEAT,
    position=None,
    player="",
    basis="from_rules",
    clause="12(j)",
    rule="11(e)",
    words="The ball lay in 20.",
    memorandum="",
    state="final",
    opened=queries.SignedAction("ruth", NOW),
    evidence=FROZEN,
    decision="The film shows 17.",
    decided=queries.SignedAction("ann", NOW + 600_000_000),
    advised=None,
    review=None,
    review_by_house=False,
    outcome="",
    reviewed=None,
    resolved=None,
    closed=None,
    actions=(CLOSING,),
)
REPLAY_SEAT: Final = queries.ReplaySeat(
    terminal=SEAT,
    at_start={},
    sealed={SPLIT: 500, RED: 1_000},
    staked=1_500,
    returned=9_000,
    winners={SPLIT: 9_000},
)
REPLAY_STEP: Final = queries.ReplayStep(
    position=4_690,
    at_us=NOW - 60_000_000,
    kind="BetsChanged",
    words="Chips: place, so that there lie 5 on 17/20.",
    clause=None,
    person="",
    device=SEAT,
    terminal=SEAT,
    stakes={SPLIT: 500},
    pocket=None,
)
JOURNAL_ROW: Final = queries.JournalRow(
    position=4_702,
    at_us=NOW,
    day=20_261_115,
    kind="ResultDeclared",
    words="The number is 17 (dealer).",
    clause=None,
    person="ruth",
    device="dealer-1",
    table=A,
    terminal=None,
    round=11,
)
TICKET: Final = queries.TicketRow(
    sequence=2,
    form="payment_slip",
    amount=9_000,
    currency="AUD",
    status="redeemed",
    terminal=SEAT,
    venue="",
    issued_at_us=NOW - 600_000_000,
    day=20_261_115,
    last_four="1680",
    duplicates=0,
    reported_lost=False,
    paid_at_us=NOW,
    paid_place="D1",
    paid_by="sam",
    why_not=terminal.Cited(
        "Payment slip 2 is already paid, at D1 by sam.", "7(e)", "ticket_paid", {"place": "D1", "by": "sam"}
    ),
    actions=(),
)
PAID: Final = outbound.PayoutInstruction(
    amount=12_350,
    currency="AUD",
    drawer="D1",
    terminal=SEAT,
    sequence=2,
    hold=None,
    notes=((10_000, 1), (2_000, 1)),
    coins=350,
    values=(2_000, 10_000),
)
PERSON: Final = queries.PersonRow(person="ruth", titles=("Pit Boss",), acting=(), devices=("pit-1",))
LINE: Final = queries.AuditLine("credit", 48_500)

#: What staff are notified is made of.
STAFF_PARTS: Final = (
    FLOOR,
    FLOOR_TABLE,
    BLOCKER,
    STEP,
    ROW,
    TAKINGS,
    EQUIPMENT,
    EXPOSURE,
    ROUND,
    SIGHTING,
    TERMS,
    TERMS_ROW,
    RULEBOOK,
    LIMITS,
    HELD,
    NEED,
    CLEARING,
    INCIDENT,
    PROPOSAL,
    DEVICE,
    DRAWER,
    RECKONED,
    RECKONED.before,
    CHIPS_RECKONED,
    CHIPS_RECKONED.before,
    PAYMENT,
    DISPUTE,
    DISPUTE.opened,
    FROZEN,
    REPLAY_SEAT,
    REPLAY_STEP,
    JOURNAL_ROW,
    TICKET,
    LINE,
    PERSON,
)
