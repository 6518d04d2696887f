"""A round over the wire: a player connects, bets, and receives the result."""

from pathlib import Path

from tests.support.connections import open_house, played, refused_in


def test_player_bets_and_is_paid_by_the_record(tmp_path: Path) -> None:
    """A player who connects gets play money, places a bet, and receives the number and the payment."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.pass_s(6)
            opened = await player.hear("table", lambda said: said["state"]["phase"] == "open")
            number = player.bet("red", 500, opened["state"]["round"])
            reported = await player.answered(number)

            assert refused_in(reported) == {}
            assert reported["set"] == {"credit": 99_500, "games": {"A": {"stakes": {"red": 500}, "staked": 500}}}

            await house.pass_s(60)
            over = await player.hear("table", lambda said: said["state"].get("pocket") is not None)
            won = over["state"]["pocket"] in RED
            last = [said for said in player.drain() if said["t"] == "seat"][-1]

            assert last["set"]["games"]["A"]["won"] == (500 if won else 0)

    played(scenario)


RED = {str(each) for each in (1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36)}
