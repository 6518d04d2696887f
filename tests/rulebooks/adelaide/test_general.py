"""SkyCity Adelaide in the house: outcomes taken back, tables and terminals closed, and credits collected."""

from functools import partial

import pytest

from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.tickets import Collect, ConfirmPrint, TicketState, Validation
from croupier.house.floor.service import CloseTable, CloseTerminal, NotifyOfficer
from croupier.house.floor.signatures import Approve, ProposalApproved
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId, RoundNumber, TerminalId
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome, OutcomeInvalidated
from croupier.house.rounds.opening import OpenBets
from croupier.house.state.tables import RoundStatus
from croupier.house.views import TerminalView, terminal_view
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId, Refusal
from tests.support.house_driver import TABLE, Play, cents, refused, with_bets, with_note
from tests.support.rules_driver import RulesDriver

VENUE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
ONE = Number(1)
row = RulesDriver(VENUE).row


betting = partial(with_bets, VENUE)


def seen(play: Play, seat: str = "T1") -> TerminalView:
    """What a terminal shows now."""
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


def invalidating(
    reason: Reason = Reason.FIRE, words: str = "alarm", suspect: str = "", evidence: str = ""
) -> InvalidateOutcome:
    return InvalidateOutcome(TABLE, RoundNumber(1), reason, words, PersonId(suspect), evidence)


def settled() -> Play:
    """Find a round that was settled on 17: T1 won 350, and of 40 staked T2 and T3 lost 30."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100, T3=100)
    play.enrol("Shift Manager", "shift manager 2")
    play.round("17", T1="10 on 17", T2="20 on red", T3="10 on 5")
    return play


def worth(play: Play) -> list[float]:
    """What each terminal has on its meter and its layout."""
    return [play.credit(str(seat)) + sum(play.layout(str(seat)).values()) for seat in play.table.terminals]


LISTED = [
    *(
        row("12(b)i", invalidating(reason), "12(b)i")
        for reason in (
            Reason.COMMOTION,
            Reason.FIRE,
            Reason.RIOT,
            Reason.BRAWL,
            Reason.ROBBERY,
            Reason.ACT_OF_GOD,
        )
    ),
    row("12(b)ii", invalidating(Reason.FRAUD_BY_DEALER, "magnet", "dealer 7", "video 4711"), "12(b)ii"),
    row("12(b)ii", invalidating(Reason.FRAUD_BY_PLAYER, "late bet", "player 3"), "12(b)ii"),
]


@pytest.mark.clause("skycity-adelaide-2003", "12(b)")
@pytest.mark.parametrize(("wanted", "clause"), LISTED)
def test_settled_outcome_is_taken_back_for_a_listed_reason(wanted: InvalidateOutcome, clause: str) -> None:
    """Two shift managers take 17 back: T1's 350 are reversed, all 40 staked are returned, and who signed is kept."""
    play = settled()
    assert worth(play) == [450, 80, 90]
    assert not isinstance(play.by("shift manager", wanted), Refusal)
    assert (worth(play), len(play.house.proposals.all)) == ([450, 80, 90], 1)
    assert not isinstance(play.by("shift manager 2", Approve(ONE)), Refusal)
    assert worth(play) == [100, 100, 100]
    signed, event = play.events[-2:]
    assert isinstance(signed, ProposalApproved)
    assert (signed.proposer, signed.approver) == ("shift manager", "shift manager 2")
    assert event == OutcomeInvalidated(
        TABLE, RoundNumber(1), wanted.reason, ClauseId(clause), wanted.words, wanted.suspect, wanted.evidence
    )
    assert play.table.numbers == ()
    play.check()


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        row("12(b)i", invalidating(words=""), "reason_not_listed"),
        row("12(b)i", invalidating(Reason.SAME_DIRECTION), "reason_not_listed"),
        row("12(b)i", invalidating(Reason.MALFUNCTION), "reason_not_listed"),
        row("12(b)i", invalidating(Reason.NOT_COVERED), "reason_not_listed"),
        row("12(b)ii", invalidating(Reason.FRAUD_BY_DEALER), "reason_not_listed"),
        row("12(b)ii", invalidating(Reason.FRAUD_BY_PLAYER), "reason_not_listed"),
        row("12(b)ii", invalidating(Reason.FRAUD_BY_DEALER, " ", "dealer 7"), "reason_not_listed"),
    ],
)
def test_outcome_stands_without_a_listed_reason(wanted: InvalidateOutcome, code: str) -> None:
    """Without a listed reason, without words, or without whom a fraud is laid to, nothing is even proposed."""
    play = settled()
    assert refused(play.by("shift manager", wanted))[0] == code
    assert (worth(play), play.house.proposals.all) == ([450, 80, 90], {})


@pytest.mark.clause("skycity-adelaide-2003", "12(b)")
@pytest.mark.parametrize("person", ["dealer", "inspector", "pit boss", "cashier", "authorised officer"])
def test_outcome_is_for_the_shift_manager_to_take_back(person: str) -> None:
    """Nobody below the shift manager takes an outcome back."""
    play = settled()
    assert refused(play.by(person, invalidating())) == ("not_authorised", "12(b)")
    assert worth(play) == [450, 80, 90]


@pytest.mark.clause("skycity-adelaide-2003", "12(b)")
def test_outcome_is_taken_back_once() -> None:
    """A round that was taken back is neither taken back again nor corrected, and one that never was is unknown."""
    play = settled()
    play.by("shift manager", invalidating())
    play.by("shift manager 2", Approve(ONE))
    assert refused(play.by("shift manager", invalidating())) == ("out_of_turn", "12(b)")
    corrected = CorrectResult(TABLE, RoundNumber(1), Pocket("18"), "misread")
    assert refused(play.by("pit boss", corrected)) == ("out_of_turn", "11(e)")
    unknown = InvalidateOutcome(TABLE, RoundNumber(55), Reason.FIRE, "alarm")
    assert refused(play.by("shift manager", unknown)) == ("unknown_record", "12(b)")


@pytest.mark.clause("skycity-adelaide-2003", "12(b)")
@pytest.mark.parametrize("sealed", [False, True])
def test_round_that_is_disrupted_is_taken_back_before_its_outcome(*, sealed: bool) -> None:
    """A fire while bets are open or the ball runs gives all stakes back, on the shift manager's word alone."""
    play = betting(T1="25 on 17", T2="15 on red")
    if sealed:
        play.close()
        play.spin()
    assert not isinstance(play.by("shift manager", invalidating()), Refusal)
    assert (worth(play), play.credit("T1")) == ([100, 100], 100)
    assert play.table.round is not None
    assert play.table.round.status is RoundStatus.VOID
    play.rest("17")
    assert worth(play) == [100, 100]
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "12(b)")
@pytest.mark.clause("skycity-adelaide-2003", "7(c)vi")
def test_terminals_show_no_win_and_no_number_of_an_outcome_that_was_taken_back() -> None:
    """Once 17 is taken back T1 shows no credits won for the spin, and 17 is highlighted no more."""
    play = settled()
    play.by("shift manager", invalidating())
    play.by("shift manager 2", Approve(ONE))
    assert (seen(play).numbers, seen(play).won, seen(play).highlighted) == ((), 0, None)


def notified(play: Play, *subjects: str) -> None:
    """An Authorised Officer is told, and five minutes pass."""
    for subject in subjects:
        play.by("shift manager", NotifyOfficer(subject, "told Officer Lee"))
    play.at(300)


def finish(play: Play, pocket: str) -> None:
    play.close()
    play.spin()
    assert not isinstance(play.rest(pocket), Refusal)


def collect(play: Play, sequence: int = 1) -> int:
    """Collect T1's credits, and tell what the slip is worth."""
    validation = Validation(Number(sequence), f"digest {sequence}", "1234")
    assert not isinstance(play.ask(Collect(T1, validation), DeviceId("T1")), Refusal)
    return play.house.tickets.all[Number(sequence)].amount


@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
@pytest.mark.parametrize(("pocket", "slip"), [("17", 450_00), ("18", 90_00)])
def test_table_closed_during_a_round_keeps_no_stake(pocket: str, slip: int) -> None:
    """A table closed while betting is open ends its round, begins no other, and all that is T1's goes on its slip."""
    play = betting(T1="10 on 17")
    notified(play, TABLE)
    assert not isinstance(play.by("shift manager", CloseTable(TABLE, "late")), Refusal)
    finish(play, pocket)
    assert refused(play.by("dealer", OpenBets(TABLE))) == ("table_closed", "12(h)")
    assert (collect(play), play.layout("T1")) == (slip, {})
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
def test_terminal_closed_during_a_round_is_in_no_later_one() -> None:
    """A terminal closed while betting is open plays that round, and its winning stake is in no spin after it."""
    play = betting(T1="10 on 17")
    notified(play, "T1")
    assert not isinstance(play.by("inspector", CloseTerminal(T1, "worn screen")), Refusal)
    finish(play, "17")
    play.open()
    finish(play, "18")
    assert (collect(play), seen(play).in_service) == (450_00, False)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
@pytest.mark.clause("skycity-adelaide-2003", "7(g)")
def test_player_of_a_terminal_being_closed_may_still_take_chips_back() -> None:
    """A terminal is closed after its round: until no more bets its player takes back what lies on the layout."""
    play = betting(T1="10 on 17")
    notified(play, "T1")
    play.by("inspector", CloseTerminal(T1, "worn screen"))
    answer = play.remove("T1", "17")
    assert not isinstance(answer, Refusal), answer.message
    assert play.credit("T1") == 100


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_credits_are_collected_beside_a_bet_and_paid_by_the_cashier() -> None:
    """Of a note of 50 with 20 staked 30 go on a slip, the bet is played on, and the cashier pays each slip once."""
    play = with_note(VENUE, 50)
    play.bet("T1", "20 on red")
    assert (collect(play), play.credit("T1"), play.layout("T1")) == (30_00, 0, {"red": 20})
    play.ask(ConfirmPrint(T1, ONE), DeviceId("T1"))
    finish(play, "1")
    assert (collect(play, 2), play.layout("T1")) == (20_00, {"red": 20})
    play.ask(ConfirmPrint(T1, Number(2)), DeviceId("T1"))
    drawer = DrawerId("D1")
    play.by("cashier", OpenDrawer(drawer, cents(1000)))
    assert refused(play.by("dealer", RedeemTicket(drawer, "digest 1")))[0] == "not_authorised"
    for sequence in (1, 2):
        assert not isinstance(play.by("cashier", RedeemTicket(drawer, f"digest {sequence}")), Refusal)
        assert refused(play.by("cashier", RedeemTicket(drawer, f"digest {sequence}")))[0] == "ticket_paid"
    assert {ticket.state for ticket in play.house.tickets.all.values()} == {TicketState.REDEEMED}
    assert play.house.drawers[drawer].paid_out == 50_00
    play.check()
