"""The house: bets decided and encoded, rounds settled, a slip settled, beside bare loops."""

from itertools import islice
from time import perf_counter_ns

from benchmarks.machine import race
from croupier import rulebook
from croupier.house import apply
from croupier.house.ids import Context, DeviceId, RoundNumber, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import TableSettings, WheelKind
from croupier.journal.entry import EMPTY_HEAD, Entry
from croupier.journal.pages import page_after
from croupier.rules.geometry import Pocket
from croupier.rules.notation import Bets, read_slip
from croupier.rules.pricing import exposure_of, settle_bets
from croupier.rules.refusal import Refusal
from croupier.transcripts.driver import TABLE, HouseDriver

BETS = 2_000
TERMINALS = 2_000
SPOTS = 50
RATE_MIN, RATE_GOAL = 40_000, 80_000
SETTLE_MOST_MS = 100
SETTLE_ENTRIES = 2
PAGE_ENTRIES = 100


def place(floor: HouseDriver, commands: list[PlaceBets], contexts: list[Context]) -> bytes:
    """Decide and evolve each bet, and encode and hash pages of them, as the journal does."""
    house, head, entries = floor.house, EMPTY_HEAD, list[Entry]()
    for command, context in zip(commands, contexts, strict=True):
        events = apply(house, command, context)
        assert isinstance(events, tuple), events
        for event in events:
            position = head.position + len(entries) + 1
            entries.append(Entry(position, 1, house.day, context, floor.rulebook.digest, None, event))
        if len(entries) >= PAGE_ENTRIES:
            head, entries = page_after(head, 1, entries).journal_head, []
    return head.digest


def placing(venue: str) -> None:
    floor = HouseDriver(rulebook(venue))
    floor.must(OpenBets(TABLE))
    names = [TerminalId(f"terminal {number}") for number in range(200)]
    for name in names:
        floor.seat(name, 10**9)
    spots = list(islice(floor.rulebook.spots, SPOTS))
    commands = [
        PlaceBets(names[bet % len(names)], TABLE, RoundNumber(1), 1, ((spots[bet * 7 % SPOTS], 100),))
        for bet in range(BETS)
    ]
    contexts = [Context(floor.now, DeviceId(command.terminal)) for command in commands]
    book: dict[tuple[str, str], int] = {}

    def bare() -> None:
        for command in commands:
            for spot, amount in command.bets:
                book[command.terminal, spot] = book.get((command.terminal, spot), 0) + amount

    measured = race(
        {"bare dictionary update": bare, "house and journal": lambda: place(floor, commands, contexts)}, rounds=15
    )
    rate = BETS * 1_000_000 / measured["house and journal"]
    verdict = "goal met" if rate >= RATE_GOAL else "met, goal missed" if rate >= RATE_MIN else "MISSED"
    ratio = measured["house and journal"] / measured["bare dictionary update"]
    print(f"  {venue:24}{rate:10,.0f} bets/s{ratio:8.1f} x the bare loop   {RATE_MIN:,}, goal {RATE_GOAL:,}: {verdict}")


def settling(venue: str) -> None:
    floor = HouseDriver(rulebook(venue), TableSettings(wheel=WheelKind.RANDOM, warning_s=0))
    spots = list(islice(floor.rulebook.spots, SPOTS))
    names = [TerminalId(f"terminal {number}") for number in range(TERMINALS)]
    for name in names:
        floor.seat(name, 10**9)
    took = []
    for number in range(1, 8):
        floor.must(OpenBets(TABLE))
        for name in names:
            bets = tuple((spot, 100) for spot in spots)
            floor.must(PlaceBets(name, TABLE, RoundNumber(number), 1, bets), DeviceId(name))
        floor.by(floor.rulebook.staff.order[0].lower(), SpinBall(TABLE))
        floor.must(CloseBets(TABLE))
        floor.by(floor.rulebook.staff.order[0].lower(), SpinBall(TABLE))
        entries = floor.journal.position
        begin = perf_counter_ns()
        floor.must(BallAtRest(TABLE, Pocket("17")), DeviceId(TABLE))
        took.append(perf_counter_ns() - begin)
        assert floor.journal.position - entries == SETTLE_ENTRIES
    middle = sorted(took)[len(took) // 2] / 1_000_000
    verdict = "met" if middle <= SETTLE_MOST_MS else "MISSED"
    print(f"  {venue:24}{middle:10.1f} ms   goal {SETTLE_MOST_MS} ms: {verdict}")


def _house() -> None:
    print(f"{BETS:,} bets of 200 terminals, decided, evolved, encoded and hashed; median of 15 rounds in turns")
    for venue in ("skycity-adelaide-2003", "clearwater-etg"):
        placing(venue)
    print(f"{TERMINALS:,} terminals with {SPOTS} spots each settled in two entries, median of 7 rounds")
    for venue in ("skycity-adelaide-2003", "clearwater-etg"):
        settling(venue)


SLIP_SPOTS = 150
GOALS_MS = {"read and settle the slip": 5, "exposure of a full layout": 1}


def _slip() -> None:
    book = rulebook("clearwater-etg")
    keys = list(book.spots)
    slip = "; ".join(f"{place + 1} on {key}" for place, key in enumerate(keys[:SLIP_SPOTS]))
    full = _bets("; ".join(f"5 on {key}" for key in keys))
    bets = _bets(slip)
    pocket = Pocket("17")
    bare = [(bet.stake, book.paytable.prices[bet.spot.kind].gross, bet.spot.covers) for bet in bets]
    measured = race(
        {
            "bare loop over 150 bets": lambda: sum(stake * gross for stake, gross, covers in bare if pocket in covers),
            "settle 150 bets": lambda: settle_bets(bets, book.paytable, pocket).returned,
            "read and settle the slip": lambda: settle_bets(_bets(slip), book.paytable, pocket).returned,
            "exposure of a full layout": lambda: exposure_of(full, book.paytable, book.wheel).best,
        },
        rounds=200,
    )
    baseline = measured["bare loop over 150 bets"]
    print("Median of 200 rounds in turns")
    for name, microseconds in measured.items():
        goal = GOALS_MS.get(name)
        verdict = "" if goal is None else f"   goal {goal} ms: {'met' if microseconds / 1000 <= goal else 'MISSED'}"
        print(f"  {name:28}{microseconds / 1000:8.3f} ms{microseconds / baseline:8.1f} x{verdict}")


def _bets(slip: str) -> Bets:
    bets = read_slip(rulebook("clearwater-etg"), slip)
    assert not isinstance(bets, Refusal)
    return bets


def main() -> None:
    _house()
    _slip()


if __name__ == "__main__":
    main()
