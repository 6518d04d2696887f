"""Devices at the wire: authenticated by their own keys alone, one connection each, and refused in one way."""

import fcntl
from pathlib import Path

import pytest

from croupier import server as kit
from croupier.house.floor.service import TerminalLost
from croupier.house.ids import SECOND, DeviceId, DeviceKind, TerminalId
from croupier.protocol.inbound import PROTOCOL
from croupier.server.auth.devices import CONSOLES_MAX, JOINED_MAX, JOINS_PER_MINUTE, SEATS_MAX, is_loopback
from croupier.server.connection import BACKGROUND_TASKS_MAX, SWEEP_INTERVAL_US
from tests.support.connections import VENUE, Said, TestHouse, held_up, open_house, played, secret_of, until
from tests.support.rawline import open_line, raw_line, said, upgrade

ONE_ROUND = SWEEP_INTERVAL_US // SECOND
REAL = f'mode = "real"\n{VENUE}'


async def turned_away(house: TestHouse, **hello: object) -> Said:
    """Send hello; return the refusal."""
    client = await house.client()
    client.say("hello", **hello)
    refusal: Said = (await client.hear("bye"))["refusal"]
    assert await client.end() == 1008
    return refusal


async def keys(house: TestHouse) -> dict[str, str]:
    """Give a terminal, a console and a display their keys on the host, as in a house for real money."""
    register = house.venue.verifier.credential_store
    enrolled = register.enrol({DeviceId("A-1"): DeviceKind.TERMINAL, DeviceId("A-2"): DeviceKind.TERMINAL})
    assert isinstance(enrolled, dict)
    consoles = register.enrol({DeviceId("pit 1"): DeviceKind.PIT, DeviceId("A"): DeviceKind.DEALER})
    assert isinstance(consoles, dict)
    more = register.enrol({DeviceId("A-3"): DeviceKind.PIT, DeviceId("pit 2"): DeviceKind.TERMINAL})
    assert isinstance(more, dict)
    stranger = register.enrol({DeviceId("stranger"): DeviceKind.TERMINAL})
    assert isinstance(stranger, dict)
    return {str(device): key for device, key in {**enrolled, **consoles, **more, **stranger}.items()}


CONSOLES = """
[[consoles]]
id = "pit 1"
role = "pit"
[[consoles]]
id = "pit 2"
role = "pit"
"""


@pytest.mark.parametrize("text", [VENUE + CONSOLES, REAL + CONSOLES], ids=["demo", "real"])
def test_device_is_let_in_by_its_own_key_alone(tmp_path: Path, text: str) -> None:
    """An unknown name, a wrong key, another's key, the wrong page and the wrong kind are all told the same."""

    async def scenario() -> list[Said]:
        async with open_house(tmp_path, text) as house:
            key = await keys(house)
            for device, connection in (("A-1", "terminal"), ("pit 1", "pit")):
                client = await house.client()
                client.say("hello", screen=connection, device=device, key=key[device])
                assert (await client.hear("welcome"))["device"] == device
            tries = [
                {"screen": "terminal", "device": "A-9", "key": key["A-1"]},
                {"screen": "terminal", "device": "A-1", "key": "wrong"},
                {"screen": "terminal", "device": "A-1", "key": key["A-1"][:-1]},
                {"screen": "terminal", "device": "A-1", "key": ""},
                {"screen": "terminal", "device": "A-1"},
                {"screen": "terminal"},
                {"screen": "terminal", "device": "A-1", "key": key["A-2"]},
                {"screen": "terminal", "device": "a-1", "key": key["A-1"]},
                {"screen": "pit", "device": "A-1", "key": key["A-1"]},
                {"screen": "dealer", "device": "pit 1", "key": key["pit 1"]},
                {"screen": "terminal", "device": "pit 1", "key": key["pit 1"]},
                # Known by the register, but not by the house; the wheel; a console that is a terminal, and the reverse.
                {"screen": "terminal", "device": "stranger", "key": key["stranger"]},
                {"screen": "dealer", "device": "A", "key": key["A"]},
                {"screen": "pit", "device": "A-3", "key": key["A-3"]},
                {"screen": "terminal", "device": "pit 2", "key": key["pit 2"]},
                {"screen": "pit", "device": "system", "key": key["pit 1"]},
                {"screen": "terminal", "device": "A-1", "key": "wrong", "join": ""},
            ]
            return [await turned_away(house, **each) for each in tries]

    refusals = played(scenario)

    assert {refusal["code"] for refusal in refusals} == {"unknown_device"}
    assert len({str(refusal) for refusal in refusals}) == 1


def test_device_that_is_keyed_anew_or_released_is_shut_out(tmp_path: Path) -> None:
    """Its open connection and sign-in end at the next sweep of the connections, and the old key is invalid."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            register = house.venue.verifier.credential_store
            anew, released, untouched = [await house.seated() for _ in range(3)]
            manager = await house.signed_in("manager", "pit", house.codes["manager"])
            register.enrol({DeviceId(manager.device): DeviceKind.PIT, DeviceId(anew.device): DeviceKind.TERMINAL})
            register.release_device(DeviceId(released.device))
            await house.pass_s(ONE_ROUND)
            for client in (anew, released, manager):
                assert (await client.hear("bye"))["refusal"]["code"] == "unknown_device"
                again = await turned_away(house, screen="terminal", device=client.device, key=client.key)
                assert again["code"] == "unknown_device"
            assert (await untouched.ping())["t"] == "pong"
            assert house.venue.run.house.offline == {anew.device, released.device}
            assert house.venue.router.staff_auth.sign_ins.revoke_device(DeviceId(manager.device)) == ()

    played(scenario)


def test_client_without_an_origin_is_let_in_by_a_device_key(tmp_path: Path) -> None:
    """A native client names no origin: its device key lets it in, and the join code does not."""

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE + CONSOLES) as house:
            key = await keys(house)
            for device, connection in (("A-1", "terminal"), ("pit 1", "pit")):
                async with raw_line(house.venue.port) as line:
                    assert (await line.request(upgrade(None))).status == 101
                    line.send(said("hello", screen=connection, device=device, key=key[device]))
                    assert (await line.reported("welcome"))["device"] == device
            strangers = ({"device": "A-1", "key": "wrong"}, {"join": ""}, {"join": _code(house)}, {"device": "A-1"})
            for hello in strangers:
                async with raw_line(house.venue.port) as line:
                    await line.request(upgrade(None))
                    line.send(said("hello", screen="terminal", table="A", **hello))
                    assert (await line.reported("bye"))["refusal"]["code"] == "unknown_device"

    played(scenario)


def _code(house: TestHouse) -> str:
    return house.venue.router.device_auth.join_code.text


@pytest.mark.parametrize(
    ("hello", "stated"),
    [
        ({"protocol": PROTOCOL + 1}, PROTOCOL + 1),
        ({"protocol": 0}, 0),
        ({"protocol": PROTOCOL + 1, "colour": "mauve"}, PROTOCOL + 1),
        ({"protocol": PROTOCOL + 1, "screen": "periscope"}, PROTOCOL + 1),
    ],
    ids=["newer", "none", "newer, with fields of its own", "newer, from a connection of its own"],
)
def test_client_of_another_protocol_is_refused_with_both_versions(
    tmp_path: Path, hello: dict[str, object], stated: int
) -> None:
    """A client of another protocol version receives both versions and is disconnected, whatever its hello contains."""

    async def scenario() -> Said:
        async with open_house(tmp_path) as house:
            return await turned_away(house, **{"screen": "terminal", "join": "", "table": "A", **hello})

    refusal = played(scenario)

    assert (refusal["code"], refusal["facts"]) == ("protocol_mismatch", {"client": stated, "server": PROTOCOL})
    assert f"version {PROTOCOL}" in refusal["says"]


def test_malformed_hello_of_this_protocol_is_malformed(tmp_path: Path) -> None:
    """A hello of this protocol that cannot be read is refused as malformed, and may be said again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client = await house.client()
            assert await client.refused("hello", screen="periscope") == "malformed"
            await client.sit()

    played(scenario)


def test_welcome_states_the_protocol(tmp_path: Path) -> None:
    """The server states its protocol version in the welcome, and the pages speak the same."""

    async def scenario() -> Said:
        async with open_house(tmp_path) as house:
            client = await house.client()
            client.say("hello", screen="terminal", join="", table="A")
            return await client.hear("welcome")

    assert played(scenario)["protocol"] == PROTOCOL
    script = Path(kit.__file__).parent / "static" / "shared" / "session.js"
    assert f"export const PROTOCOL = {PROTOCOL};" in script.read_text("utf-8")


def test_demonstration_enrols_whoever_comes_on_the_host_or_with_the_code(tmp_path: Path) -> None:
    """From another network the code of the day is required, and a wrong one gets the refusal of an unknown device."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            device_auth = house.venue.router.device_auth
            await house.seated()
            device_auth.is_host = lambda _: False
            for join in ("", "wrong", device_auth.join_code.text[:-1], device_auth.join_code.text + "x"):
                assert (await turned_away(house, screen="terminal", join=join, table="A"))["code"] == "unknown_device"
            client = await house.client()
            client.say("hello", screen="terminal", join=device_auth.join_code.text, table="A")
            assert (await client.hear("enrolled"))["device"] == "A-2"
            await client.admitted()

    played(scenario)


@pytest.mark.parametrize("connection", [each for each in DeviceKind if each is not DeviceKind.TERMINAL])
def test_join_code_opens_no_console(tmp_path: Path, connection: DeviceKind) -> None:
    """From elsewhere the join code seats a player, and opens neither a console nor a display."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            house.venue.router.device_auth.is_host = lambda _: False
            refusal = await turned_away(house, screen=connection, join=_code(house), table="A")
            assert refusal["code"] == "unknown_device"
            assert not any(
                each.kind is connection for each in house.venue.verifier.credential_store.load().devices.values()
            )

    played(scenario)


def test_address_tries_to_join_so_often_a_minute(tmp_path: Path) -> None:
    """Beyond so many attempts within a minute an address is refused, with the right code too, until one is past."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            house.venue.router.device_auth.is_host = lambda _: False
            for _ in range(JOINS_PER_MINUTE):
                assert (await turned_away(house, screen="terminal", join="wrong"))["code"] == "unknown_device"
            for join in ("wrong", _code(house)):
                assert (await turned_away(house, screen="terminal", join=join, table="A"))["code"] == "too_fast"
            await house.pass_s(60)
            client = await house.client()
            client.say("hello", screen="terminal", join=_code(house), table="A")
            await client.hear("enrolled")

    played(scenario)


def test_address_has_so_many_seats(tmp_path: Path) -> None:
    """An address that has as many seats as it may is given no more, until it has left one with nothing on it."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            house.venue.router.device_auth.is_host = lambda _: False
            joined = []
            for _ in range(JOINED_MAX):
                client = await house.client()
                client.say("hello", screen="terminal", join=_code(house), table="A")
                await client.hear("enrolled")
                joined.append(client)
            refusal = await turned_away(house, screen="terminal", join=_code(house), table="A")
            assert (refusal["code"], refusal["facts"]) == ("busy", {"seats": JOINED_MAX})
            joined[0].transport.disconnect(graceful=False)
            await until(lambda: len(house.venue.publisher.inside) == JOINED_MAX - 1)
            client = await house.client()
            client.say("hello", screen="terminal", join=_code(house), table="A")
            assert (await client.hear("enrolled"))["device"] in house.venue.run.house.terminals

    played(scenario)


def test_house_for_real_money_enrols_nobody(tmp_path: Path) -> None:
    """Where money is real no device enrols itself, on the host or with whatever code."""

    async def scenario() -> None:
        async with open_house(tmp_path, REAL) as house:
            for join in ("", house.venue.router.device_auth.join_code.text):
                for connection in DeviceKind:
                    assert (await turned_away(house, screen=connection, join=join, table="A"))[
                        "code"
                    ] == "unknown_device"

    played(scenario)


@pytest.mark.parametrize(
    ("peer", "here"),
    [
        ("127.0.0.1", True),
        ("127.0.0.2", True),
        ("127.255.255.254", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::1%lo", True),
        ("128.0.0.1", False),
        ("10.0.0.1", False),
        ("192.168.1.7", False),
        ("0.0.0.0", False),  # noqa: S104 - compared, not bound
        ("::", False),
        ("::ffff:10.0.0.1", False),
        ("fe80::1%eth0", False),
        ("localhost", False),
        ("127.0.0.1.casino.example", False),
        ("", False),
    ],
)
def test_host_is_known_by_its_loopback_address(peer: str, *, here: bool) -> None:
    """Every address that a machine has for itself alone is the host's, and no other is: the kernel sees to it."""
    assert is_loopback(peer) is here


def test_second_window_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """The first connection receives that it was replaced, the second continues; the terminal never counts as lost."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            first = await house.seated()
            second = await house.client()
            snap = await second.return_(first.device, first.key)
            assert snap["seat"]["credit"] == 100_000
            assert (await first.hear("bye"))["refusal"]["code"] == "evicted"
            assert await first.end() == 1008
            await house.pass_s(3 * ONE_ROUND)
            assert house.venue.publisher.seats[TerminalId(first.device)].is_open
            assert len(house.venue.router.connections) == 1
            assert house.venue.publisher.figures.connections == {"terminal": 1}
            assert house.happened(TerminalLost) == []

    played(scenario)


def test_console_has_one_connection_also_before_sign_in(tmp_path: Path) -> None:
    """A second window of a console evicts the first, signed in or not, and its sign-in goes on where the token is."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            first = await house.console("pit")
            second = await house.client()
            second.say("hello", screen="pit", device=first.device, key=first.key)
            await second.hear("welcome")
            assert (await first.hear("bye"))["refusal"]["code"] == "evicted"
            second.say("new_secret", person="manager", code=house.codes["manager"], secret=secret_of("manager"))
            token = (await second.hear("signed_in"))["token"]
            third = await house.client()
            third.say("hello", screen="pit", device=first.device, key=first.key)
            await third.hear("welcome")
            assert (await second.hear("bye"))["refusal"]["code"] == "evicted"
            third.say("resume", token=token)
            assert (await third.hear("signed_in"))["person"] == "manager"
            assert list(house.venue.publisher.consoles) == [first.device]

    played(scenario)


async def seat_of(house: TestHouse, **more: object) -> str:
    """Sit down, and tell where."""
    client = await house.client()
    client.say("hello", **{"screen": "terminal", "join": "", "table": "A", **more})
    return str((await client.hear("enrolled"))["device"])


def test_seats_are_found_then_freed_then_added(tmp_path: Path) -> None:
    """Whoever sits down gets a fresh seat, then one that was left with nothing on it, then one that is put up."""

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE.replace("seats = 3", f"seats = {SEATS_MAX - 1}")) as house:
            rich, poor = await house.seated(), await house.seated(credit=0)
            assert await seat_of(house, device="A-5") == "A-5"
            fresh = [await seat_of(house) for _ in range(SEATS_MAX - 4)]
            assert fresh[:3] == ["A-3", "A-4", "A-6"]
            for client in (rich, poor):
                client.transport.disconnect()
            await until(lambda: not {rich.device, poor.device} & house.venue.publisher.seats.keys())
            assert await seat_of(house) == poor.device
            assert (await turned_away(house, screen="terminal", device=poor.device, key=poor.key))[
                "code"
            ] == "unknown_device"
            assert await seat_of(house) == f"A-{SEATS_MAX}"
            for more in ({}, {"device": rich.device}, {"device": "A-99"}, {"table": ""}, {"table": "B"}):
                refusal = await turned_away(house, **{"screen": "terminal", "join": "", "table": "A", **more})
                assert refusal["code"] == "busy"
            assert len(house.venue.run.house.terminals) == SEATS_MAX

    played(scenario)


def test_seat_that_was_left_can_be_played_at_once(tmp_path: Path) -> None:
    """A seat that was offline is online for the next player there, without waiting for a sweep of the connections."""

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE.replace("seats = 3", "seats = 1")) as house:
            first = await house.seated(credit=0)
            first.transport.disconnect()
            await until(lambda: house.venue.run.house.offline == {"A-1"})
            await house.rest()
            await house.seated(credit=0)
            await house.rest()
            assert house.venue.run.house.offline == set()

    played(scenario)


def test_all_who_come_at_once_have_seats_of_their_own(tmp_path: Path) -> None:
    """However many sit down in the same moment, nobody is given what somebody else was given."""

    async def scenario() -> list[str]:
        async with open_house(tmp_path, VENUE.replace("seats = 3", "seats = 1")) as house:
            clients = [await house.client() for _ in range(12)]
            for client in clients:
                client.say("hello", screen="terminal", join="", table="A")
            return [(await client.hear("enrolled"))["device"] for client in clients]

    assert sorted(played(scenario)) == sorted(f"A-{number}" for number in range(1, 13))


def test_too_many_who_connect_at_once_are_sent_away_to_retry(tmp_path: Path) -> None:
    """While the disk holds everybody up so many wait, and one more is refused and may say hello again."""

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE.replace("seats = 3", "seats = 1")) as house:
            await house.seated()
            waiting, late = [await house.client() for _ in range(BACKGROUND_TASKS_MAX)], await house.client()
            with held_up(house.venue.writer):
                for client in waiting:
                    client.say("hello", screen="board", join="")
                    await client.ping()
                assert await late.refused("hello", screen="board", join="") == "busy"
            for client in waiting:
                await client.hear("enrolled")
            late.say("hello", screen="board", join="")
            await late.hear("enrolled")

    played(scenario)


def test_whoever_leaves_while_a_seat_is_put_up_holds_none(tmp_path: Path) -> None:
    """A page that is closed before it was given its seat is nowhere in the house, and the seat is the next one's."""

    async def scenario() -> None:
        async with open_house(tmp_path, VENUE.replace("seats = 3", "seats = 1")) as house:
            await house.seated()
            with held_up(house.venue.writer):
                async with open_line(house.venue.port) as line:
                    line.send(said("hello", screen="terminal", join="", table="A"), said("ping", c=1))
                    await line.reported("pong")
                await until(lambda: len(house.venue.router.connections) == 1)
            await house.rest()
            assert list(house.venue.publisher.seats) == ["A-1"]
            assert DeviceId("A-2") not in house.venue.verifier.credential_store.load().devices
            assert await seat_of(house) == "A-2"

    played(scenario)


def test_consoles_are_named_by_what_they_are_for(tmp_path: Path) -> None:
    """A console that stands in the house without a key is taken first; others are put up, and never too many."""

    async def scenario() -> None:
        text = f'{VENUE}[[consoles]]\nid = "pit-2"\nrole = "pit"\n[[terminals]]\nid = "pit-1"\ntables = ["A"]\n'
        async with open_house(tmp_path, text) as house:
            names = [
                (await house.console(connection)).device for connection in ("pit", "pit", "dealer", "board", "dealer")
            ]
            assert names == ["pit-2", "pit-3", "dealer-1", "board-1", "dealer-2"]
            register = house.venue.verifier.credential_store
            crowd = {DeviceId(f"console {number}"): DeviceKind.BOARD for number in range(CONSOLES_MAX - 6)}
            register.enrol(crowd)
            await house.console("cashier")
            assert (await turned_away(house, screen="cashier", join=""))["code"] == "busy"
            assert await seat_of(house) == "A-1"

    played(scenario)


def test_board_shows_the_table_that_it_asks_for_and_asks_for_nothing_else(tmp_path: Path) -> None:
    """A display gets the snapshot of a table without anybody signing in, and nobody signs in there."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            for table, seen in (("A", ["A"]), ("", ["A"]), ("B", ["A"])):
                board = await house.client()
                board.say("hello", screen="board", join="", table=table)
                snap = await board.admitted()
                assert [state["table"] for _, state in snap["tables"]] == seen
                assert not {"seat", "floor", "fixture"} & snap.keys()
            board.say("sign_in", person="manager", secret=secret_of("manager"))
            assert (await board.hear("refused"))["refusal"]["code"] == "not_authorised"
            board.say("practice")
            assert (await board.hear("refused"))["refusal"]["code"] == "demo_only"

    played(scenario)


def test_nobody_new_is_let_in_while_the_register_cannot_be_read(tmp_path: Path) -> None:
    """Connected devices stay connected; a new one is refused as busy, and admitted once it can be identified."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player, other = await house.seated(), await house.seated()
            other.transport.disconnect()
            await other.end()
            path = house.venue.config.key_store / "register.json"
            good = path.read_bytes()
            path.write_bytes(b"{")
            await house.pass_s(2 * ONE_ROUND)
            assert (await player.ping())["t"] == "pong"
            hello = {"screen": "terminal", "device": other.device, "key": other.key}
            assert (await turned_away(house, **hello))["code"] == "busy"
            assert (await turned_away(house, screen="terminal", join="", table="A"))["code"] == "command_failed"
            path.write_bytes(good)
            await (await house.client()).return_(other.device, other.key)

    played(scenario)


def test_page_that_leaves_while_its_key_is_written_takes_no_seat(tmp_path: Path) -> None:
    """A page that is gone before its new key is on the disk is let in nowhere, and the seat is the next one's."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            lock = house.venue.config.key_store / "register.lock"
            with lock.open("w") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                leaver = await house.client()
                leaver.say("hello", screen="terminal", join="", table="A")
                await leaver.ping()
                leaver.transport.disconnect(graceful=False)
                await until(lambda: not house.venue.router.connections)
            player = await house.seated()

            assert set(house.venue.publisher.inside) == {player.device}

    played(scenario)
