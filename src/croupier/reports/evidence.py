"""The evidence of a dispute: the record of its round as it was frozen, and every step since, for print."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from croupier.house import House
from croupier.house.floor.disputes import Dispute, DisputeBasis
from croupier.house.ids import Instant, Number, PersonId, PositionId
from croupier.house.play.chip_bets import worth
from croupier.house.state.live import RoundChips
from croupier.house.state.tables import Round
from croupier.journal.entry import JournalHead
from croupier.reports.header import DocumentHeader, document_header, figures, journal_head_lines, no_record, number
from croupier.reports.typesetting import (
    Align,
    Block,
    Document,
    Grid,
    LabelledValue,
    SectionHeading,
    Signature,
    Text,
    TextStyle,
)
from croupier.rules.money import amount_text
from croupier.rules.payouts import ChipId, denomination
from croupier.rules.rulebook import Rulebook


def record_digest(round_: Round) -> str:
    """Digest a round's record; without a number that was only reported, as it could be guessed from the digest."""
    plain = msgspec.to_builtins(
        replace(round_, spin=replace(round_.spin, reported=None)), str_keys=True, order="deterministic"
    )
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def disputed_position(house: House, dispute: Dispute) -> PositionId | None:
    """Find the position that a dispute is about; it may name a terminal of another table, or none."""
    if dispute.opened.position is not None:
        return dispute.opened.position
    terminal = dispute.opened.terminal
    game = None if terminal is None else house.terminals[terminal].games.get(dispute.opened.table)
    return None if game is None else game.id


def chip_name(chip: str) -> str:
    """Name a chip: a colour, or the amount on a value chip."""
    value = denomination(ChipId(chip))
    return chip if value is None else f"of {amount_text(value)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePack:
    """A dispute as it is handed to the person who decides or reviews it."""

    head: DocumentHeader
    dispute: Dispute
    #: The rulebook that the round was played by.
    rulebook: Rulebook
    #: The disputed position, if the dispute names one.
    position: PositionId | None
    made_at: Instant
    journal: JournalHead | None

    @property
    def currency(self) -> str:
        return self.rulebook.currency

    def layout(self) -> Document:
        title = f"Dispute {self.dispute.opened.dispute}"
        blocks = (
            *self.head.heading("EVIDENCE OF A DISPUTE"),
            *self._complaint(),
            *self._round(),
            *self._steps(),
            *journal_head_lines(self.journal),
            Signature("Handed over by"),
            Signature("Received by"),
        )
        return Document(self.head.titled(title), blocks, roll=False)

    def _complaint(self) -> Iterator[Block]:
        opened = self.dispute.opened
        from_rules = opened.basis is DisputeBasis.FROM_RULES
        yield LabelledValue("Dispute", str(opened.dispute), TextStyle.BOLD)
        yield LabelledValue("Table and round", f"{opened.table}, round {opened.round}")
        if opened.position is None:
            yield LabelledValue("Terminal", opened.terminal or "none named")
        else:
            yield LabelledValue("Player with chips", opened.player or f"position {opened.position}")
        yield LabelledValue("Rules", f"{self.rulebook.title}, version {self.rulebook.version}")
        yield LabelledValue("Clause on disputes", opened.clause)
        yield LabelledValue("Basis", f"arises from rule {opened.rule}" if from_rules else "not covered by the rules")
        if opened.memorandum:
            yield LabelledValue("Memorandum in force", opened.memorandum)
        yield LabelledValue("State", self.dispute.state.value.replace("_", " "))
        yield LabelledValue("Printed", self.head.moment(self.made_at))
        yield SectionHeading("Complaint")
        yield Text(opened.words, align=Align.LEFT)

    def _round(self) -> Iterator[Block]:
        yield SectionHeading("The round when the dispute was opened")
        round_ = self.dispute.evidence
        if round_ is None:
            yield Text("The house no longer kept this round: the journal has all of it.", align=Align.LEFT)
            return
        yield from self._times(round_)
        yield from self._result(round_)
        yield from self._stakes(round_)
        if round_.chips is not None:
            yield from self._chips(round_.chips)
        yield LabelledValue("Seal", round_.digest[:32])
        yield LabelledValue("", round_.digest[32:])
        digest = record_digest(round_)
        yield LabelledValue("Digest of this record", digest[:32])
        yield LabelledValue("", digest[32:])

    def _times(self, round_: Round) -> Iterator[Block]:
        moments = {
            "Opened": round_.opened_at,
            "Warned": round_.warned_at,
            "Closed": round_.closed_at,
            "Ball launched": round_.spin.launched_at,
            "Ball at rest": round_.spin.rested_at,
        }
        yield from (LabelledValue(label, self.head.moment(at)) for label, at in moments.items() if at is not None)

    def _result(self, round_: Round) -> Iterator[Block]:
        status = "outcome invalidated" if round_.invalidated else round_.status.value
        yield LabelledValue("Status", status)
        if round_.result is not None:
            source = round_.result.source.value.replace("_", " ")
            yield LabelledValue("Number", f"{round_.result.pocket} ({source})", TextStyle.BOLD)
        if round_.corrected:
            yield LabelledValue("Numbers before corrections", ", ".join(round_.corrected))
        if round_.reason is not None:
            yield LabelledValue("Reason", f"{round_.reason.value.replace('_', ' ')}, {round_.clause}")

    def _stakes(self, round_: Round) -> Iterator[Block]:
        sealed = round_.layouts
        total = sum(sum(stakes.values()) for stakes in sealed.values())
        yield LabelledValue("Positions with sealed bets", str(len(sealed)))
        yield LabelledValue("Staked by all", figures(total, self.currency))
        yield LabelledValue("Returned to all", figures(sum(round_.paid.values()), self.currency))
        own = sealed.get(self.position) if self.position is not None else None
        if own is not None:
            assert self.position is not None
            rows = tuple((str(spot), number(stake)) for spot, stake in own.items())
            yield Grid(("Disputed bets", "Staked"), rows, ("Total", number(sum(own.values()))))
            yield LabelledValue("Returned to this position", figures(round_.paid.get(self.position, 0), self.currency))

    def _chips(self, chips: RoundChips) -> Iterator[Block]:
        """Print the sealed pieces of the disputed player, and what the dealer was to pay and has paid."""
        walk = chips.walk
        yield LabelledValue("Players with sealed chips", str(len(chips.sealed)))
        if walk is not None:
            made = sum(item.amount for item in walk.items if item.made)
            due = sum(item.amount for item in walk.items)
            yield LabelledValue("Losing chips collected", "yes" if walk.collected else "no")
            yield LabelledValue("Paid in chips", f"{figures(made, self.currency)} of {figures(due, self.currency)}")
        own = chips.sealed.get(self.position) if self.position is not None else None
        if own is not None:
            rows = tuple(
                (f"{spot}: {pieces} {chip_name(chip)}", number(worth(chips.values, {chip: pieces})))
                for spot, each in own.pieces.items()
                for chip, pieces in each.items()
            )
            total = sum(worth(chips.values, each) for each in own.pieces.values())
            yield Grid(("Disputed chips", "Value"), rows, ("Total", number(total)))
        for item in () if walk is None else walk.items:
            if item.position == self.position:
                state = "paid" if item.made else "not paid yet"
                yield LabelledValue(f"Due for {item.segment}", f"{figures(item.amount, self.currency)}, {state}")

    def _steps(self) -> Iterator[Block]:
        """Print who did what and when, and the words of the decision and of the review."""
        dispute = self.dispute
        yield SectionHeading("Steps")
        yield from self._step("Opened", dispute.opened_by, dispute.opened_at)
        yield from self._step("Decided", dispute.decided_by, dispute.decided_at, dispute.decision)
        yield from self._step("Complainant advised", dispute.advised_by, dispute.advised_at)
        request = "Review requested by the house" if dispute.review_by_house else "Review requested"
        yield from self._step(request, dispute.review_by, dispute.review_at)
        yield from self._step("Reviewed", dispute.reviewed_by, dispute.reviewed_at, dispute.outcome)
        ended = "Closed, resolved" if dispute.resolved else "Closed, not resolved"
        yield from self._step(ended, dispute.closed_by, dispute.closed_at)

    def _step(self, label: str, person: PersonId, at: Instant | None, words: str = "") -> Iterator[Block]:
        if at is not None:
            yield LabelledValue(label, f"{self.head.moment(at)}, {person}")
            yield from (Text(words, align=Align.LEFT),) if words else ()


def evidence_pack(house: House, wanted: Number, now: Instant, journal: JournalHead | None) -> EvidencePack:
    """Build the evidence of a dispute from its frozen record."""
    dispute = house.disputes.get(wanted)
    if dispute is None:
        raise no_record(f"There is no dispute {wanted}.", dispute=wanted)
    evidence, table = dispute.evidence, house.tables[dispute.opened.table]
    return EvidencePack(
        head=document_header(house),
        dispute=dispute,
        rulebook=table.rulebook if evidence is None else house.rulebooks[evidence.rulebook],
        position=disputed_position(house, dispute),
        made_at=now,
        journal=journal,
    )
