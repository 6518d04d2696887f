"""The stage: what those who act can see and do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

from croupier.engine.asked import Asked
from croupier.house.command.any import AnyCommand
from croupier.house.name import DeviceId, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.state import House
from croupier.house.table import Round, Table
from croupier.rehearsal.client import Client
from croupier.rehearsal.clock import Time
from croupier.rehearsal.machine import Machine
from croupier.rehearsal.network import Network
from croupier.rehearsal.playbill import Playbill, console_of
from croupier.rules.pocket import Pocket
from croupier.rules.staff import Duty

Value = TypeVar("Value")
#: Something that may be done, and how often it is.
Menu = Mapping[Callable[["Stage"], None], int]

#: What is said where words are asked for.
WORDS: Final = "as rehearsed"


@dataclass(slots=True)
class Stage:
    """One evening's house with its network and everybody's device, as seen by whoever acts next."""

    rng: Random
    bill: Playbill
    machine: Machine
    network: Network
    time: Time
    clients: dict[DeviceId, Client]
    #: What random wheels have drawn: once for a round.
    drawn: dict[tuple[TableId, RoundNumber], Pocket] = field(default_factory=dict)
    #: What was overheard on the network, for whoever plays it back.
    overheard: list[Asked] = field(default_factory=list)

    @property
    def house(self) -> House:
        return self.machine.house

    def any(self, values: Sequence[Value]) -> Value:
        return self.rng.choice(values)

    def one_of(self, *commands: AnyCommand) -> AnyCommand:
        return self.any(commands)

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def do_one_of(self, menu: Menu) -> None:
        """Do something from a menu."""
        (deed,) = self.rng.choices(list(menu), list(menu.values()))
        deed(self)

    def table(self) -> Table:
        return self.house.tables[self.any(self.bill.tables)]

    def seat(self) -> TerminalId:
        return self.any(self.bill.seats)

    def pocket(self) -> Pocket:
        """Where the ball comes to rest: often where players like to bet."""
        return Pocket("17") if self.chance(25) else self.any(self.bill.rulebook.pockets)

    def past_round(self, table: Table) -> Round | None:
        """Pick the round that runs, or one of the last."""
        rounds = [*table.past, table.round][-3:]
        return self.any(rounds) if rounds else None

    def ask(self, device: str, command: AnyCommand, person: PersonId = PersonId("")) -> None:
        """Ask over the network, from a device that is on it."""
        asked = self.clients[DeviceId(device)].ask(command, person)
        if asked is not None:
            self.overheard.append(asked)

    def by(self, duty: Duty, command: AnyCommand) -> None:
        """Ask as one of those who may, mostly of the lowest title, at their own console."""
        staff = self.bill.staff(duty)
        if staff:
            person = self.any(staff[:2] if self.chance(80) else staff)
            self.ask(console_of(person), command, person)

    def system(self, command: AnyCommand) -> None:
        """Have the house ask itself: no network lies between, and no key is needed."""
        self.machine.submit(Asked(command))
