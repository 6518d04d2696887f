"""The reference of docs/configuration.md, derived from the declarations of the configuration.

`python -m tests.support.configdoc --write` writes it; a test checks that the page is current.
"""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import fill

from croupier.config.fields import Key, Section
from croupier.config.provisioning import AT_CREATION, AT_START, IDENTITY
from croupier.config.reader import CONFIG

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
#: The reference begins with this heading, and is the rest of the page.
BEGINS = "## When a change takes effect\n"
TOP = "## Top level\n"
EFFECTS = {
    IDENTITY: "never: the journal's first entry fixes it, and the server does not start with another value",
    AT_CREATION: "never: the journal's first entry fixes it, and another value is reported and ignored",
    AT_START: "at the next start",
}


def reference() -> str:
    return "\n".join((*_effects(), *_section(CONFIG, "")))


def _effects() -> Iterator[str]:
    yield from (BEGINS, "| Changed in the file | Takes effect |", "|---|---|")
    for names, effect in EFFECTS.items():
        yield f"| {', '.join(f'`{name}`' for name in names)} | {effect} |"
    yield "| everything else | at the next start or at `croupier reload` |"
    yield ""


def current(page: str) -> str:
    """Replace the reference of a page by what the declarations say."""
    return page[: page.index(BEGINS)] + reference()


def _section(section: Section, parent: str) -> Iterator[str]:
    name = f"{parent}.{section.name}".strip(".")
    heading = f"`[[{name}]]`" if section.many else f"`[{name}]`"
    yield from (f"## {heading}\n" if name else TOP, fill(section.description, 120), "")
    yield from ("| Key | Type | Default | Description |", "|---|---|---|---|")
    # Keys that are declared alike, as the kinds of bets are, share a row.
    for (words, without, description), keys in groupby(section.keys, _cells):
        yield f"| {', '.join(f'`{key.name}`' for key in keys)} | {words} | {without} | {description} |"
    yield ""
    for part in section.parts:
        yield from _section(part, name)


def _cells(key: Key) -> tuple[str, str, str]:
    default = f"`{key.written}`" if key.without == key.written else key.without
    return key.type.words, "required" if key.required else default, key.setting.description


def main() -> int:
    page = PAGE.read_text("utf-8")
    if "--write" in sys.argv:
        PAGE.write_text(current(page), "utf-8")
        return 0
    return 0 if page == current(page) else 1


if __name__ == "__main__":
    sys.exit(main())
