"""Who may send which command in which phase of the round: every cell of a table written from the documents."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from croupier.house import AnyCommand
from croupier.house.declare import COMMANDS, Command
from croupier.house.floor.disputes import CloseDispute, DecideDispute, DisputeBasis, OpenDispute
from croupier.house.floor.permissions import require_permitted
from croupier.house.floor.setup import AdoptRulebook
from croupier.house.floor.signatures import DUAL_CONTROL
from croupier.house.ids import Context, DeviceId, RoundNumber
from croupier.house.rounds.closing import FinishBetting
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.referrals import ReferRound
from croupier.house.rounds.results import EnterResult
from croupier.house.rounds.spinning import BallLeftTrack
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase
from croupier.rulebooks.schema import canonical
from croupier.rules.procedure import Duty, Reason
from croupier.rules.refusal import Code, Refusal, Refused
from croupier.simulation.auditor.permissions import PERMISSION_ROWS, PermissionRow
from tests.conftest import venue as rulebook_of
from tests.support.house_driver import TABLE, Play, refused
from tests.support.live_driver import LiveFloor
from tests.support.machine import UNREACHABLE
from tests.support.sample_commands import (
    ADELAIDE,
    BESIDE,
    CLEARWATER,
    DUTY_TITLES,
    MARINA,
    ONE,
    ORDER,
    SEVENTEEN,
    US,
    WORDS,
    Actor,
    actors,
    sample_commands,
)

ROOT = Path(__file__).parents[3]
REACHABLE = [(each, phase) for each, never in UNREACHABLE.items() for phase in Phase if phase not in never]
#: A dealer pays chips where there are tables that take them.
REACHABLE += [(ADELAIDE, Phase.PAYING), (US, Phase.PAYING)]

YES, NOT_BY_THEM, NOT_NOW = "yes", "not by them", "not now"
ANSWERS = {
    Code.UNKNOWN_DEVICE: NOT_BY_THEM,
    Code.UNKNOWN_PERSON: NOT_BY_THEM,
    Code.NOT_AUTHORISED: NOT_BY_THEM,
    Code.BETS_NOT_OPEN: NOT_NOW,
    Code.BETS_CLOSED: NOT_NOW,
    Code.ROUND_SUSPENDED: NOT_NOW,
    Code.OUT_OF_TURN: NOT_NOW,
}


@cache
def titles(rulebook_id: str, duties: frozenset[Duty]) -> set[str]:
    """Name the titles that have one of the duties at a venue, by its documents; a plus takes in all above."""
    found: set[str] = set()
    for name in filter(None, (DUTY_TITLES[duty].get(rulebook_id) for duty in duties)):
        title, order = name.removesuffix("+"), ORDER[rulebook_id]
        assert title in order or title in BESIDE[rulebook_id], title
        found.update(order[order.index(title) :] if name.endswith("+") else (title,))
    return found


@cache
def floor_in(rulebook_id: str, phase: Phase) -> Play:
    """Bring a table into a phase, by what people and wheels do there; it is looked at, and not played on."""
    settings = TableSettings(confirms=True)
    if phase is Phase.PAYING:
        return live_in_payment(rulebook_id, settings)
    floor = Play(rulebook_id, settings, settings)
    floor.seats(T1=100, T2=100)
    if phase is not Phase.BETWEEN:
        floor.open()
        _bring(floor, phase)
    assert floor.table.phase is phase
    return floor


@cache
def commands_in(rulebook_id: str, phase: Phase) -> dict[str, AnyCommand]:
    """Build a sample of every command, by name, for a table in a phase."""
    return sample_commands(floor_in(rulebook_id, phase))


def live_in_payment(rulebook_id: str, more: TableSettings) -> Play:
    """Bring a live table to the collection and payment of chips."""
    floor = LiveFloor(rulebook_id, more=(more,), terminals={"T1": 100, "T2": 100})
    floor.buy(floor.one, 20)
    floor.open()
    floor.place(floor.one, "v100", red=4)
    floor.result("18")
    assert floor.table.phase is Phase.PAYING
    return floor


def _bring(floor: Play, phase: Phase) -> None:
    match phase:
        case Phase.OPEN_RUNNING:
            floor.spin()
        case Phase.LAST_CALL:
            floor.by(floor.dealer, FinishBetting(TABLE))
        case Phase.SUSPENDED:
            floor.by(floor.dealer, ReferRound(TABLE, WORDS))
        case Phase.CLOSED:
            floor.ask(BallLeftTrack(TABLE), DeviceId(TABLE))
        case Phase.RUNNING | Phase.AT_REST | Phase.NO_SPIN:
            floor.close()
            floor.spin()
    if phase is Phase.AT_REST:
        floor.rest("17")
    if phase is Phase.NO_SPIN:
        floor.by(floor.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))


def allowed(rulebook_id: str, row: PermissionRow, actor: Actor, phase: Phase) -> str:
    """Tell what the table says of one cell; who comes before when."""
    by_machine = bool(actor.machine) and actor.machine == row.machine
    if not by_machine and actor.title not in titles(rulebook_id, row.duties):
        return NOT_BY_THEM
    return YES if phase in row.phases else NOT_NOW


def answered(refusal: Refusal | None) -> str:
    return YES if refusal is None else ANSWERS.get(refusal.code, str(refusal.code))


def test_table_names_every_command_and_every_title() -> None:
    """The table has one row for each command, and the titles it knows are those of the rulebooks."""
    assert PERMISSION_ROWS.keys() == COMMANDS.keys()
    for rulebook_id, order in ORDER.items():
        staff = rulebook_of(rulebook_id).staff
        assert (staff.order, set(staff.others)) == (order, set(BESIDE[rulebook_id]))


def test_table_names_what_takes_two_signatures() -> None:
    """The commands that two people must sign are those of the table."""
    assert {kind for kind, row in PERMISSION_ROWS.items() if row.signatures == 2} == DUAL_CONTROL


def clauses(source: str) -> Iterator[tuple[str, str]]:
    """Read the clauses that a row cites: "7(g), 7(h)i Adelaide; 16.a Clearwater: why"."""
    for part in source.split("; "):
        cited = part.partition(":")[0]
        for name, rulebook_id in VENUES.items():
            if cited.endswith(f" {name}"):
                yield from ((rulebook_id, clause) for clause in cited.removesuffix(f" {name}").split(", "))


VENUES = {"Adelaide": ADELAIDE, "Marina Bay": MARINA, "Clearwater": CLEARWATER, "US": US}
#: Every command, marked with the clauses that its row cites: the clause matrix derives from the table.
CASES = [
    pytest.param(kind, marks=[pytest.mark.clause(*each) for each in clauses(row.source)], id=kind.__name__)
    for kind, row in PERMISSION_ROWS.items()
]


def objection(floor: Play, command: AnyCommand, context: Context) -> Refusal | None:
    """Return why a sender may not send a command now, if that is so."""
    try:
        require_permitted(floor.house, command, context)
    except Refused as refused:
        return refused.refusal
    return None


@pytest.mark.parametrize("command", CASES)
def test_command_is_allowed_to_exactly_those_of_the_table(command: type[Command]) -> None:
    """Each title and machine may ask for it in exactly the states of the round that the table gives, at each venue."""
    row = PERMISSION_ROWS[command]

    wrong = {}
    for rulebook_id, phase in REACHABLE:
        floor = floor_in(rulebook_id, phase)
        requested = commands_in(rulebook_id, phase)[command.__name__]
        for actor in actors(rulebook_id):
            refusal = objection(floor, requested, Context(floor.now, actor.device, actor.person))
            cell = (rulebook_id, phase.value, actor.name)
            if answered(refusal) != allowed(rulebook_id, row, actor, phase):
                wrong[cell] = answered(refusal)
    assert wrong == {}


def test_auditor_changes_nothing() -> None:
    """There is no command that an auditor may ask for, at any venue: reading is not asking."""
    assert not any(Duty.AUDIT in row.duties for row in PERMISSION_ROWS.values())


@pytest.mark.clause("clearwater-etg", "17.a")
@pytest.mark.clause("clearwater-etg", "25")
def test_attendant_does_not_type_a_number_at_clearwater() -> None:
    """The winning number is detected electronically: where it is not, staff have no number to enter."""
    floor = Play(CLEARWATER)
    floor.seats(T1=100)
    floor.open()
    floor.bet("T1", "5 on 17")
    floor.close()

    assert isinstance(floor.by("attendant", EnterResult(TABLE, SEVENTEEN, SEVENTEEN)), Refusal)


@pytest.mark.parametrize(
    "command",
    [DecideDispute(ONE, WORDS), CloseDispute(ONE, resolved=True)],
    ids=lambda one: type(one).__name__,
)
def test_rules_of_another_table_give_nobody_a_right(command: AnyCommand) -> None:
    """A dispute at Clearwater is its Shift Manager's, though another rulebook in the house has supervisors decide."""
    floor = Play(CLEARWATER)
    floor.round("17")
    floor.by(
        "shift manager",
        OpenDispute(TABLE, RoundNumber(1), None, DisputeBasis.NOT_COVERED, WORDS, memorandum="3"),
    )
    assert refused(floor.by("supervisor", command))[0] == "not_authorised"

    floor.must(AdoptRulebook(canonical(rulebook_of(US))))

    assert refused(floor.by("supervisor", command))[0] == "not_authorised"


_STORY = """
from tests.support.house_driver import Play
from tests.support.sample_commands import ORDER, device_of, sample_commands
from tests.house.floor.test_permissions import Context, Phase, floor_in, objection
for venue in ORDER:
    floor = floor_in(venue, Phase.OPEN)
    for name, command in sorted(sample_commands(floor).items()):
        context = Context(floor.now, device_of("auditor"), "auditor")
        print(venue, name, objection(floor, command, context))
    played = Play(venue)
    played.seats(T1=100, T2=100, T3=100)
    for pocket in ("17", "0"):
        played.round(pocket, T1="1 on 17; 1 on red", T2="1 on 0; 2 on 1/2", T3="1 on odd")
    print(played.journal.head.hex())
"""


def _reported(hash_seed: str) -> list[str]:
    """Tell what an auditor is refused and how a journal ends, in a process that keeps its sets in another order."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", _STORY]
    reported = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    return reported.splitlines()


@pytest.mark.untraced
def test_house_answers_and_writes_the_same_on_every_run() -> None:
    """Neither a refusal's clause nor a byte of the journal hangs on the order in which a process keeps its sets."""
    reported = [_reported(seed) for seed in ("1", "2", "3")]

    assert len(reported[0]) == 4 * (len(COMMANDS) + 1)
    assert [each for each in zip(*reported, strict=True) if len(set(each)) > 1] == []
