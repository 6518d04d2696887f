"""Clauses that a rulebook leaves out: the nearest one for each refusal, and one for whatever its document lacks."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import MappingProxyType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from croupier.rules.refusal import CHIP_TOPICS, CitedTopic, ClauseId
from croupier.rules.rulebook import Rulebook

#: The key that names the clause for whatever the document has none for.
OTHERWISE: Final = "otherwise_clause"

_CLOSES: Final = ("procedure", "closes")
_AUTHORITY: Final = ("procedure", "authority")
_LOSS: Final = ("procedure", "terminal_loss")
_DEAL: Final = ("staff", "duties", "deal")
_DECIDE: Final = ("staff", "duties", "decide")
_MANAGE: Final = ("staff", "duties", "manage")
_TERMINAL: Final = ("channels", "terminal")
_TABLE: Final = ("channels", "table")

#: For each topic the part of the rulebook whose clause is the nearest, where `[cites]` names none.
NEAREST: Final[Mapping[CitedTopic, tuple[str, ...]]] = {
    CitedTopic.BETS: ("paytable",),
    CitedTopic.PLAYER: ("paytable",),
    CitedTopic.BETS_NOT_OPEN: _CLOSES,
    CitedTopic.LATE_BET: _CLOSES,
    CitedTopic.LATE_REMOVAL: _CLOSES,
    CitedTopic.ROUND: _CLOSES,
    CitedTopic.RESULT: _AUTHORITY,
    CitedTopic.RESPIN: _DEAL,
    CitedTopic.NO_SPIN: ("messages", "no_spin"),
    CitedTopic.CORRECTION: ("staff", "duties", "correct"),
    CitedTopic.MALFUNCTION_BEFORE_CLOSE: _LOSS,
    CitedTopic.MALFUNCTION_AFTER_CLOSE: _LOSS,
    CitedTopic.UNCONFIRMED: _LOSS,
    CitedTopic.INTERRUPTED_NO_OUTCOME: _LOSS,
    CitedTopic.INTERRUPTED_OUTCOME: _LOSS,
    CitedTopic.SETTLED_UNSEEN: _LOSS,
    CitedTopic.FAULT_CREDITS: _LOSS,
    CitedTopic.FAULT_NUMBERS: _AUTHORITY,
    CitedTopic.FAULT_INTERRUPTED: _LOSS,
    CitedTopic.FAULT_OPINION: _DECIDE,
    CitedTopic.TERMINAL: _TERMINAL,
    CitedTopic.CREDIT: _TERMINAL,
    CitedTopic.CREDIT_IN: _TERMINAL,
    CitedTopic.CREDIT_OUT: _TERMINAL,
    CitedTopic.TICKET: _TERMINAL,
    CitedTopic.SETTINGS: _MANAGE,
    CitedTopic.CLOSING_DOWN: _MANAGE,
    CitedTopic.DISPUTE: _DECIDE,
    CitedTopic.DISPUTE_FROM_RULES: _DECIDE,
    CitedTopic.ADVICE: _DECIDE,
    **dict.fromkeys(CHIP_TOPICS, _TABLE),
    # That bets are made with chips says nothing of their exchange: without a clause on it, the document as a whole.
    CitedTopic.REDEMPTION: (),
    CitedTopic.FLOAT: ("payout",),
    CitedTopic.WINNING_SEGMENT: ("payout",),
    CitedTopic.WINNING_BETS: ("payout",),
}

Tables = dict[str, Any]


def fill_citations(tables: Tables) -> None:
    """Fill in, in the plain tables of a rulebook, the clauses that they leave out and need not state."""
    otherwise = tables.pop(OTHERWISE, None)
    if isinstance(otherwise, str):
        _fill(tables, Rulebook, ClauseId(otherwise))
    document = tables.get("clause")
    _cite(tables, tables, document, chips=False)
    table = tables.get("channels", {})
    table = table.get("table") if isinstance(table, dict) else None
    if isinstance(table, dict) and "payout" in tables:
        _cite(tables, table, document, chips=True)


def _cite(tables: Tables, owner: Tables, document: object, *, chips: bool) -> None:
    """Complete the cited topics of the rulebook, or of its table with chips."""
    stated = owner.setdefault("cites", {})
    if not isinstance(stated, dict):
        return
    for topic, path in NEAREST.items():
        if (topic in CHIP_TOPICS) == chips and topic.value not in stated:
            found: object = tables
            for key in (*path, "clause"):
                found = found.get(key) if isinstance(found, dict) else None
            clause = found or document
            if isinstance(clause, str):
                stated[topic.value] = clause


def _fill(value: object, wanted: Any, clause: ClauseId) -> None:  # noqa: ANN401 - walks any part of a rulebook
    """Name a clause at every key of this type that must have one and has none."""
    if get_origin(wanted) in (UnionType, Union):
        wanted = next((each for each in get_args(wanted) if each is not type(None)), wanted)
    origin = get_origin(wanted) or wanted
    if is_dataclass(origin) and isinstance(value, dict):
        hints = get_type_hints(origin)
        for field in fields(origin):
            key = field.metadata.get("key", field.name)
            required = field.default is MISSING and field.default_factory is MISSING
            if hints[field.name] is ClauseId and required:
                value.setdefault(key, clause)
            elif key in value:
                _fill(value[key], hints[field.name], clause)
    elif origin in (Mapping, MappingProxyType) and isinstance(value, dict):
        for inner in value.values():
            _fill(inner, get_args(wanted)[1], clause)
    elif origin is tuple and isinstance(value, list):
        for inner in value:
            _fill(inner, get_args(wanted)[0], clause)
