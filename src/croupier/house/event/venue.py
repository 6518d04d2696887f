"""What happened to the venue itself: tables, terminals, people, settings, signatures and closings."""

from croupier.house.command.any import Dual
from croupier.house.event.base import AtTable, AtTerminal, Event
from croupier.house.name import DeviceId, Instant, Number, PersonId, TableId
from croupier.house.settings import Mode, TableSettings, TerminalSettings


class HouseFounded(Event, frozen=True):
    """The first entry: what kind of house this is."""

    mode: Mode
    venue: str
    timezone: str
    ticket_days: int | None


class RulebookAdopted(Event, frozen=True):
    """A rulebook is in use: its whole canonical text, so that old rounds replay under their own rules."""

    rulebook: str
    digest: str
    canonical: str


class TableAdded(AtTable, frozen=True):
    """A table stands."""

    rulebook: str
    settings: TableSettings


class TerminalAdded(AtTerminal, frozen=True):
    """A terminal stands."""

    tables: tuple[TableId, ...]
    settings: TerminalSettings


class DeviceEnrolled(Event, frozen=True):
    """A console or desk may take part."""

    device: DeviceId


class PersonEnrolled(Event, frozen=True):
    """A person holds titles."""

    person: PersonId
    titles: tuple[str, ...]


class PersonReleased(Event, frozen=True):
    """A person holds none any more."""

    person: PersonId


class ActingAppointed(Event, frozen=True):
    """A person acts in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


class SoftwareApproved(Event, frozen=True):
    """A version of the game system is approved."""

    version: str
    reference: str


class SoftwareReported(Event, frozen=True):
    """The version that is running."""

    version: str


class SettingsChanged(AtTable, frozen=True):
    """A table's settings, from the next round."""

    settings: TableSettings
    words: str


class RulebookChanged(AtTable, frozen=True):
    """A table's rulebook, from the next round."""

    rulebook: str
    words: str


class OfficerNotified(Event, frozen=True):
    """An Authorised Officer was told of a closing to come."""

    subject: str
    words: str


class TableClosed(AtTable, frozen=True):
    """No new round begins."""

    words: str


class TableReopened(AtTable, frozen=True):
    """Rounds may begin again."""


class TerminalClosed(AtTerminal, frozen=True):
    """Out of service: it takes no bets and no money, and its credits can be collected."""

    words: str


class TerminalReopened(AtTerminal, frozen=True):
    """Back in service."""


class VipArranged(AtTerminal, frozen=True):
    """The player at a terminal bets straight up only."""

    words: str


class MessageSent(Event, frozen=True):
    """Words for terminals."""

    terminals: tuple[str, ...]
    words: str


class RulesPrinted(AtTable, frozen=True):
    """A copy of the rules was handed out."""

    rulebook: str
    sold: bool


class ProposalMade(Event, frozen=True):
    """The first of two signatures: what is proposed, and until when it can be approved."""

    proposal: Number
    command: Dual
    expires_at: Instant


class ProposalApproved(Event, frozen=True):
    """The second signature, by another person on another device."""

    proposal: Number
    proposer: PersonId
    proposer_device: DeviceId
    approver: PersonId
    approver_device: DeviceId


class ProposalWithdrawn(Event, frozen=True):
    """A proposal was taken back."""

    proposal: Number
