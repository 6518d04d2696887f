"""What sets a venue up: its tables, terminals, people and settings, and what closes them."""

from croupier.house.base import Command, TableCommand, TerminalCommand
from croupier.house.ids import DeviceId, DeviceKind, Instant, Number, PersonId, TableId
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings


class CreateHouse(Command, frozen=True):
    """Begin: the mode is fixed here for good."""

    mode: Mode
    venue: str
    #: An IANA name such as Australia/Adelaide; whoever hands us gaming days reads it.
    timezone: str
    #: How many gaming days a slip or ticket can be redeemed; None where it never lapses.
    ticket_days: int | None = None
    #: How many closed tickets, cases and incidents stay in the state: older ones are found through the journal.
    records_kept: int = RECORDS_KEPT


class AdoptRulebook(Command, frozen=True):
    """Take a rulebook into use, in its canonical text."""

    canonical: str


class AddTable(TableCommand, frozen=True):
    """Add a table that plays by an adopted rulebook."""

    rulebook: str
    settings: TableSettings


class AddTerminal(TerminalCommand, frozen=True):
    """Add a terminal at one table, or at two where the rules have two games to a terminal."""

    tables: tuple[TableId, ...]
    settings: TerminalSettings


class EnrolDevice(Command, frozen=True, omit_defaults=True):
    """Let a console or a desk take part, or a terminal again that was released."""

    device: DeviceId
    #: What it is there for, where it is to be given a key with that.
    kind: DeviceKind | None = None


class ReleaseDevice(Command, frozen=True):
    """Let a console, a desk or a terminal take part no more."""

    device: DeviceId


class EnrolPerson(Command, frozen=True):
    """Add a member of staff, or change the titles that one holds."""

    person: PersonId
    titles: tuple[str, ...]


class ReleasePerson(Command, frozen=True):
    """End a person's titles."""

    person: PersonId


class UnlockAccount(Command, frozen=True):
    """Let a colleague sign in again on every device, after too many wrong passwords."""

    person: PersonId


class AppointActing(Command, frozen=True):
    """Let a person act in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


class ApproveBuild(Command, frozen=True):
    """Enter an approved version of the game system."""

    version: str
    reference: str


class ReportBuild(Command, frozen=True):
    """Say which version is running."""

    version: str


class ChangeSettings(TableCommand, frozen=True):
    """Change a table's limits and timers, from the next round."""

    settings: TableSettings
    words: str


class ChangeRulebook(TableCommand, frozen=True):
    """Put a table under another adopted rulebook, from the next round."""

    rulebook: str
    words: str


class NotifyOfficer(Command, frozen=True):
    """Record that an Authorised Officer was told of a closing to come."""

    subject: str
    words: str


class CloseTable(TableCommand, frozen=True):
    """Close a table after the round that is running."""

    words: str


class ReopenTable(TableCommand, frozen=True):
    """Open a closed table again."""


class CloseTerminal(TerminalCommand, frozen=True):
    """Take a terminal out of service after the round that is running."""

    words: str


class ReopenTerminal(TerminalCommand, frozen=True):
    """Put a terminal back into service."""


class ArrangeVip(TerminalCommand, frozen=True):
    """Restrict a player to straight up bets, by an arrangement in writing."""

    words: str


class EndArrangement(TerminalCommand, frozen=True):
    """End a player's restriction to straight up bets."""

    words: str


class AcceptHistory(Command, frozen=True):
    """Go on from an older copy of the journal, on the word of two people."""

    #: How many entries are known to be missing.
    lost: int
    people: tuple[PersonId, PersonId]
    words: str


class SendMessage(Command, frozen=True):
    """Show words on terminals; to all where none is named."""

    terminals: tuple[str, ...]
    words: str


class PrintRules(TableCommand, frozen=True):
    """Give somebody a copy of the rules that a table plays by."""

    sold: bool = False


class Approve(Command, frozen=True):
    """The second signature under what somebody proposed."""

    proposal: Number


class Withdraw(Command, frozen=True):
    """Take a proposal back."""

    proposal: Number
