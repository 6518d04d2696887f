"""People, devices and second signatures."""

from collections.abc import Iterator

import msgspec

from croupier.house import permissions
from croupier.house.base import Command, Decision, RoundStatus
from croupier.house.cashier import cashier_signs
from croupier.house.commands import DUAL_CONTROL
from croupier.house.commands.credit import DropDrawer, FillDrawer, PayPayable
from croupier.house.commands.live import AmendSeal, ReturnColour
from croupier.house.commands.record import VoidBets
from croupier.house.commands.rounds import AttestResult, InvalidateOutcome
from croupier.house.commands.setup import (
    AppointActing,
    Approve,
    EnrolDevice,
    EnrolPerson,
    ReleaseDevice,
    ReleasePerson,
    UnlockAccount,
    Withdraw,
)
from croupier.house.events.setup import (
    AccountUnlocked,
    ActingAppointed,
    DeviceEnrolled,
    DeviceReleased,
    PersonEnrolled,
    PersonReleased,
    ProposalApproved,
    ProposalMade,
    ProposalWithdrawn,
)
from croupier.house.ids import SECOND, SYSTEM, Context, DeviceKind, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.permissions import blocked_objection, no_terminal
from croupier.house.results import number_visible
from croupier.house.setup import live_clause, name_objections
from croupier.house.state import (
    ActingAppointment,
    Decider,
    Deciders,
    Evolvers,
    House,
    MalfunctionCase,
    Person,
    Proposal,
)
from croupier.house.state.tables import Terminal
from croupier.house.texts import name_form_objection
from croupier.rules.money import amount_text
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, first_of, refuse


def enrol_device(house: House, command: EnrolDevice, _context: Context) -> Decision:
    """Enrol a new name; a terminal is added at a table, and can be enrolled here only after it was released."""
    enrolled = (DeviceEnrolled(command.device, command.kind),)
    terminal = TerminalId(command.device)
    if command.kind is not DeviceKind.TERMINAL or command.device in house.devices:
        return first_of(name_objections(house, command.device)) or enrolled
    return enrolled if terminal in house.terminals else no_terminal(house, terminal)


def device_enrolled(house: House, event: DeviceEnrolled, _context: Context) -> None:
    house.devices.add(event.device)
    house.released_devices.discard(event.device)


def release_device(house: House, command: ReleaseDevice, _context: Context) -> Decision:
    """Release a device; a terminal must be closed and hold no money or open item."""
    if command.device not in house.devices or TableId(command.device) in house.tables:
        message = f"No device {command.device} is enrolled here."
        return refuse(Code.UNKNOWN_RECORD, None, message, device=command.device)
    terminal = house.terminals.get(TerminalId(command.device))
    in_use = None if terminal is None else _in_use(house, terminal)
    return in_use or (DeviceReleased(command.device),)


def device_released(house: House, event: DeviceReleased, _context: Context) -> None:
    house.devices.discard(event.device)
    house.released_devices.add(event.device)
    terminal = house.terminals.get(TerminalId(event.device))
    if terminal is not None:
        # A released terminal is not offline: it has no link.
        terminal.lost_at = None
        house.offline.discard(terminal.id)


def _in_use(house: House, terminal: Terminal) -> Refusal | None:
    """Refuse to release a terminal that still has open items."""
    rulebook, on_it = house.rulebook_at(terminal), terminal.credit + terminal.in_play + terminal.held_total
    if (malfunction := blocked_objection(house, terminal)) is not None:
        return malfunction
    if on_it:
        message = f"Terminal {terminal.id} has {amount_text(on_it)} {rulebook.currency} on it: that is paid out first."
        money = {"credit": terminal.credit, "in_play": terminal.in_play, "held": terminal.held_total}
        return refuse(Code.OUT_OF_TURN, rulebook.cited_clauses[CitedTopic.CREDIT_OUT], message, **money)
    if not terminal.closed:
        # 12(h) at Adelaide: nothing is shut down past the notice that closing it takes.
        return refuse(
            Code.OUT_OF_TURN,
            rulebook.cited_clauses[CitedTopic.CLOSING_DOWN],
            f"Terminal {terminal.id} is closed first.",
        )
    return None


#: The time limit for the second signature.
GOOD_FOR_S = 120


def needs_second_signature(house: House, command: Command) -> bool:
    """Check whether a command requires a second signature; one suffices if nothing was paid or is missing."""
    if isinstance(command, InvalidateOutcome):
        found = house.tables[command.table].find_round(command.round)
        return found is not None and found.status is RoundStatus.SETTLED
    if isinstance(command, VoidBets):
        case = house.cases.get(command.case)
        return case is not None and (case.suspense > 0 or _number_known(case))
    if isinstance(command, ReturnColour):
        live = house.tables[command.table].live
        colour = None if live is None else live.colours.get(command.colour)
        return colour is not None and command.counted < colour.pieces_in_set
    return type(command) in DUAL_CONTROL


def _number_known(case: MalfunctionCase) -> bool:
    """Check whether a number of a round in question was seen: from then on one person cannot void its bets alone."""
    return any(round_.pocket or round_.reported for round_ in case.rounds)


def propose(house: House, command: Command, context: Context) -> Decision:
    assert type(command) in DUAL_CONTROL
    expires_at = Instant(context.now + GOOD_FOR_S * SECOND)
    objection = _signers_objection(house, command, context)
    if objection is not None:
        return objection
    if isinstance(command, AttestResult | AmendSeal):
        # What is attested or amended for one spin must not be signed for another.
        playing = house.tables[command.table].playing
        command = msgspec.structs.replace(command, round=playing.number, spin=playing.spin)
    return (ProposalMade(Number(house.proposed + 1), command, expires_at),)


def approve(house: House, command: Approve, context: Context, decide_inner: Decider) -> Decision:
    """Add the second signature and decide the proposed command; on a refusal the proposal stays open."""
    proposal = house.proposals.get(command.proposal)
    if proposal is None:
        return _unknown(command.proposal)
    objection = first_of(_objections(house, proposal, context))
    if objection is not None:
        return objection
    done = decide_inner(house, proposal.command, context)
    if isinstance(done, Refusal):
        return done
    signed = ProposalApproved(proposal.number, proposal.person, proposal.device, context.person, context.device)
    return (signed, *done)


def _objections(house: House, proposal: Proposal, context: Context) -> Iterator[Refusal]:
    clause = next((book.staff.clause for book in permissions.rulebooks_of(house, proposal.command)), None)
    # The second signature requires the same permission as the first.
    if (not_allowed := permissions.objection(house, proposal.command, context)) is not None:
        yield not_allowed
    first = Context(context.now, proposal.device, proposal.person)
    if (lost := permissions.objection(house, proposal.command, first)) is not None:
        # The first signer has since lost the permission.
        yield lost
    if (wrong := _signers_objection(house, proposal.command, first, context)) is not None:
        yield wrong
    if context.person == proposal.person:
        yield refuse(Code.SAME_PERSON, clause, "Another person must give the second signature.")
    if context.device == proposal.device:
        yield refuse(Code.SAME_DEVICE, clause, "The second signature must be given on another device.")
    if context.now >= proposal.expires_at:
        message = f"The proposal was good for {GOOD_FOR_S} seconds: it must be made anew."
        yield refuse(Code.PROPOSAL_EXPIRED, clause, message, expires_at=proposal.expires_at)


def _signers_objection(house: House, command: Command, *signed: Context) -> Refusal | None:
    """Refuse the people who signed one proposal, where they need more than the permission; the first alone, or both."""
    if isinstance(command, AmendSeal):
        return _amend_objection(house, command, *signed)
    if isinstance(command, FillDrawer | DropDrawer | PayPayable):
        return cashier_signs(house, command.drawer, *signed)
    return None


def _amend_objection(house: House, command: AmendSeal, *signed: Context) -> Refusal | None:
    """6(i), 6(j): one signer inspects; once the number can be seen, the other is one who may correct a number.

    Of a first signature alone, refuse what no second one can complete.
    """
    table = house.tables[command.table]
    inspect, correct = (
        tuple(permissions.has_duty(house, command, duty, each) for each in signed)
        for duty in (Duty.INSPECT, Duty.CORRECT)
    )
    clause = live_clause(table.rulebook, CitedTopic.POSITION)
    if not number_visible(table):
        if len(signed) == 1 or any(inspect):
            return None
        titles = permissions.titles_for((table.rulebook,), (Duty.INSPECT,))
        message = f"A sealed layout is amended with the signature of {' or '.join(titles)}."
        return refuse(Code.NOT_AUTHORISED, clause, message, titles=titles)
    if len(signed) == 1 and (inspect[0] or correct[0]):
        return None
    if len(signed) > 1 and ((inspect[0] and correct[1]) or (inspect[1] and correct[0])):
        return None
    titles = permissions.titles_for((table.rulebook,), (Duty.INSPECT, Duty.CORRECT))
    message = "The number can be seen: one who inspects and one who may correct a number sign together."
    return refuse(Code.NOT_AUTHORISED, clause, message, titles=titles)


def withdraw(house: House, command: Withdraw, context: Context) -> Decision:
    proposal = house.proposals.get(command.proposal)
    if proposal is None:
        return _unknown(command.proposal)
    if context.person != proposal.person:
        message = f"{proposal.person} made the proposal, and nobody else can take it back."
        return refuse(Code.NOT_AUTHORISED, None, message, person=proposal.person)
    return (ProposalWithdrawn(command.proposal),)


def _unknown(number: Number) -> Refusal:
    return refuse(Code.UNKNOWN_RECORD, None, f"There is no proposal {number} to be signed.", proposal=number)


def proposal_made(house: House, event: ProposalMade, context: Context) -> None:
    proposal = Proposal(event.proposal, event.command, context.person, context.device, event.expires_at)
    live = {number: each for number, each in house.proposals.items() if each.expires_at > context.now}
    house.proposals = {**live, event.proposal: proposal}
    house.proposed += 1


def proposal_approved(house: House, event: ProposalApproved, _context: Context) -> None:
    del house.proposals[event.proposal]


def proposal_withdrawn(house: House, event: ProposalWithdrawn, _context: Context) -> None:
    del house.proposals[event.proposal]


def enrol_person(house: House, command: EnrolPerson, _context: Context) -> Decision:
    if unknown := [title for title in command.titles if title not in titles_known(house)]:
        return _unknown_title(house, unknown[0])
    if command.person == PersonId(SYSTEM):
        message = f"The house itself goes by the name {command.person}."
        return refuse(Code.ALREADY_THERE, None, message, name=command.person)
    return name_form_objection(command.person) or (PersonEnrolled(command.person, command.titles),)


def release_person(house: House, command: ReleasePerson, _context: Context) -> Decision:
    if command.person not in house.people:
        return _unknown_person(command.person)
    return (PersonReleased(command.person),)


def unlock_account(house: House, command: UnlockAccount, context: Context) -> Decision:
    """Let two colleagues unlock a person's account; sign-in state is outside the house."""
    if command.person not in house.people:
        return _unknown_person(command.person)
    if command.person == context.person:
        return refuse(Code.SAME_PERSON, None, "Two colleagues unlock an account, and never its owner.")
    return (AccountUnlocked(command.person),)


def account_unlocked(_house: House, _event: AccountUnlocked, _context: Context) -> None:
    """Change nothing: wrong passwords are counted in the credential store, outside the house."""


def appoint_acting(house: House, command: AppointActing, context: Context) -> Decision:
    if command.person not in house.people:
        return _unknown_person(command.person)
    if command.person == context.person:
        return refuse(Code.SAME_PERSON, _clause(house, command.title), "Nobody appoints themselves.")
    if command.title not in titles_known(house):
        return _unknown_title(house, command.title)
    if command.ends_at <= command.begins_at:
        message = "An acting appointment ends after it begins."
        return refuse(Code.SETTING_IMPOSSIBLE, _clause(house, command.title), message)
    return (ActingAppointed(command.person, command.title, command.begins_at, command.ends_at),)


def titles_known(house: House) -> dict[str, ClauseId]:
    """List every title in the adopted rulebooks, with the rulebook's clause on its staff."""
    return {
        title: rulebook.staff.clause
        for rulebook in house.rulebooks.values()
        for title in (*rulebook.staff.order, *rulebook.staff.others)
    }


def _clause(house: House, title: str | None = None) -> ClauseId | None:
    known = titles_known(house)
    return known[title] if title in known else next(iter(known.values()), None)


def _unknown_title(house: House, title: str) -> Refusal:
    message = f"No rulebook in use here knows the title {title}."
    return refuse(Code.UNKNOWN_RECORD, _clause(house), message, title=title, known=tuple(titles_known(house)))


def _unknown_person(person: PersonId) -> Refusal:
    return refuse(Code.UNKNOWN_PERSON, None, f"{person} is not enrolled here.", person=person)


def person_enrolled(house: House, event: PersonEnrolled, _context: Context) -> None:
    person = house.people.setdefault(event.person, Person(event.person, event.titles))
    person.titles = event.titles
    house.released.discard(event.person)


def person_released(house: House, event: PersonReleased, _context: Context) -> None:
    """Remove a person, drop the proposals they signed, and record the release."""
    del house.people[event.person]
    house.released.add(event.person)
    house.proposals = {number: each for number, each in house.proposals.items() if each.person != event.person}


def acting_appointed(house: House, event: ActingAppointed, context: Context) -> None:
    person = house.people[event.person]
    current = [post for post in person.acting if context.now < post.ends_at]
    person.acting = [*current, ActingAppointment(event.title, event.begins_at, event.ends_at)]


DECIDERS: Deciders = {
    EnrolDevice: enrol_device,
    ReleaseDevice: release_device,
    Withdraw: withdraw,
    EnrolPerson: enrol_person,
    ReleasePerson: release_person,
    UnlockAccount: unlock_account,
    AppointActing: appoint_acting,
}


EVOLVERS: Evolvers = {
    DeviceEnrolled: device_enrolled,
    DeviceReleased: device_released,
    ProposalMade: proposal_made,
    ProposalApproved: proposal_approved,
    ProposalWithdrawn: proposal_withdrawn,
    PersonEnrolled: person_enrolled,
    PersonReleased: person_released,
    AccountUnlocked: account_unlocked,
    ActingAppointed: acting_appointed,
}
