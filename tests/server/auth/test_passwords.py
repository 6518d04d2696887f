"""Secrets at the wire: they are looked at beside everything else, so many at a time, and nobody gets round it."""

import asyncio
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, PersonId
from croupier.server.auth.credentials import FAILURES_MAX
from croupier.server.auth.staff import PASSWORD_CHECKS_MAX, SECRETS_WAITING
from croupier.server.connection import SWEEP_INTERVAL_US
from tests.support.blocked_disk import slow_commit
from tests.support.connections import Client, TestHouse, held_up, open_house, played, secret_of, until

ONE_ROUND = SWEEP_INTERVAL_US // SECOND
MANAGER = PersonId("manager")
WRONG = "what nobody here has chosen"


def examiners_held(house: TestHouse) -> AbstractContextManager[None]:
    """Have nobody's secret looked at for a while."""
    return held_up(house.venue.router.staff_auth.password_checks, PASSWORD_CHECKS_MAX)


def locked(house: TestHouse) -> int:
    """How often staff were told that an account is locked."""
    incidents = house.venue.run.house.incidents.all.values()
    return sum(each.kind is IncidentKind.ACCOUNT_LOCKED for each in incidents)


def test_others_go_on_while_a_secret_is_looked_at(tmp_path: Path) -> None:
    """A sign-in under way holds up nobody, and a console has one under way at a time."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player, console = await house.seated(), await house.console("pit")
            with examiners_held(house):
                choice = {"person": "manager", "code": house.codes["manager"], "secret": secret_of("manager")}
                console.say("new_secret", **choice)
                assert (await console.ping())["t"] == (await player.ping())["t"] == "pong"
                assert await console.refused("new_secret", **choice) == "busy"
                player.ask("ChooseDenomination", terminal=player.device, denomination=1)
                await player.hear("seat")
            await console.hear("signed_in")

    played(scenario)


def test_so_many_secrets_may_wait(tmp_path: Path) -> None:
    """Beyond as many as may wait whoever signs in is asked to try again, and nothing is counted against them."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            consoles = [await house.console("pit") for _ in range(SECRETS_WAITING + 1)]
            with examiners_held(house):
                for console in consoles[1:]:
                    console.say("sign_in", person="nobody", secret=WRONG)
                    await console.ping()
                assert await consoles[0].refused("sign_in", person="manager", secret=WRONG) == "busy"
            for console in consoles[1:]:
                assert (await console.hear("refused"))["refusal"]["code"] == "sign_in_refused"
            account = house.venue.verifier.credential_store.account(MANAGER)
            assert account is not None
            assert account.failures == 0

    played(scenario)


@pytest.mark.parametrize("how", ["leaves", "is evicted"])
def test_whoever_is_gone_before_the_answer_is_not_signed_in(tmp_path: Path, how: str) -> None:
    """A console that is gone while a secret is looked at opens nothing, and a lock goes on record all the same."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await house.signed_in("manager", "pit", house.codes["manager"])
            tries = [secret_of("manager"), *[WRONG] * FAILURES_MAX]
            one = await house.console("pit")
            await _gone(house, one, "leaves")
            for secret in tries:
                console = await house.client()
                console.device, console.key = one.device, one.key
                console.say("hello", screen="pit", device=one.device, key=one.key)
                await console.hear("welcome")
                with examiners_held(house):
                    console.say("sign_in", person="manager", secret=secret)
                    await console.ping()
                    await _gone(house, console, how)
                await until(lambda: not house.venue.router.background_tasks._under_way)  # noqa: SLF001 - nobody is told
            await house.rest()
            assert set(house.venue.publisher.consoles) == {"pit-1"}
            assert locked(house) == 1
            assert len(house.venue.router.staff_auth.sign_ins.revoke(MANAGER)) == 1

    played(scenario)


async def _gone(house: TestHouse, console: Client, how: str) -> None:
    if how == "leaves":
        console.transport.disconnect(graceful=False)
        await until(lambda: len(house.venue.router.connections) == 1)
        return
    again = await house.client()
    again.say("hello", screen="pit", device=console.device, key=console.key)
    await again.hear("welcome")
    again.mute = True


def test_secret_is_chosen_though_nobody_waits_for_the_answer(tmp_path: Path) -> None:
    """Whoever leaves while a secret is being set has it, and is not signed in anywhere."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await house.console("pit")
            with examiners_held(house):
                choice = {"person": "manager", "code": house.codes["manager"], "secret": secret_of("manager")}
                console.say("new_secret", **choice)
                await console.ping()
                console.transport.disconnect(graceful=False)
                await until(lambda: not house.venue.router.connections)
            await until(lambda: not house.venue.router.background_tasks._under_way)  # noqa: SLF001 - nobody is told
            assert house.venue.publisher.consoles == {}
            await house.signed_in("manager", "pit")

    played(scenario)


def test_house_that_stops_calls_off_what_is_under_way(tmp_path: Path) -> None:
    """A sign-in that is not done when the house stops is not waited for."""

    async def scenario() -> bool:
        async with open_house(tmp_path) as house:
            await house.console("pit")
            (connection,) = house.venue.router.connections
            called_off = asyncio.Event()

            async def chore() -> None:
                try:
                    await asyncio.Event().wait()
                finally:
                    called_off.set()

            house.venue.router.background_tasks.begin(connection, chore())
            await asyncio.sleep(0)
        return called_off.is_set()

    assert played(scenario)


def test_lock_is_reported_once_the_house_can_receive_it(tmp_path: Path) -> None:
    """An account that is locked while the disk holds the house up is an incident once the disk is done."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player, console = await house.seated(credit=0), await house.console("pit")
            async with slow_commit(house, player):
                for _ in range(FAILURES_MAX):
                    assert await console.refused("sign_in", person="manager", secret=WRONG) == "sign_in_refused"
            await house.rest()
            assert locked(house) == 1

    played(scenario)


def test_lock_that_could_not_be_reported_is_reported_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that is locked while too much waits is an incident at the next sweep of the connections."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await house.console("pit")
            with monkeypatch.context() as full:
                full.setattr("croupier.engine.sequencer.QUEUE_MAX", 0)
                for _ in range(FAILURES_MAX):
                    assert await console.refused("sign_in", person="manager", secret=WRONG) == "sign_in_refused"
                assert locked(house) == 0
            await house.pass_s(ONE_ROUND)
            assert locked(house) == 1

    played(scenario)


def test_sign_in_that_cannot_be_judged_closes_its_connection_alone(tmp_path: Path) -> None:
    """Where the register cannot be read a sign-in fails, and so does its console; everybody else goes on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player, console = await house.seated(), await house.console("pit")
            path = house.venue.config.key_store / "register.json"
            path.write_bytes(b"{")
            console.say("sign_in", person="manager", secret=WRONG)
            assert (await console.hear("bye"))["refusal"]["code"] == "command_failed"
            assert (await player.ping())["t"] == "pong"

    played(scenario)


def test_whoever_is_in_stays_while_the_register_cannot_be_read(tmp_path: Path) -> None:
    """What staff ask for meanwhile is refused as busy; once it can be read they go on, without signing in again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            manager = await house.signed_in("manager", "pit", house.codes["manager"])
            (register,) = house.venue.config.key_store.rglob("register.json")
            whole = register.read_bytes()
            register.write_bytes(b"spoilt")
            assert await manager.acked("SendMessage", terminals=[], words="Good luck.") == "busy"
            assert await manager.refused("staff") == "busy"
            register.write_bytes(whole)
            assert await manager.acked("SendMessage", terminals=[], words="Good luck.") == "done"

    played(scenario)
