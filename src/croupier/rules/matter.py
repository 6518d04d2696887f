"""Matters: what the house may have to refuse over, for each of which a rulebook names the nearest clause."""

from collections.abc import Mapping
from enum import StrEnum

from croupier.rules.clause import ClauseId


class Matter(StrEnum):
    """What a refusal is about, where no rule of its own stands in the rulebook already."""

    #: Placing, moving and taking back chips while betting is open.
    BETS = "bets"
    #: That the player alone places them.
    PLAYER = "player"
    BETS_NOT_OPEN = "bets_not_open"
    LATE_BET = "late_bet"
    LATE_REMOVAL = "late_removal"
    #: One round runs to its end before the next begins, step by step.
    ROUND = "round"
    RESULT = "result"
    #: The reset after a no spin.
    RESPIN = "respin"
    #: A spin that was called off, whatever number comes of it.
    NO_SPIN = "no_spin"
    CORRECTION = "correction"
    #: What a malfunction does to bets: raised before the close, after it, and where the records do not bear them out.
    MALFUNCTION_BEFORE_CLOSE = "malfunction_before_close"
    MALFUNCTION_AFTER_CLOSE = "malfunction_after_close"
    UNCONFIRMED = "unconfirmed"
    #: What an interruption does to the whole round, without an outcome and with one.
    INTERRUPTED_NO_OUTCOME = "interrupted_no_outcome"
    INTERRUPTED_OUTCOME = "interrupted_outcome"
    #: A settled round that may not have been shown when the system stopped.
    SETTLED_UNSEEN = "settled_unseen"
    #: What counts as a malfunction.
    FAULT_CREDITS = "fault_credits"
    FAULT_NUMBERS = "fault_numbers"
    FAULT_INTERRUPTED = "fault_interrupted"
    FAULT_OPINION = "fault_opinion"
    #: Which terminals may bet.
    TERMINAL = "terminal"
    CREDIT = "credit"
    CREDIT_IN = "credit_in"
    CREDIT_OUT = "credit_out"
    TICKET = "ticket"
    SETTINGS = "settings"
    CLOSING_DOWN = "closing_down"
    DISPUTE = "dispute"
    #: A dispute that arises from the rules, where that has a clause of its own.
    DISPUTE_FROM_RULES = "dispute_from_rules"
    ADVICE = "advice"


Cites = Mapping[Matter, ClauseId]
