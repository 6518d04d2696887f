"""Places: what the tables and the seats of a round are called."""

from typing import Final

from croupier.house.name import TableId, TerminalId

#: A terminal at one of its tables.
Place = tuple[TerminalId, TableId]


def table_named(number: object) -> TableId:
    return TableId(f"table {number}")


def seat_named(number: object) -> TerminalId:
    return TerminalId(f"seat {number}")


FIRST: Final = table_named(1)


def seat_text(terminal: TerminalId, table: TableId) -> str:
    """Name a seat as a round does: without its table where that is the first."""
    return terminal if table == FIRST else f"{terminal} at {table}"


def place_of(seat: str) -> Place:
    """Tell which terminal a seat is, and at which of its tables."""
    terminal, _, table = seat.partition(" at ")
    return TerminalId(terminal), TableId(table or FIRST)
