"""Scenarios: the venue, people and settings of a run, by the rules of a venue or by random ones of none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from random import Random
from typing import Final

import msgspec

from croupier.engine.ports import Request
from croupier.house import AnyCommand
from croupier.house.credit.notes import GrantPlayMoney, InsertNote
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook, ApproveBuild, CreateHouse, ReportBuild
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import Day, DeviceId, DeviceKind, PersonId, TableId, TerminalId
from croupier.house.live.floats import OpenFloat
from croupier.house.settings import (
    LimitBounds,
    LimitSettings,
    LiveSettings,
    Mode,
    Recording,
    TableSettings,
    TerminalSettings,
    WheelKind,
)
from croupier.house.timers import Tick
from croupier.rulebooks.loader import is_own, load_rulebook, rulebook_ids
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rulebooks.validation import validate
from croupier.rules.calls import CallKind
from croupier.rules.geometry import (
    CELL,
    EVEN_MONEY,
    POCKETS,
    STRAIGHT,
    Area,
    Cell,
    Colour,
    Geometry,
    Kind,
    Layout,
    OutsideBox,
    Pocket,
    Shape,
    SpotKey,
    SpotKind,
    Wheel,
    is_zero,
)
from croupier.rules.limits import Limits, Range, UnderMinimum
from croupier.rules.money import Cents
from croupier.rules.multipliers import Multiple, Multipliers, NumberCount
from croupier.rules.pricing import PRISONS, CarriedRules, Odds, Paytable, Price, Release, Step, ZeroEffect, ZeroRule
from croupier.rules.procedure import ChannelName, CloseRule, Duty
from croupier.rules.progressive import Progressive
from croupier.rules.refusal import CitedChoice
from croupier.rules.rulebook import Rulebook
from croupier.server.views.floor import DUTIES

#: The colours of the chips of a live table.
COLOURS: Final = ("blue", "green", "yellow")
#: Value chips in a float: some with which every amount can be paid, and some that need rounding.
DENOMINATIONS: Final = (
    (Cents(100), Cents(500), Cents(2_500), Cents(10_000)),
    (Cents(500), Cents(2_500), Cents(10_000)),
)
#: The chips of each value in a float, and in a fill.
FLOAT: Final = 200
#: One run in so many has a live table, where the rules have one.
LIVE_EVERY: Final = 3
#: One run in so many has connected consoles.
CONSOLES_EVERY: Final = 8
TODAY: Final = Day(20261115)
VERSION: Final = "simulated"
#: All records of a run: the invariant checker verifies every record against its own.
RECORDS_KEPT: Final = 1_000_000
#: One credit, the least chip and notes at every terminal.
OFFERS: Final = TerminalSettings(denominations=(Cents(1), Cents(50)))


@dataclass(frozen=True, slots=True)
class Scenario:
    """The venue, the people and the settings of one run."""

    rulebook: Rulebook
    mode: Mode
    tables: tuple[TableId, ...]
    seats: tuple[TerminalId, ...]
    settings: TableSettings
    ticket_days: int | None
    #: Whether gaming days follow the clock, or are named by hand.
    by_calendar: bool
    #: Whether staff work at connected consoles. Console views cost more than everything else together, so in most runs
    #: the commands of staff are submitted to the commit loop.
    has_consoles: bool
    #: The settings of a live table, if there is one: it is the last of the tables.
    live: TableSettings | None = None
    #: Whether terminals are at the wheel of the live table too.
    is_mixed: bool = False

    @property
    def people(self) -> tuple[tuple[PersonId, str], ...]:
        """Two people of every title."""
        staff = self.rulebook.staff
        return tuple(
            (PersonId(f"{title.lower()} {n}"), title) for title in (*staff.order, *staff.others) for n in (1, 2)
        )

    def staff(self, duty: Duty) -> list[PersonId]:
        """Return the people who have a duty, the lowest title first; empty when no title has it at this venue."""
        titles = self.rulebook.staff.titles_for(duty)
        return [person for title in titles for person, has in self.people if has == title]

    @property
    def spots(self) -> tuple[SpotKey, ...]:
        return tuple(self.rulebook.spots)

    @property
    def pot_spots(self) -> tuple[SpotKey, ...]:
        """The bet that wins a pot, where there is one."""
        rules = self.rulebook.paytable.progressive
        spots = self.rulebook.spots.items()
        return tuple(key for key, spot in spots if rules is not None and spot.kind == rules.kind)

    def devices(self) -> list[DeviceId]:
        """List the devices that connect: terminals, and in some runs consoles."""
        people = self.people if self.has_consoles else ()
        return [*map(DeviceId, self.seats), *(console_of(person) for person, _ in people)]

    def kind_of(self, person: PersonId | None) -> DeviceKind:
        """Return the kind of console at which a person works; a terminal for None."""
        if person is None:
            return DeviceKind.TERMINAL
        title, staff = dict(self.people)[person], self.rulebook.staff
        kinds = (kind for kind, duties in DUTIES.items() if any(title in staff.titles_for(duty) for duty in duties))
        return next(kinds, DeviceKind.PIT)

    def provisioning(self) -> list[AnyCommand]:
        """Return the commands that set the house up, in order."""
        book = self.rulebook
        return [
            CreateHouse(self.mode, book.venue, "UTC", self.ticket_days, RECORDS_KEPT),
            *([] if self.by_calendar else [Tick(TODAY)]),
            AdoptRulebook(canonical(book)),
            *(AddTable(table, book.digest, self.settings_of(table)) for table in self.tables),
            *(AddTerminal(seat, self._tables_of(seat), OFFERS) for seat in self.seats),
            *self._float(),
            *(EnrolPerson(person, (title,)) for person, title in self.people),
            *(EnrolDevice(console_of(person)) for person, _ in self.people),
            ApproveBuild(VERSION, "letter"),
            ReportBuild(VERSION),
        ]

    def _float(self) -> list[AnyCommand]:
        """Open the float of the live table, as a configuration may; otherwise staff do."""
        if self.live is None or self.live.live is None or self.by_calendar:
            return []
        chips = tuple((value, FLOAT) for value in self.live.live.denominations)
        return [OpenFloat(self.tables[-1], chips, "S1")]

    def buying_in(self) -> list[Request]:
        """Return the commands that put some money on every meter: notes, or play money."""
        note = OFFERS.notes[-1]
        if self.mode is Mode.DEMO:
            return [Request(GrantPlayMoney(seat, Cents(5 * note))) for seat in self.seats]
        return [Request(InsertNote(seat, self.rulebook.currency, note), DeviceId(seat)) for seat in self.seats * 5]

    def _tables_of(self, seat: TerminalId) -> tuple[TableId, ...]:
        """The last seat plays at one table, and the others at as many as there are; at a live one if it is mixed."""
        if self.live is not None:
            return self.tables[-1:] if self.is_mixed else self.tables[:1]
        return self.tables[:1] if seat == self.seats[-1] else self.tables

    def settings_of(self, table: TableId) -> TableSettings:
        """Return the settings of a table when it is added."""
        return self.live if self.live is not None and table == self.tables[-1] else self.settings


def console_of(person: PersonId) -> DeviceId:
    """Return the console of a person."""
    return DeviceId(f"{person}'s console")


def draw_scenario(rng: Random, *, live: bool = False, variants: bool = False) -> Scenario:
    """Choose a venue and its settings; with a live table, one whose rules have it; with variants, one of no venue."""
    books = [book for book in map(load_rulebook, rulebook_ids()) if isinstance(book, Rulebook)]
    able = [book for book in books if not live or ChannelName.TABLE in book.channels]
    # A run in three is played by rules of our own. That takes no draw of the stream: a seed is the same run otherwise.
    fork = Random(repr(rng.getstate()))  # noqa: S311 - it must be the same for one seed
    rulebook = rng.choice([book for book in able if not is_own(book.id)])
    if fork.randrange(3) == 0:
        rulebook = fork.choice([book for book in able if is_own(book.id)])
    if variants:
        rulebook = random_variant(fork)
    games = rulebook.terminal.games
    tables = tuple(TableId(f"table {number}") for number in range(1, 1 + (games.value if games else 1)))
    # A venue without terminals of its own can only be demonstrated.
    real = ChannelName.TERMINAL in rulebook.channels and rng.randrange(2)
    scenario = Scenario(
        rulebook,
        Mode.REAL if real else Mode.DEMO,
        tables,
        tuple(TerminalId(f"seat {number}") for number in (1, 2, 3)),
        _settings(rng),
        rng.choice([None, 1]),
        bool(rng.randrange(2)),
        rng.randrange(CONSOLES_EVERY) == 0,
    )
    has_live = ChannelName.TABLE in rulebook.channels and (live or rng.randrange(LIVE_EVERY) == 0)
    if is_own(rulebook.id) and not variants:
        scenario = replace(scenario, rulebook=random_zeros(fork, rulebook))
    return _with_live_table(rng, scenario) if has_live else scenario


def random_zeros(rng: Random, rulebook: Rulebook) -> Rulebook:
    """Change in half of the runs what zeros do with bets, and which bets win only in two spins in a row."""
    if rng.randrange(2):
        return rulebook
    paytable = rulebook.paytable
    pot = None if paytable.progressive is None else paytable.progressive.kind
    twice = frozenset(kind for kind in paytable.prices if rng.randrange(6) == 0 and kind != pot)
    even = tuple(kind for kind in EVEN_MONEY if kind in paytable.prices and kind not in twice)
    zeros = tuple(
        ZeroRule(zero, paytable.clause, even, rng.choice([*ZeroEffect])) for zero in rulebook.wheel.zeros if even
    )
    prices = {kind: replace(price, twice=kind in twice) for kind, price in paytable.prices.items()}
    release = CitedChoice(rng.choice([*Release]), paytable.clause)
    carried = CarriedRules(paytable.clause, release) if twice or any(zero.does in PRISONS for zero in zeros) else None
    changed = replace(paytable, prices=prices, zeros=(*zeros, *paytable.zeros), carried=carried)
    return read_canonical(canonical(replace(rulebook, paytable=changed)))


def _with_live_table(rng: Random, scenario: Scenario) -> Scenario:
    """Add a live table: in half of the runs terminals are at its wheel, in the others at a table of their own."""
    mixed, table = bool(rng.randrange(2)), TableId("live table")
    settings = msgspec.structs.replace(
        scenario.settings,
        live=_live_settings(rng, scenario.rulebook),
        limits=_chip_limits(scenario.rulebook),
        wheel=rng.choice([WheelKind.SENSOR, WheelKind.KEYPAD]),
        confirms=True,
        # A dealer opens each round.
        pause_s=None,
    )
    tables = (table,) if mixed else (*scenario.tables[:1], table)
    # The consoles of a simulated person are of one kind, and few people at a live table have one duty.
    return replace(scenario, tables=tables, live=settings, is_mixed=mixed, has_consoles=False)


def _settings(rng: Random) -> TableSettings:
    bounded = LimitSettings(LimitBounds(Cents(100), Cents(5_000)), total=LimitBounds(None, Cents(20_000)))
    return TableSettings(
        wheel=rng.choice(list(WheelKind)),
        confirms=bool(rng.randrange(2)),
        betting_s=rng.choice([None, 10, 20]),
        limits=rng.choice([LimitSettings(), bounded]),
        pause_s=rng.choice([None, 2]),
        warning_s=rng.choice([0, 3]),
        attest_s=rng.choice([0, 20]),
        offline_grace_s=3,
        session_idle_s=20,
        decision_s=10,
        rest_s=30,
    )


def _live_settings(rng: Random, rulebook: Rulebook) -> LiveSettings:
    """Choose the settings of play with chips."""
    # Where markers are for designated players, or few, most players meet a refusal.
    bounded, carried = rng.randrange(4) == 0, rulebook.paytable.carried
    return LiveSettings(
        # Stakes that wait for another spin are on record only where every bet is.
        recording=Recording.SUPERVISED if rng.randrange(4) == 0 and carried is None else Recording.FULL,
        denominations=rng.choice(DENOMINATIONS),
        circulating=(Cents(100),),
        emblem="anchor",
        colours=COLOURS,
        pieces=rng.choice((60, 300, 1_000)),
        multiples=rulebook.channels[ChannelName.TABLE].notice is not None and rng.randrange(3) == 0,
        markers_per_number=2 if bounded else None,
        markers_per_spin=4 if bounded else None,
        designated_only=bounded,
        cash_from=rng.choice((None, 40)),
    )


def _chip_limits(rulebook: Rulebook) -> LimitSettings:
    """Choose limits: where a bet under the minimum is honoured once, one that value chips can be under."""
    honoured = rulebook.channels[ChannelName.TABLE].under_minimum.choice is UnderMinimum.HONOUR_ONCE
    return LimitSettings(LimitBounds(Cents(200), Cents(2_000)) if honoured else LimitBounds(Cents(100), Cents(400)))


_ZEROS: Final = tuple(filter(is_zero, POCKETS))
_NUMBERS: Final = tuple(pocket for pocket in POCKETS if not is_zero(pocket))
#: The highest length of a row, and how many boxes lie in one row beside the numbers.
_WIDEST: Final = 4
_BESIDE: Final = 5


def random_variant(rng: Random) -> Rulebook:
    """Draw a rulebook that is consistent: 20 to 40 pockets, of which 0 to 3 are zeros, and bets of any kind.

    Procedure, staff and clauses are those of `generic-european`.
    """
    base = load_rulebook("generic-european")
    assert isinstance(base, Rulebook)
    for tried in count():
        assert tried < _TRIED_MOST, "no variant is consistent"
        found = _variant(rng, base)
        if found is not None and not list(validate(found)):
            return replace(read_canonical(canonical(found)), clauses=base.clauses)
    raise AssertionError


#: How many variants are drawn for one: most are refused because a bet would give money away.
_TRIED_MOST: Final = 500


def _variant(rng: Random, base: Rulebook) -> Rulebook | None:
    width, zeros = rng.randrange(1, _WIDEST + 1), rng.randrange(4)
    rows = rng.choice([rows for rows in range(1, 41) if 20 <= rows * width + zeros <= 40])  # noqa: PLR2004 - of a wheel
    numbers = list(_NUMBERS[: rows * width])
    order = [*_ZEROS[:zeros], *numbers]
    # The order is written clockwise from 0.
    rest = order[min(zeros, 1) :]
    rng.shuffle(rest)
    red = tuple(rng.sample(numbers, len(numbers) // 2))
    wheel = Wheel("drawn", (*order[: min(zeros, 1)], *rest), "drawn", confirmed=True, alternating=False, red=red)
    if rng.randrange(3) == 0:
        rng.shuffle(numbers)
    kinds = [*_inside(rng, width), *_outside(rng, wheel)]
    boxes = [bet for kind in kinds for bet in kind.boxes]
    rng.shuffle(boxes)
    layout = Layout(
        "drawn",
        tuple(tuple(numbers[row * width : (row + 1) * width]) for row in range(rows)),
        _zero_cells(rng, _ZEROS[:zeros], width, rows),
        tuple(OutsideBox(bet, bet, _beside(place)) for place, bet in enumerate(boxes)),
    )
    drawn = replace(base, id="drawn-variant", wheel=wheel, layout=layout, kinds=tuple(kinds), example="5 on 17")
    channels = {ChannelName.TERMINAL: base.channels[ChannelName.TERMINAL]}
    calls = tuple(call for call in base.calls if call.kind in (CallKind.NEIGHBOURS, CallKind.LAST_DIGIT))
    drawn = replace(drawn, channels=channels, payout=None, calls=calls)
    return _priced(rng, drawn)


def _zero_cells(rng: Random, zeros: Sequence[Pocket], width: int, rows: int) -> tuple[Cell, ...]:
    """Place the zeros: each in a row of its own, beside each other, or at both ends of the numbers."""
    across, length = width * CELL, rows * CELL
    match rng.randrange(3):
        case 0:
            areas = [Area((-CELL * (place + 1), -CELL * place), (0, across)) for place in range(len(zeros))]
        case 1:
            edges = [across * place // max(1, len(zeros)) for place in range(len(zeros) + 1)]
            areas = [Area((-CELL, 0), (edges[place], edges[place + 1])) for place in range(len(zeros))]
        case _:
            ends = [(-CELL, 0), (length, length + CELL), (-2 * CELL, -CELL)]
            areas = [Area(ends[place], (0, across)) for place in range(len(zeros))]
    return tuple(Cell(zero, area) for zero, area in zip(zeros, areas, strict=True))


def _beside(place: int) -> Area:
    along, across = place % _BESIDE * 2 * CELL, -(place // _BESIDE + 1) * CELL
    return Area((along, along + 2 * CELL), (across, across + CELL))


def _inside(rng: Random, width: int) -> Iterator[Kind]:
    """Draw kinds of bet among the numbers; a straight up is always one of them."""
    yield Kind(STRAIGHT, "straight up", shapes=(Shape(Geometry.CELL, 1),))
    shapes = {
        "pair": [Shape(Geometry.EDGE, 2)],
        "three_corners": [Shape(Geometry.POINT, 3)],
        "four_corners": [Shape(Geometry.POINT, 4, zero=False)],
        "zero_corner": [Shape(Geometry.POINT, 4, zero=True)],
        "whole_row": [Shape(Geometry.ROW, width)],
        "two_rows": [Shape(Geometry.ROWS, numbers) for numbers in (2 * width, width + 1, width + 2)],
    }
    for name in rng.sample(sorted(shapes), rng.randrange(1, len(shapes) + 1)):
        yield Kind(SpotKind(name), name.replace("_", " "), shapes=tuple(shapes[name]))


def _outside(rng: Random, wheel: Wheel) -> Iterator[Kind]:
    """Draw kinds of bet in boxes, on any numbers; the boxes of one kind may cover different counts."""
    for colour in rng.sample((Colour.RED, Colour.BLACK), rng.randrange(3)):
        pockets = tuple(pocket for pocket in wheel.order if wheel.colour(pocket) is colour)
        yield Kind(SpotKind(colour), colour.value, boxes={SpotKey(colour): pockets})
    for number in range(rng.randrange(1, 5)):
        name, most = f"group_{number}", rng.randrange(2, len(wheel.order) * 2 // 3)
        sizes = [rng.randrange(1, most) for _ in range(rng.randrange(1, 4))]
        boxes = {
            SpotKey(f"group{number} {place}"): tuple(rng.sample(wheel.order, size))
            for place, size in enumerate(sizes, start=1)
        }
        yield Kind(SpotKind(name), name.replace("_", " "), boxes=boxes)
    if rng.randrange(3) == 0:
        yield Kind(_POT, "pot", boxes={SpotKey("pot"): tuple(rng.sample(wheel.order, rng.randrange(1, 4)))})


_POT: Final = SpotKind("pot")


def _priced(rng: Random, book: Rulebook) -> Rulebook | None:
    """Draw prices, rules on zeros and bonuses for the bets of a felt."""
    clause, pockets = book.paytable.clause, len(book.wheel.order)
    free = replace(book, paytable=Paytable(clause, {each.id: _price(book, pays=1) for each in book.kinds}))
    widest: dict[SpotKind, int] = {}
    for spot in free.spots.values():
        widest[spot.kind] = max(widest.get(spot.kind, 0), len(spot.numbers))
    has_pot, has_draw = _POT in widest, rng.randrange(3) == 0
    prices = dict[SpotKind, Price]()
    for kind, covered in widest.items():
        twice = rng.randrange(8) == 0 and kind not in {STRAIGHT, _POT}
        # What a win may return: 1 in `covered` of the pockets, less what zeros may give back.
        gross = Fraction(pockets, covered) ** (2 if twice else 1) * Fraction(pockets - len(book.wheel.zeros), pockets)
        drawn = _drawn_price(rng, book, gross * Fraction(rng.randrange(60, 96), 100) - 1, twice=twice)
        if kind == STRAIGHT and has_draw:
            drawn = _price(book, pays=int(gross / 2))
        if kind == _POT:
            drawn = _price(book, pays=0)
        if drawn is not None:
            prices[kind] = drawn
    twice_kinds = {kind for kind, price in prices.items() if price.twice}
    zeros = tuple(_zero_rules(rng, book, [kind for kind in prices if kind != _POT and kind not in twice_kinds]))
    carried = None
    if twice_kinds or any(zero.does in PRISONS for zero in zeros):
        carried = CarriedRules(clause, CitedChoice(rng.choice([*Release]), clause))
    paytable = Paytable(clause, prices, zeros, carried)
    kinds = tuple(kind for kind in book.kinds if kind.id in prices)
    boxes = tuple(box for box in book.layout.boxes if any(box.bet in kind.boxes for kind in kinds))
    book = replace(book, kinds=kinds, layout=replace(book.layout, boxes=boxes), paytable=paytable)
    if has_draw:
        closes = CitedChoice(CloseRule.BEFORE_SPIN, book.procedure.closes.clause)
        book = replace(book, procedure=replace(book.procedure, closes=closes))
        book = replace(book, paytable=replace(book.paytable, multipliers=_multipliers(rng, book)))
    return _with_pot(rng, book) if has_pot else book


def _plain(fraction: Fraction) -> Odds:
    """Return a whole number as such: a rulebook writes it so."""
    return int(fraction) if fraction.denominator == 1 else fraction


def _price(book: Rulebook, pays: int | Fraction, **more: object) -> Price:
    return Price("as drawn", pays, book.paytable.clause, book.paytable.clause, **more)  # type: ignore[arg-type]


def _drawn_price(rng: Random, book: Rulebook, fair: Fraction, *, twice: bool) -> Price | None:
    """Draw a price of at most so much to one: whole or a fraction, with steps and a cap; None if nothing is left."""
    parts = rng.choice([1, 1, 1, 2, 3, 5, 7])
    pays = Fraction(int(fair * parts), parts)
    if pays <= 0:
        return None
    odds = [_plain(pays), *(_plain(pays * rng.randrange(1, 4) / 4) for _ in range(2))]
    overs = sorted(rng.sample(range(100, 3_000), rng.choice([0, 0, 0, 1, 2])))
    steps = tuple(Step(Cents(over), each) for over, each in zip(overs, odds[1:], strict=False))
    most = Cents(rng.randrange(1, 50_000)) if rng.randrange(5) == 0 else None
    return _price(book, odds[0], steps=steps, win_most=most, twice=twice)


def _zero_rules(rng: Random, book: Rulebook, kinds: Sequence[SpotKind]) -> Iterator[ZeroRule]:
    """Draw what each zero does with some kinds, and then with others; the first rule on a kind applies."""
    for zero in book.wheel.zeros:
        for _ in range(rng.randrange(3)):
            named = tuple(rng.sample(kinds, rng.randrange(1, len(kinds) + 1)))
            yield ZeroRule(zero, book.paytable.clause, named, rng.choice([*ZeroEffect]))
        if rng.randrange(2):
            yield ZeroRule(zero, book.paytable.clause)


def _multipliers(rng: Random, book: Rulebook) -> Multipliers:
    """Draw the tables of a draw; a rulebook in which it gives money away is not consistent."""
    counts = sorted(rng.sample(range(1, 6), rng.randrange(1, 4)))
    multiples = sorted(rng.sample(range(10, 200), rng.randrange(1, 4)))
    return Multipliers(
        book.paytable.clause,
        tuple(NumberCount(numbers, rng.randrange(1, 5)) for numbers in counts),
        tuple(Multiple(pays, rng.randrange(1, 5)) for pays in multiples),
    )


def _with_pot(rng: Random, book: Rulebook) -> Rulebook:
    """Draw a pot, and the limits of its bet."""
    clause, stake = book.paytable.clause, Cents(100 * rng.randrange(1, 6))
    contributes, reserves = Fraction(rng.randrange(10, 60), 100), _plain(Fraction(rng.randrange(30), 100))
    seed = Cents(rng.randrange(1, 30) * 100)
    must_hit_by = Cents(seed + rng.randrange(1, 100) * 100)
    rules = Progressive(clause, _POT, contributes, reserves, seed, must_hit_by, stake)
    limits = Limits(clause, clause, kinds={_POT: Range(stake, Cents(20 * stake))})
    return replace(book, limits=limits, paytable=replace(book.paytable, progressive=rules))
