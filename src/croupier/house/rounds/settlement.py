"""Settlement: the number counts, every position is paid, wins are held for a form, and stakes are carried on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from croupier.house.credit import held_wins, sessions
from croupier.house.credit.held_wins import HoldCause, WinBases
from croupier.house.declare import Events, EventTopic, Part, RoundEvent, TableEvent, TerminalEvent, event, evolves
from croupier.house.ids import Context, Number, PositionId, RoundNumber, TableId
from croupier.house.live.chip_settlement import settled_chips
from croupier.house.play.stakes import begin_anew, set_stakes
from croupier.house.rounds.multipliers import require_multiples
from croupier.house.rounds.progressive import pot_events, won_of_pot
from croupier.house.rounds.theory import count
from croupier.house.settings import HISTORY_MAX
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.records import CaseState, MalfunctionCase
from croupier.house.state.tables import (
    GAMES_RECALLED,
    BallState,
    GameRecord,
    HeldWin,
    Moment,
    Position,
    Result,
    ResultSource,
    Round,
    RoundStatus,
    Sealed,
    SeatMessage,
    SeatMessageKind,
    Sighting,
    Table,
    Terminal,
)
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import TaxBasis, WinningStake
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Stakes

if TYPE_CHECKING:
    from croupier.house import House
    from croupier.house.rounds.results import BallAtRest


@event("The number is {pocket} ({source}){seen}.", EventTopic.ROUND)
class ResultDeclared(RoundEvent, frozen=True):
    """The number of the spin was declared; with the wheel's sensor data, if its report was declared at once."""

    pocket: Pocket
    source: ResultSource
    revolutions: int | None = None
    spin_id: int | None = None
    opposite: bool | None = None


def declared(
    house: House, table: Table, pocket: Pocket, source: ResultSource, *, report: BallAtRest | None = None
) -> Events:
    """Declare a result and settle on it; include the wheel's report if it is declared at once."""
    require_multiples(table)
    round_ = table.playing
    seen = (None, None, None) if report is None else (report.revolutions, report.spin_id, report.opposite)
    return ResultDeclared(table.id, round_.number, pocket, source, *seen), *settled(house, table, round_, pocket)


@evolves(ResultDeclared)
def result_declared(house: House, event: ResultDeclared, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    round_.sealed_bets.result = Result(event.pocket, event.source, context.now)
    if event.source in (ResultSource.SENSOR, ResultSource.RANDOM) and round_.ball is not BallState.AT_REST:
        round_.spin.see(Sighting(Moment.REST, event.opposite, revolutions=event.revolutions))
    round_.ball = BallState.AT_REST
    round_.become(RoundStatus.ACTIVE)
    round_.spin.rested_at = round_.spin.rested_at or context.now
    table.history.insert(0, (event.round, event.pocket))
    del table.history[HISTORY_MAX:]
    table.spin_id = table.spin_id if event.spin_id is None else event.spin_id


# Settlement.


class Payment(NamedTuple):
    """A position's return for a round, the part of it that stays up as winning stakes, and what is carried on."""

    returned: int
    stays: int
    carried: Stakes


@event(
    "Round {round} was settled: {staked} were staked, and {returned} came back.",
    EventTopic.ROUND,
    touches=(Part.TABLE, Part.TERMINALS),
)
class RoundSettled(RoundEvent, frozen=True):
    """The round was settled: total stake, total return, and a digest of all payments and remaining stakes."""

    staked: int
    returned: int
    digest: str


def settled(house: House, table: Table, round_: Round, pocket: Pocket, *, holds_before: int = 0) -> Events:
    """Settle a round: one entry for all payments, and one for each win that needs a tax form."""
    paid = dict(payments(house, table, round_, pocket))
    staked = sum(sum(round_.layouts[position].values()) for position in paid)
    returned = sum(each.returned for each in paid.values())
    wins = [(position, each.returned, each.returned - each.stays) for position, each in paid.items()]
    held = held_win_events(house, table, round_, wins, HoldCause.SETTLEMENT, pocket=pocket, holds_before=holds_before)
    chips = settled_chips(house, table, round_, pocket)
    over = released(house, table, {position: each.carried for position, each in paid.items()}) if table.closed else ()
    pot = pot_events(house, table, round_, paid, won=(0, won_of_pot(house, round_, paid, pocket)), times=1)
    settled = RoundSettled(table.id, round_.number, staked, returned, settlement_digest(paid))
    return settled, *pot, *held, *chips, *over


def payments(house: House, table: Table, round_: Round, pocket: Pocket) -> Iterator[tuple[PositionId, Payment]]:
    """Compute each position's return on a pocket; positions whose bets are in question wait."""
    felt = house.felt_of(round_)
    waiting = {position.id for _, position in bets_in_question(house, table, round_)}
    for position, stakes in round_.layouts.items():
        if position not in waiting:
            returned, winning = felt.returned_and_winning(stakes, pocket)
            game = house.positions[position]
            stays = returned and _stakes_stay(house.terminals[game.terminal], table)
            if felt.carries:
                more, carried_on = felt.carry(stakes, game.carried, pocket)
                yield position, Payment(returned + more, winning if stays else 0, carried_on)
            else:
                yield position, Payment(returned, winning if stays else 0, _NOTHING)


#: What most positions carry.
_NOTHING: Final[Stakes] = {}


def _stakes_stay(terminal: Terminal, table: Table) -> bool:
    """7(h)vi: the winning stake stays up, unless the terminal cannot play on."""
    stays = terminal.channel.winning_stake.choice is WinningStake.STAY
    return stays and not (terminal.closed or table.closed or terminal.case or terminal.pause)


def bets_in_question(house: House, table: Table, round_: Round) -> Iterator[tuple[MalfunctionCase, Position]]:
    """Find the open cases about bets that are sealed in a round, each with its position."""
    here, layouts = (table.id, round_.number), round_.layouts
    for case in house.cases.open.values():
        if case.state is CaseState.OPEN and here in case.questioned:
            position = house.terminals[case.terminal].games[table.id]
            # A reset may have returned them since.
            if position.id in layouts:
                yield case, position


def settlement_digest(paid: Mapping[PositionId, Payment]) -> str:
    """Digest each position's return, the stakes that stay up, and those that are carried on."""
    rows = ((position, paid[position]) for position in sorted(paid))
    return _digest(
        [
            (position, each.returned, each.stays, *((sum(each.carried.values()),) if each.carried else ()))
            for position, each in rows
        ]
    )


def _digest(rows: Sequence[tuple[int, ...]]) -> str:
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()


@evolves(RoundSettled)
def round_settled(house: House, event: RoundSettled, context: Context) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    result = round_.declared
    paid = dict(payments(house, table, round_, result.pocket))
    assert settlement_digest(paid) == event.digest
    result.paid = {position: each.returned for position, each in paid.items()}
    for case, position in bets_in_question(house, table, round_):
        _suspend(house, table, case, position, result.pocket)
    for name in table.positions:
        _finish(house, house.positions[name], result, paid.get(name), context)
    table.meters.returned += event.returned
    table.meters.rounds += 1
    count(house, table, round_)
    end(table, RoundStatus.SETTLED, context)


def _suspend(house: House, table: Table, case: MalfunctionCase, position: Position, pocket: Pocket) -> None:
    """Move the stakes of a case to suspense until its bets are confirmed or void, with their return by the record."""
    round_ = table.playing
    stakes = round_.layouts[position.id]
    staked = sum(stakes.values())
    case.suspense += staked
    case.returned += house.felt_of(round_).returned_at_once(stakes, pocket)
    house.ledger.post(staked, source=LedgerAccount.STAKES, target=LedgerAccount.SUSPENSE)
    set_stakes(position, {}, table)


def _finish(house: House, game: Position, result: Result, payment: Payment | None, context: Context) -> None:
    """Pay one position, write its record, and prepare its layout for the next round."""
    terminal, table = house.terminals[game.terminal], house.tables[game.table]
    round_ = table.playing
    stakes = round_.layouts.get(game.id)
    game.won = game.net = 0
    game.idle_spins = 0 if stakes or not _sat_here(round_, terminal) else game.idle_spins + 1
    came: Stakes = {}
    if stakes is not None and payment is not None:
        felt = house.felt_of(round_)
        winners = felt.winning(stakes, result.pocket) if payment.returned else {}
        came = game.carried
        given_back = felt.given_back(stakes, result.pocket, came)
        if came or payment.carried:
            result.carried[game.id] = came
            set_carried(house, table, game, payment.carried)
        _pay(house, table, game, payment, winners, given_back=given_back, carried=sum(came.values()))
    if stakes is not None:
        returned, staked = result.paid.get(game.id, 0), sum(stakes.values())
        terminal.recall.append(
            GameRecord(
                game.table,
                round_.number,
                tuple(game.steps),
                stakes,
                result.pocket,
                staked,
                returned,
                terminal.credit,
                carried=came or None,
                carried_on=dict(game.carried) or None,
            )
        )
        del terminal.recall[:-GAMES_RECALLED]
        terminal.session_games += 1
        game.previous = stakes or game.previous
        if terminal.lost_at is not None:
            clause, kind = table.rulebook.procedure.accepted_stands, SeatMessageKind.SETTLED
            terminal.show(SeatMessage(kind, clause, amount=returned, round=round_.number, pocket=result.pocket))
    begin_anew(game)
    sessions.watch(house, terminal, context)


def _sat_here(round_: Round, terminal: Terminal) -> bool:
    """Check whether the player's session began while betting was open, so that the player could bet on the spin."""
    assert round_.closed_at is not None
    return terminal.session_since is not None and terminal.session_since < round_.closed_at


def _pay(  # noqa: PLR0913 - all that a payment is
    house: House, table: Table, game: Position, payment: Payment, winners: Stakes, *, given_back: int, carried: int
) -> None:
    """Pay one position; in the ledger a winning stake that stays up is returned and staked again.

    What the position has won is the return and what is carried on, less its bets and what was carried to the spin.
    """
    terminal, stays = house.terminals[game.terminal], payment.stays
    game.won = payment.returned - sum(winners.values()) - given_back
    game.net = max(0, payment.returned + game.carried_total - game.staked - carried)
    terminal.meters.returned += payment.returned
    terminal.meters.games += 1
    terminal.meters.games_won += payment.returned > given_back
    house.ledger.post(game.staked - stays, source=LedgerAccount.STAKES, target=LedgerAccount.HOUSE)
    set_stakes(game, winners if stays else {}, table)
    game.stayed = dict(winners) if stays else game.stayed
    credit_win(house, terminal, payment.returned - stays)


def set_carried(house: House, table: Table, game: Position, carried: Stakes) -> None:
    """Set the stakes that a position has in prison or between two spins."""
    change = sum(carried.values()) - game.carried_total
    game.carried = carried
    table.meters.carried += change
    house.ledger.post(change, source=LedgerAccount.HOUSE, target=LedgerAccount.IMPRISONED)


def credit_win(house: House, terminal: Terminal, amount: int) -> None:
    """Pay an amount to the meter; if the win requires a tax form, `WinHeld` follows and removes it again."""
    terminal.credit += amount
    house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.CREDIT)


def end(table: Table, status: RoundStatus, context: Context) -> None:
    """Mark a round as over."""
    table.playing.become(status)
    table.over_at = context.now


# Wins that are held for a tax form.


@event(
    "A win of {amount} in round {round} is held until its tax form is recorded: held win {hold}.",
    EventTopic.MONEY,
    EventTopic.SIGNIFICANT,
)
class WinHeld(TerminalEvent, frozen=True):
    """A credited win is held until its tax form is recorded."""

    hold: Number
    table: TableId
    round: RoundNumber
    cause: HoldCause
    amount: Cents
    #: The basis that the venue uses, on which the win reaches the threshold.
    basis: TaxBasis
    bases: WinBases
    #: The rulebook that the round was played by, and its clause on the form.
    rulebook: str
    clause: ClauseId


def held_win_events(  # noqa: PLR0913 - all that a held win says
    house: House,
    table: Table,
    round_: Round,
    wins: Iterable[tuple[PositionId, int, int]],
    cause: HoldCause,
    *,
    pocket: Pocket,
    holds_before: int = 0,
) -> Iterator[WinHeld]:
    """Hold each win that requires a tax form: by position, the round's return and the part that is credited now."""
    tax, number = house.rulebooks[round_.rulebook].tax, house.held_wins + holds_before
    if tax is None:
        return
    basis = held_wins.tax_basis(tax, table.settings)
    for position, returned, amount in wins:
        # No basis exceeds the return.
        if amount == 0 or returned < tax.threshold:
            continue
        bases = win_bases(house, round_, position, pocket)
        if held_wins.form_due(tax, table.settings, dict(bases)):
            number += 1
            terminal = house.positions[position].terminal
            yield WinHeld(
                terminal,
                Number(number),
                table.id,
                round_.number,
                cause,
                Cents(amount),
                basis,
                bases,
                rulebook=round_.rulebook,
                clause=tax.clause,
            )


def win_bases(house: House, round_: Round, position: PositionId, pocket: Pocket) -> WinBases:
    """Compute a position's win in a round on every basis."""
    felt, result = house.felt_of(round_), round_.result
    carried = house.positions[position].carried if result is None or not round_.over else result.carried.get(position)
    return tuple(held_wins.bases(round_.layouts[position], felt, pocket, carried).items())


@evolves(WinHeld)
def win_held(house: House, event: WinHeld, _context: Context) -> None:
    terminal, number = house.terminals[event.terminal], event.hold
    house.held_wins += 1
    assert house.held_wins == number
    bases = {basis.value: counted for basis, counted in event.bases}
    terminal.holds[number] = HeldWin(number, event.table, event.round, event.amount, bases)
    terminal.credit -= event.amount
    house.ledger.post(event.amount, source=LedgerAccount.CREDIT, target=LedgerAccount.HELD)
    if event.cause is HoldCause.SETTLEMENT:
        # The record shows the meter as the settlement left it.
        _rewrite(terminal, event.table, event.round, credit=terminal.credit)
    update_correction_message(terminal, event.round)


CORRECTIONS: Final = (SeatMessageKind.CORRECTED, SeatMessageKind.INVALIDATED)


def update_correction_message(terminal: Terminal, round_: RoundNumber) -> None:
    """Show the credit after the whole correction of a round, of which its held wins are a part."""
    for message in [*terminal.messages][-1:]:
        if message.kind in CORRECTIONS and message.round == round_:
            terminal.messages[-1] = replace(message, credit_after=terminal.credit)


def _rewrite(terminal: Terminal, table: TableId, number: RoundNumber, **fields: object) -> None:
    """Change fields of a terminal's record of one round, if the terminal still recalls it."""
    for place, record in enumerate(terminal.recall):
        if (record.table, record.round) == (table, number):
            terminal.recall[place] = replace(record, **fields)


# Stakes that outlive their round.


@event(
    "Stakes that were carried to the next spin of {table} were released, {carried} in all: {returned} came back.",
    EventTopic.MONEY,
    EventTopic.BETS,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class CarriedReleased(TableEvent, frozen=True):
    """No spin follows for carried stakes, as the table closes or its rules change: half or all of each came back."""

    clause: ClauseId
    carried: int
    returned: int


def released(house: House, table: Table, carried: Mapping[PositionId, Stakes] | None = None) -> Events:
    """Release the stakes that a table carries: those of its positions, or those that a settlement carries on."""
    rules = table.rulebook.paytable.carried
    if carried is None:
        carried = {name: house.positions[name].carried for name in table.positions if house.positions[name].carried}
    total = sum(sum(stakes.values()) for stakes in carried.values())
    if rules is None or not total:
        return ()
    returned = sum(map(table.payouts.released, carried.values()))
    return (CarriedReleased(table.id, rules.release.clause, total, returned),)


@evolves(CarriedReleased)
def carried_released(house: House, event: CarriedReleased, context: Context) -> None:
    release(house, house.tables[event.table], event.clause, context)


def release(house: House, table: Table, clause: ClauseId, context: Context) -> None:
    """Return of carried stakes what the rulebook says, and forget them."""
    last = last_settled(table)
    if last is not None:
        last.declared.released = [*table.positions]
    for game in map(house.positions.__getitem__, table.positions):
        if game.carried:
            terminal, returned = house.terminals[game.terminal], table.payouts.released(game.carried)
            set_carried(house, table, game, {})
            terminal.meters.returned += returned
            table.meters.returned += returned
            credit_win(house, terminal, returned)
            terminal.show(SeatMessage(SeatMessageKind.RETURNED, clause, amount=returned))
            sessions.watch(house, terminal, context)


def release_if_closed(house: House, table: Table, context: Context) -> None:
    """Release carried stakes after a round that is void at a table that is closed: no spin follows."""
    rules = table.rulebook.paytable.carried
    if table.closed and rules is not None:
        release(house, table, rules.release.clause, context)


def last_settled(table: Table) -> Round | None:
    """Find the last settled round that is stored."""
    rounds = (*table.past, *(() if table.round is None else (table.round,)))
    return next((each for each in reversed(rounds) if each.status is RoundStatus.SETTLED), None)


# What a correction or a confirmation pays later.


def payments_digest(paid: Mapping[PositionId, int]) -> str:
    """Digest each position's return."""
    return _digest(sorted(paid.items()))


def rewrite_record(house: House, position: Position, round_: Round, sealed: Sealed, result: Result) -> None:
    """Correct the record of a position's terminal and, if this is its last round, its screen."""
    terminal, returned = house.terminals[position.terminal], result.paid[position.id]
    _rewrite(terminal, position.table, round_.number, returned=returned, pocket=result.pocket)
    records = [record for record in terminal.recall if record.table == position.table]
    same_player = sealed.sessions[position.id] == terminal.session
    if same_player and records and records[-1].round == round_.number:
        felt, stakes = house.felt_of(round_), sealed.layouts[position.id]
        kept = sum(felt.winning(stakes, result.pocket).values())
        kept += felt.given_back(stakes, result.pocket, result.carried.get(position.id))
        position.won = 0 if round_.invalidated else returned - kept
        position.net = 0 if round_.invalidated else max(0, returned - sum(stakes.values()))
