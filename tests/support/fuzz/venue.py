"""The venue that is fuzzed: all four rulebooks, a console of every kind, and everybody who may sign in."""

from typing import Final

from croupier.house.ids import DeviceKind
from tests.support.fuzz.line import PARTS

SECRET: Final = "they know this"  # noqa: S105 - everybody's in this venue
_TABLE: Final = """
[[tables]]
id = "{id}"
rulebook = "{rulebook}"
seats = {seats}
wheel = "random"
betting_s = {betting_s}
spin_s = 8
pause_s = 5
offline_grace_s = 900
maximum = 1_000
"""
_TERMINAL: Final = """
[[terminals]]
id = "{id}"
tables = ["C", "D"]
denominations = ["0.50", 1, 5]
chips = [1, 2, 10, 50, 100]
"""
_CONSOLE: Final = """
[[consoles]]
id = "{id}"
role = "{role}"
"""
_PERSON: Final = """
[[staff]]
person = "{person}"
titles = {titles}
password = "they know this"
"""
TITLES: Final = {
    "dealer": ["Dealer", "Attendant"],
    "inspector": ["Inspector", "Pit Supervisor", "Attendant", "Supervisor"],
    "manager": ["Shift Manager", "Gaming Shift Manager", "Supervisor"],
    "relief manager": ["Shift Manager", "Gaming Shift Manager", "Supervisor"],
    "cashier": ["Cashier"],
    "auditor": ["Auditor"],
    "leaver": ["Dealer"],
}
#: All four rulebooks; at Clearwater terminals play two games.
VENUE: Final = "".join(
    (
        'venue = "Fuzzed house"\nlisten.port = 0\nlimits = { commands_per_s = 3_000, commands_burst = 3_000 }\n',
        *(
            _TABLE.format(id=name, rulebook=rulebook, seats=seats, betting_s=betting_s)
            for name, rulebook, seats, betting_s in (
                ("A", "skycity-adelaide-2003", 3, 40),
                ("M", "marina-bay-sands-2020", 1, 30),
                ("U", "us-double-zero", 1, 25),
                ("C", "clearwater-etg", 0, 30),
                ("D", "clearwater-etg", 0, 35),
            )
        ),
        *(_TERMINAL.format(id=name) for name in ("CD-1", "CD-2")),
        *(
            _CONSOLE.format(id=part.device, role=part.kind)
            for part in PARTS.values()
            if part.kind not in (None, DeviceKind.TERMINAL)
        ),
        *(_PERSON.format(person=person, titles=titles) for person, titles in TITLES.items()),
    )
)
