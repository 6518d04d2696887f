"""A copy of a table's rules for print: the notice of the table, and every clause in our words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from croupier.house import House
from croupier.house.ids import Instant, TableId
from croupier.house.live.notice import Notice, NoticeTerms, notice_of
from croupier.reports.header import DocumentHeader, document_header, no_record, number
from croupier.reports.typesetting import (
    GAP,
    Align,
    Block,
    Document,
    LabelledValue,
    SectionHeading,
    Text,
    TextStyle,
)
from croupier.rules.limits import Range
from croupier.rules.refusal import Clause
from croupier.rules.rulebook import Rulebook

#: The clauses of each rulebook by its digest: a journal has no commentary on them.
Clauses = Mapping[str, tuple[Clause, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesCopy:
    """The rules of a table as a player may take them away."""

    head: DocumentHeader
    table: TableId
    rulebook: Rulebook
    notice: Notice
    clauses: tuple[Clause, ...]
    made_at: Instant

    @property
    def currency(self) -> str:
        return self.rulebook.currency

    def layout(self) -> Document:
        blocks = (*self.head.heading(self.rulebook.title.upper()), *self._about(), *self._notice(), *self._rules())
        return Document(self.head.titled(f"Rules of table {self.table}"), blocks, roll=False)

    def _about(self) -> Iterator[Block]:
        effective = self.rulebook.effective
        yield LabelledValue("Rules", f"{self.rulebook.venue}, version {self.rulebook.version}")
        yield LabelledValue("In force from", "no date given" if effective is None else effective.isoformat())
        yield LabelledValue("Table", self.table)
        yield LabelledValue("Printed", self.head.moment(self.made_at))
        yield GAP

    def _notice(self) -> Iterator[Block]:
        """The notice of the table, each kind of bet with its odds and limits; then that of each arrangement."""
        live, rounding = self.notice.settings.live, self.rulebook.payout and self.rulebook.payout.rounding
        yield SectionHeading("Bets, odds and limits")
        yield from self._odds(self.notice.terms)
        if live is not None and rounding is not None:
            multiples = "required" if live.multiples else "not required"
            yield LabelledValue(f"Multiples of the minimum ({rounding})", multiples)
        yield from self._marker(self.notice.terms)
        for each in self.notice.arranged:
            yield SectionHeading(f"VIP arrangement {each.arrangement}")
            yield LabelledValue("Clause", each.clause)
            yield from self._odds(each)
            yield from self._marker(each)

    def _odds(self, terms: NoticeTerms) -> Iterator[Block]:
        """Each kind of bet, by the letters of the document if it has a legend."""
        for kind in terms.kinds:
            price, bounds = self.rulebook.paytable.prices[kind], terms.limits.limits.of(kind)
            bet = f"{price.letter or ''} {price.label}".strip()
            yield LabelledValue(bet, f"{price.pays} to 1, {_bounds_text(bounds, self.currency)}")

    def _marker(self, terms: NoticeTerms) -> Iterator[Block]:
        if terms.marker is not None:
            amount = f"{self.currency} {number(terms.marker.least)}"
            yield LabelledValue(f"Lowest bet under a marker button ({terms.marker.clause})", amount)

    def _rules(self) -> Iterator[Block]:
        yield SectionHeading("Rules")
        for clause in self.clauses:
            yield Text(clause.clause, TextStyle.BOLD, Align.LEFT)
            yield Text(clause.paraphrase, align=Align.LEFT)


def _bounds_text(bounds: Range, currency: str) -> str:
    least, most = bounds.least, bounds.most
    if least is None and most is None:
        return "no limit set"
    lower = "" if least is None else f"from {number(least)}"
    upper = "" if most is None else f"to {number(most)}"
    return f"{currency} {lower} {upper}".replace("  ", " ").strip()


def rules_copy(house: House, table: TableId, now: Instant, clauses: Clauses) -> RulesCopy:
    """Lay out the rules of a table's next round, or refuse if there is no such table or its text is not here."""
    found = house.tables.get(table)
    if found is None:
        raise no_record(f"There is no table {table}.", table=table)
    notice = notice_of(house, found)
    rulebook = notice.rulebook
    text = clauses.get(rulebook.digest)
    if text is None:
        says = f"The text of {rulebook.title} is not installed here in the version that table {table} plays by."
        raise no_record(says, table=table)
    return RulesCopy(
        head=document_header(house),
        table=table,
        rulebook=rulebook,
        notice=notice,
        clauses=text,
        made_at=now,
    )
