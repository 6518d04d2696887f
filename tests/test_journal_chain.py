"""The chain: the form of an entry, what binds it to the one before, and every damage found at its first position."""

from collections.abc import Callable

import pytest

from croupier.house.events.rounds import LaunchCalled
from croupier.house.ids import Context, Day, DeviceId, Instant, PersonId, RoundNumber, TableId
from croupier.journal.disk import JournalCorrupt, UnknownEntryType
from croupier.journal.entry import (
    EMPTY_HEAD,
    Cause,
    Entry,
    IdempotencyKey,
    JournalHead,
    Page,
    chain_digest,
    decode,
    encode,
    page_after,
    verify_chain,
)
from tests.shift import Shift

NOW = Context(Instant(5), DeviceId("wheel"), PersonId("dealer"))
LAUNCH = LaunchCalled(TableId("table 1"), RoundNumber(1))
#: How many entries each page of the journal below has; the third and the last are a new run's.
PAGES = (2, 3, 1, 2)
EPOCHS = (1, 1, 2, 3)


def entry(position: int, epoch: int = 1) -> Entry:
    return Entry(position, epoch, Day(20261115), NOW, "ab12", None, LAUNCH)


def journal() -> list[Page]:
    """Write a small journal: eight entries on four pages."""
    mark, pages = EMPTY_HEAD, []
    for size, epoch in zip(PAGES, EPOCHS, strict=True):
        pages.append(page_after(mark, epoch, [entry(mark.position + n, epoch) for n in range(1, size + 1)]))
        mark = pages[-1].journal_head
    return pages


def raw(since: JournalHead, epoch: int, *bodies: bytes) -> Page:
    """Bind bodies, whatever they are, as the next page."""
    head, lines = since.digest, b""
    for body in bodies:
        head = chain_digest(head, body)
        lines += head.hex().encode() + b" " + body + b"\n"
    return Page(since.page + 1, epoch, since.position + 1, since.position + len(bodies), head, lines)


def damage_in(pages: list[Page], since: JournalHead = EMPTY_HEAD) -> JournalCorrupt:
    with pytest.raises(JournalCorrupt) as caught:
        list(verify_chain(pages, since))
    return caught.value


def test_form_of_an_entry() -> None:
    """An entry is one line of JSON with its fields in their order and nothing between them, today and always."""
    made = Entry(7, 2, Day(20261115), NOW, "ab12", Cause(IdempotencyKey(2, 31), "c0ffee"), LAUNCH)

    assert encode(made) == (
        b'{"position":7,"epoch":2,"day":20261115,"context":{"now":5,"device":"wheel","person":"dealer"},'
        b'"rulebook":"ab12","cause":[[2,31],"c0ffee"],'
        b'"event":{"type":"launch_called.1","table":"table 1","round":1}}'
    )
    assert decode(encode(made)) == made


def test_entry_is_on_one_line_whatever_it_says() -> None:
    """Line feeds and other controls in what people write are escaped, so that a line is an entry."""
    made = Entry(
        1, 1, Day(1), Context(Instant(1), DeviceId("a\nb\r\x1c\x85\u2028"), PersonId("\x00")), "", None, LAUNCH
    )
    page = page_after(EMPTY_HEAD, 1, [made])

    assert page.lines.count(b"\n") == 1
    assert [page.entries for page in verify_chain([page], EMPTY_HEAD)] == [[made]]


def test_form_of_a_page() -> None:
    """A page has a line for each entry: the digest that binds it to all before, a blank, and its body."""
    first, second = encode(entry(1)), encode(entry(2))
    one = chain_digest(bytes(32), first)
    two = chain_digest(one, second)

    page = page_after(EMPTY_HEAD, 1, [entry(1), entry(2)])

    assert page == Page(1, 1, 1, 2, two, b"%b %b\n%b %b\n" % (one.hex().encode(), first, two.hex().encode(), second))
    assert page.journal_head == JournalHead(2, 1, 1, two)


def test_entry_is_bound_to_all_before_it() -> None:
    """The digest of a journal changes with any entry, with their order, and with one that is left out."""
    first, second = encode(entry(1)), encode(entry(2))
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


def _lines(page: Page, lines: bytes) -> Page:
    return page._replace(lines=lines)


def _turned(page: Page, place: int) -> Page:
    """Change one bit of one byte of a page's lines."""
    lines = bytearray(page.lines)
    lines[place] ^= 1
    return _lines(page, bytes(lines))


def _on(number: int, change: Callable[[Page], Page]) -> Callable[[list[Page]], list[Page]]:
    return lambda pages: [change(page) if page.number == number else page for page in pages]


def _swapped(page: Page) -> Page:
    first, second, *rest = page.lines.splitlines(keepends=True)
    return _lines(page, b"".join((second, first, *rest)))


def _with_range(page: Page, first: int, last: int) -> Page:
    return _lines(page, b"".join(page.lines.splitlines(keepends=True)[first:last]))


#: What is done to the journal of eight entries, and the position at which that is found.
DAMAGES: dict[str, tuple[Callable[[list[Page]], list[Page]], int]] = {
    "first page missing": (lambda pages: pages[1:], 1),
    "page missing": (lambda pages: [pages[0], *pages[2:]], 3),
    "pages swapped": (lambda pages: [pages[0], pages[2], pages[1], pages[3]], 3),
    "page twice": (lambda pages: [pages[0], pages[1], pages[1], *pages[2:]], 6),
    "page of another number": (_on(2, lambda page: page._replace(number=7)), 3),
    "page of another first": (_on(2, lambda page: page._replace(first=4)), 3),
    "page of another last": (_on(2, lambda page: page._replace(last=6)), 6),
    "page of another head": (_on(2, lambda page: page._replace(head=bytes(32))), 6),
    "page of an earlier epoch": (_on(4, lambda page: page._replace(epoch=1)), 7),
    "page of a later epoch": (_on(3, lambda page: page._replace(epoch=3)), 6),
    "digest changed": (_on(2, lambda page: _turned(page, 0)), 3),
    "digest in capitals": (_on(2, lambda page: _lines(page, page.lines[:64].upper() + page.lines[64:])), 3),
    "blank changed": (_on(2, lambda page: _turned(page, 64)), 3),
    "body changed": (_on(2, lambda page: _turned(page, 80)), 3),
    "second body changed": (_on(2, lambda page: _turned(page, page.lines.index(b"\n") + 90)), 4),
    "last line feed gone": (_on(2, lambda page: _lines(page, page.lines[:-1])), 5),
    "line feed and return": (_on(2, lambda page: _lines(page, page.lines.replace(b"\n", b"\r\n"))), 3),
    "returns for line feeds": (_on(2, lambda page: _lines(page, page.lines.replace(b"\n", b"\r"))), 3),
    "empty line": (_on(2, lambda page: _lines(page, page.lines + b"\n")), 6),
    "rest without a line feed": (_on(2, lambda page: _lines(page, page.lines + b"7")), 6),
    "lines swapped": (_on(2, _swapped), 3),
    "line gone at the end": (_on(2, lambda page: _lines(page, b"".join(page.lines.splitlines(keepends=True)[:2]))), 5),
    "line gone at the start": (
        _on(2, lambda page: _lines(page, b"".join(page.lines.splitlines(keepends=True)[1:]))),
        3,
    ),
    "no lines": (_on(2, lambda page: _lines(page, b"")), 3),
    "lines of another page": (lambda pages: [pages[0], pages[1]._replace(lines=pages[2].lines), *pages[2:]], 3),
}


@pytest.mark.parametrize(("change", "position"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_found_where_it_is(change: Callable[[list[Page]], list[Page]], position: int) -> None:
    """Whatever is changed, left out or moved, the first position that is not as it was written is named."""
    damage = damage_in(change(journal()))

    assert damage.position == position
    assert str(damage).startswith(f"entry {position}: ")
    assert not isinstance(damage, UnknownEntryType)


def test_every_byte_of_a_page_is_held_against_its_digest() -> None:
    """There is no byte of a page that may be changed, by any bit, or left out without notice."""
    pages = journal()[:2]
    since, page = pages[0].journal_head, pages[1]
    changed = [
        _lines(page, page.lines[:place] + bytes([page.lines[place] ^ 1 << bit]) + page.lines[place + 1 :])
        for place in range(len(page.lines))
        for bit in range(8)
    ]
    cut = [_lines(page, page.lines[:place] + page.lines[place + 1 :]) for place in range(len(page.lines))]

    for each in (*changed, *cut):
        assert 3 <= damage_in([each], since).position <= 6


@pytest.mark.parametrize(("position", "epoch"), [(4, 1), (2, 1), (3, 2), (3, 0)])
def test_entry_must_be_what_its_place_says(position: int, epoch: int) -> None:
    """An entry that is bound rightly and says that it is another one, or another run's, is damage."""
    first = journal()[0]
    lying = raw(first.journal_head, 1, encode(entry(position, epoch)))

    assert damage_in([first, lying]).position == 3


#: An entry of this version with something that this version does not know.
UNKNOWN = {
    "version": (b"launch_called.1", b"launch_called.2"),
    "kind": (b"launch_called.1", b"ball_thrown.1"),
    "field of the event": (b'"table":', b'"bonus":7,"table":'),
    "field of the entry": (b'"day":', b'"night":1,"day":'),
    "field of the stamp": (b'"now":', b'"then":1,"now":'),
    "no JSON": (b'"position"', b"position"),
    "no text": (b"table 1", b"table \xff"),
    "missing field": (b',"rulebook":"ab12"', b""),
    "longer key": (b'"cause":null', b'"cause":[[1,2,3],"c0ffee"]'),
    "longer cause": (b'"cause":null', b'"cause":[[1,2],"c0ffee",0]'),
}


def unknown(was: bytes, now: bytes, since: JournalHead = EMPTY_HEAD) -> Page:
    """Write a page of two entries, the second of which nobody knows."""
    first, second = encode(entry(since.position + 1)), encode(entry(since.position + 2))
    assert was in second
    return raw(since, 1, first, second.replace(was, now))


@pytest.mark.parametrize(("was", "now"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_entry_is_named_and_never_guessed_at(was: bytes, now: bytes) -> None:
    """An entry that is bound rightly and not of a form that this version knows is told apart from damage."""
    damage = damage_in([unknown(was, now)])

    assert isinstance(damage, UnknownEntryType)
    assert damage.position == 2


def test_start_refuses_what_it_does_not_know() -> None:
    """A journal that a later version went on with is not gone on with by this one, and nothing is changed."""
    shift = Shift.founded()
    pages, mark = shift.store.stored, shift.run.writer.head
    pages.append(unknown(b"launch_called.1", b"launch_called.2", mark))

    with pytest.raises(UnknownEntryType) as caught:
        shift.again()

    assert caught.value.position == mark.position + 2
    assert (len(pages), shift.store.epoch) == (2, 1)
