"""Slips and calls as text, read against a rulebook."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple, TypeVar

from croupier.rules.calls import CallKind, CallSelection, indivisible
from croupier.rules.geometry import POCKETS, Pocket, SpotKey, in_order, inside_key, is_zero
from croupier.rules.limits import limit_objections
from croupier.rules.money import CENTS_PER_UNIT, FIGURES, Cents, amount_text, cents_of
from croupier.rules.multipliers import Multiples, multiples_text
from croupier.rules.payouts import ChipCount, ChipId, PayoutTerms, Pieces, denomination, value_chip, value_chips
from croupier.rules.pricing import Bet, Settlement, settle_bets
from croupier.rules.procedure import Profile
from croupier.rules.progressive import PotAtStake
from croupier.rules.refusal import Code, Refusal, Refused, first_of, raise_if
from croupier.rules.rulebook import Expansion, Rulebook, Vocabulary, expand, find_profile, find_spot


class MalformedError(Refused):
    """The text is not a slip: the expected token, and its character position."""

    def __init__(self, message: str, text: str, at: int) -> None:
        super().__init__(Code.MALFORMED, None, f"{message[:1].upper()}{message[1:]}.", text=text, at=at)
        self.message = message
        self.text = text
        self.at = at

    def __str__(self) -> str:
        return f"{self.message} (character {self.at + 1})"


@dataclass(frozen=True, slots=True)
class NotationBet:
    """One bet as written: an amount on a spot or on a call."""

    amount: Cents
    on: SpotKey | CallSelection

    def __str__(self) -> str:
        return f"{amount_text(self.amount)} on {self.on}"


#: What a text may name that is read without a rulebook: any pocket, and the outside bets of most layouts. Other names
#: are read as calls, and the rulebook finds the bet that they name.
ANYWHERE: Final = Vocabulary(
    POCKETS,
    (
        *("column 1", "column 2", "column 3", "dozen 1", "dozen 2", "dozen 3"),
        *("red", "black", "odd", "even", "low", "high"),
    ),
)


def parse_slip(text: str, vocabulary: Vocabulary = ANYWHERE) -> tuple[NotationBet, ...]:
    """Read ``AMOUNT on BET ; AMOUNT on BET ; …`` or raise MalformedError."""
    return _Reader(text, vocabulary).slip(_Reader.wager)


@dataclass(frozen=True, slots=True)
class ChipBet:
    """One bet of chips as written: pieces of one chip, or an amount in the fewest value chips."""

    chips: ChipCount | Cents
    on: SpotKey | CallSelection

    def __str__(self) -> str:
        if not isinstance(self.chips, ChipCount):
            return f"{amount_text(self.chips)} on {self.on}"
        value = denomination(self.chips.chip)
        chip = self.chips.chip if value is None else f"x {amount_text(value)}"
        return f"{self.chips.pieces} {chip} on {self.on}"


def parse_chips(text: str, vocabulary: Vocabulary = ANYWHERE) -> tuple[ChipBet, ...]:
    """Read a slip of chips, ``2 blue on 17; 3 x 5 on red; 25 on neighbours 0``, or raise MalformedError."""
    return _Reader(text, vocabulary).slip(_Reader.chip_bet)


def parse_call(text: str, vocabulary: Vocabulary = ANYWHERE) -> CallSelection | NotationBet:
    """Read a call on its own, ``neighbours 22``, or with an amount on it, ``5 on neighbours 22``."""
    reader = _Reader(text, vocabulary)
    amount = reader.amount_on() if reader.next.kind == "number" else None
    at = reader.next.at
    on = reader.target()
    if reader.next.kind != "end":
        raise reader.wrong("nothing more", reader.next)
    if not isinstance(on, CallSelection):
        raise MalformedError(f"{on} is a spot, not a call", text, at)
    return on if amount is None else NotationBet(amount, on)


def print_slip(wagers: Iterable[NotationBet]) -> str:
    return "; ".join(str(wager) for wager in wagers)


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


_TOKEN: Final = re.compile(
    r"\s*(?:(?P<word>(?=[0-9-]*[A-Za-z])[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*)"
    r"|(?P<number>[0-9]++(?:\.[0-9]*+)?+)(?![0-9A-Za-z])"
    r"|(?P<sign>[/;]))"
)
_REACH: Final = re.compile(r"[1-9][0-9]?")
_RESERVED: Final = ("on", "by")
#: Between the pieces and the value of a value chip: ``3 x 5``.
_TIMES: Final = "x"
_PIECES: Final = re.compile(r"[1-9][0-9]{0,3}")

Item = TypeVar("Item")


class _Reader:
    """Reads the tokens of one slip; every error points at its token."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text = text
        self._vocabulary = vocabulary
        self._tokens = _tokens(text)
        self._place = 0

    @property
    def next(self) -> _Token:
        return self._tokens[self._place]

    def take(self) -> _Token:
        token = self.next
        self._place += 1
        return token

    def wrong(self, wanted: str, token: _Token) -> MalformedError:
        found = f"'{token.text}'" if token.text else "the end"
        return MalformedError(f"expected {wanted}, found {found}", self.text, token.at)

    def expect(self, what: str, wanted: str) -> None:
        if self.next.text.lower() != what:
            raise self.wrong(wanted, self.next)
        self.take()

    def slip(self, read: "Callable[[_Reader], Item]") -> tuple[Item, ...]:
        """Read bets to the end of the text, with a semicolon between them."""
        bets = [read(self)]
        while self.next.kind != "end":
            self.expect(";", "';' before the next bet")
            bets.append(read(self))
        return tuple(bets)

    def wager(self) -> NotationBet:
        return NotationBet(self.amount_on(), self.target())

    def chip_bet(self) -> ChipBet:
        after = self._tokens[min(self._place + 1, len(self._tokens) - 1)]
        if self.next.kind != "number" or after.kind != "word" or after.text.lower() in _RESERVED:
            return ChipBet(self.amount_on(), self.target())
        if not _PIECES.fullmatch(self.next.text):
            raise self.wrong("a whole number of pieces, 1 to 9999", self.next)
        pieces, word = int(self.take().text), self.take()
        chip = ChipId(word.text.lower())
        if chip == _TIMES:
            return ChipBet(ChipCount(value_chip(self.amount_on()), pieces), self.target())
        if denomination(chip) is not None:
            raise self.wrong(f"the name of a colour, or '{_TIMES}' and the value of a chip", word)
        self.expect("on", "'on' after the chips")
        return ChipBet(ChipCount(chip, pieces), self.target())

    def amount_on(self) -> Cents:
        cents = cents_of(self.next.text)
        if not cents:
            many = self.next.kind == "number" and len(self.next.text.partition(".")[0]) > FIGURES
            most = "of at most twelve figures" if many else "with at most two decimals"
            raise self.wrong(f"an amount above 0 {most}", self.next)
        self.take()
        self.expect("on", "'on' after the amount")
        return cents

    def target(self) -> SpotKey | CallSelection:
        if self.next.kind == "number":
            return self.numbers()
        if self.next.kind != "word" or self.next.text.lower() in _RESERVED:
            raise self.wrong("a number, an outside bet or a call", self.next)
        return self.named()

    def numbers(self) -> SpotKey:
        found = [self.pocket()]
        while self.next.text == "/":
            self.take()
            if self.next.text in found:
                raise self.wrong("each number once", self.next)
            found.append(self.pocket())
        return inside_key(found)

    def pocket(self) -> Pocket:
        if self.next.text not in self._vocabulary.pockets:
            raise self.wrong(f"a number from {_pockets_text(self._vocabulary.pockets)}", self.next)
        return Pocket(self.take().text)

    def named(self) -> SpotKey | CallSelection:
        name = self.name()
        counted = self._vocabulary.counted.get(name)
        if counted is not None:
            if self.next.text not in counted:
                raise self.wrong(f"{', '.join(counted[:-1])} or {counted[-1]} after '{name}'", self.next)
            return SpotKey(f"{name} {self.take().text}")
        if name in self._vocabulary.outside:
            return SpotKey(name)
        number = str(self.pocket()) if self.next.kind == "number" else ""
        return CallSelection(name, number, self.reach())

    def name(self) -> str:
        """Join the words of a name: ``big series`` is ``big-series``."""
        words = [self.take().text.lower()]
        while self.next.kind == "word" and self.next.text.lower() not in _RESERVED:
            words.append(self.take().text.lower())
        return "-".join(words)

    def reach(self) -> int | None:
        if self.next.text.lower() != "by":
            return None
        self.take()
        if not _REACH.fullmatch(self.next.text):
            raise self.wrong("how many neighbours on each side, 1 to 99", self.next)
        return int(self.take().text)


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            shown = f"'{text[at]}'" if text[at].isprintable() else f"the character U+{ord(text[at]):04X}"
            raise MalformedError(f"{shown} has no place in a slip", text, at)
        kind = match.lastgroup
        assert kind is not None
        found.append(_Token(kind, match[kind], match.start(kind)))
        at = match.end()
    return [*found, _Token("end", "", len(text))]


def _pockets_text(pockets: Iterable[Pocket]) -> str:
    """List pockets: the zeros, and the first and last number of each run."""
    ordered = in_order(pockets)
    words = [pocket for pocket in ordered if is_zero(pocket)]
    numbers = sorted(int(pocket) for pocket in ordered if not is_zero(pocket))
    for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        found = [number for _, number in run]
        words.append(Pocket(f"{found[0]} to {found[-1]}" if len(found) > 1 else str(found[0])))
    return ", ".join(words)


Bets = tuple[Bet, ...]


def read_slip(rulebook: Rulebook, text: str, profile: str | None = None) -> Bets | Refusal:
    """Parse a slip and check its form, layout, calls and the document's own limits; return all bets or a refusal."""
    try:
        return slip_bets(rulebook, parse_slip(text, rulebook.vocabulary), find_profile(rulebook, profile))
    except Refused as refused:
        return refused.refusal


def settle_slip(  # noqa: PLR0913 - all that a spin is
    rulebook: Rulebook, text: str, profile: str | None = None, *, result: str, multipliers: str = "", pot: str = ""
) -> Settlement | Refusal:
    """Settle a slip as if the ball had come to rest in a pocket, all given as text.

    As if these multiples were drawn, and its bets alone played for a pot of this amount, where there are such.
    """
    try:
        wagers, place = parse_slip(text, rulebook.vocabulary), find_profile(rulebook, profile)
        pocket, multiples = read_pocket(rulebook, result), read_multiples(rulebook, multipliers)
        bets = slip_bets(rulebook, wagers, place)
        return settle_bets(bets, rulebook.paytable, pocket, multiples, read_pot(rulebook, pot, bets))
    except Refused as refused:
        return refused.refusal


def slip_bets(rulebook: Rulebook, wagers: Iterable[NotationBet], place: Profile | None = None) -> Bets:
    """Expand wagers into their bets, within the document's own limits."""
    bets: list[Bet] = []
    refusals: list[Refusal] = []
    for wager in wagers:
        try:
            bets += wager_bets(rulebook, wager, place)
        except Refused as refused:
            refusals.append(refused.refusal)
    if rulebook.limits is not None:
        refusals += limit_objections(bets, rulebook.limits)
    raise_if(first_of(refusals))
    return tuple(bets)


def expand_call(rulebook: Rulebook, text: str, profile: str | None = None) -> Expansion | Refusal:
    """Expand a call; without an amount, one unit on each piece."""
    try:
        said, place = parse_call(text, rulebook.vocabulary), find_profile(rulebook, profile)
        if not isinstance(said, NotationBet):
            return expand(rulebook, said, None, place)
        assert isinstance(said.on, CallSelection)
        expansion = expand(rulebook, said.on, said.amount, place)
    except Refused as refused:
        return refused.refusal
    objections = () if rulebook.limits is None else limit_objections(expansion.bets, rulebook.limits)
    return first_of(objections) or expansion


def read_pocket(rulebook: Rulebook, text: str) -> Pocket:
    """Parse a result: a pocket of this venue's wheel, by its printed name."""
    if text in rulebook.wheel.order:
        return Pocket(text)
    message = f"{text!r} is not a pocket of this wheel, which has {_pockets_text(rulebook.wheel.order)}."
    raise Refused(Code.POCKET_NOT_ON_WHEEL, rulebook.wheel_clause, message, pocket=text)


_DRAWN: Final = re.compile(r"([0-9]{1,3}) x([1-9][0-9]{0,5})")


def parse_multiples(text: str) -> dict[Pocket, int]:
    """Parse drawn numbers and their multiples, such as "17 x100, 23 x60"; an empty text is none."""
    found = dict[Pocket, int]()
    for part in text.split(",") if text.strip() else ():
        match = _DRAWN.fullmatch(part.strip())
        if match is None:
            message = f"A number and its multiple are written such as '17 x100', not '{part.strip()}'."
            raise Refused(Code.MALFORMED, None, message, text=text)
        found[Pocket(match[1])] = int(match[2])
    return found


def read_multiples(rulebook: Rulebook, text: str) -> Multiples:
    """Parse a draw, and check that these rules may give it."""
    multipliers, found = rulebook.paytable.multipliers, parse_multiples(text)
    for pocket in found:
        read_pocket(rulebook, pocket)
    if found and (multipliers is None or not multipliers.allows(found, rulebook.wheel.order)):
        clause = rulebook.paytable.clause if multipliers is None else multipliers.clause
        raise Refused(Code.MALFORMED, clause, f"By these rules no draw gives {multiples_text(found)}.", text=text)
    return found


def read_pot(rulebook: Rulebook, text: str, bets: Bets) -> PotAtStake | None:
    """Parse the amount of a pot that these bets alone play for; an empty text is none."""
    if not text:
        return None
    rules, amount = rulebook.paytable.progressive, cents_of(text)
    if rules is None:
        raise Refused(Code.MALFORMED, rulebook.paytable.clause, "By these rules no bet wins a pot.", text=text)
    if amount is None or amount < rules.seed:
        message = f"A pot is an amount such as {amount_text(rules.seed)}, with which it begins, or more."
        raise Refused(Code.MALFORMED, rules.clause, message, text=text)
    staked = sum(bet.stake for bet in bets if bet.spot.kind == rules.kind)
    return rules.played_for(amount, staked) if staked else None


def wager_bets(rulebook: Rulebook, wager: NotationBet, place: Profile | None) -> Bets:
    """Expand one wager into its bets; limits are not checked."""
    if not isinstance(wager.on, CallSelection):
        return (Bet(find_spot(rulebook, wager.on, place), wager.amount),)
    named = rulebook.spots.get(rulebook.named_spot(str(wager.on)))
    if named is not None:
        return (Bet(named, wager.amount),)
    return expand(rulebook, wager.on, wager.amount, place).bets


def read_chips(rulebook: Rulebook, text: str, terms: PayoutTerms) -> dict[SpotKey, Pieces] | Refusal:
    """Parse a slip of chips into the pieces on each spot, in order; marker bets are on the block.

    The form, the layout, the calls and the chips are checked; limits are not: chips lie where a player put them.
    """
    layout: dict[SpotKey, Counter[ChipId]] = {}
    refusals: list[Refusal] = []
    try:
        bets = parse_chips(text, rulebook.vocabulary)
    except MalformedError as error:
        return error.refusal
    for bet in bets:
        try:
            pieces = _chip_pieces(bet.chips, terms)
            for spot, share in _places(rulebook, bet.on):
                layout.setdefault(spot, Counter()).update({chip: count * share for chip, count in pieces.items()})
        except Refused as refused:
            refusals.append(refused.refusal)
    # 6(j): a fifth of a marker bet is paid, in whole cents.
    for spot in rulebook.blocks.keys() & layout.keys():
        refusal = indivisible(terms.amount(layout[spot]), rulebook.call_names[spot.split(" ")[0]].clause)
        if refusal is not None:
            refusals.append(refusal)
    return first_of(refusals) or dict(layout)


def chip_places(rulebook: Rulebook, text: str) -> list[tuple[SpotKey, int]]:
    """Find the spots of a bet of chips by its notation, each with its share: of the layout, or one of the block."""
    bet, *more = parse_chips(f"1 on {text}", rulebook.vocabulary)
    if more:
        raise MalformedError("one bet at a time", text, 0)
    return _places(rulebook, bet.on)


def _places(rulebook: Rulebook, on: SpotKey | CallSelection) -> list[tuple[SpotKey, int]]:
    call = rulebook.call_names.get(on.name) if isinstance(on, CallSelection) else None
    if call is not None and isinstance(on, CallSelection) and call.kind is CallKind.MARKER:
        expand(rulebook, on, None, None)
        return [(SpotKey(str(CallSelection(call.name, on.number))), 1)]
    # A call without an amount has one unit on each of its pieces.
    bets = wager_bets(rulebook, NotationBet(Cents(CENTS_PER_UNIT), on), None)
    return [(each.spot.key, each.stake // CENTS_PER_UNIT) for each in bets]


def _chip_pieces(chips: ChipCount | Cents, terms: PayoutTerms) -> Pieces:
    if isinstance(chips, ChipCount):
        if denomination(chips.chip) is None and chips.chip not in terms.colours:
            known = tuple(terms.colours)
            message = f"There is no colour '{chips.chip}' here; there is {', '.join(known) or 'none'}."
            raise Refused(Code.MALFORMED, None, message, chip=chips.chip, known=known)
        return {chips.chip: chips.pieces}
    if not terms.sums.has(chips):
        message = (
            f"{amount_text(chips)} cannot be made of value chips of "
            f"{', '.join(map(amount_text, sorted(terms.denominations)))}: "
            f"name the pieces, as in '3 {_TIMES} {amount_text(CENTS_PER_UNIT)}'."
        )
        raise Refused(Code.MALFORMED, None, message, amount=chips, smallest=terms.smallest)
    return dict(value_chips(chips, terms.denominations))
