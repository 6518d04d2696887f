"""Houses for tests over the wire: one of every venue, run by hand, with the staff that its rules name."""

from typing import Final

_HEAD: Final = """
venue = "Test house"
data = "data"
listen.port = 0
limits = { commands_per_s = 1_000, commands_burst = 1_000 }
"""


def _staffed(tables: str, **titles: str) -> str:
    """A configuration of tables, and of people with their titles."""
    people = (f'[[staff]]\nperson = "{person}"\ntitles = {named.split(", ")}\n' for person, named in titles.items())
    return "".join((_HEAD, tables, *people))


ADELAIDE: Final = _staffed(
    """
[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 3
confirms = true
warning_s = 5
minimum = 1
maximum = 1_000
""",
    dealer="Dealer",
    boss="Shift Manager",
    chief="Shift Manager",
    cashier="Cashier",
    auditor="Auditor",
)

#: Two tables, and terminals that play at both.
CLEARWATER: Final = _staffed(
    """
[[tables]]
id = "C"
rulebook = "clearwater-etg"
minimum = 1
maximum = 500
total_minimum = 2

[[tables]]
id = "D"
rulebook = "clearwater-etg"
minimum = 1
maximum = 500

[[terminals]]
id = "T1"
tables = ["C", "D"]
denominations = ["0.50", 1]

[[terminals]]
id = "T2"
tables = ["C", "D"]
denominations = ["0.50", 1]
""",
    dealer="Attendant",
    boss="Shift Manager",
    chief="Shift Manager",
    cashier="Cashier",
    auditor="Auditor",
)

MARINA: Final = _staffed(
    """
[[tables]]
id = "M"
rulebook = "marina-bay-sands-2020"
seats = 2
confirms = true
minimum = 1
maximum = 500
""",
    dealer="Dealer",
    boss="Gaming Shift Manager",
    chief="Gaming Shift Manager",
    cashier="Cashier",
    auditor="Auditor",
)

#: With a table of another venue beside it, whose rulebook is in the house too.
DOUBLE_ZERO: Final = _staffed(
    """
[[tables]]
id = "U"
rulebook = "us-double-zero"
seats = 2
confirms = true

[[tables]]
id = "C"
rulebook = "clearwater-etg"
""",
    dealer="Dealer, Attendant",
    boss="Supervisor",
    chief="Supervisor",
    cashier="Cashier",
    auditor="Auditor",
)
