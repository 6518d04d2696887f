"""Document header and amounts."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from croupier.house import House
from croupier.house.credit.tickets import Ticket
from croupier.house.ids import SECOND, Day, Instant, TerminalId
from croupier.house.settings import Mode
from croupier.journal.entry import JournalHead
from croupier.reports.typesetting import GAP, Block, LabelledValue, Text, TextStyle
from croupier.rules.money import CENTS_PER_UNIT
from croupier.rules.refusal import Code, Refused

DEMO: Final = "DEMO - NO VALUE"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """The venue's part of every document: its name, time zone and mode."""

    venue: str
    timezone: str
    mode: Mode

    def date(self, at: Instant) -> str:
        return f"{self._here(at):%Y-%m-%d}"

    def time(self, at: Instant) -> str:
        """Write a time of day by 24 hours."""
        return f"{self._here(at):%H:%M:%S}"

    def moment(self, at: Instant) -> str:
        return f"{self.date(at)} {self.time(at)}"

    def titled(self, title: str) -> str:
        """Return the title for the foot of each page."""
        return f"{title} ({DEMO})" if self.mode is Mode.DEMO else title

    def heading(self, title: str, duplicate: int = 0) -> Iterator[Block]:
        """Begin a document with its banners, the venue and the title."""
        banners = tuple(self.banners(duplicate))
        yield from (*banners, GAP) if banners else ()
        yield Text(self.venue, TextStyle.BOLD)
        yield Text(title, TextStyle.LARGE)
        yield GAP

    def banners(self, duplicate: int = 0) -> Iterator[Block]:
        """Mark a duplicate, and a document of demo mode."""
        if duplicate:
            yield Text(f"DUPLICATE {duplicate}", TextStyle.BANNER)
        if self.mode is Mode.DEMO:
            yield Text(DEMO, TextStyle.BANNER)

    def _here(self, at: Instant) -> datetime:
        return (_EPOCH + timedelta(microseconds=at)).astimezone(ZoneInfo(self.timezone))


def journal_head_lines(head: JournalHead | None) -> Iterator[Block]:
    """Print the journal head: the printed document is then a witness of the journal up to it."""
    if head is not None:
        digest = head.digest.hex()
        yield LabelledValue("Journal", f"entry {head.position}, page {head.page}, epoch {head.epoch}")
        yield LabelledValue("Head", digest[: len(digest) // 2])
        yield LabelledValue("", digest[len(digest) // 2 :])


def day_text(day: Day) -> str:
    """Write a gaming day as a date."""
    return f"{day // 10_000:04}-{day // 100 % 100:02}-{day % 100:02}"


#: A receipt is printed with its payment. A receipt that is requested later is marked as a copy.
FRESH: Final = 60 * SECOND


def document_header(house: House) -> DocumentHeader:
    assert house.setup.mode is not None
    return DocumentHeader(house.setup.venue, house.setup.timezone, house.setup.mode)


def currency_at(house: House, terminal: TerminalId) -> str:
    return house.rulebook_at(house.terminals[terminal]).currency


def currency_of_ticket(house: House, ticket: Ticket) -> str:
    return house.rulebook_of(ticket).currency


def currencies(house: House) -> tuple[str, ...]:
    """List the house's currencies: a demo may have several."""
    return tuple(dict.fromkeys(table.rulebook.currency for table in house.tables.values()))


def copies(at: Instant, now: Instant) -> int:
    """Return how many copies of a receipt are assumed to be printed already, by its age."""
    return int(now - at > FRESH)


def no_record(says: str, **facts: object) -> Refused:
    return Refused(Code.UNKNOWN_RECORD, None, says, **facts)


_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"))

#: The currencies of the rulebooks, singular and plural. Any other is named by its code, and its parts "hundredths".
_NAMES: Final = {
    "AUD": ("Australian dollar", "Australian dollars"),
    "SGD": ("Singapore dollar", "Singapore dollars"),
    "USD": ("US dollar", "US dollars"),
}
_CENTS: Final = ("cent", "cents")
_HUNDREDTHS: Final = ("hundredth", "hundredths")


def number(cents: int) -> str:
    """Format an amount with thousands separators and both decimals, so that no digit can be added behind it."""
    units, rest = divmod(abs(cents), CENTS_PER_UNIT)
    return f"{'-' if cents < 0 else ''}{units:,}.{rest:02d}"


def figures(cents: int, currency: str) -> str:
    return f"{currency} {number(cents)}"


def words(cents: int, currency: str) -> str:
    """Spell out an amount, always with its currency."""
    assert cents >= 0
    units, rest = divmod(cents, CENTS_PER_UNIT)
    text = _counted(units, _NAMES.get(currency, (currency, currency)))
    if rest:
        text += f" and {_counted(rest, _CENTS if currency in _NAMES else _HUNDREDTHS)}"
    return text[0].upper() + text[1:]


def _counted(count: int, names: tuple[str, str]) -> str:
    return f"{spelled(count)} {names[count != 1]}"


def spelled(count: int) -> str:
    """Spell out an integer below 10**12."""
    assert 0 <= count < 10**12
    parts = []
    for scale, name in _SCALES:
        above, count = divmod(count, scale)
        if above:
            parts.append(f"{_below_thousand(above)} {name}")
    if not parts:
        return _below_thousand(count)
    if count:
        parts.append(_below_thousand(count) if count // 100 else f"and {_below_hundred(count)}")
    return " ".join(parts)


def _below_thousand(count: int) -> str:
    hundreds, rest = divmod(count, 100)
    if not hundreds:
        return _below_hundred(rest)
    return f"{_ONES[hundreds]} hundred" + (f" and {_below_hundred(rest)}" if rest else "")


def _below_hundred(count: int) -> str:
    if count < len(_ONES):
        return _ONES[count]
    tens, rest = divmod(count, 10)
    return _TENS[tens] + (f"-{_ONES[rest]}" if rest else "")
