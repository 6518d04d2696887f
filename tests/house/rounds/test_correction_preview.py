"""Correction previews: the exact amounts a correction or an invalidation would move, without changing state."""

import pytest

from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SYSTEM, Context, DeviceId, Number, PersonId, RoundNumber, TerminalId
from croupier.house.rounds.corrections import (
    CorrectionPreview,
    CorrectResult,
    InvalidateOutcome,
    TerminalMoney,
    preview_correction,
)
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings
from croupier.house.verification import state_digest
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from tests.support.engine_driver import raised_code
from tests.support.house_driver import TABLE, Play
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, ORDER

WIDE = TableSettings(limits=LimitSettings(LimitBounds(most=Cents(1_000_000))))


def shown(floor: Play, round_: int, pocket: str) -> CorrectionPreview:
    before = state_digest(floor.house)
    trial = preview_correction(
        floor.house, CorrectResult(TABLE, RoundNumber(round_), Pocket(pocket), ""), Context(floor.now, SYSTEM)
    )
    assert state_digest(floor.house) == before
    return trial


def money(floor: Play, seat: str, session: int) -> TerminalMoney:
    terminal = floor.house.terminals[TerminalId(seat)]
    return TerminalMoney(
        terminal.credit, terminal.games[TABLE].staked, terminal.held_total, terminal.debts.get(session, 0)
    )


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
@pytest.mark.parametrize("pocket", ["18", "20", "4", "0"])
@pytest.mark.parametrize("rulebook_id", ORDER)
def test_trial_is_what_the_correction_then_does(rulebook_id: str, pocket: str) -> None:
    """Whatever number is tried, each seat has afterwards what the trial said, also where chips stay up."""
    floor = Play(rulebook_id, WIDE)
    floor.seats(T1=100, T2=100, T3=100)
    other = floor.enrol(floor.rulebook.staff.order[-1], "another")
    floor.round("17", T1="4 on 17; 2 on 20", T2="3 on red; 3 on 18", T3="4 on dozen 2")
    floor.open()
    trial = shown(floor, 1, pocket)
    assert [each.terminal for each in trial.terminals] == ["T1", "T2", "T3"]
    assert not any(each.gone for each in trial.terminals)
    words = CorrectResult(TABLE, RoundNumber(1), Pocket(pocket), "Misread.")
    floor.by(floor.rulebook.staff.order[-1].lower(), words)
    assert isinstance(floor.by(other, Approve(Number(1))), tuple)

    for each in trial.terminals:
        assert money(floor, each.terminal, 0) == each.after
    assert sum(each.due for each in trial.terminals) == sum(floor.table.past[0].paid.values())


def test_player_who_has_gone_pays_and_gets_nothing() -> None:
    """Who has collected since is marked, and the credits of whoever plays there now stay as they are."""
    floor = Play(MARINA, WIDE)
    floor.seats(T1=100)
    floor.round("17", T1="4 on 17")
    floor.must(Collect(TerminalId("T1"), Validation(Number(1), "digest", "1234")), DeviceId("T1"))
    trial = shown(floor, 1, "20")
    (seat,) = trial.terminals

    assert seat.gone
    assert (seat.paid, seat.due) == (14_400, 0)
    assert (seat.before.credit, seat.after.credit) == (0, 0)
    assert (seat.before.owed, seat.after.owed) == (0, 14_400)


def test_win_that_would_need_a_form_is_shown_as_held() -> None:
    """Where the other number makes a win large enough for a form, what it adds is held."""
    floor = Play(CLEARWATER, WIDE)
    floor.seats(T1=100)
    floor.round("4", T1="50 on 17")
    trial = shown(floor, 1, "17")

    assert trial.terminals[0].after == TerminalMoney(credit=5_000, up=0, held=180_000, owed=0)
    assert (trial.was, trial.pocket, trial.clause) == ("4", "17", "4")


@pytest.mark.parametrize(
    ("round_", "pocket", "code"),
    [
        (1, "17", "numbers_differ"),
        (9, "20", "unknown_record"),
        (2, "20", "out_of_turn"),
        (1, "37", "pocket_not_on_wheel"),
    ],
)
def test_what_cannot_be_corrected_is_not_tried(round_: int, pocket: str, code: str) -> None:
    """A trial is refused as the correction would be."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    floor.round("17", T1="4 on 17")
    floor.open()

    assert raised_code(shown, floor, round_, pocket) == code


def taken_back(floor: Play, round_: int, reason: Reason) -> CorrectionPreview:
    before = state_digest(floor.house)
    trial = preview_correction(
        floor.house, InvalidateOutcome(TABLE, RoundNumber(round_), reason, ""), Context(floor.now, SYSTEM)
    )
    assert state_digest(floor.house) == before
    return trial


@pytest.mark.clause("skycity-adelaide-2003", "12(b)i")
@pytest.mark.clause("skycity-adelaide-2003", "12(b)ii")
@pytest.mark.parametrize("reason", [Reason.FIRE, Reason.FRAUD_BY_PLAYER])
@pytest.mark.parametrize("stage", ["open", "closed", "settled", "next"])
def test_outcome_taken_back_on_trial_is_what_then_happens(stage: str, reason: Reason) -> None:
    """While bets are open, sealed or settled, and in the round after, each seat then has what the trial said."""
    floor = Play(ADELAIDE, WIDE)
    floor.seats(T1=100, T2=100, T3=100)
    other = floor.enrol(floor.rulebook.staff.order[-1], "another")
    chips = {"T1": "4 on 17; 2 on 20", "T2": "3 on red; 3 on 18"}
    if stage in ("settled", "next"):
        floor.round("17", **chips)
        if stage == "next":
            floor.open()
    else:
        floor.open()
        for seat, bets in chips.items():
            floor.bet(seat, bets)
        if stage == "closed":
            floor.close()
    trial = taken_back(floor, 1, reason)
    assert [each.terminal for each in trial.terminals] == ["T1", "T2"]
    assert [each.due for each in trial.terminals] == [600, 600]
    assert (trial.was, trial.pocket) == ("17" if stage in ("settled", "next") else None, None)
    assert trial.house == sum(each.paid - each.due for each in trial.terminals) * (stage in ("settled", "next"))
    command = InvalidateOutcome(TABLE, RoundNumber(1), reason, "It was so.", PersonId("somebody"))
    assert isinstance(floor.by(floor.rulebook.staff.order[-1].lower(), command), tuple)
    if floor.house.proposals.all:
        assert isinstance(floor.by(other, Approve(Number(1))), tuple)

    for each in trial.terminals:
        assert money(floor, each.terminal, 0) == each.after


def test_outcome_that_cannot_be_taken_back_is_not_tried() -> None:
    """A trial is refused as the command would be."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    floor.round("17", T1="4 on 17")

    assert raised_code(taken_back, floor, 1, Reason.NOT_COVERED) == "reason_not_listed"
