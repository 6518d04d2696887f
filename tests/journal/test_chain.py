"""The chain: the form of a page, what binds it to the one before, and every damage found where it is."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from croupier.house.ids import Context, Day, DeviceId, Instant, PersonId, PositionId, RoundNumber, TableId
from croupier.house.play.betting import BetsChanged
from croupier.house.rounds.spinning import LaunchCalled
from croupier.house.state.tables import BetChange
from croupier.journal.checkpoints import Signer, check_page_mac
from croupier.journal.disk import JournalCorrupt, UnknownEntryType
from croupier.journal.entry import EMPTY_HEAD, Cause, Entry, IdempotencyKey, JournalHead, Page
from croupier.journal.pages import (
    MerkleTree,
    VerifiedPage,
    chain_digest,
    decode_body,
    merkle_path,
    merkle_tree,
    page_after,
    verify_chain,
)
from croupier.rules.geometry import Pocket, SpotKey
from tests.support.shift import Shift

NOW = Context(Instant(5), DeviceId("wheel"), PersonId("dealer"))
TABLE = TableId("table 1")
LAUNCH = LaunchCalled(TABLE, RoundNumber(1))
DIGEST = bytes(range(16))
#: How many entries each page of the journal below has; the third and the last are a new run's.
PAGES = (2, 3, 1, 2)
EPOCHS = (1, 1, 2, 3)


def entry(position: int, epoch: int = 1) -> Entry:
    return Entry(position, epoch, Day(20261115), NOW, "ab12", None, LAUNCH)


def bet(position: int, terminal: str = "T1", how: BetChange = BetChange.PLACE, *, cause: bool = True) -> Entry:
    """A change of bets that a terminal asked for."""
    here, spots = PositionId(int(terminal[1:])), (SpotKey("17"), SpotKey("red"))
    event = BetsChanged(here, RoundNumber(4), how, spots, (500, 0))
    of = Cause(IdempotencyKey(1, 300 + position), DIGEST) if cause else None
    return Entry(position, 1, Day(20261115), Context(Instant(7), DeviceId(terminal)), "cd" * 32, of, event)


def journal() -> list[Page]:
    """Write a small journal: eight entries on four pages."""
    mark, pages = EMPTY_HEAD, []
    for size, epoch in zip(PAGES, EPOCHS, strict=True):
        pages.append(page_after(mark, epoch, [entry(mark.position + n, epoch) for n in range(1, size + 1)]))
        mark = pages[-1].journal_head
    return pages


def mixed() -> Page:
    """Write a page with two tables of its header in use: bets of two kinds, and other events between them."""
    other = Context(Instant(9), DeviceId("desk"), PersonId("boss"))
    return page_after(
        EMPTY_HEAD,
        1,
        [
            bet(1),
            bet(2, "T2"),
            Entry(3, 1, Day(20261116), other, "", None, LAUNCH),
            bet(4, "T2", BetChange.CLEAR, cause=False),
            bet(5),
        ],
    )


def bound(page: Page, body: bytes, since: JournalHead = EMPTY_HEAD) -> Page:
    """Bind another body, whatever it is, in the place of a page."""
    return page._replace(body=body, head=chain_digest(since.digest, body))


def fields_of(page: Page) -> list[Any]:
    fields: list[Any] = msgspec.msgpack.decode(page.body)
    return fields


def damage_in(pages: list[Page], since: JournalHead = EMPTY_HEAD) -> JournalCorrupt:
    with pytest.raises(JournalCorrupt) as caught:
        list(verify_chain(pages, since))
    return caught.value


def test_form_of_a_page() -> None:
    """A page is one array: its header, with what its rows share, and a row for each entry, today and always."""
    page = mixed()

    assert fields_of(page) == [
        2,
        1,
        1,
        1,
        7,
        [[20261115, "", b"\xcd" * 32], [20261116, "boss", b""]],
        [[4, "place"], [4, "clear"]],
        [
            [1, 0, 0, "T1", [301, DIGEST], 0, 1, ["17", "red"], [500, 0], None],
            [1, 0, 0, "T2", [302, DIGEST], 0, 2, ["17", "red"], [500, 0], None],
            [0, 1, 2, "desk", None, {"type": "launch_called.1", "table": "table 1", "round": 1}],
            [1, 0, 0, "T2", None, 1, 2, ["17", "red"], [500, 0], None],
            [1, 0, 0, "T1", [305, DIGEST], 0, 1, ["17", "red"], [500, 0], None],
        ],
    ]
    assert page[:5] == (1, 1, 1, 5, chain_digest(bytes(32), page.body))
    assert page.journal_head == JournalHead(5, 1, 1, page.head)


def test_entries_are_read_back_as_they_were_written() -> None:
    """Every part of an entry comes out of its row and the header, also what a row of bets says seldom."""
    spread = BetsChanged(PositionId(3), RoundNumber(1), BetChange.NEIGHBOURS, (SpotKey("5"),), (1,), Pocket("5"), 100)
    written = [
        Entry(1, 7, Day(1), NOW, "", Cause(IdempotencyKey(7, -3), DIGEST), spread),
        Entry(2, 7, Day(2), Context(Instant(2), DeviceId("a\nb\x00"), PersonId("\u2028")), "ff", None, LAUNCH),
        Entry(3, 7, Day(2), NOW, "ff", Cause(IdempotencyKey(7, 2**53), DIGEST), LAUNCH),
    ]
    page = page_after(EMPTY_HEAD, 7, written)

    assert [page.entries for page in verify_chain([page], EMPTY_HEAD)] == [written]
    assert page_after(EMPTY_HEAD, 7, written).body == page.body


def test_bets_can_be_left_out() -> None:
    """Who looks for something else than bets is given the other entries, with their own positions."""
    page = VerifiedPage(mixed(), decode_body(mixed()))

    assert page.entries_without_bets() == [page.entries[2]]
    assert page.entries[2].position == 3


def test_key_of_another_epoch_is_not_written() -> None:
    """A command with a key of another epoch is never accepted, so a row has no place for one."""
    with pytest.raises(AssertionError):
        page_after(EMPTY_HEAD, 2, [bet(1)])


def test_page_is_bound_to_all_before_it() -> None:
    """The digest of a journal changes with any page, with their order, and with one that is left out."""
    first, second = (page.body for page in journal()[:2])
    start = EMPTY_HEAD.digest
    heads = {
        chain_digest(chain_digest(start, first), second),
        chain_digest(chain_digest(start, second), first),
        chain_digest(start, first),
        chain_digest(start, second),
        chain_digest(chain_digest(start, first), first),
    }

    assert len(heads) == 5


def test_journal_that_is_whole_is_read() -> None:
    """Pages that are as they were written give their entries, from the beginning and from any page on."""
    pages = journal()
    positions = [[each.position for each in page.entries] for page in verify_chain(pages, EMPTY_HEAD)]

    assert positions == [[1, 2], [3, 4, 5], [6], [7, 8]]
    for after, page in enumerate(pages, start=1):
        assert [page.page for page in verify_chain(pages[after:], page.journal_head)] == pages[after:]


def _on(number: int, change: Callable[[Page], Page]) -> Callable[[list[Page]], list[Page]]:
    return lambda pages: [change(page) if page.number == number else page for page in pages]


#: What is done to the journal of eight entries, and the position at which that is found.
DAMAGES: dict[str, tuple[Callable[[list[Page]], list[Page]], int]] = {
    "first page missing": (lambda pages: pages[1:], 1),
    "page missing": (lambda pages: [pages[0], *pages[2:]], 3),
    "pages swapped": (lambda pages: [pages[0], pages[2], pages[1], pages[3]], 3),
    "page twice": (lambda pages: [pages[0], pages[1], pages[1], *pages[2:]], 6),
    "page of another number": (_on(2, lambda page: page._replace(number=7)), 3),
    "page of another first": (_on(2, lambda page: page._replace(first=4)), 3),
    "page of another last": (_on(2, lambda page: page._replace(last=6)), 3),
    "page of another head": (_on(2, lambda page: page._replace(head=bytes(32))), 3),
    "page of an earlier epoch": (_on(4, lambda page: page._replace(epoch=1)), 7),
    "page of a later epoch": (_on(3, lambda page: page._replace(epoch=3)), 6),
    "body changed": (_on(2, lambda page: page._replace(body=page.body.replace(b"wheel", b"Wheel"))), 3),
    "body cut": (_on(2, lambda page: page._replace(body=page.body[:-1])), 3),
    "body longer": (_on(2, lambda page: page._replace(body=page.body + b"\0")), 3),
    "no body": (_on(2, lambda page: page._replace(body=b"")), 3),
    "body of another page": (lambda pages: [pages[0], pages[1]._replace(body=pages[2].body), *pages[2:]], 3),
}


@pytest.mark.parametrize(("change", "position"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_found_where_it_is(change: Callable[[list[Page]], list[Page]], position: int) -> None:
    """Whatever is changed, left out or moved, the first entry of the page that is not as it was written is named."""
    damage = damage_in(change(journal()))

    assert damage.position == position
    assert str(damage).startswith(f"entry {position}: ")
    assert not isinstance(damage, UnknownEntryType)


def mutations(body: bytes, rng: Random) -> Iterator[bytes]:
    """Change a body by one bit, one byte more or less, or two bytes swapped, at every place."""
    for at in range(len(body)):
        yield from (body[:at] + bytes([body[at] ^ 1 << bit]) + body[at + 1 :] for bit in range(8))
        yield body[:at] + body[at + 1 :]
        yield body[:at] + bytes([rng.randrange(256)]) + body[at:]
        yield body[:at]
        if body[at] != body[-1]:
            yield body[:at] + body[-1:] + body[at + 1 : -1] + body[at : at + 1]


def test_no_mutated_page_passes_the_chain() -> None:
    """There is no byte of a page that may be changed, by any bit, moved, added or left out without notice."""
    page = mixed()
    changed = [each for each in mutations(page.body, Random(1)) if each != page.body]  # noqa: S311 - the same again

    assert len(changed) > 3_000
    for body in changed:
        assert damage_in([page._replace(body=body)]).position == 1


def test_no_mutated_page_passes_the_mac() -> None:
    """Who binds a mutated page anew, and has not the venue's key, cannot make its MAC."""
    signer = Signer.new()
    page = mixed()._replace(mac=signer.mac(mixed().mac_message))
    check_page_mac(signer, page)

    for body in mutations(page.body, Random(2)):  # noqa: S311 - the same again
        if body != page.body:
            with pytest.raises(JournalCorrupt, match="the venue's key"):
                check_page_mac(signer, bound(page, body))


def test_mutated_page_is_refused_or_says_something_else() -> None:
    """A mutated page that is bound anew decodes to other entries or not at all: nothing has two encodings."""
    page = mixed()
    entries = VerifiedPage(page, decode_body(page)).entries
    refused, read = list[int](), 0
    for body in mutations(page.body, Random(3)):  # noqa: S311 - the same again
        if body == page.body:
            continue
        found = read_or_refused(bound(page, body))
        if isinstance(found, JournalCorrupt):
            refused.append(found.position)
        else:
            assert found != entries
            assert page_after(EMPTY_HEAD, 1, found).body == body
            read += 1

    assert {*refused} == {1, 2, 3, 4, 5}
    assert len(refused) > read > 100


def read_or_refused(page: Page) -> list[Entry] | JournalCorrupt:
    try:
        return next(verify_chain([page], EMPTY_HEAD)).entries
    except JournalCorrupt as fault:
        return fault


def _changed(*path: int, to: object) -> Callable[[list[Any]], None]:
    """Put something else in one place of the fields of a page."""

    def change(fields: list[Any]) -> None:
        for index in path[:-1]:
            fields = fields[index]
        fields[path[-1]] = to

    return change


def _added(*path: int, item: object) -> Callable[[list[Any]], None]:
    def change(fields: list[Any]) -> None:
        for index in path:
            fields = fields[index]
        fields.append(item)

    return change


def _renumbered(fields: list[Any]) -> None:
    """Exchange the two origins, and their indexes in the rows."""
    fields[5].reverse()
    for row in fields[7]:
        row[1] = 1 - row[1]


#: A body that says something which no writer says, and the entry at which that is found.
INCONSISTENT: dict[str, tuple[Callable[[list[Any]], None], int]] = {
    "another number": (_changed(1, to=2), 1),
    "another epoch": (_changed(2, to=2), 1),
    "another first": (_changed(3, to=2), 1),
    "no rows": (_changed(7, to=[]), 1),
    "a row less": (lambda fields: fields[7].pop(), 1),
    "a row more": (lambda fields: fields[7].append(fields[7][0]), 1),
    "a time of its own": (_changed(7, 0, 2, to=1), 1),
    "an origin beyond the table": (_changed(7, 2, 1, to=2), 3),
    "an origin before its turn": (_changed(7, 0, 1, to=1), 1),
    "an origin that no row uses": (_added(5, item=[1, "", b""]), 1),
    "an origin twice": (_changed(5, 1, to=[20261115, "", b"\xcd" * 32]), 1),
    "origins in another order": (_renumbered, 1),
    "a play beyond the table": (_changed(7, 3, 5, to=2), 4),
    "a play before its turn": (_changed(7, 0, 5, to=1), 1),
    "a play that no row uses": (_added(6, item=[1, "place"]), 1),
    "a play twice": (_changed(6, 1, to=[4, "place"]), 1),
    "more spots than amounts": (_added(7, 1, 7, item="18"), 2),
    "more amounts than spots": (_added(7, 1, 8, item=100), 2),
    "bets in a row for events": (
        _changed(
            7,
            2,
            5,
            to={
                "type": "bets_changed.1",
                "position": 1,
                "round": 4,
                "how": "place",
                "spots": [],
                "amounts": [],
                "spread_from": None,
                "spread_chip": 0,
            },
        ),
        3,
    ),
}


@pytest.mark.parametrize(("change", "position"), INCONSISTENT.values(), ids=INCONSISTENT)
def test_rows_must_fit_their_header(change: Callable[[list[Any]], None], position: int) -> None:
    """A page that is bound rightly, and whose rows and header no writer would write so, is damage."""
    fields = fields_of(mixed())
    change(fields)
    damage = damage_in([bound(mixed(), msgspec.msgpack.encode(fields))])

    assert damage.position == position
    assert not isinstance(damage, UnknownEntryType)


#: The same value written in another way than the shortest, and the entry at which that is found.
LONGER = {
    "number of the page": (b"\x98\x02\x01", b"\x98\x02\xcc\x01", 1),
    "text of the second row": (b"\xa2T2\x92\xcd\x01\x2e", b"\xd9\x02T2\x92\xcd\x01\x2e", 2),
    "number of the first row": (b"\xcd\x01\x2d", b"\xce\x00\x00\x01\x2d", 1),
    "array of rows": (b"\x95\x9a\x01", b"\xdc\x00\x05\x9a\x01", 1),
    "map of the third row": (b"\x83\xa4type", b"\xde\x00\x03\xa4type", 3),
    "fields of the third row in another order": (
        b"\xa5table\xa7table 1\xa5round\x01",
        b"\xa5round\x01\xa5table\xa7table 1",
        3,
    ),
}


@pytest.mark.parametrize(("was", "now", "position"), LONGER.values(), ids=LONGER)
def test_value_has_one_encoding(was: bytes, now: bytes, position: int) -> None:
    """What is not in its shortest form, and its fields in their order, is no page of this format."""
    assert mixed().body.count(was) == 1
    damage = damage_in([bound(mixed(), mixed().body.replace(was, now))])

    assert damage.position == position
    assert "the one way" in damage.words


#: A row or header of this version with something that this version does not know, and the entry that is named.
UNKNOWN: dict[str, tuple[Callable[[list[Any]], None], int]] = {
    "format": (_changed(0, to=3), 1),
    "field of the page": (lambda fields: fields.append(0), 1),
    "missing field of the page": (lambda fields: fields.pop(), 1),
    "version": (lambda fields: fields[7][2][5].update(type="launch_called.2"), 3),
    "kind": (lambda fields: fields[7][2][5].update(type="ball_thrown.1"), 3),
    "field of the event": (lambda fields: fields[7][2][5].update(bonus=7), 3),
    "missing field of the event": (lambda fields: fields[7][2][5].pop("round"), 3),
    "type of a field": (lambda fields: fields[7][2][5].update(round="1"), 3),
    "kind of row": (_changed(7, 3, 0, to=2), 4),
    "field of a row": (lambda fields: fields[7][4].append(None), 5),
    "missing field of a row": (lambda fields: fields[7][4].pop(), 5),
    "negative index": (_changed(7, 1, 1, to=-1), 2),
    "longer cause": (_added(7, 1, 4, item=0), 2),
    "shorter digest": (_changed(7, 1, 4, 1, to=DIGEST[1:]), 2),
    "longer digest": (_changed(7, 1, 4, 1, to=DIGEST + b"\0"), 2),
    "text for a time": (_changed(7, 1, 2, to="0"), 2),
    "fraction for a time": (_changed(7, 1, 2, to=0.5), 2),
    "another change of bets": (_changed(6, 1, 1, to="bless"), 1),
    "field of an origin": (_added(5, 0, item=0), 1),
}


@pytest.mark.parametrize(("change", "position"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_entry_is_named_and_never_guessed_at(change: Callable[[list[Any]], object], position: int) -> None:
    """An entry that is bound rightly and not of a form that this version knows is told apart from damage."""
    fields = fields_of(mixed())
    change(fields)
    damage = damage_in([bound(mixed(), msgspec.msgpack.encode(fields))])

    assert isinstance(damage, UnknownEntryType)
    assert damage.position == position


@pytest.mark.parametrize("body", [b"", b"\x98", b"\xc1", mixed().body + b"\0", mixed().body[:-1], b"{}"])
def test_bytes_that_are_no_page_are_refused(body: bytes) -> None:
    """A body that ends too early or too late, or is something else, is not read."""
    assert isinstance(damage_in([bound(mixed(), body)]), UnknownEntryType)


def test_start_refuses_what_it_does_not_know() -> None:
    """A journal that a later version went on with is not gone on with by this one, and nothing is changed."""
    shift = Shift.founded()
    pages, mark = shift.store.stored, shift.run.writer.head
    first, second = entry(mark.position + 1), entry(mark.position + 2)
    page = page_after(mark, 1, [first, second])
    fields = fields_of(page)
    fields[7][1][5]["type"] = "launch_called.2"
    pages.append(bound(page, msgspec.msgpack.encode(fields), mark))

    with pytest.raises(UnknownEntryType) as caught:
        shift.again()

    assert caught.value.position == mark.position + 2
    assert (len(pages), shift.store.epoch) == (2, 1)


# The Merkle tree


def digests(count: int) -> list[bytes]:
    return [bytes([number]) * 32 for number in range(count)]


def root_of(leaves: list[bytes]) -> bytes:
    """Compute a root as RFC 9162 defines it, by the largest power of two below the number of leaves."""
    if len(leaves) == 1:
        return chain_digest(b"\0", leaves[0])
    left = max(1 << bit for bit in range(8) if 1 << bit < len(leaves))
    return chain_digest(b"\1" + root_of(leaves[:left]), root_of(leaves[left:]))


@pytest.mark.parametrize("count", range(1, 40))
def test_tree_is_the_one_of_the_standard(count: int) -> None:
    """The root that is built page by page is the one that the standard defines for all of them."""
    assert merkle_tree(digests(count)).root == root_of(digests(count))
    assert merkle_tree(digests(count)).size == count


def test_empty_tree_has_a_root() -> None:
    """The root over nothing is the SHA-256 of nothing."""
    assert MerkleTree().root.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("count", range(1, 20))
def test_path_leads_from_every_page_to_the_root(count: int) -> None:
    """A path is as short as the tree is high, and by the sides that index and size give it ends in the root."""
    for index in range(count):
        path = merkle_path(digests(count), index)
        assert len(path) <= (count - 1).bit_length()
        node, sides = chain_digest(b"\0", digests(count)[index]), _sides(index, count)
        for other, is_left in zip(path, sides, strict=True):
            node = chain_digest(b"\1" + (other if is_left else node), node if is_left else other)
        assert node == merkle_tree(digests(count)).root


def _sides(index: int, count: int) -> list[bool]:
    """Tell for each node of a path, the lowest first, whether it lies to the left."""
    if count == 1:
        return []
    left = 1 << (count - 1).bit_length() - 1
    return [*_sides(index - left, count - left), True] if index >= left else [*_sides(index, left), False]
