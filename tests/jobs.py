"""Errands: one command of every kind, and everybody and everything that might ask for it."""

from collections.abc import Iterator
from typing import NamedTuple

from croupier.house.commands import AnyCommand, credit, play, record, rounds, setup
from croupier.house.ids import (
    SYSTEM,
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
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.transcripts.driver import device_of
from tests.play import TABLE, Play

MARINA, ADELAIDE, CLEARWATER, US = "marina-bay-sands-2020", "skycity-adelaide-2003", "clearwater-etg", "us-double-zero"
T1, T2, OTHER_TABLE = TerminalId("T1"), TerminalId("T2"), TableId("table 2")
ONE, WORDS, SEVENTEEN = Number(1), "as it must be", Pocket("17")

#: Titles from the lowest to the highest, each of which may act as those before it (6.2 at Marina Bay Sands).
ORDER = {
    MARINA: ("Dealer", "Pit Supervisor", "Pit Manager", "Gaming Shift Manager"),
    ADELAIDE: ("Dealer", "Inspector", "Pit Boss", "Shift Manager"),
    CLEARWATER: ("Attendant", "Supervisor", "Shift Manager"),
    US: ("Dealer", "Supervisor"),
}
#: Titles that stand beside that order, and act as nobody else.
BESIDE = {
    MARINA: ("Cashier", "Technician", "Auditor"),
    ADELAIDE: ("Cashier", "Authorised Officer", "Manager Government Casino Inspectorate", "Technician", "Auditor"),
    CLEARWATER: ("Cashier", "Technician", "Auditor"),
    US: ("Cashier", "Technician", "Auditor"),
}


class Actor(NamedTuple):
    """Somebody who asks: at a device, and as what."""

    name: str
    device: DeviceId
    person: PersonId = PersonId("")
    machine: str = ""
    title: str = ""


def actors(rulebook_id: str) -> Iterator[Actor]:
    """Everybody and everything that might ask."""
    yield Actor("own terminal", DeviceId(T1), machine="own terminal")
    yield Actor("another terminal", DeviceId(T2))
    yield Actor("the wheel", DeviceId(TABLE), machine="wheel")
    yield Actor("another wheel", DeviceId(OTHER_TABLE))
    yield Actor("the system", SYSTEM, machine="system")
    yield Actor("a console nobody signed at", device_of("auditor"))
    yield Actor("a device that is not enrolled", DeviceId("stranger"))
    yield Actor("a person who is not enrolled", device_of("auditor"), PersonId("stranger"))
    yield Actor("a person who is not enrolled, at the terminal", DeviceId(T1), PersonId("stranger"))
    yield Actor("a person who is not enrolled, at the system", SYSTEM, PersonId("stranger"))
    for title in (*ORDER[rulebook_id], *BESIDE[rulebook_id]):
        person = PersonId(title.lower())
        yield Actor(title, device_of(person), person, title=title)
        yield Actor(f"{title} at the terminal", DeviceId(T1), person, title=title)
        yield Actor(f"{title} at the system", SYSTEM, person, title=title)
        yield Actor(f"{title} at a device that is not enrolled", DeviceId("stranger"), person)


def jobs(floor: Play) -> dict[str, AnyCommand]:
    """One command of every kind, with nothing wrong but perhaps who asks and when."""
    game, red, ten = floor.game("T1"), SpotKey("red"), Cents(1_000)
    drawer, dealer, settings = DrawerId("D1"), PersonId("dealer"), TableSettings()
    commands: tuple[AnyCommand, ...] = (
        play.PlaceBets(*game, (("red", 500),)),
        play.ChangeBet(*game, red, Cents(500)),
        play.RemoveBets(*game, (red,)),
        play.MoveBet(*game, red, SpotKey("black")),
        *(kind(*game) for kind in (play.UndoBet, play.ClearBets, play.RepeatBets, play.DoubleBets)),
        *(kind(*game) for kind in (play.PressNeighbours, play.ConfirmRecall, play.CancelRecall)),
        *(kind(*game, 1) for kind in (play.SavePattern, play.RecallPattern)),
        play.CopyBets(*game, OTHER_TABLE),
        play.SetAutoCopy(T1, TABLE, OTHER_TABLE, on=True),
        play.ChooseDenomination(T1, Cents(1)),
        rounds.Tick(Day(20261116)),
        rounds.Recover(),
        *(kind(TABLE) for kind in (rounds.OpenBets, rounds.FinishBetting, rounds.CloseBets, rounds.SpinBall)),
        *(kind(TABLE) for kind in (rounds.BallLaunched, rounds.BallLeftTrack, rounds.ResetTerminals)),
        rounds.BallAtRest(TABLE, SEVENTEEN),
        rounds.WheelTrouble(TABLE, Reason.FOREIGN_OBJECT),
        rounds.ConfirmResult(TABLE, SEVENTEEN),
        rounds.EnterResult(TABLE, SEVENTEEN, SEVENTEEN),
        rounds.CallNoSpin(TABLE, Reason.FOREIGN_OBJECT),
        rounds.ReferRound(TABLE, WORDS),
        rounds.DecideReferral(TABLE, rounds.ReferralDecision.VOID, WORDS),
        rounds.AttestResult(TABLE, SEVENTEEN, WORDS),
        rounds.CorrectResult(TABLE, RoundNumber(1), SEVENTEEN, WORDS),
        rounds.InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, WORDS),
        credit.InsertNote(T1, "AUD", ten),
        credit.InsertTicket(T1, "digest"),
        credit.GrantPlayMoney(T1, ten),
        credit.Collect(T1, credit.Validation(ONE, "digest", "1234")),
        credit.ConfirmPrint(T1, ONE),
        *(kind(ONE, WORDS) for kind in (credit.ReprintTicket, credit.VoidTicket, credit.ReleaseTicket)),
        credit.ReportLost(ONE, WORDS),
        credit.OpenDrawer(drawer, ten),
        credit.RedeemTicket(drawer, "digest"),
        credit.BuyIn(T1, drawer, ten),
        credit.CountDrawer(drawer, ten),
        credit.CloseDrawer(drawer),
        credit.RecordTaxForm(T1, ONE, "A. Patron", "W-1"),
        credit.ReleaseHeldWin(T1, ONE),
        credit.PayHeldWin(T1, ONE, drawer),
        credit.AdjustCredit(T1, -100, WORDS),
        credit.EndSession(T1),
        credit.PayPayable(T1, 0, drawer, ten, WORDS),
        setup.CreateHouse(Mode.DEMO, "Somewhere", "UTC"),
        setup.AdoptRulebook("{}"),
        setup.AddTable(TableId("table 3"), floor.rulebook.digest, settings),
        setup.AddTerminal(TerminalId("T3"), (TABLE,), TerminalSettings()),
        setup.EnrolDevice(DeviceId("a new console")),
        setup.ReleaseDevice(DeviceId("T1")),
        setup.EnrolPerson(PersonId("a new dealer"), ("Dealer",)),
        setup.ReleasePerson(dealer),
        setup.UnlockAccount(dealer),
        setup.AppointActing(dealer, "Dealer", Instant(0), Instant(1)),
        setup.ApproveBuild("1", "letter"),
        setup.ReportBuild("1"),
        setup.ChangeSettings(TABLE, settings, WORDS),
        setup.ChangeRulebook(TABLE, floor.rulebook.digest, WORDS),
        setup.NotifyOfficer("T1", WORDS),
        setup.CloseTable(TABLE, WORDS),
        setup.ReopenTable(TABLE),
        setup.CloseTerminal(T1, WORDS),
        *(kind(T1) for kind in (setup.ReopenTerminal, record.ReportTerminalLost, record.ReportTerminalReturned)),
        setup.SendMessage((), WORDS),
        *(kind(T1, WORDS) for kind in (setup.ArrangeVip, setup.EndArrangement)),
        setup.AcceptHistory(1, (dealer, PersonId("inspector")), WORDS),
        setup.PrintRules(TABLE),
        *(kind(ONE) for kind in (setup.Approve, setup.Withdraw)),
        record.RaiseMalfunction(T1, record.MalfunctionKind.OPINION, WORDS),
        record.RaiseSystemMalfunction(TABLE, WORDS),
        record.ConfirmBets(ONE, "digest"),
        record.VoidBets(ONE, WORDS),
        record.ClearCase(ONE),
        record.ClearLineLoss(TABLE, ONE),
        record.ReportDisplay(T1),
        record.ReportBoard(TABLE, "17"),
        record.NoteIncident("T1", WORDS),
        record.RaiseAlarm(record.IncidentKind.CLOCK_JUMPED, "T1", WORDS),
        record.ClearIncident(ONE),
        record.OpenDispute(TABLE, RoundNumber(1), T1, record.DisputeBasis.NOT_COVERED, WORDS),
        record.DecideDispute(ONE, WORDS),
        record.AdviseComplainant(ONE),
        record.RequestReview(ONE, by_house=False),
        record.RecordReview(ONE, WORDS),
        record.CloseDispute(ONE, resolved=True),
    )
    return {type(command).__name__: command for command in commands}
