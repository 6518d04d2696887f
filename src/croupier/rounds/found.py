"""What is found: the state of a floor in the words in which a round says what should be true."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from croupier.house.books import Account
from croupier.house.meters import TerminalMeters
from croupier.house.name import DrawerId, Number, TableId
from croupier.house.table import Phase, Status
from croupier.house.terminal import Terminal
from croupier.house.views import TerminalView, idle, terminal_view
from croupier.rounds.place import FIRST, place_of, seat_text
from croupier.rounds.watch import WatchedFloor
from croupier.rules.money import CENTS_PER_UNIT, Cents, amount_text
from croupier.rules.notation import Wager, parse_slip, print_slip
from croupier.rules.procedure import TaxBasis
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import SpotKey
from croupier.rules.transcript import Outcome

NONE: Final = "none"

Details = tuple[str, ...]
Finder = Callable[[WatchedFloor, Details], Details]


def found(floor: WatchedFloor, outcome: Outcome) -> Outcome:
    """Say what is true now of the thing that an outcome is about, in as many words."""
    return Outcome(outcome.word, _FINDERS[outcome.word](floor, outcome.details))


def _terminal(floor: WatchedFloor, seat: str) -> Terminal:
    return floor.house.terminals[place_of(seat)[0]]


def _pays(floor: WatchedFloor, details: Details) -> Details:
    seat, _, *credit = details
    left = [f"credit {amount_text(_terminal(floor, seat).credit)}"] if credit else []
    return seat, amount_text(floor.paid.get(place_of(seat), 0)), *left


def _credit(floor: WatchedFloor, details: Details) -> Details:
    return details[0], amount_text(_terminal(floor, details[0]).credit)


def _owes(floor: WatchedFloor, details: Details) -> Details:
    return details[0], amount_text(_terminal(floor, details[0]).receivable)


def _payable(floor: WatchedFloor, details: Details) -> Details:
    return details[0], amount_text(_terminal(floor, details[0]).payable)


def _layout(floor: WatchedFloor, details: Details) -> Details:
    seat, wanted = details
    terminal, table = place_of(seat)
    bets = floor.house.terminals[terminal].games[table].bets
    # However it is written, the same chips on the same spots are the same layout.
    if wanted != "empty" and bets == _chips(wanted, floor.rulebook):
        return details
    return seat, _slip(floor, bets.items()) or "empty"


def _chips(slip: str, rulebook: Rulebook) -> dict[object, int]:
    chips: defaultdict[object, int] = defaultdict(int)
    for wager in parse_slip(slip):
        alias = rulebook.spot_aliases.get(str(wager.on))
        chips[wager.on if alias is None else alias.key] += wager.amount
    return chips


def _slip(floor: WatchedFloor, stakes: Iterable[tuple[SpotKey, int]]) -> str:
    """Write stakes as a slip, in the order in which notices list spots."""
    order = {key: rank for rank, key in enumerate(floor.rulebook.spots)}
    listed = sorted(stakes, key=lambda stake: order[stake[0]])
    return print_slip(Wager(Cents(amount), key) for key, amount in listed)


def _house(floor: WatchedFloor, _details: Details) -> Details:
    return (amount_text(floor.house.books[Account.HOUSE]),)


def _table_of(details: Details) -> TableId:
    return TableId(details[0]) if details[0].startswith("table ") else FIRST


def _history(floor: WatchedFloor, details: Details) -> Details:
    table = _table_of(details)
    return *details[:-1], " ".join(floor.house.tables[table].numbers) or NONE


def _round(floor: WatchedFloor, details: Details) -> Details:
    round_ = floor.house.tables[_table_of(details)].round
    head = details[:-2]
    if round_ is None:
        return *head, Phase.BETWEEN.value, "spin 1"
    over = round_.status in (Status.SETTLED, Status.VOID)
    phase = round_.status.value if over else round_.phase.value.replace("_", "-")
    return *head, phase, f"spin {round_.spin}"


METERS: Final[Mapping[str, Callable[[TerminalMeters], int]]] = {
    "turnover": lambda meters: meters.turnover,
    "returned": lambda meters: meters.returned,
    "refunded": lambda meters: meters.refunded,
    # Games are counted whole, where all else is money.
    "games": lambda meters: meters.games * CENTS_PER_UNIT,
    "notes": lambda meters: sum(value * count for value, count in meters.notes.items()),
    "bought-in": lambda meters: meters.bought_in,
    "tickets-in": lambda meters: meters.tickets_in,
    "tickets-out": lambda meters: meters.tickets_out,
    "tickets-back": lambda meters: meters.tickets_back,
    "hand-pays": lambda meters: meters.hand_pays,
    "payables-paid": lambda meters: meters.payables_paid,
    "adjusted-in": lambda meters: meters.adjusted_in,
    "adjusted-out": lambda meters: meters.adjusted_out,
    "granted": lambda meters: meters.granted,
}


def _meters(floor: WatchedFloor, details: Details) -> Details:
    seat, *named = details
    meters = _terminal(floor, seat).meters
    names = [each.partition(" ")[0] for each in named]
    return seat, *(f"{name} {amount_text(METERS[name](meters))}" for name in names)


def _amount(amount: int | None) -> str:
    return NONE if amount is None else amount_text(amount)


#: What a terminal's screen can be asked for, by the words of a round.
SHOWN: Final[Mapping[str, Callable[[WatchedFloor, TerminalView], str]]] = {
    "says": lambda _, view: view.says,
    "seconds": lambda _, view: "" if view.seconds_left is None else str(view.seconds_left),
    "credit": lambda _, view: amount_text(view.credit),
    "credits": lambda _, view: str(view.credits),
    "residual": lambda _, view: amount_text(view.residual),
    "staked": lambda _, view: amount_text(view.staked),
    "won": lambda _, view: amount_text(view.won),
    "held": lambda _, view: amount_text(view.held),
    "minimum": lambda _, view: _amount(view.spot_least),
    "maximum": lambda _, view: _amount(view.spot_most),
    "minimum total": lambda _, view: _amount(view.total_least),
    "maximum total": lambda _, view: _amount(view.total_most),
    "numbers": lambda _, view: " ".join(view.numbers),
    "highlighted": lambda _, view: view.highlighted or "",
    "warning": lambda _, view: view.warning,
    "red": lambda _, view: ", ".join(view.red),
    "ghosts": lambda floor, view: _slip(floor, view.ghosts),
    "message": lambda _, view: view.messages[-1] if view.messages else "",
    "service": lambda _, view: "in" if view.in_service else "out",
}


def shown_name(text: str) -> str | None:
    """Find which part of the screen a field is about; None where it is about none."""
    return max((name for name in SHOWN if f"{text} ".startswith(f"{name} ")), key=len, default=None)


def _shows(floor: WatchedFloor, details: Details) -> Details:
    seat, *named = details
    view = terminal_view(floor.house, *place_of(seat), floor.now)
    names = [shown_name(each) or "" for each in named]
    return seat, *(f"{name} {SHOWN[name](floor, view) or NONE}" for name in names)


BASES: Final = tuple(basis.value for basis in TaxBasis)


def _hold(floor: WatchedFloor, details: Details) -> Details:
    number, *named = details
    holds = (terminal.holds.get(Number(int(number))) for terminal in floor.house.terminals.values())
    hold = next((each for each in holds if each is not None), None)
    if hold is None:
        return number, NONE
    names = [each.partition(" ")[0] for each in named if each != NONE] or BASES
    return number, *(f"{name} {amount_text(hold.bases[name])}" for name in names)


def _ticket(floor: WatchedFloor, details: Details) -> Details:
    ticket = floor.house.tickets.get(Number(int(details[0])))
    if ticket is None:
        return details[0], NONE
    return details[0], ticket.state.value, amount_text(ticket.amount)


def _drawer(floor: WatchedFloor, details: Details) -> Details:
    drawer = floor.house.drawers.get(DrawerId(details[0]))
    return details[0], NONE if drawer is None else amount_text(drawer.cash)


def _dispute(floor: WatchedFloor, details: Details) -> Details:
    dispute = floor.house.disputes.get(Number(int(details[0])))
    return details[0], NONE if dispute is None else dispute.state.value.replace("_", "-")


def _idle(floor: WatchedFloor, _details: Details) -> Details:
    seats = tuple(seat_text(seat, table) for table in floor.house.tables for seat in idle(floor.house, table))
    return seats or (NONE,)


_FINDERS: Final[Mapping[str, Finder]] = {
    "pays": _pays,
    "credit": _credit,
    "owes": _owes,
    "payable": _payable,
    "layout": _layout,
    "house": _house,
    "history": _history,
    "round": _round,
    "meters": _meters,
    "shows": _shows,
    "hold": _hold,
    "slip": _ticket,
    "drawer": _drawer,
    "dispute": _dispute,
    "idle": _idle,
}
