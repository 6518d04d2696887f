"""Random dealers and players at live tables: whatever they do, books, chips and the auditor's model agree."""

import random

import pytest
from msgspec.structs import replace

from croupier.house import AnyCommand, House, evolve
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import PositionId
from croupier.house.live.payment_walk import AmendSeal, CollectLosers, PaySegment, ReturnLate, SettleOwed
from croupier.house.live.seats_and_colours import LeaveTable, RedeemColour, ReturnColour
from croupier.house.play.chip_bets import ChangeChips, ClearChips, MoveChips, RemoveChips, UndoChips
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import Recover
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.spinning import SpinBall
from croupier.house.state.tables import BETTING_PHASES, SEALED_PHASES, Phase
from croupier.house.verification import state_digest
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import Reason
from tests.support.campaign import many
from tests.support.house_driver import ADELAIDE, TABLE, US, cents, limits, sound
from tests.support.live_driver import LiveFloor, live_settings

STEPS = 150


class RandomPit:
    """A live table at which everything is tried, whether it is allowed or not."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - a repeatable walk
        self.rulebook_id = self.chance.choice((ADELAIDE, US))
        adelaide = self.rulebook_id == ADELAIDE
        settings = live_settings(
            self.rulebook_id,
            multiples=adelaide and self.chance.random() < 0.3,
            cash_from=self.chance.choice((None, 40)),
            pieces=self.chance.choice((60, 1_000)),
            denominations=self.chance.choice(((cents(1), cents(5), cents(100)), (cents(5), cents(25), cents(100)))),
            circulating=(cents(1),),
        )
        # With a low maximum many chips go back.
        bounds = settings.limits if not adelaide or self.chance.random() < 0.5 else limits(5, 20)
        self.floor = LiveFloor(
            self.rulebook_id,
            replace(settings, limits=bounds),
            players=("one", "two", "three"),
            terminals={"T1": 500} if self.chance.random() < 0.5 else {},
        )
        self.second = self.floor.enrol(self.floor.rulebook.staff.order[-1], "boss")
        least = 5 if adelaide else 1
        for position, colour in zip(self.floor.players, ("blue", "green"), strict=False):
            self.floor.buy(position, least * 40, colour)
        spots = [str(spot) for spot in self.floor.table.payouts.spots]
        self.spots = [*spots, *map(str, self.floor.table.payouts.blocks), "courtesy-line", "1/36"]

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
            sound(self.floor.house)
        house = House.new(read_canonical)
        for entry in self.floor.journal.entries():
            evolve(house, entry.event, entry.context)
        assert state_digest(house) == state_digest(self.floor.house)

    def step(self) -> None:
        floor, phase = self.floor, self.floor.table.phase
        if self.chance.random() < 0.06:
            self.two(self.doubt())
        elif phase is Phase.BETWEEN and self.chance.random() < 0.6:
            floor.check_notice()
            self.ask(OpenBets(TABLE))
        elif phase is Phase.NO_SPIN:
            self.ask(ResetTerminals(TABLE))
        elif phase in BETTING_PHASES:
            self.bet()
        elif phase in SEALED_PHASES:
            self.sealed(phase)
        else:
            self.pay()

    def ask(self, command: AnyCommand) -> None:
        self.floor.by(self.floor.dealer, command)

    def two(self, command: AnyCommand) -> None:
        """Have two people sign, where two must."""
        made = self.floor.by(self.floor.chief, command)
        if isinstance(made, tuple) and made and isinstance(made[0], ProposalMade):
            self.floor.by(self.second, Approve(made[0].proposal))

    def who(self) -> PositionId:
        return self.chance.choice(self.floor.players)

    def chip(self) -> str:
        return self.chance.choice(("blue", "green", "v100", "v500", "v10000", "cash"))

    def some(self) -> tuple[tuple[str, int], ...]:
        return tuple(
            (self.chance.choice(self.spots), self.chance.randint(1, 6)) for _ in range(self.chance.randint(1, 6))
        )

    def bet(self) -> None:
        floor, who = self.floor, self.who()
        lies = [*floor.player(who).pieces] if who in floor.live.players else []
        spot = self.chance.choice(lies) if lies else SpotKey("red")
        commands: list[AnyCommand] = [
            *[floor.placing(who, self.chip(), dict(self.some()))] * 6,
            ChangeChips(TABLE, who, spot, self.chip(), self.chance.randint(0, 5)),
            MoveChips(TABLE, who, spot, SpotKey(self.chance.choice(self.spots))),
            RemoveChips(TABLE, who, (spot,)),
            UndoChips(TABLE, who),
            ClearChips(TABLE, who),
            RedeemColour(TABLE, who, self.chance.choice(("blue", "green")), self.chance.randint(1, 30)),
            LeaveTable(TABLE, who),
        ]
        self.ask(self.chance.choice(commands))
        if "T1" in floor.house.terminals and self.chance.random() < 0.2:
            floor.bet("T1", "4 on red")
        if self.chance.random() < 0.25:
            self.ask(SpinBall(TABLE))
            self.ask(CloseBets(TABLE))

    def sealed(self, phase: Phase) -> None:
        floor, who = self.floor, self.who()
        pocket = self.chance.choice(floor.rulebook.wheel.order)
        if self.chance.random() < 0.2:
            self.ask(ReturnLate(TABLE, who, self.some(), self.chip()))
        elif self.chance.random() < 0.2:
            found = tuple((SpotKey(spot), self.chip(), count) for spot, count in self.some())
            self.two(AmendSeal(TABLE, who, found, "Seen."))
        elif self.chance.random() < 0.1:
            self.ask(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
        elif phase is Phase.AT_REST:
            reported = floor.table.playing.spin.reported
            self.ask(ConfirmResult(TABLE, reported or Pocket(pocket)))
        elif phase is Phase.RUNNING:
            floor.rest(pocket, 5)
        else:
            self.ask(SpinBall(TABLE))

    def pay(self) -> None:
        floor, number = self.floor, self.floor.table.rounds
        who, segments = self.who(), ["inside", "red", "correction", "returns"]
        chips = None if floor.table.round is None else floor.table.round.chips
        if chips is not None and chips.walk is not None:
            segments += [item.segment for item in chips.walk.items]
        commands: list[AnyCommand] = [
            *[CollectLosers(TABLE, number)] * 2,
            *[PaySegment(TABLE, number, self.chance.choice(segments)) for _ in range(4)],
            PaySegment(TABLE, number, self.chance.choice(segments), who, (("v500", self.chance.randint(1, 9)),)),
            RemoveChips(TABLE, who, (SpotKey(self.chance.choice(self.spots)),)),
            SettleOwed(TABLE, who, self.chip(), self.chance.randint(1, 4)),
            ReturnColour(TABLE, self.chance.choice(("blue", "green")), self.chance.randint(0, 60)),
            RedeemColour(TABLE, who, self.chance.choice(("blue", "green")), self.chance.randint(1, 30)),
            CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"),
            LeaveTable(TABLE, who),
        ]
        self.ask(self.chance.choice(commands))

    def doubt(self) -> AnyCommand:
        """Something rare: a correction, an invalidated outcome, or a restart."""
        number, floor = self.floor.table.rounds, self.floor
        if self.chance.random() < 0.3:
            floor.ask(Recover())
        round_ = number if self.chance.random() < 0.7 else type(number)(max(1, number - 1))
        pocket = Pocket(self.chance.choice(floor.rulebook.wheel.order))
        if self.chance.random() < 0.2:
            return InvalidateOutcome(TABLE, round_, Reason.FIRE, "Fire.")
        return CorrectResult(TABLE, round_, pocket, "Seen.")


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(many(day=6, night=400)))
def test_random_dealers_keep_the_books(seed: int) -> None:
    """After every command of a random night the books balance, the auditor agrees, and a replay gives the same."""
    RandomPit(seed).run()
