"""Precedence of refusals: with several faults the first is reported; with each corrected, the next one is."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from croupier.house import AnyCommand, House, apply
from croupier.house.credit.drawers import CloseDrawer, CountDrawer, OpenDrawer, RedeemTicket
from croupier.house.credit.tickets import Collect, ConfirmPrint, TicketRedeemed, Validation, VoidTicket
from croupier.house.declare import Decision
from croupier.house.floor.malfunctions import RaiseMalfunction
from croupier.house.floor.service import CloseTerminal, NotifyOfficer, ReportTerminalLost
from croupier.house.floor.signatures import Approve, ProposalApproved, ProposalMade
from croupier.house.ids import (
    Context,
    Day,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.play.betting import BetsChanged, PlaceBets
from croupier.house.rounds.corrections import CorrectResult, ResultCorrected
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.state.records import MalfunctionKind
from croupier.house.timers import Tick
from croupier.house.verification import state_digest
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from croupier.transcripts.driver import device_of
from tests.support.house_driver import TABLE, Play, cents

ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
T1, STRANGER, WORDS, ONE = TerminalId("T1"), "stranger", "as it must be", Number(1)

#: What is wrong, and the code that tells of it, in the order in which things are mended.
Table = tuple[tuple[str, Code], ...]
Wrong = frozenset[str]

WHO: Table = (
    ("no house", Code.HOUSE_NOT_FOUNDED),
    ("device not enrolled", Code.UNKNOWN_DEVICE),
    ("no such terminal", Code.UNKNOWN_TERMINAL),
    ("no such table", Code.UNKNOWN_TABLE),
    ("person not enrolled", Code.UNKNOWN_PERSON),
    ("signed by an auditor", Code.NOT_AUTHORISED),
)
BET_AT_CLEARWATER: Table = (
    *WHO,
    ("from another terminal", Code.NOT_AUTHORISED),
    ("terminal closed", Code.TERMINAL_CLOSED),
    ("malfunction", Code.TERMINAL_BLOCKED),
    ("link gone", Code.TERMINAL_DARK),
    ("win held", Code.WIN_HELD),
    ("for another round", Code.WRONG_ROUND),
    ("bets closed", Code.BETS_CLOSED),
    ("voisins", Code.CALL_NOT_OFFERED),
    ("finale 12", Code.CALL_ARGUMENT),
    ("neighbours 22 by 9", Code.NEIGHBOURS_REACH),
    ("0/3", Code.SPOT_NOT_ON_LAYOUT),
    ("nothing on even", Code.STAKE_NOT_POSITIVE),
    ("broken credit on odd", Code.NOT_WHOLE_CREDITS),
    ("too much on 17", Code.STAKE_OVER_MAXIMUM),
    ("too much in all", Code.TOTAL_OVER_MAXIMUM),
    ("more than the credit", Code.CREDIT_SHORT),
    ("as much on black", Code.TOO_LITTLE_RISK),
)
BET_AT_ADELAIDE: Table = (
    *WHO,
    ("from another terminal", Code.NOT_AUTHORISED),
    ("terminal closed", Code.TERMINAL_CLOSED),
    ("malfunction", Code.TERMINAL_BLOCKED),
    ("link gone", Code.TERMINAL_DARK),
    ("for another round", Code.WRONG_ROUND),
    ("bets closed", Code.BETS_CLOSED),
    ("voisins", Code.CALL_NOT_OFFERED),
    ("0/00/1/2/3", Code.KIND_NOT_PRICED),
    ("1/5", Code.SPOT_NOT_ON_LAYOUT),
    ("nothing on even", Code.STAKE_NOT_POSITIVE),
    ("broken credit on odd", Code.NOT_WHOLE_CREDITS),
    ("too little on high", Code.STAKE_UNDER_MINIMUM),
    ("too much on 17", Code.STAKE_OVER_MAXIMUM),
    ("too much in all", Code.TOTAL_OVER_MAXIMUM),
    ("more than the credit", Code.CREDIT_SHORT),
)
#: What each bet that is wrong adds to the slip; calls and spots that are wrong name themselves.
ADDS = {
    "nothing on even": (("even", 0),),
    "broken credit on odd": (("odd", 503),),
    "too little on high": (("high", 200),),
    "too much on 17": (("17", 20_000),),
    "too much in all": (("1/2", 10_000), ("4/5", 10_000), ("7/8", 10_000)),
    "more than the credit": (("13/14", 8_000),),
    "as much on black": (("black", 500),),
}
CALLS = ("voisins", "finale 12", "neighbours 22 by 9", "0/3", "0/00/1/2/3", "1/5")

REDEEM: Table = (
    ("no house", Code.HOUSE_NOT_FOUNDED),
    ("device not enrolled", Code.UNKNOWN_DEVICE),
    ("person not enrolled", Code.UNKNOWN_PERSON),
    ("signed by an auditor", Code.NOT_AUTHORISED),
    ("another's drawer", Code.NOT_AUTHORISED),
    ("no such ticket", Code.TICKET_UNKNOWN),
    ("ticket spent", Code.TICKET_PAID),
    ("not dispensed", Code.TICKET_NOT_DISPENSED),
    ("paper altered", Code.TICKET_ALTERED),
    ("no such drawer", Code.DRAWER_UNKNOWN),
    ("drawer handed in", Code.DRAWER_CLOSED),
    ("drawer short", Code.DRAWER_SHORT),
)
SPENT = {"paid": Code.TICKET_PAID, "void": Code.TICKET_VOID, "expired": Code.TICKET_EXPIRED}

CORRECT: Table = (
    ("no house", Code.HOUSE_NOT_FOUNDED),
    ("device not enrolled", Code.UNKNOWN_DEVICE),
    ("no such table", Code.UNKNOWN_TABLE),
    ("person not enrolled", Code.UNKNOWN_PERSON),
    ("signed by a dealer", Code.NOT_AUTHORISED),
    ("no such round", Code.UNKNOWN_RECORD),
    ("round not settled", Code.OUT_OF_TURN),
    ("no words", Code.REASON_NOT_LISTED),
    ("the same number", Code.NUMBERS_DIFFER),
    ("no such number", Code.POCKET_NOT_ON_WHEEL),
)
APPROVE: Table = (
    ("no house", Code.HOUSE_NOT_FOUNDED),
    ("device not enrolled", Code.UNKNOWN_DEVICE),
    ("person not enrolled", Code.UNKNOWN_PERSON),
    ("signed by a dealer", Code.NOT_AUTHORISED),
    ("signed by an inspector", Code.NOT_AUTHORISED),
    ("the same person", Code.SAME_PERSON),
    ("the same device", Code.SAME_DEVICE),
    ("too late", Code.PROPOSAL_EXPIRED),
)


@dataclass(frozen=True)
class Requested:
    """A command as it is put: to which house, and by whom."""

    floor: Play
    command: AnyCommand
    device: DeviceId
    person: PersonId = PersonId("")

    def decide_with(self, wrong: Wrong) -> Decision:
        """Ask; a refusal must change nothing."""
        floor = self.floor
        house = House.new(read_canonical) if "no house" in wrong else floor.house
        before = state_digest(house)
        answer = apply(house, self.command, Context(floor.now, self.device, self.person))
        assert isinstance(answer, tuple) or state_digest(house) == before
        return answer


def bet_at_clearwater(wrong: Wrong) -> Requested:
    """Bet 5 on red, with all that is wrong about it."""
    floor = Play(
        CLEARWATER,
        TableSettings(limits=LimitSettings(LimitBounds(None, cents(100)), (), LimitBounds(None, cents(300)))),
    )
    floor.seat("T1", cents(50), TerminalSettings(denominations=(Cents(5),)))
    if "win held" in wrong:
        floor.round("17", T1="35 on 17")
    return _bet(floor, wrong)


def bet_at_adelaide(wrong: Wrong) -> Requested:
    """Bet 5 on red, with all that is wrong about it, where a terminal has a minimum."""
    bounds = LimitBounds(cents(5), cents(100))
    limits = LimitSettings(bounds, (), LimitBounds(None, cents(300)))
    floor = Play(ADELAIDE, TableSettings(limits=limits, warning_s=0))
    floor.seat("T1", cents(50), TerminalSettings(denominations=(Cents(5),)))
    return _bet(floor, wrong)


def _bet(floor: Play, wrong: Wrong) -> Requested:
    floor.seats(T2=0)
    floor.open()
    if "malfunction" in wrong:
        floor.must(RaiseMalfunction(T1, MalfunctionKind.OPINION, WORDS))
    if "terminal closed" in wrong:
        _close_terminal(floor)
    if "link gone" in wrong:
        floor.must(ReportTerminalLost(T1))
    if "bets closed" in wrong:
        floor.close()
    _, table, number, spin = floor.game("T1")
    command = PlaceBets(
        TerminalId("T9") if "no such terminal" in wrong else T1,
        TableId("table 9") if "no such table" in wrong else table,
        RoundNumber(number + ("for another round" in wrong)),
        spin,
        (*((call, 500) for call in CALLS if call in wrong), *_stakes(wrong), ("red", 500)),
    )
    return Requested(floor, command, *_asks(wrong, "signed by an auditor", "auditor") or _player(wrong))


def _stakes(wrong: Wrong) -> tuple[tuple[str, int], ...]:
    return tuple(bet for name, bets in ADDS.items() if name in wrong for bet in bets)


def _close_terminal(floor: Play) -> None:
    boss = floor.rulebook.staff.order[-1].lower()
    floor.by(boss, NotifyOfficer("T1", WORDS))
    floor.at(1)
    assert isinstance(floor.by(boss, CloseTerminal(T1, WORDS)), tuple)


def _player(wrong: Wrong) -> tuple[DeviceId, PersonId]:
    return DeviceId("T2" if "from another terminal" in wrong else "T1"), PersonId("")


def _asks(wrong: Wrong, wrongly: str, person: str) -> tuple[DeviceId, PersonId] | None:
    """Say who asks where that is wrong: at which device, and signed by whom."""
    if not wrong & {"device not enrolled", "person not enrolled", wrongly}:
        return None
    device = DeviceId(STRANGER) if "device not enrolled" in wrong else device_of(person)
    return device, PersonId(STRANGER if wrong & {"device not enrolled", "person not enrolled"} else person)


def redeem(wrong: Wrong, spent: str = "paid") -> Requested:
    """Bring a slip of 50 to the cashier, with all that is wrong about it."""
    floor = Play(ADELAIDE, ticket_days=1)
    floor.enrol("Cashier", "cashier 2")
    floor.enrol("Inspector", "inspector 2")
    floor.seats(T1=50)
    floor.must(Collect(T1, Validation(ONE, "digest", "1234")), DeviceId("T1"))
    if "ticket spent" in wrong:
        _spend(floor, spent)
    elif "not dispensed" not in wrong:
        floor.must(ConfirmPrint(T1, ONE), DeviceId("T1"))
    drawer, mine = DrawerId("D1"), "another's drawer" not in wrong
    floor.by("cashier" if mine else "cashier 2", OpenDrawer(drawer, cents(10 if "drawer short" in wrong else 100)))
    if "drawer handed in" in wrong and mine:
        floor.by("cashier", CountDrawer(drawer, cents(0)))
        floor.by("cashier", CloseDrawer(drawer))
        floor.by("inspector", Approve(ONE))
    named = DrawerId("D9") if "no such drawer" in wrong and mine else drawer
    digest = "nonsense" if "no such ticket" in wrong else "digest"
    command = RedeemTicket(named, digest, cents(500 if "paper altered" in wrong else 50))
    asks = _asks(wrong, "signed by an auditor", "auditor") or (device_of("cashier"), PersonId("cashier"))
    return Requested(floor, command, *asks)


def _spend(floor: Play, spent: str) -> None:
    """Bring the slip to an end: it was paid before, its value went back, or its day is over."""
    match spent:
        case "paid":
            floor.must(ConfirmPrint(T1, ONE), DeviceId("T1"))
            floor.by("cashier", OpenDrawer(DrawerId("D0"), cents(100)))
            floor.by("cashier", RedeemTicket(DrawerId("D0"), "digest"))
        case "void":
            floor.by("inspector", VoidTicket(ONE, WORDS))
            floor.by("inspector 2", Approve(ONE))
        case "expired":
            floor.must(Tick(Day(20261118)))


def correct(wrong: Wrong) -> Requested:
    """Have 17 corrected to 18, with all that is wrong about it."""
    floor = Play(ADELAIDE, TableSettings(warning_s=0))
    floor.seats(T1=50)
    floor.round("17", T1="5 on 17")
    floor.open()
    number = 9 if "no such round" in wrong else 2 if "round not settled" in wrong else 1
    table = TableId("table 9") if "no such table" in wrong else TABLE
    pocket = Pocket("17" if "the same number" in wrong else "37" if "no such number" in wrong else "18")
    command = CorrectResult(table, RoundNumber(number), pocket, " " if "no words" in wrong else WORDS)
    asks = _asks(wrong, "signed by a dealer", "dealer") or (device_of("pit boss"), PersonId("pit boss"))
    return Requested(floor, command, *asks)


def approve(wrong: Wrong) -> Requested:
    """Sign a second time under a correction, with all that is wrong about it."""
    floor = correct(frozenset()).floor
    floor.enrol("Pit Boss", "pit boss 2")
    made = floor.by("pit boss", CorrectResult(TABLE, RoundNumber(1), Pocket("18"), WORDS))
    assert isinstance(made, tuple)
    assert isinstance(made[0], ProposalMade)
    floor.now = Instant(made[0].expires_at - ("too late" not in wrong))
    person = "pit boss" if "the same person" in wrong else "pit boss 2"
    device = device_of("pit boss" if "the same device" in wrong else "pit boss 2")
    if "signed by an inspector" in wrong:
        person = "inspector"
    asks = _asks(wrong, "signed by a dealer", "dealer") or (device, PersonId(person))
    return Requested(floor, Approve(ONE), *asks)


TABLES: dict[str, tuple[Table, Callable[[Wrong], Requested], type]] = {
    "a bet at Clearwater": (BET_AT_CLEARWATER, bet_at_clearwater, BetsChanged),
    "a bet at Adelaide": (BET_AT_ADELAIDE, bet_at_adelaide, BetsChanged),
    "a slip at the cashier": (REDEEM, redeem, TicketRedeemed),
    "a correction": (CORRECT, correct, ProposalMade),
    "a second signature": (APPROVE, approve, ProposalApproved),
}
CASES = [
    pytest.param(name, row, id=f"{name}: {wrong}")
    for name, (table, _, _) in TABLES.items()
    for row, (wrong, _) in enumerate(table)
]


@pytest.mark.parametrize(("name", "mended"), CASES)
def test_first_thing_wrong_is_reported(name: str, mended: int) -> None:
    """With all earlier faults corrected and all later ones left, this fault is reported, and nothing changes."""
    table, requested, _ = TABLES[name]
    wrong = frozenset(fault for fault, _ in table[mended:])

    answer = requested(wrong).decide_with(wrong)

    assert isinstance(answer, Refusal), answer
    assert answer.code is table[mended][1]


@pytest.mark.parametrize("name", TABLES)
def test_table_is_in_the_order_of_the_codes(name: str) -> None:
    """The order in which things are mended is the order in which the codes stand."""
    codes = [code for _, code in TABLES[name][0]]

    assert codes == sorted(codes, key=list(Code).index)


@pytest.mark.parametrize("name", TABLES)
def test_what_is_mended_in_full_is_done(name: str) -> None:
    """With nothing left that is wrong, the thing is done."""
    _, requested, done = TABLES[name]
    answer = requested(frozenset()).decide_with(frozenset())

    assert isinstance(answer, tuple), answer
    assert isinstance(answer[0], done)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
@pytest.mark.parametrize(("spent", "code"), SPENT.items())
def test_slip_that_is_spent_is_reported_before_paper_and_drawer(spent: str, code: Code) -> None:
    """A slip that is paid, void or expired is refused as such, whatever else is wrong with it."""
    wrong = frozenset({"ticket spent", "paper altered", "no such drawer", "drawer handed in", "drawer short"})
    answer = redeem(wrong, spent).decide_with(wrong)

    assert isinstance(answer, Refusal)
    assert answer.code is code


def test_correction_with_two_signatures_is_done() -> None:
    """After both have signed, the wrong number is replaced."""
    answer = approve(frozenset()).decide_with(frozenset())

    assert isinstance(answer, tuple)
    assert [type(event) for event in answer] == [ProposalApproved, ResultCorrected]
