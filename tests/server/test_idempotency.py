"""Answers over the wire: every command is done once, whatever a line or a restart does to it (I11)."""

from pathlib import Path

from croupier.house.ids import PersonId
from tests.support.blocked_disk import BlockedDisk
from tests.support.connections import open_house, played
from tests.support.page import Said
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.wire.houses import DOUBLE_ZERO, MARINA
from tests.support.wire.runs import connect_actors


def placing(client: PageClient, spot: str = "17", stake: int = 500, **more: object) -> Said:
    """What a player asks for who places a bet in the round that is shown."""
    (table,) = client.page.tables
    state = client.page.state(table)
    at = {"terminal": client.device, "table": table, "round": state["round"], "spin": state["spin"]}
    return {"type": "PlaceBets", **at, **more, "bets": [[spot, stake]]}


async def betting(harness: ServerHarness) -> PageClient:
    """Let a player in, and open a round."""
    player, dealer = await harness.player("M"), await harness.staff("dealer", "dealer")
    await harness.does(dealer, "OpenBets", table="M")
    return player


def test_delta_answers_all_up_to_its_last_command(tmp_path: Path) -> None:
    """Several commands at once are answered by one delta: all up to the last, and those refused are listed."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            player = await betting(harness)
            first = player.says("ask", command=placing(player))
            second = player.says("ask", command=placing(player, "no spot"))
            third = player.says("ask", command=placing(player, stake=10_000_000))
            fourth = player.says("ask", command=placing(player, "red"))
            [delta] = await harness.received(player)

            assert delta["last_cmd"] == fourth
            assert [each["id"] for each in delta["refused"]] == [second, third]
            assert player.page.is_answered(first)
            assert delta["set"]["games"]["M"]["stakes"] == {"17": 500, "red": 500}

    played(scenario)


def test_command_for_a_past_round_or_spin_is_refused(tmp_path: Path) -> None:
    """A bet that was meant for another round or another spin is never placed in this one."""

    async def scenario() -> None:
        async with server_harness(tmp_path, DOUBLE_ZERO) as harness:
            pit = await connect_actors(harness, "U")
            await harness.does(pit.dealer, "OpenBets", table="U")
            first = placing(pit.one, stake=100)
            await harness.does(pit.dealer, "SpinBall", table="U")
            await harness.does(pit.dealer, "CallNoSpin", table="U", reason="same_direction")
            for late in (first, {**first, "spin": 3}, {**first, "round": 2, "spin": 2}, {**first, "round": 0}):
                refusal = await pit.one.response(pit.one.says("ask", command=late))
                await harness.checked(refusal, "wrong_round")
            await harness.checked(await pit.one.response(pit.one.says("ask", command={**first, "spin": 2})))

    played(scenario)


def test_same_command_again_is_done_once(tmp_path: Path) -> None:
    """A command that comes twice is answered twice, the same, and done once; so is one that was refused."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            player = await betting(harness)
            taken, paid = player.says("ask", command=placing(player)), player.says("cash_out")
            bad = player.says("ask", command=placing(player, "no spot"))
            before = await player.response(bad)
            await harness.received(player)
            shown, epoch = player.page.shown, player.page.epoch
            player.connection.say("ask", id=taken, epoch=epoch, command=placing(player))
            player.connection.say("cash_out", id=paid, epoch=epoch)
            player.connection.say("ask", id=bad, epoch=epoch, command=placing(player, "no spot"))
            [again] = await harness.received(player)

            assert again.get("set", {}) == {}
            assert again["last_cmd"] == bad
            assert again["refused"] == [before]
            assert player.page.shown == shown
            assert [frame["t"] for frame in player.log].count("slip") == 1

    played(scenario)


def test_another_command_under_a_used_key_is_refused_and_reported(tmp_path: Path) -> None:
    """The same number with another body is refused, changes nothing, and is an incident for staff to see."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            number = pit.one.says("ask", command=placing(pit.one))
            await harness.checked(await pit.one.response(number))
            pit.one.connection.say("ask", id=number, epoch=pit.one.page.epoch, command=placing(pit.one, "red"))
            delta = await pit.one.hears("seat")
            await harness.check()

            assert [(each["id"], each["code"]) for each in delta["refused"]] == [(number, "key_reused")]
            assert pit.one.page.game("M")["bets"] == {"17": 500}
            for client in (pit.dealer, pit.boss):
                assert client.page.floor is not None
                [incident] = client.page.floor["incidents"]
                assert (incident["kind"], incident["subject"]) == ("key_reused", pit.one.device)

    played(scenario)


def test_line_that_breaks_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """A page that reconnects receives the last answered command, may send the rest again, and continues."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            player = await betting(harness)
            number = player.says("ask", command=placing(player))
            await harness.received(player)
            await harness.leaves(player)
            back = await harness.returns(player)

            assert back.page.last_cmd == number
            assert back.page.game("M")["bets"] == {"17": 500}
            back.connection.say("ask", id=number, epoch=back.page.epoch, command=placing(back))
            back.connection.say("ask", id=number + 1, epoch=back.page.epoch, command=placing(back))
            assert await back.response(number + 1) is None
            assert back.page.game("M")["bets"] == {"17": 1_000}

    played(scenario)


def test_keys_of_a_run_that_is_over(tmp_path: Path) -> None:
    """After a restart what was done is answered as done, and what was not is refused: the page goes on from there."""

    async def scenario() -> None:
        async with server_harness(tmp_path, DOUBLE_ZERO) as harness:
            player, dealer = await harness.player("U"), await harness.staff("dealer", "dealer")
            await harness.does(dealer, "OpenBets", table="U")
            taken = player.says("ask", command=placing(player, stake=100))
            await harness.checked(await player.response(taken))
            epoch = player.page.epoch
            harness.power_cut()
        async with server_harness(tmp_path, DOUBLE_ZERO) as harness:
            back = await harness.returns(player)
            assert back.page.epoch > epoch
            assert back.page.last_cmd == 0
            again = placing(back, stake=100)
            back.connection.say("ask", id=taken, epoch=epoch, command=again)
            back.connection.say("ask", id=taken + 1, epoch=epoch, command=again)
            back.connection.say("ask", id=taken + 2, epoch=back.page.epoch + 1, command=again)
            [answer] = await harness.received(back)
            assert answer["last_cmd"] == 0
            assert answer.get("set", {}) == {}
            codes = [(each["id"], each["code"]) for each in answer["refused"]]
            assert codes == [(taken + 1, "key_stale"), (taken + 2, "epoch_ahead")]
            assert back.page.game("U")["bets"] == {"17": 100}
            for number in (1, taken + 7):
                back.connection.say("ask", id=number, epoch=back.page.epoch, command=again)
                assert await back.response(number) is None
                assert back.page.last_cmd == number
            assert back.page.game("U")["bets"] == {"17": 300}

    played(scenario)


def test_answer_for_nobody_is_dropped(tmp_path: Path) -> None:
    """A command whose page has gone before its answer is done all the same, and found done by whoever comes back."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            player = await betting(harness)
            disk = BlockedDisk(harness.open)
            number = player.says("ask", command=placing(player))
            await disk.begun()
            await harness.leaves(player)
            disk.release()
            await harness.open.rest()
            back = await harness.returns(player)

            assert (back.page.last_cmd, back.page.game("M")["bets"]) == (number, {"17": 500})

    played(scenario)


def test_death_before_the_answer_is_no_loss(tmp_path: Path) -> None:
    """What was kept when the power went, and answered to nobody, is found done by whoever sends it again."""

    async def scenario() -> None:
        async with server_harness(tmp_path, DOUBLE_ZERO) as harness:
            player, dealer = await harness.player("U"), await harness.staff("dealer", "dealer")
            await harness.does(dealer, "OpenBets", table="U")
            disk, epoch = BlockedDisk(harness.open), player.page.epoch
            number = player.says("ask", command=placing(player, stake=100))
            await disk.begun()
            harness.power_cut()
            disk.release()
            await player.connection.ping()
            assert player.read() == []
        async with server_harness(tmp_path, DOUBLE_ZERO) as harness:
            back = await harness.returns(player)
            assert back.page.game("U")["bets"] == {"17": 100}
            back.connection.say("ask", id=number, epoch=epoch, command=placing(back, stake=100))
            [answer] = await harness.received(back)
            assert "refused" not in answer
            assert back.page.game("U")["bets"] == {"17": 100}

    played(scenario)


def test_console_that_signs_out_is_still_answered(tmp_path: Path) -> None:
    """What somebody asked for before signing out is answered at that console."""

    async def shift() -> None:
        async with open_house(tmp_path) as house:
            dealer = await house.signed_in("dealer", "dealer", house.venue.codes[PersonId("dealer")])
            number = dealer.ask("NoteIncident", subject="A", words="a glass fell over")
            dealer.say("sign_out")

            assert (await dealer.hear("ack"))["id"] == number
            assert len(house.venue.run.house.incidents.all) == 1

    played(shift)
