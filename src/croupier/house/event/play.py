"""What happened at a terminal: chips, patterns, copies and the credit's unit."""

from enum import StrEnum

from croupier.house.event.base import AtTerminal
from croupier.house.name import RoundNumber, TableId
from croupier.rules.clause import ClauseId
from croupier.rules.money import Cents
from croupier.rules.pocket import Pocket
from croupier.rules.spot import SpotKey


class Edit(StrEnum):
    """How the chips were changed."""

    PLACE = "place"
    CHANGE = "change"
    REMOVE = "remove"
    MOVE = "move"
    UNDO = "undo"
    CLEAR = "clear"
    REPEAT = "repeat"
    DOUBLE = "double"
    NEIGHBOURS = "neighbours"
    RECALL = "recall"
    COPY = "copy"
    AUTO_COPY = "auto_copy"
    #: The house gave chips back unplayed.
    RETURN = "return"


class BetsChanged(AtTerminal, frozen=True):
    """Chips were placed, moved or taken: what now lies on each spot that was touched."""

    table: TableId
    round: RoundNumber
    how: Edit
    stakes: tuple[tuple[SpotKey, int], ...]
    #: For the Neighbors button: the number it spreads from and the chip it adds.
    spread: tuple[Pocket, int] | None = None


class Return(StrEnum):
    """Why chips went back to the meter without being played."""

    DARK_AT_CLOSE = "dark_at_close"
    TOO_LITTLE_RISK = "too_little_risk"
    UNDER_MINIMUM = "under_minimum"
    UNDER_TOTAL = "under_total"
    MALFUNCTION = "malfunction"
    NEW_TERMS = "new_terms"
    OUT_OF_SERVICE = "out_of_service"


class BetsReturned(AtTerminal, frozen=True):
    """Chips went back to the meter unplayed, for a reason with its clause."""

    table: TableId
    round: RoundNumber
    why: Return
    clause: ClauseId
    spots: tuple[SpotKey, ...]


class AutoCopyRefused(AtTerminal, frozen=True):
    """Nothing was copied at the close."""

    source: TableId
    target: TableId
    code: str
    clause: ClauseId | None


class PatternSaved(AtTerminal, frozen=True):
    """A game's chips were kept, in credits."""

    slot: int
    pattern: tuple[tuple[SpotKey, int], ...]


class PatternRecalled(AtTerminal, frozen=True):
    """Ghost chips are shown: nothing is staked yet."""

    table: TableId
    slot: int
    ghosts: tuple[tuple[SpotKey, int], ...]


class RecallCancelled(AtTerminal, frozen=True):
    """The ghost chips are gone."""


class AutoCopySet(AtTerminal, frozen=True):
    """Auto copy was switched."""

    table: TableId
    target: TableId
    on: bool


class DenominationChosen(AtTerminal, frozen=True):
    """What one credit is worth."""

    denomination: Cents
