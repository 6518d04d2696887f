"""Rows of messages are projected from what they show, field by field."""

from types import SimpleNamespace

import msgspec
import pytest

from croupier.protocol.outbound import project


class Shown(msgspec.Struct):
    """A row with two fields of its source, one that is named, and one with a default."""

    table: str
    amount: int
    words: str
    more: int = 0


def test_row_has_the_fields_of_its_source() -> None:
    """Fields without a default are copied by name; what is named counts, and a default stays unless it is named."""
    source = SimpleNamespace(table="A", amount=5, words="its own", more=7)

    assert project(Shown, source, words="named") == Shown("A", 5, "named")
    assert project(Shown, source, more=1) == Shown("A", 5, "its own", 1)


def test_field_that_the_source_lacks_is_an_error() -> None:
    """A row is never sent with a field missing."""
    with pytest.raises(AttributeError, match="amount"):
        project(Shown, SimpleNamespace(table="A"), words="")
