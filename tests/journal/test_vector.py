"""The test vector of docs/journal.md: recomputed from the text of the page itself."""

import hashlib
import hmac
import json
import re
from pathlib import Path

import pytest

from croupier.journal import verify
from croupier.journal.entry import EMPTY_HEAD, Page
from croupier.journal.pages import merkle_tree, page_after, verify_chain

PAGE = Path(__file__).parents[2] / "docs" / "journal.md"


@pytest.fixture(scope="module")
def section() -> str:
    """The section with the test vector."""
    found = re.search(r"^### A test vector\n(.*?)^### ", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def rows(section: str, heading: str) -> list[tuple[str, str]]:
    """Read the rows of the table with these headings."""
    table = section.partition(f"{heading}\n|---|---|\n")[2].partition("\n\n")[0]
    return [(one.strip(), two.strip()) for one, two in (line.strip("|").split("|") for line in table.splitlines())]


@pytest.fixture(scope="module")
def values(section: str) -> dict[str, bytes]:
    """The values of the vector by their names."""
    return {name: bytes.fromhex(value.strip("`")) for name, value in rows(section, "| Value | Hexadecimal |")}


@pytest.fixture(scope="module")
def bodies(section: str, values: dict[str, bytes]) -> list[bytes]:
    """The bodies of both pages: the first from the bytes that are explained one by one."""
    explained = "".join(code.strip("`") for code, _ in rows(section, "| Bytes | Content |"))
    return [bytes.fromhex(explained), values["body of page 2"]]


def test_digests_macs_and_root_are_as_documented(values: dict[str, bytes], bodies: list[bytes]) -> None:
    """Nothing but SHA-256 and HMAC is needed to compute what the page says."""
    digest, first = bytes(32), 1
    digests = []
    for number, (body, entries) in enumerate(zip(bodies, (2, 1), strict=True), start=1):
        digest = hashlib.sha256(digest + body).digest()
        digests.append(digest)
        assert digest == values[f"digest of page {number}"]
        message = f"{number} 3 {first} {first + entries - 1} ".encode() + digest
        assert hmac.digest(values["MAC key"], message, "sha256") == values[f"MAC of page {number}"]
        first += entries
    leaves = [hashlib.sha256(b"\0" + each).digest() for each in digests]
    assert hashlib.sha256(b"\1" + leaves[0] + leaves[1]).digest() == values["Merkle root over both"]


def test_documented_pages_are_what_is_written(values: dict[str, bytes], bodies: list[bytes]) -> None:
    """The journal reads the documented bytes, and writes their entries as the same bytes again."""
    heads = [values[f"digest of page {number}"] for number in (1, 2)]
    pages = [Page(1, 3, 1, 2, heads[0], bodies[0]), Page(2, 3, 3, 3, heads[1], bodies[1])]
    read = [page.entries for page in verify_chain(pages, EMPTY_HEAD)]

    first = page_after(EMPTY_HEAD, 3, read[0])
    assert [first, page_after(first.journal_head, 3, read[1])] == pages
    assert merkle_tree(heads).root == values["Merkle root over both"]
    for page in pages:
        name = f"MAC of page {page.number}"
        assert hmac.digest(values["MAC key"], page.mac_message, "sha256") == values[name]


def test_documented_entries_are_what_the_verifier_reads(section: str, bodies: list[bytes]) -> None:
    """The entries of the first page stand there as the stand-alone verifier writes them."""
    _, entries = verify.read_page(bodies[0], "", "")
    lines = section.partition("```json\n")[2].partition("```")[0].splitlines()

    assert [json.dumps(each, separators=(",", ":")) for each in entries] == lines
