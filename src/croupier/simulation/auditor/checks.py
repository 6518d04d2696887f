"""Every response, and the whole state of a house, verified against the auditor's model."""

from collections.abc import Mapping
from typing import Final

from croupier.house import House
from croupier.house.credit.drawers import DropDrawer, FillDrawer, PayPayable
from croupier.house.declare import Command, Event, GameCommand
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Context
from croupier.house.rounds.corrections import ResultCorrected
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReleaseHold
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.state import tables
from croupier.house.state.tables import Terminal
from croupier.rules.refusal import Code, Refusal
from croupier.simulation.auditor import betting, chips, liveplayers
from croupier.simulation.auditor import live as live_tables
from croupier.simulation.auditor.model import Model, ModelTable, ModelTerminal
from croupier.simulation.auditor.permissions import (
    barred,
    takes_two,
    unsigned,
)
from croupier.simulation.auditor.registry import DERIVED
from croupier.simulation.invariants import InvariantViolation, check_equal

#: Refusals that are sent before the house decides: nothing was decided.
NOT_DECIDED: Final = (Code.KEY_STALE, Code.KEY_REUSED, Code.EPOCH_AHEAD, Code.BUSY, Code.DISK_LOW)

_BREAKS: Final[Mapping[str, tuple[Code, ...]]] = {
    "I2": (Code.CREDIT_SHORT, Code.STAKE_NOT_POSITIVE, Code.NOTHING_TO_COLLECT, Code.WIN_HELD, Code.FORM_MISSING),
    "I5": (
        *(
            Code.TICKET_UNKNOWN,
            Code.TICKET_PAID,
            Code.TICKET_VOID,
            Code.TICKET_EXPIRED,
            Code.TICKET_FROZEN,
            Code.TICKET_ALTERED,
            Code.TICKET_TRANSFERRED,
        ),
        *(Code.VALIDATION_STALE, Code.UNKNOWN_RECORD),
    ),
    "I6": (Code.DRAWER_UNKNOWN, Code.DRAWER_CLOSED, Code.DRAWER_SHORT),
    "I9": (Code.WRONG_ROUND, Code.BETS_NOT_OPEN, Code.BETS_CLOSED, Code.ROUND_SUSPENDED),
    "I19": (
        *(Code.NOT_AUTHORISED, Code.UNKNOWN_DEVICE, Code.UNKNOWN_PERSON, Code.SAME_PERSON, Code.SAME_DEVICE),
        Code.PROPOSAL_EXPIRED,
    ),
}
_INVARIANT: Final = {code: invariant for invariant, codes in _BREAKS.items() for code in codes}


def invariant_of(code: Code) -> str:
    """Name the invariant that a missing or wrong refusal breaks; I18, about limits, unless the code has another."""
    return _INVARIANT.get(code, "I18")


#: What is counted blind is compared with the second signature only.
_BLIND: Final = {Code.DRAWER_SHORT, Code.FLOAT_SHORT}


def objections(model: Model, command: Command, context: Context, *, is_second: bool = False) -> tuple[set[Code], bool]:
    """Return the refusals that apply to a command, and whether the set is complete."""
    codes = barred(model, command, context)
    if codes:
        return codes, True
    if isinstance(command, GameCommand):
        return betting.objections(model, command, context), isinstance(command, betting.BETTING)
    if isinstance(command, Approve):
        return _second(model, command, context)
    if type(command) in DERIVED:
        codes = DERIVED[type(command)].objections(model, command, context)
        return codes - (_BLIND if takes_two(model, command, context) and not is_second else set()), True
    return set(), False


def _second(model: Model, command: Approve, context: Context) -> tuple[set[Code], bool]:
    """A second signature is refused for what refuses the proposed command, and for faults of its own."""
    codes = unsigned(model, command, context)
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None or codes:
        return codes, proposal is None
    codes, is_complete = objections(model, proposal.command, context, is_second=True)
    if isinstance(proposal.command, FillDrawer | DropDrawer | PayPayable):
        drawer = model.desk.drawers.get(proposal.command.drawer)
        # The drawer's cashier signs this proposal, first or second.
        codes -= {Code.NOT_AUTHORISED} if drawer is not None and drawer.cashier == proposal.person else set()
    return codes, is_complete


def check(model: Model, command: Command, context: Context, answer: object) -> None:
    """Verify a response: accepted when no refusal applies to the command, otherwise refused with one that does."""
    codes, is_complete = objections(model, command, context)
    if not isinstance(answer, Refusal):
        if codes:
            worst = min(codes, key=list(Code).index)
            raise InvariantViolation(
                invariant_of(worst), f"{command} by {context} was taken in spite of {sorted(codes)}"
            )
    elif (codes or is_complete) and answer.code not in codes:
        words = f"{command} by {context} was refused as {answer.code}, due {sorted(codes) or 'no refusal'}"
        raise InvariantViolation(invariant_of(answer.code), words)


_SEAT_METERS: Final = (
    *(
        "turnover",
        "returned",
        "refunded",
        "games",
        "games_won",
        "bought_in",
        "tickets_in",
        "tickets_out",
        "tickets_back",
    ),
    *("hand_pays", "payables_paid", "adjusted_in", "adjusted_out", "granted"),
)
_TABLE_METERS: Final = ("turnover", "returned", "refunded", "carried", "contributed", "rounds", "voids", "no_spins")
#: Accounts of slips and tickets, and of drawers; the other accounts belong to the players and the games.
_PAPER: Final = ("tickets", "inter_venue", "unclaimed", "dispensed")
_DRAWERS: Final = ("drawers", "vault", "differences")


def compare(model: Model, house: House, about: str) -> None:
    """Verify a house against the model; a difference in players' money breaks the invariant `about`."""
    check_equal("I1", "the sum of all accounts", sum(house.ledger.balances.values()), 0)
    check_equal(about, "terminals", house.terminals.keys(), model.seats.keys())
    for name, seat in model.seats.items():
        _seat(seat, house.terminals[name], about)
    for table in model.tables.values():
        _table(table, house.tables[table.name])
    live_tables.compare(model, house)
    liveplayers.compare(model, house)
    _desk(model, house)
    _cases(model, house, about)
    _ledger(model, house, about)


def _seat(seat: ModelTerminal, terminal: Terminal, about: str) -> None:
    name = seat.name
    if terminal.credit < 0:
        raise InvariantViolation("I2", f"credit of {name} is {terminal.credit}")
    check_equal(about, f"credit of {name}", terminal.credit, seat.credit)
    for table, game in seat.games.items():
        shown = terminal.games[table]
        check_equal(about, (name, table), shown.bets, game.stakes)
        check_equal(about, (name, table, "staked"), shown.staked, game.staked)
        check_equal(about, (name, table, "carried"), shown.carried, game.carried)
    holds = {number: hold.amount for number, hold in terminal.holds.items()}
    check_equal(about, (name, "holds"), holds, {number: hold.amount for number, hold in seat.holds.items()})
    check_equal(about, (name, "owes"), terminal.owes, seat.owes)
    owed = {session: debt for session, debt in seat.debts.items() if debt}
    check_equal(about, (name, "debts"), terminal.debts, owed)
    check_equal("I2", (name, "session has begun"), terminal.session_since is not None, seat.playing)
    service = (terminal.lost_at is not None, terminal.case, terminal.closed, terminal.session)
    check_equal("I2", (name, "service"), service, (seat.dark, seat.case, seat.closed, seat.session))
    own = (terminal.loss_limit, terminal.pause, terminal.at_risk)
    check_equal("I2", (name, "own limits"), own, (seat.loss_limit, seat.pause, seat.at_risk))
    _seat_meters(seat, terminal)


def _seat_meters(seat: ModelTerminal, terminal: Terminal) -> None:
    meters = terminal.meters
    for each in _SEAT_METERS:
        if getattr(meters, each) != seat.meters[each]:
            raise InvariantViolation(
                "I21", f"meter {each} of {seat.name} is {getattr(meters, each)}, due {seat.meters[each]}"
            )
    check_equal("I21", (seat.name, "notes"), meters.notes, seat.notes)


def _table(table: ModelTable, shown: tables.Table) -> None:
    name = table.name
    check_equal("I9", (name, "round"), shown.rounds, table.number)
    check_equal("I9", (name, "phase"), shown.phase.value, table.phase)
    check_equal("I9", (name, "closed"), shown.closed, table.closed)
    if table.closed and table.phase in ("between", "paying"):
        check_equal("I18", (name, "carried while it is closed"), shown.meters.carried, 0)
    check_equal("I10", (name, "history"), list(shown.history), table.history)
    for each in _TABLE_METERS:
        if getattr(shown.meters, each) != table.meters[each]:
            raise InvariantViolation(
                "I21", f"meter {each} of {name} is {getattr(shown.meters, each)}, due {table.meters[each]}"
            )
    for played in (*shown.past, shown.round):
        if played is not None:
            due = table.rounds[played.number]
            check_equal("I3", (name, played.number, "sealed"), played.sealed and played.layouts, due.sealed)
            check_equal("I10", (name, played.number), (played.spin.number, played.pocket), (due.spin, due.pocket))
            check_equal("I3", (name, played.number, "paid"), played.paid, due.paid)


def _desk(model: Model, house: House) -> None:
    tickets = {
        number: (ticket.state.value, ticket.amount, ticket.frozen) for number, ticket in house.tickets.all.items()
    }
    meant = {number: (ticket.state, ticket.amount, ticket.frozen) for number, ticket in model.desk.tickets.items()}
    check_equal("I5", "tickets", tickets, meant)
    accounts = {name: (each.sent, each.received, each.last_received) for name, each in house.venue_accounts.items()}
    venues = {name: (each.sent, each.received, each.last_received) for name, each in model.desk.venues.items()}
    check_equal("I5", "accounts with other venues", accounts, venues)
    for name, drawer in model.desk.drawers.items():
        shown = house.drawers[name]
        found = (shown.cash, shown.float_, shown.paid_out, shown.taken_in, shown.counted, not shown.closed)
        due = (drawer.cash, drawer.float_, drawer.paid_out, drawer.taken_in, drawer.counted, drawer.out)
        check_equal("I6", name, found, due)
        check_equal("I6", (name, "vault"), shown.filled - shown.dropped, drawer.from_vault)


def _cases(model: Model, house: House, about: str) -> None:
    for number, case in model.cases.items():
        shown = house.cases.all[number]
        found = (shown.state.value, shown.suspense, shown.cleared)
        check_equal(about, f"case {number}", found, (case.state, case.suspense.total(), case.cleared))


def _ledger(model: Model, house: House, about: str) -> None:
    due = balances(model)
    for account, found in house.ledger.balances.items():
        amount = due[account]
        if found != amount:
            invariant = "I5" if account in _PAPER else "I6" if account in _DRAWERS else about
            raise InvariantViolation(invariant, f"account {account} stands at {found}, due {amount}")


def balances(model: Model) -> dict[str, int]:
    """Compute the balance of every account from the model; those that are sources of money are negative."""
    seats, desk = model.seats.values(), model.desk
    lives = [table.live for table in model.tables.values() if table.live is not None]
    notes = sum(value * count for seat in seats for value, count in seat.notes.items())
    adjusted = sum(seat.meters["adjusted_in"] - seat.meters["adjusted_out"] for seat in seats)
    return {
        "credit": sum(seat.credit for seat in seats),
        "stakes": sum(seat.in_play - seat.carried for seat in seats) + sum(map(chips.staked, lives)),
        "imprisoned": sum(seat.carried for seat in seats) + sum(map(chips.carried, lives)),
        "progressive": sum(pot.amount for pot in model.pots.values() if pot.kept),
        "reserve": sum(pot.reserve for pot in model.pots.values()),
        "suspense": sum(case.suspense.total() for case in model.cases.values()),
        "house": model.won,
        "held": sum(seat.amount_held for seat in seats),
        "tickets": desk.worth("issued", "printed"),
        "inter_venue": sum(venue.sent - venue.received for venue in desk.venues.values()),
        "unclaimed": desk.worth("expired") + model.chips_unclaimed,
        "notes": -notes,
        "drawers": -sum(drawer.cash for drawer in desk.drawers.values()),
        "vault": desk.tally["vault"],
        "differences": desk.tally["differences"],
        "dispensed": desk.tally["dispensed"],
        "receivables": -sum(seat.receivable for seat in seats) - sum(live.owed.total() for live in lives),
        "payables": sum(seat.payable for seat in seats),
        "adjustments": -adjusted - model.chips_adjusted,
        "play_money": -sum(seat.meters["granted"] for seat in seats),
        **live_tables.balances(model),
    }


def named(model: Model, command: Command, event: Event) -> None:
    """Verify a declared or corrected number against the one that was reported, confirmed, entered or decided."""
    if not isinstance(event, ResultDeclared | ResultCorrected):
        return
    pocket = getattr(command, "pocket", None)
    released = isinstance(command, ReleaseHold)
    decided = isinstance(command, DecideReferral) and (pocket is None or command.verdict is ReferralDecision.GO_ON)
    if released or decided:
        round_ = model.tables[event.table].round
        pocket = None if round_ is None else round_.reported
    check_equal("I10", f"the number declared for {command}", event.pocket, pocket)
