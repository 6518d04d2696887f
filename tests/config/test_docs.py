"""The reference of the configuration is current."""

import re

from croupier.config.fields import Section
from croupier.config.reader import CONFIG
from tests.support.configdoc import BEGINS, PAGE, TOP, current, reference


def test_page_is_current() -> None:
    """The page has what `python -m tests.support.configdoc --write` would write."""
    page = PAGE.read_text("utf-8")

    assert page == current(page)
    assert page.count(BEGINS) == 1


def test_reference_has_every_key() -> None:
    """Each key of each section stands in the reference once, under the heading of its section."""
    sections = {each.partition("\n")[0]: each for each in reference().split("\n## ")[1:]}

    def check(section: Section, name: str) -> None:
        heading = f"`[[{name}]]`" if section.many else f"`[{name}]`"
        text = sections.pop(heading if name else TOP.strip("# \n"))
        rows = [row.split(" | ")[0] for row in text.splitlines() if row.startswith("| `")]
        assert [key.strip("`") for row in rows for key in row.removeprefix("| ").split(", ")] == [
            key.name for key in section.keys
        ]
        for part in section.parts:
            check(part, f"{name}.{part.name}".strip("."))

    check(CONFIG, "")
    assert sections == {}


def test_page_that_a_description_names_has_its_key() -> None:
    """A page that the description of a key or section names for more about it has that key in an example."""
    text = reference()
    named = re.findall(r"^\| `(\w+)` .*\(docs/(\w+)\.md\)", text, flags=re.MULTILINE)
    named += re.findall(r"^## `\[+(\w+)\]+`\n\n[^|]*?\(docs/(\w+)\.md\)", text, flags=re.MULTILINE)

    assert len(named) >= 3
    for key, name in named:
        page = (PAGE.parent / f"{name}.md").read_text("utf-8")
        assert re.search(rf"^ *(\[{key}\]|{key} = )", page, flags=re.MULTILINE), (key, name)


def test_articles_are_right() -> None:
    """No text of the reference, which is put together from parts, has "a" before a vowel."""
    assert re.findall(r"\ba (?!one|un|us)[aeiou]\w+", reference()) == []
