"""A round in the terminal: choose a venue, write a slip, watch the spin and the payments."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.text import Text

from croupier.cli.answer import console, refusal_text
from croupier.cli.tables import money, pocket_text, rulebooks, settlement
from croupier.devices.chance import draw
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rules.bet import staked
from croupier.rules.money import Cents
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import Occasion
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.settlement import settle_bets
from croupier.rules.slip import Bets, read_slip
from croupier.rules.wheel import Wheel

BUY_IN = Cents(100_000)


@dataclass(frozen=True)
class Parlour:
    """Where a game is played: somebody to ask, somewhere to show, a wheel to turn and time to watch it."""

    console: Console
    ask: Callable[[str], str | None]
    draw: Callable[[Wheel], Pocket]
    pause: Callable[[float], None] | None = None


with suppress(ImportError):
    import readline  # noqa: F401 - where it is there, the arrow keys work at the prompt


def play_in_terminal(book: Rulebook | None) -> None:
    """Play with whoever sits here; chance is the system's own."""
    screen = console()
    pause = time.sleep if screen.is_terminal and sys.stdin.isatty() else None
    play(Parlour(screen, _ask, lambda wheel: draw(wheel.order), pause), book)


def _ask(question: str) -> str | None:
    try:
        return input(question).strip()
    except (EOFError, KeyboardInterrupt):
        return None


def play(parlour: Parlour, book: Rulebook | None) -> None:
    """Play rounds until the player has had enough or has nothing left."""
    book = book or _choose_venue(parlour)
    if book is None:
        return
    show = parlour.console.print
    credit = BUY_IN
    show(Text.assemble("\n", (book.venue, "bold"), f", {book.title}. Play money only."))
    show(Text.assemble("A slip is written like this: ", (book.example, "yellow")))
    while credit > 0:
        bets = _ask_slip(parlour, book, credit)
        if bets is None:
            break
        pocket = parlour.draw(book.wheel)
        _show_spin(parlour, book, pocket)
        settled = settle_bets(bets, book.paytable, pocket)
        show(settlement(book, settled))
        credit = Cents(credit + settled.net)
    show(f"You leave with {money(credit, book)}.")


def _choose_venue(parlour: Parlour) -> Rulebook | None:
    books = [book for book in map(load_rulebook, rulebook_ids()) if isinstance(book, Rulebook)]
    parlour.console.print(rulebooks(books, numbered=True))
    while True:
        answer = parlour.ask(f"\nWhich venue? 1 to {len(books)}: ")
        if answer is None:
            return None
        if answer in map(str, range(1, len(books) + 1)):
            return books[int(answer) - 1]
        chosen = next((book for book in books if book.id == answer), None)
        if chosen is not None:
            return chosen


def _ask_slip(parlour: Parlour, book: Rulebook, credit: Cents) -> Bets | None:
    """Ask for a slip until it can be played; None where the player leaves instead."""
    while True:
        answer = parlour.ask(f"\nCredit {money(credit, book)}. Your slip, or nothing to leave: ")
        if not answer:
            return None
        bets = _playable(book, answer, credit)
        if not isinstance(bets, Text):
            return bets
        parlour.console.print(bets)


def _playable(book: Rulebook, slip: str, credit: Cents) -> Bets | Text:
    """Read a slip into bets, or say why it cannot be played."""
    bets = read_slip(book, slip)
    if isinstance(bets, Refusal):
        return refusal_text(bets)
    objection = book.risk_objection(bets)
    if objection is not None:
        return refusal_text(objection)
    if staked(bets) > credit:
        return Text(f"That is {money(staked(bets), book)}, more than you have.")
    return bets


def _show_spin(parlour: Parlour, book: Rulebook, pocket: Pocket) -> None:
    """Say that bets are closed and let the wheel run down to the pocket; without time to watch, only say so."""
    parlour.console.print(Text(f"\n{book.messages[Occasion.CLOSED].texts[0]}", style="bold"))
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
            strip.append_text(pocket_text(near) if near != under else Text.assemble("▸", pocket_text(near), "◂"))
            strip.append(" ")
        yield strip, 0.02 + 0.3 * (step / steps) ** 4
