"""The offer: what may be bet at a venue, spot by spot and call by call, or the clause that keeps it off."""

from collections.abc import Iterator
from dataclasses import dataclass

from croupier.rules.bet import Bet, staked
from croupier.rules.callbet import GAME_CALLS, CallBet, Called, CallKind, arguments, pieces_of
from croupier.rules.marker import NUMBERS_UNDER_MARKER, indivisible
from croupier.rules.money import CENTS_PER_UNIT, Cents
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import Profile
from croupier.rules.refusal import Code, Refusal, first_of
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import INSIDE_KINDS, OUTSIDE, Kind, Spot, SpotKey


def find_profile(rulebook: Rulebook, wanted: str | None) -> Profile | Refusal | None:
    """Find a terminal model or table by id; without one, everything the venue offers is on offer."""
    if wanted is None:
        return None
    found = next((profile for profile in rulebook.profiles if profile.id == wanted), None)
    known = tuple(profile.id for profile in rulebook.profiles)
    says = f"There is no profile {wanted!r} here; there is {', '.join(known) or 'none'}."
    return found or Refusal(Code.UNKNOWN_PROFILE, None, says, {"profile": wanted, "known": known})


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
        says = f"{key} is no {price.label} on this layout: the numbers do not meet there."
    own = rulebook.channels[place.channel].placement if place else None
    clause = own or price.placed_by(Pocket(number) for number in numbers)
    return Refusal(Code.SPOT_NOT_ON_LAYOUT, clause, says, {"spot": key})


def _unpriced(key: SpotKey, kind: Kind | None) -> str:
    numbers = len(key.split("/"))
    if kind is None:
        return f"No bet covers {numbers} numbers by listing them: columns, dozens and even chances go by their names."
    if key in OUTSIDE:
        return f"No price is set for {key} here, so it cannot be bet."
    return f"No bet on {numbers} numbers is priced here, so {key} cannot be bet."


@dataclass(frozen=True, slots=True)
class Expansion:
    """A call taken apart: how many chips go where, and what it costs."""

    call: str
    bets: tuple[Bet, ...]
    chips: int

    @property
    def cost(self) -> Cents:
        return staked(self.bets)


def expand(rulebook: Rulebook, said: Called, amount: Cents | None, place: Profile | None) -> Expansion | Refusal:
    """Take a call apart into its bets, or say why it cannot be made here; without an amount, one unit on each piece."""
    call = rulebook.call_names.get(said.name)
    if call is None or (place is not None and call.name not in place.calls):
        return _not_offered(rulebook, said, place)
    reach = call.reach.least if said.reach is None else said.reach
    objection = first_of(_call_objections(rulebook, call, said, reach))
    if objection is not None:
        return objection
    pieces = pieces_of(call, said.number, reach, rulebook.wheel, rulebook.spots)
    chips = sum(pieces.values())
    piece = _piece(call, amount)
    if isinstance(piece, Refusal):
        return piece
    name = str(Called(call.name, said.number, said.reach))
    bets = tuple(
        Bet(spot, Cents(piece * count), name, under_marker=call.kind is CallKind.MARKER)
        for spot, count in pieces.items()
    )
    return Expansion(name, bets, chips)


def _piece(call: CallBet, amount: Cents | None) -> Cents | Refusal:
    """What lies on one piece: the amount itself, or for a marker bet a fifth of it; without an amount one unit."""
    if amount is None:
        return Cents(CENTS_PER_UNIT)
    if call.kind is not CallKind.MARKER:
        return amount
    return indivisible(amount, call.clause) or Cents(amount // NUMBERS_UNDER_MARKER)


def _not_offered(rulebook: Rulebook, said: Called, place: Profile | None) -> Refusal:
    offered = tuple(call.name for call in rulebook.calls) if place is None else tuple(place.calls)
    facts = {"call": str(said), "offered": offered}
    alias = next((alias for alias in rulebook.aliases if alias.name == said.name), None)
    if alias is not None:
        says = f"'{said.name}' is another name for {alias.spot}: a spot, not a call."
        return Refusal(Code.CALL_NOT_OFFERED, alias.clause, says, facts)
    if said.name not in GAME_CALLS and said.name not in rulebook.call_names:
        says = (
            f"There is no spot or call '{said.name}': numbers are written in figures, outside bets and calls by name."
        )
        return Refusal(Code.UNKNOWN_SPOT, None, says, {"spot": str(said)})
    where = rulebook.venue if place is None else place.label
    clause = rulebook.calls_clause if place is None else place.clause
    says = f"{where} does not offer '{said.name}'; it offers {', '.join(offered) or 'no calls'}."
    return Refusal(Code.CALL_NOT_OFFERED, clause, says, facts)


def _call_objections(rulebook: Rulebook, call: CallBet, said: Called, reach: int) -> Iterator[Refusal]:
    if said.number not in arguments(call, rulebook.wheel):
        wanted = "a number of this wheel" if call.takes_number else "nothing"
        wanted = "one digit" if call.kind is CallKind.LAST_DIGIT else wanted
        says = f"'{call.name}' takes {wanted} after its name, not {said.number or 'nothing'}."
        yield Refusal(Code.CALL_ARGUMENT, call.naming or call.clause, says, {"call": str(said)})
    if not call.reach.least <= reach <= call.reach.most:
        says = f"'{call.name}' {_reach_text(call, reach)}."
        facts = {"reach": reach, "least": call.reach.least, "most": call.reach.most}
        yield Refusal(Code.NEIGHBOURS_REACH, call.naming or call.clause, says, facts)


def _reach_text(call: CallBet, wanted: int) -> str:
    least, most = call.reach.least, call.reach.most
    if most == 0:
        return "has no neighbours to reach"
    return f"reaches {least if least == most else f'{least} to {most}'} on each side here, not {wanted}"
