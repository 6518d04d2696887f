"""Settlement of a slip on 150 spots, and exposure of a full layout, beside bare loops over the same spots."""

from benchmarks.clock import race
from croupier import rulebook
from croupier.rules.geometry import Pocket
from croupier.rules.notation import Bets, read_slip
from croupier.rules.pricing import exposure_of, settle_bets
from croupier.rules.refusal import Refusal

SPOTS = 150
GOALS_MS = {"read and settle the slip": 5, "exposure of a full layout": 1}


def main() -> None:
    book = rulebook("clearwater-etg")
    keys = list(book.spots)
    slip = "; ".join(f"{place + 1} on {key}" for place, key in enumerate(keys[:SPOTS]))
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


if __name__ == "__main__":
    main()
