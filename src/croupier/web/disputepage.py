"""A page of disputes: everything that the house keeps of each, the newest first."""

import hashlib
from dataclasses import replace

import msgspec

from croupier.house.docket import Dispute, DisputeState
from croupier.house.name import Instant, PersonId
from croupier.house.state import House
from croupier.house.table import Round
from croupier.web import incoming, outgoing
from croupier.web.actions import actions, on_dispute
from croupier.web.limits import DISPUTES_MOST
from croupier.web.querydata import Deed, DisputeRow, FrozenRound


def disputes_page(house: House, query: incoming.Disputes) -> outgoing.Disputes:
    # They are numbered from 1 without gaps.
    newest = len(house.disputes) if query.before is None else min(len(house.disputes), query.before - 1)
    numbers = sorted(house.disputes)[max(0, newest - DISPUTES_MOST) : newest]
    rows = tuple(_row(house, house.disputes[number]) for number in reversed(numbers))
    return outgoing.Disputes(q=query.q, disputes=rows, more=newest > DISPUTES_MOST)


def _row(house: House, dispute: Dispute) -> DisputeRow:
    return DisputeRow(
        dispute=dispute.number,
        table=dispute.table,
        round=dispute.round,
        terminal=dispute.terminal,
        basis=dispute.basis.value,
        clause=dispute.clause,
        rule=dispute.rule,
        words=dispute.words,
        memorandum=dispute.memorandum,
        state=dispute.state.value,
        opened=Deed(dispute.opened_by, dispute.opened_at),
        evidence=None if dispute.evidence is None else _frozen(house, dispute, dispute.evidence),
        decision=dispute.decision,
        decided=_deed(dispute.decided_by, dispute.decided_at),
        advised=_deed(dispute.advised_by, dispute.advised_at),
        review=_deed(dispute.review_by, dispute.review_at),
        review_by_house=dispute.review_by_house,
        outcome=dispute.outcome,
        reviewed=_deed(dispute.reviewed_by, dispute.reviewed_at),
        resolved=dispute.resolved,
        closed=_deed(dispute.closed_by, dispute.closed_at),
        actions=() if dispute.state is DisputeState.CLOSED else actions(house, on_dispute(house, dispute)),
    )


def _deed(person: PersonId, at: Instant | None) -> Deed | None:
    return None if at is None else Deed(person, at)


def _frozen(house: House, dispute: Dispute, round_: Round) -> FrozenRound:
    sealed = round_.sealed or {}
    own = dispute.terminal
    return FrozenRound(
        rulebook=house.rulebooks[round_.rulebook].id,
        opened_at_us=round_.opened_at,
        status="invalidated" if round_.invalidated else round_.status.value,
        pocket=None if round_.invalidated else round_.pocket,
        corrected=tuple(round_.corrected),
        reason="" if round_.reason is None else round_.reason.value,
        clause=round_.clause,
        seats=len(sealed),
        staked=sum(sum(stakes.values()) for stakes in sealed.values()),
        returned=sum(round_.paid.values()),
        stakes={} if own is None else sealed.get(own, {}),
        paid=None if own is None else round_.paid.get(own),
        sealed=round_.digest,
        digest=record_digest(round_),
    )


def record_digest(round_: Round) -> str:
    """Digest a round's record; without a number that was only reported, as it could be guessed from the digest."""
    written = msgspec.json.encode(replace(round_, reported=None), order="deterministic")
    return hashlib.sha256(written).hexdigest()
