"""Devices at the wire: two sign for one, one console is told its key once, and a released one is out at once."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier.house.floor.setup import TerminalAdded
from croupier.house.floor.staff import DeviceEnrolled, DeviceReleased
from croupier.house.ids import DeviceId, DeviceKind, Number, TerminalId
from croupier.server.auth.credentials import CredentialError, CredentialStore
from croupier.server.auth.devices import DeviceEnrolment
from croupier.server.ticket_desk import LOCKED_FOR, MISSES_MAX
from tests.server.auth.test_devices import CONSOLES, REAL, turned_away
from tests.server.auth.test_dual_control import stepped_up
from tests.server.test_ticket_desk import cashier, slip, wished
from tests.support.connections import VENUE, Client, Said, TestHouse, open_house, played, secret_of, until

TECHNICIAN = '[[staff]]\nperson = "technician"\ntitles = ["Technician"]\n'
FLOOR = REAL + CONSOLES + TECHNICIAN


class Pit:
    """A technician and a manager at two consoles of a house for real money, who have just given their secrets again."""

    def __init__(self, house: TestHouse, first: Client, second: Client) -> None:
        self.house, self.first, self.second = house, first, second

    @classmethod
    async def of(cls, house: TestHouse) -> "Pit":
        consoles = []
        for device, person in (("pit 1", "technician"), ("pit 2", "manager")):
            keys = house.venue.verifier.credential_store.enrol({DeviceId(device): DeviceKind.PIT})
            assert isinstance(keys, dict)
            consoles.append(await at_console(house, device, keys[DeviceId(device)], person))
        return cls(house, *consoles)

    async def signed(self, command: str, **fields: object) -> str:
        """Have the technician ask for something and the manager sign; tell how that was answered."""
        answer = await self.first.acked(command, **fields)
        if answer != "done":
            return answer
        return await self.second.acked("Approve", proposal=self.house.venue.run.house.proposals.made)

    async def key_of(self, command: str, **fields: object) -> str:
        """Have a device enrolled; tell the key that the technician is told."""
        assert await self.signed(command, **fields) == "done"
        return str((await self.first.hear("enrolled_device"))["key"])


async def at_console(house: TestHouse, device: str, key: str, person: str) -> Client:
    """Sign somebody in at a console of its own key, with the secret given twice."""
    client = await house.client()
    client.say("hello", screen="pit", device=device, key=key)
    await client.hear("welcome")
    client.say("new_secret", person=person, code=house.codes[person], secret=secret_of(person))
    await client.admitted()
    return await stepped_up(client, person)


def unwritten(*_: object) -> None:
    raise CredentialError("the register cannot be read or written: no space")


async def opened(folder: Path) -> None:
    """Open a house and shut it again."""
    async with open_house(folder, FLOOR):
        pass


def sent_keys(*clients: Client) -> list[Said]:
    return [said for client in clients for said in client.drain() if said["t"] == "enrolled_device"]


def test_key_is_shown_after_the_second_signature_at_the_first_console(tmp_path: Path) -> None:
    """Nothing is told with the first signature; with the second whoever asked has the key, and nobody else has."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            assert await pit.first.acked("EnrolDevice", device="desk 1", kind="cashier") == "done"
            await house.rest()
            assert sent_keys(pit.first, pit.second) == []
            assert await pit.second.acked("Approve", proposal=1) == "done"
            reported = await pit.first.hear("enrolled_device")
            assert (reported["device"], reported["kind"], len(reported["key"])) == ("desk 1", "cashier", 43)
            await pit.second.ping()
            assert sent_keys(pit.first, pit.second) == []
            assert house.happened(DeviceEnrolled) == [DeviceEnrolled(DeviceId("desk 1"), DeviceKind.CASHIER)]
            desk = await house.client()
            desk.say("hello", screen="cashier", device="desk 1", key=reported["key"])
            assert (await desk.hear("welcome"))["staff"]
            assert (await turned_away(house, screen="pit", device="desk 1", key=reported["key"]))[
                "code"
            ] == "unknown_device"

    played(scenario)


def test_terminal_that_is_added_is_given_its_key(tmp_path: Path) -> None:
    """A terminal is added at a table with its settings, and comes in with the key that the technician was told."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            key = await pit.key_of("AddTerminal", terminal="A-9", tables=["A"], settings={})
            assert [type(event) for event in house.happened(TerminalAdded)][-1:] == [TerminalAdded]
            player = await house.client()
            snap = await player.return_("A-9", key)
            assert snap["seat"]["credit"] == 0

    played(scenario)


def test_released_device_is_out_at_once(tmp_path: Path) -> None:
    """Its connection is closed with the second signature, its person is signed out, and its key is invalid."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            key = await pit.key_of("EnrolDevice", device="pit 3", kind="pit")
            third = await at_console(house, "pit 3", key, "manager 2")
            assert await pit.signed("ReleaseDevice", device="pit 3") == "done"
            assert (await third.hear("bye"))["refusal"]["code"] == "unknown_device"
            assert await third.end() == 1008
            assert house.happened(DeviceReleased) == [DeviceReleased(DeviceId("pit 3"))]
            register = house.venue.verifier.credential_store
            await until(lambda: DeviceId("pit 3") not in register.load().devices)
            assert (await turned_away(house, screen="pit", device="pit 3", key=key))["code"] == "unknown_device"
            again = await pit.key_of("EnrolDevice", device="pit 3", kind="pit")
            assert again != key
            assert (await turned_away(house, screen="pit", device="pit 3", key=key))["code"] == "unknown_device"
            newcomer = await house.client()
            newcomer.say("hello", screen="pit", device="pit 3", key=again)
            await newcomer.hear("welcome")

    played(scenario)


def test_released_terminal_is_nobodys_loss(tmp_path: Path) -> None:
    """A terminal goes once it is closed; the house does not take it for dark, and it comes back when enrolled again."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            fields = {"device": "A-9"}
            key = await pit.key_of("AddTerminal", terminal="A-9", tables=["A"], settings={})
            player = await house.client()
            await player.return_("A-9", key)
            assert await pit.signed("ReleaseDevice", **fields) == "out_of_turn"
            assert await pit.second.acked("NotifyOfficer", subject="A-9", words="It goes.") == "done"
            house.time.at_us += 1
            assert await pit.first.acked("CloseTerminal", terminal="A-9", words="It goes.") == "done"
            assert await pit.signed("ReleaseDevice", **fields) == "done"
            assert await player.end() == 1008
            await house.pass_s(30)
            assert TerminalId("A-9") not in house.venue.run.house.offline
            again = await pit.key_of("EnrolDevice", **fields, kind="terminal")
            await (await house.client()).return_("A-9", again)

    played(scenario)


def test_key_is_shown_to_the_second_where_the_first_has_gone(tmp_path: Path) -> None:
    """Where whoever asked has signed out the second is told; where both have, the key is nobody's."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            assert await pit.first.acked("EnrolDevice", device="desk 1", kind="cashier") == "done"
            assert await pit.first.acked("EnrolDevice", device="desk 2", kind="cashier") == "done"
            pit.first.say("sign_out")
            await pit.first.hear("signed_out")
            assert await pit.second.acked("Approve", proposal=1) == "done"
            assert (await pit.second.hear("enrolled_device"))["device"] == "desk 1"
            pit.second.ask("Approve", proposal=2)
            pit.second.say("sign_out")
            await pit.second.hear("signed_out")
            register = house.venue.verifier.credential_store
            await until(lambda: DeviceId("desk 2") in register.load().devices)
            assert sent_keys(pit.first, pit.second) == []

    played(scenario)


def test_device_that_is_only_enrolled_is_given_no_key(tmp_path: Path) -> None:
    """Where no kind is named the house knows the device, and its key is made on the host."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            assert await pit.signed("EnrolDevice", device="desk 1") == "done"
            await house.rest()
            assert sent_keys(pit.first, pit.second) == []
            assert DeviceId("desk 1") not in house.venue.verifier.credential_store.load().devices

    played(scenario)


def test_register_that_cannot_be_written_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its file nobody has a key, which is told and logged; a device that is released is out all the same."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            key = await pit.key_of("EnrolDevice", device="desk 1", kind="cashier")
            register = house.venue.verifier.credential_store

            monkeypatch.setattr(register, "enrol", unwritten)
            monkeypatch.setattr(register, "release_device", unwritten)
            with capture_logs() as logs:
                assert await pit.signed("EnrolDevice", device="desk 2", kind="cashier") == "done"
                assert (await pit.first.hear("refused"))["refusal"]["code"] == "command_failed"
                assert await pit.signed("ReleaseDevice", device="desk 1") == "done"
                await until(lambda: len(logs) == 2)
            assert [each["event"] for each in logs] == ["credential_store_unwritable"] * 2
            away = await turned_away(house, screen="cashier", device="desk 1", key=key)
            assert away["code"] == "unknown_device"

    played(scenario)


def test_key_of_before_is_worthless_though_the_register_still_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Released and enrolled as something else while nothing can be written, a device does not come in as it was."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            key = await pit.key_of("EnrolDevice", device="pit 3", kind="pit")

            with monkeypatch.context() as patch:
                patch.setattr(house.venue.verifier.credential_store, "enrol", unwritten)
                patch.setattr(house.venue.verifier.credential_store, "release_device", unwritten)
                assert await pit.signed("ReleaseDevice", device="pit 3") == "done"
                assert await pit.signed("EnrolDevice", device="pit 3", kind="board") == "done"
                assert (await pit.first.hear("refused"))["refusal"]["code"] == "command_failed"
            assert (await turned_away(house, screen="pit", device="pit 3", key=key))["code"] == "unknown_device"
            assert await pit.signed("ReleaseDevice", device="pit 3") == "done"
            anew = await pit.key_of("EnrolDevice", device="pit 3", kind="board")
            board = await house.client()
            board.say("hello", screen="board", device="pit 3", key=anew)
            assert (await board.hear("welcome"))["device"] == "pit 3"

    played(scenario)


def test_release_that_was_not_written_is_made_good_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the process ended between the journal and the register, the next takes the key away, or says why not."""

    async def released() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            await pit.key_of("EnrolDevice", device="desk 1", kind="cashier")
            monkeypatch.setattr(DeviceEnrolment, "_release", lambda *_: asyncio.sleep(0))
            assert await pit.signed("ReleaseDevice", device="desk 1") == "done"
            assert "desk 1" in house.venue.verifier.credential_store.load().devices

    async def started() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            assert "desk 1" not in house.venue.verifier.credential_store.load().devices

    played(released)
    with monkeypatch.context() as patch, capture_logs() as logs:
        patch.setattr(CredentialStore, "release_device", unwritten)
        played(partial(opened, tmp_path))
    assert "credential_store_unwritable" in {each["event"] for each in logs}
    played(started)


def test_key_is_shown_to_the_second_where_the_first_is_behind(tmp_path: Path) -> None:
    """A console that does not read what it is sent would never hear of a key: it is told at the other."""

    async def scenario() -> None:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            assert await pit.first.acked("EnrolDevice", device="desk 1", kind="cashier") == "done"
            connection = house.venue.router.publisher.consoles[DeviceId("pit 1")]
            connection.pause_writing()
            assert await pit.second.acked("Approve", proposal=1) == "done"
            assert (await pit.second.hear("enrolled_device"))["device"] == "desk 1"
            connection.resume_writing()

    played(scenario)


@pytest.mark.parametrize(
    ("command", "fields", "code"),
    [
        ("EnrolDevice", {"device": " desk", "kind": "cashier"}, "malformed"),
        ("EnrolDevice", {"device": "d" * 65, "kind": "cashier"}, "malformed"),
        # The permission is checked first, and a dealer enrols no people.
        ("EnrolPerson", {"person": "p" * 65, "titles": ["Cashier"]}, "not_authorised"),
        ("AddTerminal", {"terminal": "t" * 65, "tables": ["1"], "settings": {}}, "malformed"),
    ],
)
def test_name_that_nobody_could_type_is_refused_before_anybody_signs(
    tmp_path: Path, command: str, fields: dict[str, object], code: str
) -> None:
    """What the register would not take as a name is not even proposed."""

    async def scenario() -> tuple[str, int]:
        async with open_house(tmp_path, FLOOR) as house:
            pit = await Pit.of(house)
            return await pit.first.acked(command, **fields), house.venue.run.house.proposals.made

    assert played(scenario) == (code, 0)


def test_seat_of_a_demonstration_that_was_released_is_nobodys(tmp_path: Path) -> None:
    """Whoever comes is given no seat that was released, though it is free, and no new seat by its name."""

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE.replace("seats = 3", "seats = 1")) as house:
            run = house.venue.run.house
            run.staff.devices.remove(DeviceId("A-1"))
            newcomer = await house.client()
            await newcomer.sit()
            assert newcomer.device == "A-2"
            assert list(run.terminals) == ["A-1", "A-2"]

    played(scenario)


def test_guessing_by_redeeming_locks_as_looking_up_does(tmp_path: Path) -> None:
    """Wrong numbers count alike whether they are looked up or redeemed, and lock both for a minute."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            paper, desk = await slip(house), await cashier(house)
            at = {"drawer": "D1"}
            for _ in range(MISSES_MAX - 1):
                assert await wished(desk, "redeem", **at, number="1" * 18) == "ticket_misread"
            assert await desk.refused("look_up", number="1" * 18) == "ticket_misread"
            assert await wished(desk, "redeem", **at, number=paper["number"]) == "too_fast"
            assert await desk.refused("look_up", number=paper["number"]) == "too_fast"
            await house.rest()
            house.time.at_us += LOCKED_FOR
            assert await wished(desk, "redeem", **at, number=paper["number"]) == "done"
            kinds = [str(each.kind) for each in house.venue.run.house.incidents.all.values()]
            assert "tickets_guessed" in kinds

    played(scenario)


def test_unknown_numbers_are_counted_and_a_right_one_forgets_them(tmp_path: Path) -> None:
    """A number that reads well and is no ticket's counts too; one that was paid already is no guess."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            paper, desk = await slip(house), await cashier(house)
            at, unknown = {"drawer": "D1"}, house.venue.router.ticket_desk.numbers.number(Number(99))
            for _ in range(MISSES_MAX - 1):
                assert await wished(desk, "redeem", **at, number=unknown) == "ticket_unknown"
            assert await wished(desk, "redeem", **at, number=paper["number"]) == "done"
            for _ in range(MISSES_MAX):
                assert await wished(desk, "redeem", **at, number=paper["number"]) == "ticket_paid"
            assert await wished(desk, "redeem", **at, number=unknown) == "ticket_unknown"

    played(scenario)


MARINA = VENUE.replace("skycity-adelaide-2003", "marina-bay-sands-2020")
MARINA = MARINA.replace('["Inspector"]', '["Pit Supervisor"]').replace('["Shift', '["Gaming Shift')


@pytest.mark.parametrize(
    ("text", "answer"), [(MARINA, "done"), (VENUE, "not_taken_here")], ids=["Marina Bay", "Adelaide"]
)
def test_buy_in_at_the_desk(tmp_path: Path, text: str, answer: str) -> None:
    """A cashier of Marina Bay's sells credits to a seat, whose screen shows them at once; Adelaide's is refused."""

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            player, desk = await house.seated(credit=0), await cashier(house)
            assert await desk.acked("BuyIn", terminal=player.device, drawer="D1", amount=10_000) == answer
            if answer == "done":
                await player.hear("seat", lambda said: said["set"].get("credit") == 10_000)

    played(scenario)
