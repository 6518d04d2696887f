"""Houses for the stage: one of every venue, whose rounds run by themselves and whose ball goes where a test puts it."""

from typing import Any, Final

import msgspec

from croupier import rulebook
from croupier.server.views.felt import felt_data

_HEAD: Final = """
venue = "Test house"
data = "data"
listen.port = 0
limits = { commands_per_s = 1_000, commands_burst = 1_000 }
"""
#: Long enough for a test to do anything before the close, and for the screen to be calm until then.
_TIMED: Final = "betting_s = 30\npause_s = 6\n"
_STAFF: Final = """
[[staff]]
person = "dealer"
titles = ["Dealer", "Attendant"]
[[staff]]
person = "boss"
titles = ["Shift Manager", "Gaming Shift Manager", "Pit Boss", "Supervisor"]
[[staff]]
person = "chief"
titles = ["Shift Manager", "Gaming Shift Manager", "Supervisor"]
[[staff]]
person = "cashier"
titles = ["Cashier"]
"""
#: Two managers, for houses that name their staff one by one.
MANAGERS: Final = """
[[staff]]
person = "boss"
titles = ["Shift Manager"]
[[staff]]
person = "chief"
titles = ["Shift Manager"]
"""

MARINA: Final = f"""
[[tables]]
id = "M"
rulebook = "marina-bay-sands-2020"
seats = 3
{_TIMED}
minimum = 5
maximum = 500
total_maximum = 10_000
kinds.even_money = {{ minimum = 25, maximum = 5_000 }}
[tables.seat]
denominations = [1]
chips = [5, 10, 25, 100, 500]
notes = [10, 50, 100]
"""
ADELAIDE: Final = f"""
[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 3
{_TIMED}
warning_s = 8
offline_grace_s = 60
minimum = "2.50"
maximum = 500
total_maximum = 5_000
kinds.even_money = {{ minimum = 5, maximum = 2_500 }}
[tables.seat]
denominations = ["0.50", 1]
chips = [5, 10, 20, 50, 200]
notes = [5, 10, 20, 50, 100]
"""
#: Two tables, and terminals that play at both.
CLEARWATER: Final = f"""
[[tables]]
id = "C"
rulebook = "clearwater-etg"
{_TIMED}
minimum = 2
maximum = 100
total_minimum = 5
total_maximum = 2_000
kinds.even_money = {{ minimum = 5, maximum = 500 }}
[[tables]]
id = "D"
rulebook = "clearwater-etg"
betting_s = 40
pause_s = 6
minimum = 1
maximum = 200
total_maximum = 2_000
[[terminals]]
id = "T1"
tables = ["C", "D"]
denominations = [1, "0.50", 5]
chips = [1, 2, 10, 50, 100]
notes = [1, 5, 10, 20, 50, 100]
[[terminals]]
id = "T2"
tables = ["C", "D"]
denominations = [1, "0.50", 5]
chips = [1, 2, 10, 50, 100]
notes = [1, 5, 10, 20, 50, 100]
"""
DOUBLE_ZERO: Final = f"""
[[tables]]
id = "U"
rulebook = "us-double-zero"
seats = 3
{_TIMED}
total_maximum = 200
[tables.seat]
denominations = [1]
chips = [1, 2, 4]
notes = [1, 5, 10, 20]
"""
#: The rules of each table.
BOOKS: Final = {
    "M": "marina-bay-sands-2020",
    "A": "skycity-adelaide-2003",
    "C": "clearwater-etg",
    "U": "us-double-zero",
}
#: The table at which each venue's terminals stand.
TABLES: Final = {"M": MARINA, "A": ADELAIDE, "C": CLEARWATER, "U": DOUBLE_ZERO}


def house_of(*venues: str) -> str:
    """A configuration of some venues, without staff."""
    return "".join((_HEAD, *venues))


#: All four venues under one roof, and staff for all of them.
EVERY: Final = house_of(*TABLES.values(), _STAFF)


def _plain(table: str, book: str) -> str:
    """A table where any one chip on any spot is within the limits."""
    return f"""
[[tables]]
id = "{table}"
rulebook = "{book}"
seats = 2
betting_s = 3_000
pause_s = 6
[tables.seat]
denominations = [1]
chips = [1, 2, 4]
"""


#: One plain table of every venue, whose betting time does not end during a test.
PLAIN: Final = {table: _plain(table, book) for table, book in BOOKS.items()}


def felt_of(table: str) -> dict[str, Any]:
    """What a page knows of a venue's felt."""
    found: dict[str, Any] = msgspec.json.decode(felt_data(rulebook(BOOKS[table])).body)
    return found
