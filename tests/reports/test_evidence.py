"""The evidence of a dispute in print."""

import pytest

from croupier.house.floor.disputes import (
    AdviseComplainant,
    CloseDispute,
    DecideDispute,
    DisputeBasis,
    OpenDispute,
    RecordReview,
    RequestReview,
)
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Number, PersonId, RoundNumber, TerminalId
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.reports.evidence import evidence_pack, record_digest
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId, Code, Refusal
from tests.support.engine_driver import raised_code
from tests.support.house_driver import TABLE, Play
from tests.support.sample_documents import on_pdf

ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
ONE, FIRST = Number(1), RoundNumber(1)
T1 = TerminalId("T1")
MANAGER, INSPECTORATE = "shift manager", "manager government casino inspectorate"


def settled(rulebook: str = ADELAIDE) -> Play:
    """Find a settled round: T1 had 10 on 17 and won."""
    play = Play(rulebook)
    play.seats(T1=100, T2=100)
    play.round("17", T1="10 on 17", T2="20 on red")
    return play


def done(play: Play, person: str, command: object) -> None:
    assert not isinstance(play.by(person, command), Refusal)  # type: ignore[arg-type]


def dispute(play: Play, *, terminal: TerminalId | None = T1, rule: str | None = None, memorandum: str = "") -> None:
    basis = DisputeBasis.FROM_RULES if rule else DisputeBasis.NOT_COVERED
    cited = None if rule is None else ClauseId(rule)
    done(
        play,
        play.rulebook.staff.order[-1].lower(),
        OpenDispute(TABLE, FIRST, terminal, basis, "It was 20.", cited, memorandum),
    )


def printed(play: Play) -> str:
    """Print the evidence of the first dispute, with its spaces made one."""
    pack = evidence_pack(play.house, ONE, play.now, None)
    assert pack.currency == play.rulebook.currency
    return " ".join(on_pdf(pack.layout()).split())


@pytest.mark.clause(ADELAIDE, "12(i)")
def test_pack_has_the_whole_life_of_a_dispute() -> None:
    """Complaint, bets, number, decision, advice, review and close are printed, with who signed each."""
    play = settled()
    dispute(play)
    done(play, MANAGER, DecideDispute(ONE, "The film shows 17."))
    done(play, MANAGER, AdviseComplainant(ONE))
    done(play, MANAGER, RequestReview(ONE, by_house=False))
    done(play, INSPECTORATE, RecordReview(ONE, "The house is right."))
    done(play, MANAGER, CloseDispute(ONE, resolved=True))
    text = printed(play)
    frozen = play.house.disputes[ONE].evidence
    assert frozen is not None

    for words in (
        "It was 20.",
        "not covered by the rules",
        "Clause on disputes 12(i)",
        "Number 17",
        "17 10.00",
        "360.00",
        "Decided",
        "The film shows 17.",
        "Complainant advised",
        "Review requested",
        "The house is right.",
        "Closed, resolved",
        record_digest(frozen)[:32],
        frozen.digest[:32],
    ):
        assert words in text


@pytest.mark.clause(ADELAIDE, "12(j)")
def test_pack_names_the_rule_and_the_corrected_number() -> None:
    """A dispute from a rule names it, a review that the house asked for says so, and earlier numbers are listed."""
    play = settled()
    play.enrol("Shift Manager", "shift manager 2")
    done(play, MANAGER, CorrectResult(TABLE, FIRST, Pocket("20"), "misread"))
    done(play, "shift manager 2", Approve(ONE))
    dispute(play, rule="11(e)")
    done(play, MANAGER, DecideDispute(ONE, "20 stands."))
    done(play, MANAGER, RequestReview(ONE, by_house=True))
    text = printed(play)

    assert "arises from rule 11(e)" in text
    assert "Numbers before corrections 17" in text
    assert "Review requested by the house" in text


@pytest.mark.clause(CLEARWATER, "28")
def test_pack_names_the_memorandum_in_force() -> None:
    """At Clearwater the version of the memorandum is printed; without a terminal no single position's bets are."""
    play = settled(CLEARWATER)
    dispute(play, terminal=None, memorandum="DRP 7")
    text = printed(play)

    assert "Memorandum in force DRP 7" in text
    assert "Terminal none named" in text
    assert "Disputed bets" not in text


def test_pack_of_an_invalidated_round_says_why() -> None:
    """A round whose outcome was invalidated shows that, with reason and clause."""
    play = settled()
    play.enrol("Shift Manager", "shift manager 2")
    done(play, MANAGER, InvalidateOutcome(TABLE, FIRST, Reason.FIRE, "alarm", PersonId("")))
    done(play, "shift manager 2", Approve(ONE))
    dispute(play)
    assert "Status outcome invalidated" in printed(play)


def test_pack_of_a_round_without_a_number() -> None:
    """A round that is still open has neither seal nor number, and its evidence can be printed all the same."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close_and_spin()
    done(play, "dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    dispute(play)
    text = printed(play)
    assert "Reason foreign object" in text
    assert "Number 17" not in text


def test_pack_of_a_round_that_only_the_journal_has() -> None:
    """Where the frozen record is missing the paper refers to the journal."""
    play = settled()
    dispute(play)
    play.house.disputes[ONE].evidence = None
    assert "the journal has all of it" in printed(play)


def test_unknown_dispute_has_no_evidence() -> None:
    """A number that no dispute has is refused."""
    play = settled()
    assert raised_code(evidence_pack, play.house, ONE, play.now, None) is Code.UNKNOWN_RECORD
