"""Transcripts: .round files are read, complained of and written back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.rulebooks.loader import rulebook_ids
from croupier.rules.notation import MalformedError, parse_slip
from croupier.rules.procedure import ChannelName, WinningStake
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.settlement import settle_bets
from croupier.rules.slip import bets_of, read_pocket
from croupier.rules.transcript import (
    Act,
    Expectation,
    Heading,
    Line,
    Outcome,
    Setting,
    Transcript,
    read_transcript,
    write_transcript,
)
from tests.conftest import venue

SHELF = Path(__file__).parent.parent / "src" / "croupier" / "rulebooks"
ROUNDS = sorted(SHELF.glob("*/rounds/*.round"))

DEALERS_RECORD = """\
rulebook  skycity-adelaide-2003  # 7(h)iii: nothing after no more bets
table     minimum 5  maximum 100
seat 1    credit 500
seat 2    credit 60

09:15:00  dealer   opens bets
09:15:07  seat 1   5 on 17; 10 on 17/20
# a remark on a line of its own
09:15:21.250  seat 2   10 on black  refused bets_closed 7(h)iii
09:15:41  wheel    17
pays      seat 1   345  credit 830
house     -295
"""


def test_dealers_record_is_read() -> None:
    """A record is read into its headings, acts and outcomes."""
    transcript = read_transcript(DEALERS_RECORD)

    assert transcript.rulebook == "skycity-adelaide-2003"
    assert [heading.subject for heading in transcript.headings()] == ["rulebook", "table", "seat 1", "seat 2"]
    acts = list(transcript.acts())
    assert acts[0] == Act(33_300_000, "dealer", "opens bets")
    assert acts[1].deed == parse_slip("5 on 17; 10 on 17/20")
    assert acts[2].at_ms == 33_321_250
    assert acts[2].expects == Expectation("refused", "bets_closed 7(h)iii")
    assert [outcome.details for outcome in transcript.outcomes()] == [("seat 1", "345", "credit 830"), ("-295",)]


def test_record_is_written_as_it_was_read() -> None:
    """A record in good order is written back to the letter, comments and blank lines included."""
    assert write_transcript(read_transcript(DEALERS_RECORD)) == DEALERS_RECORD


def test_tabs_set_fields_apart() -> None:
    """A tab sets fields apart as two spaces do."""
    assert read_transcript("rulebook\tid\n09:00:00\tdealer\topens bets\n") == read_transcript(
        "rulebook  id\n09:00:00  dealer  opens bets"
    )


MALFORMED = [
    ("", 0, "a round begins with 'rulebook' and its id"),
    ("table  minimum 5", 0, "a round begins with 'rulebook' and its id"),
    ("rulebook", 0, "expected one id after 'rulebook', found 'rulebook'"),
    ("rulebook  two words", 10, "expected one id after 'rulebook', found 'two words'"),
    ("rulebook  id\ntable  minimum", 20, "expected a setting such as 'minimum 5', found 'minimum'"),
    ("rulebook  id\n25:00:00  dealer  opens", 13, "expected a time"),
    ("rulebook  id\n09:00:00 dealer opens", 13, "expected a time"),
    ("rulebook  id\n09:00:00", 13, "expected an actor and a deed after the time"),
    ("rulebook  id\n09:00:00  dealer", 23, "expected an actor and a deed after the time"),
    ("rulebook  id\n09:00:00  Dealer!  opens", 23, "expected an actor such as 'dealer' or 'seat 1'"),
    ("rulebook  id\n09:00:00  seat 1  5 in 17", 33, "expected 'on' after the amount, found 'in'"),
    ("rulebook  id\n09:00:00  wheel  17  maybe so", 34, "expected 'refused CODE CLAUSE' or 'void CLAUSE'"),
    ("rulebook  id\n09:00:00  wheel  17  void", 34, "expected 'refused CODE CLAUSE' or 'void CLAUSE'"),
    ("rulebook  id\n09:00:00  wheel  17  refused bets_closed", 34, "expected 'refused' with its code"),
    ("rulebook  id\npays", 13, "expected something after 'pays'"),
    ("rulebook  id\npays  dealer  5", 19, "expected a seat after 'pays'"),
    ("rulebook  id\npays  seat 1", 19, "expected an amount after the seat"),
    ("rulebook  id\npays  seat 1  lots", 27, "expected an amount after the seat"),
    ("rulebook  id\nhouse  lots", 20, "expected an amount, below nothing where the house lost"),
]


@pytest.mark.parametrize(("text", "at", "says"), MALFORMED)
def test_malformed_record_is_pointed_at(text: str, at: int, says: str) -> None:
    """What is not a record is refused with a finger on the first wrong character."""
    with pytest.raises(MalformedError) as caught:
        read_transcript(text)

    assert caught.value.says.startswith(says)
    assert caught.value.at == at


_word = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
_plain = st.from_regex(r"[a-z0-9()./-]{1,9}( [a-z0-9()./-]{1,9}){0,2}", fullmatch=True)
_comment = st.from_regex(r"([a-zA-Z0-9#:;,.]([a-z #]{0,8}[a-z])?)?", fullmatch=True)
_seat = st.integers(1, 99).map("seat {}".format)
_slip = st.sampled_from(["5 on 17", "0.05 on 0/00; 12.50 on red", "1 on neighbours 22 by 2"]).map(parse_slip)
_expects = st.none() | st.builds(Expectation, st.just("refused"), st.just("bets_closed Pay Table Straight"))
_acts = st.builds(Act, st.integers(0, 86_399_999), _seat, _slip, _expects) | st.builds(
    Act, st.integers(0, 86_399_999), _word, _plain, _expects
)
_settings = st.lists(st.builds(Setting, _word, st.from_regex(r"[a-z0-9.]{1,6}", fullmatch=True)), max_size=3).map(tuple)
_headings = st.builds(Heading, st.just("table") | _seat, _settings)
_outcomes = st.builds(
    Outcome, st.sampled_from(["history", "shows"]), st.lists(_plain, min_size=1, max_size=3).map(tuple)
)
_lines = st.builds(Line, st.none() | _acts | _headings | _outcomes, _comment)


@pytest.mark.property
@given(_word, st.lists(_lines, max_size=8))
def test_writing_and_reading_gives_the_same(rulebook: str, lines: list[Line]) -> None:
    """Whatever is written as a record reads back as the same."""
    heading = Line(Heading("rulebook", (Setting("id", rulebook),)))
    transcript = Transcript(rulebook, (heading, *lines))

    assert read_transcript(write_transcript(transcript)) == transcript


def _complaint(text: str) -> MalformedError | None:
    try:
        read_transcript(text)
    except MalformedError as error:
        return error
    return None


@pytest.mark.property
@given(st.text() | st.text(alphabet="rulebook table seat 1 09:0#\n\t refused pays", max_size=80))
def test_any_text_is_read_or_pointed_at(text: str) -> None:
    """No text makes the reader raise anything but its own error, which points into the text."""
    complaint = _complaint(text)

    assert complaint is None or 0 <= complaint.at <= len(text)


def test_each_venue_has_an_example() -> None:
    """Every rulebook comes with at least one example round."""
    assert {path.parent.parent.name for path in ROUNDS} == set(rulebook_ids())


@pytest.mark.parametrize("path", ROUNDS, ids=lambda path: path.stem)
def test_example_is_in_good_order(path: Path) -> None:
    """A shipped example names its own rulebook and is written as the writer writes."""
    text = path.read_text("utf-8")

    assert read_transcript(text).rulebook == path.parent.parent.name
    assert write_transcript(read_transcript(text)) == text


def _added(book: Rulebook, transcript: Transcript, seat: str) -> int:
    """What settlement adds for a seat: the gross return, less the winning stakes that stay on the layout."""
    result = next(act.deed for act in transcript.acts() if act.actor == "wheel" and str(act.deed).isalnum())
    assert isinstance(result, str)
    pocket = read_pocket(book, result)
    assert not isinstance(pocket, Refusal)
    slips = [act.deed for act in transcript.acts() if act.actor == seat and act.expects is None]
    bets = bets_of(book, [wager for slip in slips if not isinstance(slip, str) for wager in slip])
    assert not isinstance(bets, Refusal)
    settlement = settle_bets(bets, book.paytable, pocket)
    channel = book.channels.get(ChannelName.TERMINAL) or book.channels[ChannelName.TABLE]
    if channel.winning_stake.does is WinningStake.RETURN:
        return settlement.returned
    return settlement.returned - sum(settled.bet.stake for settled in settlement.bets if settled.won)


@pytest.mark.parametrize("path", ROUNDS, ids=lambda path: path.stem)
def test_example_pays_what_the_bets_win(path: Path) -> None:
    """What an example says is paid to a seat is what the seat's bets win."""
    transcript = read_transcript(path.read_text("utf-8"))
    book = venue(transcript.rulebook)
    paid = [outcome.details for outcome in transcript.outcomes() if outcome.word == "pays"]

    assert paid
    for seat, amount, *_ in paid:
        assert int(amount) * 100 == _added(book, transcript, seat)
