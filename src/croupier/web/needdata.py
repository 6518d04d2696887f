"""What the pit is told of all that waits for somebody, with what can be done about it."""

from enum import StrEnum

import msgspec


class NeedKind(StrEnum):
    """What waits for somebody, the worst first."""

    SUSPENDED = "suspended"
    INTERRUPTED = "interrupted"
    INCIDENT = "incident"
    #: A table that cannot play, for a reason that is none of the others.
    BLOCKED = "blocked"
    CASE = "case"
    PROPOSAL = "proposal"
    HELD_WIN = "held_win"
    DISPUTE = "dispute"
    DARK = "dark"
    #: A terminal out of service with credits on it.
    CREDIT_LEFT = "credit_left"
    IDLE = "idle"


class Action(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that can be done, as a command to be sent."""

    #: By which pages know its words.
    label: str
    #: What `ask` carries; or a message of its own, which has a `t`.
    command: object
    #: The fields of the command that are to be filled in.
    asks: tuple[str, ...]
    #: Who may ask for it, by the rules at that table.
    titles: tuple[str, ...]
    #: Whether somebody else must sign it too.
    dual: bool


class Need(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that waits for somebody, until nobody has to see to it any more."""

    kind: NeedKind
    #: Its number among those of its kind, or the round that it is about.
    number: int | None
    table: str | None
    terminal: str | None
    #: What kind of incident, case or command it is, in one word.
    what: str
    says: str
    clause: str | None
    since_us: int | None
    #: By when somebody must have seen to it, by the house's time.
    due_us: int | None
    amount: int | None
    #: How many terminals it is about: more than one where they have lost their links together.
    count: int
    actions: tuple[Action, ...]
