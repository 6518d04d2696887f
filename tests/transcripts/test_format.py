"""Transcripts: .round files are read, complained of and written back."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.rules.notation import MalformedError, parse_slip
from croupier.transcripts.format import (
    EXPECTATIONS,
    OUTCOMES,
    Action,
    Expectation,
    Heading,
    Outcome,
    Setting,
    Transcript,
    TranscriptLine,
    read_transcript,
    write_transcript,
)
from tests.conftest import DOCUMENTS, OWN

SHIPPED = Path(__file__).parents[2] / "src" / "croupier" / "rulebooks"
ROUNDS = sorted(SHIPPED.glob("*/rounds/*.round"))

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

#: Every form of line there is, in good order.
EVERY_FORM = """\
rulebook  clearwater-etg  # 12.b, 22: every form
venue     day 2026-11-15  mode demo  ticket days 90
table     minimum 5  even-money minimum 10  tax basis net_of_total_bet
table 2
seat 1    credit 500  tables 2  chip values 1/5/10
player 1  colour blue  value 5  buys 100

20:30:00  system   waits  void 25  incident wheel-trouble -
20:30:01  seat 1 at table 2  5 on 17; 1 on red  refused bets_closed 16.a
20:30:02  seat 1   copies from table 2  copied seat 1 8  not copied seat 1 at table 2 credit_short 12.c
20:30:03  supervisor 2 at table 2  approves 1  corrected 17 to 20 4  held seat 1 1260 22  returned seat 1 3 11
20:30:04  wheel 2  17  no-spin 25  suspended 25  invalidated 25  case 1 25  confirmed 1 25  voided 1 25  proposed 1
20:30:05  wheel    17  ignored 17  released 5 22
20:30:06  player 1  2 blue on 17; 130 on red  over player 1 red 30 12(f)  under player 1 neighbours 17 2 12(e) second
20:30:07  dealer   no more bets  late player 1 2 6(i)  advised player 1 12(e) second  capped player 1 30 12(f)
20:30:08  dealer   touched by player 1  rounded player 1 7 to 10 12(g)  noted player 1 12(d)  barred player 1 12(d)
20:30:09  system   waits  refunded 11(b)  returned player 1 5 12(e) second
pays      seat 1 at table 2  0
credit    seat 1   12.50
owes      seat 1   0
payable   seat 1   0
layout    seat 1   5 on 17; 10 on 17/20
layout    seat 1 at table 2  empty
carried   seat 1   10 on red
pot       52.50    reserve -48
history   table 2  17 0 00
history   none
round     last-call  spin 2
round     table 2  open  spin 1
shows     seat 1   says No more bets  seconds none
meters    seat 1   turnover 5  tickets-in 0
hold      1        gross 1260  net_of_total_bet 1225
hold      2        none
slip      1        issued  40
slip      2        none
drawer    cashier 2  500
drawer    cashier  none
dispute   1        under-review
idle      seat 1   seat 2
idle      none
layout    player 1  2 blue on 17; 26 x 5 on red
owes      player 1  350
collected  120
collected  unknown
due       player 1  605 as 121 blue
due       player 1  605
paid      player 1  0
out       blue 141
float     none
drop      425
walk      over
"""


def test_dealers_record_is_read() -> None:
    """A record is read into its headings, acts and outcomes."""
    transcript = read_transcript(DEALERS_RECORD)

    assert transcript.rulebook == "skycity-adelaide-2003"
    assert [heading.subject for heading in transcript.headings()] == ["rulebook", "table", "seat 1", "seat 2"]
    acts = list(transcript.acts())
    assert acts[0] == Action(33_300_000, "dealer", "opens bets")
    assert acts[1].action == parse_slip("5 on 17; 10 on 17/20")
    assert acts[2].at_ms == 33_321_250
    assert acts[2].expects == (Expectation("refused", "bets_closed 7(h)iii"),)
    assert [outcome.details for outcome in transcript.outcomes()] == [("seat 1", "345", "credit 830"), ("-295",)]


@pytest.mark.parametrize("text", [DEALERS_RECORD, EVERY_FORM])
def test_record_is_written_as_it_was_read(text: str) -> None:
    """A record in good order is written back to the letter, comments and blank lines included."""
    assert write_transcript(read_transcript(text)) == text


def test_every_form_is_tried() -> None:
    """The record above has every kind of expectation and of outcome."""
    transcript = read_transcript(EVERY_FORM)
    expected = {each.word for act in transcript.acts() for each in act.expects}

    assert expected == {re.split(" [A-Z]", form, maxsplit=1)[0] for form in EXPECTATIONS}
    assert {outcome.word for outcome in transcript.outcomes()} | {"house"} == set(OUTCOMES)


def test_expectation_names_its_clause() -> None:
    """An expectation gives the clause that it cites, spaces and all, or none."""
    cited = [
        ("refused", "bets_closed Irregularities (4)", "Irregularities (4)"),
        ("void", "5.1", "5.1"),
        ("returned", "seat 1 at table 2 3 11", "11"),
        ("corrected", "17 to 20 4", "4"),
        ("not copied", "seat 1 credit_short 12.c", "12.c"),
        ("incident", "noted -", None),
        ("proposed", "1", None),
    ]

    assert [Expectation(word, detail).clause for word, detail, _ in cited] == [clause for *_, clause in cited]


def test_places_of_fields_are_kept() -> None:
    """A line remembers where its fields stand in the text, and is the same line without."""
    text = "rulebook  us-double-zero\n09:00:00  dealer  opens bets"
    line = read_transcript(text).lines[1]

    assert [text[place:].split(maxsplit=1)[0] for place in line.places] == ["09:00:00", "dealer", "opens"]
    assert line == TranscriptLine(Action(32_400_000, "dealer", "opens bets"))


@pytest.mark.parametrize(
    "act", [Action(-1, "wheel", "17"), Action(86_400_000, "wheel", "17"), Action(0, "wheel", "1  7")]
)
def test_what_could_not_be_read_back_is_not_written(act: Action) -> None:
    """A time outside the day, or an action with two spaces in it, is a breach: it would not read back."""
    with pytest.raises(AssertionError):
        write_transcript(Transcript((TranscriptLine(act),)))


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
    ("rulebook  id\n09:00:00", 13, "expected an actor and an action after the time"),
    ("rulebook  id\n09:00:00  dealer", 23, "expected an actor and an action after the time"),
    ("rulebook  id\n09:00:00  Dealer!  opens", 23, "expected an actor such as 'dealer' or 'seat 1'"),
    ("rulebook  id\n09:00:00  seat 1  5 in 17", 33, "expected 'on' after the amount, found 'in'"),
    ("rulebook  id\n09:00:00  wheel  17  maybe so", 34, "expected one of refused, void, no-spin, suspended"),
    ("rulebook  id\n09:00:00  wheel  17  void", 34, "expected one of refused, void, no-spin, suspended"),
    ("rulebook  id\n09:00:00  wheel  17  refused bets_closed", 34, "expected 'refused CODE CLAUSE', found"),
    ("rulebook  id\n09:00:00  wheel  17  void 25  held 3 22", 43, "expected 'held SEAT AMOUNT CLAUSE', found"),
    ("rulebook  id\npays", 13, "expected 'pays SEAT AMOUNT [credit AMOUNT]', found 'pays'"),
    ("rulebook  id\npays  dealer  5", 19, "expected 'pays SEAT AMOUNT [credit AMOUNT]', found 'dealer'"),
    ("rulebook  id\npays  seat 1", 19, "expected 'pays SEAT AMOUNT [credit AMOUNT]', found 'seat 1'"),
    ("rulebook  id\npays  seat 1  lots", 27, "expected 'pays SEAT AMOUNT [credit AMOUNT]', found 'lots'"),
    ("rulebook  id\npays  seat 1  5  lots", 30, "expected nothing more, found 'lots'"),
    ("rulebook  id\nhouse  lots", 20, "expected 'house SIGNED', found 'lots'"),
    ("rulebook  id\nhouse  5  6", 23, "expected nothing more, found '6'"),
    ("rulebook  id\nlayout  seat 1  5 on 41", 34, "expected a number from 0, 00, 000, 1 to 40"),
    ("rulebook  id\nlayout  seat 1  full", 29, "expected 'layout WHO LAYOUT', found 'full'"),
    ("rulebook  id\nmeters  seat 1  turnover", 29, "expected 'meters SEAT NAME AMOUNT…', found 'turnover'"),
    ("rulebook  id\nround  table 2  open", 29, "expected 'round [TABLE] NAME spin N', found 'open'"),
    ("rulebook  id\ntable 1  minimum 5", 13, "expected a time, 'rulebook', 'venue', 'table'"),
    ("rulebook  id\nhouse  5\nseat 1  credit 5", 22, "expected every heading before the play, found 'seat 1'"),
    ("rulebook  id\n09:00:00  wheel  17\ntable", 33, "expected every heading before the play, found 'table'"),
    ("rulebook  id\nrulebook  id", 13, "expected one 'rulebook' to a round, found 'rulebook'"),
]


@pytest.mark.parametrize(("text", "at", "says"), MALFORMED)
def test_malformed_record_is_pointed_at(text: str, at: int, says: str) -> None:
    """What is not a record is refused with a finger on the first wrong character."""
    with pytest.raises(MalformedError) as caught:
        read_transcript(text)

    assert caught.value.message.startswith(says)
    assert caught.value.at == at


_word = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
_plain = st.from_regex(r"[a-z0-9()./-]{1,9}( [a-z0-9()./-]{1,9}){0,2}", fullmatch=True)
_comment = st.none() | st.from_regex(r"([a-zA-Z0-9#:;,.]([a-z #]{0,8}[a-z])?)?", fullmatch=True)
_seat = st.integers(1, 99).map("seat {}".format)
_seated = _seat | _seat.map("{} at table 2".format)
_slip = st.sampled_from(["5 on 17", "0.05 on 0/00; 12.50 on red", "1 on neighbours 22 by 2"]).map(parse_slip)
_expects = st.lists(
    st.sampled_from(
        [
            Expectation("refused", "bets_closed Pay Table Straight"),
            Expectation("returned", "seat 1 at table 2 12.50 11"),
            Expectation("not copied", "seat 2 credit_short -"),
            Expectation("proposed", "3"),
        ]
    ),
    max_size=3,
).map(tuple)
_acts = st.builds(Action, st.integers(0, 86_399_999), _seated, _slip, _expects) | st.builds(
    Action, st.integers(0, 86_399_999), _word, _plain, _expects
)
_settings = st.lists(st.builds(Setting, _word, st.from_regex(r"[a-z0-9.]{1,6}", fullmatch=True)), max_size=3).map(tuple)
_headings = st.builds(Heading, st.sampled_from(["venue", "table", "table 2", "table 3"]) | _seat, _settings)
_outcomes = st.builds(
    Outcome, st.just("shows"), st.tuples(_seated, st.lists(_plain, min_size=1, max_size=3)).map(lambda o: (o[0], *o[1]))
) | st.builds(Outcome, st.just("layout"), st.tuples(_seated, st.sampled_from(["empty", "5 on 17; 1 on red"])))
_heads = st.builds(TranscriptLine, st.none() | _headings, _comment)
_plays = st.builds(TranscriptLine, st.none() | _acts | _outcomes, _comment)


def _subject(line: TranscriptLine) -> str | None:
    return line.content.subject if isinstance(line.content, Heading) else None


@pytest.mark.property
@given(_word, st.lists(_heads, max_size=4, unique_by=lambda line: _subject(line) or object()), st.lists(_plays))
def test_writing_and_reading_gives_the_same(
    rulebook: str, heads: list[TranscriptLine], plays: list[TranscriptLine]
) -> None:
    """Whatever is written as a record reads back as the same."""
    heading = TranscriptLine(Heading("rulebook", (Setting("id", rulebook),)))
    transcript = Transcript((heading, *heads, *plays))

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
    assert {path.parent.parent.name for path in ROUNDS} == {*DOCUMENTS, *OWN}


@pytest.mark.parametrize("path", ROUNDS, ids=lambda path: path.stem)
def test_example_is_in_good_order(path: Path) -> None:
    """A shipped example names its own rulebook and is written as the writer writes."""
    text = path.read_text("utf-8")

    assert read_transcript(text).rulebook == path.parent.parent.name
    assert write_transcript(read_transcript(text)) == text
