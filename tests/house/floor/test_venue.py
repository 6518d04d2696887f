"""The venue: how a house is founded and set up, with its rulebooks, tables, terminals, devices and software."""

import hashlib
import json
from dataclasses import replace

import pytest

from croupier.house import House, apply
from croupier.house.floor.service import SendMessage
from croupier.house.floor.settings import (
    SETTING_BOUNDS,
    ChangeRulebook,
    ChangeSettings,
    RulebookChanged,
    pending_settings,
)
from croupier.house.floor.setup import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    ApproveBuild,
    CreateHouse,
    ReportBuild,
    RulebookAdopted,
)
from croupier.house.floor.staff import EnrolDevice
from croupier.house.ids import SYSTEM, Context, DeviceId, Instant, RoundNumber, TableId, TerminalId
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import AMOUNT_MAX, LimitBounds, LimitSettings, Mode, TableSettings, TerminalSettings
from croupier.house.state.tables import Ghost
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.limits import Range
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue
from tests.support.house_driver import A2, ADELAIDE, CLEARWATER, MARINA, PROMPT, T1, T2, T3, TABLE, US, CheckedHouse

PLAIN = TerminalSettings()
CONTEXT = Context(Instant(0), SYSTEM)


def test_rulebook_is_read_back_from_its_canonical_text(rulebook: Rulebook) -> None:
    """A venue's canonical text gives the same rules again with the same digest, the clause matrix left out."""
    again = read_canonical(canonical(rulebook))
    assert again == replace(rulebook, clauses=())
    assert again.digest == rulebook.digest == hashlib.sha256(canonical(rulebook).encode()).hexdigest()
    assert canonical(again) == canonical(rulebook)


def _changed(**values: object) -> str:
    return json.dumps(json.loads(canonical(venue(MARINA))) | values)


NO_RULEBOOK = {
    "not JSON": "rules",
    "not a table": "[]",
    "an empty table": "{}",
    "nested too deeply": "[" * 100_000,
    "with a matrix": _changed(clauses=[]),
    "with a digest": _changed(digest="0"),
    "with a day that is none": _changed(effective="2020-02-30"),
    "with a number for a day": _changed(effective=2020),
    "with an unknown key": _changed(sequel=2),
    "with an empty name": _changed(venue=""),
}


@pytest.mark.parametrize("text", NO_RULEBOOK.values(), ids=NO_RULEBOOK)
def test_text_that_is_no_rulebook_is_not_adopted(text: str) -> None:
    """A text that is not a rulebook's is refused with what is the matter, and nothing is adopted."""
    pit = CheckedHouse()
    assert "is not a rulebook: " in pit.refused(AdoptRulebook(text), Code.RULEBOOK_INCONSISTENT).message
    assert list(pit.house.rulebooks) == [venue(ADELAIDE).digest]


def test_house_is_founded_once() -> None:
    """The mode, the name and the days that a ticket is good for are fixed for good when the house is founded."""
    house = House.new(read_canonical)
    assert isinstance(apply(house, CreateHouse(Mode.REAL, "Ours", "UTC", ticket_days=0), CONTEXT), Refusal)
    apply(house, CreateHouse(Mode.REAL, "Ours", "Australia/Adelaide", ticket_days=1), CONTEXT)
    assert (house.setup.mode, house.setup.venue, house.setup.timezone, house.setup.ticket_days) == (
        Mode.REAL,
        "Ours",
        "Australia/Adelaide",
        1,
    )
    again = apply(house, CreateHouse(Mode.DEMO, "Theirs", "UTC"), CONTEXT)
    assert isinstance(again, Refusal)
    assert again.code is Code.ALREADY_THERE


def test_rulebook_is_adopted_once_with_its_whole_text() -> None:
    """A rulebook is adopted under its digest with its canonical text, and not again."""
    pit, text = CheckedHouse(US, mode=Mode.DEMO), canonical(venue(CLEARWATER))
    assert pit.done(AdoptRulebook(text)) == (RulebookAdopted(CLEARWATER, venue(CLEARWATER).digest, text),)
    assert pit.house.payout_tables[venue(CLEARWATER).digest].pockets == 38
    pit.refused(AdoptRulebook(text), Code.ALREADY_THERE)


@pytest.mark.parametrize("name", [TABLE, "T1", "console", "system"])
def test_name_is_taken_once(name: str) -> None:
    """Tables, terminals and devices share one list of names, in which the house's own device stands too."""
    pit = CheckedHouse()
    pit.refused(AddTable(TableId(name), pit.rulebook.digest, PROMPT), Code.ALREADY_THERE)
    pit.refused(AddTerminal(TerminalId(name), (TABLE,), PLAIN), Code.ALREADY_THERE)
    pit.refused(EnrolDevice(DeviceId(name)), Code.ALREADY_THERE)


def test_name_is_not_empty() -> None:
    """Nothing is added without a name."""
    CheckedHouse().refused(EnrolDevice(DeviceId(" ")), Code.MALFORMED)


def test_table_plays_by_an_adopted_rulebook() -> None:
    """A table needs a rulebook that was adopted here; its wheel is a device under its name."""
    pit = CheckedHouse()
    pit.refused(AddTable(A2, venue(US).digest, PROMPT), Code.UNKNOWN_RULEBOOK)
    pit.done(AddTable(A2, pit.rulebook.digest, PROMPT))
    assert pit.house.tables[A2].rulebook is pit.table.rulebook
    assert DeviceId("A2") in pit.house.staff.devices


@pytest.mark.parametrize(
    ("rulebook_id", "clause"), [(ADELAIDE, "7(h)v"), (CLEARWATER, "11"), (MARINA, "3.3"), (US, "Placement 5")]
)
def test_terms_are_those_of_the_terminals_or_of_the_table(rulebook_id: str, clause: str) -> None:
    """A table's limits cite the terminals' channel where there is one, and the table's where there is not."""
    assert CheckedHouse(rulebook_id, mode=Mode.DEMO).table.effective_limits.limits.under_clause == clause


IMPOSSIBLE = [
    TableSettings(betting_s=0),
    TableSettings(warning_s=-1),
    TableSettings(launch_to_close_s=0),
    TableSettings(rest_s=-1),
    TableSettings(pause_s=-1),
    TableSettings(betting_min_s=-1),
    TableSettings(games_per_hour_max=0),
    TableSettings(offline_grace_s=-1),
    TableSettings(decision_s=-1),
    TableSettings(attest_s=-1),
    TableSettings(history_shown=0),
    TableSettings(limits=LimitSettings(spot=LimitBounds(Cents(500), Cents(400)))),
    *(TableSettings(**{name: most + 1}) for name, (_, most) in SETTING_BOUNDS.items()),  # type: ignore[arg-type]
    TableSettings(limits=LimitSettings(spot=LimitBounds(most=Cents(AMOUNT_MAX + 1)))),
    TableSettings(limits=LimitSettings(total=LimitBounds(most=Cents(AMOUNT_MAX + 1)))),
    TableSettings(limits=LimitSettings(kinds=((SpotKind("red"), LimitBounds(least=Cents(AMOUNT_MAX + 1))),))),
]


@pytest.mark.parametrize("settings", IMPOSSIBLE)
def test_settings_that_nothing_can_keep(settings: TableSettings) -> None:
    """A table is neither added nor changed with a time, a count or a limit that cannot be."""
    pit = CheckedHouse()
    pit.refused(AddTable(A2, pit.rulebook.digest, settings), Code.SETTING_IMPOSSIBLE, "7(c)i")
    pit.refused(ChangeSettings(TABLE, settings, "why not"), Code.SETTING_IMPOSSIBLE, "7(c)i", by="Shift Manager")


def test_limit_beyond_the_largest_amount_is_named() -> None:
    """Of limits that go beyond the largest amount, the bound that does is named: the most if the least does not."""
    pit = CheckedHouse()
    for least, most, bound in ((0, 1, "most"), (1, 2, "least")):
        bounds = LimitBounds(Cents(AMOUNT_MAX + least), Cents(AMOUNT_MAX + most))
        add = AddTable(A2, pit.rulebook.digest, TableSettings(limits=LimitSettings(spot=bounds)))
        refusal = pit.refused(add, Code.SETTING_IMPOSSIBLE, "7(c)i")
        assert refusal.facts == {"setting": "spot", "bound": bound}


@pytest.mark.parametrize("end", [0, 1], ids=["least", "most"])
def test_settings_at_their_bounds_can_be_kept(end: int) -> None:
    """A table takes the least and the most of every figure, and the most that is ever staked."""
    pit, figures = CheckedHouse(), {name: bounds[end] for name, bounds in SETTING_BOUNDS.items()}
    limits = LimitSettings(LimitBounds(most=Cents(AMOUNT_MAX)), (), LimitBounds(most=Cents(AMOUNT_MAX)))
    pit.done(AddTable(A2, pit.rulebook.digest, TableSettings(limits=limits, **figures)))  # type: ignore[arg-type]

    assert pit.house.tables[A2].settings.limits == limits


@pytest.mark.clause("skycity-adelaide-2003", "5.3(a)")
def test_only_terminals_of_the_house_bet() -> None:
    """A bet from terminal 99, which nobody added, is refused, and the same bet from T1 is accepted."""
    pit = CheckedHouse()
    pit.open(credit=20_00)
    pit.refused(pit.placing(TerminalId("99"), ("17", 5_00)), Code.UNKNOWN_DEVICE, "5.3(a)", on="99")
    pit.refused(pit.placing(T1, ("17", 5_00)), Code.UNKNOWN_DEVICE, "5.3(a)", on="99")
    pit.done(pit.placing(T1, ("17", 5_00)), on=T1)
    assert pit.t1.in_play == 5_00


def test_terminal_plays_as_many_games_as_the_rules_have() -> None:
    """Two different tables at Clearwater by rule 12, and one where the rules speak of no more."""
    pit = CheckedHouse(CLEARWATER)
    for table in ("A2", "A3"):
        pit.done(AddTable(TableId(table), pit.rulebook.digest, PROMPT))
    pit.refused(AddTerminal(T3, (TABLE, TABLE), PLAIN), Code.SETTING_IMPOSSIBLE, "12")
    pit.refused(AddTerminal(T3, (TABLE, A2, TableId("A3")), PLAIN), Code.SETTING_IMPOSSIBLE, "12")
    pit.done(AddTerminal(T3, (TABLE, A2), PLAIN))
    assert list(pit.house.terminals[T3].games) == [TABLE, A2]
    assert (pit.table.terminals, pit.house.tables[A2].terminals) == ([T1, T2, T3], [T3])
    elsewhere = CheckedHouse()
    elsewhere.done(AddTable(A2, elsewhere.rulebook.digest, PROMPT))
    elsewhere.refused(AddTerminal(T3, (TABLE, A2), PLAIN), Code.SETTING_IMPOSSIBLE, "5.3(a)")


def test_terminal_plays_by_one_rulebook() -> None:
    """All tables of a terminal are there, and under the same rulebook."""
    pit = CheckedHouse(CLEARWATER, mode=Mode.DEMO)
    pit.done(AdoptRulebook(canonical(venue(US))))
    pit.done(AddTable(A2, venue(US).digest, PROMPT))
    pit.refused(AddTerminal(T3, (TABLE, A2), PLAIN), Code.SETTING_IMPOSSIBLE, "12")
    pit.refused(AddTerminal(T3, (TABLE, TableId("A9")), PLAIN), Code.UNKNOWN_TABLE)
    pit.refused(AddTerminal(T3, (), PLAIN), Code.SETTING_IMPOSSIBLE)


@pytest.mark.parametrize(
    ("profile", "clause"), [("rapid", None), ("table", "6(a)"), ("terminal", ""), (None, "")], ids=str
)
def test_terminal_is_a_model_that_the_rules_know(profile: str | None, clause: str | None) -> None:
    """A terminal is one of the venue's terminal models or none in particular, and never its table."""
    pit = CheckedHouse()
    command = AddTerminal(T3, (TABLE,), TerminalSettings(profile=profile))
    if clause == "":
        pit.done(command)
        assert getattr(pit.house.terminals[T3].profile, "id", None) == "terminal"
    else:
        pit.refused(command, Code.UNKNOWN_PROFILE, clause)


def test_chip_table_has_terminals_in_a_demonstration_alone() -> None:
    """Where the rules know chips on a table only, terminals stand there for play money and never for real money."""
    assert CheckedHouse(US, mode=Mode.DEMO).table.terminals == [T1, T2]
    pit = CheckedHouse(CLEARWATER)
    pit.done(AdoptRulebook(canonical(venue(US))))
    pit.done(AddTable(A2, venue(US).digest, PROMPT))
    pit.refused(AddTerminal(T3, (A2,), PLAIN), Code.DEMO_ONLY, "Placement 1")


TRAYS = [
    TerminalSettings(denominations=()),
    TerminalSettings(denominations=(Cents(0),)),
    TerminalSettings(chips=(100, 0)),
    TerminalSettings(notes=(Cents(-500),)),
    TerminalSettings(limits=LimitSettings(total=LimitBounds(Cents(-1)))),
]


@pytest.mark.parametrize("settings", TRAYS)
def test_tray_that_cannot_be(settings: TerminalSettings) -> None:
    """A terminal's denominations, chips and notes are above nothing, and its own limits can be kept."""
    CheckedHouse().refused(AddTerminal(T3, (TABLE,), settings), Code.SETTING_IMPOSSIBLE, "7(c)i")


@pytest.mark.clause("skycity-adelaide-2003", "5.4(a)")
def test_software_that_is_not_approved_starts_no_game() -> None:
    """With h1 approved a system that runs h1 opens a round, and one that runs h2 is refused; each report is kept."""
    pit = CheckedHouse()
    pit.done(ApproveBuild("h1", "LGC-2003-17"))
    pit.refused(ApproveBuild("h1", "LGC-2003-17"), Code.ALREADY_THERE)
    pit.done(ReportBuild("h2"))
    assert "not approved" in pit.refused(OpenBets(TABLE), Code.SOFTWARE_NOT_APPROVED, "5.4(a)").message
    pit.done(ReportBuild("h1"))
    pit.done(OpenBets(TABLE))
    pit.done(ApproveBuild("h1", "LGC-2004-1"))
    assert (pit.house.setup.build, pit.house.setup.approved_builds) == ("h1", {"h0": "LGC-2003-1", "h1": "LGC-2004-1"})


def test_settings_change_from_the_next_round() -> None:
    """New limits that two people signed hold from the next round, but for a terminal that has its own."""
    pit = CheckedHouse()
    own = LimitSettings(spot=LimitBounds(Cents(200)))
    pit.done(AddTerminal(T3, (TABLE,), TerminalSettings(limits=own)))
    pit.open(credit=100_00, stake=1_00)
    limits = LimitSettings(spot=LimitBounds(Cents(500)))
    pit.signed(ChangeSettings(TABLE, TableSettings(warning_s=0, limits=limits), "busy night"), "Shift Manager")
    pit.done(pit.placing(T1, ("18", 1_00)), on=T1)
    pit.close()
    pit.rest("17")
    pit.open()
    assert (pit.table.settings.limits, pit.table.next_settings) == (limits, None)
    pit.refused(pit.placing(T1, ("18", 1_00)), Code.STAKE_UNDER_MINIMUM, "7(h)v", on=T1)
    third = pit.house.terminals[T3].games[TABLE].effective_limits
    assert third.ranges[SpotKey("18")] == Range(Cents(200))


def second_edition(rulebook: Rulebook, **changes: object) -> str:
    return canonical(replace(rulebook, version="second", **changes))  # type: ignore[arg-type]


def test_rulebook_changes_from_the_next_round() -> None:
    """Another edition holds from the next round, and what lay or was kept on the old layout is gone by then."""
    pit = CheckedHouse()
    adopted = pit.done(AdoptRulebook(second_edition(pit.rulebook)))[0]
    assert isinstance(adopted, RulebookAdopted)
    pit.open(credit=100_00, stake=10_00)
    change = ChangeRulebook(TABLE, adopted.digest, "new edition")
    assert pit.signed(change, "Shift Manager") == (RulebookChanged(TABLE, adopted.digest, "new edition"),)
    assert pending_settings(pit.house, pit.table)[0].version == "second"
    pit.refused(AddTerminal(T3, (TABLE,), PLAIN), Code.SETTING_IMPOSSIBLE, "7(c)i")
    pit.close()
    pit.rest("17")
    assert (pit.table.rulebook.version, pit.t1.in_play) == ("2003", 10_00)
    pit.t1.patterns[1] = {SpotKey("17"): 10}
    pit.t1.ghost = Ghost(TABLE, 1, ((SpotKey("17"), 10),))
    pit.open()
    assert (pit.table.rulebook.version, pit.table.playing.rulebook) == ("second", adopted.digest)
    assert (pit.t1.credit, pit.t1.in_play, pit.t1.games[TABLE].previous) == (450_00, 0, {})
    assert (pit.house.terminals[T1].patterns, pit.house.terminals[T1].ghost) == ({}, None)
    assert pit.table.payouts is pit.house.payout_tables[adopted.digest]


def test_change_of_rulebook_can_be_taken_back() -> None:
    """A table put back under its own rulebook before the next round loses nothing of what was kept."""
    pit = CheckedHouse()
    adopted = pit.done(AdoptRulebook(second_edition(pit.rulebook)))[0]
    assert isinstance(adopted, RulebookAdopted)
    pit.signed(ChangeRulebook(TABLE, adopted.digest, "new edition"), "Shift Manager")
    pit.signed(ChangeRulebook(TABLE, pit.rulebook.digest, "not yet"), "Shift Manager")
    pit.t1.patterns[1] = {SpotKey("17"): 10}
    pit.open()
    assert (pit.table.rulebook.version, pit.t1.patterns, pit.table.playing.number) == (
        "2003",
        {1: {"17": 10}},
        RoundNumber(1),
    )


def test_rulebook_that_a_table_cannot_change_to() -> None:
    """A table stays with rules that are adopted, in its currency, and known to all that its terminals are."""
    pit = CheckedHouse(CLEARWATER)
    manager = "Shift Manager"

    def refused(rulebook_id: str, code: Code, clause: str | None = None) -> None:
        pit.refused(ChangeRulebook(TABLE, venue(rulebook_id).digest, "why"), code, clause, by=manager)

    refused(US, Code.UNKNOWN_RULEBOOK)
    refused(CLEARWATER, Code.ALREADY_THERE)
    pit.done(AdoptRulebook(canonical(venue(US))))
    refused(US, Code.DEMO_ONLY, "Placement 1")
    demo = CheckedHouse(CLEARWATER, mode=Mode.DEMO)
    demo.done(AdoptRulebook(canonical(venue(MARINA))))
    other = ChangeRulebook(TABLE, venue(MARINA).digest, "why")
    demo.refused(other, Code.SETTING_IMPOSSIBLE, "14", by=manager)
    edition = pit.done(AdoptRulebook(second_edition(pit.rulebook)))[0]
    assert isinstance(edition, RulebookAdopted)
    pit.done(AddTable(A2, pit.rulebook.digest, PROMPT))
    pit.done(AddTerminal(T3, (TABLE, A2), PLAIN))
    pit.done(AddTerminal(TerminalId("T4"), (TABLE, A2), PLAIN))
    command = ChangeRulebook(TABLE, edition.digest, "why")
    assert pit.refused(command, Code.SETTING_IMPOSSIBLE, "14", by=manager).facts == {"terminal": T3}


def test_rulebook_must_know_the_models_that_stand_there() -> None:
    """A table with a terminal of some model does not change to rules that do not know it."""
    pit = CheckedHouse()
    pit.done(AddTerminal(T3, (TABLE,), TerminalSettings(profile="terminal")))
    adopted = pit.done(AdoptRulebook(second_edition(pit.rulebook, profiles=())))[0]
    assert isinstance(adopted, RulebookAdopted)
    pit.refused(ChangeRulebook(TABLE, adopted.digest, "why"), Code.UNKNOWN_PROFILE, by="Shift Manager")


@pytest.mark.parametrize(("named", "first", "second"), [(("T1",), ["Hello"], []), ((), ["Hello"], ["Hello"])])
def test_words_for_terminals(named: tuple[str, ...], first: list[str], second: list[str]) -> None:
    """Words go to the terminals that are named, or to all where none is."""
    pit = CheckedHouse()
    pit.done(SendMessage(named, "Hello"), "Dealer")
    assert ([each.text for each in pit.t1.messages], [each.text for each in pit.t2.messages]) == (first, second)


def test_words_for_a_terminal_that_is_not_there() -> None:
    """Nobody is sent words where one of those named is unknown."""
    pit = CheckedHouse()
    pit.refused(SendMessage(("T1", "T9"), "Hello"), Code.UNKNOWN_TERMINAL, "5.3(a)", by="Dealer")
    assert not pit.t1.messages
