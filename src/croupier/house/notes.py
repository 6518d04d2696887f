"""Notes: which of them become credits, and play money in a demonstration."""

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.command.credit import GrantPlayMoney, InsertNote
from croupier.house.event.credit import NoteStacked, PlayMoneyGranted
from croupier.house.service import out_of_service
from croupier.house.settings import Mode
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rules.matter import Matter
from croupier.rules.money import amount_text
from croupier.rules.procedure import CreditIn
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def insert_note(house: House, command: InsertNote, _stamp: Stamp) -> Decision:
    """Say whether the acceptor may stack the note that it holds; a win that is held does not stand in its way."""
    terminal = house.terminals[command.terminal]
    return (
        out_of_service(house, terminal, house.rulebook_at(terminal))
        or _not_accepted(house.rulebook_at(terminal), terminal, command)
        or (NoteStacked(command.terminal, command.value),)
    )


def note_stacked(house: House, event: NoteStacked, stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    session.begin(house, terminal, stamp)
    house.books.move(event.value, source=Account.NOTES, target=Account.CREDIT)
    terminal.credit += event.value
    terminal.meters.notes[event.value] += 1


def grant_play_money(house: House, command: GrantPlayMoney, _stamp: Stamp) -> Decision:
    if house.mode is not Mode.DEMO:
        return refuse(Code.DEMO_ONLY, None, "Play money is for demonstrations: here credits are worth money.")
    if command.amount <= 0:
        says = "Play money is granted in amounts above nothing."
        return refuse(Code.STAKE_NOT_POSITIVE, None, says, amount=command.amount)
    return (PlayMoneyGranted(command.terminal, command.amount),)


def play_money_granted(house: House, event: PlayMoneyGranted, stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    session.begin(house, terminal, stamp)
    house.books.move(event.amount, source=Account.PLAY_MONEY, target=Account.CREDIT)
    terminal.credit += event.amount
    terminal.meters.granted += event.amount


def not_taken(rulebook: Rulebook, says: str, **facts: object) -> Refusal:
    """Refuse what buys no credits here, by the closed list of what does where the rules have one."""
    return refuse(Code.NOT_TAKEN_HERE, rulebook.credit_only or rulebook.cites[Matter.CREDIT_IN], says, **facts)


def _not_accepted(rulebook: Rulebook, terminal: Terminal, note: InsertNote) -> Refusal | None:
    clause = next((ruling.clause for ruling in terminal.channel.credit_in if ruling.does is CreditIn.NOTES), None)
    accepted = terminal.settings.notes
    if clause is None:
        return not_taken(rulebook, "Notes are not taken here.")
    if note.currency != rulebook.currency:
        says = f"Only notes of {rulebook.currency} are taken here."
        return refuse(Code.NOT_TAKEN_HERE, clause, says, currency=note.currency, accepted=rulebook.currency)
    if note.value not in accepted:
        says = f"This terminal takes notes of {', '.join(map(amount_text, accepted))} {rulebook.currency}."
        return refuse(Code.NOT_TAKEN_HERE, clause, says, value=note.value, accepted=accepted)
    return None


DECIDERS: Deciders = {InsertNote: insert_note, GrantPlayMoney: grant_play_money}
EVOLVERS: Evolvers = {NoteStacked: note_stacked, PlayMoneyGranted: play_money_granted}
