"""Discretion: whatever names a number that was drawn and does not count yet is known for it."""

import pytest

from croupier.engine.redaction import note_report, require_declared
from croupier.house import AnyEvent
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, IncidentRaised
from croupier.house.ids import SECOND, SYSTEM, Context, Day, DeviceId, Instant, Number, RoundNumber, TableId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, BallRested, IgnoredReason, ReportIgnored
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import TableSettings, WheelKind
from croupier.journal.entry import Entry
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import ClauseId, Refused
from tests.support.house_driver import TABLE, Play

RESTED_AT = Instant(10 * SECOND)
P29 = Pocket("29")


def drawn(wheel: WheelKind) -> Play:
    """A round that was referred while the ball ran, and whose wheel has reported 29 since."""
    floor = Play("skycity-adelaide-2003", TableSettings(wheel=wheel))
    floor.open()
    floor.by(floor.dealer, CloseBets(TABLE))
    floor.ask(BallLaunched(TABLE), DeviceId(TABLE))
    floor.by(floor.dealer, ReferRound(TABLE, "Somebody shouted."))
    floor.now = RESTED_AT
    floor.ask(BallAtRest(TABLE, P29), DeviceId(TABLE))
    assert floor.table.playing.spin.reported == P29
    return floor


def entry(event: AnyEvent, at: Instant) -> Entry:
    return Entry(1, 1, Day(0), Context(at, SYSTEM), "", None, event)


def raised(kind: IncidentKind) -> IncidentRaised:
    return IncidentRaised(Number(1), kind, TABLE, ClauseId("6"), IncidentFacts(pocket=Pocket("31"), expected=P29))


def reported(entry: Entry) -> dict[TableId, Instant]:
    reports = dict[TableId, Instant]()
    note_report(reports, entry)
    return reports


@pytest.mark.parametrize(
    "event",
    [
        BallRested(TABLE, RoundNumber(1), P29, None, None),
        ReportIgnored(TABLE, P29, IgnoredReason.ALREADY_REPORTED),
        raised(IncidentKind.NUMBER_DIFFERS),
        raised(IncidentKind.RESULT_BEFORE_SEAL),
    ],
    ids=lambda event: type(event).__name__,
)
def test_whatever_names_a_drawn_number_is_kept_back(event: AnyEvent) -> None:
    """A report of a random wheel, in whichever entry it stands, is kept back until the round is over."""
    floor = drawn(WheelKind.RANDOM)
    since, before = reported(entry(event, RESTED_AT)), reported(entry(event, Instant(RESTED_AT - 1)))

    with pytest.raises(Refused) as raised_:
        require_declared(floor.house, since)
    assert raised_.value.refusal.facts == {"table": TABLE, "round": 1}
    require_declared(floor.house, before)
    floor.by("shift manager", DecideReferral(TABLE, ReferralDecision.VOID, "Nobody saw it."))
    require_declared(floor.house, since)


def test_what_names_no_drawn_number_is_handed_out() -> None:
    """Other incidents name no number, and a ball that lies in a pocket everybody sees."""
    assert reported(entry(raised(IncidentKind.REFERRED), RESTED_AT)) == {}
    require_declared(drawn(WheelKind.SENSOR).house, {TABLE: RESTED_AT})
