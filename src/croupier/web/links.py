"""Links: the house is told which terminals have gone dark, and which are back."""

from dataclasses import dataclass, field

from croupier.engine.asked import Asked
from croupier.house.command.record import LoseTerminal, ReturnTerminal
from croupier.house.event.base import Event
from croupier.house.event.record import TerminalLost, TerminalReturned
from croupier.house.name import DeviceId, Instant, TerminalId
from croupier.house.state import House
from croupier.web.conductor import Conductor
from croupier.web.hub import Hub
from croupier.web.limits import RETURN_MOST


@dataclass(slots=True)
class Links:
    """Holds who is at a door against what the house believes. What was too busy to be told is told at the next look."""

    hub: Hub
    conductor: Conductor
    #: Those that were at a door in this run, or had money on them when it began.
    _known: set[TerminalId] = field(default_factory=set)
    _since: Instant | None = None

    @property
    def house(self) -> House:
        return self.hub.run.house

    def begin(self) -> None:
        """Give terminals time to come back after a start before they count as lost."""
        self._since = self.hub.time.now()

    def look(self, terminal: TerminalId) -> None:
        """Hold one terminal against the record."""
        there, dark = terminal in self.hub.seats, terminal in self.house.dark
        if there:
            self._known.add(terminal)
        if there and dark:
            self.conductor.submit(Asked(ReturnTerminal(terminal)))
        elif not there and not dark and terminal in self._known and DeviceId(terminal) in self.house.devices:
            self.conductor.submit(Asked(LoseTerminal(terminal)))

    def heed(self, event: Event) -> None:
        """Look once more when the house has heard: a page that was only loaded anew is back before that."""
        if isinstance(event, TerminalLost | TerminalReturned):
            self.look(event.terminal)

    def look_around(self) -> None:
        """Hold all terminals against the record; some time after a start also those that have not come back to it."""
        if self._since is not None and self.hub.time.now() >= self._since + RETURN_MOST:
            self._since = None
            self._known.update(each.id for each in self.house.terminals.values() if each.credit or each.in_play)
        for terminal in {*self._known, *map(TerminalId, self.hub.seats)}:
            self.look(terminal)
