"""Log contents: no credential and no bearer value is logged in a run."""

import logging
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier.server.connection import INVALID_FRAMES_MAX
from tests.support.connections import Client, TestHouse, open_house, played, secret_of


class Secrets:
    """Everything of a run that must not appear in the log."""

    def __init__(self) -> None:
        self.reported: set[str] = set()

    def keep(self, secret: str) -> str:
        self.reported.add(secret)
        return secret


async def _staff(house: TestHouse, kept: Secrets) -> Client:
    """Have people sign in, rightly and wrongly, with secrets in the right places and in wrong ones."""
    console = await house.console("cashier")
    kept.keep(console.key)
    code, secret = kept.keep(house.codes["cashier"]), kept.keep(secret_of("cashier"))
    wrong = kept.keep("a wrong guess at it")
    await console.refused("sign_in", person="cashier", secret=wrong)
    await console.refused("sign_in", person=kept.keep("a secret for a name"), secret=wrong)
    console.say("sign_in", person="cashier", secret=code)
    await console.hear("must_choose")
    console.say("new_secret", person="cashier", code=code, secret=secret)
    kept.keep((await console.hear("signed_in"))["token"])
    await console.admitted()
    await console.refused("step_up", secret=wrong)
    console.say("step_up", secret=secret)
    await console.hear("stepped_up")
    await console.refused("resume", token=kept.keep("a token that was never given"))
    return console


async def _money(house: TestHouse, console: Client, kept: Secrets) -> None:
    """Have a slip issued, misread, paid and shown again."""
    player = await house.seated()
    kept.keep(player.key)
    player.say("cash_out", id=next(player.numbers), epoch=player.epoch)
    number = kept.keep((await player.hear("slip"))["number"])
    await console.acked("OpenDrawer", drawer="D1", float_=1_000_000)
    for each in (number[::-1], number, number):
        console.say("redeem", id=next(console.numbers), epoch=console.epoch, drawer="D1", number=each)
        await console.hear("ack")
    kept.keep(number[::-1])


async def _strangers(house: TestHouse, kept: Secrets) -> None:
    """Have devices come that are not known, and say what is no message."""
    device_auth = house.venue.router.device_auth
    device_auth.is_host = lambda _: False
    for hello in ({"device": "A-1", "key": kept.keep("not its key")}, {"join": kept.keep("not the code")}):
        stranger = await house.client()
        stranger.say("hello", screen="terminal", **hello)
        await stranger.end()
    babbler = await house.client()
    for _ in range(INVALID_FRAMES_MAX + 1):
        babbler.say(kept.keep("a secret for a kind"))
    await babbler.end()
    kept.keep(device_auth.join_code.text)


async def _failing(house: TestHouse, console: Client, kept: Secrets) -> None:
    """Have a sign-in fail for want of a register."""
    path = house.venue.config.key_store / "register.json"
    good = path.read_bytes()
    path.write_bytes(b"{")
    console.say("sign_in", person="cashier", secret=kept.keep(secret_of("cashier")))
    await console.end()
    path.write_bytes(good)


def test_nothing_secret_is_written_down(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No key, code, secret, token or number of a slip stands in a log, the journal or the register, at any level."""
    caplog.set_level(logging.DEBUG)
    kept = Secrets()

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await _staff(house, kept)
            await _money(house, console, kept)
            await _strangers(house, kept)
            await _failing(house, console, kept)

    with capture_logs() as events:
        played(scenario)
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    written = b"\n".join([caplog.text.encode(), str(events).encode(), *files])

    assert len(kept.reported) > 10
    assert {secret for secret in kept.reported if secret.encode() in written} == set()
    reported = {event["event"] for event in events}
    assert reported >= {"signed_in", "sign_in_failed", "chore_failed"}


def test_names_are_written_as_what_they_are(tmp_path: Path) -> None:
    """A failed sign-in is logged with the device and the cause, and with the name only where there is such a person."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await house.console("pit")
            for person in ("manager", 'nobody\n{"event":"signed_in"}'):
                await console.refused("sign_in", person=person, secret=secret_of("somebody else"))

    with capture_logs() as events:
        played(scenario)

    failed = [event for event in events if event["event"] == "sign_in_failed"]
    assert [(event["device"], event["person"], event["cause"]) for event in failed] == [
        ("pit-1", "manager", "wrong"),
        ("pit-1", "", "unknown"),
    ]
