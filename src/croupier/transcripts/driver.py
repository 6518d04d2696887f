"""House in memory that a transcript runs on."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from croupier.house import AnyCommand, House, apply
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.declare import Decision, Event, PlayerEvent
from croupier.house.floor.incidents import IncidentRaised
from croupier.house.floor.malfunctions import BetsConfirmed, BetsVoided, MalfunctionRaised
from croupier.house.floor.settings import pending_settings
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook, CreateHouse
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import (
    SYSTEM,
    Context,
    Day,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    PositionId,
    TableId,
    TerminalId,
)
from croupier.house.live.floats import OpenFloat
from croupier.house.live.notice import notice_digest
from croupier.house.live.partners import PlayersLinked
from croupier.house.live.seats_and_colours import AcknowledgeNotice, AllocateColour, BuyChips, SeatPlayer, Tender
from croupier.house.play.betting import BetsChanged, BetsReturned
from croupier.house.play.copying import AutoCopyRefused
from croupier.house.rounds.corrections import OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.irregularities import RoundSuspended, RoundVoided, SpinVoided
from croupier.house.rounds.recovery import TerminalsRefunded
from croupier.house.rounds.results import ReportIgnored
from croupier.house.rounds.settlement import CarriedReleased, RoundSettled, WinHeld
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.state.ledger import LedgerAccount, TerminalMeters
from croupier.house.state.tables import BetChange, Phase, RoundStatus, Table, Terminal
from croupier.house.timers import Tick, due
from croupier.house.views import TerminalView, idle, terminal_view
from croupier.journal.stores.memory import MemoryJournal
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import SpotKey
from croupier.rules.money import CENTS_PER_UNIT, Cents, amount_text
from croupier.rules.notation import NotationBet, parse_slip, print_slip
from croupier.rules.procedure import ChannelName, Duty, TaxBasis
from croupier.rules.refusal import Refusal, or_raise
from croupier.rules.rulebook import Rulebook, Stakes
from croupier.transcripts.format import FIRST, Expectation, Outcome, Place, place_of, seat_text
from croupier.transcripts.live import (
    CHIP_OUTCOMES,
    PlayerSetting,
    chip_details,
    chip_effects,
    chips_for,
    layout_text,
    player_at,
    player_names,
    position_of,
)
from croupier.words import message_text

TABLE = TableId("table 1")


def device_of(person: str) -> DeviceId:
    """Return the console of a person."""
    return DeviceId(f"{person}'s console")


class HouseDriver:
    """A venue of one rulebook, played by hand."""

    def __init__(
        self,
        rulebook: Rulebook,
        *settings: TableSettings,
        mode: Mode = Mode.DEMO,
        timezone: str = "UTC",
        ticket_days: int | None = None,
        day: int = 20261115,
    ) -> None:
        self.rulebook = rulebook
        self.house = House.new(read_canonical)
        self.journal = MemoryJournal()
        self.now = Instant(0)
        self.events: list[Event] = []
        #: The number of proposals that set the floor up.
        self.proposals_before = 0
        self.must(CreateHouse(mode, rulebook.venue, timezone, ticket_days))
        self.must(Tick(Day(day)))
        self.must(AdoptRulebook(canonical(rulebook)))
        for number, each in enumerate(settings or (TableSettings(),), start=1):
            self.must(AddTable(TableId(f"table {number}"), rulebook.digest, each))
        for title in (*rulebook.staff.order, *rulebook.staff.others):
            self.enrol(title)

    @property
    def table(self) -> Table:
        return self.house.tables[TABLE]

    def enrol(self, title: str, person: str | None = None) -> PersonId:
        """Enrol a person with a title, at a console of their own; without a name, the title is the name."""
        name = PersonId(person or title.lower())
        self.must(EnrolPerson(name, (title,)))
        self.must(EnrolDevice(device_of(name)))
        return name

    def seat(
        self, name: str, credit: int = 0, settings: TerminalSettings | None = None, tables: Iterable[TableId] = (TABLE,)
    ) -> Terminal:
        """Add a terminal, with play money if credit is given."""
        terminal = TerminalId(name)
        self.must(AddTerminal(terminal, tuple(tables), settings or TerminalSettings()))
        if credit:
            self.must(GrantPlayMoney(terminal, Cents(credit)))
        return self.house.terminals[terminal]

    def set_up_float(self, table: TableId, amount: int) -> None:
        """Open the float of a live table, signed by a dealer and an inspector, who also checks its notice."""
        dealer, inspector = (self.rulebook.staff.titles_for(duty)[0].lower() for duty in (Duty.DEAL, Duty.INSPECT))
        settings = self.house.tables[table].settings.live
        assert settings is not None
        chips = chips_for(amount, settings)
        (made,) = self.must(OpenFloat(table, chips, "float"), device_of(dealer), dealer)
        assert isinstance(made, ProposalMade)
        self.must(Approve(made.proposal), device_of(inspector), inspector)
        self.proposals_before = self.house.proposals.made
        self.read_notice(table, inspector)

    def read_notice(self, table: TableId, inspector: str) -> None:
        """Check the notice of a live table's next round, if the rules require one."""
        rulebook, _ = pending_settings(self.house, self.house.tables[table])
        if rulebook.channels[ChannelName.TABLE].notice is not None:
            digest = notice_digest(self.house, self.house.tables[table])
            self.must(AcknowledgeNotice(table, digest), device_of(inspector), inspector)

    def seat_player(self, name: str, setting: PlayerSetting) -> None:
        """Seat a player with chips at the first table, who buys chips for cash."""
        dealer = self.rulebook.staff.titles_for(Duty.DEAL)[0].lower()
        self.must(SeatPlayer(TABLE, name), device_of(dealer), dealer)
        position = position_of(self.house, name)
        if setting.colour is not None:
            allocates = AllocateColour(TABLE, position, setting.colour, setting.value)
            self.must(allocates, device_of(dealer), dealer)
        for amount, colour in ((setting.buys, setting.colour), (setting.chips, None)):
            if amount:
                self.must(BuyChips(TABLE, position, Tender.CASH, Cents(amount), colour), device_of(dealer), dealer)

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        """Submit a command to the house, and append its events to the journal."""
        context = Context(self.now, device, PersonId(person))
        day = self.house.day
        answer = apply(self.house, command, context)
        if isinstance(answer, tuple):
            self.journal.append(answer, day, context)
            self.events.extend(answer)
        return answer

    def must(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> tuple[Event, ...]:
        """Submit a command that must not be refused here."""
        return or_raise(self.ask(command, device, person))

    def by(self, person: str, command: AnyCommand) -> Decision:
        """Submit a command as a member of staff, at their console."""
        return self.ask(command, device_of(person), person)

    def advance(self, now: int) -> None:
        """Advance the clock, with a tick at every due instant before."""
        while (at := due(self.house)) is not None and at < now:
            self.now = max(self.now, at)
            done = self.must(Tick())
            assert done
        assert now >= self.now
        self.now = Instant(now)


class StateBefore(NamedTuple):
    """The state before a decision that is needed to describe its effects afterwards."""

    laid: dict[Place, Stakes]
    owned: dict[TerminalId, int]
    #: The terminal and the table of each position.
    places: dict[PositionId, Place]
    #: The names of players with chips, and what lay on the layout for each.
    players: Mapping[PositionId, str]
    chips: dict[PositionId, Stakes]
    #: The number of proposals before the first line: a transcript counts its own.
    proposals: int = 0


def glance(house: House) -> StateBefore:
    """Record the state of a house before a decision."""
    laid = {
        (terminal.id, table): dict(game.bets)
        for terminal in house.terminals.values()
        for table, game in terminal.games.items()
    }
    places = {number: (position.terminal, position.table) for number, position in house.positions.items()}
    players = player_names(house)
    chips = {position: dict(house.positions[position].bets) for position in players}
    return StateBefore(laid, _owned(house), places, players, chips)


def _owned(house: House) -> dict[TerminalId, int]:
    return {name: terminal.credit + terminal.held_total for name, terminal in house.terminals.items()}


#: The name of a terminal at one of its tables.
Named = Callable[[TerminalId, TableId], str]


def notable_events(events: Iterable[Event], before: StateBefore, named: Named = seat_text) -> Iterator[Expectation]:
    """List the notable effects of events that a house has just applied."""
    for event in events:
        yield from _said(event, before, named)


def payments(house: House, events: Iterable[Event], before: StateBefore) -> dict[Place, int]:
    """Return the payments of a settlement: of a whole round, or of one terminal whose bets were confirmed later."""
    owned, paid = _owned(house), {}
    for event in events:
        match event:
            case RoundSettled():
                for name in house.tables[event.table].terminals:
                    paid[name, event.table] = owned[name] - before.owned[name]
            case BetsConfirmed():
                case = house.cases.all[event.case]
                for table, _ in case.questioned:
                    paid[case.terminal, table] = owned[case.terminal] - before.owned[case.terminal]
    return paid


class RecordingDriver(HouseDriver):
    """A driver that records the effects of each command, including the clock's ticks."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - a floor's own, passed on
        self.notable: list[Expectation] = []
        #: The amount that the last settlement of each game added to the meter, or to held wins.
        self.paid: dict[Place, int] = {}
        super().__init__(*arguments, **options)

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        before = glance(self.house)._replace(proposals=self.proposals_before)
        answer = super().ask(command, device, person)
        if isinstance(answer, Refusal):
            self.notable.append(Expectation("refused", f"{answer.code.value} {answer.clause or '-'}"))
            return answer
        self.notable.extend(notable_events(answer, before))
        self.paid |= payments(self.house, answer, before)
        return answer

    def take_notable(self) -> tuple[Expectation, ...]:
        """Return the records since the last call."""
        taken, self.notable = tuple(self.notable), []
        return taken


def _said(event: Event, before: StateBefore, named: Named) -> Iterator[Expectation]:
    match event:
        case RoundVoided() | SpinVoided() | RoundSuspended() | OutcomeInvalidated() | TerminalsRefunded():
            yield Expectation(_ENDS[type(event)], event.clause)
        case PlayerEvent():
            yield from chip_effects(event, before.players, before.chips.get(event.position, {}))
        case PlayersLinked():
            yield from chip_effects(event, before.players, {})
        case ResultCorrected():
            yield Expectation("corrected", f"{event.was} to {event.pocket} {event.clause}")
        case IncidentRaised():
            yield Expectation("incident", f"{event.kind.value.replace('_', '-')} {event.clause or '-'}")
        case ProposalMade():
            yield Expectation("proposed", str(event.proposal - before.proposals))
        case ReportIgnored():
            yield Expectation("ignored", event.pocket)
        case CarriedReleased():
            yield Expectation("released", f"{amount_text(event.returned)} {event.clause}")
        case MalfunctionRaised() | BetsConfirmed() | BetsVoided():
            yield Expectation(_CASES[type(event)], f"{event.case} {event.clause}")
        case _:
            yield from _seat_said(event, before, named)


_ENDS = {
    RoundVoided: "void",
    SpinVoided: "no-spin",
    RoundSuspended: "suspended",
    OutcomeInvalidated: "invalidated",
    TerminalsRefunded: "refunded",
}
_CASES = {MalfunctionRaised: "case", BetsConfirmed: "confirmed", BetsVoided: "voided"}


def _seat_said(event: Event, before: StateBefore, named: Named) -> Iterator[Expectation]:
    match event:
        case WinHeld():
            seat = named(event.terminal, event.table)
            yield Expectation("held", f"{seat} {amount_text(event.amount)} {event.clause}")
        case BetsReturned():
            place = before.places[event.position]
            back = sum(before.laid[place][spot] for spot in event.spots)
            yield Expectation("returned", f"{named(*place)} {amount_text(back)} {event.clause}")
        case BetsChanged(how=BetChange.AUTO_COPY):
            place = before.places[event.position]
            cost = sum(after - before.laid[place].get(spot, 0) for spot, after in event.stakes.items())
            yield Expectation("copied", f"{named(*place)} {amount_text(cost)}")
        case AutoCopyRefused():
            seat = named(event.terminal, event.target)
            yield Expectation("not copied", f"{seat} {event.code} {event.clause or '-'}")


NONE: Final = "none"

Details = tuple[str, ...]
Finder = Callable[[RecordingDriver, Details], Details]


def state_details(floor: RecordingDriver, outcome: Outcome) -> Outcome:
    """Describe the current state of an outcome's subject, in the same number of words."""
    if outcome.word in CHIP_OUTCOMES:
        return Outcome(outcome.word, chip_details(floor.house, outcome.word, outcome.details))
    return Outcome(outcome.word, _FINDERS[outcome.word](floor, outcome.details))


def _terminal(floor: RecordingDriver, seat: str) -> Terminal:
    return floor.house.terminals[place_of(seat)[0]]


def _pays(floor: RecordingDriver, details: Details) -> Details:
    seat, _, *credit = details
    left = [f"credit {amount_text(_terminal(floor, seat).credit)}"] if credit else []
    return seat, amount_text(floor.paid.get(place_of(seat), 0)), *left


def _credit(floor: RecordingDriver, details: Details) -> Details:
    return details[0], amount_text(_terminal(floor, details[0]).credit)


def _is_player(details: Details) -> bool:
    return details[0].startswith("player ")


def _owes(floor: RecordingDriver, details: Details) -> Details:
    if _is_player(details):
        return details[0], amount_text(player_at(floor.house, details[0]).owed)
    return details[0], amount_text(_terminal(floor, details[0]).receivable)


def _payable(floor: RecordingDriver, details: Details) -> Details:
    if _is_player(details):
        return details[0], amount_text(player_at(floor.house, details[0]).payable)
    return details[0], amount_text(_terminal(floor, details[0]).payable)


def _layout(floor: RecordingDriver, details: Details) -> Details:
    seat, expected = details
    if _is_player(details):
        return seat, layout_text(floor.house, seat, expected)
    terminal, table = place_of(seat)
    bets = floor.house.terminals[terminal].games[table].bets
    # The same chips on the same spots are the same layout, however they are written.
    if expected != "empty" and bets == _chips(expected, floor.rulebook):
        return details
    return seat, _slip(floor, bets.items()) or "empty"


def _carried(floor: RecordingDriver, details: Details) -> Details:
    seat, expected = details
    if _is_player(details):
        return seat, layout_text(floor.house, seat, expected, carried=True)
    terminal, table = place_of(seat)
    carried = floor.house.terminals[terminal].games[table].carried
    if expected != "empty" and carried == _chips(expected, floor.rulebook):
        return details
    return seat, _slip(floor, carried.items()) or "empty"


def _chips(slip: str, rulebook: Rulebook) -> dict[object, int]:
    chips: defaultdict[object, int] = defaultdict(int)
    for wager in parse_slip(slip):
        alias = rulebook.spot_aliases.get(str(wager.on))
        chips[wager.on if alias is None else alias.key] += wager.amount
    return chips


def _slip(floor: RecordingDriver, stakes: Iterable[tuple[SpotKey, int]]) -> str:
    """Write stakes as a slip, in the order in which notices list spots."""
    order = {key: rank for rank, key in enumerate(floor.rulebook.spots)}
    listed = sorted(stakes, key=lambda stake: order[stake[0]])
    return print_slip(NotationBet(Cents(amount), key) for key, amount in listed)


def _house(floor: RecordingDriver, _details: Details) -> Details:
    return (amount_text(floor.house.ledger[LedgerAccount.HOUSE]),)


def _pot(floor: RecordingDriver, _details: Details) -> Details:
    pot = floor.house.pots.get(floor.rulebook.id)
    return (NONE, "") if pot is None else (amount_text(pot.amount), f"reserve {amount_text(pot.reserve)}")


def _table_of(details: Details) -> TableId:
    return TableId(details[0]) if details[0].startswith("table ") else FIRST


def _history(floor: RecordingDriver, details: Details) -> Details:
    table = _table_of(details)
    return *details[:-1], " ".join(floor.house.tables[table].numbers) or NONE


def _round(floor: RecordingDriver, details: Details) -> Details:
    round_ = floor.house.tables[_table_of(details)].round
    head = details[:-2]
    if round_ is None:
        return *head, Phase.BETWEEN.value, "spin 1"
    over = round_.status in (RoundStatus.SETTLED, RoundStatus.VOID) and round_.phase is not Phase.PAYING
    phase = round_.status.value if over else round_.phase.value.replace("_", "-")
    return *head, phase, f"spin {round_.spin.number}"


METERS: Final[Mapping[str, Callable[[TerminalMeters], int]]] = {
    "turnover": lambda meters: meters.turnover,
    "returned": lambda meters: meters.returned,
    "refunded": lambda meters: meters.refunded,
    # Games are counted as integers; all other meters are money.
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


def _meters(floor: RecordingDriver, details: Details) -> Details:
    seat, *named = details
    meters = _terminal(floor, seat).meters
    names = [each.partition(" ")[0] for each in named]
    return seat, *(f"{name} {amount_text(METERS[name](meters))}" for name in names)


def _amount(amount: int | None) -> str:
    return NONE if amount is None else amount_text(amount)


#: The fields of a terminal's screen, by their words in a transcript.
SHOWN: Final[Mapping[str, Callable[[RecordingDriver, TerminalView], str]]] = {
    "says": lambda _, view: view.message,
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
    "message": lambda _, view: message_text(view.messages[-1]) if view.messages else "",
    "service": lambda _, view: "in" if view.in_service else "out",
}


def shown_name(text: str) -> str | None:
    """Find the part of the screen that a field names; None when it names none."""
    return max((name for name in SHOWN if f"{text} ".startswith(f"{name} ")), key=len, default=None)


def _shows(floor: RecordingDriver, details: Details) -> Details:
    seat, *named = details
    view = terminal_view(floor.house, *place_of(seat), floor.now)
    names = [shown_name(each) or "" for each in named]
    return seat, *(f"{name} {SHOWN[name](floor, view) or NONE}" for name in names)


BASES: Final = tuple(basis.value for basis in TaxBasis)


def _hold(floor: RecordingDriver, details: Details) -> Details:
    number, *named = details
    holds = (terminal.holds.get(Number(int(number))) for terminal in floor.house.terminals.values())
    hold = next((each for each in holds if each is not None), None)
    if hold is None:
        return number, NONE
    names = [each.partition(" ")[0] for each in named if each != NONE] or BASES
    return number, *(f"{name} {amount_text(hold.bases[name])}" for name in names)


def _ticket(floor: RecordingDriver, details: Details) -> Details:
    ticket = floor.house.tickets.all.get(Number(int(details[0])))
    if ticket is None:
        return details[0], NONE
    return details[0], ticket.state.value, amount_text(ticket.amount)


def _drawer(floor: RecordingDriver, details: Details) -> Details:
    drawer = floor.house.drawers.get(DrawerId(details[0]))
    return details[0], NONE if drawer is None else amount_text(drawer.cash)


def _dispute(floor: RecordingDriver, details: Details) -> Details:
    dispute = floor.house.disputes.get(Number(int(details[0])))
    return details[0], NONE if dispute is None else dispute.state.value.replace("_", "-")


def _idle(floor: RecordingDriver, _details: Details) -> Details:
    seats = tuple(seat_text(seat, table) for table in floor.house.tables for seat in idle(floor.house, table))
    return seats or (NONE,)


_FINDERS: Final[Mapping[str, Finder]] = {
    "pays": _pays,
    "credit": _credit,
    "owes": _owes,
    "payable": _payable,
    "layout": _layout,
    "carried": _carried,
    "house": _house,
    "pot": _pot,
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
