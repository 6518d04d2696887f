"""A client: one device that asks under keys of its own, and asks again until it is answered."""

from dataclasses import dataclass
from typing import Final

from croupier.engine.asked import Asked
from croupier.house.command.any import AnyCommand
from croupier.house.name import SECOND, DeviceId, PersonId
from croupier.journal.entry import Key
from croupier.rehearsal.clock import Time
from croupier.rehearsal.network import Network, Reply
from croupier.rules.refusal import Code, Refusal

#: When a client asks again, and how many answers it awaits at once.
PATIENCE_US: Final = 2 * SECOND
WAITING_MOST: Final = 2
#: How far it goes on before the oldest answer is there: the house remembers more of a device.
AHEAD_MOST: Final = 8


@dataclass(slots=True)
class Waiting:
    """What was asked, when last, and as which of all that the device has asked."""

    asked: Asked
    sent_at: int
    turn: int


class Client:
    """One device on the network."""

    def __init__(self, device: DeviceId, network: Network, time: Time) -> None:
        self.device = device
        self.waiting: dict[Key, Waiting] = {}
        self._network, self._time = network, time
        self._epoch = self._number = self._turn = 0

    def ask(self, command: AnyCommand, person: PersonId) -> Asked | None:
        """Ask for something, and give what is sent; nothing where too much is still unanswered."""
        oldest = next(iter(self.waiting.values()), None)
        if len(self.waiting) >= WAITING_MOST or (oldest is not None and self._turn - oldest.turn >= AHEAD_MOST):
            return None
        self._number += 1
        self._turn += 1
        key = Key(self._epoch, self._number)
        asked = Asked(command, self.device, person, key)
        self.waiting[key] = Waiting(asked, self._time.elapsed, self._turn)
        self._network.send(asked)
        return asked

    def ask_again(self) -> None:
        """Ask again for what has gone unanswered for too long, under the key it had."""
        for waiting in self.waiting.values():
            if self._time.elapsed - waiting.sent_at >= PATIENCE_US:
                waiting.sent_at = self._time.elapsed
                self._network.send(waiting.asked)

    def hear(self, reply: Reply) -> None:
        """Take the first answer to what was asked here; one to somebody else's words under the same key is none."""
        self.meet(reply.epoch)
        asked, outcome = reply.answer.asked, reply.answer.outcome
        if isinstance(outcome, Refusal) and outcome.code in (Code.BUSY, Code.EPOCH_AHEAD):
            return
        assert asked.key is not None
        waiting = self.waiting.get(asked.key)
        if waiting is not None and waiting.asked == asked:
            del self.waiting[asked.key]

    def meet(self, epoch: int) -> None:
        """Learn of a start: from now on keys are of its epoch, and count from one again."""
        if epoch > self._epoch:
            self._epoch, self._number = epoch, 0
