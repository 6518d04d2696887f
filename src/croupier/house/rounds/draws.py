"""Draws that can be proven: commitments of the wheel and of players, shares, and the proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from croupier.house.declare import (
    Events,
    EventTopic,
    GameCommand,
    MachineRole,
    RoundEvent,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context, PositionId
from croupier.house.play.betting import find_credit
from croupier.house.rounds.irregularities import sensor_irregularity
from croupier.house.rounds.multipliers import awaits_multiples
from croupier.house.state.tables import BETTING_PHASES, BallState, Draw, Phase, Table
from croupier.rules.geometry import Pocket
from croupier.rules.multipliers import NO_MULTIPLES, Multiples
from croupier.rules.procedure import Reason
from croupier.rules.proofs import Party, Spin, commitment, drawn_multiples, drawn_pocket, is_hex
from croupier.rules.refusal import CitedTopic, Code, Refused

if TYPE_CHECKING:
    from croupier.house import House
    from croupier.house.rounds.results import BallAtRest


@command(MachineRole.WHEEL, when=BETTING_PHASES)
class CommitDraw(TableCommand, frozen=True):
    """A random wheel commits to the secret of the next draw, before the bets that it decides are sealed."""

    commitment: str


@event("The wheel committed to the secret of the draw.", EventTopic.ROUND)
class DrawCommitted(RoundEvent, frozen=True):
    """A random wheel committed to the secret of a spin's draw."""

    spin: int
    commitment: str


@decides(CommitDraw)
def commit_draw(house: House, command: CommitDraw, _context: Context) -> Events:
    table = house.tables[command.table]
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    if not is_hex(command.commitment):
        raise Refused(Code.MALFORMED, None, "A commitment has 64 hexadecimal digits.")
    if not table.settings.provable:
        raise Refused(Code.SETTING_IMPOSSIBLE, clause, f"The draws of table {table.id} are not proven.")
    if current_draw(table) is not None:
        raise Refused(Code.ALREADY_THERE, clause, "The wheel has committed to the secret of this spin.")
    round_ = table.playing
    return (DrawCommitted(table.id, round_.number, round_.spin.number, command.commitment),)


def current_draw(table: Table) -> Draw | None:
    """Find the draw of the running spin; None until its wheel has committed to it."""
    draw, round_ = table.draw, table.playing
    return draw if draw is not None and (draw.round, draw.spin) == (round_.number, round_.spin.number) else None


@evolves(DrawCommitted)
def draw_committed(house: House, event: DrawCommitted, _context: Context) -> None:
    house.tables[event.table].draw = Draw(event.round, event.spin, event.commitment)


@command(MachineRole.WHEEL, when={Phase.CLOSED, Phase.RUNNING})
class AbandonDraw(TableCommand, frozen=True):
    """A random wheel reports that a share was not revealed in time: the spin cannot be drawn."""


@event(
    "The draw was abandoned: shares were not revealed in time.",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class DrawAbandoned(RoundEvent, frozen=True):
    """A draw was abandoned: these positions did not reveal their shares, and add none until they leave."""

    positions: tuple[PositionId, ...]


@decides(AbandonDraw)
def abandon_draw(house: House, command: AbandonDraw, context: Context) -> Events:
    table = house.tables[command.table]
    draw = current_draw(table)
    # Before the spin only multiples are drawn.
    early = table.playing.ball is BallState.IDLE and not awaits_multiples(table)
    if draw is None or not draw.withheld or early:
        clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
        raise Refused(Code.OUT_OF_TURN, clause, "No share of this draw is missing, or it is not due.")
    failed: Events = sensor_irregularity(house, table, Reason.MALFUNCTION, context)
    return DrawAbandoned(table.id, table.playing.number, draw.withheld), *failed


@evolves(DrawAbandoned)
def draw_abandoned(house: House, event: DrawAbandoned, _context: Context) -> None:
    house.tables[event.table].withheld.extend(event.positions)


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class CommitShare(GameCommand, frozen=True):
    """A player commits to a share of the next draw, where draws can be proven."""

    commitment: str


@event("Position {position} committed to a share of the draw.", EventTopic.ROUND)
class ShareCommitted(RoundEvent, frozen=True):
    """A player committed to a share of the draw; the last commitment before the seal counts."""

    position: PositionId
    commitment: str


@decides(CommitShare)
def commit_share(house: House, command: CommitShare, _context: Context) -> Events:
    seat = find_credit(house, command).seat
    table, position = seat.table, seat.game.id
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    if not is_hex(command.commitment):
        raise Refused(Code.MALFORMED, None, "A commitment has 64 hexadecimal digits.")
    if current_draw(table) is None:
        raise Refused(Code.NOTHING_THERE, clause, "The wheel has not committed to a draw: no share can be added.")
    if position in table.withheld:
        raise Refused(Code.TERMINAL_BLOCKED, clause, "This terminal did not reveal a share, and adds none any more.")
    return (ShareCommitted(table.id, command.round, position, command.commitment),)


@evolves(ShareCommitted)
def share_committed(house: House, event: ShareCommitted, _context: Context) -> None:
    _running_draw(house, event).committed[event.position] = event.commitment


def _running_draw(house: House, event: RoundEvent) -> Draw:
    """Return the draw that an event belongs to."""
    draw = house.tables[event.table].draw
    assert draw is not None
    return draw


@command(MachineRole.TERMINAL, when={Phase.CLOSED, Phase.RUNNING})
class RevealShare(GameCommand, frozen=True):
    """A player reveals the share that the terminal has committed to, after the seal."""

    share: str


@event("Position {position} revealed its share of the draw.", EventTopic.ROUND)
class ShareRevealed(RoundEvent, frozen=True):
    """A player revealed a share of the draw."""

    position: PositionId
    share: str


@decides(RevealShare)
def reveal_share(house: House, command: RevealShare, _context: Context) -> Events:
    seat = find_credit(house, command).seat
    table, position = seat.table, seat.game.id
    clause, draw = table.rulebook.cited_clauses[CitedTopic.RESULT], current_draw(table)
    if not is_hex(command.share):
        raise Refused(Code.MALFORMED, None, "A share has 64 hexadecimal digits.")
    if draw is None or position not in draw.committed:
        raise Refused(Code.NOTHING_THERE, clause, "This terminal has not committed to a share of this draw.")
    if commitment(drawn_spin(table), Party.PLAYER, command.share) != draw.committed[position]:
        raise Refused(Code.RECORD_DIFFERS, clause, "This is not the share that the terminal has committed to.")
    if position in draw.revealed:
        raise Refused(Code.ALREADY_THERE, clause, "The share is revealed already.")
    return (ShareRevealed(table.id, command.round, position, command.share),)


def drawn_spin(table: Table) -> Spin:
    """Return the running spin as commitments and draws name it."""
    return Spin(table.id, table.playing.number, table.playing.spin.number)


@evolves(ShareRevealed)
def share_revealed(house: House, event: ShareRevealed, _context: Context) -> None:
    _running_draw(house, event).revealed[event.position] = event.share


@event("The draw of {pocket} is proven.", EventTopic.ROUND)
class DrawProven(RoundEvent, frozen=True):
    """The secret of a draw was revealed: it is the committed one, and the pocket follows from it and the shares."""

    pocket: Pocket
    secret: str


@evolves(DrawProven)
def draw_proven(house: House, event: DrawProven, _context: Context) -> None:
    _running_draw(house, event).secret = event.secret


def due_multiples(table: Table, draw: Draw, secret: str) -> Multiples:
    """Compute the multiples that follow from the secret and the shares of the running spin, where some are drawn."""
    multipliers, order = table.rulebook.paytable.multipliers, table.rulebook.wheel.order
    if multipliers is None:
        return NO_MULTIPLES
    return drawn_multiples(multipliers, order, drawn_spin(table), secret, draw.revealed)


def proof(table: Table, command: BallAtRest) -> DrawProven | None:
    """Prove the report of a random wheel: its secret is the committed one, and the pocket follows from it; or None."""
    draw, secret, spin = current_draw(table), command.secret or "", drawn_spin(table)
    if draw is None or not is_hex(secret) or commitment(spin, Party.HOUSE, secret) != draw.commitment:
        return None
    if draw.withheld or drawn_pocket(table.rulebook.wheel.order, spin, secret, draw.revealed) != command.pocket:
        return None
    if table.playing.multiples != due_multiples(table, draw, secret):
        return None
    return DrawProven(table.id, table.playing.number, command.pocket, secret)
