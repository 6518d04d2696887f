"""Provisioning by a configuration: what the file names is added to the house, and nothing is added twice."""

from pathlib import Path

import pytest

from croupier.config.provisioning import configuration_drift, identity_conflict, provisioning_commands
from croupier.config.reader import demo_config
from croupier.config.schema import Config
from croupier.engine.ports import Request
from croupier.engine.run import Run
from croupier.house.floor.service import CloseTerminal, NotifyOfficer
from croupier.house.floor.settings import ChangeRulebook, ChangeSettings
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook, ApproveBuild, CreateHouse, ReportBuild
from croupier.house.floor.signatures import Approve
from croupier.house.floor.staff import EnrolDevice, EnrolPerson, ReleaseDevice, ReleasePerson
from croupier.house.ids import DeviceId, Number, PersonId, TableId, TerminalId
from croupier.house.rounds.opening import OpenBets, opening_objection
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.timers import Tick
from croupier.house.verification import ledger_problems
from croupier.rulebooks.schema import canonical
from croupier.rules.refusal import Refusal
from tests.config.test_reader import ADELAIDE, read
from tests.conftest import venue
from tests.support.engine_driver import SOFTWARE, TODAY, HandClock, done, memory_storage, start

REAL = f"""
mode = "real"
venue = "Adelaide"
timezone = "Australia/Adelaide"
ticket_days = 30

[[approvals]]
version = "{SOFTWARE}"
reference = "LGC-2003-1"

[[consoles]]
id = "pit-1"
role = "pit"

[[consoles]]
id = "pit-2"
role = "pit"

[[staff]]
person = "shift manager"
titles = ["Shift Manager"]

[[staff]]
person = "relief manager"
titles = ["Shift Manager"]

[[tables]]
id = "A"
rulebook = "{ADELAIDE}"
seats = 2
minimum = 5
"""
SECOND_TABLE = f"""
[[tables]]
id = "B"
rulebook = "{ADELAIDE}"
seats = 3
"""
DEALER = """
[[staff]]
person = "dealer"
titles = ["Dealer"]
"""
A, B = TableId("A"), TableId("B")


def provisioned(config: Config) -> Run:
    """A house that was provisioned by a configuration."""
    run = start(memory_storage())
    done(run, *provisioning_commands(config, run.house, SOFTWARE))
    return run


def dual(run: Run, command: ChangeSettings | ChangeRulebook | EnrolPerson | ReleaseDevice) -> None:
    """Have two managers sign a change at the pit."""
    done(run, Request(command, DeviceId("pit-1"), PersonId("shift manager")))
    approval = Approve(Number(run.house.proposals.made))
    done(run, Request(approval, DeviceId("pit-2"), PersonId("relief manager")))


def test_live_tables_of_the_demonstration_are_ready() -> None:
    """The float of a live table of the demonstration is open with its chips, and its round may begin."""
    run = provisioned(demo_config(Path("/venue")))
    live = [table for table in run.house.tables.values() if table.live is not None]
    assert len(live) == 2
    for table in live:
        assert table.live is not None
        assert table.live.float_ is not None
        assert table.settings.live is not None
        assert table.live.float_.opened == 200 * sum(table.settings.live.denominations)
        assert opening_objection(run.house, table, run.house.now) is None
        assert not list(ledger_problems(run.house))


def test_new_house_is_provisioned_in_order() -> None:
    """A new house is created with all that the file names, each after what it depends on."""
    config, book = read(REAL), venue(ADELAIDE)

    assert provisioning_commands(config, start(memory_storage()).house, SOFTWARE) == (
        CreateHouse(Mode.REAL, "Adelaide", "Australia/Adelaide", 30),
        AdoptRulebook(canonical(book)),
        ApproveBuild(SOFTWARE, "LGC-2003-1"),
        ReportBuild(SOFTWARE),
        AddTable(A, book.digest, config.tables[0].settings),
        AddTerminal(TerminalId("A-1"), (A,), TerminalSettings()),
        AddTerminal(TerminalId("A-2"), (A,), TerminalSettings()),
        EnrolDevice(DeviceId("pit-1")),
        EnrolDevice(DeviceId("pit-2")),
        EnrolPerson(PersonId("shift manager"), ("Shift Manager",)),
        EnrolPerson(PersonId("relief manager"), ("Shift Manager",)),
    )


@pytest.mark.parametrize("config", [read(REAL), demo_config(Path("/venue"))], ids=["real", "demo"])
def test_house_that_has_it_all_is_sent_nothing(config: Config) -> None:
    """The house takes every command, and then there is nothing left to ask, and nothing that differs."""
    run = provisioned(config)

    assert provisioning_commands(config, run.house, SOFTWARE) == ()
    assert provisioning_commands(config, run.house, "0.2") == (ReportBuild("0.2"),)
    assert configuration_drift(config, run.house) == ()
    assert identity_conflict(config, run.house) is None


def test_what_is_added_to_the_file_is_added_to_the_house() -> None:
    """A table in a file that is read again is added with its terminals, and nothing else is asked."""
    run, config = provisioned(read(REAL)), read(REAL + SECOND_TABLE)
    commands = provisioning_commands(config, run.house, SOFTWARE)

    assert configuration_drift(config, run.house) == ()
    assert commands == (
        AddTable(B, venue(ADELAIDE).digest, TableSettings()),
        *(AddTerminal(TerminalId(f"B-{number}"), (B,), TerminalSettings()) for number in (1, 2, 3)),
    )
    done(run, *commands)
    assert provisioning_commands(config, run.house, SOFTWARE) == ()


def test_other_titles_and_a_new_approval_are_taken_over() -> None:
    """Titles and approvals that stand otherwise in the file are as the file has them."""
    run = provisioned(read(REAL))
    text = REAL.replace('"relief manager"\ntitles = ["Shift Manager"]', '"relief manager"\ntitles = ["Pit Boss"]')
    config = read(text.replace("LGC-2003-1", "LGC-2003-2"))

    assert provisioning_commands(config, run.house, SOFTWARE) == (
        ApproveBuild(SOFTWARE, "LGC-2003-2"),
        EnrolPerson(PersonId("relief manager"), ("Pit Boss",)),
    )


def test_another_version_is_reported_and_not_approved_by_itself() -> None:
    """The approval in a file is of the version that it names: another one runs, is reported, and opens no round."""
    run, config = provisioned(read(REAL)), read(REAL)
    done(run, Tick(TODAY), *provisioning_commands(config, run.house, "0.2"))

    assert run.house.setup.build == "0.2"
    outcome = run.submit(Request(OpenBets(A)))
    assert outcome is None
    (answer,) = run.step().responses
    assert isinstance(answer.outcome, Refusal)
    assert answer.outcome.message == "Software version not approved: 0.2."


def test_journal_of_another_venue_is_refused() -> None:
    """A start on the journal of another venue is refused with what its first entry fixes."""
    run = provisioned(read(REAL))
    other = read('venue = "Elsewhere"\n[[tables]]\nid = "A"\nrulebook = "us-double-zero"')

    refusal = identity_conflict(other, run.house)
    assert refusal is not None
    assert refusal.facts == {
        "mode": ("real", "demo"),
        "venue": ("Adelaide", "Elsewhere"),
        "timezone": ("Australia/Adelaide", "UTC"),
    }
    assert refusal.message == (
        "Demo and real money never mix. "
        "The mode is fixed in the journal's first entry as 'real'; the file says 'demo'. "
        "The venue is fixed in the journal's first entry as 'Adelaide'; the file says 'Elsewhere'. "
        "The timezone is fixed in the journal's first entry as 'Australia/Adelaide'; the file says 'UTC'."
    )


def test_another_venue_alone_contradicts() -> None:
    """A venue under another name is another venue, also where the money is of one kind."""
    refusal = identity_conflict(read(REAL.replace('"Adelaide"', '"Elsewhere"')), provisioned(read(REAL)).house)

    assert refusal is not None
    assert refusal.message.startswith("The venue is fixed")


def test_empty_journal_has_no_drift() -> None:
    """Before there is a house, there is nothing that a file could differ from."""
    house = start(memory_storage()).house

    assert identity_conflict(read(REAL), house) is None
    assert configuration_drift(read(REAL), house) == ()


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        (
            "ticket_days = 30",
            "",
            "ticket_days is 30 in the journal's first entry and not set in the file: it cannot be changed.",
        ),
        (
            "ticket_days = 30",
            "ticket_days = 30\nrecords_kept = 7",
            "records_kept is 100 in the journal's first entry and 7 in the file: it cannot be changed.",
        ),
        (
            "minimum = 5",
            "minimum = 10\nbetting_s = 25\nwarning_s = 6",
            (
                "Table A differs from the file in limits, betting_s and warning_s: "
                "change it at the pit console, with two signatures."
            ),
        ),
        (
            "seats = 2",
            "seats = 2\nseat.chips = [5]",
            (
                "Terminal A-1 differs from the file in chips: close it at the pit console, "
                "and add another under a new id."
            ),
        ),
        (
            "seats = 2",
            "seats = 1",
            "Terminal A-2 is in the journal but not in the file: close it at the pit console, or add it to the file.",
        ),
        (
            'person = "relief manager"',
            'person = "new manager"',
            "relief manager is enrolled but not in the file: release them at the pit console, or add them to the file.",
        ),
    ],
)
def test_drift_is_reported(old: str, new: str, reported: str) -> None:
    """A difference is reported with where it is changed, and the house does not change."""
    run, config = provisioned(read(REAL)), read(REAL.replace(old, new))
    done(run, *provisioning_commands(config, run.house, SOFTWARE))

    assert configuration_drift(config, run.house)[0] == reported
    assert run.house.tables[A].settings == read(REAL).tables[0].settings


def test_table_that_is_gone_from_the_file_is_reported() -> None:
    """A table that the file does not name any more stays, and so do its terminals, and both are told of."""
    run = provisioned(read(REAL + SECOND_TABLE))

    reported = configuration_drift(read(REAL), run.house)
    remedy = "close it at the pit console, or add it to the file"
    assert reported[0] == f"Table B is in the journal but not in the file: {remedy}."
    assert len(reported) == 4
    assert provisioning_commands(read(REAL), run.house, SOFTWARE) == ()


def test_terminal_at_another_table_is_reported() -> None:
    """A terminal that the file puts at another table stays where it is."""
    terminal = '[[terminals]]\nid = "T"\ntables = ["{}"]'
    run = provisioned(read(REAL + SECOND_TABLE + terminal.format("A")))
    config = read(REAL + SECOND_TABLE + terminal.format("B"))

    assert configuration_drift(config, run.house) == (
        "Terminal T differs from the file in tables: close it at the pit console, and add another under a new id.",
    )
    assert provisioning_commands(config, run.house, SOFTWARE) == ()


def test_whoever_was_released_is_not_brought_back_by_the_file() -> None:
    """A person who was released at the pit stays out though the file names them, with other titles too; it is told."""
    run, leaver = provisioned(read(REAL + DEALER)), PersonId("dealer")
    done(run, Request(ReleasePerson(leaver), DeviceId("pit-1"), PersonId("shift manager")))

    for config in (read(REAL + DEALER), read(REAL + DEALER.replace('"Dealer"', '"Inspector"'))):
        assert provisioning_commands(config, run.house, SOFTWARE) == ()
        assert configuration_drift(config, run.house) == (
            (
                "dealer was released but is still in the file: "
                "enrol them at the pit console, or remove them from the file."
            ),
        )
    assert configuration_drift(read(REAL), run.house) == ()


def test_device_that_was_released_is_not_brought_back_by_the_file() -> None:
    """A console that two released at the pit stays out though the file names it, and so does a terminal; it is told."""
    run = provisioned(read(REAL))
    for command in (NotifyOfficer("A-2", "It goes."), CloseTerminal(TerminalId("A-2"), "It goes.")):
        assert isinstance(run.ports.clock, HandClock)
        run.ports.clock.pass_s(1)
        done(run, Request(command, DeviceId("pit-1"), PersonId("shift manager")))
    for device in ("A-2", "pit-2"):
        dual(run, ReleaseDevice(DeviceId(device)))

    assert provisioning_commands(read(REAL), run.house, SOFTWARE) == ()
    assert configuration_drift(read(REAL), run.house) == tuple(
        f"{device} was released but is still in the file: enrol it at the pit console, or remove it from the file."
        for device in ("pit-2", "A-2")
    )


def test_whoever_was_released_is_enrolled_again_at_the_pit() -> None:
    """Two managers bring a person back who was released; from then on the file counts for them again."""
    run, leaver = provisioned(read(REAL + DEALER)), PersonId("dealer")
    done(run, ReleasePerson(leaver))
    dual(run, EnrolPerson(leaver, ("Dealer",)))

    assert run.house.staff.people[leaver].titles == ("Dealer",)
    assert configuration_drift(read(REAL + DEALER), run.house) == ()
    promoted = read(REAL + DEALER.replace('"Dealer"', '"Inspector"'))
    assert provisioning_commands(promoted, run.house, SOFTWARE) == (EnrolPerson(leaver, ("Inspector",)),)


def test_seats_that_a_demonstration_added_are_not_reported() -> None:
    """In a demonstration seats are added for whoever comes, which is nothing to put right."""
    config = demo_config(Path("/venue"))
    run = provisioned(config)
    done(run, AddTerminal(TerminalId("adelaide-5"), (TableId("adelaide"),), TerminalSettings()))

    assert configuration_drift(config, run.house) == ()


def test_what_was_changed_at_the_pit_and_in_the_file_does_not_differ() -> None:
    """A change that two managers signed counts from when it was signed, though it holds from the next round."""
    run, config = provisioned(read(REAL)), read(f"{REAL}betting_s = 25")
    assert len(configuration_drift(config, run.house)) == 1
    dual(run, ChangeSettings(A, config.tables[0].settings, "a timer"))

    assert configuration_drift(config, run.house) == ()


def test_another_rulebook_is_adopted_and_put_in_force_at_the_pit(tmp_path: Path) -> None:
    """A rulebook that a file names for a table that is there is adopted, so that two managers can change to it."""
    folder = Path(__file__).parents[2] / "src/croupier/rulebooks" / ADELAIDE
    (tmp_path / "rules").mkdir()
    for name in ("rulebook.toml", "clauses.toml"):
        text = (folder / name).read_text("utf-8")
        (tmp_path / "rules" / name).write_text(text.replace('texts = ["No Spin"]', 'texts = ["NO SPIN"]'), "utf-8")
    run, config = provisioned(read(REAL)), read(REAL.replace(ADELAIDE, "rules"), tmp_path / "croupier.toml")
    old, new = venue(ADELAIDE), config.tables[0].rulebook

    assert provisioning_commands(config, run.house, SOFTWARE) == (AdoptRulebook(canonical(new)),)
    assert configuration_drift(config, run.house) == (
        (
            f"Table A plays by {ADELAIDE} {old.digest[:8]}, but the file says {ADELAIDE} {new.digest[:8]}: "
            "change it at the pit console, with two signatures."
        ),
    )
    done(run, *provisioning_commands(config, run.house, SOFTWARE))
    dual(run, ChangeRulebook(A, new.digest, "other words"))
    assert configuration_drift(config, run.house) == ()
