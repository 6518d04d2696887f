"""The words of steps: what each is called, what is announced with it, and the clause behind it."""

from typing import Final

from croupier.rules.clause import ClauseId
from croupier.rules.matter import Matter
from croupier.rules.procedure import Occasion
from croupier.rules.rulebook import Rulebook
from croupier.web.stepdata import By, StepName


def name_of(step: StepName, by: By) -> str:
    """Say what a step is, by whoever takes it."""
    return _WHEEL_WORDS.get(step, _WORDS[step]) if by is By.WHEEL else _WORDS[step]


_WORDS: Final = {
    StepName.OPEN: "Open betting",
    StepName.WARN: "Warn that betting closes",
    StepName.CLOSE: "Close betting",
    StepName.SPIN: "Spin the ball",
    StepName.NUMBER: "Name the number",
    StepName.CONFIRM: "Confirm the number",
    StepName.SETTLE: "Pay out",
    StepName.NO_SPIN: "Call no spin",
    StepName.RESET: "Reset the terminals",
    StepName.ATTEST: "Two people attest the number",
    StepName.DECIDE: "The round is decided",
}
_WHEEL_WORDS: Final = {StepName.SPIN: "The wheel launches the ball", StepName.NUMBER: "The wheel reports the number"}

#: For which occasion the rules may have words, the dealer's own call first.
_OCCASIONS: Final = {
    StepName.OPEN: (Occasion.OPEN,),
    StepName.WARN: (Occasion.FINISH_BETTING,),
    StepName.CLOSE: (Occasion.CLOSED_CALL, Occasion.CLOSED),
    StepName.NO_SPIN: (Occasion.NO_SPIN,),
    StepName.RESET: (Occasion.NO_SPIN,),
}


def announcement(rulebook: Rulebook, step: StepName) -> str:
    """Give the words that the rules fix for a step."""
    texts = (rulebook.messages[each].texts[0] for each in _OCCASIONS.get(step, ()) if each in rulebook.messages)
    return next(texts, "")


def clause_of(rulebook: Rulebook, step: StepName) -> ClauseId:
    """Name the clause behind a step."""
    procedure, cites = rulebook.procedure, rulebook.cites
    match step:
        case StepName.WARN:
            return procedure.warning.clause
        case StepName.CLOSE:
            return procedure.closes.clause
        case StepName.SPIN:
            turns = procedure.revolutions or procedure.launch_to_close
            return procedure.closes.clause if turns is None else turns.clause
        case StepName.NUMBER:
            return procedure.authority.clause
        case _:
            return cites[_MATTERS[step]]


_MATTERS: Final = {
    StepName.OPEN: Matter.BETS_NOT_OPEN,
    StepName.CONFIRM: Matter.RESULT,
    StepName.SETTLE: Matter.ROUND,
    StepName.NO_SPIN: Matter.NO_SPIN,
    StepName.RESET: Matter.RESPIN,
    StepName.ATTEST: Matter.INTERRUPTED_OUTCOME,
    StepName.DECIDE: Matter.ROUND,
}
