"""A venue with real money set up by the book: it says what keeps its tables from playing, until they play."""

import re
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from croupier.config.reader import template
from croupier.engine.ports import Request
from croupier.engine.storage import build_id
from croupier.house.credit.notes import InsertNote
from croupier.house.ids import SECOND, DeviceId, DeviceKind, PersonId, TableId, TerminalId
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.settings import Mode
from croupier.rulebooks.loader import rulebook_ids
from croupier.rules.money import Cents
from croupier.rules.procedure import ChannelName
from croupier.server.views.floor import FLOOR_EVERY
from tests.conftest import venue
from tests.support.connections import Client, Said, TestHouse, configured, open_house, played, secret_of

CONSOLES = '[[consoles]]\nid = "pit-1"\nrole = "pit"\n'


def begun(rulebook: str) -> str:
    """A configuration as `croupier init --real` writes it, for a rulebook."""
    text = template(Mode.REAL, build_id()).replace('rulebook = "skycity-adelaide-2003"', f'rulebook = "{rulebook}"')
    assert f'rulebook = "{rulebook}"' in text
    return re.sub(r"^#port = .*$", "port = 0", text, flags=re.MULTILINE)


def staffed(rulebook: str) -> str:
    """With a pit console, and somebody of every title, which are among the first things to be filled in."""
    order = venue(rulebook).staff.order
    people = "".join(f'[[staff]]\nperson = "{title.lower()}"\ntitles = ["{title}"]\n' for title in order)
    return f"{begun(rulebook)}\n{CONSOLES}{people}"


def by_terminal(rulebook: str) -> bool:
    """Tell whether real money is played at terminals; at the US table it is played with chips."""
    return ChannelName.TERMINAL in venue(rulebook).channels


def filled_in(rulebook: str) -> str:
    """With all that the page on operating asks for."""
    seats = "seats = 2\n" if by_terminal(rulebook) else ""
    seats += 'wheel = "random"\nbetting_s = 20\npause_s = 3\nspin_s = 4\nminimum = 1\nmaximum = 4\n'
    text = staffed(rulebook).replace(f'rulebook = "{rulebook}"\n', f'rulebook = "{rulebook}"\n{seats}', 1)
    return f'{text}[[approvals]]\nversion = "{build_id()}"\nreference = "R-1"\n'


async def at_the_pit(house: TestHouse) -> tuple[Client, Said]:
    """Enrol the pit console on the host, and sign the highest title in there."""
    keys = house.venue.verifier.credential_store.enrol({DeviceId("pit-1"): DeviceKind.PIT})
    assert isinstance(keys, dict)
    pit = await house.client()
    pit.say("hello", screen="pit", device="pit-1", key=keys[DeviceId("pit-1")])
    person = venue_order(house)[-1].lower()
    await pit.hear("welcome")
    code = house.venue.codes[PersonId(person)]
    pit.say("new_secret", person=person, code=code, secret=secret_of(person))
    return pit, await pit.hear("snap")


def venue_order(house: TestHouse) -> tuple[str, ...]:
    return house.venue.run.house.tables[TableId("A")].rulebook.staff.order


def fetched(house: TestHouse, target: str) -> str:
    return house.venue.server.site.respond(target).body.decode()


def said_everywhere(house: TestHouse, snap: Said) -> list[set[str]]:
    """Gather which reasons each place names: the status, /health, the metrics, the pit's needs and the table's card."""
    health = msgspec.json.decode(fetched(house, "/health"))
    metrics = re.findall(r'croupier_table_blocked\{reason="(\w+)",table="A"\} 1\.0', fetched(house, "/metrics"))
    blocked = house.venue.blockers()
    (table,) = house.venue.maintenance.status().tables
    assert [each.reason for each in table.blocked] == [each.reason for each in blocked]
    floor = snap["floor"]
    return [
        {str(each.reason) for each in blocked},
        {each["reason"] for each in health["blocked"]},
        set(metrics),
        {each["what"] for each in floor["needs"] if each["kind"] == "blocked"},
        {each["reason"] for each in floor["tables"]["A"]["blocked"]},
    ]


@pytest.mark.clause("skycity-adelaide-2003", "5.4(a)")
@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_venue_says_what_keeps_its_table_until_it_plays(tmp_path: Path, rulebook: str) -> None:
    """Set up by the book at each rulebook, every place says the same reasons, until the setting of each is entered."""
    wanted = {"no_terminals"} if by_terminal(rulebook) else set[str]()
    wanted |= {"software_not_approved"} if venue(rulebook).approval else set()
    wanted |= set() if venue(rulebook).procedure.revolutions else {"no_sensor"}

    async def scenario() -> None:
        with capture_logs() as logged:
            async with open_house(tmp_path, staffed(rulebook)) as house:
                assert {each["reason"] for each in logged if each["event"] == "table_blocked"} == wanted
                await house.pass_s(1)
                pit, snap = await at_the_pit(house)
                assert said_everywhere(house, snap) == [wanted] * 5
                house.venue.maintenance.reread = lambda: configured(tmp_path, begun_again(rulebook))
                await house.venue.maintenance.reload()
                await house.pass_s(FLOOR_EVERY / SECOND + 1)
                pit.say("resync")
                still = {"no_sensor"} & wanted
                assert said_everywhere(house, await pit.hear("snap")) == [still] * 5

    played(scenario)


def begun_again(rulebook: str) -> str:
    """The same house once it is filled in; its wheel is changed at the pit, or before the first start."""
    text = filled_in(rulebook)
    return text.replace('wheel = "random"\nbetting_s = 20\npause_s = 3\nspin_s = 4\nminimum = 1\nmaximum = 4\n', "")


async def bet(house: TestHouse) -> None:
    """Sit down at a terminal that was given its key, put a note in, and bet."""
    terminal, register = DeviceId("A-1"), house.venue.verifier.credential_store
    keys = register.enrol({terminal: DeviceKind.TERMINAL})
    assert isinstance(keys, dict)
    player = await house.client()
    await player.return_(terminal, keys[terminal])
    currency = house.venue.run.house.tables[TableId("A")].rulebook.currency
    note = InsertNote(TerminalId(terminal), currency, Cents(2_000))
    await house.venue.commit_loop.ask(Request(note, terminal))
    reported = await player.answered(player.bet("17", 200, 1))
    assert reported["set"]["games"]["A"]["stakes"] == {"17": 200}


@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_venue_that_is_filled_in_plays(tmp_path: Path, rulebook: str) -> None:
    """With all that the page on operating asks for nothing keeps the table, and a bet is taken, spun and settled."""

    async def scenario() -> None:
        with capture_logs() as logged:
            async with open_house(tmp_path, filled_in(rulebook)) as house:
                assert [each for each in logged if each["event"] == "table_blocked"] == []
                await house.pass_s(4)
                if by_terminal(rulebook):
                    await bet(house)
                await house.pass_s(40)
                assert len(house.happened(RoundSettled)) > 0
                assert house.venue.blockers() == []

    played(scenario)
