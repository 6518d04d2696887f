"""A copy of the rules in print."""

import pytest

from croupier.house.floor.service import NotifyOfficer
from croupier.house.ids import TableId
from croupier.house.live.arrangements import ArrangeVip
from croupier.house.live.seats_and_colours import LeaveTable
from croupier.house.settings import LimitBounds, LimitSettings, LiveSettings, TableSettings
from croupier.reports.rules_copy import rules_copy
from croupier.rules.refusal import Code
from tests.conftest import venue
from tests.support.engine_driver import raised_code
from tests.support.house_driver import ADELAIDE, CLEARWATER, MARINA, TABLE, US, Play, cents, limits
from tests.support.live_driver import LiveFloor
from tests.support.sample_documents import on_pdf


def printed(play: Play) -> str:
    """Print the rules of the table, with its spaces made one."""
    rulebook = venue(play.rulebook.id)
    copy = rules_copy(play.house, TABLE, play.now, {rulebook.digest: rulebook.clauses})
    assert copy.currency == rulebook.currency
    return " ".join(on_pdf(copy.layout()).split())


def live(rulebook_id: str, **settings: object) -> Play:
    kept = {} if rulebook_id == US else {"limits": limits(5, 100)}
    chips = LiveSettings(emblem="anchor", **settings)  # type: ignore[arg-type]
    return Play(rulebook_id, TableSettings(live=chips, confirms=True, **kept))  # type: ignore[arg-type]


@pytest.mark.clause(ADELAIDE, "12(m)")
@pytest.mark.clause(ADELAIDE, "12(k)")
@pytest.mark.parametrize("rulebook_id", [ADELAIDE, MARINA, CLEARWATER, US])
def test_copy_has_every_clause_in_order(rulebook_id: str) -> None:
    """The copy in print has every clause of the document, in its order, in our words."""
    text, place = printed(Play(rulebook_id)), 0
    for clause in venue(rulebook_id).clauses:
        place = text.find(clause.paraphrase.split()[0], text.find(clause.clause.split()[0], place))
        assert place >= 0, clause.clause


@pytest.mark.clause(ADELAIDE, "8(b)")
@pytest.mark.clause(ADELAIDE, "6(k)")
def test_copy_has_the_notice_of_the_table() -> None:
    """The 13 kinds of bets are listed by letter with odds and limits; multiples are not required unless set."""
    text = printed(live(ADELAIDE))
    assert "A straight up 35 to 1, AUD from 5.00 to 100.00" in text
    assert "M High 1 to 1, AUD from 5.00 to 100.00" in text
    assert "Multiples of the minimum (12(g)) not required" in text
    assert "Lowest bet under a marker button (12(a)) AUD 25.00" in text
    text = printed(live(ADELAIDE, multiples=True, marker_unit=cents(30)))
    assert "Multiples of the minimum (12(g)) required" in text
    assert "Lowest bet under a marker button (12(a)) AUD 30.00" in text


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_copy_has_the_notice_of_an_arrangement() -> None:
    """An arrangement with some players follows as a notice of its own; one with all of them leaves one row."""
    floor = LiveFloor()
    floor.deal(NotifyOfficer(TABLE, "The Inspectorate was told."), floor.chief)
    floor.at(300)
    terms = {"limits": limits(10, 2000), "markers": True}
    floor.deal(ArrangeVip(TABLE, (floor.one,), "Signed.", **terms), floor.chief)  # type: ignore[arg-type]
    own = "A straight up 35 to 1, AUD from 10.00 to 2,000.00 Lowest bet under a marker button (12(a)) AUD 50.00"
    text = printed(floor)
    assert f"VIP ARRANGEMENT 1 Clause 8(a)i {own}" in text
    assert "B split" in text
    floor.deal(LeaveTable(TABLE, floor.two))
    text = printed(floor)
    assert "A straight up 35 to 1, AUD from 10.00 to 2,000.00 Multiples" in text
    assert "VIP ARRANGEMENT" not in text
    assert "B split" not in text


@pytest.mark.clause(US, "Placement 5")
def test_copy_of_the_us_table_has_the_limits_of_the_document() -> None:
    """At the US table each kind is 1 to 4; there are no letters, no marker bets and no notice on multiples."""
    text = printed(live(US))
    assert "Straight 35 to 1, USD from 1.00 to 4.00" in text
    assert "First Five Numbers 6 to 1, USD from 1.00 to 4.00" in text
    assert "marker" not in text
    assert "Multiples" not in text
    assert "In force from no date given" in text


@pytest.mark.clause(MARINA, "1.1")
def test_copy_has_the_defined_terms() -> None:
    """The terms that the document defines stand in the copy as it defines them, each with its clause."""
    text = printed(Play(MARINA))
    terms = ("Player Terminal", "Racetrack", "Revolution", "Round of play", "Spin")
    for place, term in enumerate(terms, start=1):
        assert f"1.1.{place} {term}" in text


@pytest.mark.clause(MARINA, "App. A")
def test_copy_has_the_letters_of_the_appendix() -> None:
    """At Marina Bay Sands the thirteen kinds of Appendix A have their letters, from A Straight Up to M Black."""
    text = printed(Play(MARINA))
    assert "A Straight Up 35 to 1, no limit set" in text
    assert "M Black 1 to 1" in text


@pytest.mark.parametrize(("least", "most", "expected"), [(5, None, "AUD from 5.00"), (None, 100, "AUD to 100.00")])
def test_copy_has_one_limit(least: int | None, most: int | None, expected: str) -> None:
    """A table with one limit only shows that one."""
    bounds = LimitBounds(None if least is None else cents(least), None if most is None else cents(most))
    text = printed(Play(ADELAIDE, TableSettings(limits=LimitSettings(bounds))))
    assert f"A straight up 35 to 1, {expected} B split" in text


def test_copy_is_refused_without_a_table_or_its_text() -> None:
    """There is no copy for an unknown table, nor if the text of another version is installed."""
    play = Play(ADELAIDE)
    for table in (TABLE, TableId("table 9")):
        assert raised_code(rules_copy, play.house, table, play.now, {}) is Code.UNKNOWN_RECORD
