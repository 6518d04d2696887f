"""Finds, reads and validates a rulebook folder."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from errno import EINVAL
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, get_type_hints

from croupier.rulebooks.schema import Found, Problem, digest, display_value, structure
from croupier.rules.calls import NUMBERS_UNDER_MARKER, CallBet, CallKind
from croupier.rules.geometry import (
    CELL,
    FELT,
    NUMBERS,
    OUTSIDE,
    POCKETS,
    ROW,
    ZERO,
    Area,
    ChipPosition,
    Layout,
    SpotKey,
    SpotKind,
    Wheel,
    colour,
    derive_spots,
)
from croupier.rules.limits import Limits, Range
from croupier.rules.notation import read_slip
from croupier.rules.procedure import (
    ChannelName,
    CloseRule,
    CreditIn,
    Duty,
    MessageKind,
    Reason,
    SegmentGroup,
    WarningKind,
)
from croupier.rules.refusal import CHIP_TOPICS, CitedTopic, Cites, ClauseId, Code, Refusal
from croupier.rules.rulebook import Rulebook

RULEBOOK = "rulebook.toml"
CLAUSES = "clauses.toml"
TESTS = "tests.toml"
WHEELS = "wheels.toml"
LAYOUTS = "layouts.toml"

#: The directory of the bundled venues, and of the wheels and layouts that all venues may use.
SHIPPED = files(__package__)

#: The source file of each part of the rulebook; the other parts come from rulebook.toml.
_SOURCES = {"wheel": WHEELS, "layout": LAYOUTS, "clauses": CLAUSES}
_PART = re.compile(r"(?P<part>wheel|layout|clauses)(?:\[(?P<place>[0-9]+)\])?\.(?P<rest>.*)", re.DOTALL)
#: Keys that rulebook.toml must not set.
_NOT_SET_HERE = ("clauses", "digest")

Tables = dict[str, Any]


class RulebookFolder:
    """The files of one rulebook, and the errors of reading them."""

    def __init__(self, folder: Traversable) -> None:
        self._folder = folder
        self.complaints: list[Problem] = []
        self.tables = self._read(RULEBOOK)
        self._names = {part: self.tables.get(part) for part in ("wheel", "layout")}
        clauses = self._read(CLAUSES)
        for key in _NOT_SET_HERE:
            if key in self.tables:
                self.complaints.append(Problem(RULEBOOK, "", f"no such key: {key}"))
        for part in self._names:
            self._fetch(part)
        self.tables["clauses"] = list(self._clauses(clauses))

    def place(self, key: str, says: str) -> Problem:
        """Name the source file of a key, and the key's name in that file.

        ``layout`` is the choice made in rulebook.toml; ``layout.`` and ``layout.rows`` are in layouts.toml, under the
        layout's name; ``clauses[3].topic`` is in clauses.toml, under the clause's number.
        """
        found = _PART.fullmatch(key)
        if found is None:
            return Problem(RULEBOOK, key.rstrip("."), says)
        part, place, rest = found.groups()
        name = str(self.tables["clauses"][int(place)]["clause"] if place else self._names[part])
        if part == "clauses" and rest.startswith("tests"):
            return Problem(TESTS, name, says)
        return Problem(_SOURCES[part], f"{name}.{rest}".rstrip("."), says)

    def _read(self, name: str, *, optional: bool = False, folder: Traversable | None = None) -> Tables:
        place = folder or self._folder
        try:
            if optional and name not in {entry.name for entry in place.iterdir()}:
                return {}
            return tomllib.loads(self._text(place.joinpath(name)))
        except OSError as error:
            says = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError as error:
            says = f"is not UTF-8 text: byte {error.start}"
        except (ValueError, RecursionError) as error:  # TOML's own error, a figure or a nesting without end
            says = f"is not TOML: {error}"
        self.complaints.append(Problem(name, "", says))
        return {}

    @staticmethod
    def _text(file: Traversable) -> str:
        # A pipe or a device could block for ever: read regular files only, and let other errors occur as they are.
        if isinstance(file, Path) and file.exists() and not (file.is_file() or file.is_dir()):
            raise OSError(EINVAL, "not a plain file")
        return file.read_text("utf-8-sig")

    def _fetch(self, part: str) -> None:
        """Replace the name of a wheel or a layout by its table: from this folder, else from the shared files."""
        source, name = _SOURCES[part], self._names[part]
        known = {**self._read(source, folder=SHIPPED), **self._read(source, optional=True)}
        if isinstance(name, str) and name in known:
            self.tables[part] = self._named(source, name, known[name], ("id",))
        elif self.tables:
            found = "missing: one of" if name is None else f"{display_value(name)} is none of"
            self.complaints.append(Problem(RULEBOOK, part, f"{found} {', '.join(known)}"))

    def _named(self, source: str, name: str, table: object, taken: tuple[str, ...]) -> Tables:
        """Add a table's name under the first of the reserved keys, which the table must not set itself."""
        if not isinstance(table, dict):
            self.complaints.append(Problem(source, name, "expected a table"))
            return {}
        set_anyway = [key for key in taken if key in table]
        self.complaints.extend(Problem(source, name, f"no such key: {key}") for key in set_anyway)
        return {taken[0]: name, **table}

    def _clauses(self, clauses: Tables) -> Iterator[Tables]:
        tests = self._read(TESTS, optional=True)
        for name, table in clauses.items():
            yield {**self._named(CLAUSES, name, table, ("clause", "tests")), "tests": tests.get(name, [])}
        if clauses:
            strangers = (name for name in tests if name not in clauses)
            self.complaints.extend(Problem(TESTS, name, "is not a clause of this document") for name in strangers)


@cache
def rulebook_ids() -> tuple[str, ...]:
    """List the bundled venues."""
    return tuple(sorted(entry.name for entry in SHIPPED.iterdir() if entry.joinpath(RULEBOOK).is_file()))


def load_rulebook(reference: str) -> Rulebook | Refusal:
    """Load a rulebook by its id, or by the path of its folder."""
    if reference in rulebook_ids():
        return _load_own(reference)
    folder = _folder(reference)
    if folder is not None:
        return _load(reference, folder)
    known = rulebook_ids()
    says = f"There is no rulebook {reference!r}: give a folder that holds {RULEBOOK}, or one of {', '.join(known)}."
    return Refusal(Code.UNKNOWN_RULEBOOK, None, says, {"rulebook": reference, "known": known})


@cache
def _load_own(name: str) -> Rulebook | Refusal:
    """Load a bundled rulebook, which does not change while the process runs."""
    return _load(name, SHIPPED.joinpath(name))


def _load(reference: str, folder: Traversable) -> Rulebook | Refusal:
    read = read_folder(folder)
    if isinstance(read, Rulebook):
        return read
    says = f"The rulebook in {reference} is not consistent: {len(read)} complaint{'s' if len(read) > 1 else ''}."
    return Refusal(Code.RULEBOOK_INCONSISTENT, None, says, {"rulebook": reference, "complaints": read})


def _folder(reference: str) -> Traversable | None:
    try:
        path = Path(reference)
        return path if reference and path.is_dir() else None
    except (OSError, ValueError):  # a name too long for the system, or with a null in it
        return None


def read_folder(folder: Traversable) -> Rulebook | tuple[Problem, ...]:
    """Read and validate the rulebook in a folder, or list its problems."""
    read = RulebookFolder(folder)
    if read.complaints:
        return tuple(read.complaints)
    rulebook = structure(read.tables)
    if not isinstance(rulebook, Rulebook):
        return tuple(read.place(f"{key}.", says) for key, says in rulebook)
    complaints = tuple(read.place(key, says) for key, says in validate(rulebook))
    return complaints or replace(rulebook, digest=digest(rulebook))


def geometry_problems(rulebook: Rulebook) -> Found:
    """List the problems of a rulebook's wheel and layout, each alone and together."""
    found = [*wheel_problems(rulebook.wheel), *layout_problems(rulebook.layout)]
    yield from found
    if not found and {cell.pocket for cell in rulebook.layout.cells} != set(rulebook.wheel.order):
        yield "layout", "wheel and layout do not have the same numbers"


def wheel_problems(wheel: Wheel) -> Found:
    """List the problems of a wheel."""
    strangers = [pocket for pocket in wheel.order if pocket not in POCKETS]
    if strangers:
        yield "wheel.order", f"no such pocket: {', '.join(strangers)}"
    if len(set(wheel.order)) != len(wheel.order):
        yield "wheel.order", "a pocket stands twice"
    missing = [pocket for pocket in (ZERO, *NUMBERS) if pocket not in wheel.order]
    if missing:
        yield "wheel.order", f"missing: {', '.join(missing)}"
    if wheel.order and wheel.order[0] != ZERO:
        yield "wheel.order", "the order is written clockwise from 0"
    if wheel.alternating and not strangers:
        yield from _colour_complaints(wheel)


def _colour_complaints(wheel: Wheel) -> Found:
    for left, right in pairwise((*wheel.order, *wheel.order[:1])):
        if colour(left) == colour(right):
            yield "wheel.order", f"{left} and {right} lie side by side and are both {colour(left)}"


def layout_problems(layout: Layout) -> Found:
    """List the problems of a felt, with the part that is wrong."""
    flaws = [*_strangers(layout), *_overlaps(layout)]
    if all(cell.area.is_real for cell in layout.zeros):
        flaws.extend(_gaps(layout))
    # Spots can be derived only from a consistent felt, to check that no two overlap.
    return iter(flaws or _shared_anchors(layout))


def _strangers(layout: Layout) -> Found:
    rows = tuple(tuple(NUMBERS[start : start + ROW]) for start in range(0, len(NUMBERS), ROW))
    if layout.rows != rows:
        yield "layout.rows", "the rows must be 1 2 3, 4 5 6 … 34 35 36"
    strangers = [cell.pocket for cell in layout.zeros if cell.pocket not in POCKETS or cell.pocket in NUMBERS]
    if strangers:
        yield "layout.zeros", f"not a zero: {', '.join(strangers)}"
    if len({cell.pocket for cell in layout.zeros}) != len(layout.zeros):
        yield "layout.zeros", "a zero stands twice"
    if sorted(box.bet for box in layout.boxes) != sorted(OUTSIDE):
        yield "layout.boxes", f"the boxes must be these twelve, each once: {', '.join(OUTSIDE)}"


def _overlaps(layout: Layout) -> Found:
    areas: list[tuple[str, str, Area]] = [("layout.zeros", cell.pocket, cell.area) for cell in layout.zeros]
    areas += [("layout.boxes", box.bet, box.area) for box in layout.boxes]
    for part, name, area in areas:
        if not area.is_real:
            yield part, f"{name} has no area"
        if not area.within(FELT):
            yield part, f"{name} lies off the felt"
    areas.append(("layout.rows", "the numbers", Area((0, len(NUMBERS) // ROW * CELL), (0, ROW * CELL))))
    for (part, name, area), (_, other, other_area) in combinations(areas, 2):
        overlap = area.shared(other_area)
        if overlap is not None and overlap.is_real:
            yield part, f"{name} and {other} overlap"


def _gaps(layout: Layout) -> Found:
    """The zero cells form whole rows, as wide as the numbers, without gaps up to the zero line."""
    rows: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for cell in layout.zeros:
        rows[cell.area.along].append(cell.area.across)
    if not rows or not _unbroken(rows, begin=min(rows)[0], end=0):
        yield "layout.zeros", "the zero cells must stand in rows that reach the zero line without a gap"
    if not all(_unbroken(row, begin=0, end=ROW * CELL) for row in rows.values()):
        yield "layout.zeros", "a row of zero cells must be as wide as the numbers, without a gap"


def _unbroken(spans: Iterable[tuple[int, int]], *, begin: int, end: int) -> bool:
    """Check whether each span begins where the previous one ends, from the first to the last."""
    ordered = sorted(spans)
    return [begin, *(stop for _, stop in ordered)] == [*(start for start, _ in ordered), end]


def _shared_anchors(layout: Layout) -> Found:
    taken: dict[ChipPosition, SpotKey] = {}
    for spot in derive_spots(layout):
        if spot.anchor in taken:
            yield "layout.zeros", f"{taken[spot.anchor]} and {spot.key} would stand on the same place"
        taken[spot.anchor] = spot.key


_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = frozenset({"on", "by", "column", "dozen", *OUTSIDE})


def validate(rulebook: Rulebook) -> Found:
    """List all inconsistencies; empty if the rulebook is consistent."""
    found = [*_names(rulebook), *geometry_problems(rulebook)]
    if not any(key.startswith(("wheel", "layout")) for key, _ in found):
        found += [*_prices(rulebook), *_calls(rulebook), *_aliases(rulebook), *_button(rulebook)]
    found += [
        *_profiles(rulebook),
        *_procedure(rulebook),
        *_payout(rulebook),
        *_staff(rulebook),
        *_duties(rulebook),
        *_figures(rulebook),
        *_clauses(rulebook),
    ]
    # An example can be tested only if everything else is consistent.
    return iter(found or _example(rulebook))


def _names(rulebook: Rulebook) -> Found:
    if not _SLUG.fullmatch(rulebook.id):
        yield "id", "must be small letters and figures joined by hyphens"
    if not re.fullmatch("[A-Z]{3}", rulebook.currency):
        yield "currency", "must be three capital letters"


def _prices(rulebook: Rulebook) -> Found:
    if not rulebook.paytable.prices:
        yield "paytable.prices", "there must be something to bet on"
    for place, zero in enumerate(rulebook.paytable.zeros):
        if zero.pocket in NUMBERS or zero.pocket not in rulebook.wheel.order:
            yield f"paytable.zeros[{place}].pocket", f"there is no zero {zero.pocket} on this wheel"
    on_felt = {spot.kind: len(spot.numbers) for spot in derive_spots(rulebook.layout)}
    for kind, price in rulebook.paytable.prices.items():
        key = f"paytable.prices.{kind.value}"
        if kind not in on_felt:
            yield key, "this layout has no such bet"
        elif price.pays < 1:
            yield f"{key}.pays", "must be 1 or more, to one"
        elif on_felt[kind] * price.gross > len(rulebook.wheel.order):
            yield f"{key}.pays", f"{price.pays} to 1 on {_numbers(on_felt[kind])} is a loss to the house"


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _calls(rulebook: Rulebook) -> Found:
    names = [(f"calls[{place}].name", call.name) for place, call in enumerate(rulebook.calls)]
    names += [(f"calls[{place}].aliases", name) for place, call in enumerate(rulebook.calls) for name in call.aliases]
    names += [(f"aliases[{place}].name", alias.name) for place, alias in enumerate(rulebook.aliases)]
    taken: set[str] = set()
    for key, name in names:
        if name in taken:
            yield key, f"the name '{name}' stands twice"
        if not _SLUG.fullmatch(name) or name in _RESERVED or not re.search("[a-z]", name):
            yield key, f"'{name}' is not a name in the notation"
        taken.add(name)
    for place, call in enumerate(rulebook.calls):
        yield from ((f"calls[{place}].{key}", says) for key, says in _call(call, rulebook))


def _call(call: CallBet, rulebook: Rulebook) -> Found:
    for piece in dict.fromkeys(call.pieces):
        if piece not in rulebook.spots:
            yield "pieces", f"{piece} cannot be bet here, or is written in another order"
    if call.kind is not CallKind.PIECES and SpotKind.STRAIGHT not in rulebook.paytable.prices:
        yield "kind", "such a call needs a price for straight up"
    if (call.kind is CallKind.PIECES) != bool(call.pieces):
        yield "pieces", "pieces are listed for the kind 'pieces', and for no other"
    if (call.kind is CallKind.MARKER) != (call.minimum is not None):
        yield "minimum", "goes with the kind 'marker', and with no other"
    least, most = call.reach.least, call.reach.most
    if call.kind in (CallKind.NEIGHBOURS, CallKind.MARKER):
        if call.kind is CallKind.MARKER and (least, most) != (NUMBERS_UNDER_MARKER // 2,) * 2:
            yield "reach", "a marker button has two numbers on either side"
        elif not 1 <= least <= most <= _reach_most(rulebook):
            yield "reach", f"must be from 1 to {_reach_most(rulebook)}, the least first"
    elif (least, most) != (0, 0):
        yield "reach", "only neighbours have a reach"


def _reach_most(rulebook: Rulebook) -> int:
    return (len(rulebook.wheel.order) - 1) // 2


def _aliases(rulebook: Rulebook) -> Found:
    for place, alias in enumerate(rulebook.aliases):
        if alias.spot not in rulebook.spots:
            yield f"aliases[{place}].spot", f"{alias.spot} cannot be bet here"
        cells = (alias.area.shared(cell.area) for cell in rulebook.layout.cells)
        if not (alias.area.is_real and alias.area.within(FELT)) or any(cell and cell.is_real for cell in cells):
            yield f"aliases[{place}].area", "must be an area of the felt, away from the numbers"


def _button(rulebook: Rulebook) -> Found:
    button = rulebook.neighbours_button
    if button is None:
        return
    within = all(1 <= reach <= _reach_most(rulebook) for reach in button.reach)
    if not button.reach or not within or any(after <= before for before, after in pairwise(button.reach)):
        yield "neighbours_button.reach", f"must grow, from 1 to at most {_reach_most(rulebook)}"


def _example(rulebook: Rulebook) -> Found:
    bets = read_slip(rulebook, rulebook.example)
    refused = bets if isinstance(bets, Refusal) else rulebook.risk_objection(bets)
    if refused is not None:
        yield "example", f"cannot be played: {refused.message}"


def _profiles(rulebook: Rulebook) -> Found:
    yield from (
        ("profiles", f"the id '{id_}' stands twice") for id_ in _repeated(each.id for each in rulebook.profiles)
    )
    names = {call.name for call in rulebook.calls}
    for place, profile in enumerate(rulebook.profiles):
        if not _SLUG.fullmatch(profile.id):
            yield f"profiles[{place}].id", "must be small letters and figures joined by hyphens"
        for name in profile.calls:
            if name not in names:
                yield f"profiles[{place}].calls", f"'{name}' is not a call of this rulebook"
        if profile.channel not in rulebook.channels:
            yield f"profiles[{place}].channel", f"the rulebook has no channel '{profile.channel}'"


def _procedure(rulebook: Rulebook) -> Found:
    procedure = rulebook.procedure
    after_launch = procedure.closes.choice is CloseRule.AFTER_LAUNCH
    if after_launch != (procedure.launch_to_close is not None):
        yield "procedure.launch_to_close", "goes with betting that closes after_launch, and with no other"
    if not rulebook.channels:
        yield "channels", "there must be a way to bet"
    if MessageKind.CLOSED not in rulebook.messages:
        yield "messages.closed", "the words for the close of betting are missing"
    if (procedure.warning.choice is WarningKind.MESSAGE) != (MessageKind.FINISH_BETTING in rulebook.messages):
        yield "messages.finish_betting", "goes with a warning by message, and with no other"
    for occasion, message in rulebook.messages.items():
        if not message.texts:
            yield f"messages.{occasion.value}.texts", "must hold at least one text"


def _payout(rulebook: Rulebook) -> Found:
    if rulebook.channels and (ChannelName.TABLE in rulebook.channels) != (rulebook.payout is not None):
        yield "payout", "goes with a channel 'table', and with no other"
    if rulebook.payout is not None and sorted(rulebook.payout.order) != sorted(SegmentGroup):
        yield "payout.order", f"must hold each of these once: {', '.join(SegmentGroup)}"


#: The duties without which no round can be completed.
_DUTIES = (Duty.DEAL, Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)


def _duties(rulebook: Rulebook) -> Found:
    titles = (*rulebook.staff.order, *rulebook.staff.others)
    for duty, ruling in rulebook.staff.duties.items():
        if ruling.choice not in titles:
            yield f"staff.duties.{duty.value}", f"'{ruling.choice}' is not a title of this venue"
    for duty in _DUTIES:
        if duty not in rulebook.staff.duties:
            yield f"staff.duties.{duty.value}", "somebody must have this duty"
    for topic in CitedTopic:
        if (topic in rulebook.cited_clauses) == (topic in CHIP_TOPICS):
            says = "belongs to a channel with chips" if topic in CHIP_TOPICS else "name the nearest clause"
            yield f"cites.{topic.value}", says
    for name, channel in rulebook.channels.items():
        wanted = CHIP_TOPICS if any(each.choice is CreditIn.CHIPS for each in channel.credit_in) else ()
        for topic in (each for each in wanted if each not in channel.cites):
            yield f"channels.{name.value}.cites.{topic.value}", "name the nearest clause"


def _staff(rulebook: Rulebook) -> Found:
    titles = (*rulebook.staff.order, *rulebook.staff.others)
    yield from (("staff", f"the title '{title}' stands twice") for title in _repeated(titles))
    if not rulebook.staff.order:
        yield "staff.order", "somebody must run the game"
    reasons = [irregularity.reason for irregularity in rulebook.irregularities]
    yield from (("irregularities", f"'{reason}' stands twice") for reason in _repeated(reasons))
    if Reason.NOT_COVERED not in reasons:
        yield "irregularities", "'not_covered' is missing: something will happen that no rule names"
    for place, irregularity in enumerate(rulebook.irregularities):
        for title in irregularity.by:
            if title not in titles:
                yield f"irregularities[{place}].by", f"'{title}' is not a title of this venue"


def _figures(rulebook: Rulebook) -> Found:
    if rulebook.limits is not None:
        yield from _limits(rulebook.limits)
    if rulebook.risk is not None and not 0 <= rulebook.risk.percent <= 100:  # noqa: PLR2004 - per cent
        yield "risk.percent", "must be from 0 to 100"
    if rulebook.tax is not None and rulebook.tax.threshold < 1:
        yield "tax.threshold", "must be above 0"
    procedure, terminal = rulebook.procedure, rulebook.terminal
    figures = {
        "procedure.revolutions": procedure.revolutions,
        "procedure.launch_to_close": procedure.launch_to_close,
        "terminal.games": terminal.games,
        "terminal.patterns": terminal.patterns,
        "terminal.idle_spins": terminal.idle_spins,
        **{f"calls[{place}].minimum": call.minimum for place, call in enumerate(rulebook.calls)},
    }
    for key, figure in figures.items():
        if figure is not None and figure.value < 1:
            yield f"{key}.figure", "must be above 0"


def _limits(limits: Limits) -> Found:
    ranges: dict[str, Range] = {"spot": limits.spot, "total": limits.total}
    ranges |= {f"kinds.{kind.value}": bounds for kind, bounds in limits.kinds.items()}
    for key, bounds in ranges.items():
        least = 0 if bounds.least is None else bounds.least
        if least < 0 or (bounds.most is not None and bounds.most < max(least, 1)):
            yield f"limits.{key}", "the least must not be below 0 nor above the most, and the most not below 1"


def _clauses(rulebook: Rulebook) -> Found:
    known = {clause.clause for clause in rulebook.clauses}
    for key, clause in cited(rulebook, ""):
        if clause not in known:
            yield key, f"'{clause}' is not a clause of this document"
    for place, listed in enumerate(rulebook.clauses):
        if bool(listed.code) == bool(listed.no_code):
            yield f"clauses[{place}].code", "name the code that keeps it, or in no_code why there is none: one of them"
        if listed.awaits and not listed.code:
            yield f"clauses[{place}].awaits", "goes with code: say it in no_code where there is none"


def cited(value: Any, key: str) -> Iterator[tuple[str, ClauseId]]:  # noqa: ANN401 - walks any part of a rulebook
    """Find every clause that a part of a rulebook cites, with its key."""
    if is_dataclass(value):
        hints = get_type_hints(type(value))
        for field in fields(value):
            inner = getattr(value, field.name)
            inner_key = f"{key}.{field.metadata.get('key', field.name)}".lstrip(".")
            if hints[field.name] in (ClauseId, ClauseId | None) and inner is not None:
                yield inner_key, inner
            elif hints[field.name] == Cites:
                yield from ((f"{inner_key}.{topic.value}", clause) for topic, clause in inner.items())
            else:
                yield from cited(inner, inner_key)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from cited(inner, f"{key}.{name}")
    elif isinstance(value, tuple):
        for place, inner in enumerate(value):
            yield from cited(inner, f"{key}[{place}]")


def _repeated(values: Iterable[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]
