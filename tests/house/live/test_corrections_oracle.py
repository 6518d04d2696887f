"""Corrections of chips against an oracle that knows the documents' odds only: what each player holds afterwards."""

import random
from typing import Final

import pytest

from croupier.house.ids import PositionId
from croupier.house.live.payment_walk import SettleOwed
from croupier.house.live.seats_and_colours import in_hand
from croupier.house.rounds.corrections import CorrectResult
from croupier.rules.geometry import Pocket
from tests.support.campaign import portions
from tests.support.house_driver import ADELAIDE, TABLE, US
from tests.support.live_driver import LiveFloor

_RED: Final = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
#: The numbers that a bet covers, from the layouts; a marker button of Adelaide covers two neighbours on either side.
COVERS: Final[dict[str, set[int]]] = {
    **{str(number): {number} for number in (0, 16, 17, 20, 25)},
    "17/20": {17, 20},
    "16/17/18": {16, 17, 18},
    "16/17/19/20": {16, 17, 19, 20},
    "13/14/15/16/17/18": {*range(13, 19)},
    "red": _RED,
    "black": {*range(1, 37)} - _RED,
    "odd": {*range(1, 37, 2)},
    "even": {*range(2, 37, 2)},
    "low": {*range(1, 19)},
    "dozen 2": {*range(13, 25)},
    "column 2": {*range(2, 36, 3)},
    "neighbours 17": {2, 25, 17, 34, 6},
}
#: To one, by how many numbers a bet covers (8(a) at Adelaide, the pay table of the US document).
ODDS: Final = {1: 35, 2: 17, 3: 11, 4: 8, 6: 5, 12: 2, 18: 1}
NUMBERS: Final = (0, 2, 16, 17, 18, 19, 20, 25, 34)

Bets = dict[str, int]


def holds(bets: Bets, number: int) -> tuple[int, dict[str, int]]:
    """What a player is paid on a number, in pieces, and what lies on the layout then: each winning bet as it lay.

    A marker bet that wins has a fifth on the number, which is paid as a straight up (6(j)).
    """
    paid, lies = 0, dict[str, int]()
    for spot, pieces in bets.items():
        if number in COVERS[spot]:
            marker = spot.startswith("neighbours")
            stays, where = (pieces // 5, str(number)) if marker else (pieces, spot)
            paid += stays * (35 if marker else ODDS[len(COVERS[spot])])
            lies[where] = lies.get(where, 0) + stays
    return paid, lies


class Story:
    """A round of two players, one with a colour and one with value chips, whose number is corrected once or twice."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a sample, not a secret
        self.rulebook_id = self.random.choice((ADELAIDE, US))
        us = self.rulebook_id == US
        self.piece = 100 if us else 500
        self.floor = LiveFloor(self.rulebook_id)
        self.floor.enrol(self.floor.rulebook.staff.order[-1], "boss")
        self.floor.buy(self.floor.one, 500, "blue")
        self.bets = {position: self.choose(us=us) for position in self.floor.players}
        self.chips = {self.floor.one: "blue", self.floor.two: f"v{self.piece}"}
        self.got: dict[PositionId, int] = dict.fromkeys(self.floor.players, 0)
        self.floor.open()
        for position, bets in self.bets.items():
            self.floor.place(position, self.chips[position], bets)
        self.floor.close()
        self.number = self.random.choice(NUMBERS)
        self.floor.result(str(self.number))

    def choose(self, *, us: bool) -> Bets:
        spots = self.random.sample([spot for spot in COVERS if not (us and " 17" in spot)], self.random.randint(1, 5))
        return {spot: 5 if " 17" in spot else self.random.randint(1, 4) for spot in spots}

    def work(self, steps: int) -> str:
        """Collect, and make some payments; give how far it went."""
        floor, made = self.floor, "settled"
        for _ in range(steps):
            if floor.walk.over:
                return "over"
            if not floor.walk.collected:
                floor.collect()
                made = "collected"
            else:
                item = next(each for each in floor.walk.items if not each.made)
                self.paid(item.segment)
                made = "paid"
        return made

    def paid(self, segment: str, position: PositionId | None = None) -> None:
        for payment in self.floor.pay(segment, position).payments:
            self.got[payment.position] += payment.value

    def correct(self) -> None:
        self.number = self.random.choice([each for each in NUMBERS if each != self.number])
        command = CorrectResult(TABLE, self.floor.table.playing.number, Pocket(str(self.number)), "Seen.")
        self.floor.signed(command, self.floor.chief, "boss")

    def check(self) -> None:
        """Compare what each player has with what the documents give on the number."""
        for position, bets in self.bets.items():
            paid, lies = holds(bets, self.number)
            player = self.floor.player(position)
            open_ = sum(each.amount for each in self.floor.walk.items if each.position == position and not each.made)
            assert self.got[position] + open_ + player.payable - player.owed == paid * self.piece, position
            layout = {spot: sum(pieces.values()) for spot, pieces in player.pieces.items()}
            assert layout == lies, position

    def finish(self) -> None:
        """Collect and pay all, and settle debts: nothing is left, and no round is blocked."""
        self.work(50)
        for position in self.floor.players:
            if self.floor.player(position).payable:
                self.paid("correction", position)
            owed = self.floor.player(position).owed
            if owed:
                # What a correction added was paid in value chips: with these, too, a debt is settled.
                chip, pieces = self.chips[position], owed // self.piece
                own = min(pieces, in_hand(self.floor.live, chip) or 0) if chip == "blue" else 0
                for each, count in ((chip, own), (f"v{self.piece}", pieces - own)):
                    if count:
                        self.floor.deal(SettleOwed(TABLE, position, each, count))
                self.got[position] -= owed
        self.check()
        assert not any(each.payable or each.owed for each in self.floor.live.players.values())
        self.floor.check()
        self.floor.open()


@pytest.mark.campaign
@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(ADELAIDE, "9(e)")
@pytest.mark.clause(US, "Rotation (4)")
@pytest.mark.parametrize("seeds", portions(day=40, night=20_000, size=500), ids=str)
def test_players_hold_what_the_true_number_gives(seeds: range) -> None:
    """Whenever a number is corrected, each player is paid, owes and has on the layout what the documents give on it."""
    reached = set[str]().union(*map(told, seeds))
    assert reached == {"settled", "collected", "paid", "over"}


def told(seed: int) -> set[str]:
    """Play a story of one or two corrections to its end; give how far the dealer had come before them."""
    story, reached = Story(seed), set[str]()
    for _ in range(story.random.randint(1, 2)):
        reached.add(story.work(story.random.choice((0, 0, 1, 1, 2, 3, 20))))
        story.correct()
        story.check()
    story.finish()
    return reached


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_debt_of_more_than_the_colour_in_hand_is_settled() -> None:
    """A player who was paid by a correction in value chips, and owes more than the blue in hand, settles with both."""
    told(259)


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.parametrize("steps", [0, 1, 20], ids=["before the collection", "before the payment", "after it"])
def test_bet_that_wins_by_both_numbers_stays(steps: int) -> None:
    """10 on black stay when 17 becomes 20, and 5 on 17 are taken: neither is left in place of the other."""
    story = Story(0)
    floor = LiveFloor(players=("one",))
    floor.enrol(floor.rulebook.staff.order[-1], "boss")
    story.floor, story.bets, story.piece = floor, {floor.one: {"17": 1, "black": 2}}, 500
    story.chips, story.got, story.number = {floor.one: "v500"}, {floor.one: 0}, 17
    floor.open()
    floor.place(floor.one, "v500", story.bets[floor.one])
    floor.result("17")
    story.work(steps)
    floor.signed(CorrectResult(TABLE, floor.table.playing.number, Pocket("20"), "Seen."), floor.chief, "boss")
    story.number = 20
    story.check()
    assert floor.player(floor.one).pieces == {"black": {"v500": 2}}
