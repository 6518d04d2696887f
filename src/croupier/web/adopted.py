"""Adopted rulebooks: which there are for tables to play by, and who may ask for what by each of them."""

from collections.abc import Iterable

from croupier.house.grant import AUTHORITY
from croupier.house.state import House
from croupier.rules.rulebook import Rulebook
from croupier.rules.staff import Duty
from croupier.web.floordata import RulebookRow


def adopted(house: House) -> tuple[RulebookRow, ...]:
    return tuple(map(_row, house.rulebooks.values()))


def _row(book: Rulebook) -> RulebookRow:
    return RulebookRow(
        rulebook=book.id,
        digest=book.digest,
        version=book.version,
        currency=book.currency,
        titles={kind.__name__: _titles(book, grant.duties) for kind, grant in AUTHORITY.items() if grant.duties},
    )


def _titles(book: Rulebook, duties: Iterable[Duty]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(title for duty in duties for title in book.staff.titles_for(duty)))
