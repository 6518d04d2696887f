"""Setting up: how a house, its tables, terminals and people come into the auditor's picture, and its gaming days."""

from collections.abc import Mapping
from typing import Final

from croupier.house.event import venue as place
from croupier.house.event.base import Event
from croupier.house.event.credit import TicketsExpired
from croupier.house.event.round import DayBegan
from croupier.house.name import DeviceId, TerminalId
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor.bounds import bounds_of
from croupier.rehearsal.auditor.felt import Felt
from croupier.rehearsal.auditor.finding import agree
from croupier.rehearsal.auditor.game import Table
from croupier.rehearsal.auditor.model import Model
from croupier.rehearsal.auditor.paper import history_accepted, lapsed
from croupier.rehearsal.auditor.rounds import Follower
from croupier.rehearsal.auditor.seat import Game, Seat, calls_of, channel_of
from croupier.rulebooks.canonical import read_canonical


def _founded(model: Model, event: place.HouseFounded, _stamp: Stamp) -> None:
    model.mode, model.ticket_days = event.mode, event.ticket_days


def _adopted(model: Model, event: place.RulebookAdopted, _stamp: Stamp) -> None:
    rulebook = read_canonical(event.canonical)
    agree("I3", "the digest of an adopted rulebook", event.digest, rulebook.digest)
    model.felts[event.digest] = Felt(rulebook)


def _table_added(model: Model, event: place.TableAdded, _stamp: Stamp) -> None:
    model.tables[event.table] = Table(event.table, model.felts[event.rulebook], event.settings)
    model.staff.devices.add(DeviceId(event.table))


def _terminal_added(model: Model, event: place.TerminalAdded, _stamp: Stamp) -> None:
    tables, settings = [model.tables[name] for name in event.tables], event.settings
    rulebook = tables[0].felt.rulebook
    games = {table.name: Game(bounds_of(table.felt, settings.limits or table.settings.limits)) for table in tables}
    channel, calls = channel_of(rulebook), calls_of(rulebook, settings.profile)
    model.seats[event.terminal] = Seat(event.terminal, settings, channel, calls, games, settings.denominations[0])
    for table in tables:
        table.seats.append(event.terminal)
    model.staff.devices.add(DeviceId(event.terminal))


def _device(model: Model, event: place.DeviceEnrolled, _stamp: Stamp) -> None:
    model.staff.devices.add(event.device)


def _released(model: Model, event: place.DeviceReleased, _stamp: Stamp) -> None:
    model.staff.devices.remove(event.device)
    seat = model.seats.get(TerminalId(event.device))
    if seat is not None:
        seat.dark = False


def _staff(model: Model, event: Event, _stamp: Stamp) -> None:
    model.staff.learn(event)


def _settings(model: Model, event: place.SettingsChanged, _stamp: Stamp) -> None:
    model.tables[event.table].next_settings = event.settings


def _rulebook(model: Model, event: place.RulebookChanged, _stamp: Stamp) -> None:
    model.tables[event.table].next_felt = model.felts[event.rulebook]


def _day(model: Model, event: DayBegan, _stamp: Stamp) -> None:
    model.day = event.day
    model.lapsing = lapsed(model, event.day)


def _expired(model: Model, event: TicketsExpired, _stamp: Stamp) -> None:
    agree("I5", f"{event} lapses", set(event.sequences), model.lapsing)
    for number in event.sequences:
        model.desk.tickets[number].state = "expired"
    model.lapsing = set()


VENUE: Final[Mapping[type[Event], Follower]] = {
    place.HouseFounded: _founded,
    place.RulebookAdopted: _adopted,
    place.TableAdded: _table_added,
    place.TerminalAdded: _terminal_added,
    place.DeviceEnrolled: _device,
    place.DeviceReleased: _released,
    place.PersonEnrolled: _staff,
    place.PersonReleased: _staff,
    place.ActingAppointed: _staff,
    place.SettingsChanged: _settings,
    place.RulebookChanged: _rulebook,
    place.HistoryAccepted: history_accepted,
    DayBegan: _day,
    TicketsExpired: _expired,
}
