"""Draws that can be proven: the wheel and players commit, reveal, and the number follows from both."""

import hashlib
from collections import Counter
from itertools import islice

import msgspec
import pytest

from croupier.cli.prove import FoundDraw, draw_record, find_draw
from croupier.devices.random_wheel import RandomWheel, SourceMonitor
from croupier.house.declare import Decision, Event
from croupier.house.floor.incidents import ClearIncident
from croupier.house.ids import DeviceId, Instant, RoundNumber
from croupier.house.rounds.closing import BetsSealed, CloseBets
from croupier.house.rounds.draws import (
    AbandonDraw,
    CommitDraw,
    CommitShare,
    DrawAbandoned,
    DrawCommitted,
    DrawProven,
    RevealShare,
    ShareCommitted,
    ShareRevealed,
    drawn_spin,
)
from croupier.house.rounds.irregularities import RoundVoided, WheelTrouble
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.proofs import DrawRecord, Party, Spin, _stream, commitment, drawn_pocket, is_hex
from croupier.rules.refusal import Refusal
from croupier.server.views.table import draw_state
from tests.support.audited import Audited
from tests.support.house_driver import ADELAIDE, CLEARWATER, P1, P2, TABLE, sound

DRAWN = TableSettings(wheel=WheelKind.RANDOM, provable=True, warning_s=0)
WHEEL = DeviceId(str(TABLE))
SECRET, SHARE, OTHER = "5e" * 32, "a1" * 32, "b2" * 32
#: The first spin of the first round.
FIRST = Spin(TABLE, 1, 1)


def by_house(secret: str, spin: Spin = FIRST) -> str:
    return commitment(spin, Party.HOUSE, secret)


def by_player(share: str, spin: Spin = FIRST) -> str:
    return commitment(spin, Party.PLAYER, share)


def code_of(answer: Decision) -> str:
    assert isinstance(answer, Refusal), answer
    return answer.code.value


class Floor(Audited):
    """A table with a random wheel whose draws are proven, and two players."""

    def __init__(self, rulebook_id: str = ADELAIDE, settings: TableSettings = DRAWN) -> None:
        super().__init__(rulebook_id, settings)
        self.seats(T1=100, T2=100)
        self.chief = self.enrol(self.rulebook.staff.order[-1], "chief")

    def wheel(self, command: object) -> Decision:
        return self.ask(command, WHEEL)  # type: ignore[arg-type]

    def commits(self, seat: str, share: str) -> Decision:
        return self.touch(seat, CommitShare, by_player(share, drawn_spin(self.table)))

    def sealed(self, secret: str = SECRET, **shares: str) -> None:
        """Open betting with a commitment, take shares, and seal; the ball runs."""
        self.open()
        assert isinstance(self.wheel(CommitDraw(TABLE, by_house(secret, drawn_spin(self.table)))), tuple)
        for seat, share in shares.items():
            assert isinstance(self.commits(seat, share), tuple)
        self.bet("T1", "5 on 17")
        self.runs()
        assert self.table.phase is Phase.RUNNING

    def runs(self) -> None:
        """Close betting, and have the ball run, in the order of the rules."""
        first, second = CloseBets(TABLE), BallLaunched(TABLE)
        if self.rulebook.id == CLEARWATER:
            self.wheel(second)
            self.must(first)
        else:
            self.must(first)
            self.wheel(second)

    def rests(self, secret: str = SECRET, pocket: str = "", **shares: str) -> Decision:
        """Have the wheel report the pocket that follows, or another one."""
        given = {position: shares[seat] for position, seat in ((P1, "T1"), (P2, "T2")) if seat in shares}
        follows = drawn_pocket(self.rulebook.wheel.order, drawn_spin(self.table), secret, given)
        return self.wheel(BallAtRest(TABLE, Pocket(pocket) if pocket else follows, secret=secret))


def test_pocket_follows_from_every_part() -> None:
    """A change of the secret or of a share changes the stream, and the same parts give the same pocket."""
    order = Floor().rulebook.wheel.order
    seeds = {hashlib.sha256(b"%d" % each).hexdigest() for each in range(1_000)}
    assert len({drawn_pocket(order, FIRST, seed, {1: SHARE}) for seed in seeds}) == 37
    assert len({drawn_pocket(order, FIRST, SECRET, {1: seed}) for seed in seeds}) == 37
    assert drawn_pocket(order, FIRST, SECRET, {2: OTHER, 1: SHARE}) == drawn_pocket(
        order, FIRST, SECRET, {1: SHARE, 2: OTHER}
    )
    # A second block of the stream, which hardly any draw needs, differs from the first.
    stream = list(islice(_stream(FIRST, SECRET, {1: SHARE}), 64))
    assert stream[:32] != stream[32:]
    assert is_hex(SECRET)
    assert not any(map(is_hex, ("", "5e", "5E" * 32, "xy" * 32)))


def test_every_pocket_has_the_same_probability() -> None:
    """Over 37,000 secrets every pocket comes 1,000 times, within five standard deviations."""
    order = Floor().rulebook.wheel.order
    counts = Counter(drawn_pocket(order, FIRST, f"{each:064x}", {}) for each in range(37_000))
    assert set(counts) == set(order)
    assert all(abs(count - 1_000) < 5 * 31.2 for count in counts.values())


@pytest.mark.parametrize("rulebook", [ADELAIDE, CLEARWATER])
def test_proven_draw_counts(rulebook: str) -> None:
    """The pocket that follows from the secret and two shares counts, and its record proves it."""
    floor = Floor(rulebook)
    floor.sealed(T1=SHARE, T2=OTHER)
    for seat, share in (("T1", SHARE), ("T2", OTHER)):
        assert isinstance(floor.touch(seat, RevealShare, share), tuple)
    hidden = draw_state(floor.table)
    assert hidden is not None
    assert (hidden.secret, hidden.pocket, len(hidden.revealed)) == (None, None, 2)

    events = floor.rests(T1=SHARE, T2=OTHER)
    assert isinstance(events, tuple)
    assert isinstance(events[0], DrawProven)
    (declared,) = [event for event in events if isinstance(event, ResultDeclared)]
    state = draw_state(floor.table)
    assert state is not None
    assert (state.secret, state.pocket) == (SECRET, declared.pocket)
    sound(floor.house)


def placed(floor: Floor) -> list[tuple[int, Event]]:
    return list(enumerate(floor.events, 1))


def test_journal_has_the_record_of_a_draw() -> None:
    """The events of a round have the record that its table shows, with the entries of the commitment and the seal."""
    floor = Floor()
    floor.sealed(T1=SHARE)
    floor.touch("T1", RevealShare, SHARE)
    floor.rests(T1=SHARE)
    found = find_draw(placed(floor), TABLE, RoundNumber(1))
    assert isinstance(found, FoundDraw)
    assert found.state == draw_state(floor.table)
    assert list(found.problems(found.last)) == []
    (unsigned,) = found.problems(found.last - 1)
    assert "is not under a signature yet" in unsigned
    assert isinstance(find_draw(placed(floor), TABLE, RoundNumber(2)), Refusal)


def test_steps_in_another_order_prove_nothing() -> None:
    """A commitment after the seal, and shares that were not fixed before it or are revealed before it, are named."""
    floor = Floor()
    floor.sealed(T1=SHARE)
    floor.touch("T1", RevealShare, SHARE)
    floor.rests(T1=SHARE)
    events = [event for _, event in placed(floor)]

    def moved(kind: type[Event], behind: type[Event]) -> list[tuple[int, Event]]:
        one = next(event for event in events if isinstance(event, kind))
        rest = [event for event in events if event is not one]
        at = 1 + next(place for place, event in enumerate(rest) if isinstance(event, behind))
        return list(enumerate([*rest[:at], one, *rest[at:]], 1))

    for kind, behind, says in (
        (DrawCommitted, BetsSealed, "did not commit to its secret before"),
        (ShareCommitted, BetsSealed, "after the seal, or revealed before it, or after the multiples"),
        (ShareRevealed, ShareCommitted, "after the seal, or revealed before it, or after the multiples"),
    ):
        found = find_draw(moved(kind, behind), TABLE, RoundNumber(1))
        assert isinstance(found, FoundDraw)
        assert any(says in problem for problem in found.problems(10_000)), kind


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"rulebook": "monaco"}, "unknown_rulebook"),
        ({"secret": None}, "out_of_turn"),
        ({"secret": "5e"}, "malformed"),
        ({"revealed": {"one": SHARE}}, "malformed"),
    ],
)
def test_damaged_record_is_refused(change: dict[str, object], code: str) -> None:
    """A record that cannot be verified is refused, and is not called false."""
    floor = Floor()
    floor.sealed()
    floor.rests()
    state = draw_state(floor.table)
    assert state is not None
    answer = draw_record(msgspec.structs.replace(state, **change))
    assert isinstance(answer, Refusal)
    assert answer.code == code


def test_parts_are_committed_in_time() -> None:
    """A wheel commits once a spin, where draws are proven; players commit after it, and reveal only that."""
    plain = Floor(settings=TableSettings(wheel=WheelKind.RANDOM))
    plain.open()
    assert code_of(plain.wheel(CommitDraw(TABLE, by_house(SECRET)))) == "setting_impossible"
    floor = Floor()
    floor.open()
    assert code_of(floor.wheel(CommitDraw(TABLE, "5e"))) == "malformed"
    assert code_of(floor.commits("T1", SHARE)) == "nothing_there"
    floor.wheel(CommitDraw(TABLE, by_house(SECRET)))
    assert code_of(floor.wheel(CommitDraw(TABLE, by_house(OTHER)))) == "already_there"
    assert code_of(floor.touch("T1", CommitShare, "a1")) == "malformed"
    assert code_of(floor.touch("T1", RevealShare, SHARE)) == "bets_closed"
    floor.commits("T1", OTHER)
    floor.commits("T1", SHARE)
    floor.must(CloseBets(TABLE))
    assert code_of(floor.commits("T2", OTHER)) == "bets_closed"
    assert code_of(floor.touch("T1", RevealShare, "a1")) == "malformed"
    assert code_of(floor.touch("T1", RevealShare, OTHER)) == "record_differs"
    assert code_of(floor.touch("T2", RevealShare, OTHER)) == "nothing_there"
    assert isinstance(floor.touch("T1", RevealShare, SHARE), tuple)
    assert code_of(floor.touch("T1", RevealShare, SHARE)) == "already_there"


@pytest.mark.parametrize(
    ("secret", "pocket", "share"),
    [(OTHER, "", SHARE), ("5e", "17", SHARE), (SECRET, "wrong", SHARE), (SECRET, "", "")],
)
def test_draw_that_is_not_proven_does_not_count(secret: str, pocket: str, share: str) -> None:
    """Another secret, another pocket or a missing share ends in a malfunction, and pays nothing."""
    floor = Floor(CLEARWATER)
    floor.sealed(T1=SHARE)
    if share:
        floor.touch("T1", RevealShare, share)
    follows = drawn_pocket(floor.rulebook.wheel.order, FIRST, SECRET, {P1: SHARE})
    other = next(each for each in floor.rulebook.wheel.order if each != follows)
    events = floor.wheel(BallAtRest(TABLE, Pocket(other) if pocket == "wrong" else follows, secret=secret))
    assert isinstance(events, tuple)
    assert not [event for event in events if isinstance(event, DrawProven | ResultDeclared)]
    assert isinstance(events[0], RoundVoided)
    assert floor.table.playing.pocket is None


def test_withheld_share_ends_the_spin() -> None:
    """A share that is not revealed voids the spin under the venue's clause, and its terminal adds none any more."""
    floor = Floor(CLEARWATER)
    floor.sealed(T1=SHARE, T2=OTHER)
    floor.touch("T1", RevealShare, SHARE)
    events = floor.wheel(AbandonDraw(TABLE))
    assert isinstance(events, tuple)
    assert isinstance(events[0], DrawAbandoned)
    assert events[0].positions == (P2,)
    assert floor.table.playing.clause == "25"
    for incident in tuple(floor.house.incidents.all):
        floor.by(floor.dealer, ClearIncident(incident))
    floor.open()
    floor.wheel(CommitDraw(TABLE, by_house(OTHER, drawn_spin(floor.table))))
    assert code_of(floor.commits("T2", OTHER)) == "terminal_blocked"
    assert isinstance(floor.commits("T1", SHARE), tuple)
    floor.runs()
    floor.touch("T1", RevealShare, SHARE)
    assert code_of(floor.wheel(AbandonDraw(TABLE))) == "out_of_turn"


def test_number_in_a_referral_stays_secret() -> None:
    """A number that is drawn while the round is referred shows neither itself nor its secret until it counts."""
    floor = Floor()
    floor.sealed()
    floor.by(floor.dealer, ReferRound(TABLE, "a doubt"))
    assert isinstance(floor.rests(), tuple)
    state = draw_state(floor.table)
    assert state is not None
    assert state.secret is None
    floor.by(floor.chief, DecideReferral(TABLE, ReferralDecision.GO_ON, "it is fair"))
    state = draw_state(floor.table)
    assert state is not None
    assert (state.secret, state.pocket) == (SECRET, floor.table.playing.pocket)


class Bytes:
    """A source of bytes that can fail."""

    def __init__(self, *, fails: bool = False, short: bool = False) -> None:
        self.fails, self.short, self.given = fails, short, 0

    def __call__(self, count: int) -> bytes:
        if self.fails:
            raise OSError("no entropy")
        self.given += 1
        return hashlib.sha512(self.given.to_bytes(4, "big")).digest()[: count - self.short]


def run(floor: Floor, wheel: RandomWheel) -> list[str]:
    """Let a random wheel act until nothing more is due now; name what it reported."""
    reported: list[str] = []
    while (due := wheel.due(floor.house)) is not None and due <= floor.now and len(reported) < 9:
        command = wheel.act(floor.house, floor.now)
        if command is None:
            break
        reported.append(type(command).__name__)
        floor.wheel(command)
    return reported


def test_random_wheel_commits_and_proves() -> None:
    """A random wheel commits when bets are open, waits for shares until the ball is due, and proves its number."""
    floor = Floor()
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    floor.open()
    assert run(floor, wheel) == ["CommitDraw"]
    floor.commits("T1", SHARE)
    floor.must(CloseBets(TABLE))
    floor.touch("T1", RevealShare, SHARE)
    floor.at(2)
    assert run(floor, wheel) == ["BallLaunched"]
    floor.at(20)
    assert run(floor, wheel) == ["BallAtRest"]
    draw = floor.table.draw
    assert draw is not None
    pocket = floor.table.numbers[0]
    state = draw_state(floor.table)
    assert state is not None
    record = draw_record(state)
    assert isinstance(record, DrawRecord)
    assert record.pocket == pocket
    assert list(record.problems()) == []


def test_random_wheel_abandons_a_draw() -> None:
    """A random wheel abandons a draw whose share is missing when the ball is due."""
    floor = Floor(CLEARWATER)
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    floor.open()
    run(floor, wheel)
    floor.commits("T1", SHARE)
    floor.runs()
    floor.at(20)
    assert run(floor, wheel)[0] == "AbandonDraw"


def test_random_wheel_without_its_secret_draws_nothing() -> None:
    """After a restart the secret is lost: the spin is a malfunction, and is not drawn anew."""
    floor = Floor(CLEARWATER)
    floor.sealed()
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    floor.at(20)
    command = wheel.act(floor.house, floor.now)
    assert command == WheelTrouble(TABLE, Reason.MALFUNCTION)


@pytest.mark.parametrize("source", [Bytes(fails=True), Bytes(short=True)])
def test_source_that_gives_no_secret_is_not_trusted(source: Bytes) -> None:
    """A source that fails gives no commitment: the wheel reports its fault."""
    floor = Floor()
    floor.open()
    monitor = SourceMonitor(source, at=Instant(floor.now))
    wheel = RandomWheel(TABLE, 9, monitor)
    assert wheel.act(floor.house, floor.now) == WheelTrouble(TABLE, Reason.MALFUNCTION)
    assert monitor.ailment
    assert monitor.at == floor.now


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"commitment": by_house(OTHER)}, "The secret is not the one that the house committed to for this spin."),
        ({"revealed": {}}, "The share of position 1 was not revealed."),
        ({"revealed": {1: OTHER}}, "The share of position 1 is not the one that it committed to for this spin."),
        ({"committed": {}}, "The share of position 1 is not the one that it committed to for this spin."),
        ({"spin": FIRST._replace(table="B")}, "The secret is not the one that the house committed to for this spin."),
        (
            {"spin": FIRST._replace(round=2)},
            "The share of position 1 is not the one that it committed to for this spin.",
        ),
        ({"spin": FIRST._replace(spin=3)}, "The pocket that follows is "),
        ({"pocket": Pocket("none")}, "and not none."),
    ],
)
def test_record_names_what_does_not_hold(change: dict[str, object], says: str) -> None:
    """Each part of a record that was changed is named."""
    order = Floor().rulebook.wheel.order
    whole = {
        "order": order,
        "spin": FIRST,
        "commitment": by_house(SECRET),
        "secret": SECRET,
        "committed": {1: by_player(SHARE)},
        "revealed": {1: SHARE},
        "pocket": drawn_pocket(order, FIRST, SECRET, {1: SHARE}),
    }
    assert list(DrawRecord(**whole).problems()) == []  # type: ignore[arg-type]
    assert any(says in problem for problem in DrawRecord(**{**whole, **change}).problems())  # type: ignore[arg-type]
