"""Wording: every kind of incident, malfunction and message has a sentence with its facts, and no decision reads it."""

import ast
import json
from pathlib import Path

import pytest

from croupier import house
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, IncidentRaised, TroubleCause
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.ids import Number, RoundNumber, TerminalId
from croupier.house.rounds.recovery import RecoveryStatus
from croupier.house.state.records import MalfunctionEvidence, MalfunctionKind, MalfunctionSign
from croupier.house.state.tables import SeatMessage, SeatMessageKind
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId
from croupier.words import FILES, case_text, incident_text, message_text, say, texts
from tests.server.static.test_words import BLOCKED
from tests.support.quick import Quick
from tests.support.wordbook import facts_of

ONE, P17, P20, P34, CLAUSE = Number(1), Pocket("17"), Pocket("20"), Pocket("34"), ClauseId("6")
BOTH_SENSES = (Reason.TOO_FEW_REVOLUTIONS, Reason.SAME_DIRECTION)

INCIDENTS = [
    (IncidentKind.RESULT_BEFORE_SEAL, IncidentFacts(pocket=P17), "The wheel reported 17 before bets were sealed."),
    (IncidentKind.RESULT_BEFORE_SEAL, IncidentFacts(), "The wheel reported a number before bets were sealed."),
    (IncidentKind.LAUNCH_BEFORE_CLOSE, IncidentFacts(), "The ball was launched while bets were open."),
    (IncidentKind.NO_WARNING, IncidentFacts(), "Betting closed without the warning."),
    (IncidentKind.FORCED_CLOSE, IncidentFacts(), "The ball left the track while bets were open."),
    (IncidentKind.CANNOT_CLOSE, IncidentFacts(), "Betting time is over and the ball is not running."),
    (IncidentKind.WHEEL_SILENT, IncidentFacts(), "The wheel gives no reports."),
    (IncidentKind.WHEEL_TROUBLE, IncidentFacts(reasons=(Reason.BALL_BROKEN,)), "The wheel reports: The ball broke."),
    (IncidentKind.IMPOSSIBLE_POCKET, IncidentFacts(pocket=P17), "The wheel reports 17, which is not on it."),
    (IncidentKind.NUMBER_DIFFERS, IncidentFacts(pocket=P17, expected=P20), "The wheel reports 17 after 20."),
    (IncidentKind.NUMBER_DIFFERS, IncidentFacts(), "The wheel reports another number than before."),
    (
        IncidentKind.SIGHTINGS_DIFFER,
        IncidentFacts(reasons=BOTH_SENSES),
        "The wheel\u2019s sensors contradict each other: Too few revolutions, Ball and wheel turned the same way.",
    ),
    (IncidentKind.BALL_NOT_SEATED, IncidentFacts(seconds=120), "No number 120 seconds after the launch."),
    (
        IncidentKind.DISPLAY_DIFFERS,
        IncidentFacts(pocket=P17, expected=P20),
        "The display shows 17, and 20 was declared.",
    ),
    (IncidentKind.REFERRED, IncidentFacts("a doubt"), "a doubt"),
    (IncidentKind.HOLD_EXPIRED, IncidentFacts(seconds=60), "A hold of 60 seconds expired without a decision."),
    (IncidentKind.INTERRUPTED, IncidentFacts(), "The system was interrupted."),
    (IncidentKind.INTERRUPTED, IncidentFacts("smoke"), "smoke"),
    (IncidentKind.MALFUNCTION, IncidentFacts("smoke"), "smoke"),
    (IncidentKind.NOTED, IncidentFacts("a glass"), "a glass"),
    (
        IncidentKind.KEY_REUSED,
        IncidentFacts(),
        "One idempotency key was used for two different commands: the second was refused.",
    ),
    (
        IncidentKind.CLOCK_JUMPED,
        IncidentFacts(seconds=3_600, before=0),
        "The wall clock is 3600 s ahead of the server\u2019s; it was 0 s.",
    ),
    (
        IncidentKind.CLOCK_JUMPED,
        IncidentFacts(seconds=3 * 86_400),
        "The last entry is 3 days old by this machine\u2019s clock: check the clock.",
    ),
    (
        IncidentKind.SNAPSHOT_IGNORED,
        IncidentFacts("not signed"),
        "Snapshot rejected (not signed); state rebuilt from the journal.",
    ),
    (
        IncidentKind.BOOKS_DIFFER,
        IncidentFacts("the books differ after entry 7"),
        "The running system and its journal differ: the books differ after entry 7. No snapshot is written.",
    ),
    (IncidentKind.SNAPSHOT_FAILED, IncidentFacts("no space"), "No snapshot could be written: no space."),
    (
        IncidentKind.DISK_LOW,
        IncidentFacts(),
        "The disk is nearly full: no new bets are taken, and running rounds are settled.",
    ),
    (
        IncidentKind.COMMAND_FAILED,
        IncidentFacts(command="PlaceBets", error="KeyError"),
        "PlaceBets could not be decided: KeyError.",
    ),
    (
        IncidentKind.HISTORY_LOST,
        IncidentFacts("the disk broke", people=("one", "two"), lost=7),
        "one, two: started from an older copy of the journal, which lacks 7 entries or more. the disk broke",
    ),
    (
        IncidentKind.ACCOUNT_LOCKED,
        IncidentFacts(device="desk"),
        "Wrong passwords of S at desk: that name is refused there for a while.",
    ),
    (IncidentKind.BUILD_DIFFERS, IncidentFacts(files=("a", "b")), "The software is not what was installed: a, b."),
    (IncidentKind.BUILD_DIFFERS, IncidentFacts("no record"), "The software cannot be verified: no record."),
    (IncidentKind.TICKETS_GUESSED, IncidentFacts(), "Numbers of tickets are tried out at S."),
    (
        IncidentKind.TICKETS_GUESSED,
        IncidentFacts(people=("one",)),
        "Numbers of tickets are tried out at S, where one is signed in.",
    ),
    (
        IncidentKind.SIGN_INS_GUESSED,
        IncidentFacts(),
        "Many wrong passwords at S: sign-in is refused there for a while.",
    ),
    (
        IncidentKind.NUMBER_IGNORED,
        IncidentFacts(pocket=Pocket("17")),
        "The wheel reported 17, which is not of this round\u2019s spin: the number was ignored.",
    ),
    (
        IncidentKind.WHEEL_TROUBLE,
        IncidentFacts(
            reasons=(Reason.MALFUNCTION,),
            cause=TroubleCause.NUMBER_CHANGED,
            pocket=Pocket("22"),
            expected=Pocket("17"),
            round=RoundNumber(3),
        ),
        "The wheel reports: A malfunction. It reported 17, and shows 22 now. It concerns round 3.",
    ),
    (IncidentKind.ACCEPTOR_LOCKED, IncidentFacts("jam"), "The note acceptor of S is locked: jam."),
    (IncidentKind.PRINTER_LOCKED, IncidentFacts("jam"), "The printer of S is locked: jam."),
    (
        IncidentKind.NOTE_UNRESOLVED,
        IncidentFacts("20 AUD"),
        "A note of 20 AUD in escrow at S disappeared unseen: look for it in the box.",
    ),
    (
        IncidentKind.DRAWER_DIFFERS,
        IncidentFacts("-3 AUD", people=("cashier",)),
        "Drawer S was handed in by cashier with a difference of -3 AUD.",
    ),
    (IncidentKind.TICKET_MESSAGES, IncidentFacts("a forged row"), "Tickets shared with S: a forged row."),
]


@pytest.mark.parametrize(("kind", "facts", "text"), INCIDENTS)
def test_incident_is_worded_from_its_facts(kind: IncidentKind, facts: IncidentFacts, text: str) -> None:
    """The sentence of an incident has its facts, and leaves out a number that nobody may know."""
    assert incident_text(IncidentRaised(ONE, kind, "S", None, facts)) == text


def test_every_kind_of_incident_is_worded() -> None:
    """No incident is without a sentence."""
    assert {kind for kind, _, _ in INCIDENTS} == set(IncidentKind)


def test_every_cause_is_worded() -> None:
    """Each cause of an irregularity has a sentence of its own, with the facts that it names."""
    facts = (
        IncidentFacts(reasons=(Reason.MALFUNCTION,), cause=each, pocket=Pocket("1"), expected=Pocket("2"), seconds=1)
        for each in TroubleCause
    )
    texts = {incident_text(IncidentRaised(ONE, IncidentKind.WHEEL_TROUBLE, "S", None, each)) for each in facts}

    assert len(texts) == len(TroubleCause)
    assert not any("None" in text or "{" in text for text in texts)


EVIDENCE = [
    (None, "touch drift"),
    (MalfunctionEvidence(MalfunctionSign.LINK_LOST), "The link has been gone for too long."),
    (
        MalfunctionEvidence(MalfunctionSign.CREDIT_DIFFERS, Cents(80_000), Cents(0)),
        "It shows 800, and 0 is on the meter.",
    ),
    (
        MalfunctionEvidence(MalfunctionSign.NUMBER_IMPOSSIBLE, number="37"),
        "It shows the number 37, which is not on the wheel.",
    ),
    (
        MalfunctionEvidence(MalfunctionSign.NUMBER_STALE, number="17"),
        "It shows the number 17, which is not the last result.",
    ),
    (MalfunctionEvidence(MalfunctionSign.LAYOUT_DIFFERS), "It draws another layout."),
]


@pytest.mark.parametrize(("evidence", "text"), EVIDENCE)
def test_malfunction_is_worded_from_its_evidence(evidence: MalfunctionEvidence | None, text: str) -> None:
    """A case is described by what the house detected, or as staff described it."""
    words = "touch drift" if evidence is None else ""
    kind = MalfunctionKind.OPINION
    raised = MalfunctionRaised(TerminalId("T1"), ONE, kind, CLAUSE, words, (), evidence=evidence)
    assert case_text(raised) == text


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (SeatMessage(SeatMessageKind.TEXT, text="Hello"), "Hello"),
        (SeatMessage(SeatMessageKind.RETURNED, CLAUSE, amount=500), "5 went back to your credit [6]."),
        (
            SeatMessage(
                *(SeatMessageKind.CORRECTED, CLAUSE, "", 36_000, RoundNumber(3), P17, P34),
                *(9_500, 48_000, 74_500),
            ),
            "Round 3 was corrected by the house: 34 → 17. Your bets: 95 → 360. Credit: 480 → 745 [6].",
        ),
        (
            SeatMessage(
                *(SeatMessageKind.INVALIDATED, CLAUSE, "", 1_000, RoundNumber(3), None, P17),
                *(36_000, 48_000, 13_000),
            ),
            "Round 3 does not count: your stakes are returned. Your bets: 360 → 10. Credit: 480 → 130 [6].",
        ),
        (SeatMessage(SeatMessageKind.NOT_COPIED, CLAUSE), "Nothing was copied to the other game [6]."),
        (
            SeatMessage(SeatMessageKind.SETTLED, CLAUSE, amount=36_000, round=RoundNumber(3), pocket=P17),
            "Round 3 was settled on 17: 360 came back [6].",
        ),
    ],
)
def test_message_is_worded_from_its_facts(message: SeatMessage, text: str) -> None:
    """A seat reads a sentence with the amount, the round and the clause."""
    assert message_text(message) == text


def test_no_decision_reads_wording() -> None:
    """The house imports no words, and nothing that decides or evolves imports its views and blockers."""
    folder = Path(house.__file__).parent
    importers = {
        path.name
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "croupier.words"
    }
    assert importers == set()
    assert not any(
        isinstance(node, ast.ImportFrom) and node.module in ("croupier.house.views", "croupier.house.blockers")
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
    )


def test_texts_are_worded_as_a_page_words_them() -> None:
    """Every English text has the same wording here and on a page, with a count of one, of three and of none."""
    page = Quick("shared/wording.js")
    grammar = "{plural: (_, n) => (n === 1 ? 'one' : 'other'), number: (_, n) => String(n)}"
    facts = "Object.fromEntries([...factsOf(text)].map((name) => [name, count]))"
    words = f"([id, text]) => formatMessage(texts, 'en', id, {facts}, {grammar})"
    ask = f"(texts, count) => Object.entries(texts).map({words})"

    for count in (0, 1, 3):
        given = {name: dict.fromkeys(facts_of(text), count) for name, text in texts().items()}
        assert page.ask(ask, dict(texts()), count) == [say(name, facts) for name, facts in given.items()]


def test_pages_and_tools_have_no_text_twice() -> None:
    """No id of a text that only tools say is one of a page."""
    *pages, own = (json.loads(path.read_text("utf-8")) for path in FILES)
    assert not any(own.keys() & page.keys() for page in pages)


def test_no_text_is_kept_that_nothing_words() -> None:
    """Every text that no page says is a line of a recovery or of a blocker, and each remedy has its reason."""
    own = json.loads(FILES[-1].read_text("utf-8"))
    remedies = {name.partition(".")[2] for name in own if name.startswith("blocker-remedy.")}

    assert remedies - {"other_wheel", "this_version", "terminal_case"} == BLOCKED
    assert {f"recovery-found.{status}" for status in RecoveryStatus} <= own.keys()
    assert {name.partition(".")[0] for name in own} == {
        *("blocker-line", "blocker-remedy", "recovery", "recovery-done", "recovery-found", "recovery-left"),
    }
