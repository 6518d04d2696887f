"""The reference of the configuration is current."""

from croupier.config.fields import Section
from croupier.config.reader import CONFIG
from tests.configdoc import BEGINS, PAGE, TOP, current, reference


def test_page_is_current() -> None:
    """The page has what `python -m tests.configdoc --write` would write."""
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
