"""Permissions at the wire: every message, on every kind of connection, signed out and with every title."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from croupier.house import AnyCommand
from croupier.house.declare import COMMANDS
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.signatures import DUAL_CONTROL, Approve
from croupier.house.floor.staff import ReleasePerson
from croupier.house.ids import DeviceKind, PersonId
from croupier.protocol import inbound
from croupier.server.connection import INVALID_FRAMES_MAX
from croupier.server.router import MOST
from croupier.server.views.floor import DUTIES
from croupier.simulation.auditor.permissions import PERMISSION_ROWS
from tests.conftest import venue
from tests.house.floor.test_permissions import titles
from tests.support.connections import Client, Said, TestHouse, open_house, played, refused_in, secret_of
from tests.support.house_driver import TABLE, Play
from tests.support.sample_commands import ADELAIDE, BESIDE, ORDER, sample_commands

pytestmark = pytest.mark.untraced

#: What can be said in the house's own words, and what cannot be said at all.
SAID = (*get_args(inbound.TerminalCommand), *get_args(inbound.StaffCommand))
UNSAID = [kind for kind in COMMANDS if kind not in SAID]
#: Wishes that are put into the house's words at the counter.
COUNTER: dict[str, dict[str, object]] = {
    "note": {"value": 1_000},
    "ticket_in": {"number": "1" * 18},
    "cash_out": {},
    "redeem": {"drawer": "D1", "number": "1" * 18},
    "collect_for": {"terminal": "T1"},
}
#: Those of them that are for staff, with what each asks of the house.
STAFFED = {"redeem": "RedeemTicket", "collect_for": "Collect"}
ROWS = {kind.__name__: row for kind, row in PERMISSION_ROWS.items()}
STEPPED_UP = {kind.__name__ for kind in DUAL_CONTROL | {Approve}}
STAFF_CONNECTIONS = tuple(DUTIES)

HOUSE = """
venue = "Test house"
data = "data"
listen.port = 0
limits = {{ commands_per_s = 10_000, commands_burst = 10_000 }}
[[tables]]
id = "{table}"
rulebook = "{rulebook}"
[[terminals]]
id = "T1"
tables = ["{table}"]
[[terminals]]
id = "T2"
tables = ["{table}"]
{staff}
"""


def titles_at(rulebook_id: str) -> tuple[str, ...]:
    return (*ORDER[rulebook_id], *BESIDE[rulebook_id])


@asynccontextmanager
async def floor_of(folder: Path, rulebook_id: str) -> AsyncIterator[TestHouse]:
    """Open a house of one venue with somebody of every title; nothing must ever be too much for it."""
    staff = "".join(f'[[staff]]\nperson = "{each.lower()}"\ntitles = ["{each}"]\n' for each in titles_at(rulebook_id))
    async with open_house(folder, HOUSE.format(table=TABLE, rulebook=rulebook_id, staff=staff)) as house:
        yield house
        assert not house.venue.commit_loop.failed.done()
        kinds = {each.kind for each in house.venue.run.house.incidents.all.values()}
        assert IncidentKind.COMMAND_FAILED not in kinds


def sample_requests(rulebook_id: str) -> dict[str, AnyCommand]:
    """One command of every kind that can be said, with nothing wrong but perhaps who asks and when."""
    floor = Play(rulebook_id)
    floor.seats(T1=100, T2=100)
    commands = sample_commands(floor)
    # Nobody of the tests is released in the middle of them.
    commands["ReleasePerson"] = ReleasePerson(PersonId("a leaver"))
    return {kind.__name__: commands[kind.__name__] for kind in SAID}


async def answers(client: Client, commands: dict[str, AnyCommand]) -> dict[str, str]:
    """Ask for everything at once; tell what was answered to each."""
    numbers: dict[int, str] = {}
    for name, command in commands.items():
        numbers[next(client.numbers)] = name
        client.say("ask", id=max(numbers), epoch=client.epoch, command=command)
    for name, fields in COUNTER.items():
        numbers[next(client.numbers)] = name
        client.say(name, id=max(numbers), epoch=client.epoch, **fields)
    codes: dict[str, str] = {}
    while len(codes) < len(numbers):
        for number, code in _answered(await client.hear_any("ack", "seat"), numbers):
            codes.setdefault(numbers[number], code)
    return codes


def _answered(said: Said, numbers: dict[int, str]) -> Iterator[tuple[int, str]]:
    if said["t"] == "ack":
        yield said["id"], said["refusal"]["code"] if "refusal" in said else "done"
        return
    refused = refused_in(said)
    yield from ((number, no["code"]) for number, no in refused.items())
    yield from ((each, "done") for each in numbers if each <= said["last_cmd"] and each not in refused)


async def others(client: Client) -> dict[str, str]:
    """Say everything else; tell what was answered to each."""
    spoken: dict[str, dict[str, object]] = {
        "resync": {},
        "practice": {},
        "resume": {"token": "x"},
        "step_up": {"secret": "not the secret"},
        "sign_in": {"person": "nobody", "secret": "not the secret"},
        "new_secret": {"person": "nobody", "code": "no code", "secret": "not the secret"},
        "sign_out": {},
    }
    return {kind: await client.reply(kind, **fields) for kind, fields in spoken.items()}


@pytest.mark.parametrize("rulebook_id", ORDER)
def test_nobody_without_the_right_gets_anything_but_a_refusal(tmp_path: Path, rulebook_id: str) -> None:
    """Each title is let in at the pages of its duties, and refused there all that the table of rights does not give."""
    commands = sample_requests(rulebook_id)

    def wrong(title: str, codes: dict[str, str]) -> Iterator[str]:
        for name, code in codes.items():
            if name in STAFFED:
                may = title in titles(rulebook_id, ROWS[STAFFED[name]].duties) or code in ("not_authorised", NEEDED)
            elif name in COUNTER:
                may = code == "not_authorised"
            else:
                may = title in titles(rulebook_id, ROWS[name].duties) or code == "not_authorised"
            if not may or code == "command_failed":
                yield f"{title}: {name} is answered {code}"

    async def scenario() -> list[str]:
        found: list[str] = []
        async with floor_of(tmp_path, rulebook_id) as house:
            codes = house.codes
            for title in titles_at(rulebook_id):
                let_in = []
                for connection in STAFF_CONNECTIONS:
                    console = await signed_in(house, title.lower(), connection, codes.pop(title.lower(), None))
                    if console is None:
                        continue
                    let_in.append(connection)
                    before = await answers(console, commands)
                    found += [f"{name} was done by one secret" for name in STEPPED_UP if before.pop(name) != NEEDED]
                    found += wrong(title, before)
                    console.say("step_up", secret=secret_of(title.lower()))
                    await console.hear("stepped_up")
                    found += wrong(title, await answers(console, commands))
                assert let_in == connections_of(rulebook_id, title), title
        return found

    assert played(scenario) == []


NEEDED = "step_up_needed"


def connections_of(rulebook_id: str, title: str) -> list[DeviceKind]:
    """The pages that are for a title."""
    staff = venue(rulebook_id).staff
    return [
        connection for connection, duties in DUTIES.items() if any(title in staff.titles_for(duty) for duty in duties)
    ]


async def signed_in(house: TestHouse, person: str, connection: str, code: str | None) -> Client | None:
    """Sign in, if this page is for that person."""
    console, secret = await house.console(connection), secret_of(person)
    if code is None:
        console.say("sign_in", person=person, secret=secret)
    else:
        console.say("new_secret", person=person, code=code, secret=secret)
    said = await console.hear_any("signed_in", "refused")
    if said["t"] == "refused":
        assert said["refusal"]["code"] == "not_authorised"
        assert set((await answers(console, sample_requests(ADELAIDE))).values()) <= {"signed_out", "not_authorised"}
        return None
    await console.admitted()
    return console


def test_nothing_is_requested_where_nobody_is_signed_in(tmp_path: Path) -> None:
    """A console that nobody signed in at, and a display, are refused everything, and only told the time."""

    async def scenario() -> None:
        async with floor_of(tmp_path, ADELAIDE) as house:
            for kind in (*STAFF_CONNECTIONS, DeviceKind.BOARD):
                console = await house.console(kind)
                codes = await answers(console, sample_requests(ADELAIDE))
                here = {name for name, code in codes.items() if code == "signed_out"}
                assert here == {*sample_requests(ADELAIDE), *WISHED.get(kind, ())}
                assert {codes[name] for name in codes.keys() - here} == {"not_authorised"}
                assert (await console.ping())["t"] == "pong"
                spoken = await others(console)
                if kind is DeviceKind.BOARD:
                    assert spoken.pop("resync") == "snap"
                    assert spoken.pop("practice") == "demo_only"
                    assert set(spoken.values()) == {"not_authorised"}
                else:
                    assert spoken == UNSIGNED

    played(scenario)


#: Which messages only one kind of connection may send.
WISHED = {DeviceKind.CASHIER: ("redeem",), DeviceKind.PIT: ("collect_for",)}
UNSIGNED = {
    "resync": "signed_out",
    "practice": "not_authorised",
    "resume": "signed_out",
    "step_up": "signed_out",
    "sign_in": "sign_in_refused",
    "new_secret": "sign_in_refused",
    "sign_out": "signed_out",
}


@pytest.mark.parametrize("rulebook_id", ORDER)
def test_terminal_asks_for_what_is_its_own_alone(tmp_path: Path, rulebook_id: str) -> None:
    """A terminal may ask for what the table gives to its own kind; of another terminal, or as staff, for nothing."""
    commands = sample_requests(rulebook_id)

    async def scenario() -> None:
        async with floor_of(tmp_path, rulebook_id) as house:
            for device in ("T1", "T2"):
                client = await house.client()
                client.say("hello", screen="terminal", join="", device=device)
                client.device = (await client.hear("enrolled"))["device"]
                await client.admitted()
                codes = await answers(client, commands)
                for name, code in codes.items():
                    own = name in COUNTER or (device == "T1" and ROWS[name].machine == "terminal")
                    assert (code == "not_authorised") is (not own or name in STAFFED), (device, name, code)
                    assert code != "command_failed"
                spoken = await others(client)
                assert (spoken.pop("resync"), spoken.pop("practice")) == ("snap", "seat")
                assert set(spoken.values()) == {"not_authorised"}

    played(scenario)


def test_machine_messages_are_refused_on_a_connection(tmp_path: Path) -> None:
    """Time, wheels, acceptors, links and the provisioning of a house have no message: such a message is ignored."""

    async def scenario() -> None:
        floor = Play(ADELAIDE)
        floor.seats(T1=100, T2=100)
        commands = sample_commands(floor)
        async with floor_of(tmp_path, ADELAIDE) as house:
            manager = "shift manager"
            console = await house.signed_in(manager, "pit", house.codes[manager])
            pairs = [(console, UNSAID[:INVALID_FRAMES_MAX])]
            # A connection is closed after so many invalid messages.
            for name, first in (("T1", 0), ("T2", INVALID_FRAMES_MAX)):
                terminal = await house.client()
                terminal.say("hello", screen="terminal", join="", device=name)
                await terminal.admitted()
                pairs.append((terminal, UNSAID[first : first + INVALID_FRAMES_MAX]))
            assert len(UNSAID) <= 2 * INVALID_FRAMES_MAX
            before = house.venue.run.writer.head.position
            for client, kinds in pairs:
                for kind in kinds:
                    client.say("ask", id=1, epoch=client.epoch, command=commands[kind.__name__])
                    said = await client.hear_any("ack", "seat")
                    refusal = said["refusal"] if said["t"] == "ack" else refused_in(said)[1]
                    assert refusal["code"] == "malformed"
            assert house.venue.run.writer.head.position == before

    played(scenario)


def _numbers(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Find every whole number in what was decoded."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _numbers(each, (*path, name))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _numbers(each, (*path, index))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path


def _with(command: AnyCommand, path: tuple[Any, ...], number: int) -> dict[str, Any]:
    """A command with another number in one place."""
    changed: dict[str, Any] = json.loads(msgspec.json.encode(command))
    inner: Any = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = number
    return changed


@pytest.mark.parametrize("number", [MOST + 1, -MOST - 1, 2**64, 10**400], ids=["2^53", "-2^53", "2^64", "10^400"])
def test_number_that_cannot_be_written_down_is_refused(tmp_path: Path, number: int) -> None:
    """A command with a number too large to be shown as it is goes no further than the wire, whoever sends it."""
    commands = sample_requests(ADELAIDE)
    huge = [
        (command, _with(command, path, number))
        for command in commands.values()
        for path in _numbers(json.loads(msgspec.json.encode(command)))
    ]

    async def scenario() -> None:
        async with floor_of(tmp_path, ADELAIDE) as house:
            manager = "shift manager"
            console = await house.signed_in(manager, "pit", house.codes[manager])
            console.say("step_up", secret=secret_of(manager))
            await console.hear("stepped_up")
            terminal = await house.client()
            terminal.say("hello", screen="terminal", join="", device="T1")
            await terminal.admitted()
            for command, changed in huge:
                if isinstance(command, get_args(inbound.TerminalCommand)):
                    with pytest.raises(msgspec.ValidationError):
                        inbound.decode(_asking(1, 1, changed))
                    continue
                for client in (console, terminal):
                    requested = next(client.numbers)
                    client.send(_asking(requested, client.epoch, changed))
                    reported = dict(_answered(await client.hear_any("ack", "seat"), {requested: ""}))
                    assert reported[requested] == "malformed", changed

    assert len({type(command) for command, _ in huge}) > 30
    played(scenario)


def _asking(number: int, epoch: int, command: dict[str, Any]) -> bytes:
    return json.dumps({"t": "ask", "id": number, "epoch": epoch, "command": command}).encode()
