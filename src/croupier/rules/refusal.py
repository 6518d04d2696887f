"""Refusals: the house understood and says no, with a code, the clause behind it, plain words and the facts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from croupier.rules.clause import ClauseId


class Code(StrEnum):
    """Why a thing is refused, in order of precedence: where several apply, the first is given."""

    MALFORMED = "malformed"
    UNKNOWN_RULEBOOK = "unknown_rulebook"
    RULEBOOK_INCONSISTENT = "rulebook_inconsistent"
    UNKNOWN_PROFILE = "unknown_profile"
    POCKET_NOT_ON_WHEEL = "pocket_not_on_wheel"
    CALL_NOT_OFFERED = "call_not_offered"
    CALL_ARGUMENT = "call_argument"
    NEIGHBOURS_REACH = "neighbours_reach"
    KIND_NOT_PRICED = "kind_not_priced"
    SPOT_NOT_ON_LAYOUT = "spot_not_on_layout"
    MARKER_TOTAL_INDIVISIBLE = "marker_total_indivisible"
    MARKER_UNDER_MINIMUM = "marker_under_minimum"
    MARKER_BETS_PER_NUMBER = "marker_bets_per_number"
    STAKE_UNDER_MINIMUM = "stake_under_minimum"
    STAKE_OVER_MAXIMUM = "stake_over_maximum"
    TOTAL_UNDER_MINIMUM = "total_under_minimum"
    TOTAL_OVER_MAXIMUM = "total_over_maximum"
    TOO_LITTLE_RISK = "too_little_risk"


@dataclass(frozen=True, slots=True)
class Refusal:
    """No, and why. The clause is missing only where no rule is at stake: a text, a file or a name that is not one."""

    code: Code
    clause: ClauseId | None
    says: str
    facts: Mapping[str, object] = field(default_factory=dict)


def first_of(objections: Iterable[Refusal]) -> Refusal | None:
    """Choose the objection to give: the first by the precedence of codes, then the first made."""
    return min(objections, key=lambda refusal: _PRECEDENCE[refusal.code], default=None)


_PRECEDENCE = {code: place for place, code in enumerate(Code)}
