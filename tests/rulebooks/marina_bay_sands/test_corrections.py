"""Marina Bay Sands in the house: the compartment against the display, and how a wrong number is put right."""

import pytest

from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, RoundNumber, TerminalId
from croupier.house.rounds.corrections import CorrectResult, ResultCorrected
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.results import AttestResult, ConfirmResult, EnterResult, ReportBoard
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.settings import Mode, TableSettings
from croupier.house.views import terminal_view
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from croupier.words import message_text
from tests.support.house_driver import TABLE, Play, cents, refused

VENUE = "marina-bay-sands-2020"
CONFIRMS = TableSettings(confirms=True)
MANAGER = "gaming shift manager"


def settled_on_17() -> Play:
    """Find round 1 settled on 17, with 10 on 17 at T1 and 10 on 20 at T2."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100)
    play.round("17", T1="10 on 17", T2="10 on 20")
    assert (play.credit("T1"), play.credit("T2")) == (450, 90)
    return play


def correct(play: Play, pocket: str = "20", number: int = 1) -> None:
    """Put a number right with two signatures."""
    play.by("pit manager", CorrectResult(TABLE, RoundNumber(number), Pocket(pocket), "the ball lies there"))
    done = play.by(MANAGER, Approve(Number(play.house.proposals.made)))
    assert isinstance(done, tuple), done


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
@pytest.mark.parametrize("later", [0, 3])
def test_true_compartment_stands(later: int) -> None:
    """Settled on 17 where 20 is true, T1 loses 360 and T2 gains 360; 20 is in the history, and both on record."""
    play = settled_on_17()
    for _ in range(later):
        play.round("5")
    correct(play)
    assert (play.credit("T1"), play.credit("T2")) == (90, 450)
    assert play.table.numbers == (*["5"] * later, "20")
    found = play.table.find_round(RoundNumber(1))
    assert found is not None
    assert (found.pocket, found.corrected) == ("20", ["17"])
    kept = [entry.event for entry in play.journal.entries()]
    assert [event.pocket for event in kept if isinstance(event, ResultDeclared) and event.round == 1] == ["17"]
    assert [(event.was, event.pocket) for event in kept if isinstance(event, ResultCorrected)] == [("17", "20")]
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_terminals_show_the_true_number() -> None:
    """After the correction terminals highlight 20, and their records of the game say what it brought on 20."""
    play = settled_on_17()
    correct(play)
    views = {seat: terminal_view(play.house, TerminalId(seat), TABLE, play.now) for seat in ("T1", "T2")}
    assert {view.highlighted for view in views.values()} == {"20"}
    assert {view.numbers for view in views.values()} == {("20",)}
    records = [play.house.terminals[TerminalId(seat)].recall[0] for seat in ("T1", "T2")]
    assert [(record.pocket, record.returned) for record in records] == [("20", 0), ("20", 360_00)]


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_terminals_show_what_was_truly_won() -> None:
    """After the correction the win shown at T1 is nothing, and at T2 it is 350."""
    play = settled_on_17()
    correct(play)
    won = [terminal_view(play.house, TerminalId(seat), TABLE, play.now).won for seat in ("T1", "T2")]
    assert won == [0, 350_00]


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_players_of_the_round_receive_what_changed() -> None:
    """Each player who bet reads the numbers, the returns and the credit before and after; T3, who did not, nothing."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100, T3=100, T4=100)
    play.round("17", T1="10 on 17", T2="10 on 20", T4="10 on 5")
    correct(play)
    read = {name: tuple(map(message_text, each.messages)) for name, each in play.house.terminals.items()}
    change = "Round 1 was corrected by the house: 17 → 20. Your bets:"
    assert read == {
        "T1": (f"{change} 360 → 0. Credit: 450 → 90 [6.3].",),
        "T2": (f"{change} 0 → 360. Credit: 90 → 450 [6.3].",),
        "T3": (),
        "T4": (f"{change} 0 → 0. Credit: 90 → 90 [6.3].",),
    }


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_correction_after_the_winner_has_gone() -> None:
    """T1 collected 450 before 17 was corrected: its meter stays at nothing, and 360 are owed to the house."""
    play = Play(VENUE, mode=Mode.REAL)
    play.seats(T1=0, T2=0)
    for seat in ("T1", "T2"):
        play.must(InsertNote(TerminalId(seat), "SGD", cents(100)), DeviceId(seat))
    play.round("17", T1="10 on 17", T2="10 on 20")
    play.must(Collect(TerminalId("T1"), Validation(Number(1), "digest", "1234")), DeviceId("T1"))
    correct(play)
    t1 = play.house.terminals[TerminalId("T1")]
    assert (t1.credit, t1.owes, play.credit("T2")) == (0, 360_00, 450)
    assert not t1.messages
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
@pytest.mark.parametrize(
    ("person", "number", "pocket", "words", "code"),
    [
        ("dealer", 1, "20", "seen", "not_authorised"),
        ("pit supervisor", 1, "20", "seen", "not_authorised"),
        ("pit manager", 1, "17", "seen", "numbers_differ"),
        ("pit manager", 1, "37", "seen", "pocket_not_on_wheel"),
        ("pit manager", 1, "20", " ", "reason_not_listed"),
        ("pit manager", 7, "20", "seen", "unknown_record"),
    ],
)
def test_correction_that_is_refused(person: str, number: int, pocket: str, words: str, code: str) -> None:
    """A correction is for the Pit Manager, of a round that is kept, to another number, with a reason."""
    play = settled_on_17()
    command = CorrectResult(TABLE, RoundNumber(number), Pocket(pocket), words)
    assert refused(play.by(person, command))[0] == code
    assert (play.credit("T1"), play.credit("T2"), play.table.numbers) == (450, 90, ("17",))


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_correction_takes_two_people() -> None:
    """The first signature moves nothing, and the same person cannot give the second."""
    play = settled_on_17()
    play.by("pit manager", CorrectResult(TABLE, RoundNumber(1), Pocket("20"), "the ball lies there"))
    assert refused(play.by("pit manager", Approve(Number(1))))[0] == "same_person"
    assert refused(play.by("pit supervisor", Approve(Number(1))))[0] == "not_authorised"
    assert (play.credit("T1"), play.credit("T2"), play.table.numbers) == (450, 90, ("17",))


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_void_round_is_not_corrected() -> None:
    """No number is put into a round that was void, nor into one that still runs."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 20")
    command = CorrectResult(TABLE, RoundNumber(1), Pocket("20"), "the ball lies there")
    assert refused(play.by("pit manager", command)) == ("out_of_turn", "6.3")
    play.by("dealer", CallNoSpin(TABLE, Reason.SUSPICION, "as seen"))
    assert refused(play.by("pit manager", command)) == ("out_of_turn", "6.3")
    assert (play.credit("T1"), play.table.numbers) == (100, ())


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_wrong_display_before_settlement() -> None:
    """The wheel says 17 and the ball lies in 20: the dealer alone cannot say so, and two people can."""
    play = Play(VENUE, CONFIRMS)
    play.seats(T1=100, T2=100)
    play.round("17", T1="10 on 17", T2="10 on 20")
    assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket("20")))) == ("numbers_differ", "3.8")
    play.by("pit supervisor", AttestResult(TABLE, Pocket("20"), "it lies in 20"))
    play.by("pit manager", Approve(Number(1)))
    assert (play.table.numbers[0], play.credit("T1"), play.credit("T2")) == ("20", 90, 450)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_display_is_for_information() -> None:
    """A board that shows 20 where 17 was declared moves no money; staff are notified under 6.3."""
    play = settled_on_17()
    assert play.must(ReportBoard(TABLE, "17")) == ()
    play.must(ReportBoard(TABLE, "20"))
    incident = play.house.incidents.all[Number(1)]
    assert (incident.kind, incident.clause) == (IncidentKind.DISPLAY_DIFFERS, "6.3")
    assert (play.credit("T1"), play.credit("T2")) == (450, 90)


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_wheel_contradicts_a_number_entered_by_hand() -> None:
    """A dealer enters 17 and the wheel then reports 20: staff are notified that the numbers differ."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.spin()
    play.by("dealer", EnterResult(TABLE, Pocket("17"), Pocket("17")))
    play.rest("20")
    assert [incident.kind for incident in play.house.incidents.all.values()] == [IncidentKind.NUMBER_DIFFERS]


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_number_is_not_corrected_to_itself() -> None:
    """A correction to the number that was settled on is refused, in words that say that it is the same."""
    play = Play("marina-bay-sands-2020")
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    refusal = play.by("pit manager", CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "the camera shows 17"))
    assert isinstance(refusal, Refusal)
    assert refusal.clause == "6.3"
    assert refusal.message == "17 is the number that round 1 was settled on: there is nothing to correct."
