"""Slips: what is written in the notation, read against a venue's rulebook into bets or a refusal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from croupier.rules.bet import Bet
from croupier.rules.callbet import CallBet, Called, CallKind, arguments, pieces_of
from croupier.rules.limits import limit_objections
from croupier.rules.marker import NUMBERS_UNDER_MARKER, indivisible
from croupier.rules.money import CENTS_PER_UNIT, Cents
from croupier.rules.notation import MalformedError, Wager, parse_call, parse_slip
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import Profile
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import INSIDE_KINDS, OUTSIDE, Kind, Spot, SpotKey

Bets = tuple[Bet, ...]


def read_slip(rulebook: Rulebook, text: str, profile: str | None = None) -> Bets | Refusal:
    """Read a slip as it would be handed in: form, layout, calls and the document's own limits; whole or not at all."""
    try:
        wagers = parse_slip(text)
    except MalformedError as error:
        return malformed(error)
    return bets_of(rulebook, wagers, profile)


def bets_of(rulebook: Rulebook, wagers: Iterable[Wager], profile: str | None = None) -> Bets | Refusal:
    place = find_profile(rulebook, profile)
    if isinstance(place, Refusal):
        return place
    read = [_bets(rulebook, wager, place) for wager in wagers]
    bets = tuple(bet for part in read if not isinstance(part, Refusal) for bet in part)
    objections = [part for part in read if isinstance(part, Refusal)]
    if rulebook.limits is not None:
        objections.extend(limit_objections(bets, rulebook.limits))
    return first_of(objections) or bets


def first_of(objections: Iterable[Refusal]) -> Refusal | None:
    """Choose the objection to give: the first by the precedence of codes, then the first written."""
    precedence = tuple(Code)
    return min(objections, key=lambda refusal: precedence.index(refusal.code), default=None)


def malformed(error: MalformedError) -> Refusal:
    facts = {"text": error.text, "at": error.at}
    return Refusal(Code.MALFORMED, None, f"{error.says[:1].upper()}{error.says[1:]}.", facts)


@dataclass(frozen=True, slots=True)
class Expansion:
    """A call taken apart: how many chips go where, and what it costs."""

    call: str
    bets: Bets
    chips: int

    @property
    def cost(self) -> Cents:
        return Cents(sum(bet.stake for bet in self.bets))


def expand_call(rulebook: Rulebook, text: str, profile: str | None = None) -> Expansion | Refusal:
    """Take a call apart; without an amount, one unit on each piece."""
    try:
        said = parse_call(text)
    except MalformedError as error:
        return malformed(error)
    place = find_profile(rulebook, profile)
    if isinstance(place, Refusal):
        return place
    if isinstance(said, Wager):
        assert isinstance(said.on, Called)
        return _expansion(rulebook, said.on, said.amount, place)
    return _expansion(rulebook, said, None, place)


def read_pocket(rulebook: Rulebook, text: str) -> Pocket | Refusal:
    """Read a result: a pocket of this venue's wheel, named as it is printed."""
    if text in rulebook.wheel.order:
        return Pocket(text)
    says = (
        f"{text!r} is not a pocket of this wheel, which has 0{', 00' if '00' in rulebook.wheel.order else ''}, 1 to 36."
    )
    return Refusal(Code.POCKET_NOT_ON_WHEEL, rulebook.wheel_clause, says, {"pocket": text})


def find_profile(rulebook: Rulebook, wanted: str | None) -> Profile | Refusal | None:
    """Find a terminal model or table by id; without one, everything the venue offers is on offer."""
    if wanted is None:
        return None
    found = next((profile for profile in rulebook.profiles if profile.id == wanted), None)
    known = tuple(profile.id for profile in rulebook.profiles)
    says = f"There is no profile {wanted!r} here; there is {', '.join(known) or 'none'}."
    return found or Refusal(Code.UNKNOWN_PROFILE, rulebook.calls_clause, says, {"profile": wanted, "known": known})


def _bets(rulebook: Rulebook, wager: Wager, place: Profile | None) -> Bets | Refusal:
    if isinstance(wager.on, Called):
        alias = rulebook.spot_aliases.get(str(wager.on))
        if alias is not None:
            return (Bet(alias, wager.amount),)
        expansion = _expansion(rulebook, wager.on, wager.amount, place)
        return expansion if isinstance(expansion, Refusal) else expansion.bets
    spot = find_spot(rulebook, wager.on, place)
    return spot if isinstance(spot, Refusal) else (Bet(spot, wager.amount),)


def find_spot(rulebook: Rulebook, key: SpotKey, place: Profile | None = None) -> Spot | Refusal:
    """Find a spot by name, or say which clause keeps it off this layout."""
    spot = rulebook.spots.get(key)
    if spot is not None:
        return spot
    numbers = key.split("/")
    kind = OUTSIDE[key][0] if key in OUTSIDE else INSIDE_KINDS.get(len(numbers))
    price = rulebook.paytable.prices.get(kind) if kind else None
    if price is None:
        return Refusal(Code.KIND_NOT_PRICED, rulebook.paytable.clause, _unpriced(key, kind), {"spot": key})
    strangers = tuple(number for number in numbers if number not in rulebook.wheel.order)
    if strangers:
        says = f"There is no {' or '.join(strangers)} on this layout, so {key} cannot be bet."
    else:
        says = f"{key} is not a {price.label} on this layout: the numbers do not meet there."
    own = rulebook.channels[place.channel].placement if place else None
    return Refusal(Code.SPOT_NOT_ON_LAYOUT, own or price.placement, says, {"spot": key})


def _unpriced(key: SpotKey, kind: Kind | None) -> str:
    numbers = len(key.split("/"))
    if kind is None:
        return f"No bet covers {numbers} numbers by listing them: columns, dozens and even chances go by their names."
    if key in OUTSIDE:
        return f"No price is set for {key} here, so it cannot be bet."
    return f"No bet on {numbers} numbers is priced here, so {key} cannot be bet."


def _expansion(rulebook: Rulebook, said: Called, amount: Cents | None, place: Profile | None) -> Expansion | Refusal:
    call = rulebook.call_names.get(said.name)
    if call is None or (place is not None and call.name not in place.calls):
        return _not_offered(rulebook, said, place)
    reach = call.reach.least if said.reach is None else said.reach
    objection = first_of(_call_objections(rulebook, call, said, reach))
    if objection is not None:
        return objection
    pieces = pieces_of(call, said.number, reach, rulebook.wheel, rulebook.spots)
    chips = sum(pieces.values())
    if call.kind is CallKind.MARKER:
        total = Cents(CENTS_PER_UNIT * NUMBERS_UNDER_MARKER) if amount is None else amount
        refusal = indivisible(total, call.clause)
        if refusal is not None:
            return refusal
        piece = total // chips
    else:
        piece = Cents(CENTS_PER_UNIT) if amount is None else amount
    name = str(Called(call.name, said.number, said.reach))
    bets = tuple(Bet(spot, Cents(piece * count), name) for spot, count in pieces.items())
    return Expansion(name, bets, chips)


def _not_offered(rulebook: Rulebook, said: Called, place: Profile | None) -> Refusal:
    offered = tuple(call.name for call in rulebook.calls) if place is None else tuple(place.calls)
    where = rulebook.venue if place is None else place.label
    clause = rulebook.calls_clause if place is None else place.clause
    says = f"{where} does not offer '{said.name}'; it offers {', '.join(offered) or 'no calls'}."
    return Refusal(Code.CALL_NOT_OFFERED, clause, says, {"call": said.name, "offered": offered})


def _call_objections(rulebook: Rulebook, call: CallBet, said: Called, reach: int) -> Iterator[Refusal]:
    if said.number not in arguments(call, rulebook.wheel):
        wanted = "a number of this wheel" if call.takes_number else "nothing"
        wanted = "one digit" if call.kind is CallKind.LAST_DIGIT else wanted
        says = f"'{call.name}' takes {wanted} after its name, not {said.number or 'nothing'}."
        yield Refusal(Code.CALL_ARGUMENT, call.clause, says, {"call": str(said)})
    if not call.reach.least <= reach <= call.reach.most:
        says = f"'{call.name}' {_reach_text(call, reach)}."
        facts = {"reach": reach, "least": call.reach.least, "most": call.reach.most}
        yield Refusal(Code.NEIGHBOURS_REACH, call.clause, says, facts)


def _reach_text(call: CallBet, wanted: int) -> str:
    least, most = call.reach.least, call.reach.most
    if most == 0:
        return "has no neighbours to reach"
    return f"reaches {least if least == most else f'{least} to {most}'} on each side here, not {wanted}"
