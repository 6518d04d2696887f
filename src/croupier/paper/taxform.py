"""The tax form's record: what stands behind a form that was filled in for a held win."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from croupier.house.name import Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.paper.amount import figures, words
from croupier.paper.block import GAP, Block, Heading, Layout, Look, Pair, Signature, Text
from croupier.paper.letterhead import Letterhead
from croupier.rules.money import Cents
from croupier.rules.procedure import Tax, TaxBasis

_BASES: Final = {
    TaxBasis.NET_OF_WINNING_STAKES: "Net of winning stakes",
    TaxBasis.NET_OF_TOTAL_BET: "Net of the total bet",
    TaxBasis.GROSS: "Gross",
}


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was taken back of a win after its form was recorded, and when last."""

    at: Instant
    amount: Cents


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxForm:
    """A win, whose it is, and the number of the form that it took."""

    head: Letterhead
    #: The rulebook's name for the form, its threshold and its clause.
    tax: Tax
    #: What the venue held against the threshold: the rulebook's basis, or the operator's own.
    basis: TaxBasis
    form_number: str
    patron: str
    hold: Number
    terminal: TerminalId
    table: TableId
    round: RoundNumber
    won_at: Instant
    #: All that is paid for the game, and the win counted on every basis, as they were when the form was recorded.
    amount: Cents
    bases: Mapping[TaxBasis, int]
    currency: str
    recorded_at: Instant
    recorded_by: PersonId
    taken: TakenBack | None = None
    duplicate: int = 0

    def __post_init__(self) -> None:
        assert self.patron
        assert self.form_number
        assert set(self.bases) == set(TaxBasis)

    def layout(self) -> Layout:
        title = f"Record of form {self.tax.form}"
        top = self.head.top(title.upper(), self.duplicate)
        return Layout(self.head.titled(title), (*top, *self._form(), *self._win(), *self._foot()), roll=False)

    def _form(self) -> Iterator[Block]:
        yield Pair(f"Form {self.tax.form}", self.form_number, Look.BOLD)
        yield Pair("Patron", self.patron, Look.BOLD)
        yield Pair("Recorded", self.head.moment(self.recorded_at))
        yield Pair("Recorded by", self.recorded_by)
        yield Pair("Required by clause", self.tax.clause)
        yield Pair("Required from", figures(self.tax.threshold, self.currency))

    def _win(self) -> Iterator[Block]:
        yield Heading("The win")
        yield Pair("Date won", self.head.date(self.won_at))
        yield Pair("Time won", self.head.time(self.won_at))
        yield Pair("Held win", str(self.hold))
        yield Pair("Terminal", self.terminal)
        yield Pair("Table and round", f"{self.table}, {self.round}")
        for basis in TaxBasis:
            counts = basis is self.basis
            label = _BASES[basis] + (", which counts here" if counts else "")
            yield Pair(label, figures(self.bases[basis], self.currency), Look.BOLD if counts else Look.PLAIN)

    def _foot(self) -> Iterator[Block]:
        yield Heading("To be paid")
        yield Text(figures(self.amount, self.currency), Look.LARGE)
        yield Text(words(self.amount, self.currency))
        if self.taken is not None:
            yield Pair(f"Taken back {self.head.moment(self.taken.at)}", figures(self.taken.amount, self.currency))
        yield Signature("Patron")
        yield Signature(f"For the venue: {self.recorded_by}")
        yield GAP
        yield from self.head.marks(self.duplicate)
