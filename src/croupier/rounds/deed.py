"""Deeds: how what somebody did is read, by a list of forms with slots in capitals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from croupier.house.command.any import AnyCommand
from croupier.rounds.cast import Scene
from croupier.rounds.slot import read_form
from croupier.rounds.wanted import WantedError
from croupier.rules.rulebook import Rulebook

#: What a deed asks of the house, from its moment and the values of its slots; None where it only lets time pass.
Build = Callable[..., AnyCommand | None]
Deeds = Mapping[str, Build]


@dataclass(frozen=True, slots=True)
class Deed:
    """A deed that was understood: it becomes a command when its moment has come."""

    build: Build
    values: tuple[object, ...]

    def perform(self, scene: Scene) -> None:
        command = self.build(scene, *self.values)
        if command is not None:
            scene.ask(command)


def read_deed(text: str, deeds: Deeds, rulebook: Rulebook) -> Deed:
    """Find the form that a deed goes by, or raise WantedError with what was wanted."""
    for form, build in deeds.items():
        values = read_form(form, text, rulebook)
        if values is not None:
            return Deed(build, values)
    near = get_close_matches(text, deeds, n=3, cutoff=0.4)
    raise WantedError(f"a deed such as {' or '.join(map(repr, near or sorted(deeds)[:3]))}")
