"""Commands that set up a venue: tables, terminals, people, settings, closings and signatures."""

from enum import StrEnum

from croupier.house.base import Command, MachineRole, Phase, TableCommand, TerminalCommand, command
from croupier.house.ids import DeviceId, DeviceKind, Instant, Number, PersonId, TableId
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty


@command(MachineRole.SYSTEM)
class CreateHouse(Command, frozen=True):
    """Create the house: its mode never changes after this."""

    mode: Mode
    venue: str
    #: An IANA name such as Australia/Adelaide, by which the engine works out gaming days.
    timezone: str
    #: How many gaming days a slip or ticket can be redeemed; None where it never lapses.
    ticket_days: int | None = None
    #: How many closed tickets, cases and incidents stay in the state: older ones are found through the journal.
    records_kept: int = RECORDS_KEPT


@command(MachineRole.SYSTEM)
class AdoptRulebook(Command, frozen=True):
    """Take a rulebook into use, in its canonical text."""

    canonical: str


@command(MachineRole.SYSTEM, Duty.MANAGE, signatures=2)
class AddTable(TableCommand, frozen=True):
    """Add a table that plays by an adopted rulebook."""

    rulebook: str
    settings: TableSettings


@command(MachineRole.SYSTEM, Duty.MANAGE, Duty.MAINTAIN, signatures=2)
class AddTerminal(TerminalCommand, frozen=True):
    """Add a terminal at one table, or at two where the rules have two games to a terminal."""

    tables: tuple[TableId, ...]
    settings: TerminalSettings


@command(MachineRole.SYSTEM, Duty.MANAGE, Duty.MAINTAIN, signatures=2)
class EnrolDevice(Command, frozen=True, omit_defaults=True):
    """Enrol a console or a desk, or a terminal again that was released."""

    device: DeviceId
    #: The kind of screen, where the device gets a key with this command.
    kind: DeviceKind | None = None


@command(Duty.MANAGE, Duty.MAINTAIN, signatures=2)
class ReleaseDevice(Command, frozen=True):
    """Release a console, a desk or a terminal: its key is revoked."""

    device: DeviceId


@command(MachineRole.SYSTEM, Duty.MANAGE, signatures=2)
class EnrolPerson(Command, frozen=True):
    """Add a member of staff, or change the titles that one holds."""

    person: PersonId
    titles: tuple[str, ...]


@command(MachineRole.SYSTEM, Duty.MANAGE)
class ReleasePerson(Command, frozen=True):
    """End a person's titles."""

    person: PersonId


@command(Duty.INSPECT, Duty.DECIDE, Duty.MANAGE, signatures=2)
class UnlockAccount(Command, frozen=True):
    """Unlock a person's account on every device, after too many wrong passwords."""

    person: PersonId


@command(Duty.MANAGE)
class AppointActing(Command, frozen=True):
    """Appoint a person to act in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


@command(MachineRole.SYSTEM, Duty.MANAGE, signatures=2)
class ApproveBuild(Command, frozen=True):
    """Record an approved version of the game system."""

    version: str
    reference: str


@command(MachineRole.SYSTEM)
class ReportBuild(Command, frozen=True):
    """Report the running version."""

    version: str


@command(Duty.MANAGE, signatures=2)
class ChangeSettings(TableCommand, frozen=True):
    """Change a table's limits and timers, from the next round."""

    settings: TableSettings
    words: str


@command(Duty.MANAGE, signatures=2)
class ChangeRulebook(TableCommand, frozen=True):
    """Change the rulebook of a table to another adopted one, from the next round."""

    rulebook: str
    words: str


@command(Duty.MANAGE, Duty.OFFICIATE)
class NotifyOfficer(Command, frozen=True):
    """Record that an Authorised Officer was notified of a coming closing, or of an arrangement with players."""

    subject: str
    words: str


@command(Duty.MANAGE)
class CloseTable(TableCommand, frozen=True):
    """Close a table after the round that is running."""

    words: str


@command(Duty.MANAGE)
class ReopenTable(TableCommand, frozen=True):
    """Open a closed table again."""


@command(Duty.INSPECT, Duty.MAINTAIN)
class CloseTerminal(TerminalCommand, frozen=True):
    """Take a terminal out of service after the round that is running."""

    words: str


@command(Duty.INSPECT, Duty.MAINTAIN)
class ReopenTerminal(TerminalCommand, frozen=True):
    """Put a terminal back into service."""


@command(Duty.MAINTAIN, Duty.MANAGE, when={Phase.BETWEEN})
class PairWheelHead(TableCommand, frozen=True):
    """Pair a wheel head with a table, with its pockets in their order round the wheel."""

    #: The number on its plate.
    head: str
    order: tuple[Pocket, ...]


class BallMaterial(StrEnum):
    """What a ball is made of."""

    ACRYLIC = "acrylic"
    CERAMIC = "ceramic"
    IVORY = "ivory"
    NYLON = "nylon"
    PTFE = "ptfe"
    STEEL = "steel"
    OTHER_METAL = "other_metal"

    @property
    def metallic(self) -> bool:
        return self in (BallMaterial.STEEL, BallMaterial.OTHER_METAL)


@command(Duty.INSPECT, Duty.MAINTAIN, when={Phase.BETWEEN, Phase.NO_SPIN})
class AssignBall(TableCommand, frozen=True):
    """Assign a ball to a table, which replaces the one before."""

    ball: str
    material: BallMaterial
    #: In micrometres.
    diameter: int


@command(Duty.INSPECT)
class InspectEquipment(TableCommand, frozen=True):
    """Record that the wheel head and the ball of a table were inspected and are in order today."""

    words: str = ""


@command(Duty.MAINTAIN, when={Phase.BETWEEN})
class RecordMaintenance(TableCommand, frozen=True):
    """Record work on the wheel head of a table: it is inspected again afterwards."""

    words: str


@command(MachineRole.SYSTEM)
class AcceptHistory(Command, frozen=True):
    """Continue from an older copy of the journal, on the authority of two people."""

    #: How many entries are known to be missing.
    lost: int
    people: tuple[PersonId, PersonId]
    words: str


@command(Duty.DEAL, Duty.INSPECT)
class SendMessage(Command, frozen=True):
    """Show a message on terminals; on all where none is named."""

    terminals: tuple[str, ...]
    words: str


@command(Duty.CASH, Duty.INSPECT)
class PrintRules(TableCommand, frozen=True):
    """Print a copy of the rules of a table for a patron."""

    sold: bool = False


@command(Duty.DEAL, Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)
class Approve(Command, frozen=True):
    """Add the second signature to a proposal."""

    proposal: Number


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)
class Withdraw(Command, frozen=True):
    """Withdraw a proposal."""

    proposal: Number
