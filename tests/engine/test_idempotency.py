"""Idempotency keys: a command is executed once however often it arrives, and never under the key of another."""

import pytest
from msgspec.structs import replace

from croupier.engine.ports import Accepted, Request
from croupier.engine.sequencer import RESPONSES_MAX, IdempotencyCache, request_digest
from croupier.house.credit.notes import GrantPlayMoney, NoteStacked
from croupier.house.declare import Event
from croupier.house.floor.incidents import ClearIncident, IncidentKind, IncidentRaised
from croupier.house.floor.staff import EnrolPerson
from croupier.house.ids import DeviceId, PersonId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest, ReportBoard
from croupier.house.rounds.spinning import BallLaunched
from croupier.journal.entry import Cause, IdempotencyKey
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from tests.support.engine_driver import code_of, done, entries_of
from tests.support.shift import CASHIER, DESK, HUNDRED, T1, T2, TABLE, Shift, redeeming

INSPECTOR = PersonId("inspector")


def of_kind(shift: Shift, kind: type[Event]) -> int:
    return sum(isinstance(entry.event, kind) for entry in shift.entries)


def test_same_key_gets_the_same_answer() -> None:
    """A command that arrives again, in the same batch or later, is answered as it was and not done again."""
    shift = Shift.founded()
    note = shift.note()

    first, twice = shift.ask(note, note)
    (later,) = shift.ask(note)

    assert isinstance(first, Accepted)
    assert first == twice == later
    assert of_kind(shift, NoteStacked) == 1
    assert shift.house.terminals[T1].credit == HUNDRED


def test_same_key_gets_the_same_refusal() -> None:
    """A command that was refused is refused again by its key, although it would now be done."""
    shift = Shift.founded()
    shift.ask(shift.note())
    bet = shift.bet()
    (refused,) = shift.ask(bet)
    shift.ask(OpenBets(TABLE))

    assert code_of(refused) is Code.BETS_NOT_OPEN
    assert shift.ask(bet) == [refused]
    assert of_kind(shift, IncidentRaised) == 0


def test_accepted_command_is_known_after_a_restart() -> None:
    """The journal alone tells what became of a command: its key of a past epoch gets the answer that was given."""
    shift = Shift.founded()
    shift.ask(shift.note(), OpenBets(TABLE))
    bet = shift.bet()
    (answer,) = shift.ask(bet)

    for _ in range(2):
        shift = shift.again()
        assert shift.ask(bet) == [answer]
        assert of_kind(shift, NoteStacked) == 0


def test_refused_command_is_never_done_after_a_restart() -> None:
    """A command that was refused before a restart is refused after it, as stale: nobody finds it done after all."""
    shift = Shift.founded()
    shift.ask(shift.note())
    bet = shift.bet()
    shift.ask(bet)

    again = shift.again()
    again.ask(OpenBets(TABLE))

    assert code_of(again.ask(bet)[0]) is Code.KEY_STALE
    assert again.house.terminals[T1].in_play == 0


def test_command_that_was_never_taken_is_not_done_after_a_restart() -> None:
    """A command that waited when the system stopped was never taken, and its key is no good any more."""
    shift = Shift.founded()
    note = shift.note()
    shift.run.submit(note)

    again = shift.again()

    assert code_of(again.ask(note)[0]) is Code.KEY_STALE
    assert again.house.terminals[T1].credit == 0


@pytest.mark.parametrize("restarted", [False, True])
def test_same_key_with_another_body_is_a_security_event(*, restarted: bool) -> None:
    """A key that comes back with another command, or another signature, does nothing; staff are notified once."""
    shift = Shift.founded()
    done(shift.run, EnrolPerson(INSPECTOR, ("Inspector",)))
    note = shift.note()
    shift.ask(note)
    if restarted:
        shift = shift.again()
    forged = [replace(note, command=shift.note(value=5_000).command), replace(note, person=PersonId("cashier"))]

    codes = [code_of(outcome) for outcome in shift.ask(*forged, *forged)]
    assert codes == [Code.KEY_REUSED] * 4
    (standing,) = (number for number, each in shift.house.incidents.all.items() if each.cleared_by is None)
    done(shift.run, shift.keyed(ClearIncident(standing), DESK, INSPECTOR))
    assert [code_of(outcome) for outcome in shift.ask(*forged)] == [Code.KEY_REUSED] * 2

    alarms = [entry for entry in shift.entries if isinstance(entry.event, IncidentRaised)]
    assert [(entry.event.kind, entry.event.subject) for entry in alarms if isinstance(entry.event, IncidentRaised)] == [
        (IncidentKind.KEY_REUSED, T1)
    ] * 2
    assert all(entry.cause is None for entry in alarms)
    assert shift.house.terminals[T1].credit == HUNDRED


def test_keys_of_two_devices_are_two_keys() -> None:
    """What one device has asked says nothing of the keys of another."""
    shift = Shift.founded()
    first, second = shift.ask(shift.note(T1), shift.note(T2))

    assert isinstance(first, Accepted)
    assert isinstance(second, Accepted)
    assert of_kind(shift, NoteStacked) == 2


@pytest.mark.parametrize(
    ("epoch", "number", "code"),
    [
        (0, 6, None),
        (0, 900, None),
        (0, 4, Code.KEY_STALE),
        (0, 0, Code.KEY_STALE),
        (0, -1, Code.KEY_STALE),
        (1, 6, Code.EPOCH_AHEAD),
        (1, 1, Code.EPOCH_AHEAD),
        (-1, 6, Code.KEY_STALE),
        (-2, 99, Code.KEY_STALE),
    ],
    ids=["next", "gap", "older", "nought", "negative", "future", "future 1", "past", "long past"],
)
def test_new_key_must_be_of_this_epoch_and_rise(epoch: int, number: int, code: Code | None) -> None:
    """After keys 3 and 5 only a higher one of the same epoch is taken, gaps or not; a later epoch is named as such."""
    shift = Shift.founded().again()
    command = shift.note().command
    shift.ask(*(shift.keyed(command, T1, number=each) for each in (3, 5)))

    (outcome,) = shift.ask(shift.keyed(command, T1, number=number, epoch=shift.run.epoch + epoch))

    assert (outcome.code if isinstance(outcome, Refusal) else None) is code
    assert shift.house.terminals[T1].credit == (3 if code is None else 2) * HUNDRED


def test_first_key_of_an_epoch_may_be_any() -> None:
    """A new epoch begins its count anew: the first key is taken below those of the epoch before."""
    shift = Shift.founded()
    shift.ask(shift.keyed(shift.note().command, T1, number=100))

    again = shift.again()

    assert isinstance(again.ask(again.keyed(shift.note().command, T1, number=1))[0], Accepted)


def test_whole_log_that_is_replayed_does_nothing() -> None:
    """All that was ever sent, sent again into a later run, is answered as it was or refused, and moves nothing."""
    shift = Shift.founded()
    shift.drawer()
    shift.ticket()
    shift.ask(shift.keyed(redeeming(1), DESK, CASHIER), shift.note(T2), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500, T2), shift.bet("17", 999_999, T2))
    log = [answer for batch in shift.outbox.batches for answer in batch.responses if answer.request.key is not None]
    again = shift.again()
    before = again.house.ledger.balances.copy()

    outcomes = again.ask(*(answer.request for answer in log))

    assert len(log) == 8
    for answer, outcome in zip(log, outcomes, strict=True):
        if isinstance(answer.outcome, Refusal):
            assert code_of(outcome) is Code.KEY_STALE
        else:
            assert outcome == answer.outcome
    assert again.house.ledger.balances == before


def test_window_of_answers() -> None:
    """So many of the last keys with entries are known; an older one is stale, and not done again."""
    shift = Shift.founded()
    notes = [shift.note() for _ in range(2 * RESPONSES_MAX)]
    answers = shift.ask(*notes)

    again = shift.ask(*notes)

    older = RESPONSES_MAX
    assert {code_of(each) for each in again[:older]} == {Code.KEY_STALE}
    assert again[older:] == answers[older:]
    assert shift.house.terminals[T1].credit == len(notes) * HUNDRED


@pytest.mark.parametrize("from_snapshot", [False, True], ids=["from the beginning", "from a snapshot"])
def test_refusals_push_no_accepted_command_out(*, from_snapshot: bool) -> None:
    """However many refusals follow, the last accepted command is known, before and after a restart of either kind."""
    shift = Shift.founded()
    note = shift.note()
    (answer,) = shift.ask(note)
    refusals = [shift.bet() for _ in range(RESPONSES_MAX + 1)]
    given = shift.ask(*refusals)
    assert {code_of(each) for each in given} == {Code.BETS_NOT_OPEN}
    assert shift.ask(note) == [answer]
    assert shift.ask(*refusals[-RESPONSES_MAX:]) == given[-RESPONSES_MAX:]
    assert code_of(shift.ask(refusals[0])[0]) is Code.KEY_STALE

    if from_snapshot:
        shift.run.take_snapshot()
    again = shift.again()
    assert again.recovered.replayed == (0 if from_snapshot else len(shift.entries))
    assert again.ask(note) == [answer]


def test_command_that_changed_nothing_has_no_entries() -> None:
    """Where nothing had to change the last entry is before the first, and the answer is remembered while the run is."""
    shift = Shift.founded()
    position = shift.run.writer.head.position
    board = Request(ReportBoard(TABLE, "17"), key=IdempotencyKey(shift.run.epoch, 1))

    assert shift.ask(board, board) == [Accepted(position + 1, position)] * 2
    assert code_of(shift.again().ask(board)[0]) is Code.KEY_STALE


def test_answer_names_all_entries_of_a_command() -> None:
    """A command that gives several entries is answered with the first and the last of them, also after a restart."""
    shift = Shift.founded()
    shift.ask(shift.note())
    position = shift.run.writer.head.position
    opened = Request(OpenBets(TABLE), key=IdempotencyKey(shift.run.epoch, 1))
    shift.ask(opened)
    shift.ask(shift.bet())
    closing = Request(CloseBets(TABLE), key=IdempotencyKey(shift.run.epoch, 2))

    (answer,) = shift.ask(closing)

    entries = [entry for entry in shift.entries if entry.cause is not None and entry.cause.key.number == 2]
    caused = [entry.position for entry in entries if entry.context.device == closing.device]
    assert len(caused) > 1
    assert entries_of(answer) == (caused[0], caused[-1])
    assert caused[0] == position + 3
    assert shift.again().ask(closing) == [answer]


def test_system_needs_no_keys() -> None:
    """What the house asks of itself has no key: it is done each time, and its entries name no cause."""
    shift = Shift.founded()
    opened = Request(OpenBets(TABLE))
    first, second = shift.ask(opened, opened)

    assert isinstance(first, Accepted)
    assert code_of(second) is Code.OUT_OF_TURN
    assert all(entry.cause is None for entry in shift.entries)
    assert shift.run.sequencer.idempotency == IdempotencyCache()


def test_digest_is_of_the_command_and_who_signed() -> None:
    """What a key stands for is the command with all it says, and the signature: not the device, which the key is of."""
    granted = Request(GrantPlayMoney(T1, Cents(5)), DeviceId("a"), PersonId("cashier"), IdempotencyKey(1, 1))

    assert request_digest(granted) == request_digest(replace(granted, device=DeviceId("b"), key=None))
    others = [
        replace(granted, person=PersonId("")),
        replace(granted, command=GrantPlayMoney(T1, Cents(6))),
        replace(granted, command=GrantPlayMoney(T2, Cents(5))),
        replace(granted, command=OpenBets(TABLE)),
    ]
    assert len({request_digest(each) for each in (granted, *others)}) == 5


def test_keys_are_what_the_journal_says() -> None:
    """What was remembered of accepted commands is exactly what reading the journal gives."""
    shift = Shift.founded()
    shift.ask(*(shift.note(seat) for seat in (T1, T2) for _ in range(RESPONSES_MAX + 3)), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500), shift.bet("17", 10**9), shift.bet("18", 500))
    shift.ask(CloseBets(TABLE))
    wheel = DeviceId(TABLE)
    shift.ask(shift.keyed(BallLaunched(TABLE, opposite=True), wheel))
    shift.ask(shift.keyed(BallAtRest(TABLE, Pocket("17"), 9, opposite=True), wheel))
    assert shift.entries[-1].cause == shift.entries[-2].cause is not None

    assert shift.again().recovered.idempotency.durable() == shift.run.sequencer.idempotency.durable()


def test_cause_stands_in_the_entry() -> None:
    """An entry names the key of the command it came from, and the digest of what was asked."""
    shift = Shift.founded()
    note = shift.note()
    shift.ask(note)

    assert note.key is not None
    assert shift.entries[-1].cause == Cause(note.key, request_digest(note))
    assert shift.entries[-1].context.device == note.device
