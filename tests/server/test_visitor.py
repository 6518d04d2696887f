"""A visitor of a demonstration deals one table without a password, on the host and nowhere else."""

from pathlib import Path
from typing import Final

from croupier.house.ids import PersonId, TableId
from croupier.server.auth.devices import is_loopback
from croupier.server.auth.staff import VISITOR
from tests.support.connections import open_house, played, secret_of, until
from tests.support.rawline import raw_line, upgrade
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.wire.houses import ADELAIDE

#: A table for visitors beside the one of the house.
HOUSE: Final = f"""visitor_table = "P"
{ADELAIDE}
[[tables]]
id = "P"
rulebook = "skycity-adelaide-2003"
seats = 1
wheel = "keypad"
minimum = 1
maximum = 100

[[staff]]
person = "visitor"
titles = ["Dealer"]
"""


async def visiting(harness: ServerHarness) -> tuple[PageClient, dict[str, object]]:
    """Open a dealer's console, and sign in as a visitor."""
    client = await harness.connect("dealer", join="")
    client.connection.say("visit")
    signed_in = await client.hears("signed_in")
    return client, signed_in


def test_visitor_deals_the_table_of_visitors_alone(tmp_path: Path) -> None:
    """A visitor sees and deals the one table, calls a supervisor to it, and is refused everything else."""

    async def scenario() -> None:
        async with server_harness(tmp_path, HOUSE) as harness:
            client, signed_in = await visiting(harness)
            assert signed_in["person"] == VISITOR
            await client.hears("snap")
            assert set(client.page.tables) == {"P"}
            assert await client.asks("OpenBets", table="P") is None
            for command in (
                {"command": "OpenBets", "table": "A"},
                {"command": "NoteIncident", "subject": "A", "words": "Hello."},
                {"command": "EndSession", "terminal": "A-1"},
            ):
                refusal = await client.asks(**command)
                assert refusal is not None
                assert refusal["code"] == "not_authorised"
            assert await client.asks("NoteIncident", subject="P", words="Please come.") is None
            boss = await harness.staff("pit", "boss")
            await harness.does(boss, "OpenBets", table="A")
            assert client.page.floor is not None
            assert (set(client.page.tables), set(client.page.floor["tables"])) == ({"P"}, {"P"})

            # The same console serves a dealer of the house as any other.
            client.connection.say("sign_out")
            await client.hears("signed_out")
            await client.signs_in("dealer", harness.open.venue.codes.get(PersonId("dealer")))
            assert set(client.page.tables) == {"A", "P"}
            assert await client.asks("FinishBetting", table="A") is None

    played(scenario)


def test_visitor_is_admitted_on_the_host_of_a_demonstration_alone(tmp_path: Path) -> None:
    """No other kind of console, no console on another host and no house without such a table admits a visitor."""

    async def scenario() -> None:
        async with server_harness(tmp_path, HOUSE) as harness:
            pit = PageClient(await harness.open.client(), "pit")
            assert (await pit.enters(join=""))["visit"] == ""
            assert await pit.connection.refused("visit") == "sign_in_refused"
            dealer = PageClient(await harness.open.client(), "dealer")
            assert (await dealer.enters(join=""))["visit"] == "P"
            harness.open.venue.router.device_auth.is_host = lambda _: False
            again = PageClient(await harness.open.client(), "dealer")
            assert (await again.enters(device=dealer.device, key=dealer.key))["visit"] == ""
            assert await again.connection.refused("visit") == "sign_in_refused"
            code = harness.open.venue.codes[VISITOR]
            again.connection.say("new_secret", person=VISITOR, code=code, secret=secret_of(VISITOR))
            assert (await again.hears("refused"))["refusal"]["code"] == "sign_in_refused"

    played(scenario)


def test_proxy_on_the_host_is_no_visitor(tmp_path: Path) -> None:
    """Who comes through a proxy on the host is not on the host, by the page's address or by a header of the proxy."""

    async def scenario() -> None:
        async with open_house(tmp_path, f'listen.origins = ["https://tables.example"]\n{HOUSE}') as house:
            here, connections = f"http://127.0.0.1:{house.port}", house.venue.router.connections
            passed_on = (("https://tables.example",), (here, "X-Forwarded-For: 127.0.0.1"), (here, "Forwarded: for=_x"))
            for given in ((here,), *passed_on):
                async with raw_line(house.port) as line:
                    assert (await line.request(upgrade(*given))).status == 101
                    await until(lambda: bool(connections))
                    (connection,) = connections
                    assert is_loopback(connection.peer) is (given not in passed_on)
                await until(lambda: not connections)

    played(scenario)


def test_visitor_enters_as_a_person_without_a_password(tmp_path: Path) -> None:
    """On the host a visitor enters as those who may work at a console, until they have chosen a password."""

    async def scenario() -> None:
        async with server_harness(tmp_path, HOUSE) as harness:
            pit = PageClient(await harness.open.client(), "pit")
            welcome = await pit.enters(join="")
            assert "boss" in welcome["enter_as"]
            assert not {"cashier", VISITOR} & set(welcome["enter_as"])
            assert await pit.connection.refused("visit", person="cashier") == "sign_in_refused"
            assert await pit.connection.refused("visit", person=VISITOR) == "sign_in_refused"
            pit.connection.say("visit", person="boss")
            assert (await pit.hears("signed_in"))["person"] == "boss"
            pit.connection.say("step_up", secret=secret_of(PersonId("boss")))
            await pit.hears("stepped_up")
            assert await pit.asks("OpenBets", table="A") is None

            chosen = await harness.staff("pit", "boss")
            assert chosen is not pit
            assert await pit.connection.refused("visit", person="boss") == "sign_in_refused"
            late = PageClient(await harness.open.client(), "pit")
            assert "boss" not in (await late.enters(join=""))["enter_as"]
            harness.open.venue.router.device_auth.is_host = lambda _: False
            away = PageClient(await harness.open.client(), "pit")
            assert (await away.enters(device=late.device, key=late.key))["enter_as"] == []

    played(scenario)


def test_nobody_deals_until_a_visitor_does(tmp_path: Path) -> None:
    """The lobby says of the table of visitors alone that nobody deals it, as long as nobody does."""

    async def scenario() -> None:
        async with server_harness(tmp_path, HOUSE) as harness:

            def undealt() -> set[str]:
                return {each for each in ("A", "P") if harness.open.venue.router.device_auth.undealt(TableId(each))}

            assert undealt() == {"P"}
            client, _ = await visiting(harness)
            await client.hears("snap")
            assert undealt() == set()
            client.connection.say("sign_out")
            await client.hears("signed_out")
            assert undealt() == {"P"}

    played(scenario)


def test_house_without_a_table_for_visitors(tmp_path: Path) -> None:
    """Where the configuration names no table, no visitor signs in."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            client = await harness.connect("dealer", join="")
            assert await client.connection.refused("visit") == "sign_in_refused"

    played(scenario)
