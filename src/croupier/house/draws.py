"""Draws that can be proven: commitments of the wheel and of players, shares, and the proof."""

from croupier.house.base import Decision, Events
from croupier.house.commands.rounds import AbandonDraw, BallAtRest, CommitDraw, CommitShare, RevealShare
from croupier.house.events.rounds import DrawAbandoned, DrawCommitted, DrawProven, ShareCommitted, ShareRevealed
from croupier.house.ids import Context
from croupier.house.irregularities import sensor_irregularity
from croupier.house.stakes import seat_of
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.tables import Draw, Table
from croupier.rules.procedure import Reason
from croupier.rules.proofs import Party, Spin, commitment, drawn_pocket, is_hex
from croupier.rules.refusal import CitedTopic, Code, Refusal, refuse


def current_draw(table: Table) -> Draw | None:
    """Find the draw of the running spin; None until its wheel has committed to it."""
    draw, round_ = table.draw, table.playing
    return draw if draw is not None and (draw.round, draw.spin) == (round_.number, round_.spin) else None


def drawn_spin(table: Table) -> Spin:
    """Return the running spin as commitments and draws name it."""
    return Spin(table.id, table.playing.number, table.playing.spin)


def commit_draw(house: House, command: CommitDraw, _context: Context) -> Decision:
    table = house.tables[command.table]
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    if not is_hex(command.commitment):
        return refuse(Code.MALFORMED, None, "A commitment has 64 hexadecimal digits.")
    if not table.settings.provable:
        return refuse(Code.SETTING_IMPOSSIBLE, clause, f"The draws of table {table.id} are not proven.")
    if current_draw(table) is not None:
        return refuse(Code.ALREADY_THERE, clause, "The wheel has committed to the secret of this spin.")
    round_ = table.playing
    return (DrawCommitted(table.id, round_.number, round_.spin, command.commitment),)


def draw_committed(house: House, event: DrawCommitted, _context: Context) -> None:
    house.tables[event.table].draw = Draw(event.round, event.spin, event.commitment)


def commit_share(house: House, command: CommitShare, _context: Context) -> Decision:
    seat = seat_of(house, command)
    table, position = seat.table, seat.game.id
    clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
    if not is_hex(command.commitment):
        return refuse(Code.MALFORMED, None, "A commitment has 64 hexadecimal digits.")
    if current_draw(table) is None:
        return refuse(Code.NOTHING_THERE, clause, "The wheel has not committed to a draw: no share can be added.")
    if position in table.withheld:
        return refuse(Code.TERMINAL_BLOCKED, clause, "This terminal did not reveal a share, and adds none any more.")
    return (ShareCommitted(table.id, command.round, position, command.commitment),)


def share_committed(house: House, event: ShareCommitted, _context: Context) -> None:
    draw = house.tables[event.table].draw
    assert draw is not None
    draw.committed[event.position] = event.commitment


def reveal_share(house: House, command: RevealShare, _context: Context) -> Decision:
    seat = seat_of(house, command)
    table, position = seat.table, seat.game.id
    clause, draw = table.rulebook.cited_clauses[CitedTopic.RESULT], current_draw(table)
    if not is_hex(command.share):
        return refuse(Code.MALFORMED, None, "A share has 64 hexadecimal digits.")
    if draw is None or position not in draw.committed:
        return refuse(Code.NOTHING_THERE, clause, "This terminal has not committed to a share of this draw.")
    if commitment(drawn_spin(table), Party.PLAYER, command.share) != draw.committed[position]:
        return refuse(Code.RECORD_DIFFERS, clause, "This is not the share that the terminal has committed to.")
    if position in draw.revealed:
        return refuse(Code.ALREADY_THERE, clause, "The share is revealed already.")
    return (ShareRevealed(table.id, command.round, position, command.share),)


def share_revealed(house: House, event: ShareRevealed, _context: Context) -> None:
    draw = house.tables[event.table].draw
    assert draw is not None
    draw.revealed[event.position] = event.share


def proof(table: Table, command: BallAtRest) -> DrawProven | Refusal:
    """Verify the report of a random wheel where draws are proven: the secret, and the pocket that follows from it."""
    clause, draw = table.rulebook.cited_clauses[CitedTopic.RESULT], current_draw(table)
    secret, spin = command.secret or "", drawn_spin(table)
    if draw is None or not is_hex(secret) or commitment(spin, Party.HOUSE, secret) != draw.commitment:
        return refuse(Code.RECORD_DIFFERS, clause, "The wheel does not reveal the secret that it has committed to.")
    if draw.withheld or drawn_pocket(table.rulebook.wheel.order, spin, secret, draw.revealed) != command.pocket:
        return refuse(Code.NUMBERS_DIFFER, clause, "The pocket does not follow from the secret and the shares.")
    return DrawProven(table.id, table.playing.number, command.pocket, secret)


def draw_proven(house: House, event: DrawProven, _context: Context) -> None:
    draw = house.tables[event.table].draw
    assert draw is not None
    draw.secret = event.secret


def abandon_draw(house: House, command: AbandonDraw, context: Context) -> Decision:
    table = house.tables[command.table]
    draw = current_draw(table)
    if draw is None or not draw.withheld:
        clause = table.rulebook.cited_clauses[CitedTopic.RESULT]
        return refuse(Code.OUT_OF_TURN, clause, "No share of this draw is missing.")
    failed: Events = sensor_irregularity(house, table, Reason.MALFUNCTION, context)
    return DrawAbandoned(table.id, table.playing.number, draw.withheld), *failed


def draw_abandoned(house: House, event: DrawAbandoned, _context: Context) -> None:
    house.tables[event.table].withheld.extend(event.positions)


DECIDERS: Deciders = {
    CommitDraw: commit_draw,
    AbandonDraw: abandon_draw,
    CommitShare: commit_share,
    RevealShare: reveal_share,
}
EVOLVERS: Evolvers = {
    DrawCommitted: draw_committed,
    DrawAbandoned: draw_abandoned,
    DrawProven: draw_proven,
    ShareCommitted: share_committed,
    ShareRevealed: share_revealed,
}
