"""Adjustments: a credit meter put right by two people, up or down."""

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.command.credit import AdjustCredit
from croupier.house.event.credit import CreditAdjusted
from croupier.house.notes import not_taken
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rules.matter import Matter
from croupier.rules.money import amount_text
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def adjust_credit(house: House, command: AdjustCredit, _stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    clause, words = rulebook.cites[Matter.CREDIT], command.words.strip()
    if command.amount == 0:
        return refuse(Code.MALFORMED, None, "An adjustment of nothing puts nothing right.")
    if not words:
        return refuse(Code.REASON_NOT_LISTED, clause, "An adjustment needs its reason in words.")
    adjusted = CreditAdjusted(command.terminal, command.amount, clause, words)
    return _not_upwards(rulebook, command) or _too_far_down(rulebook, terminal, command) or (adjusted,)


def credit_adjusted(house: House, event: CreditAdjusted, stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    house.books.move(event.amount, source=Account.ADJUSTMENTS, target=Account.CREDIT)
    terminal.credit += event.amount
    if event.amount > 0:
        session.begin(house, terminal, stamp)
        terminal.meters.adjusted_in += event.amount
    else:
        terminal.meters.adjusted_out -= event.amount
        session.watch(house, terminal, stamp)


def _too_far_down(rulebook: Rulebook, terminal: Terminal, command: AdjustCredit) -> Refusal | None:
    if terminal.credit + command.amount >= 0:
        return None
    says = (
        f"There are {amount_text(terminal.credit)} {rulebook.currency} on the meter, which never falls below nothing."
    )
    facts = {"credit": terminal.credit, "amount": command.amount}
    return refuse(Code.CREDIT_SHORT, rulebook.cites[Matter.CREDIT], says, **facts)


def _not_upwards(rulebook: Rulebook, command: AdjustCredit) -> Refusal | None:
    # 7(d) at Adelaide: notes and wins alone add to the meter, so an attendant does not.
    if command.amount < 0 or rulebook.credit_only is None:
        return None
    return not_taken(rulebook, "Staff add no credits here: only notes and wins do.", amount=command.amount)


DECIDERS: Deciders = {AdjustCredit: adjust_credit}
EVOLVERS: Evolvers = {CreditAdjusted: credit_adjusted}
