"""Corrected results, invalidated outcomes and their preview."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from croupier.house.credit import held_wins, sessions
from croupier.house.credit.held_wins import HoldCause, WinBases
from croupier.house.declare import (
    EVOLVERS,
    Events,
    EventTopic,
    Part,
    RoundEvent,
    TableCommand,
    TerminalEvent,
    command,
    decide_permitted,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context, Number, PersonId, PositionId, RoundNumber, TableId, TerminalId
from croupier.house.live.chip_settlement import Walking, corrected_chips, entitlements, walking_at
from croupier.house.live.seats_and_colours import not_all_paid
from croupier.house.play.chip_bets import unseal_chips, worth
from croupier.house.play.stakes import change_bets
from croupier.house.rounds import settlement, theory
from croupier.house.rounds.closing import seats
from croupier.house.rounds.irregularities import no_result, refund_all
from croupier.house.rounds.progressive import pot_events, won_of_pot
from croupier.house.rounds.settlement import end, payments_digest, release_if_closed, rewrite_record
from croupier.house.state.ledger import Ledger, LedgerAccount
from croupier.house.state.live import ChipFunding
from croupier.house.state.tables import (
    BallState,
    BetChange,
    BettingState,
    Cause,
    Position,
    Result,
    Round,
    RoundStatus,
    Ruling,
    Sealed,
    SeatMessage,
    SeatMessageKind,
    Table,
    Terminal,
    is_paying,
)
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.notation import read_pocket
from croupier.rules.procedure import Duty, Effect, Reason
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused, or_raise
from croupier.rules.rulebook import Stakes

if TYPE_CHECKING:
    from croupier.house import House


class Repayment(NamedTuple):
    """How one position's difference is posted; an amount taken from it is negative."""

    position: PositionId
    change: int
    credit: int
    #: The amount posted to the account of its session.
    account: int
    #: The remaining amount of each win of the round that is still held, if an amount is taken.
    holds: tuple[tuple[Number, int], ...] = ()


class SettledRound(NamedTuple):
    """A settled round of a table, with what only such a round has."""

    table: Table
    round: Round
    sealed: Sealed
    result: Result


class TerminalMoney(NamedTuple):
    """A player's money at one terminal: free credits, chips on the table, held wins, and the debt to the house."""

    credit: int
    up: int
    held: int
    owed: int


class TerminalPreview(NamedTuple):
    """The effect on one terminal of a correction or of returned stakes."""

    terminal: TerminalId
    staked: int
    #: The return paid for the round, and the return due by the other number or without one.
    paid: int
    due: int
    before: TerminalMoney
    after: TerminalMoney
    #: The session has since ended: the current player neither pays nor receives.
    gone: bool


class ChipMoney(NamedTuple):
    """A chip player's money at a table: payments that are open, chips on the layout, and the debt to the house."""

    unpaid: int
    up: int
    owed: int


class ChipPreview(NamedTuple):
    """The effect on one player with chips."""

    position: PositionId
    label: str
    staked: int
    #: Payments, stakes that stay and stakes that went back: by the number of the round, and by the other one.
    paid: int
    due: int
    before: ChipMoney
    after: ChipMoney
    #: The player has left the table.
    gone: bool


class CorrectionPreview(NamedTuple):
    """The preview of a correction or of an invalidated outcome."""

    #: None if the round was not settled.
    was: Pocket | None
    #: None if no number would count.
    pocket: Pocket | None
    clause: ClauseId
    terminals: tuple[TerminalPreview, ...]
    #: The players with chips whose bets were settled; while a round runs, chips stay where they lie.
    chips: tuple[ChipPreview, ...]
    #: The change in the house's win; negative if the house would pay more.
    house: int


@command(Duty.CORRECT, signatures=2)
class CorrectResult(TableCommand, frozen=True):
    """Correct a settled round: replace its number and settle it again."""

    round: RoundNumber
    pocket: Pocket
    words: str


@event(
    "Held win {hold} was corrected: {amount} are left of it; still held: {held}.",
    EventTopic.MONEY,
    EventTopic.SIGNIFICANT,
)
class HeldWinRevised(TerminalEvent, frozen=True):
    """A correction reduced a held win: the remaining amount, and whether it still needs its form."""

    hold: Number
    amount: Cents
    bases: WinBases
    #: The amount that is still held; the rest became credit.
    held: bool


@event(
    "Round {round} was corrected from {was} to {pocket}: {returned} are due now. {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class ResultCorrected(RoundEvent, frozen=True):
    """A wrong number was replaced, and the difference was posted to every position."""

    was: Pocket
    pocket: Pocket
    clause: ClauseId
    words: str
    returned: int
    digest: str


@decides(CorrectResult)
def correct_result(house: House, command: CorrectResult, _context: Context) -> Events:
    table = house.tables[command.table]
    clause = table.rulebook.cited_clauses[CitedTopic.CORRECTION]
    round_ = table.find_round(command.round)
    if round_ is None:
        raise Refused(Code.UNKNOWN_RECORD, clause, f"Round {command.round} is not kept here.", round=command.round)
    settled = _settled(table, round_)
    if settled is None or round_.invalidated:
        raise Refused(Code.OUT_OF_TURN, clause, "Only a round that was settled can be corrected.")
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say why the number is corrected.")
    _require_later_paid(table, round_)
    pocket = read_pocket(house.rulebooks[round_.rulebook], command.pocket)
    if pocket == settled.result.pocket:
        message = f"{pocket} is the number that round {command.round} was settled on: there is nothing to correct."
        raise Refused(Code.NUMBERS_DIFFER, clause, message)
    paid = totals_due(house, table, round_, pocket)
    corrected = ResultCorrected(
        table.id,
        round_.number,
        was=settled.result.pocket,
        pocket=pocket,
        clause=clause,
        words=command.words,
        returned=sum(paid.values()),
        digest=payments_digest(paid),
    )
    chips = corrected_chips(house, table, round_, pocket)
    pot = _pot_after(house, settled, pocket)
    return corrected, *pot, *_holds_after(house, settled, paid, pocket=pocket), *chips


def _require_later_paid(table: Table, round_: Round) -> None:
    """Refuse to change what a round carries to a later one while the chips of that are collected and paid."""
    if table.payouts.carries and table.playing is not round_ and is_paying(table.playing):
        raise not_all_paid(table)


def _pot_after(house: House, settled: SettledRound, pocket: Pocket | None) -> Events:
    """Change the pot that a round played for to what it wins of it on another number; undo all if no number counts."""
    table, round_, _, result = settled
    won = (won_of_pot(house, round_, result.paid, each) for each in (result.pocket, pocket))
    times = -1 if pocket is None else 0
    return pot_events(house, table, round_, result.paid, won=(next(won), next(won)), times=times)


def _settled(table: Table, round_: Round) -> SettledRound | None:
    """Narrow a round to a settled one; None if it is not settled."""
    sealed, result = round_.sealed, round_.result
    if round_.status is not RoundStatus.SETTLED or sealed is None or result is None:
        return None
    return SettledRound(table, round_, sealed, result)


def totals_due(house: House, table: Table, round_: Round, pocket: Pocket | None) -> dict[PositionId, int]:
    """Compute what each paid position would have received on another number, or if no number counted.

    Where stakes are carried, the spins that followed count as if they had followed the other number.
    """
    felt = house.felt_of(round_)
    if felt.carries:
        was = round_.pocket
        return {
            position: paid
            + recount(house, table, round_, pocket, position).returned
            - recount(house, table, round_, was, position).returned
            for position, paid in round_.paid.items()
        }
    if pocket is None:
        return {position: sum(round_.layouts[position].values()) for position in round_.paid}
    return {position: felt.returned(round_.layouts[position], pocket) for position in round_.paid}


class Recount(NamedTuple):
    """What a round and those after it return to a session, and what it carries to each of them and to the next."""

    returned: int
    came: Mapping[RoundNumber, Stakes]
    carried: Stakes
    #: The last settled round of the session, and whether the session has ended: then nothing is carried any more.
    last: Round
    ended: bool


def recount(house: House, table: Table, first: Round, pocket: Pocket | None, position: PositionId) -> Recount:
    """Play a round with a number, or with none, and then the settled rounds after it with theirs."""
    session = first.sealed_bets.sessions[position]
    total, carried, came, last = 0, first.declared.carried.get(position, {}), dict[RoundNumber, Stakes](), first
    ended = session != house.terminals[house.positions[position].terminal].session
    for round_ in table.settled_since(first.number):
        sealed, result = round_.sealed_bets, round_.declared
        if sealed.sessions.get(position, session) != session:
            break
        felt, stakes = house.felt_of(round_), sealed.layouts.get(position, {})
        last, came[round_.number] = round_, carried
        number = pocket if round_ is first else None if round_.invalidated else result.pocket
        if number is None:
            total += sum(stakes.values())
        elif position in result.late:
            total += felt.returned_at_once(stakes, number)
        elif position in result.paid or position not in sealed.layouts:
            more, carried = felt.carry(stakes, carried, number)
            total += felt.returned(stakes, number) + more
        if position in result.released:
            total, carried = total + felt.released(carried), {}
    if ended:
        # No spin can free the stakes of a player who is gone.
        total, carried = total + house.felt_of(last).released(carried), {}
    return Recount(total, came, carried, last, ended)


def _carry_again(house: House, settled: SettledRound, pocket: Pocket | None) -> None:
    """Set what is carried by another number, in the rounds that followed and now."""
    table, first, sealed, result = settled
    if not house.felt_of(first).carries:
        return
    counted = {position: recount(house, table, first, pocket, position) for position in result.paid}
    later = [round_ for round_ in table.settled_since(first.number) if round_ is not first]
    valid = [round_ for round_ in later if not round_.invalidated]
    for round_ in valid:
        theory.count(house, table, round_, times=-1)
    for position, counts in counted.items():
        for round_ in later:
            came = counts.came.get(round_.number)
            if came is not None:
                if came and position not in round_.layouts:
                    _seat(round_.sealed_bets, position, sealed.sessions[position])
                    round_.declared.paid[position] = 0
                round_.declared.carried[position] = came
        if counts.ended:
            counts.last.declared.released.append(position)
            continue
        settlement.set_carried(house, table, house.positions[position], counts.carried)
        running = table.playing.sealed
        if counts.carried and running is not None and not table.playing.over:
            _seat(running, position, sealed.sessions[position])
    for round_ in valid:
        theory.count(house, table, round_)


def _seat(sealed: Sealed, position: PositionId, session: int) -> None:
    """Add a position without bets to the record of a round: a correction has carried stakes to its spin."""
    sealed.layouts.setdefault(position, {})
    sealed.sessions.setdefault(position, session)


def _holds_after(
    house: House,
    settled: SettledRound,
    paid: Mapping[PositionId, int],
    *,
    pocket: Pocket,
    invalidated: bool = False,
) -> Events:
    """List the wins that a correction holds, and the changes to wins that are already held."""
    table, round_, _, _ = settled
    repayments = tuple(_repayments(house, settled, paid))
    wins = ((each.position, paid[each.position], each.credit) for each in repayments if each.credit > 0)
    held = settlement.held_win_events(house, table, round_, wins, HoldCause.CORRECTION, pocket=pocket)
    return *held, *(
        _revised(house, table, round_, (each.position, number, left), pocket=pocket, invalidated=invalidated)
        for each in repayments
        for number, left in each.holds
    )


def _repayments(house: House, settled: SettledRound, paid: Mapping[PositionId, int]) -> Iterator[Repayment]:
    _, round_, sealed, result = settled
    for name, due in paid.items():
        position, change, session = house.positions[name], due - result.paid[name], sealed.sessions[name]
        terminal = house.terminals[position.terminal]
        if change > 0:
            yield _given(terminal, position, change, session)
        elif change < 0:
            yield _taken(terminal, position, -change, round_.number, session)


def _given(terminal: Terminal, position: Position, amount: int, session: int) -> Repayment:
    """Pay a difference: first the player's debt, then the meter.

    If the session has ended, the difference is a payable of that session: the current player receives nothing.
    """
    owed = terminal.debts.get(session, 0)
    account = amount if session != terminal.session else max(0, min(amount, owed))
    return Repayment(position.id, amount, amount - account, account)


def _taken(terminal: Terminal, position: Position, amount: int, round_: RoundNumber, session: int) -> Repayment:
    """Take back a difference: from the win if it is still held, then from the player's credits; the rest is a debt.

    If the session has ended, the difference reduces that session's payable, and the rest is its receivable.
    """
    holds, rest = [], amount
    for hold in terminal.holds.values():
        if (hold.table, hold.round) == (position.table, round_):
            held = min(rest, hold.amount)
            rest -= held
            holds.append((hold.number, hold.amount - held))
    credit = min(rest, terminal.credit) if session == terminal.session else 0
    return Repayment(position.id, -amount, -credit, credit - rest, tuple(holds))


def _revised(  # noqa: PLR0913 - a correction and what it is of
    house: House,
    table: Table,
    round_: Round,
    left: tuple[PositionId, Number, int],
    *,
    pocket: Pocket,
    invalidated: bool,
) -> HeldWinRevised:
    """Recompute a held win by the true number; a win that no longer requires a form is released."""
    position, number, amount = left
    bases, tax = settlement.win_bases(house, round_, position, pocket), house.rulebooks[round_.rulebook].tax
    held = amount > 0 and not invalidated and held_wins.form_due(tax, table.settings, dict(bases))
    return HeldWinRevised(house.positions[position].terminal, number, Cents(amount), bases, held)


@evolves(HeldWinRevised)
def held_win_revised(house: House, event: HeldWinRevised, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    hold = terminal.holds[event.hold]
    assert hold.amount == event.amount
    hold.bases = {basis.value: counted for basis, counted in event.bases}
    if not event.held:
        del terminal.holds[event.hold]
        terminal.credit += event.amount
        house.ledger.post(event.amount, source=LedgerAccount.HELD, target=LedgerAccount.CREDIT)
        settlement.update_correction_message(terminal, hold.round)
    sessions.watch(house, terminal, context)


@evolves(ResultCorrected)
def result_corrected(house: House, event: ResultCorrected, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.named_round(event.round)
    settled = _settled(table, round_)
    assert settled is not None
    paid = totals_due(house, table, round_, event.pocket)
    assert payments_digest(paid) == event.digest
    message = SeatMessage(
        SeatMessageKind.CORRECTED, event.clause, round=event.round, pocket=event.pocket, was=settled.result.pocket
    )
    messages = _messages(house, settled, paid, message)
    _lift(house, settled, context, keeps=house.felt_of(round_).winners[event.pocket])
    _carry_again(house, settled, event.pocket)
    round_.corrected.append(settled.result.pocket)
    settled.result.pocket = event.pocket
    _repay(house, settled, paid, context)
    _rewrite(table, round_, event.pocket)
    _send(house, messages)


def _messages(
    house: House, settled: SettledRound, paid: Mapping[PositionId, int], message: SeatMessage
) -> dict[TerminalId, SeatMessage]:
    """Prepare the message about a correction for each terminal whose player bet in the round and still plays."""
    players = {house.positions[position].terminal: position for position in paid}
    return {
        terminal: structs.replace(
            message,
            amount=paid[position],
            paid_before=settled.result.paid[position],
            credit_before=house.terminals[terminal].credit,
        )
        for terminal, position in players.items()
        if settled.sealed.sessions[position] == house.terminals[terminal].session
    }


def _send(house: House, messages: Mapping[TerminalId, SeatMessage]) -> None:
    for name, message in messages.items():
        terminal = house.terminals[name]
        terminal.show(structs.replace(message, credit_after=terminal.credit))


def _lift(house: House, settled: SettledRound, context: Context, keeps: Container[SpotKey] = ()) -> None:
    """Remove winning stakes that stayed up and are not yet in another spin; those that win by both numbers stay."""
    table, round_, sealed, result = settled
    running = table.playing
    if running is not round_ and (running.number != round_.number + 1 or running.sealed is not None):
        return
    for game in map(house.positions.__getitem__, result.paid):
        spots = tuple(spot for spot in game.stayed if spot in game.bets and spot not in keeps)
        amounts = tuple(max(0, game.bets[spot] - game.stayed[spot]) for spot in spots)
        game.stayed = {spot: stake for spot, stake in game.stayed.items() if spot in keeps}
        if spots:
            lifted = sum(game.bets[spot] for spot in spots) - sum(amounts)
            change_bets(house, game, BetChange.RETURN, (spots, amounts), context.now)
            game.spread = None
            game.undo.clear()
            terminal, session = house.terminals[game.terminal], sealed.sessions[game.id]
            if session != terminal.session:
                # The stake is of the session that left it up, and not of the player who came after it.
                terminal.credit -= lifted
                house.ledger.post(lifted, source=LedgerAccount.CREDIT, target=LedgerAccount.HOUSE)
                post_debt(house, terminal, session, -lifted)


def post_debt(house: House, terminal: Terminal, of: int, amount: int) -> None:
    """Add to a session's debt to the house; a negative balance is owed by the house, and a zero balance is removed."""
    before = terminal.debts.pop(of, 0)
    after = before + amount
    if after:
        terminal.debts[of] = after
    house.ledger.post(max(0, after) - max(0, before), source=LedgerAccount.RECEIVABLES, target=LedgerAccount.HOUSE)
    house.ledger.post(max(0, -after) - max(0, -before), source=LedgerAccount.HOUSE, target=LedgerAccount.PAYABLES)


def _repay(house: House, settled: SettledRound, paid: dict[PositionId, int], context: Context) -> None:
    table, round_, sealed, result = settled
    cause = Cause(table.id, round_.number, context.now)
    for each in _repayments(house, settled, paid):
        terminal = house.terminals[house.positions[each.position].terminal]
        session = sealed.sessions[each.position]
        terminal.meters.returned += each.change
        table.meters.returned += each.change
        terminal.credit += each.credit
        house.ledger.post(each.credit, source=LedgerAccount.HOUSE, target=LedgerAccount.CREDIT)
        for number, left in each.holds:
            hold = terminal.holds[number]
            house.ledger.post(hold.amount - left, source=LedgerAccount.HELD, target=LedgerAccount.HOUSE)
            hold.amount = left
        post_debt(house, terminal, session, -each.account)
        _note_cause(terminal, session, cause)
    result.paid = dict(paid)
    for position in map(house.positions.__getitem__, paid):
        rewrite_record(house, position, round_, sealed, result)
        sessions.watch(house, house.terminals[position.terminal], context)


def _note_cause(terminal: Terminal, of: int, cause: Cause) -> None:
    """Store the correction that caused a session's receivable or payable, while the balance is not zero."""
    terminal.causes.pop(of, None)
    if of in terminal.debts:
        terminal.causes[of] = cause


def _rewrite(table: Table, round_: Round, pocket: Pocket | None) -> None:
    """Show the true number in the history; remove it if the outcome does not count."""
    kept = [(number, pocket if number == round_.number else shown) for number, shown in table.history]
    table.history = [(number, shown) for number, shown in kept if shown is not None]


@command(Duty.DECIDE, signatures=2)
class InvalidateOutcome(TableCommand, frozen=True):
    """Invalidate an outcome for a reason that the rules list."""

    round: RoundNumber
    reason: Reason
    words: str
    #: Who is accused, where the reason is a fraud.
    suspect: PersonId = PersonId("")
    #: The reference of a recording or document that is kept as evidence.
    evidence: str = ""

    def one_signature_suffices(self, house: House) -> bool:
        """Nothing was paid, and neither the number nor multiples were seen."""
        found = house.tables[self.table].find_round(self.round)
        return found is None or not found.is_seen


@event(
    "The outcome of round {round} was taken back: {reason}. {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class OutcomeInvalidated(RoundEvent, frozen=True):
    """An outcome was invalidated: every terminal has the balance from before the round."""

    reason: Reason
    clause: ClauseId
    words: str
    suspect: PersonId
    evidence: str = ""


@decides(InvalidateOutcome)
def invalidate_outcome(house: House, command: InvalidateOutcome, _context: Context) -> Events:
    table = house.tables[command.table]
    rulebook = table.rulebook
    clause = rulebook.staff.duties[Duty.DECIDE].clause
    listed = {each.reason: each for each in rulebook.irregularities if each.effect is Effect.INVALIDATE}
    rule = listed.get(command.reason)
    round_ = table.find_round(command.round)
    if round_ is None:
        raise Refused(Code.UNKNOWN_RECORD, clause, f"Round {command.round} is not kept here.", round=command.round)
    if round_.status is RoundStatus.VOID or round_.invalidated:
        raise Refused(Code.OUT_OF_TURN, clause, f"Round {command.round} is void already.")
    if rule is None:
        message = "These rules do not let staff invalidate an outcome."
        if listed:
            message = f"An outcome is invalidated only for: {', '.join(listed).replace('_', ' ')}."
        raise Refused(Code.REASON_NOT_LISTED, clause, message, reason=command.reason.value)
    accused = command.reason not in (Reason.FRAUD_BY_PLAYER, Reason.FRAUD_BY_DEALER) or command.suspect
    if not accused or not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, rule.clause, "Say what happened, and name whom a fraud is laid to.")
    taken_back = OutcomeInvalidated(
        table.id, round_.number, command.reason, rule.clause, command.words, command.suspect, command.evidence
    )
    settled = _settled(table, round_)
    if settled is None:
        return (taken_back,)
    _require_later_paid(table, round_)
    holds = _holds_after(
        house, settled, totals_due(house, table, round_, None), pocket=settled.result.pocket, invalidated=True
    )
    return taken_back, *_pot_after(house, settled, None), *holds, *corrected_chips(house, table, round_, None)


@evolves(OutcomeInvalidated)
def outcome_invalidated(house: House, event: OutcomeInvalidated, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.named_round(event.round)
    settled = _settled(table, round_)
    paid = {} if settled is None else totals_due(house, table, round_, None)
    round_.invalidated = True
    round_.ruling = Ruling(event.clause, event.reason)
    if settled is not None:
        theory.count(house, table, round_, times=-1)
        message = SeatMessage(SeatMessageKind.INVALIDATED, event.clause, round=event.round, was=settled.result.pocket)
        messages = _messages(house, settled, paid, message)
        _lift(house, settled, context)
        _carry_again(house, settled, None)
        _repay(house, settled, paid, context)
        _rewrite(table, round_, None)
        _send(house, messages)
        return
    refund_all(house, table, round_, event.clause)
    unseal_chips(house, table, round_)
    table.loose_ball = round_.ball is BallState.SPINNING
    no_result(table, round_)
    round_.betting = BettingState.CLOSED
    table.meters.voids += 1
    end(table, RoundStatus.VOID, context)
    release_if_closed(house, table, context)


#: Commands require a reason, and a suspect in a case of fraud; a preview has neither yet.
_WORDS = "A trial."
_SUSPECT = PersonId("nobody")


def preview_correction(house: House, command: CorrectResult | InvalidateOutcome, context: Context) -> CorrectionPreview:
    """Preview the change with the same code that would apply it."""
    trial: CorrectResult | InvalidateOutcome
    if isinstance(command, CorrectResult):
        trial = structs.replace(command, words=_WORDS)
    else:
        trial = structs.replace(command, words=_WORDS, suspect=_SUSPECT)
    answer = or_raise(decide_permitted(house, trial, context))
    event = answer[0]
    assert isinstance(event, ResultCorrected | OutcomeInvalidated)
    round_ = house.tables[event.table].named_round(event.round)
    was = round_.pocket if round_.over else None
    names = tuple(_concerned(house, event.table, round_))
    copy = _copy(house, event.table, round_, names)
    for each in answer:
        EVOLVERS[type(each)](copy, each, context)
    copied = copy.tables[event.table].named_round(event.round)
    pocket = event.pocket if isinstance(event, ResultCorrected) else None
    preview = (_preview(house, copy, (round_, copied), each) for each in names)
    chips = _chip_previews(house, copy, event.table, (round_, copied))
    won = copy.ledger[LedgerAccount.HOUSE] - house.ledger[LedgerAccount.HOUSE]
    return CorrectionPreview(was, pocket, event.clause, tuple(preview), tuple(chips), won)


def _concerned(house: House, table: TableId, round_: Round) -> Iterator[PositionId]:
    """List the positions whose money changes: those that were paid or, while the round runs, those with chips."""
    if round_.over:
        yield from round_.paid
    else:
        yield from (seat.game.id for seat in seats(house, house.tables[table]))


def _preview(house: House, copy: House, rounds: tuple[Round, Round], name: PositionId) -> TerminalPreview:
    (before, after), position = rounds, house.positions[name]
    terminal, table = house.terminals[position.terminal], position.table
    session = terminal.session if before.sealed is None else before.sealed.sessions.get(name, terminal.session)
    staked = sum(before.layouts.get(name, position.bets).values())
    return TerminalPreview(
        terminal.id,
        staked,
        before.paid.get(name, 0),
        after.paid.get(name, staked),
        _money(terminal, table, session),
        _money(copy.terminals[terminal.id], table, session),
        terminal.session != session,
    )


def _money(terminal: Terminal, table: TableId, session: int) -> TerminalMoney:
    owed = terminal.debts.get(session, 0)
    game = terminal.games[table]
    return TerminalMoney(terminal.credit, game.staked + game.carried_total, terminal.held_total, owed)


def _chip_previews(house: House, copy: House, name: TableId, rounds: tuple[Round, Round]) -> Iterator[ChipPreview]:
    """Preview the players with chips of a settled round."""
    before, after = walking_at(house.tables[name], rounds[0]), walking_at(copy.tables[name], rounds[1])
    if before is None or after is None:
        return
    live, paid, due = (
        before.live,
        *(entitlements(*each) for each in ((house, before, before.walk.pocket), (copy, after, after.walk.pocket))),
    )
    for position, sealed in before.chips.sealed.items():
        player = live.players.get(position) or live.left.get(position)
        yield ChipPreview(
            position,
            "" if player is None else player.label,
            sum(worth(before.chips.values, pieces) for pieces in sealed.pieces.values()),
            paid[position],
            due[position],
            _chip_money(house, before, position),
            _chip_money(copy, after, position),
            position not in live.players,
        )


def _chip_money(house: House, at: Walking, position: PositionId) -> ChipMoney:
    player = at.live.players.get(position) or at.live.left.get(position) or ChipFunding()
    unpaid = sum(item.amount for item in at.walk.items if item.position == position and not item.made)
    game = house.positions[position] if position in at.live.players else None
    up = 0 if game is None else game.staked + game.carried_total
    return ChipMoney(unpaid + player.payable, up, player.owed)


def _copy(house: House, name: TableId, round_: Round, concerned: tuple[PositionId, ...]) -> House:
    """Copy the parts of a house that a preview of one round changes; share the rest unchanged."""
    table = house.tables[name]
    # If a running round is invalidated, every game at the table is reset.
    changed = concerned if round_.over else tuple(table.positions)
    players = () if table.live is None else tuple(table.live.players)
    positions = {each: _position(house.positions[each]) for each in changed}
    positions |= {each: _position(house.positions[each]) for each in players}
    copy = type(house)(
        tables={**house.tables, name: _table(table, round_)},
        terminals={
            **house.terminals,
            **{positions[each].terminal: _terminal(house, positions[each]) for each in changed},
        },
        positions={**house.positions, **positions},
        ledger=Ledger(dict(house.ledger.balances)),
        held_wins=house.held_wins,
        chips=replace(house.chips),
    )
    copy.rulebooks, copy.payout_tables = house.rulebooks, house.payout_tables
    for position in map(positions.__getitem__, changed):
        position.join(copy.terminals[position.terminal], copy.tables[name])
    return copy


def _table(table: Table, round_: Round) -> Table:
    # Where stakes are carried, the rounds that followed change too.
    def copied(each: Round) -> Round:
        return each.copy() if each.number >= round_.number else each

    copy = replace(
        table,
        live=deepcopy(table.live),
        round=copied(table.playing),
        past=[copied(each) for each in table.past],
        meters=replace(table.meters, brings=dict(table.meters.brings), spreads=dict(table.meters.spreads)),
    )
    copy.rulebook, copy.payouts, copy.effective_limits = table.rulebook, table.payouts, table.effective_limits
    return copy


def _terminal(house: House, position: Position) -> Terminal:
    """Copy the terminal of a copied position."""
    terminal = house.terminals[position.terminal]
    copy = replace(
        terminal,
        holds={number: replace(hold) for number, hold in terminal.holds.items()},
        debts=dict(terminal.debts),
        causes=dict(terminal.causes),
        meters=replace(terminal.meters),
        # The preview reads neither the recall nor the messages.
        recall=[],
        messages=[],
    )
    copy.channel, copy.profile, copy.games = terminal.channel, terminal.profile, dict(terminal.games)
    return copy


def _position(position: Position) -> Position:
    bets, steps = dict(position.bets), list(position.steps)
    # The preview does not read the undo list.
    copy = replace(position, bets=bets, returns=list(position.returns), steps=steps, undo=[])
    copy.effective_limits = position.effective_limits
    return copy
