"""One sample of every command, made from its declaration, and every device and person that might send it."""

from collections.abc import Iterator, Mapping
from enum import Enum
from types import UnionType
from typing import Any, NamedTuple, NewType, Union, get_origin, get_type_hints

import msgspec

from croupier.house import AnyCommand
from croupier.house.credit.drawers import PayPayable
from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.declare import COMMANDS, Command, GameCommand
from croupier.house.floor.disputes import OpenDispute, RequestReview
from croupier.house.floor.incidents import IncidentKind, RaiseAlarm
from croupier.house.floor.malfunctions import RaiseMalfunction
from croupier.house.floor.setup import AddTable, AddTerminal, ApproveBuild, CreateHouse, ReportBuild
from croupier.house.floor.staff import AppointActing, EnrolDevice, EnrolPerson, ReleaseDevice
from croupier.house.ids import SYSTEM, Day, DeviceId, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.play.betting import MoveBet
from croupier.house.play.copying import CopyBets, SetAutoCopy
from croupier.house.rounds.corrections import InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin, WheelTrouble
from croupier.house.rounds.recovery import AcceptHistory
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.state.ledger import PotStatement
from croupier.house.state.records import MalfunctionKind
from croupier.house.timers import Tick
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty, Reason
from croupier.transcripts.driver import device_of
from tests.support.house_driver import TABLE, Play

MARINA, ADELAIDE, CLEARWATER, US = "marina-bay-sands-2020", "skycity-adelaide-2003", "clearwater-etg", "us-double-zero"
T1, T2, OTHER_TABLE = TerminalId("T1"), TerminalId("T2"), TableId("table 2")
ONE, WORDS, SEVENTEEN = Number(1), "as it must be", Pocket("17")

#: Titles from the lowest to the highest, each of which may act as those before it (6.2 at Marina Bay Sands).
ORDER = {
    MARINA: ("Dealer", "Pit Supervisor", "Pit Manager", "Gaming Shift Manager"),
    ADELAIDE: ("Dealer", "Inspector", "Pit Boss", "Shift Manager"),
    CLEARWATER: ("Attendant", "Supervisor", "Shift Manager"),
    US: ("Dealer", "Supervisor"),
}
#: Titles that stand beside that order, and act as nobody else.
BESIDE = {
    MARINA: ("Cashier", "Technician", "Auditor"),
    ADELAIDE: ("Cashier", "Authorised Officer", "Manager Government Casino Inspectorate", "Technician", "Auditor"),
    CLEARWATER: ("Cashier", "Technician", "Auditor"),
    US: ("Cashier", "Technician", "Auditor"),
}


#: The lowest title that a duty falls to at each venue, by its documents; a plus takes in all above. A venue that is not
#: named gives the duty to nobody.
DUTY_TITLES: Mapping[Duty, Mapping[str, str]] = {
    Duty.DEAL: {MARINA: "Dealer+", ADELAIDE: "Dealer+", CLEARWATER: "Attendant+", US: "Dealer+"},
    Duty.INSPECT: {MARINA: "Pit Supervisor+", ADELAIDE: "Inspector+", CLEARWATER: "Attendant+", US: "Supervisor+"},
    Duty.CORRECT: {MARINA: "Pit Manager+", ADELAIDE: "Pit Boss+", CLEARWATER: "Supervisor+", US: "Supervisor+"},
    Duty.DECIDE: {
        MARINA: "Gaming Shift Manager",
        ADELAIDE: "Shift Manager",
        CLEARWATER: "Shift Manager",
        US: "Supervisor",
    },
    Duty.MANAGE: {
        MARINA: "Gaming Shift Manager",
        ADELAIDE: "Shift Manager",
        CLEARWATER: "Shift Manager",
        US: "Supervisor",
    },
    Duty.CASH: dict.fromkeys(ORDER, "Cashier"),
    Duty.MAINTAIN: dict.fromkeys(ORDER, "Technician"),
    Duty.AUDIT: dict.fromkeys(ORDER, "Auditor"),
    Duty.OFFICIATE: {ADELAIDE: "Authorised Officer"},
    Duty.REVIEW: {ADELAIDE: "Manager Government Casino Inspectorate"},
}


class Actor(NamedTuple):
    """A sender: at a device, and as what."""

    name: str
    device: DeviceId
    person: PersonId = PersonId("")
    machine: str = ""
    title: str = ""


def actors(rulebook_id: str) -> Iterator[Actor]:
    """Every device and person that might send a command."""
    yield Actor("own terminal", DeviceId(T1), machine="terminal")
    yield Actor("another terminal", DeviceId(T2))
    yield Actor("the wheel", DeviceId(TABLE), machine="wheel")
    yield Actor("another wheel", DeviceId(OTHER_TABLE))
    yield Actor("the system", SYSTEM, machine="system")
    yield Actor("a console nobody signed at", device_of("auditor"))
    yield Actor("a device that is not enrolled", DeviceId("stranger"))
    yield Actor("a person who is not enrolled", device_of("auditor"), PersonId("stranger"))
    yield Actor("a person who is not enrolled, at the terminal", DeviceId(T1), PersonId("stranger"))
    yield Actor("a person who is not enrolled, at the system", SYSTEM, PersonId("stranger"))
    for title in (*ORDER[rulebook_id], *BESIDE[rulebook_id]):
        person = PersonId(title.lower())
        yield Actor(title, device_of(person), person, title=title)
        yield Actor(f"{title} at the terminal", DeviceId(T1), person, title=title)
        yield Actor(f"{title} at the system", SYSTEM, person, title=title)
        yield Actor(f"{title} at a device that is not enrolled", DeviceId("stranger"), person)


def sample_commands(floor: Play) -> dict[str, AnyCommand]:
    """One command of every kind, with nothing wrong but perhaps its sender and its time."""
    return {kind.__name__: _sample(kind, floor) for kind in COMMANDS}


def _sample(kind: type[Command], floor: Play) -> AnyCommand:
    hints = get_type_hints(kind)
    required = [field.name for field in msgspec.structs.fields(kind) if field.required]
    game = zip(("terminal", "table", "round", "spin"), floor.game("T1"), strict=True)
    special = {**(dict(game) if issubclass(kind, GameCommand) else {}), **SPECIAL.get(kind, {})}
    given = {"rulebook": floor.rulebook.digest, **FIELDS, **special}
    values = {name: given[name] if name in given else _plain(hints[name]) for name in required}
    return kind(**{**values, **special})


def _plain(hint: Any) -> object:  # noqa: ANN401 - a field may be of any type
    """Make a value for a field that nothing is said of here."""
    while isinstance(hint, NewType):
        hint = hint.__supertype__
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint))
    return PLAIN[get_origin(hint) or hint]


PLAIN: Mapping[object, object] = {str: WORDS, int: 1, bool: True, tuple: (), dict: {}, UnionType: None, Union: None}
#: What fields of these names hold.
FIELDS: Mapping[str, object] = {
    "again": SEVENTEEN,
    "bets": (("red", 500),),
    "canonical": "{}",
    "currency": "AUD",
    "digest": "digest",
    "drawer": DrawerId("D1"),
    "number": "17",
    "person": PersonId("dealer"),
    "pocket": SEVENTEEN,
    "settings": TableSettings(),
    "spot": SpotKey("red"),
    "statement": PotStatement(),
    "spots": (SpotKey("red"),),
    "stake": Cents(500),
    "subject": "T1",
    "table": TABLE,
    "terminal": T1,
    "timezone": "UTC",
    "title": "Dealer",
    **dict.fromkeys(("amount", "counted", "float_", "value"), Cents(1_000)),
}
#: What single commands hold besides, or instead.
SPECIAL: Mapping[type[Command], Mapping[str, object]] = {
    AdjustCredit: {"amount": -100},
    Collect: {"validation": Validation(ONE, "digest", "1234")},
    PayPayable: {"session": 0},
    CopyBets: {"source": OTHER_TABLE},
    MoveBet: {"source": SpotKey("red"), "target": SpotKey("black")},
    SetAutoCopy: {"target": OTHER_TABLE},
    RaiseAlarm: {"kind": IncidentKind.CLOCK_JUMPED},
    RaiseMalfunction: {"fault": MalfunctionKind.OPINION},
    OpenDispute: {"terminal": T1},
    RequestReview: {"by_house": False},
    CallNoSpin: {"reason": Reason.FOREIGN_OBJECT},
    InvalidateOutcome: {"reason": Reason.FIRE},
    Tick: {"day": Day(20261116)},
    WheelTrouble: {"reason": Reason.FOREIGN_OBJECT},
    AcceptHistory: {"people": (PersonId("dealer"), PersonId("inspector"))},
    AddTable: {"table": TableId("table 3")},
    AddTerminal: {"terminal": TerminalId("T3"), "tables": (TABLE,), "settings": TerminalSettings()},
    AppointActing: {"begins_at": Instant(0), "ends_at": Instant(1)},
    CreateHouse: {"mode": Mode.DEMO},
    EnrolDevice: {"device": DeviceId("a new console")},
    EnrolPerson: {"person": PersonId("a new dealer"), "titles": ("Dealer",)},
    ReleaseDevice: {"device": DeviceId(T1)},
    ApproveBuild: {"version": "1"},
    ReportBuild: {"version": "1"},
}
