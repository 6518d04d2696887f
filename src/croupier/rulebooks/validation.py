"""Validates a rulebook: whether its parts are consistent with each other."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import combinations, pairwise
from typing import Any, get_type_hints

from croupier.rulebooks.schema import Found
from croupier.rules.calls import NUMBERS_UNDER_MARKER, CallBet, CallKind
from croupier.rules.geometry import (
    CELL,
    FELT,
    POCKETS,
    STRAIGHT,
    Area,
    ChipPosition,
    Colour,
    Geometry,
    Kind,
    Layout,
    SegmentGroup,
    SpotKey,
    SpotKind,
    Wheel,
    inside_places,
    is_zero,
)
from croupier.rules.limits import Limits, Range
from croupier.rules.notation import read_slip
from croupier.rules.pricing import PRISONS, Paytable, Price, ZeroEffect, spot_edge
from croupier.rules.procedure import (
    ChannelName,
    CloseRule,
    CreditIn,
    Duty,
    MessageKind,
    Reason,
    WarningKind,
    WinningStake,
)
from croupier.rules.refusal import CHIP_TOPICS, CitedTopic, Cites, ClauseId, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.texts import ID_FORM, is_id


def geometry_problems(rulebook: Rulebook) -> Found:
    """List the problems of a rulebook's wheel and layout, each alone and together."""
    found = [*wheel_problems(rulebook.wheel), *layout_problems(rulebook.layout)]
    yield from found
    if found:
        return
    printed, order = {cell.pocket for cell in rulebook.layout.cells}, set(rulebook.wheel.order)
    for key, one, where in (
        ("layout.rows", printed - order, "on the layout, not on the wheel"),
        ("wheel.order", order - printed, "on the wheel, not on the layout"),
    ):
        if one:
            numbers = sorted(one, key=POCKETS.index)
            yield key, f"{', '.join(numbers)} {'is' if len(numbers) == 1 else 'are'} {where}"
    if printed == order:
        yield from _kinds(rulebook)


#: How many pockets a wheel may have.
POCKETS_LEAST, POCKETS_MOST = 20, 40


def wheel_problems(wheel: Wheel) -> Found:
    """List the problems of a wheel."""
    strangers = [pocket for pocket in wheel.order if pocket not in POCKETS]
    if strangers:
        yield "wheel.order", f"no such pocket: {', '.join(strangers)}"
    if len(set(wheel.order)) != len(wheel.order):
        yield "wheel.order", f"stands twice: {', '.join(_repeated(wheel.order))}"
    if not POCKETS_LEAST <= len(wheel.order) <= POCKETS_MOST:
        says = f"a wheel has {POCKETS_LEAST} to {POCKETS_MOST} pockets, and this one has {len(wheel.order)}"
        yield "wheel.order", says
    if "0" in wheel.order[1:]:
        yield "wheel.order", "the order is written clockwise from 0"
    not_red = [pocket for pocket in wheel.red if is_zero(pocket) or pocket not in POCKETS]
    if not_red:
        yield "wheel.red", f"cannot be red: {', '.join(not_red)}"
    if wheel.alternating and not strangers:
        for left, right in pairwise((*wheel.order, *wheel.order[:1])):
            if wheel.colour(left) == wheel.colour(right):
                yield "wheel.order", f"{left} and {right} lie side by side and are both {wheel.colour(left)}"


def layout_problems(layout: Layout) -> Found:
    """List the problems of a felt, with the part that is wrong."""
    flaws = [*_strangers(layout), *_overlaps(layout)]
    if not flaws:
        flaws.extend(_apart(layout))
    # Places can be derived only from a consistent felt, to check that no two overlap.
    return iter(flaws or _shared_anchors(layout))


def _strangers(layout: Layout) -> Found:
    if not layout.rows or not layout.rows[0] or len({len(row) for row in layout.rows}) != 1:
        yield "layout.rows", "there must be rows, and each as long as the others"
    rows = [pocket for row in layout.rows for pocket in row]
    for part, pockets in (("rows", rows), ("zeros", [cell.pocket for cell in layout.zeros])):
        strangers = [pocket for pocket in pockets if pocket not in POCKETS or (part == "zeros" and not is_zero(pocket))]
        if strangers:
            yield f"layout.{part}", f"not a {'zero' if part == 'zeros' else 'pocket'}: {', '.join(strangers)}"
    twice = _repeated(cell.pocket for cell in layout.cells)
    if twice:
        part = "zeros" if not any(each.strip("0") for each in twice) else "rows"
        yield f"layout.{part}", f"stands twice: {', '.join(twice)}"
    boxes = _repeated(box.bet for box in layout.boxes)
    if boxes:
        yield "layout.boxes", f"stands twice: {', '.join(boxes)}"


def _overlaps(layout: Layout) -> Found:
    areas: list[tuple[str, str, Area]] = [("layout.zeros", cell.pocket, cell.area) for cell in layout.zeros]
    areas += [("layout.boxes", box.bet, box.area) for box in layout.boxes]
    length, width = len(layout.rows) * CELL, max(map(len, layout.rows), default=0) * CELL
    areas.append(("layout.rows", "the numbers", Area((0, length), (0, width))))
    for part, name, area in areas:
        if not area.is_real:
            yield part, f"{name} has no area"
        if not area.within(FELT):
            yield part, f"{name} lies off the felt"
    for (part, name, area), (_, other, other_area) in combinations(areas, 2):
        overlap = area.shared(other_area)
        if overlap is not None and overlap.is_real:
            yield part, f"{name} and {other} overlap"


def _apart(layout: Layout) -> Found:
    """Each zero touches another cell along an edge, as no split and no other bet with it would be possible."""
    edges = {pocket for place in inside_places(layout) if place.at is Geometry.EDGE for pocket in place.numbers}
    for cell in layout.zeros:
        if cell.pocket not in edges:
            yield "layout.zeros", f"{cell.pocket} touches no other cell"


def _shared_anchors(layout: Layout) -> Found:
    taken: dict[ChipPosition, str] = {}
    for place in inside_places(layout):
        name = "/".join(place.numbers)
        if place.anchor in taken:
            yield "layout.zeros", f"{taken[place.anchor]} and {name} would stand on the same place"
        taken[place.anchor] = name


def _kinds(rulebook: Rulebook) -> Found:
    """List the problems of the kinds of bet, and of the boxes that the layout has for them."""
    outside = {bet for kind in rulebook.kinds for bet in kind.boxes}
    strangers = [box.bet for box in rulebook.layout.boxes if box.bet not in outside]
    if strangers:
        yield "layout.boxes", f"no kind of bet has a box for {', '.join(strangers)}"
    printed = {box.bet for box in rulebook.layout.boxes}
    for place, kind in enumerate(rulebook.kinds):
        if kind.id in rulebook.paytable.prices:
            yield from ((f"kinds[{place}].{key}", says) for key, says in _kind(kind, rulebook, printed))


def _kind(kind: Kind, rulebook: Rulebook, printed: set[SpotKey]) -> Found:
    if not re.fullmatch("[a-z][a-z0-9]*(?:_[a-z0-9]+)*", kind.id):
        yield "", "the id of a kind is small letters and figures, joined by underscores"
    if bool(kind.shapes) == bool(kind.boxes):
        yield "shapes", "a kind has either shapes, on the numbers, or boxes beside them"
    if kind.id == STRAIGHT and any(each.at is not Geometry.CELL for each in kind.shapes):
        yield "shapes", "a straight up lies in the cell of its number"
    for bet, numbers in kind.boxes.items():
        if not _OUTSIDE.fullmatch(bet):
            yield f"boxes.{bet}", "the name of an outside bet is a word, which a number may follow"
        missing = [number for number in numbers if number not in rulebook.wheel.order]
        if missing or not numbers or _repeated(numbers):
            besides = f", which has no {', '.join(missing)}" if missing else ""
            yield f"boxes.{bet}", f"must list pockets of this wheel, each once{besides}"
        coloured = tuple(pocket for pocket in rulebook.pockets if rulebook.wheel.colour(pocket).value == bet)
        if bet in {each.value for each in Colour} and set(numbers) != set(coloured):
            yield f"boxes.{bet}", f"the {bet} pockets of this wheel are {', '.join(coloured)}"
        if bet not in printed:
            yield f"boxes.{bet}", "the layout has no box for it"


_OUTSIDE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?: [1-9][0-9]?)?")
_RESERVED = frozenset({"on", "by"})


def validate(rulebook: Rulebook) -> Found:
    """List all inconsistencies; empty if the rulebook is consistent."""
    found = [*_names(rulebook), *geometry_problems(rulebook)]
    # Spots can be derived only from a wheel, a layout and kinds of bet that are in order.
    if not any(key.startswith(("wheel", "layout", "kinds")) for key, _ in found):
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
    if not is_id(rulebook.id):
        yield "id", f"must be {ID_FORM}"
    if not re.fullmatch("[A-Z]{3}", rulebook.currency):
        yield "currency", "must be three capital letters"


#: The highest sum of the weights of a table, and the highest multiple.
WEIGHT_MOST, MULTIPLE_MOST = 1_000_000, 100_000


def _prices(rulebook: Rulebook) -> Found:
    if not rulebook.paytable.prices:
        yield "paytable.prices", "there must be something to bet on"
    for place, zero in enumerate(rulebook.paytable.zeros):
        if zero.pocket not in rulebook.wheel.zeros:
            yield f"paytable.zeros[{place}].pocket", f"there is no zero {zero.pocket} on this wheel"
        for kind in zero.kinds:
            if kind not in rulebook.paytable.prices:
                yield f"paytable.zeros[{place}].kinds", f"{kind} is no kind of bet that has a price"
    yield from _carried(rulebook.paytable)
    for kind in rulebook.paytable.prices:
        if kind not in rulebook.kind_names:
            yield f"paytable.prices.{kind}", f"'{kind}' is none of {', '.join(rulebook.kind_names)}"
    yield from ((f"paytable.progressive{part}", says) for part, says in _progressive(rulebook))
    drawn = list(_multipliers(rulebook))
    yield from ((f"paytable.multipliers{part}", says) for part, says in drawn)
    # The return of a straight up can be computed only from tables that are in order.
    for kind, price in () if drawn else rulebook.prices.items():
        yield from ((f"paytable.prices.{kind}{part}", says) for part, says in _price(rulebook, kind, price))


def _carried(paytable: Paytable) -> Found:
    twice = {kind for kind, price in paytable.prices.items() if price.twice}
    prisons = [(place, zero) for place, zero in enumerate(paytable.zeros) if zero.does in PRISONS]
    for place, zero in prisons:
        for kind in twice.intersection(zero.kinds or twice):
            yield f"paytable.zeros[{place}].does", f"{kind} is a bet on two spins, which cannot be in prison"
    outlives = "stakes that outlive their round: in prison, or of a bet on two spins"
    if bool(twice or prisons) != (paytable.carried is not None):
        yield "paytable.carried", f"missing, and there are {outlives}" if twice or prisons else f"goes with {outlives}"


def _multipliers(rulebook: Rulebook) -> Found:
    multipliers, straight = rulebook.paytable.multipliers, rulebook.prices.get(STRAIGHT)
    if multipliers is None:
        return
    if straight is None or not straight.is_plain:
        yield "", "a straight up must be offered, for whole odds without steps or a cap"
    if rulebook.procedure.closes.choice is not CloseRule.BEFORE_SPIN:
        yield "", "the numbers are drawn before the spin, so procedure.closes must be before_spin"
    numbers = [each.numbers for each in multipliers.counts]
    pays = [each.pays for each in multipliers.multiples]
    weights = ([each.weight for each in multipliers.counts], [each.weight for each in multipliers.multiples])
    for part, values, weighed in zip(("counts", "multiples"), (numbers, pays), weights, strict=True):
        if not values or values != sorted(set(values)) or values[0] < 1:
            yield f".{part}", "must be a growing list of whole numbers above 0"
        if any(weight < 1 for weight in weighed) or sum(weighed) > WEIGHT_MOST:
            yield f".{part}", f"each weight is 1 or more, and together they are {WEIGHT_MOST} at most"
    if numbers and max(numbers) > len(rulebook.wheel.order):
        yield ".counts", "there are not so many numbers on the wheel"
    if pays and max(pays) > MULTIPLE_MOST:
        yield ".multiples", f"a multiple is {MULTIPLE_MOST} at most"


def _progressive(rulebook: Rulebook) -> Found:
    rules = rulebook.paytable.progressive
    if rules is None:
        return
    price = rulebook.prices.get(rules.kind)
    spots = [spot for spot in rulebook.spots.values() if spot.kind == rules.kind]
    if price is None or len(spots) != 1:
        yield ".kind", f"'{rules.kind}' must have a price and one place on the layout"
        return
    if ChannelName.TABLE in rulebook.channels:
        yield "", "a pot is for betting with credits: there must be no channels.table"
    if not price.is_plain:
        yield ".kind", "its price has no steps, no cap and no second spin: what it wins is the pot"
    for zero in rulebook.wheel.zeros:
        rule = rulebook.paytable.zero_rule(rules.kind, zero)
        if rule is not None and rule.does is not ZeroEffect.LOSE and zero not in spots[0].covers:
            yield ".kind", f"such a bet loses on {zero}, so no rule on zeros may return a part of it"
    grows, reserved = rules.contributed(rules.stake)
    if rules.stake < 1 or grows < 1 or rules.reserves < 0 or grows + reserved > rules.stake:
        yield (
            ".contributes",
            "the least stake adds a cent or more to the pot, and with the reserve at most itself",
        )
    if not 1 <= rules.seed < rules.must_hit_by:
        yield ".must_hit_by", "must be above the seed, and the seed above 0"
    least = None if rulebook.limits is None else rulebook.limits.kinds.get(rules.kind, rulebook.limits.spot).least
    if least != rules.stake:
        yield ".stake", f"limits.kinds.{rules.kind} must have the same least stake"


def _price(rulebook: Rulebook, kind: SpotKind, price: Price) -> Found:
    spots = [spot for spot in rulebook.spots.values() if spot.kind == kind]
    if not spots:
        yield "", "this layout has no such bet"
        return
    rules = rulebook.paytable.progressive
    if rules is not None and rules.kind == kind:
        if price.pays != 0:
            yield ".pays", "must be 0: what the bet wins is the pot"
        elif rules.contributed(rules.stake)[0] >= 1 and spot_edge(spots[0], rulebook.paytable, rulebook.wheel) < 0:
            yield "", "the pot is a loss to the house: less must go to it, or it must begin with less"
        return
    all_odds = {".pays": price.pays} | {f".steps[{at}].pays": step.pays for at, step in enumerate(price.steps)}
    widest = max(spots, key=lambda spot: len(spot.numbers))
    for part, pays in all_odds.items():
        alone = replace(rulebook.paytable, prices={kind: replace(price, pays=pays)})
        if pays <= 0:
            yield part, "must be above 0, to one"
        elif spot_edge(widest, alone, rulebook.wheel) < 0:
            numbers = "1 number" if len(widest.numbers) == 1 else f"{len(widest.numbers)} numbers"
            drawn = rulebook.paytable.multipliers is not None and kind == STRAIGHT
            yield part, f"{pays} to 1 on {numbers} is a loss to the house{', with the multiples' if drawn else ''}"
    overs = [step.over for step in price.steps]
    if overs != sorted(set(overs)) or min(overs, default=1) < 1:
        yield ".steps", "each step begins above the one before it"
    yield from _cap(rulebook, kind, price)


def _cap(rulebook: Rulebook, kind: SpotKind, price: Price) -> Found:
    if price.win_most is None:
        return
    least = None if rulebook.limits is None else rulebook.limits.of(kind).least
    if price.win_most < 1:
        yield ".win_most", "must be above 0"
    elif least and replace(price, win_most=None).won(least) > price.win_most:
        yield ".win_most", "is less than the least stake wins"


def _calls(rulebook: Rulebook) -> Found:
    names = [(f"calls[{place}].name", call.name) for place, call in enumerate(rulebook.calls)]
    names += [(f"calls[{place}].aliases", name) for place, call in enumerate(rulebook.calls) for name in call.aliases]
    names += [(f"aliases[{place}].name", alias.name) for place, alias in enumerate(rulebook.aliases)]
    taken: set[str] = set()
    # The outside bets, and the words that begin their names: "column" of "column 1".
    outside = {part for each in rulebook.vocabulary.outside for part in (each, each.split()[0])}
    for key, name in names:
        if name in taken:
            yield key, f"the name '{name}' stands twice"
        if not is_id(name) or name in _RESERVED | outside or not re.search("[a-z]", name):
            yield key, f"'{name}' is not a name in the notation"
        taken.add(name)
    for place, call in enumerate(rulebook.calls):
        yield from ((f"calls[{place}].{key}", says) for key, says in _call(call, rulebook))


def _call(call: CallBet, rulebook: Rulebook) -> Found:
    yield from _listed(call, rulebook)
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


def _listed(call: CallBet, rulebook: Rulebook) -> Found:
    """List what is wrong with the spots that a call lists, or does not."""
    lists = {"pieces": call.pieces} | {f"choices.{said}": pieces for said, pieces in call.choices.items()}
    for key, pieces in lists.items():
        for piece in dict.fromkeys(pieces):
            if piece not in rulebook.spots:
                yield key, f"{piece} cannot be bet here, or is written in another order"
        if key != "pieces" and (not pieces or key.removeprefix("choices.") not in POCKETS):
            yield key, "must be a number that is said after the name, with its list of spots"
    if call.kind not in (CallKind.PIECES, CallKind.CHOICES) and STRAIGHT not in rulebook.paytable.prices:
        yield "kind", "such a call needs a price for straight up"
    for kind, listed in ((CallKind.PIECES, call.pieces), (CallKind.CHOICES, call.choices)):
        if (call.kind is kind) != bool(listed):
            yield kind.value, f"{kind.value} are listed for the kind '{kind.value}', and for no other"


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
        if not is_id(profile.id):
            yield f"profiles[{place}].id", f"must be {ID_FORM}"
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
    table = rulebook.channels.get(ChannelName.TABLE)
    if table is not None and table.winning_stake.choice is not WinningStake.STAY:
        yield (
            "channels.table.winning_stake.does",
            "must be stay: chips that win lie there until their player takes them",
        )
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
    ranges |= {f"kinds.{kind}": bounds for kind, bounds in limits.kinds.items()}
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
