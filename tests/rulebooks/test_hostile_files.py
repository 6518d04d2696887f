"""Rulebooks whose files somebody has changed: each is loaded or refused in words, whatever stands in them."""

import re
import shutil
from pathlib import Path
from random import Random
from typing import Final

import pytest

from croupier.rulebooks.loader import read_folder, rulebook_ids
from croupier.rules.rulebook import Rulebook
from croupier.rules.texts import is_text
from tests.support.campaign import portions
from tests.support.copies import CLAUSES, KINDS, LAYOUTS, RULEBOOK, SHIPPED, WHEELS

#: A value in a file, and what takes its place.
VALUE: Final = re.compile(r'"[^"\n]*"|-?\b[0-9]+\b|\b(?:true|false)\b')
HOSTILE: Final = (
    *(
        '""',
        '" "',
        '"x"',
        '"0"',
        '"000"',
        '"41"',
        '"red"',
        '"straight"',
        '"1/0"',
        '"6/5"',
        '"\\u202e"',
        f'"{"9" * 400}"',
    ),
    *("0", "-1", "1", "41", "1_000_000_000_000_000", "9" * 400, "0.5", "nan", "inf", "1e999999", "1e-999999"),
    *("true", "false", "[]", "{}", "[[]]", '["1", "1"]', "[{}]", "1979-05-27"),
)


@pytest.mark.property
@pytest.mark.parametrize("seeds", portions(day=120, night=20_000, size=120), ids=str)
def test_changed_file_is_loaded_or_refused_in_words(seeds: range, tmp_path: Path) -> None:
    """A value of a file that is replaced by another, or by one of the same file, ends no command in a traceback."""
    refused = 0
    for seed in seeds:
        random = Random(seed)  # noqa: S311 - a sample
        folder = tmp_path / str(seed)
        shutil.copytree(SHIPPED / random.choice(rulebook_ids()), folder)
        for shared in (KINDS, LAYOUTS, WHEELS):
            if not folder.joinpath(shared).exists():
                shutil.copy(SHIPPED / shared, folder)
        for _ in range(random.choice((1, 1, 2, 4))):
            names = [name for name in (RULEBOOK, RULEBOOK, KINDS, LAYOUTS, WHEELS, CLAUSES) if (folder / name).exists()]
            change(folder / random.choice(names), random)
        answer = read_folder(folder)
        if not isinstance(answer, Rulebook):
            refused += 1
            assert all(is_text(str(problem)) for problem in answer), seed
        shutil.rmtree(folder)
    assert 0 < refused < len(seeds)


def change(file: Path, random: Random) -> None:
    """Replace one value of a file."""
    text = file.read_text("utf-8")
    found = random.choice(list(VALUE.finditer(text)))
    value = random.choice((*HOSTILE, random.choice(VALUE.findall(text))))
    file.write_text(text[: found.start()] + value + text[found.end() :], "utf-8")
