"""The journal's order: positions, epochs and times, and the stages of every spin, from the entries alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from croupier.house.event import round as told
from croupier.house.event.base import AtRound, Event
from croupier.house.event.play import BetsChanged, BetsReturned, Return
from croupier.house.name import Instant, TableId
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor.finding import Finding, never
from croupier.rehearsal.auditor.signatory import Signatories
from croupier.rules.irregularity import Effect

#: In which stages of a spin an event has its place, and to which it leads.
_STAGES: Final[Mapping[type[Event], tuple[tuple[str, ...], str]]] = {
    told.BetsOpened: (("new", "settled", "void"), "open"),
    told.BetsClosing: (("open",), "closing"),
    told.BetsSealed: (("closing",), "sealed"),
    told.ResultDeclared: (("sealed",), "declared"),
    told.RoundSettled: (("declared",), "settled"),
    told.RoundVoided: (("open", "closing", "sealed", "declared", "no spin"), "void"),
    told.SpinVoided: (("open", "closing", "sealed", "declared"), "no spin"),
    told.TerminalsReset: (("no spin",), "open"),
}
#: After what no number may count or pay any more.
_CALLED_OFF: Final = ("no spin", "void")
_OUTCOMES: Final = (told.ResultDeclared, told.RoundSettled)


@dataclass(slots=True)
class _Spin:
    """Where the last round of a table stands."""

    round: int = 0
    stage: str = "new"
    drawn: bool = False


class Order:
    """Reads a journal entry by entry."""

    def __init__(self) -> None:
        self._position = 0
        self._epoch = 0
        self._now = Instant(0)
        self._spins: dict[TableId, _Spin] = {}
        self._signatories = Signatories()

    def entry(self, position: int, epoch: int, stamp: Stamp, event: Event) -> None:
        """Hold one entry against those before it."""
        never("I12", f"entry {position} follows {self._position}", when=position != self._position + 1)
        never("I12", f"epoch {epoch} follows {self._epoch}", when=epoch < self._epoch)
        never("I20", f"{stamp.now} follows {self._now} at entry {position}", when=stamp.now < self._now)
        self._position, self._epoch, self._now = position, epoch, stamp.now
        self._signatories.entry(stamp, event)
        self._bets(event)
        if isinstance(event, AtRound):
            self._step(event)

    def _spin(self, table: TableId) -> _Spin:
        return self._spins.setdefault(table, _Spin())

    def _bets(self, event: Event) -> None:
        """I9: chips move only before the seal; what goes back unplayed does so before it, or after the round."""
        if isinstance(event, BetsChanged):
            spin = self._spin(event.table)
            wrong = spin.stage != "open" or spin.round != event.round
            never("I9", f"{event} while round {spin.round} is {spin.stage}", when=wrong)
        elif isinstance(event, BetsReturned):
            stage = self._spin(event.table).stage
            at_close = event.why not in (Return.MALFUNCTION, Return.NEW_TERMS, Return.OUT_OF_SERVICE)
            wrong = stage != "closing" if at_close else stage in ("sealed", "declared")
            never("I9", f"{event} while the round is {stage}", when=wrong)

    def _step(self, event: AtRound) -> None:
        spin = self._spin(event.table)
        if isinstance(event, told.OutcomeInvalidated):
            if event.round == spin.round and spin.stage != "settled":
                spin.stage = "void"
            return
        if type(event) not in _STAGES:
            return
        before, after = _STAGES[type(event)]
        follows = event.round == spin.round + isinstance(event, told.BetsOpened)
        if spin.stage not in before or not follows:
            raise Finding(_broken(spin, event), f"{event} while round {spin.round} is {spin.stage}")
        self._draw(spin, event)
        spin.round, spin.stage = event.round, after
        if isinstance(event, told.SpinVoided) and event.effect is Effect.KEEP_AND_RESPIN:
            spin.stage = "open"

    def _draw(self, spin: _Spin, event: AtRound) -> None:
        """I17: a random source draws once for a spin."""
        if isinstance(event, told.ResultDeclared):
            drawn = event.source is told.Source.RANDOM
            never("I17", f"{event} is drawn a second time", when=drawn and spin.drawn)
            never("I17", f"{event} is not on the wheel", when=not self._signatories.on_wheel(event.table, event.pocket))
            spin.drawn = spin.drawn or drawn
        elif isinstance(event, told.BetsOpened | told.SpinVoided):
            spin.drawn = False


def _broken(spin: _Spin, event: AtRound) -> str:
    """Name what a step out of its place breaks."""
    if isinstance(event, _OUTCOMES) and spin.stage in _CALLED_OFF:
        return "I23"
    again = isinstance(event, told.ResultDeclared) and spin.stage == "declared"
    return "I10" if again or (isinstance(event, _OUTCOMES) and spin.stage == "settled") else "I9"
