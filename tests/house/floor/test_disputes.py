"""Incidents and disputes on record: what staff are notified of, and what patrons contest."""

import pytest
from msgspec.structs import replace

from croupier.house.floor.disputes import (
    AdviseComplainant,
    CloseDispute,
    DecideDispute,
    Dispute,
    DisputeBasis,
    DisputeState,
    OpenDispute,
    RecordReview,
    RequestReview,
)
from croupier.house.floor.incidents import ClearIncident, IncidentFacts, IncidentKind, NoteIncident, RaiseAlarm
from croupier.house.ids import SECOND, DeviceId, Number, PositionId, RoundNumber
from croupier.house.live.seats_and_colours import LeaveTable
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.results import ReportBoard
from croupier.house.rounds.spinning import BallLeftTrack
from croupier.reports.evidence import evidence_pack
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId, Code
from croupier.transcripts.driver import device_of
from tests.support.house_driver import ADELAIDE, CLEARWATER, P1, T1, T3, TABLE, US, CheckedHouse, Play
from tests.support.live_driver import LiveFloor
from tests.support.sample_documents import on_pdf

ONE = Number(1)
STANDS = DecideDispute(ONE, "House stands")


def settled(rulebook_id: str) -> CheckedHouse:
    """Find a pit where T1 bought 100 and won with 10 on 17."""
    pit = CheckedHouse(rulebook_id)
    pit.open(credit=100_00, stake=10_00)
    pit.close()
    pit.rest("17")
    return pit


@pytest.mark.clause("clearwater-etg", "4")
def test_terminal_governs_over_the_display() -> None:
    """With 17 declared and 20 on the overhead display 10 on 17 pay 350, and an incident is raised."""
    assert CheckedHouse(CLEARWATER).done(ReportBoard(TABLE, "20")) == ()
    pit = settled(CLEARWATER)
    assert pit.done(ReportBoard(TABLE, "17")) == ()
    pit.done(ReportBoard(TABLE, "20"))
    incident = pit.house.incidents.all[ONE]
    assert (incident.kind, incident.subject, incident.clause) == (IncidentKind.DISPLAY_DIFFERS, TABLE, "4")
    assert pit.t1.credit == 450_00
    # The same of another display is the same incident, until staff have seen to it.
    assert pit.done(ReportBoard(TABLE, "20", RoundNumber(1))) == ()
    pit.done(ClearIncident(ONE), "Attendant")
    pit.done(ReportBoard(TABLE, "20", RoundNumber(1)))
    assert len(pit.house.incidents.all) == 2
    # A round that is not in the history is not compared.
    assert pit.done(ReportBoard(TABLE, "21", RoundNumber(9))) == ()


def test_incident_is_noted_and_seen_to() -> None:
    """An incident that staff note stands until somebody has seen to it, once."""
    pit = CheckedHouse()
    pit.done(NoteIncident("T1", "a glass was spilt"), "Dealer")
    pit.refused(ClearIncident(Number(2)), Code.UNKNOWN_RECORD, by="Inspector")
    pit.done(ClearIncident(ONE), "Inspector")
    assert (pit.house.incidents.all[ONE].cleared_by, pit.house.incidents.all[ONE].facts.text) == (
        "Inspector",
        "a glass was spilt",
    )
    pit.refused(ClearIncident(ONE), Code.ALREADY_THERE, by="Dealer")


def test_system_raises_an_alarm_of_its_own() -> None:
    """What the system meets with is told to staff, under no clause, until somebody has seen to it."""
    pit = CheckedHouse()
    pit.done(RaiseAlarm(IncidentKind.CLOCK_JUMPED, "clock", IncidentFacts("an hour back")))
    alarm = pit.house.incidents.all[ONE]
    assert (alarm.kind, alarm.subject, alarm.facts.text) == (IncidentKind.CLOCK_JUMPED, "clock", "an hour back")
    assert (alarm.clause, alarm.cleared_by) == (None, None)
    pit.done(ClearIncident(ONE), "Inspector")
    assert alarm.cleared_by == "Inspector"


def opening(
    basis: DisputeBasis = DisputeBasis.NOT_COVERED, rule: str | None = None, memorandum: str = ""
) -> OpenDispute:
    cited = None if rule is None else ClauseId(rule)
    return OpenDispute(TABLE, RoundNumber(1), T1, basis, "I had 17", cited, memorandum)


def disputed(rulebook_id: str = ADELAIDE, command: OpenDispute | None = None) -> tuple[CheckedHouse, Dispute]:
    """Find a settled round in dispute."""
    pit = settled(rulebook_id)
    pit.done(command or opening(), pit.rulebook.staff.order[-1])
    return pit, pit.house.disputes[ONE]


@pytest.mark.clause("skycity-adelaide-2003", "12(i)")
def test_decision_is_final_until_it_is_reviewed() -> None:
    """The house's decision is final, a request puts it under review, and the reviewer's outcome is recorded."""
    pit, dispute = disputed()
    manager = "Manager Government Casino Inspectorate"
    pit.refused(RequestReview(ONE, by_house=False), Code.OUT_OF_TURN, "12(i)", by="Shift Manager")
    pit.done(STANDS, "Shift Manager")
    assert (dispute.state, dispute.opened.clause) == (DisputeState.FINAL, "12(i)")
    assert (dispute.decision, dispute.decided_by) == ("House stands", "Shift Manager")
    pit.refused(STANDS, Code.OUT_OF_TURN, "12(i)", by="Shift Manager")
    pit.refused(RecordReview(ONE, "upheld"), Code.OUT_OF_TURN, "12(i)", by=manager)
    pit.done(RequestReview(ONE, by_house=False), "Shift Manager")
    assert dispute.state is DisputeState.UNDER_REVIEW
    pit.refused(CloseDispute(ONE, resolved=True), Code.OUT_OF_TURN, "12(i)", by="Shift Manager")
    pit.done(RecordReview(ONE, "upheld"), manager)
    assert (dispute.state, dispute.outcome) == (DisputeState.REVIEWED, "upheld")
    pit.done(CloseDispute(ONE, resolved=True), "Shift Manager")
    assert (dispute.state, dispute.resolved) == (DisputeState.CLOSED, True)
    signed = (dispute.opened_by, dispute.decided_by, dispute.review_by, dispute.reviewed_by, dispute.closed_by)
    assert signed == ("Shift Manager", "Shift Manager", "Shift Manager", manager, "Shift Manager")
    times = (dispute.opened_at, dispute.decided_at, dispute.review_at, dispute.reviewed_at, dispute.closed_at)
    assert (None in times, dispute.review_by_house) == (False, False)


@pytest.mark.clause("skycity-adelaide-2003", "12(j)")
def test_dispute_from_the_rules_names_the_rule() -> None:
    """A dispute about 6(j) is kept with that rule, and is reviewed whether or not anybody asked."""
    pit, dispute = disputed(command=opening(DisputeBasis.FROM_RULES, "6(j)"))
    opened = dispute.opened
    assert (opened.basis, opened.rule, opened.clause) == (
        DisputeBasis.FROM_RULES,
        "6(j)",
        "12(j)",
    )
    pit.refused(opening(DisputeBasis.FROM_RULES), Code.REASON_NOT_LISTED, "12(j)", by="Inspector")
    pit.done(STANDS, "Shift Manager")
    pit.done(RecordReview(ONE, "upheld"), "Manager Government Casino Inspectorate")
    assert dispute.state is DisputeState.REVIEWED


@pytest.mark.clause("skycity-adelaide-2003", "12(k)")
def test_complainant_is_advised_before_an_unresolved_dispute_is_closed() -> None:
    """An unresolved dispute is closed only once the complainant was advised, and by whom and when is kept."""
    pit, dispute = disputed()
    pit.refused(CloseDispute(ONE, resolved=False), Code.OUT_OF_TURN, "12(i)", by="Shift Manager")
    pit.done(STANDS, "Shift Manager")
    pit.refused(CloseDispute(ONE, resolved=False), Code.NOT_ADVISED, "12(k)", by="Shift Manager")
    pit.seconds = 14 * 3600 + 5 * 60
    pit.done(AdviseComplainant(ONE), "Inspector")
    pit.refused(AdviseComplainant(ONE), Code.ALREADY_THERE, "12(k)", by="Inspector")
    pit.done(CloseDispute(ONE, resolved=False), "Shift Manager")
    assert (dispute.advised_at, dispute.advised_by, dispute.resolved) == (50_700 * SECOND, "Inspector", False)


@pytest.mark.clause("clearwater-etg", "28")
def test_dispute_keeps_the_memorandum_and_the_record() -> None:
    """A dispute holds the memorandum's version and the round's bets and result, whatever becomes of the round."""
    pit, dispute = disputed(CLEARWATER, opening(memorandum="DRP-2026-3"))
    pit.signed(CorrectResult(TABLE, RoundNumber(1), Pocket("20"), "misread"), "Shift Manager")
    assert (dispute.opened.memorandum, dispute.opened.clause) == ("DRP-2026-3", "28")
    evidence = dispute.evidence
    assert evidence is not None
    assert (evidence.layouts, evidence.paid, evidence.pocket) == ({P1: {"17": 10_00}}, {P1: 360_00}, "17")
    assert evidence.corrected == []
    pit.done(STANDS, "Shift Manager")
    pit.refused(RequestReview(ONE, by_house=True), Code.NOT_AUTHORISED, "28", by="Shift Manager")
    pit.done(CloseDispute(ONE, resolved=False), "Shift Manager")
    assert dispute.state is DisputeState.CLOSED


def test_round_may_be_disputed_while_it_runs() -> None:
    """A dispute about a round whose betting is open holds the record so far; nobody's terminal need be named."""
    pit = CheckedHouse()
    pit.open()
    pit.done(OpenDispute(TABLE, RoundNumber(1), None, DisputeBasis.NOT_COVERED, "the wheel hums"), "Inspector")
    dispute = pit.house.disputes[ONE]
    assert dispute.evidence is not None
    assert (dispute.evidence.sealed, dispute.opened.terminal) == (None, None)


def test_dispute_must_be_about_something() -> None:
    """A terminal or a round that is not there cannot be disputed, nor anything done about a dispute that is not."""
    pit = CheckedHouse()
    stranger = OpenDispute(TABLE, RoundNumber(1), T3, DisputeBasis.NOT_COVERED, "I was here")
    pit.refused(stranger, Code.UNKNOWN_TERMINAL, "5.3(a)", by="Inspector")
    pit.refused(opening(), Code.UNKNOWN_RECORD, "12(i)", by="Inspector")
    pit.refused(replace(opening(), round=RoundNumber(0)), Code.UNKNOWN_RECORD, "12(i)", by="Inspector")
    for command in (
        STANDS,
        AdviseComplainant(ONE),
        RequestReview(ONE, by_house=True),
        CloseDispute(ONE, resolved=True),
    ):
        pit.refused(command, Code.UNKNOWN_RECORD, by="Shift Manager")
    pit.refused(RecordReview(ONE, "x"), Code.UNKNOWN_RECORD, by="Manager Government Casino Inspectorate")


@pytest.mark.clause(ADELAIDE, "12(i)")
def test_disputed_round_keeps_what_was_seen_by_then() -> None:
    """What a sensor sees after a dispute was opened is not in the record that was frozen then."""
    play = Play(ADELAIDE)
    play.seats(T1=10)
    play.open()
    play.close()
    play.spin()
    opened = OpenDispute(TABLE, RoundNumber(1), None, DisputeBasis.NOT_COVERED, "It was too fast.")
    play.must(opened, device_of("inspector"), "inspector")
    evidence = play.house.disputes[ONE].evidence
    assert evidence is not None
    before = list(evidence.spin.sightings)
    play.ask(BallLeftTrack(TABLE, 9), DeviceId(TABLE))
    assert play.table.playing.spin.sightings != before
    assert evidence.spin.sightings == before


@pytest.mark.clause(ADELAIDE, "12(i)")
def test_dispute_about_chips_freezes_pieces_and_payments() -> None:
    """A dealer opens a dispute about a player with chips: sealed pieces and payments are frozen as they are then."""
    floor = LiveFloor(terminals={"T1": 10})
    floor.buy(floor.one, 100, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 2, "black": 3})
    floor.place(floor.two, "v500", red=1)
    floor.result("17")
    floor.collect()
    said = DisputeBasis.NOT_COVERED, "He had 3 on 17."
    floor.deal(OpenDispute(TABLE, RoundNumber(1), None, *said, position=floor.one))
    floor.pay_all()
    dispute = floor.house.disputes[ONE]
    assert (dispute.opened.position, dispute.opened.player, dispute.opened_by) == (floor.one, "one", floor.dealer)
    assert dispute.evidence is not None
    chips = dispute.evidence.chips
    assert chips is not None
    assert chips.walk is not None
    assert chips.sealed[floor.one].pieces == {"17": {"blue": 2}, "black": {"blue": 3}}
    assert [(item.segment, item.amount, item.made) for item in chips.walk.items] == [
        ("black", 15_00, False),
        ("inside", 350_00, False),
    ]
    pack = evidence_pack(floor.house, ONE, floor.now, None)
    text = " ".join(on_pdf(pack.layout()).split())
    for words in (
        "Player with chips one",
        "17: 2 blue 10.00",
        "Total 25.00",
        "AUD 0.00 of AUD 365.00",
        "350.00, not paid",
    ):
        assert words in text, text
    # The second player has lost all and leaves: the round still has the position.
    floor.deal(LeaveTable(TABLE, floor.two))
    floor.deal(OpenDispute(TABLE, RoundNumber(1), None, *said, position=floor.two))
    assert floor.house.disputes[Number(2)].opened.player == f"position {floor.two}"
    pack = evidence_pack(floor.house, Number(2), floor.now, None)
    assert "red: 1 of 5" in on_pdf(pack.layout())
    # A round that runs, with no player named.
    floor.open()
    floor.place(floor.one, "blue", {"8": 1})
    floor.close()
    floor.deal(OpenDispute(TABLE, RoundNumber(2), None, *said))
    pack = evidence_pack(floor.house, Number(3), floor.now, None)
    assert "Players with sealed chips 1" in on_pdf(pack.layout())
    assert "Paid in chips" not in on_pdf(pack.layout())
    unknown = OpenDispute(TABLE, RoundNumber(1), None, *said, position=PositionId(99))
    assert floor.refuses(unknown) == ("unknown_record", "12(i)")
    both = OpenDispute(TABLE, RoundNumber(1), T1, *said, position=floor.one)
    assert floor.refuses(both)[0] == "malformed"


@pytest.mark.clause(CLEARWATER, "28")
def test_dispute_names_the_memorandum() -> None:
    """Where disputes follow a memorandum, a dispute without its version is refused."""
    pit = settled(CLEARWATER)
    pit.refused(opening(), Code.REASON_NOT_LISTED, "28", by=pit.rulebook.staff.order[-1])


def test_record_of_a_dispute_stays_as_it_was_when_bets_change_for_another_spin() -> None:
    """Bets stay up for another spin and are changed: the record of the dispute has those that were sealed."""
    play = Play(US)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "2 on 17")
    play.close()
    play.by("dealer", OpenDispute(TABLE, RoundNumber(1), T1, DisputeBasis.NOT_COVERED, "He saw it fall out."))
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "A coin lay in the wheel."))
    play.bet("T1", "1 on 17; 2 on 20")

    evidence = play.house.disputes[ONE].evidence
    assert evidence is not None
    assert play.layout("T1") == {"17": 3, "20": 2}
    assert evidence.layouts == {P1: {"17": 200}}
