"""The template: a configuration to begin with, with every key in it, what it means, and its default."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from croupier.config.keys import CONFIG
from croupier.config.section import Key, Section
from croupier.house.settings import Mode

_WIDTH: Final = 100

_HEAD: Final = (
    "One venue of Croupier. Every key that there is stands here. A key behind a # has its default, or an example "
    "where there is none: take the # away to set it."
)

#: What is set from the start, by section: a demonstration plays by itself, at a few seats.
_CHOSEN: Final = {
    Mode.DEMO: {"tables": {"seats": "8", "wheel": '"random"', "betting_s": "25", "pause_s": "6"}},
    Mode.REAL: {"": {"mode": '"real"'}},
}

#: What has no place in the file of a house with real money.
_DEMO_ONLY: Final = ("secret",)


def template(mode: Mode, software: str) -> str:
    """Write a configuration to begin with, which the software that is running may be approved in."""
    lines = (*_prose(_HEAD), *_Pen(mode, software).section(CONFIG, live=True))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Pen:
    mode: Mode
    software: str

    def section(self, section: Section, parent: str = "", *, live: bool) -> Iterator[str]:
        """Write a section and its parts; behind a # where it is not live, or could not stand without a choice."""
        live = live and (section.required or not any(key.required for key in section.keys))
        name = f"{parent}.{section.name}" if parent else section.name
        if section.name:
            yield from ("", "", *_prose(section.means))
            yield _line(f"[[{name}]]" if section.many else f"[{name}]", live=live)
        yield from self._keys(section, live=live)
        for part in section.parts:
            yield from self.section(part, name, live=live)

    def _keys(self, section: Section, *, live: bool) -> Iterator[str]:
        """Write the keys of a section; what is to be said of several is said once."""
        said: list[str] = []
        for key in section.keys:
            if self.mode is Mode.DEMO or key.name not in _DEMO_ONLY:
                told = [*_prose(key.means), *_prose(_takes(key))]
                yield from () if told == said else ("", *told)
                yield self._key(section, key, live=live)
                said = told

    def _key(self, section: Section, key: Key, *, live: bool) -> str:
        chosen = _CHOSEN[self.mode].get(section.name, {})
        written = f'"{self.software}"' if key.name == "version" else chosen.get(key.name, key.written)
        return _line(f"{key.name} = {written}", live=live and (key.required or key.name in chosen))


def _takes(key: Key) -> str:
    without = "Default" if key.default == key.written else "Without it"
    return f"Takes {key.form.words}. {'Required.' if key.required else f'{without}: {key.default}.'}"


def _line(text: str, *, live: bool) -> str:
    return text if live else f"#{text}"


def _prose(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH - 2)]
