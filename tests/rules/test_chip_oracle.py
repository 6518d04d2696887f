"""Live tables against an oracle written from the documents: random layouts, floats, notices and corrections."""

import random
from collections import Counter
from dataclasses import replace
from typing import Final

import pytest
from msgspec import structs

from croupier.house import AnyCommand
from croupier.house.declare import Decision, Events
from croupier.house.ids import SYSTEM, DeviceId, Number, PersonId, PositionId
from croupier.house.live.chip_settlement import ChipsCorrected, OwnerAdvised, payout_plan, terms_of
from croupier.house.live.floats import FillFloat
from croupier.house.live.partners import LinkPlayers, UnlinkPlayers
from croupier.house.live.payment_walk import AmendSeal, CollectLosers, PaySegment, SegmentPaid
from croupier.house.live.seats_and_colours import AllocateColour, BuyChips, Tender
from croupier.house.live.supervised import RecordWinner
from croupier.house.play.chip_bets import ClearChips, worth
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.settings import LimitBounds, LimitSettings, LiveSettings, Recording, TableSettings
from croupier.rules.geometry import COMMON_KINDS, Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.payouts import ChipId, PayoutPlan, denomination
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from tests.support.campaign import portions
from tests.support.chip_oracle import (
    MARKER,
    Chip,
    Outcome,
    Placed,
    Terms,
    neighbours_of,
    numbers_of,
    partners_refused,
    payable,
    settle,
)
from tests.support.house_driver import ADELAIDE, TABLE, US, Play
from tests.support.live_driver import LiveFloor
from tests.support.oracle import WHEELS, legal_bets

ROUNDS_AT_A_TABLE: Final = 20
#: The chips of floats: some that make every amount, and some that do not.
FLOATS: Final = (
    (50, 100, 500, 2_500),
    (100, 500, 2_500, 10_000),
    (500, 2_500, 10_000),
    (1_000, 2_500),
    (250, 1_000),
    (700, 1_200),
    (400, 900, 3_500),
    (1_000,),
    (300, 500),
    (2_500, 10_000),
    (600, 1_000, 1_500),
    (10_000,),
)
#: The values of chips from which other floats are drawn.
VALUES: Final = range(50, 3_050, 50)
#: Value chips that players bring, whatever the float has.
CIRCULATING: Final = (50, 100, 500, 2_500)
COLOURS: Final = ("blue", "green")
OUTSIDE: Final = (
    *("red", "black", "odd", "even", "low", "high"),
    *(f"{kind} {which}" for kind in ("column", "dozen") for which in (1, 2, 3)),
)
OUTSIDE_KINDS: Final = {kind for kind in COMMON_KINDS if kind in {*OUTSIDE[:6], "column", "dozen"}}


#: What was paid before partners were found, by segment and player.
Made = dict[tuple[str, int], int]


class QuickFloor(LiveFloor):
    """A live table without an auditor, who checks the same in other tests."""

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        return super(Play, self).ask(command, device, person)

    def deal(self, command: AnyCommand, by: str = "") -> Events:
        done = self.by(by or self.dealer, command)
        assert isinstance(done, tuple), done
        return done


class Table:
    """A live table with random settings, at which random rounds are played."""

    def __init__(self, chance: random.Random, recording: Recording = Recording.FULL) -> None:
        self.chance = chance
        self.venue = ADELAIDE if chance.random() < 0.8 else US
        adelaide = self.venue == ADELAIDE
        least = chance.choice((100, 200, 500)) if adelaide else 100
        inside = (least, chance.choice((20_00, 50_00, 101_00, 200_00)) if adelaide else 400)
        outside = (chance.choice((least, 1_000)), chance.choice((50_00, 99_50, 300_00))) if adelaide else inside
        drawn = tuple(sorted(chance.sample(VALUES, chance.randint(1, 4))))
        float_ = chance.choice(FLOATS) if chance.random() < 0.6 else drawn
        self.terms = Terms(self.venue, inside, outside, float_, adelaide and chance.random() < 0.5)
        self.unit = chance.choice((None, None, 500, 1_000)) if adelaide else None
        kinds = {kind: outside if kind in OUTSIDE_KINDS else inside for kind in COMMON_KINDS}
        bounds = tuple((kind, LimitBounds(Cents(low), Cents(high))) for kind, (low, high) in kinds.items())
        live = LiveSettings(
            recording=recording,
            emblem="anchor",
            colours=COLOURS,
            denominations=tuple(map(Cents, self.terms.float_chips)),
            circulating=tuple(map(Cents, CIRCULATING)),
            pieces=100_000,
            multiples=self.terms.notice,
            marker_unit=None if self.unit is None else Cents(self.unit),
        )
        limits = LimitSettings(kinds=bounds) if adelaide else LimitSettings(LimitBounds(Cents(100), Cents(400)))
        settings = TableSettings(live=live, confirms=True, limits=limits, warning_s=0)
        self.floor = QuickFloor(self.venue, settings, players=("one", "two", "three"))
        self.boss = self.floor.enrol(self.floor.rulebook.staff.order[-1], "boss")
        # The float has enough of each chip: what it cannot pay, it cannot pay in any number.
        self.floor.signed(FillFloat(TABLE, tuple((Cents(each), 1_000_000) for each in self.terms.float_chips), "S2"))
        self.players = dict(enumerate(self.floor.players))
        self.names: dict[int, dict[Chip, str]] = {each: {} for each in self.players}
        for player, colour in enumerate(COLOURS):
            value = chance.choice((least, 500, 700, 2_500)) if adelaide else chance.choice((50, 100, 200))
            self.floor.deal(AllocateColour(TABLE, self.players[player], colour, Cents(value)))
            self.floor.deal(BuyChips(TABLE, self.players[player], Tender.CASH, Cents(50_000 * value), colour))
            self.names[player][Chip(value, colour=True)] = colour
        for player in self.players:
            values = dict.fromkeys((*self.terms.float_chips, *CIRCULATING))
            self.names[player] |= {Chip(value): f"v{value}" for value in values}
        self.advised: set[int] = set()
        #: Whether a payment was made in part: then the rest is a payment of its own, and the table ends.
        self.unpaid = False
        #: What each player was handed in a round whose number is corrected between payments.
        self.got: Counter[PositionId] = Counter()
        self.inside = [*map(self._spot, legal_bets(self.venue))]

    def _spot(self, numbers: frozenset[str]) -> str:
        """Name the spot of some numbers, as the layout of the house does."""
        felt = self.floor.table.payouts
        return next(str(key) for key, spot in felt.spots.items() if frozenset(spot.numbers) == numbers)

    def partners(self, *players: int) -> None:
        """Link some players; none ends the last partnership."""
        live = self.floor.live
        if not players:
            if self.terms.partners:
                self.floor.deal(UnlinkPlayers(TABLE, Number(live.groups_made)), self.floor.inspector)
        else:
            positions = tuple(self.players[each] for each in players)
            self.floor.deal(LinkPlayers(TABLE, positions), self.floor.inspector)
        self.terms = replace(self.terms, partners=frozenset(players))

    # Bets.

    def places(self, number: str) -> list[str]:
        """Choose places, most of them on a number or under a marker that covers it."""
        near = [place for place in self.inside if number in numbers_of(self.venue, place)]
        markers = [f"{MARKER}{each}" for each in WHEELS[self.venue]] if self.venue == ADELAIDE else []
        near_markers = [place for place in markers if number in numbers_of(self.venue, place)]
        pools = [
            near,
            near,
            [number],
            OUTSIDE,
            self.inside,
            near_markers or near,
            near_markers or near,
            markers or near,
        ]
        return [self.chance.choice(self.chance.choice(pools)) for _ in range(self.chance.randint(1, 3))]

    def bet(self, entries: list[Placed], number: str) -> None:
        """Have a player place chips of one kind; what the oracle refuses, the house must refuse too."""
        player = self.chance.randrange(3)
        chip = self.chance.choice([*self.names[player]])
        more: list[Placed] = []
        for place in dict.fromkeys(self.places(number)):
            most = self.terms.most(place) * self.chance.choice((0.05, 0.2, 0.5, 1, 1.3))
            pieces = max(1, int(most / chip.value * self.chance.random()))
            if place.startswith(MARKER):
                # A fifth of a marker bet has whole cents.
                pieces = max(pieces, -(-(self.unit or 5 * self.terms.inside[0]) // chip.value))
            more.append(Placed(player, place, chip, pieces))
        if not more or (self.venue == US and not self._within_us_limits(entries, more)):
            return
        beside = self._beside(player, more) if self.chance.random() < 0.3 else []
        bets = {each.place: each.pieces for each in more}
        others = tuple((SpotKey(each.place), self.names[player][each.chip], each.pieces) for each in beside)
        placing = self.floor.placing(self.players[player], self.names[player][chip], bets)
        more += beside
        answer = self.floor.by(self.floor.dealer, structs.replace(placing, beside=others))
        if partners_refused(self.terms, entries, more):
            assert isinstance(answer, Refusal), more
            assert (answer.code, answer.clause) == ("partnership_over_maximum", "12(e) first"), (answer, more)
        else:
            assert isinstance(answer, tuple), (answer, more)
            entries.extend(more)

    def _beside(self, player: int, bets: list[Placed]) -> list[Placed]:
        """Make marker bets of two kinds of chips, which only together have the least total; list the second kind."""
        beside = []
        for turn, each in enumerate(bets):
            if each.place.startswith(MARKER):
                other = self.chance.choice([chip for chip in self.names[player] if chip != each.chip])
                bets[turn] = replace(each, pieces=self.chance.randint(1, each.pieces))
                lacks = (self.unit or 5 * self.terms.inside[0]) - bets[turn].amount
                more = self.chance.choice((0, 0, 3, 30))
                beside.append(Placed(player, each.place, other, more + max(1, -(-lacks // other.value))))
        return beside

    def _within_us_limits(self, entries: list[Placed], more: list[Placed]) -> bool:
        lies: Counter[str] = Counter()
        for each in (*entries, *more):
            if each.player == more[0].player:
                lies[each.place] += each.amount
        return all(100 <= lies[each.place] <= 400 for each in more)

    def amend(self, entries: list[Placed]) -> None:
        """Have more chips found on a spot after the close: there no limit refuses them."""
        each = self.chance.choice(entries)
        if each.place.startswith(MARKER) or each.player in self.advised:
            return
        chip = self.names[each.player][each.chip]
        lies = self.floor.player(self.players[each.player]).pieces[SpotKey(each.place)]
        more = self.chance.randint(1, 9)
        found = ((SpotKey(each.place), chip, lies[chip] + more),)
        self.floor.signed(AmendSeal(TABLE, self.players[each.player], found, "Seen."))
        entries.append(Placed(each.player, each.place, each.chip, more))

    # Rounds.

    def play(self) -> bool:
        """Play a round, and compare; return whether the table may go on."""
        chance, floor, entries = self.chance, self.floor, list[Placed]()
        number = chance.choice(WHEELS[self.venue])
        groups = ((), (0, 1), (0, 1, 2), (1, 2)) if self.venue == ADELAIDE else ((),)
        group, late = chance.choice(groups), chance.random() < 0.6
        floor.open()
        self._clear()
        if not late:
            self.partners(*group)
        for _ in range(chance.randint(1, 10)):
            self.bet(entries, number)
        if late and chance.random() < 0.5:
            self.partners(*group)
        floor.close()
        entries = self._after_the_close(entries)
        if entries and chance.random() < 0.15:
            self.amend(entries)
        if late and not self.terms.partners and chance.random() < 0.5:
            self.partners(*group)
        events = floor.result(number)
        if not entries:
            return True
        self.compare(entries, number, events)
        paid = self._found_late(entries, number, group) if late and group and not self.terms.partners else {}
        return not self.unpaid and self._walk(entries, number, paid)

    def _found_late(self, entries: list[Placed], number: str, group: tuple[int, ...]) -> Made:
        """12(e) first: partners are found before or between their payments, or before the losers are collected."""
        paid: Made = {}
        floor, chance = self.floor, self.chance
        if chance.random() < 0.5 and floor.walk.items and not floor.walk.collected:
            floor.collect()
        if chance.random() < 0.5 and floor.walk.collected:
            paid = self._pay_some(settle(self.terms, entries, number))
        if not floor.walk.over:
            self.partners(*group)
            self.compare(entries, number, (), paid)
            if chance.random() < 0.2:
                # A link by mistake is ended: what was not paid because of it is due again.
                self.partners()
                self.compare(entries, number, (), paid)
                after = settle(self.terms, entries, number)
                self.unpaid = any(amount < after[who].payments[segment] for (segment, who), amount in paid.items())
        return paid

    def _pay_some(self, expected: dict[int, Outcome]) -> Made:
        """Pay a winner in one segment, if chips make it."""
        open_ = [
            (segment, player)
            for player, outcome in expected.items()
            for segment, amount in (+outcome.payments).items()
            if segment != "returns" and payable(self.terms, amount, (self._colour(player), outcome.pieces[segment]))
        ]
        if not open_:
            return {}
        segment, player = self.chance.choice(open_)
        paid = self.floor.pay(segment, self.players[player])
        assert [each.value for each in paid.payments] == [expected[player].payments[segment]]
        return {(segment, player): expected[player].payments[segment]}

    def _colour(self, player: int) -> int:
        """Return the value of a chip of a player's colour; 0 without one."""
        return next((chip.value for chip in self.names[player] if chip.colour), 0)

    def _after_the_close(self, entries: list[Placed]) -> list[Placed]:
        """12(e) second: bets under the minimum of a player who was advised before went back at the close."""
        stakes: Counter[tuple[int, str]] = Counter()
        for each in entries:
            stakes[each.player, each.place] += each.amount
        back = {
            (player, place)
            for (player, place), stake in stakes.items()
            if player in self.advised and not place.startswith(MARKER) and stake < self.terms.least(place)
        }
        return [each for each in entries if (each.player, each.place) not in back]

    def _walk(self, entries: list[Placed], number: str, paid: Made) -> bool:
        """Correct the number before or after the payments, or not at all; and pay by the number that counts."""
        chance, floor = self.chance, self.floor
        other = chance.choice([each for each in WHEELS[self.venue] if each != number])
        when = chance.choice(("never", "never", "never", "after" if paid else "before", "after"))
        if when == "before":
            self._correct(other)
            number = other
            self.compare(entries, number, ())
        decided = self._pay_all(settle(self.terms, entries, number), paid)
        if when == "after":
            before, after = settle(self.terms, entries, number), settle(self.terms, entries, other)
            invalid = self.venue == ADELAIDE and chance.random() < 0.3
            if invalid:
                # 12(b): no outcome, and every stake is its player's.
                after = {each: Outcome() for each in before}
                for each in entries:
                    after[each.player].returned += each.amount
            changes = {self.players[each]: after[each].total - before[each].total for each in after}
            players = {position: player for player, position in self.players.items()}
            for (segment, position), more in decided.items():
                # 12(i): the decision is final for its payment. Of another payment, 11(e) adjusts what was in fact paid.
                player = players[position]
                if before[player].payments[segment] != after[player].payments[segment]:
                    changes[position] -= more
            events = self._invalidate() if invalid else self._correct(other)
            corrected = next(event for event in events if isinstance(event, ChipsCorrected))
            assert dict(corrected.changes) == {each: change for each, change in changes.items() if change}
        return when != "after" and floor.walk.over

    # Corrections between payments.

    def play_corrected(self) -> bool:
        """Play a round whose number is corrected once to three times, before, between and after its payments.

        Return whether all was paid without a person's decision, and compared.
        """
        chance, floor, entries = self.chance, self.floor, list[Placed]()
        number = chance.choice(WHEELS[self.venue])
        floor.open()
        if self.venue == ADELAIDE:
            self.partners(*chance.choice(((), (0, 1), (0, 1, 2), (1, 2))))
        for _ in range(chance.randint(2, 10)):
            self.bet(entries, number)
        if not entries:
            return True
        floor.close()
        if chance.random() < 0.15:
            self.amend(entries)
        floor.result(number)
        back: Made | None = None
        for steps in (chance.choice((0, 1, 2, 3, 4, 30)), *(chance.choice((0, 0, 1, 2, 30)) for _ in range(3)), 60):
            expected = settle(self.terms, entries, number)
            if back is None or not self._is_paid():
                # Until the first payment the layouts are settled anew: whole pieces over the maximum go back by hand.
                back = {("", each): has.returned - has.payments["returns"] for each, has in expected.items()}
            self._holds(expected, back, entries)
            if not self._work(steps):
                return False
            self._holds(expected, back, entries)
            covered = [each for each in WHEELS[self.venue] if any(self._covers(bet.place, each) for bet in entries)]
            if steps < 60:
                number = chance.choice([each for each in (*covered, *WHEELS[self.venue]) if each != number])
                self._correct(number)
        return True

    def _is_paid(self) -> bool:
        walk = self.floor.walk
        return walk.over or walk.corrected or any(item.made for item in walk.items)

    def _work(self, steps: int) -> bool:
        """Collect, and pay some items in any order; return False where chips do not make one."""
        floor, number = self.floor, self.floor.table.playing.number
        for _ in range(steps):
            if floor.walk.over:
                break
            floor.mark()
            if not floor.walk.collected:
                floor.collect()
                continue
            item = self.chance.choice([each for each in floor.walk.items if not each.made])
            paid = floor.by(floor.dealer, PaySegment(TABLE, number, item.segment, item.position))
            if isinstance(paid, Refusal):
                assert paid.code == "payment_undecided"
                return False
            assert isinstance(paid[0], SegmentPaid)
            self.got.update({each.position: each.value for each in paid[0].payments})
            if len(paid) > 1:
                # What a correction gives was rounded.
                return False
        return True

    def _holds(self, expected: dict[int, Outcome], back: Made, entries: list[Placed]) -> None:
        """Compare what each player has got, is due, owes and has on the layout with what the number gives."""
        floor, chips = self.floor, self.floor.table.playing.chips
        for player, outcome in expected.items():
            position = self.players[player]
            account = floor.player(position)
            open_ = sum(item.amount for item in floor.walk.items if item.position == position and not item.made)
            assert chips is not None
            lies = sum(worth(chips.values, pieces) for pieces in account.pieces.values())
            has = self.got[position] + open_ + account.payable - account.owed + lies + back["", player]
            assert has == outcome.total, (player, has, outcome, entries)

    # Tables that record winners only.

    def play_supervised(self) -> int:
        """Record winners one after the other, compare what is due after each, and correct the number."""
        chance, floor, entries = self.chance, self.floor, list[Placed]()
        number = chance.choice(WHEELS[self.venue])
        floor.open()
        if self.venue == ADELAIDE:
            self.partners(*chance.choice(((), (0, 1), (0, 1, 2))))
        floor.close()
        floor.result(number)
        floor.mark()
        floor.deal(CollectLosers(TABLE, floor.table.playing.number))
        for _ in range(chance.randint(1, 6)):
            entries.append(self._winner(number))
            for player, outcome in settle(self.terms, entries, number).items():
                items = Counter[str]()
                for item in floor.walk.items:
                    items[item.segment] += item.amount if item.position == self.players[player] else 0
                assert +items == +outcome.payments, (player, number, entries)
        other = chance.choice([each for each in WHEELS[self.venue] if each != number])
        before, after = (settle(self.terms, entries, each) for each in (number, other))
        paid = {each: after[each].payments.total() - before[each].payments.total() for each in after}
        corrected = next(each for each in self._correct(other) if isinstance(each, ChipsCorrected))
        assert dict(corrected.changes) == {self.players[each]: change for each, change in paid.items() if change}
        return len(entries)

    def _winner(self, number: str) -> Placed:
        """Have a winning bet of one kind of chips recorded."""
        player = self.chance.randrange(3)
        chip = self.chance.choice([*self.names[player]])
        place = self.chance.choice([each for each in (*self.places(number), number) if self._covers(each, number)])
        pieces = max(1, int(self.terms.most(place) / chip.value * self.chance.choice((0.05, 0.2, 0.5, 1, 1.3))))
        round_ = self.floor.table.playing.number
        bet = RecordWinner(TABLE, self.players[player], round_, ((place, pieces),), self.names[player][chip])
        self.floor.deal(bet)
        return Placed(player, place, chip, pieces)

    def _covers(self, place: str, number: str) -> bool:
        return number in numbers_of(self.venue, place)

    def _correct(self, number: str) -> Events:
        first = self.floor.rulebook.staff.order[-2 if self.venue == ADELAIDE else -1].lower()
        correct = CorrectResult(TABLE, self.floor.table.playing.number, Pocket(number), "Seen.")
        return self.floor.signed(correct, first, self.floor.chief)

    def _invalidate(self) -> Events:
        reason = InvalidateOutcome(TABLE, self.floor.table.playing.number, Reason.FIRE, "A fire.")
        return self.floor.signed(reason, self.floor.chief, self.boss)

    def compare(self, entries: list[Placed], number: str, events: Events, paid: Made | None = None) -> None:
        """Compare every amount of the settlement with the oracle's: what was paid before stays paid."""
        floor, round_ = self.floor, self.floor.table.playing
        assert round_.chips is not None
        expected = settle(self.terms, entries, number)
        plan = payout_plan(floor.house, floor.table, round_, round_.chips, Pocket(number))
        for player, outcome in expected.items():
            position = self.players[player]
            items = Counter[str]()
            for item in floor.walk.items:
                items[item.segment] += item.amount if item.position == position else 0
            made = Counter({segment: amount for (segment, who), amount in (paid or {}).items() if who == player})
            assert +items == outcome.payments | made, (player, number, entries)
            stays = sum(worth(round_.chips.values, pieces) for pieces in floor.player(position).pieces.values())
            assert stays == outcome.stays, (player, number, entries)
            payout = next(each for each in plan.positions if each.position == position)
            back = sum(terms_of(round_.chips).amount(pieces) for pieces in payout.returned.values())
            found = (payout.collected, back + items["returns"])
            assert found == (outcome.collected, outcome.returned), (player, number, entries)
        if events:
            advised = {event.position for event in events if isinstance(event, OwnerAdvised)}
            due = {player for player, outcome in expected.items() if outcome.advised} - self.advised
            assert advised == {self.players[each] for each in due}
            self.advised |= due
        self.advised |= {each for each in self.players if floor.player(self.players[each]).advised_at is not None}

    def _pay_all(self, expected: dict[int, Outcome], paid: Made) -> dict[tuple[str, PositionId], int]:
        """Collect and pay: the dealer what chips make, a supervisor one of the next amounts for what they do not.

        Return how much more was paid than is due, by segment and position.
        """
        floor, number = self.floor, self.floor.table.playing.number
        floor.mark()
        if not floor.walk.collected:
            (collected,) = floor.deal(CollectLosers(TABLE, number))
            assert collected.amount == sum(each.collected for each in expected.values())  # type: ignore[attr-defined]
        due: dict[str, dict[PositionId, tuple[int, tuple[int, int]]]] = {}
        for player, outcome in expected.items():
            for segment, amount in (+outcome.payments).items():
                if (segment, player) not in paid:
                    own = (self._colour(player), outcome.pieces[segment])
                    due.setdefault(segment, {})[self.players[player]] = (amount, own)
        over = {
            (segment, self.players[player]): amount - expected[player].payments[segment]
            for (segment, player), amount in paid.items()
        }
        return over | {
            (segment, position): more
            for segment, amounts in due.items()
            for position, more in self._pay(segment, amounts).items()
        }

    def _pay(self, segment: str, due: dict[PositionId, tuple[int, tuple[int, int]]]) -> dict[PositionId, int]:
        """Pay a segment: all players at once, if chips make what is due to each."""
        floor, number = self.floor, self.floor.table.playing.number
        stuck = [each for each, (amount, own) in due.items() if not payable(self.terms, amount, own)]
        decided = {position: self._decide(position, segment, *due[position]) for position in stuck}
        if len(stuck) == len(due):
            return decided
        (paid,) = floor.deal(PaySegment(TABLE, number, segment))
        assert isinstance(paid, SegmentPaid)
        assert {each.position: each.value for each in paid.payments} == {
            position: amount for position, (amount, _) in due.items() if position not in stuck
        }
        made = {denomination(ChipId(chip)) for each in paid.payments for chip, _ in each.chips}
        assert made <= {None, *self.terms.float_chips}
        return decided

    def _decide(self, position: PositionId, segment: str, due: int, own: tuple[int, int]) -> int:
        """Have the dealer's payment refused, and a supervisor pay one of the next amounts; return what that is more."""
        floor, pay = self.floor, PaySegment(TABLE, self.floor.table.playing.number, segment, position)
        refusal = floor.by(floor.dealer, pay)
        assert isinstance(refusal, Refusal)
        clause = "12(i)" if self.venue == ADELAIDE else "Rotation (4)"
        assert (refusal.code, refusal.clause) == ("payment_undecided", clause)
        amounts = [each for each in neighbours_of(self.terms, due, own) if each]
        assert refusal.facts["choices"] == tuple(amounts)
        which = self.chance.randrange(len(amounts))
        payment = next(each for each in self._plan().payments if (each.segment, each.position) == (segment, position))
        assert payment.undecided is not None
        chips = tuple((str(chip), count) for chip, count in payment.undecided.choices[which])
        floor.deal(PaySegment(TABLE, pay.round, segment, position, chips), floor.chief)
        return amounts[which] - due

    def _plan(self) -> PayoutPlan:
        round_ = self.floor.table.playing
        assert round_.chips is not None
        assert self.floor.walk.pocket is not None
        return payout_plan(self.floor.house, self.floor.table, round_, round_.chips, self.floor.walk.pocket)

    def _clear(self) -> None:
        """Take up what stayed of the last round, and end the partnership."""
        for position in self.players.values():
            if self.floor.player(position).pieces:
                self.floor.deal(ClearChips(TABLE, position))
        self.partners()


@pytest.mark.campaign
@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.clause(ADELAIDE, "12(e) second")
@pytest.mark.clause(ADELAIDE, "12(f)")
@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.clause(US, "Placement 5")
@pytest.mark.clause(US, "Rotation (4)")
@pytest.mark.parametrize("cases", portions(day=300, night=100_000, size=1_000), ids=str)
def test_live_tables_pay_what_the_documents_say(cases: range) -> None:
    """What is collected, returned, paid and left of random layouts is what an oracle of the documents computes."""
    played, tables = 0, 0
    while played < len(cases):
        table, tables = Table(random.Random(f"{cases.start} {tables}")), tables + 1  # noqa: S311 - repeatable
        for _ in range(min(ROUNDS_AT_A_TABLE, len(cases) - played)):
            played += 1
            if not table.play():
                break


@pytest.mark.campaign
@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.clause(ADELAIDE, "12(f)")
@pytest.mark.clause(US, "Rotation (4)")
@pytest.mark.parametrize("seeds", portions(day=60, night=10_000, size=500), ids=str)
def test_corrections_between_payments_give_what_the_documents_say(seeds: range) -> None:
    """However often and whenever a number is corrected, players of random layouts have what the oracle computes."""
    whole = sum(Table(random.Random(f"corrected {seed}")).play_corrected() for seed in seeds)  # noqa: S311 - repeatable

    assert 2 * whole > len(seeds)


@pytest.mark.campaign
@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.clause(ADELAIDE, "12(f)")
@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.parametrize("seeds", portions(day=40, night=5_000, size=500), ids=str)
def test_recorded_winners_are_paid_what_the_documents_say(seeds: range) -> None:
    """At a table that records winners only, each adds what the oracle computes, and so does a correction."""
    tables = (Table(random.Random(f"winners {seed}"), Recording.SUPERVISED) for seed in seeds)  # noqa: S311 - repeatable

    assert sum(table.play_supervised() for table in tables) > 2 * len(seeds)
