"""What a fuzzed house goes by at the moment, so that hostile messages are near enough to honest ones to get far."""

from collections.abc import Iterable
from typing import Final, get_args

from croupier.house import House
from croupier.house.floor.signatures import DUAL_CONTROL
from croupier.house.floor.staff import titles_known
from croupier.house.ids import DeviceKind, TerminalId
from croupier.house.settings import TableSettings, TerminalSettings
from croupier.house.state.tables import Terminal
from croupier.protocol import inbound
from tests.support.connections import TestHouse
from tests.support.fuzz.line import PARTS
from tests.support.fuzz.messages import Menu, Words

Texts = dict[str, Iterable[str]]
Counts = dict[str, Iterable[int]]
#: What a figure of the settings may be: usual ones, and those with which a clock or a sum may run over.
_SETTINGS: Final = (1, 1, 5, 5, 60, 60, 900, 2**31, 2**53 - 1)
_POCKETS: Final = ("0", "00", "17", "20", "36", "37")
_CALLS: Final = ("voisins", "tiers", "orphelins", "neighbours 17", "neighbours 0 by 4", "finale 7", "complete 17")


def words_of(house: TestHouse, device: str = "") -> Words:
    """Name everything in a house, by the fields in which somebody may name it; what is a device's own most often."""
    state, run = house.venue.run.house, house.venue.run
    numbers = house.venue.router.ticket_desk.numbers
    printed = [numbers.number(sequence) for sequence in list(state.tickets.all)[-3:]]
    own = state.terminals.get(TerminalId(device))
    texts = {**_names(state), "number": (*printed, "17"), "key": ("wrong",), "token": ("wrong",), "join": ("",)}
    epochs = (*(run.epoch,) * 40, run.epoch + 1, max(1, run.epoch - 1))
    figures = {**_counts(state), "epoch": epochs, "protocol": (*(inbound.PROTOCOL,) * 20, 0, inbound.PROTOCOL + 1)}
    return Words.of(texts, figures) if own is None else Words.of(*_of(own, state, texts, figures))


def _names(house: House) -> Texts:
    terminals, tables, spots = tuple(house.terminals), tuple(house.tables), _spots(house)
    devices, people = (
        (*terminals[:6], *tables, *sorted(house.staff.devices)[:6]),
        (*("leaver",) * 10, *house.staff.people),
    )
    return {
        **dict.fromkeys(("terminal", "terminals"), terminals[-8:]),
        **dict.fromkeys(("table", "tables"), tables),
        "device": devices,
        "subject": (*tables, *terminals[:4]),
        **dict.fromkeys(("person", "suspect"), people),
        **dict.fromkeys(("title", "titles"), tuple(titles_known(house))),
        **dict.fromkeys(("spot", "spots"), spots),
        "bets": (*spots, *_CALLS),
        **dict.fromkeys(("source", "target"), (*spots, *tables)),
        **dict.fromkeys(("pocket", "again"), _POCKETS),
        "drawer": ("D1", "D2", *house.drawers),
        "rulebook": tuple(house.rulebooks),
        "version": tuple(house.setup.approved_builds),
        "words": ("so be it",),
    }


def _of(terminal: Terminal, house: House, texts: Texts, figures: Counts) -> tuple[Texts, Counts]:
    """Name what is a terminal's own far more often than anything else."""
    games = tuple(terminal.games)
    rounds = tuple(house.tables[game].rounds for game in games)
    own = {"terminal": (terminal.id,) * 60 + tuple(house.terminals), "table": games * 40 + tuple(house.tables)}
    places = dict.fromkeys(("source", "target"), (*_spots(house), *games))
    return {**texts, **own, **places}, {**figures, "round": rounds * 40 + (*rounds, *(each - 1 for each in rounds))}


def _spots(house: House) -> tuple[str, ...]:
    laid = {spot for each in house.terminals.values() for game in each.games.values() for spot in game.bets}
    return ("17", "0", "red", "dozen 1", "17/20", "1/2/3", "0/1/2/3", *sorted(laid)[:8])


def _counts(house: House) -> Counts:
    rounds = {table.rounds for table in house.tables.values()}
    now = house.now
    return {
        **dict.fromkeys((*TableSettings.__struct_fields__, *TerminalSettings.__struct_fields__), _SETTINGS),
        "least": (1, 100),
        "most": (100_000, 2**53 - 1),
        "round": (*rounds, *rounds, *(number - 1 for number in rounds)),
        "spin": (*(1,) * 20, 2),
        **dict.fromkeys(("bets", "stake", "float_", "counted", "amount_on_paper"), (100, 200, 500, 1_000, 100_000)),
        "credit": tuple({each.credit for each in house.terminals.values()}),
        "value": (500, 1_000, 2_000, 5_000, 10_000),
        "amount": (100, -100, 5_000),
        "denomination": (1, 50, 100, 500),
        "slot": (1, 2, 3),
        "sequence": tuple(house.tickets.all)[-4:],
        "hold": tuple(hold for each in house.terminals.values() for hold in each.holds),
        "case": tuple(house.cases.all)[-4:],
        "incident": tuple(house.incidents.all)[-4:],
        "proposal": tuple(house.proposals.all)[-12:],
        "dispute": tuple(house.disputes)[-4:],
        **dict.fromkeys(("begins_at", "ends_at"), (now - 1, now, now + 10**8, now + 10**12)),
    }


_PLAYS: Final = tuple(each.__name__ for each in get_args(inbound.TerminalCommand))
_WORKS: Final = tuple(each.__name__ for each in get_args(inbound.StaffCommand))
#: What takes two signatures is asked for more often, and signed far more often, so that some of it is done.
_SIGNED: Final = _WORKS + tuple(sorted(each.__name__ for each in DUAL_CONTROL)) * 2 + ("Approve",) * 20
_KEYED: Final = ("note", "ticket_in", "cash_out", "redeem")
#: A terminal that shows something wrong is blocked: that one is not said too often.
_BETS: Final = (*(each for each in _PLAYS if each != "ReportDisplay"),) * 60 + ("PlaceBets",) * 240 + ("ReportDisplay",)
_AT_TERMINAL: Final = Menu(
    ("ask",) * 60 + (*_KEYED, "note", "practice", "practice", "games", "ping", "resync"), _BETS, sound=0.92, wild=0.02
)
#: Signing in takes its time, and each attempt a write: the sequences have enough of those.
_AT_DESK: Final = Menu(
    ("ask",) * 60 + ("redeem",) * 6 + ("note", "ping", "resync", "resume", "practice", "games"),
    _SIGNED,
    sound=0.9,
    wild=0.02,
)
_OUTSIDE: Final = Menu(
    ("hello",) * 3 + ("ping",) * 4 + ("ask", "note", "ping", "resync", "sign_in", "practice", "games"), _PLAYS + _WORKS
)
MENUS: Final = {
    name: _AT_TERMINAL if part.kind is DeviceKind.TERMINAL else _AT_DESK if part.kind else _OUTSIDE
    for name, part in PARTS.items()
}
