"""The saboteur: stolen devices, old and altered messages, past rounds, impossible stakes, strangers, and clocks set."""

from typing import Final

from msgspec.structs import replace

from croupier.engine.asked import Asked
from croupier.house.command import play, round, venue  # noqa: A004 - the casino's word
from croupier.house.name import SECOND, DeviceId, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.journal.entry import Key
from croupier.rehearsal.cast.player import game
from croupier.rehearsal.playbill import console_of
from croupier.rehearsal.stage import WORDS, Menu, Stage
from croupier.rules.staff import Duty

HOUR: Final = 3_600 * SECOND
TEN_YEARS: Final = 3_652 * 24 * HOUR
SETTINGS: Final = (HOUR, -HOUR, TEN_YEARS, -TEN_YEARS, SECOND, -SECOND)
#: The edges of every whole number that somebody might count in.
STAKES: Final = (-1, 0, 1, -100, 2**31, 2**53, 2**63 - 1, -(2**63), 10**400)
MANY: Final = 40


def play_back(stage: Stage) -> None:
    """Send again what was overheard, as it was."""
    if stage.overheard:
        stage.network.send(stage.any(stage.overheard[-MANY:]))


def alter(stage: Stage) -> None:
    """Send other words under a key that was overheard."""
    if stage.overheard:
        asked = stage.any(stage.overheard[-MANY:])
        here = game(stage)
        stage.network.send(replace(asked, command=play.PlaceBets(*here, (("17", 100),))))


def bet_on_the_past(stage: Stage) -> None:
    """Bet, or take a bet back, in a round or spin that is over."""
    seat, table, number, spin = game(stage)
    past = seat, table, RoundNumber(number - stage.any((0, 1, 2))), spin - stage.any((0, 1))
    stage.ask(seat, stage.one_of(play.PlaceBets(*past, (("17", 100),)), play.ClearBets(*past), play.UndoBet(*past)))


def stake_nonsense(stage: Stage) -> None:
    here, stake = game(stage), stage.any(STAKES)
    stage.ask(here[0], play.PlaceBets(*here, (("17", stake),)))


def be_a_stranger(stage: Stage) -> None:
    """Ask from a device, for a terminal or at a table that is not there."""
    seat, table, number, spin = game(stage)
    nobody, key = DeviceId("stranger"), Key(stage.machine.disk.epoch, stage.rng.randrange(1, 10**6))
    bets = (("17", 100),)
    command = stage.one_of(
        play.PlaceBets(seat, table, number, spin, bets),
        play.PlaceBets(TerminalId("stranger"), table, number, spin, bets),
        play.PlaceBets(seat, TableId("stranger"), number, spin, bets),
        round.BallAtRest(table, stage.pocket()),
    )
    if stage.chance(50):
        stage.network.send(Asked(command, nobody, PersonId(""), key))
    else:
        stage.ask(seat, command)


def steal_device(stage: Stage) -> None:
    """Ask for what is staff's to do from a terminal, or for another's chips, or as somebody at the wrong console."""
    here, other, table = game(stage), stage.seat(), stage.any(stage.bill.tables)
    person = stage.any(stage.bill.people)[0]
    stage.ask(other, play.PlaceBets(*here, (("red", 100),)))
    stage.ask(other, round.OpenBets(table), person)
    stage.ask(console_of(person), round.BallAtRest(table, stage.pocket()))
    stage.ask(table, play.ClearBets(*here))


def sign_twice(stage: Stage) -> None:
    """Propose something and sign it oneself, elsewhere."""
    manager, number = stage.any(stage.bill.staff(Duty.MANAGE)), stage.house.proposed
    stage.ask(
        console_of(manager), venue.ChangeSettings(stage.any(stage.bill.tables), stage.bill.settings, WORDS), manager
    )
    for proposal in stage.house.proposals.values():
        stage.ask(stage.any(list(stage.clients)), venue.Approve(proposal.number), proposal.person)
    stage.ask(console_of(manager), venue.Approve(Number(number + 1)), manager)


def set_clock(stage: Stage) -> None:
    stage.time.set_wall(stage.any(SETTINGS))


def fill_disk(stage: Stage) -> None:
    """Leave the disk no room for new bets, until somebody sees to it."""
    stage.machine.room = False


MENU: Final[Menu] = {
    play_back: 10,
    alter: 5,
    bet_on_the_past: 6,
    stake_nonsense: 5,
    be_a_stranger: 4,
    steal_device: 3,
    sign_twice: 2,
    set_clock: 3,
    fill_disk: 1,
}
