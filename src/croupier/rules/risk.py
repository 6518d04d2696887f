"""The risk check: bets that can hardly win more than they cost are not allowed (opposite bets)."""

from dataclasses import dataclass

from croupier.rules.clause import ClauseId
from croupier.rules.exposure import Exposure
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import Code, Refusal

PERCENT = 100


@dataclass(frozen=True, slots=True)
class RiskCheck:
    """How much the best outcome must bring above the total bet: a share of it, and never less than one credit."""

    percent: int
    clause: ClauseId
    message: str
    #: Said of bets already on the layout, which must be changed or removed before the close.
    warning: str
    warning_clause: ClauseId

    def threshold(self, total: int, *, credit: int) -> int:
        """Give the least margin, in whole credits and rounded up: max(1 credit, percent of the total)."""
        credits_needed = -(-total * self.percent // (PERCENT * credit))
        return max(1, credits_needed) * credit

    def objection(self, exposure: Exposure, *, credit: Cents) -> Refusal | None:
        margin = exposure.best - exposure.staked
        threshold = self.threshold(exposure.staked, credit=credit)
        if exposure.staked == 0 or margin >= threshold:
            return None
        says = (
            f"{self.message}: the best outcome is {amount_text(margin)} above the total bet of "
            f"{amount_text(exposure.staked)}, and {amount_text(threshold)} is needed."
        )
        facts = {"margin": margin, "threshold": threshold, "staked": exposure.staked, "message": self.message}
        return Refusal(Code.TOO_LITTLE_RISK, self.clause, says, facts)
