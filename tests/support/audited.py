"""An audited floor: of every answer, state and entry of which an auditor makes sure."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from croupier.house import AnyCommand
from croupier.house.declare import Decision
from croupier.house.ids import SYSTEM, Context, DeviceId, PersonId
from croupier.house.settings import TableSettings
from croupier.rules.rulebook import Rulebook
from croupier.simulation.auditor import Auditor
from croupier.simulation.invariants import InvariantViolation
from croupier.transcripts.driver import TABLE
from tests.support.house_driver import Play
from tests.support.sample_commands import CLEARWATER, MARINA

WHEEL: Final = DeviceId(TABLE)


class Audited(Play):
    """A floor of which an auditor hears every answer, sees every state and reads every entry."""

    def __init__(self, rulebook: str | Rulebook, *settings: TableSettings, **more: Any) -> None:  # noqa: ANN401 - as the floor takes
        self.auditor = Auditor()
        self.written = 0
        #: All that the auditor heard, for another to hear again.
        self.received: list[tuple[AnyCommand, Context, Decision]] = []
        super().__init__(rulebook, *settings, **more)

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        answer = super().ask(command, device, person)
        context = Context(self.now, device, PersonId(person))
        self.received.append((command, context, answer))
        self.auditor.on_decision(command, context, answer)
        self.auditor.compare(self.house)
        for event in answer if isinstance(answer, tuple) else ():
            self.written += 1
            self.auditor.entry(self.written, 1, context, event)
        return answer


def sealed(rulebook_id: str = MARINA, **slips: str) -> Audited:
    """A floor with two players whose bets are closed, and a ball that runs."""
    floor = Audited(rulebook_id)
    floor.seats(T1=100, T2=100)
    floor.open()
    for seat, slip in (slips or {"T1": "5 on 17"}).items():
        floor.bet(seat, slip)
    floor.close()
    if rulebook_id != CLEARWATER:
        floor.spin()
    return floor


def settled(rulebook_id: str = MARINA, pocket: str = "18") -> Audited:
    floor = sealed(rulebook_id)
    floor.rest(pocket)
    return floor


def context_of(floor: Audited, device: DeviceId = SYSTEM, person: str = "") -> Context:
    return Context(floor.now, device, PersonId(person))


def breaks(invariant: str, act: Callable[[], object]) -> None:
    """Assert that the auditor finds fault, and under which invariant."""
    with pytest.raises(InvariantViolation) as found:
        act()
    assert found.value.invariant == invariant, found.value.words
