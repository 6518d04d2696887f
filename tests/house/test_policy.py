"""Policy and replay: what a decision computed is in its events, so replay under another policy gives the same state."""

from collections.abc import Callable
from typing import NoReturn

import pytest
from msgspec.structs import replace

from croupier.house import House, evolve
from croupier.house.credit import held_wins
from croupier.house.credit.held_wins import HoldCause
from croupier.house.credit.tickets import Collect, TicketIssued, Validation
from croupier.house.declare import Event
from croupier.house.floor import malfunctions
from croupier.house.floor.malfunctions import BetsConfirmed, ConfirmBets, RaiseMalfunction
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, Context, DeviceId, Number, PersonId, RoundNumber, TerminalId
from croupier.house.rounds import irregularities, recovery, settlement
from croupier.house.rounds.corrections import CorrectResult, HeldWinRevised
from croupier.house.rounds.irregularities import CallNoSpin, SpinVoided
from croupier.house.rounds.recovery import AcceptHistory, HistoryAccepted
from croupier.house.rounds.referrals import DecideReferral, ReferralDecided, ReferralDecision, ReferRound
from croupier.house.rounds.settlement import WinHeld
from croupier.house.settings import TableSettings
from croupier.house.state.records import MalfunctionKind
from croupier.house.verification import state_digest
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason, TaxBasis
from tests.support.house_driver import TABLE, Play

ADELAIDE, CLEARWATER, US = "skycity-adelaide-2003", "clearwater-etg", "us-double-zero"
T1, ONE, MINUTE = TerminalId("T1"), Number(1), 60 * SECOND


def forbidden(*_arguments: object, **_options: object) -> NoReturn:
    """A policy that replay must not ask for."""
    raise AssertionError


def respin() -> Play:
    """A spin that does not count at a timed table, where the stakes stay up for the next."""
    play = Play(US, TableSettings(betting_s=60))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "5 on 17")
    play.at(10)
    play.spin()
    play.by(play.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    return play


def win(basis: TaxBasis | None = None) -> Play:
    """A win that needs a tax form, 1260 on every stake of 35."""
    play = Play(CLEARWATER, TableSettings(tax_basis=basis))
    play.seats(T1=1_000)
    play.round("17", T1="35 on 17; 40 on 18")
    return play


def correction() -> Play:
    """A win that is held, and another number by which there is a higher win: the difference is held too."""
    play = win()
    play.enrol("Supervisor", "second")
    for proposal, pocket in enumerate(("18", "17", "20"), start=1):
        play.by("supervisor", CorrectResult(TABLE, RoundNumber(1), Pocket(pocket), "it lay there"))
        play.by("second", Approve(Number(proposal)))
    return play


def confirmation() -> Play:
    """Bets that were in question at the settlement, and are confirmed by the record."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.INTERRUPTED, "dark"))
    play.spin()
    play.rest("17")
    assert play.table.round is not None
    play.by("dealer", ConfirmBets(ONE, play.table.round.digest))
    return play


def older_copy() -> Play:
    """A house that goes on from an older copy of its journal."""
    play = Play(ADELAIDE)
    people = PersonId("one"), PersonId("two")
    for person in people:
        play.enrol("Shift Manager", person)
    play.must(AcceptHistory(7, people, "the disk is lost"))
    return play


@pytest.mark.parametrize(
    ("story", "kind", "policies"),
    [
        (respin, SpinVoided, [(irregularities, "timetable")]),
        (win, WinHeld, [(settlement, "held_win_events"), (held_wins, "form_due"), (held_wins, "bases")]),
        (correction, HeldWinRevised, [(settlement, "held_win_events"), (held_wins, "form_due"), (held_wins, "bases")]),
        (confirmation, BetsConfirmed, [(malfunctions, "_by_record"), (malfunctions, "held_win_events")]),
        (older_copy, HistoryAccepted, [(recovery, "SPARE")]),
    ],
)
def test_replay_asks_for_no_policy(
    monkeypatch: pytest.MonkeyPatch,
    story: Callable[[], Play],
    kind: type[Event],
    policies: list[tuple[object, str]],
) -> None:
    """Replay gives the same state without the policy that decided: its outcome is in the event."""
    play = story()
    assert any(isinstance(event, kind) for event in play.events)
    for place, name in policies:
        monkeypatch.setattr(place, name, forbidden)
    assert state_digest(play.journal.replay(House.new(read_canonical))) == state_digest(play.house)


def test_respin_says_when_betting_closes() -> None:
    """A spin that was called off ten seconds into a minute of betting opens another minute, by the event."""
    play = respin()
    (voided,) = (event for event in play.events if isinstance(event, SpinVoided))
    assert play.table.round is not None
    assert voided.closes_at == play.table.round.closes_at == play.now + MINUTE


@pytest.mark.parametrize("basis", [None, TaxBasis.GROSS, TaxBasis.NET_OF_WINNING_STAKES])
def test_held_win_is_an_event(basis: TaxBasis | None) -> None:
    """A win that is held follows its settlement as an event, with its amount and every basis that it was counted on."""
    play = win(basis)
    (held,) = (event for event in play.events if isinstance(event, WinHeld))
    assert (held.terminal, held.hold, held.table, held.round) == (T1, 1, TABLE, 1)
    assert (held.cause, held.amount, held.clause) == (HoldCause.SETTLEMENT, 1_260_00, "22")
    assert held.basis is (basis or TaxBasis.NET_OF_WINNING_STAKES)
    counted = {basis.value: counted for basis, counted in held.bases}
    assert counted == play.house.terminals[T1].holds[ONE].bases
    assert play.house.terminals[T1].recall[-1].credit == play.house.terminals[T1].credit == 925_00


def test_correction_holds_the_difference_and_revises_what_is_held() -> None:
    """By 18 another 180 are held, by 17 again they are taken off, and by 20 nothing is left to be held."""
    play = correction()
    held = [event for event in play.events if isinstance(event, WinHeld)]
    assert [(event.cause, event.amount) for event in held] == [
        (HoldCause.SETTLEMENT, 1_260_00),
        (HoldCause.CORRECTION, 180_00),
    ]
    revised = [event for event in play.events if isinstance(event, HeldWinRevised)]
    assert [(event.hold, event.amount, event.held) for event in revised] == [
        (1, 1_080_00, True),
        (2, 180_00, True),
        (1, 0, False),
        (2, 0, False),
    ]
    assert (play.credit("T1"), play.house.terminals[T1].holds) == (925, {})
    play.check()


@pytest.mark.parametrize(("after", "closes"), [(30, True), (90, False)])
def test_referral_says_whether_betting_still_closes_by_itself(after: int, *, closes: bool) -> None:
    """A round that goes on within its betting time keeps its timer, and one that goes on later has none."""
    play = Play(ADELAIDE, TableSettings(betting_s=60))
    play.open()
    assert play.table.round is not None
    closes_at = play.table.round.closes_at
    play.by("inspector", ReferRound(TABLE, "a doubt"))
    play.at(after)
    play.by("shift manager", DecideReferral(TABLE, ReferralDecision.GO_ON, "no doubt"))
    (decided,) = (event for event in play.events if isinstance(event, ReferralDecided))
    assert decided.closes_at == play.table.round.closes_at == (closes_at if closes else None)
    play.check()


@pytest.mark.parametrize("ends", [True, False])
def test_ticket_says_whether_it_ends_the_session(*, ends: bool) -> None:
    """Whether a session ends with the ticket is what the event says, whatever lies on the layout."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    issued, *_ = play.must(Collect(T1, Validation(ONE, "digest 1", "0001")), DeviceId(T1))
    assert isinstance(issued, TicketIssued)
    assert issued.ends_session

    again = Play(ADELAIDE)
    again.seats(T1=100)
    evolve(again.house, replace(issued, ends_session=ends), Context(again.now, DeviceId(T1)))
    assert again.house.terminals[T1].session == ends


def test_correction_leaves_the_held_win_of_another_round() -> None:
    """What a correction takes back comes from the credits, not from the held win of another round."""
    play = Play(CLEARWATER)
    play.seats(T1=1_000)
    play.round("17", T1="10 on 17")
    play.round("17", T1="35 on 17")
    play.enrol("Supervisor", "second")
    play.by("supervisor", CorrectResult(TABLE, RoundNumber(1), Pocket("20"), "it lay there"))
    play.by("second", Approve(Number(1)))

    holds = play.house.terminals[T1].holds.values()
    assert [(hold.round, hold.amount) for hold in holds] == [(2, 1_260_00)]
    assert play.credit("T1") == 1_000 - 10 - 35
    play.check()
