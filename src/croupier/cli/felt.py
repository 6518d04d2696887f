"""The commands felt and play: the layout as text and as SVG, and rounds played in a terminal."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import click
from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from croupier.cli import rules_output
from croupier.cli.group import json_option
from croupier.cli.output import console, give, prompt, refusal_text
from croupier.cli.rules import open_rulebook, rulebook_argument
from croupier.cli.rules_output import (
    POCKET_STYLE,
    money,
    pays_text,
    pocket_text,
    settlement_table,
)
from croupier.devices.random_source import draw, words
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rules.geometry import Area, ChipPosition, Colour, Pocket, Wheel
from croupier.rules.money import Cents
from croupier.rules.multipliers import NO_MULTIPLES, Multiples, multiples_text
from croupier.rules.notation import Bets, read_slip
from croupier.rules.pricing import SettledBet, settle_bets, staked
from croupier.rules.procedure import MessageKind
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook


@click.command()
@rulebook_argument
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw into an SVG file.")
@json_option
def felt(rulebook: str, svg: Path | None) -> None:
    """Draw the layout with every spot marked."""
    book = open_rulebook(rulebook)
    if svg is not None:
        try:
            svg.write_text(felt_svg(book), "utf-8")
        except OSError as error:
            message = f"{svg} cannot be written: {error.strerror}"
            raise click.BadParameter(message, param_hint="'--svg'") from error
    give(rules_output.felt(book), lambda: felt_text(book) if svg is None else f"Drawn into {svg}.")


@click.command()
@click.argument("rulebook", metavar="[RULEBOOK]", required=False)
def play(rulebook: str | None) -> None:
    """Play rounds in this terminal: choose a venue, enter a slip, see the spin and the payments."""
    play_in_terminal(None if rulebook is None else open_rulebook(rulebook))


MARK = "•"
RING = "○"

Canvas = dict[tuple[int, int], tuple[str, str]]


def _areas(book: Rulebook) -> Iterator[tuple[str, Area, str]]:
    """Yield each printed area with its words and its colour, the cells first."""
    for cell in book.layout.cells:
        yield cell.pocket, cell.area, book.wheel.colour(cell.pocket)
    for box in book.layout.boxes:
        yield box.label, box.area, box.bet if str(box.bet) in tuple(Colour) else ""


def _extent(book: Rulebook) -> Area:
    """Return the bounds of the drawing, including second places for spots."""
    areas = [area for _, area, _ in _areas(book)] + [alias.area for alias in book.aliases]
    along = [edge for area in areas for edge in area.along]
    across = [edge for area in areas for edge in area.across]
    return Area((min(along), max(along)), (min(across), max(across)))


def felt_text(book: Rulebook) -> Text:
    """Draw with characters: a cell is five wide and four high, the zeros at the left, the dozens below."""
    canvas: Canvas = {}
    areas = list(_areas(book))
    extent = _extent(book)
    left, top = extent.along[0], extent.across[1]

    def place(along: int, across: int) -> tuple[int, int]:
        return (along - left) * 5 // 4, top - across

    for label, area, tint in areas:
        _frame(canvas, place(area.along[0], area.across[1]), place(area.along[1], area.across[0]))
        # The words are above the middle, which belongs to the chip.
        (x, _), (end, _), (_, y) = place(area.along[0], 0), place(area.along[1], 0), place(0, area.middle.across + 1)
        inner = end - x - 1
        words = label if len(label) <= inner else label.replace(" to ", ":")
        for step, letter in enumerate(words.center(inner)):
            canvas[x + 1 + step, y] = (letter, POCKET_STYLE[Colour(tint)] if tint else "bold")
    for spot in book.spots.values():
        canvas[place(spot.anchor.along, spot.anchor.across)] = (MARK, "bold yellow")
    for alias in book.aliases:
        canvas[place(alias.area.middle.along, alias.area.middle.across)] = (RING, "bold yellow")
    return Text.assemble(_drawn(canvas), f"{len(book.spots)} spots, each marked {MARK}", *_alias_words(book))


def _alias_words(book: Rulebook) -> Iterator[str]:
    for alias in book.aliases:
        yield f"\n{RING} {alias.label}: a second place for {alias.spot}"


def _frame(canvas: Canvas, start: tuple[int, int], end: tuple[int, int]) -> None:
    for x in range(start[0], end[0] + 1):
        for y in range(start[1], end[1] + 1):
            if x in (start[0], end[0]) and y in (start[1], end[1]):
                canvas[x, y] = ("+", "dim")
            elif y in (start[1], end[1]):
                canvas.setdefault((x, y), ("-", "dim"))
            elif x in (start[0], end[0]):
                canvas[x, y] = ("|", "dim")


def _drawn(canvas: Canvas) -> Text:
    text = Text()
    width = max(x for x, _ in canvas)
    for y in range(min(y for _, y in canvas), max(y for _, y in canvas) + 1):
        for x in range(width + 1):
            letter, style = canvas.get((x, y), (" ", ""))
            text.append(letter, style=style)
        text.append("\n")
    return text


QUARTER = 17
SMALL, LARGE = 15, 20
#: No number has more digits: longer texts are words, in a smaller size.
NUMBER_WIDTH = 2
MARGIN = 34
FILLS = {Colour.RED: "#b81027", Colour.BLACK: "#17181c", Colour.GREEN: "#076b33", "": "none"}
INK = "#f4efe0"
LINE = "#e9e2c8"
GOLD = "#e3b95b"
FONT = "Helvetica Neue, Arial, Liberation Sans, Roboto, Noto Sans, sans-serif"


def felt_svg(book: Rulebook) -> str:
    """Draw an SVG: the printed layout, and a gold mark at each spot's chip position, with its name as a tooltip."""
    areas = list(_areas(book))
    extent = _extent(book)
    (left, right), (foot, top) = extent.along, extent.across
    width, height = (right - left) * QUARTER + 2 * MARGIN, (top - foot) * QUARTER + 2 * MARGIN + 2 * QUARTER

    def place(along: int, across: int) -> tuple[int, int]:
        return (along - left) * QUARTER + MARGIN, (top - across) * QUARTER + MARGIN

    name = f"{escape(book.venue)}: the layout and its {len(book.spots)} spots"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        f'  font-family="{FONT}" role="img" aria-label="{name}">',
        '<defs><radialGradient id="cloth" cy="0.35" r="0.9"><stop stop-color="#13724c"/>',
        '<stop offset="0.6" stop-color="#0d5839"/><stop offset="1" stop-color="#083c27"/></radialGradient></defs>',
        f'<rect width="{width}" height="{height}" rx="18" fill="url(#cloth)"/>',
    ]
    for label, area, tint in areas:
        parts += _svg_area(label, place(area.along[0], area.across[1]), place(area.along[1], area.across[0]), tint)
    for mark, anchor, ring in _svg_marks(book):
        x, y = place(anchor.along, anchor.across)
        look = f'fill="none" stroke="{GOLD}" stroke-width="2"' if ring else f'fill="{GOLD}" stroke="#241a04"'
        parts.append(f'<circle cx="{x}" cy="{y}" r="4.5" {look}><title>{escape(mark)}</title></circle>')
    legend = f"{book.venue}: {len(book.spots)} spots, each marked where its chip lies"
    legend += "".join(f"; the ring is the {alias.label}, a second place for {alias.spot}" for alias in book.aliases)
    parts.append(_svg_text(legend, MARGIN, height - MARGIN // 2, size=14, align="start"))
    return "\n".join([*parts, "</svg>", ""])


def _svg_marks(book: Rulebook) -> Iterator[tuple[str, ChipPosition, bool]]:
    for spot in book.spots.values():
        price = book.paytable.prices[spot.kind]
        yield f"{price.label} {spot.key} · {pays_text(book, spot.kind, price.pays)}", spot.anchor, False
    for alias in book.aliases:
        yield f"{alias.label} · {alias.spot}", alias.area.middle, True


def _svg_area(label: str, start: tuple[int, int], end: tuple[int, int], tint: str) -> Iterable[str]:
    (x, y), (right, foot) = start, end
    fill = FILLS[Colour(tint) if tint else ""]
    yield f'<rect x="{x}" y="{y}" width="{right - x}" height="{foot - y}" rx="3" fill="{fill}" stroke="{LINE}"/>'
    # The words are above the middle, which belongs to the chip.
    yield _svg_text(
        label, (x + right) // 2, (y + foot) // 2 - QUARTER // 2, size=SMALL if len(label) > NUMBER_WIDTH else LARGE
    )


def _svg_text(words: str, x: int, y: int, *, size: int, align: str = "middle") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="700" fill="{INK}" text-anchor="{align}">'
        f"{escape(words)}</text>"
    )


BUY_IN = Cents(100_000)


@dataclass(frozen=True)
class TerminalGame:
    """The environment of a game: the prompt, the console, the wheel and the pause for its animation."""

    console: Console
    ask: Callable[[str], str | None]
    draw: Callable[[Wheel], Pocket]
    pause: Callable[[float], None] | None = None


with suppress(ImportError):
    import readline  # noqa: F401 - if present, the arrow keys work at the prompt


def play_in_terminal(book: Rulebook | None) -> None:
    """Play with the user of this terminal; numbers come from the system's random source."""
    screen = console()
    pause = time.sleep if screen.is_terminal and sys.stdin.isatty() else None
    play_rounds(TerminalGame(screen, prompt, lambda wheel: draw(wheel.order), pause), book)


@dataclass
class _Session:
    """What a player has, the pot that is played for, and the stakes that go on to the next spin."""

    book: Rulebook
    credit: Cents = BUY_IN
    pot: int = 0
    carried: tuple[SettledBet, ...] = ()

    def __post_init__(self) -> None:
        """Begin with the seed of the pot, where there is one."""
        rules = self.book.paytable.progressive
        self.pot = 0 if rules is None else rules.seed

    def play(self, bets: Bets, pocket: Pocket, multiples: Multiples) -> Iterator[RenderableType]:
        """Settle the slip and what was carried to this spin, and say what comes of both."""
        paytable, rules = self.book.paytable, self.book.paytable.progressive
        stakes = [bet.stake for bet in bets if rules is not None and bet.spot.kind == rules.kind]
        pot = rules.played_for(self.pot, sum(stakes)) if rules is not None and stakes else None
        settled = settle_bets(bets, paytable, pocket, multiples, pot)
        yield settlement_table(self.book, settled)
        if pot is not None and rules is not None:
            won = any(each.won for each in settled.bets if each.bet.spot.kind == rules.kind)
            self.pot = (rules.seed if won else self.pot) + sum(rules.contributed(stake)[0] for stake in stakes)
        waits = [each for each in settled.bets if each.carried]
        self.credit = Cents(self.credit + settled.returned - settled.staked)
        for each in self.carried:
            stake = Cents(each.carried)
            outcome = paytable.outcome(each.bet.spot, stake, pocket, multiples, carried=True)
            self.credit = Cents(self.credit + outcome.returned)
            waits += [replace(each, carried=outcome.carried)] if outcome.carried else []
            fate = "goes on" if outcome.carried else f"returns {money(Cents(outcome.returned), self.book)}"
            yield f"Of the spin before, {money(stake, self.book)} on {each.bet.spot.key} {fate}."
        self.carried = tuple(waits)

    def leave(self) -> Cents:
        """Return the credit, and what is released of stakes that await another spin."""
        return Cents(self.credit + sum(self.book.paytable.released(each.carried) for each in self.carried))


def play_rounds(parlour: TerminalGame, book: Rulebook | None) -> None:
    """Play rounds until the player quits or has nothing left."""
    book = book or _choose_venue(parlour)
    if book is None:
        return
    show, session = parlour.console.print, _Session(book)
    rules = book.paytable.progressive
    show(Text.assemble("\n", (book.venue, "bold"), f", {book.title}. Play money only."))
    show(Text.assemble("A slip is written like this: ", (book.example, "yellow")))
    while session.credit > 0 or session.carried:
        if rules is not None:
            shown = money(Cents(rules.played_for(session.pot, 1).amount), book)
            show(Text.assemble("\nThe pot: ", (shown, "bold yellow")))
        # One whose whole credit goes on to the next spin waits for it without a bet.
        bets = _ask_slip(parlour, book, session.credit) if session.credit > 0 else ()
        if bets is None:
            break
        drawn = book.paytable.multipliers
        multiples = NO_MULTIPLES if drawn is None else drawn.drawn(book.wheel.order, words())
        if multiples:
            show(Text.assemble("Drawn: ", (multiples_text(multiples), "bold yellow")))
        pocket = parlour.draw(book.wheel)
        _show_spin(parlour, book, pocket)
        for line in session.play(bets, pocket, multiples):
            show(line)
    show(f"You leave with {money(session.leave(), book)}.")


def _choose_venue(parlour: TerminalGame) -> Rulebook | None:
    ledger = [book for book in map(load_rulebook, rulebook_ids()) if isinstance(book, Rulebook)]
    parlour.console.print(rules_output.rulebooks(ledger, numbered=True))
    while True:
        answer = parlour.ask(f"\nWhich venue? 1 to {len(ledger)}: ")
        if answer is None:
            return None
        if answer in map(str, range(1, len(ledger) + 1)):
            return ledger[int(answer) - 1]
        chosen = next((book for book in ledger if book.id == answer), None)
        if chosen is not None:
            return chosen


def _ask_slip(parlour: TerminalGame, book: Rulebook, credit: Cents) -> Bets | None:
    """Prompt for a slip until it can be played; None when the player quits."""
    while True:
        answer = parlour.ask(f"\nCredit {money(credit, book)}. Your slip, or nothing to leave: ")
        if not answer:
            return None
        bets = _playable(book, answer, credit)
        if not isinstance(bets, Text):
            return bets
        parlour.console.print(bets)


def _playable(book: Rulebook, slip: str, credit: Cents) -> Bets | Text:
    """Parse a slip into bets, or return why it cannot be played."""
    bets = read_slip(book, slip)
    if isinstance(bets, Refusal):
        return refusal_text(bets)
    objection = book.risk_objection(bets)
    if objection is not None:
        return refusal_text(objection)
    if staked(bets) > credit:
        return Text(f"That is {money(staked(bets), book)}, more than you have.")
    return bets


def _show_spin(parlour: TerminalGame, book: Rulebook, pocket: Pocket) -> None:
    """Announce that bets are closed and animate the wheel; without a pause, only announce it."""
    parlour.console.print(Text(f"\n{book.messages[MessageKind.CLOSED].texts[0]}", style="bold"))
    if parlour.pause is None:
        return
    with Live(console=parlour.console, auto_refresh=False) as live:
        for window, delay in spin_frames(book.wheel, pocket):
            live.update(window, refresh=True)
            parlour.pause(delay)


def spin_frames(wheel: Wheel, pocket: Pocket) -> Iterator[tuple[Text, float]]:
    """Show the pockets passing under the ball, ever slower, until the winning one lies there."""
    steps = len(wheel.order) + 20
    landing = wheel.order.index(pocket)
    for step in range(steps + 1):
        under = wheel.order[(landing - steps + step) % len(wheel.order)]
        strip = Text("   ")
        for near in wheel.neighbours(under, each_side=5):
            shown = pocket_text(near, wheel)
            strip.append_text(shown if near != under else Text.assemble("▸", shown, "◂"))
            strip.append(" ")
        yield strip, 0.02 + 0.3 * (step / steps) ** 4
