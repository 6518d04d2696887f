"""The page on the configuration is true: every key is on it, as the reader knows it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from croupier.config.fields import Section
from croupier.config.schema import CONFIG

PAGE = Path(__file__).parent.parent / "docs" / "configuration.md"


def sections(section: Section = CONFIG, parent: str = "") -> Iterator[tuple[str, Section]]:
    """Every section of the file under its full name."""
    name = f"{parent}.{section.name}".strip(".")
    yield name, section
    for part in section.parts:
        yield from sections(part, name)


def rows(section: Section) -> list[str]:
    """The table of a section's keys, as the page must have it."""
    return [
        f"| `{key.name}` | {key.form.words} | {f'`{key.written}`' if key.default == key.written else key.default} "
        f"| {key.means} |"
        for key in section.keys
    ]


def heading(name: str, section: Section) -> str:
    if not name:
        return "## At the top"
    return f"## `[[{name}]]`" if section.many else f"## `[{name}]`"


@pytest.mark.parametrize(("name", "section"), [*sections()], ids=[name or "top" for name, _ in sections()])
def test_page_has_every_key(name: str, section: Section) -> None:
    """Under the heading of a section stand its meaning and a table of its keys: all of them, and no others."""
    parts = PAGE.read_text("utf-8").split(f"\n{heading(name, section)}\n")

    assert len(parts) == 2
    lines = parts[1].split("\n## ")[0].splitlines()
    assert section.means in " ".join(line for line in lines if not line.startswith("|"))
    assert [line for line in lines if line.startswith("| `")] == rows(section)


def test_page_has_no_other_section() -> None:
    """The page has one heading for each section, in the order of the template."""
    headings = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("## `")]

    assert headings == [heading(name, section) for name, section in sections() if name]
