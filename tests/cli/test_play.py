"""Playing in the terminal: a person chooses a venue, writes slips, watches the spin and the payments."""

import io

import pytest
from rich.console import Console

from croupier.cli.felt import TerminalGame, play_in_terminal, play_rounds, spin_frames
from croupier.cli.main import run
from croupier.rules.geometry import Pocket
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue


class Player:
    """Somebody who gives the answers on a list, and then leaves."""

    def __init__(self, *answers: str) -> None:
        self._answers = iter(answers)
        self.watched = 0

    def respond(self, _question: str) -> str | None:
        return next(self._answers, None)

    def watch(self, _seconds: float) -> None:
        self.watched += 1


def game(player: Player, book: Rulebook | None, *, result: str, watching: bool = False) -> str:
    """Play as the player does, the ball always coming to rest in one pocket, and give all that was shown."""
    screen = io.StringIO()
    console = Console(file=screen, width=120, force_terminal=watching, highlight=False)
    pause = player.watch if watching else None
    play_rounds(TerminalGame(console, player.respond, lambda _wheel: Pocket(result), pause), book)
    return screen.getvalue()


def test_round_is_played() -> None:
    """A slip is settled on the pocket where the ball rests, and the player leaves with the rest."""
    shown = game(Player("5 on 17; 10 on red"), venue("skycity-adelaide-2003"), result="17")

    assert "No More Bets" in shown
    assert "wins 35 to 1" in shown
    assert "staked 15 AUD, returned 180 AUD: up 165 AUD" in shown
    assert shown.endswith("You leave with 1165 AUD.\n")


def test_venue_is_chosen_by_number_or_id() -> None:
    """The venue is asked for until one is named, by its number or its id."""
    assert "Clearwater Casino, Electronic" in game(Player("0", "99", "what", "1", ""), None, result="17")
    assert "US double-zero table" in game(Player("us-double-zero"), None, result="17")


def test_nobody_to_ask_is_no_game() -> None:
    """Where nobody answers there is no game."""
    assert "You leave" not in game(Player(), None, result="17")


def test_refused_slip_is_requested_again() -> None:
    """A slip that cannot be read, is refused or costs too much is explained, and another is asked for."""
    slips = ("5 in 17", "5 on 17", "1 on voisins", "4 on 17; 2 on red")
    shown = game(Player(*slips), venue("us-double-zero"), result="18")

    assert "Expected 'on' after the amount" in shown
    assert "over the maximum of 4" in shown
    assert "does not offer 'voisins'" in shown
    assert "down 2 USD" in shown


def test_slip_beyond_the_credit_is_not_played() -> None:
    """More than the player has cannot be staked."""
    assert "more than you have" in game(Player("1000.01 on 17"), venue("clearwater-etg"), result="17")


@pytest.mark.clause("clearwater-etg", "13.a")
def test_opposite_bets_are_not_allowed() -> None:
    """At Clearwater a slip that can hardly win is not allowed."""
    assert "Bet not allowed" in game(Player("10 on red; 10 on black"), venue("clearwater-etg"), result="17")


def test_game_is_over_when_nothing_is_left() -> None:
    """A player who has lost everything is asked for no more slips."""
    assert "You leave with 0 SGD." in game(Player("1000 on red"), venue("marina-bay-sands-2020"), result="0")


def test_spin_runs_down_to_the_result() -> None:
    """The wheel is shown running ever slower until the winning pocket lies under the ball."""
    wheel = venue("marina-bay-sands-2020").wheel
    frames = list(spin_frames(wheel, Pocket("00")))
    delays = [delay for _, delay in frames]

    assert frames[-1][0].plain.split("▸")[1].split("◂")[0].strip() == "00"
    assert delays == sorted(delays)
    assert sum(delays) < 10


def test_spin_is_watched_in_a_terminal() -> None:
    """In a terminal the spin takes its time."""
    player = Player("1 on 17")
    game(player, venue("us-double-zero"), result="17", watching=True)

    assert player.watched == len(list(spin_frames(venue("us-double-zero").wheel, Pocket("17"))))


def test_play_reads_slips_from_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal the slips are read from standard input, and the end of it ends the game."""
    monkeypatch.setattr("sys.stdin", io.StringIO("1 on red\n"))

    assert run(["play", "us-double-zero"]) == 0
    assert "You leave with" in capsys.readouterr().out


def test_venue_is_requested_from_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a venue on the command line one is asked for."""
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n"))
    play_in_terminal(None)

    assert "Marina Bay Sands, Electronic" in capsys.readouterr().out


def test_slip_shown_as_an_example_can_be_played(rulebook: Rulebook) -> None:
    """The slip shown as an example at each venue can be played there."""
    assert "staked" in game(Player(rulebook.example), rulebook, result="17")


def test_pot_is_shown_and_paid() -> None:
    """The pot is shown before each slip, grows by half of what is lost on it, and is paid on its number."""
    lost = game(Player("5 on pot", "5 on pot; 10 on pot"), venue("generic-progressive"), result="7")
    assert [line for line in lost.splitlines() if "The pot" in line] == [
        "The pot: 50 EUR",
        "The pot: 52.50 EUR",
        "The pot: 60 EUR",
    ]

    won = game(Player("5 on pot", "5 on pot; 1 on 0"), venue("generic-progressive"), result="0")
    assert "staked 5 EUR, returned 55 EUR: up 50 EUR" in won
    assert "wins the pot" in won
    assert "The pot: 52.50 EUR" in won
    assert won.endswith(f"You leave with {1_000 + 50 + 52.5 + 35:.2f} EUR.\n")


def test_pot_that_is_due_is_won_on_any_number() -> None:
    """A pot that has reached its amount is shown with that amount, won on every number, and begins with its seed."""
    shown = game(Player("100 on pot", "100 on pot", "5 on pot"), venue("generic-progressive"), result="7")
    assert "The pot: 150 EUR" in shown
    assert "staked 5 EUR, returned 155 EUR: up 150 EUR" in shown
    assert "The pot: 52.50 EUR" in shown


def test_stake_in_prison_waits_for_the_next_spin() -> None:
    """A stake in prison is not credit: it is settled at the next spin, and half of it is released to one who leaves."""
    book = venue("generic-european-prison")
    held = game(Player("1000 on red"), book, result="0")
    assert "goes on to the next spin" in held
    assert "Of the spin before, 1000 EUR on red" in held
    left = game(Player("100 on red"), book, result="0")
    assert left.endswith(f"You leave with {900 + book.paytable.released(100)} EUR.\n")
