"""What the rules leave to the house to choose: the words that open betting, the dozens' labels, the win shown."""

import json

import pytest

from croupier.house.floor.settings import ChangeSettings, settings_objections
from croupier.house.floor.setup import AddTable
from croupier.house.ids import TableId, TerminalId
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import DozenLabels, LimitBounds, LimitSettings, TableSettings
from croupier.house.state.tables import StepName
from croupier.house.views import table_message
from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.procedure import MessageKind
from croupier.server.views.felt import felt_data, felts_of
from croupier.server.views.table import announcement
from tests.conftest import venue
from tests.support.house_driver import TABLE, Play, cents, refused, spot_limits

MARINA, ADELAIDE, CLEARWATER, US = (
    "marina-bay-sands-2020",
    "skycity-adelaide-2003",
    "clearwater-etg",
    "us-double-zero",
)


@pytest.mark.clause(MARINA, "3.1")
@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        (None, "Place your bets, please"),
        ("Place your bets", "Place your bets"),
        ("Bets are open", "Bets are open"),
    ],
)
def test_table_opens_with_the_words_it_was_set_up_with(chosen: str | None, shown: str) -> None:
    """Each of the permitted texts can be chosen; the terminal shows it and the dealer announces it."""
    play = Play(MARINA, TableSettings(open_text=chosen))
    play.open()

    assert (table_message(play.table), announcement(play.table, StepName.OPEN)) == (shown, shown)


@pytest.mark.clause(MARINA, "3.1")
def test_other_words_do_not_open_betting() -> None:
    """A text that clause 3.1 does not list is refused, for a new table and for one that is there."""
    play, settings = Play(MARINA), TableSettings(open_text="Faites vos jeux")
    added = play.by("gaming shift manager", AddTable(TableId("M2"), play.rulebook.digest, settings))
    changed = play.by("gaming shift manager", ChangeSettings(TABLE, settings, "other words"))

    assert (refused(added), refused(changed)) == (("setting_impossible", "3.1"),) * 2


def test_rules_without_opening_words_take_none() -> None:
    """At the US table, whose rules fix no words for the opening, a text is refused."""
    play = Play(US)
    assert play.rulebook.messages.get(MessageKind.OPEN) is None
    assert "open_text" in _refused_settings(play, TableSettings(open_text="Place bets"))


@pytest.mark.clause(MARINA, "3.4.7")
def test_dozens_are_labelled_in_either_style() -> None:
    """The boxes read 1st 12 to 3rd 12 or 1 12, 13 24 and 25 36, and both felts can be fetched."""
    rulebook = venue(MARINA)
    labels = {}
    for style in DozenLabels:
        felt = felt_data(rulebook, dozens=style)
        assert felt in felts_of(rulebook)
        labels[style] = [box["label"] for box in json.loads(felt.body)["boxes"] if box["bet"].startswith("dozen")]

    assert labels == {
        DozenLabels.ORDINAL: ["1st 12", "2nd 12", "3rd 12"],
        DozenLabels.RANGE: ["1 12", "13 24", "25 36"],
    }


@pytest.mark.parametrize("book", [ADELAIDE, CLEARWATER, US])
def test_dozens_keep_their_name_where_the_rules_give_one(book: str) -> None:
    """A venue whose rules name one style of label refuses the other."""
    play = Play(book)
    assert len({felt.hash for felt in felts_of(play.rulebook)}) < len(felts_of(venue(MARINA)))
    settings = TableSettings(dozen_labels=DozenLabels.RANGE)
    clause = play.rulebook.paytable.prices[SpotKind("dozen")].clause
    assert _refused_settings(play, settings) == {"dozen_labels": clause}


def _refused_settings(play: Play, settings: TableSettings) -> dict[object, str | None]:
    """Name the settings that are refused for a new table, with their clauses."""
    return {each.facts["setting"]: each.clause for each in settings_objections(play.rulebook, settings)}


@pytest.mark.clause(CLEARWATER, "14.f")
@pytest.mark.parametrize(("net", "win"), [(False, 3_600), (True, 3_500)])
def test_greatest_win_is_shown_with_the_stake_or_net_of_it(net: bool, win: int) -> None:  # noqa: FBT001
    """With 100 allowed on a straight the greatest win is 3600, or 3500 net of the stake."""
    limits = LimitSettings(kinds=((SpotKind("straight"), LimitBounds(most=cents(100))),))
    play = Play(CLEARWATER, TableSettings(limits=limits, net_win=net))
    play.seats(T1=100)
    play.must(OpenBets(TABLE))

    assert spot_limits(play.house, TerminalId("T1"), TABLE)[SpotKey("00")].win == cents(win)
