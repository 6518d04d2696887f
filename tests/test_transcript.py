"""Transcripts: .round files are read, complained of and written back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.rulebooks.loader import rulebook_ids
from croupier.rules.money import amount_text
from croupier.rules.notation import MalformedError, parse_slip, print_slip
from croupier.rules.procedure import ChannelName, WinningStake
from croupier.rules.rulebook import Rulebook
from croupier.rules.settlement import Settlement
from croupier.rules.slip import settle_slip
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
#
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


@pytest.mark.parametrize("act", [Act(-1, "wheel", "17"), Act(86_400_000, "wheel", "17"), Act(0, "wheel", "1  7")])
def test_what_could_not_be_read_back_is_not_written(act: Act) -> None:
    """A time outside the day, or a deed with two spaces in it, is a breach: it would not read back."""
    with pytest.raises(AssertionError):
        write_transcript(Transcript((Line(act),)))


def test_tabs_set_fields_apart() -> None:
    """A tab sets fields apart as two spaces do."""
    assert read_transcript("rulebook\tid\n09:00:00\tdealer\topens bets\n") == read_transcript(
        "rulebook  id\n09:00:00  dealer  opens bets"
    )


MALFORMED = [
    ("", 0, "a round begins with 'rulebook' and its id"),
    ("table  minimum 5", 0, "a round begins with 'rulebook' and its id"),
    ("# a remark\n\ntable  minimum 5", 12, "a round begins with 'rulebook' and its id"),
    ("rulebook  id\nseat 1\nseat 1", 20, "expected one 'seat 1' to a round, found 'seat 1'"),
    ("rulebook  id\n09:00:00  seat 1  -5 on 17", 31, "'-' has no place in a slip"),
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
    ("rulebook  id\nhouse  lots", 20, "expected one amount, below nothing where the house lost"),
    ("rulebook  id\nhouse  5  6", 23, "expected one amount, below nothing where the house lost"),
    ("rulebook  id\nrulebook  id", 13, "expected one 'rulebook' to a round, found 'rulebook'"),
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
_comment = st.none() | st.from_regex(r"([a-zA-Z0-9#:;,.]([a-z #]{0,8}[a-z])?)?", fullmatch=True)
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


def _subject(line: Line) -> str | None:
    return line.says.subject if isinstance(line.says, Heading) else None


@pytest.mark.property
@given(_word, st.lists(_lines, max_size=8, unique_by=lambda line: _subject(line) or object()))
def test_writing_and_reading_gives_the_same(rulebook: str, lines: list[Line]) -> None:
    """Whatever is written as a record reads back as the same."""
    heading = Line(Heading("rulebook", (Setting("id", rulebook),)))
    transcript = Transcript((heading, *lines))

    assert read_transcript(write_transcript(transcript)) == transcript
    assert transcript.rulebook == rulebook


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


def _settled(book: Rulebook, transcript: Transcript, seat: str) -> Settlement:
    """Settle what a seat bet in time on the number that the wheel gave."""
    result = next(act.deed for act in transcript.acts() if act.actor == "wheel" and str(act.deed).isalnum())
    assert isinstance(result, str)
    slips = [act.deed for act in transcript.acts() if act.actor == seat and act.expects is None]
    slip = "; ".join(print_slip(slip) for slip in slips if not isinstance(slip, str))
    settlement = settle_slip(book, slip, result=result)
    assert isinstance(settlement, Settlement)
    return settlement


def _added(book: Rulebook, settlement: Settlement) -> int:
    """What settlement adds for a seat: the gross return, less the winning stakes that stay on the layout."""
    channel = book.channels.get(ChannelName.TERMINAL) or book.channels[ChannelName.TABLE]
    if channel.winning_stake.does is WinningStake.RETURN:
        return settlement.returned
    return settlement.returned - sum(settled.bet.stake for settled in settlement.bets if settled.won)


@pytest.mark.parametrize("path", ROUNDS, ids=lambda path: path.stem)
def test_example_adds_up(path: Path) -> None:
    """What an example says is paid, left in credit and won by the house is what its bets come to."""
    transcript = read_transcript(path.read_text("utf-8"))
    book = venue(transcript.rulebook)
    paid = [outcome.details for outcome in transcript.outcomes() if outcome.word == "pays"]
    (house,) = (outcome.details[0] for outcome in transcript.outcomes() if outcome.word == "house")
    bought = {heading.subject: heading.settings[0].value for heading in transcript.headings() if heading.settings}
    won = 0

    for seat, amount, *credit in paid:
        settlement = _settled(book, transcript, seat)
        won -= settlement.net
        assert int(amount) * 100 == _added(book, settlement)
        left = int(bought[seat]) * 100 - settlement.staked + int(amount) * 100
        assert credit in ([], [f"credit {amount_text(left)}"])
    assert amount_text(won) == house
