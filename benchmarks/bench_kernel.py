"""Settlement of a million bets: the kernel beside a bare lookup and sum on the same arrays."""

import numpy as np

from benchmarks.clock import race
from croupier import rulebook
from croupier.analysis.kernel import Kernel
from croupier.rules.geometry import Pocket

BETS = 1_000_000
OWNERS = 2_000
GOAL = 3.0


def main() -> None:
    book = rulebook("clearwater-etg")
    kernel = Kernel(book)
    random = np.random.default_rng(17)
    spots = random.integers(0, len(kernel.index), BETS, dtype=np.uint8)
    stakes = random.integers(1, 10_000, BETS, dtype=np.int64)
    owners = random.integers(0, OWNERS, BETS, dtype=np.int64)
    pocket = Pocket("17")
    bare = np.zeros(len(kernel.index), np.int64)
    for key, place in kernel.index.items():
        spot = book.spots[key]
        bare[place] = book.paytable.prices[spot.kind].gross if pocket in spot.covers else 0

    measured = race(
        {
            "bare lookup and sum": lambda: np.sum(bare[spots] * stakes),
            "kernel, total": lambda: kernel.total(spots, stakes, pocket),
            "kernel, each bet": lambda: kernel.returns(spots, stakes, pocket),
            "kernel, each owner": lambda: kernel.totals(spots, stakes, pocket, owners=owners, count=OWNERS),
        },
        rounds=25,
    )
    assert kernel.total(spots, stakes, pocket) == int((bare[spots] * stakes).sum())
    base = measured["bare lookup and sum"]
    print(f"{BETS:,} bets against pocket {pocket}, median of 25 rounds in turns")
    for name, microseconds in measured.items():
        verdict = f"   goal {GOAL} x: {'met' if microseconds / base <= GOAL else 'MISSED'}" if "kernel" in name else ""
        print(f"  {name:22}{microseconds / 1000:9.2f} ms{microseconds / base:8.2f} x{verdict}")


if __name__ == "__main__":
    main()
