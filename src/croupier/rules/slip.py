"""Slips: what is written in the notation, read against a venue's rulebook into bets or a refusal."""

from collections.abc import Iterable

from croupier.rules.bet import Bet
from croupier.rules.callbet import Called
from croupier.rules.limits import limit_objections
from croupier.rules.notation import MalformedError, Wager, parse_call, parse_slip
from croupier.rules.offer import Expansion, expand, find_profile, find_spot
from croupier.rules.pocket import DOUBLE_ZERO, Pocket
from croupier.rules.procedure import Profile
from croupier.rules.refusal import Code, Refusal, first_of
from croupier.rules.rulebook import Rulebook
from croupier.rules.settlement import Settlement, settle_bets

Bets = tuple[Bet, ...]


def read_slip(rulebook: Rulebook, text: str, profile: str | None = None) -> Bets | Refusal:
    """Read a slip as it would be handed in: form, layout, calls and the document's own limits; whole or not at all."""
    try:
        wagers = parse_slip(text)
    except MalformedError as error:
        return malformed(error)
    return bets_of(rulebook, wagers, profile)


def settle_slip(rulebook: Rulebook, text: str, profile: str | None = None, *, result: str) -> Settlement | Refusal:
    """Settle a slip as if the ball had come to rest in a pocket, both given as text."""
    bets, pocket = read_slip(rulebook, text, profile), read_pocket(rulebook, result)
    if isinstance(bets, Refusal) or isinstance(pocket, Refusal):
        return _refused(bets, pocket)
    return settle_bets(bets, rulebook.paytable, pocket)


def _refused(*answers: object) -> Refusal:
    refusal = first_of(answer for answer in answers if isinstance(answer, Refusal))
    assert refusal is not None
    return refusal


def bets_of(rulebook: Rulebook, wagers: Iterable[Wager], profile: str | None = None) -> Bets | Refusal:
    place = find_profile(rulebook, profile)
    if isinstance(place, Refusal):
        return place
    read = [wager_bets(rulebook, wager, place) for wager in wagers]
    bets = tuple(bet for part in read if not isinstance(part, Refusal) for bet in part)
    objections = [part for part in read if isinstance(part, Refusal)]
    if rulebook.limits is not None:
        objections.extend(limit_objections(bets, rulebook.limits))
    return first_of(objections) or bets


def malformed(error: MalformedError) -> Refusal:
    facts = {"text": error.text, "at": error.at}
    return Refusal(Code.MALFORMED, None, f"{error.says[:1].upper()}{error.says[1:]}.", facts)


def expand_call(rulebook: Rulebook, text: str, profile: str | None = None) -> Expansion | Refusal:
    """Take a call apart; without an amount, one unit on each piece."""
    try:
        said = parse_call(text)
    except MalformedError as error:
        return malformed(error)
    place = find_profile(rulebook, profile)
    if isinstance(place, Refusal):
        return place
    if not isinstance(said, Wager):
        return expand(rulebook, said, None, place)
    assert isinstance(said.on, Called)
    expansion = expand(rulebook, said.on, said.amount, place)
    if isinstance(expansion, Refusal) or rulebook.limits is None:
        return expansion
    return first_of(limit_objections(expansion.bets, rulebook.limits)) or expansion


def read_pocket(rulebook: Rulebook, text: str) -> Pocket | Refusal:
    """Read a result: a pocket of this venue's wheel, named as it is printed."""
    if text in rulebook.wheel.order:
        return Pocket(text)
    zeros = "0, 00" if DOUBLE_ZERO in rulebook.wheel.order else "0"
    says = f"{text!r} is not a pocket of this wheel, which has {zeros}, 1 to 36."
    return Refusal(Code.POCKET_NOT_ON_WHEEL, rulebook.wheel_clause, says, {"pocket": text})


def wager_bets(rulebook: Rulebook, wager: Wager, place: Profile | None) -> Bets | Refusal:
    """Take one wager apart into its bets, or say which clause keeps it off; whatever the limits."""
    if isinstance(wager.on, Called):
        alias = rulebook.spot_aliases.get(str(wager.on))
        if alias is not None:
            return (Bet(alias, wager.amount),)
        expansion = expand(rulebook, wager.on, wager.amount, place)
        return expansion if isinstance(expansion, Refusal) else expansion.bets
    spot = find_spot(rulebook, wager.on, place)
    return spot if isinstance(spot, Refusal) else (Bet(spot, wager.amount),)
