"""One slip on 150 spots settled, and the exposure of a full layout, beside bare loops over the same spots."""

from benchmarks.clock import race
from croupier import rulebook
from croupier.rules.exposure import exposure_of
from croupier.rules.pocket import Pocket
from croupier.rules.refusal import Refusal
from croupier.rules.settlement import settle_bets
from croupier.rules.slip import Bets, read_slip

SPOTS = 150


def main() -> None:
    book = rulebook("clearwater-etg")
    keys = list(book.spots)
    slip = "; ".join(f"{place + 1} on {key}" for place, key in enumerate(keys[:SPOTS]))
    full = _bets("; ".join(f"5 on {key}" for key in keys))
    bets = _bets(slip)
    pocket = Pocket("17")
    measured = race(
        {
            "bare loop over 150 bets": lambda: sum(bet.stake for bet in bets if pocket in bet.spot.covers),
            "settle 150 bets": lambda: settle_bets(bets, book.paytable, pocket).returned,
            "read and settle the slip": lambda: settle_bets(_bets(slip), book.paytable, pocket).returned,
            "exposure of a full layout": lambda: exposure_of(full, book.paytable, book.wheel).best,
        },
        rounds=200,
    )
    ruler = measured["bare loop over 150 bets"]
    print("Median of 200 rounds in turns (goals: slip settled in 5 ms, exposure in 1 ms)")
    for name, microseconds in measured.items():
        print(f"  {name:28}{microseconds / 1000:8.3f} ms{microseconds / ruler:8.1f} x")


def _bets(slip: str) -> Bets:
    bets = read_slip(rulebook("clearwater-etg"), slip)
    assert not isinstance(bets, Refusal)
    return bets


if __name__ == "__main__":
    main()
