"""Signatures: who holds which title, what takes two people, and what is closed down after notice."""

import pytest

from croupier.house import AnyCommand, House, apply
from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.service import CloseTable, CloseTerminal, NotifyOfficer, ReopenTable, ReopenTerminal
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.setup import CreateHouse
from croupier.house.floor.signatures import Approve, ProposalApproved, ProposalMade, Withdraw
from croupier.house.floor.staff import AccountUnlocked, AppointActing, EnrolPerson, ReleasePerson, UnlockAccount
from croupier.house.ids import SECOND, SYSTEM, Context, Instant, Number, PersonId, RoundNumber
from croupier.house.play.betting import BetsReturned
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome, ResultCorrected
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.settings import Mode, TableSettings
from croupier.house.state.tables import RoundStatus
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Code, Refusal
from tests.support.house_driver import CLEARWATER, CONSOLE, DESK, MARINA, P1, T1, T2, TABLE, CheckedHouse

ONE = Number(1)
CORRECTION = CorrectResult(TABLE, RoundNumber(1), Pocket("18"), "misread")
HOUR = 3600


def settled(rulebook_id: str = "skycity-adelaide-2003") -> CheckedHouse:
    pit = CheckedHouse(rulebook_id)
    pit.open(credit=100_00, stake=10_00)
    pit.close()
    pit.rest("17")
    return pit


@pytest.mark.clause("marina-bay-sands-2020", "6.2")
def test_higher_position_does_what_a_lower_one_may() -> None:
    """The Gaming Shift Manager may close betting as a Dealer does; a Dealer may not decide what is referred."""
    pit = CheckedHouse(MARINA)
    pit.open()
    pit.done(CloseBets(TABLE), "Gaming Shift Manager")
    pit.done(ReferRound(TABLE, "a dispute over seats"), "Dealer")
    decision = DecideReferral(TABLE, ReferralDecision.VOID, "no harm")
    pit.refused(decision, Code.NOT_AUTHORISED, "6.1", by="Dealer")
    pit.done(decision, "Gaming Shift Manager")


@pytest.mark.clause("marina-bay-sands-2020", "6.2")
def test_acting_position_is_held_for_a_time() -> None:
    """A Dealer who acts as Pit Manager from 10:00 to 12:00 may correct a number at 11:00 and not at 12:01."""
    pit = settled(MARINA)
    acting = AppointActing(PersonId("Dealer"), "Pit Manager", Instant(10 * HOUR * SECOND), Instant(12 * HOUR * SECOND))
    pit.signed(acting, "Gaming Shift Manager")
    pit.refused(CORRECTION, Code.NOT_AUTHORISED, "6.3", by="Dealer")
    pit.seconds = 11 * HOUR
    assert isinstance(pit.done(CORRECTION, "Dealer")[0], ProposalMade)
    pit.seconds = 12 * HOUR + 60
    pit.refused(CORRECTION, Code.NOT_AUTHORISED, "6.3", by="Dealer")
    again = AppointActing(
        PersonId("Dealer"), "Pit Supervisor", Instant(13 * HOUR * SECOND), Instant(14 * HOUR * SECOND)
    )
    pit.signed(again, "Gaming Shift Manager")
    assert [post.title for post in pit.house.staff.people[PersonId("Dealer")].acting] == ["Pit Supervisor"]


def test_acting_appointment_that_cannot_be() -> None:
    """Somebody acts who is enrolled, in a position that the rules know, from a moment to a later one."""
    pit = CheckedHouse(MARINA)
    now, later = Instant(0), Instant(1)
    dealer, manager = PersonId("Dealer"), "Gaming Shift Manager"
    pit.refused(AppointActing(PersonId("nobody"), "Dealer", now, later), Code.UNKNOWN_PERSON, by=manager)
    pit.refused(AppointActing(dealer, "Pit Boss", now, later), Code.UNKNOWN_RECORD, "6.2", by=manager)
    pit.refused(AppointActing(dealer, "Pit Manager", now, now), Code.SETTING_IMPOSSIBLE, "6.2", by=manager)


def test_titles_are_those_of_the_rules() -> None:
    """A person is enrolled with titles that an adopted rulebook knows, which may change while an acting post stays."""
    pit = CheckedHouse(MARINA)
    ada = PersonId("ada")
    pit.refused(EnrolPerson(ada, ("Dealer", "Wizard")), Code.UNKNOWN_RECORD, "6.2")
    pit.refused(EnrolPerson(PersonId(""), ("Dealer",)), Code.MALFORMED)
    pit.done(EnrolPerson(ada, ("Dealer",)))
    pit.signed(AppointActing(ada, "Pit Manager", Instant(0), Instant(SECOND)), "Gaming Shift Manager")
    pit.done(EnrolPerson(ada, ("Pit Supervisor",)))
    assert list(pit.house.staff.people[ada].titles_at(Instant(0))) == ["Pit Supervisor", "Pit Manager"]


def test_no_titles_before_there_are_rules() -> None:
    """Where no rulebook is adopted yet nobody can hold a title."""
    house, context = House.new(read_canonical), Context(Instant(0), SYSTEM)
    apply(house, CreateHouse(Mode.REAL, "Ours", "UTC"), context)
    answer = apply(house, EnrolPerson(PersonId("ada"), ("Dealer",)), context)
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.clause) == (Code.UNKNOWN_RECORD, None)


def test_two_colleagues_unlock_an_account() -> None:
    """Two people of the pit unlock somebody on two devices; the owner signs neither first nor second."""
    pit = settled()
    boss, manager = PersonId("Pit Boss"), PersonId("Shift Manager")
    pit.refused(UnlockAccount(PersonId("nobody")), Code.UNKNOWN_PERSON, by="Shift Manager")
    pit.refused(UnlockAccount(manager), Code.SAME_PERSON, by="Shift Manager")
    pit.refused(UnlockAccount(manager), Code.NOT_AUTHORISED, "11(c)", by="Dealer")
    (made,) = pit.done(UnlockAccount(manager), boss)
    assert isinstance(made, ProposalMade)
    pit.refused(Approve(ONE), Code.SAME_PERSON, by="Shift Manager", on=DESK)
    pit.refused(Approve(ONE), Code.SAME_PERSON, "11(e)", by="Pit Boss", on=DESK)
    signed, unlocked = pit.done(Approve(ONE), "other Pit Boss", DESK)
    assert isinstance(signed, ProposalApproved)
    assert unlocked == AccountUnlocked(manager)


def test_leaver_signs_nothing_more() -> None:
    """From a person's release on nothing is taken from them, and what they proposed can be approved no more."""
    pit = settled()
    pit.refused(ReleasePerson(PersonId("nobody")), Code.UNKNOWN_PERSON)
    pit.done(CORRECTION, "Pit Boss")
    pit.done(CORRECTION, "Shift Manager")
    pit.done(ReleasePerson(PersonId("Pit Boss")))
    pit.refused(CORRECTION, Code.UNKNOWN_PERSON, by="Pit Boss")
    pit.refused(Approve(ONE), Code.UNKNOWN_RECORD, by="other Pit Boss", on=DESK)
    pit.done(Approve(Number(2)), "other Pit Boss", DESK)


def test_two_people_on_two_devices_sign() -> None:
    """What one person proposes another approves on another device, and then it is done, with both on record."""
    pit = settled()
    pit.done(CORRECTION, "Pit Boss")
    assert (pit.table.playing.pocket, pit.house.proposals.all[ONE].expires_at) == ("17", 120 * SECOND)
    signed, corrected = pit.done(Approve(ONE), "Shift Manager", DESK)
    people = (PersonId("Pit Boss"), CONSOLE, PersonId("Shift Manager"), DESK)
    assert signed == ProposalApproved(ONE, *people)
    assert isinstance(corrected, ResultCorrected)
    assert (pit.table.playing.pocket, pit.house.proposals.all, pit.house.proposals.made) == ("18", {}, 1)
    pit.refused(Approve(ONE), Code.UNKNOWN_RECORD, by="Shift Manager", on=DESK)


@pytest.mark.parametrize(
    ("by", "on", "now", "code", "clause"),
    [
        ("Pit Boss", "desk", 0, Code.SAME_PERSON, "11(e)"),
        ("Pit Boss", "console", 0, Code.SAME_PERSON, "11(e)"),
        ("other Pit Boss", "console", 0, Code.SAME_DEVICE, "11(e)"),
        ("Inspector", "desk", 0, Code.NOT_AUTHORISED, "11(e)"),
        ("Inspector", "console", 120, Code.NOT_AUTHORISED, "11(e)"),
        ("Pit Boss", "console", 120, Code.SAME_PERSON, "11(e)"),
        ("other Pit Boss", "desk", 120, Code.PROPOSAL_EXPIRED, "11(e)"),
    ],
)
def test_second_signature_that_is_none(by: str, on: str, now: int, code: Code, clause: str) -> None:
    """The second signature is another person's, on another device, with the same right, within 120 seconds."""
    pit = settled()
    pit.done(CORRECTION, "Pit Boss")
    pit.seconds = now
    pit.refused(Approve(ONE), code, clause, by=by, on=on)
    assert (pit.table.playing.pocket, list(pit.house.proposals.all)) == ("17", [1])


def test_second_signature_comes_just_in_time() -> None:
    """At 119 seconds a proposal can still be approved."""
    pit = settled()
    pit.done(CORRECTION, "Pit Boss")
    pit.seconds = 119
    pit.done(Approve(ONE), "other Pit Boss", DESK)
    assert pit.table.playing.pocket == "18"


def test_what_has_become_impossible_is_not_approved() -> None:
    """Where the same thing was done meanwhile, the approval is refused as the thing itself would be."""
    pit = settled()
    pit.done(CORRECTION, "Pit Boss")
    pit.done(CORRECTION, "Pit Boss")
    pit.done(Approve(ONE), "other Pit Boss", DESK)
    pit.refused(Approve(Number(2)), Code.NUMBERS_DIFFER, "11(e)", by="other Pit Boss", on=DESK)
    assert list(pit.house.proposals.all) == [2]


def test_proposal_is_withdrawn_by_whoever_made_it() -> None:
    """Only the proposer takes a proposal back, and then it is gone."""
    pit = settled()
    pit.done(CORRECTION, "Pit Boss")
    pit.refused(Withdraw(ONE), Code.NOT_AUTHORISED, by="Shift Manager")
    pit.done(Withdraw(ONE), "Pit Boss")
    pit.refused(Withdraw(ONE), Code.UNKNOWN_RECORD, by="Pit Boss")


@pytest.mark.parametrize(
    ("command", "title"),
    [
        (AdjustCredit(T1, -500, "paid twice"), "Pit Boss"),
        (ChangeSettings(TABLE, TableSettings(), "quiet night"), "Shift Manager"),
        (InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "alarm"), "Shift Manager"),
    ],
)
def test_one_signature_does_nothing(command: AnyCommand, title: str) -> None:
    """What takes two people is only proposed by one, and changes nothing yet."""
    pit = settled()
    before = (pit.t1.credit, pit.table.next_settings, pit.table.playing.invalidated)
    assert isinstance(pit.done(command, title)[0], ProposalMade)
    assert (pit.t1.credit, pit.table.next_settings, pit.table.playing.invalidated) == before


def test_outcome_that_is_not_paid_yet_takes_one_signature() -> None:
    """The Shift Manager alone invalidates a round that is still running, and the stakes go back."""
    pit = CheckedHouse()
    pit.open(credit=100_00, stake=10_00)
    pit.close()
    pit.done(InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "alarm"), "Shift Manager")
    assert (pit.table.playing.status, pit.t1.credit) == (RoundStatus.VOID, 100_00)


@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
def test_table_is_closed_after_notice() -> None:
    """Notified at 10:00 and closed at 10:05 a table ends its round and begins no other, and a meter of 40 pays 40."""
    pit = CheckedHouse()
    pit.open(credit=50_00, stake=10_00)
    closing = CloseTable(TABLE, "end of the night")
    pit.seconds = 10 * HOUR
    pit.refused(closing, Code.NOT_NOTIFIED, "12(h)", by="Shift Manager")
    pit.done(NotifyOfficer(TABLE, "told Officer Lee"), "Shift Manager")
    pit.refused(closing, Code.NOT_NOTIFIED, "12(h)", by="Shift Manager")
    pit.seconds += 5 * 60
    pit.done(closing, "Shift Manager")
    pit.refused(closing, Code.ALREADY_THERE, "12(h)", by="Shift Manager")
    pit.close()
    pit.rest("18")
    pit.refused(OpenBets(TABLE), Code.TABLE_CLOSED, "12(h)")
    pit.done(Collect(T1, Validation(ONE, "digest", "1234")), on=T1)
    assert (pit.house.tickets.all[ONE].amount, pit.t1.credit) == (40_00, 0)


def test_closed_table_opens_again_and_forgets_the_notice() -> None:
    """One notice is good for one closing: after a table was opened again another is needed."""
    pit = CheckedHouse()
    pit.refused(ReopenTable(TABLE), Code.ALREADY_THERE, "12(h)", by="Shift Manager")
    pit.done(NotifyOfficer(TABLE, "told"), "Shift Manager")
    pit.seconds = 1
    pit.done(CloseTable(TABLE, "late"), "Shift Manager")
    pit.done(ReopenTable(TABLE), "Shift Manager")
    pit.open()
    pit.refused(CloseTable(TABLE, "late"), Code.NOT_NOTIFIED, "12(h)", by="Shift Manager")


@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
def test_terminal_is_closed_after_notice() -> None:
    """A terminal that is closed plays what it has laid, takes no more bets and no money, and can be collected from."""
    pit = CheckedHouse()
    pit.open(credit=50_00, stake=10_00)
    closing = CloseTerminal(T1, "worn screen")
    pit.refused(closing, Code.NOT_NOTIFIED, "12(h)", by="Inspector")
    pit.done(NotifyOfficer("T1", "told"), "Authorised Officer")
    pit.seconds = 1
    pit.done(closing, "Inspector")
    pit.refused(closing, Code.ALREADY_THERE, "12(h)", by="Inspector")
    pit.refused(pit.placing(T1, ("18", 5_00)), Code.TERMINAL_CLOSED, "12(h)", on=T1)
    pit.close()
    pit.rest("18")
    pit.done(Collect(T1, Validation(ONE, "digest", "1234")), on=T1)
    pit.done(ReopenTerminal(T1), "Inspector")
    pit.refused(ReopenTerminal(T1), Code.ALREADY_THERE, "12(h)", by="Inspector")
    pit.refused(closing, Code.NOT_NOTIFIED, "12(h)", by="Inspector")


def test_chips_that_stayed_up_go_back_when_play_ends() -> None:
    """Closed between rounds, a table or a terminal gives winning stakes that stayed on the layout back."""
    pit = settled()
    pit.note(20_00, T2)
    for subject in (TABLE, "T1", "T2"):
        pit.done(NotifyOfficer(subject, "told"), "Shift Manager")
    pit.seconds = 1
    assert len(pit.done(CloseTerminal(T2, "worn"), "Inspector")) == 1
    _, back = pit.done(CloseTable(TABLE, "late"), "Shift Manager")
    assert isinstance(back, BetsReturned)
    assert (back.position, back.clause, pit.t1.credit, pit.t1.in_play) == (P1, "12(h)", 450_00, 0)


def test_stayed_chips_of_other_terminals_stay() -> None:
    """Closing one terminal between rounds leaves what another won on the layout."""
    pit = settled()
    pit.done(NotifyOfficer("T2", "told"), "Shift Manager")
    pit.seconds = 1
    assert len(pit.done(CloseTerminal(T2, "worn"), "Inspector")) == 1
    assert pit.t1.in_play == 10_00


def test_reason_and_subject_of_a_closing() -> None:
    """Notice is of a table or terminal that is there, and a closing says why; some venues ask for no notice."""
    pit = CheckedHouse(CLEARWATER)
    pit.refused(NotifyOfficer("T9", "told"), Code.UNKNOWN_RECORD, by="Shift Manager")
    pit.refused(CloseTable(TABLE, ""), Code.REASON_NOT_LISTED, "25", by="Shift Manager")
    pit.done(CloseTable(TABLE, "late"), "Shift Manager")
    pit.done(CloseTerminal(T1, "worn"), "Attendant")
    assert (pit.table.closed, pit.t1.closed) == (True, True)
