"""Simulations: runs from seeds hold, the same seed gives the same run, and a sabotaged house is detected."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.engine.ports import Ports, Request
from croupier.house.floor.setup import CreateHouse
from croupier.house.ids import SYSTEM
from croupier.house.rounds.results import ReportBoard
from croupier.house.settings import Mode
from croupier.journal.disk import RolledBack
from croupier.journal.entry import IdempotencyKey
from croupier.rules.refusal import Code, Refusal
from croupier.simulation.invariants import InvariantViolation
from croupier.simulation.run import SimulationFailure, SimulationRun, invariant_of, simulate, simulate_many
from tests.support.campaign import many
from tests.support.engine_driver import HandClock, RecordingOutbox, entries_of, memory_storage, start
from tests.support.sabotage import SABOTAGE, pay_one_more

pytestmark = pytest.mark.untraced

KEPT = sorted((Path(__file__).parent / "kept").glob("*.toml"))


@pytest.mark.campaign
@pytest.mark.parametrize("crash", [False, True], ids=["without crashes", "with crashes"])
def test_every_run_holds(*, crash: bool) -> None:
    """Whatever players, dealers, wheels, the network and the disk do, every step holds and every round ends."""
    tally = simulate_many(range(many(day=40, night=10_000) // 2), crash=crash)

    # The runs contained these events.
    assert tally.settled > 4 * tally.seeds
    assert tally.void > tally.seeds
    assert (tally.crashes > 2 * tally.seeds) is crash
    assert len(tally.outcomes) > 35


@pytest.mark.campaign
@pytest.mark.parametrize("crash", [False, True], ids=["without crashes", "with crashes"])
def test_every_day_of_a_live_table_holds(*, crash: bool) -> None:
    """Whatever dealers and players with chips do, books balance, and the close leaves no chip and no cent over."""
    tally = simulate_many(range(many(day=16, night=2_000) // 2), crash=crash, live_table=True)

    assert tally.settled > 3 * tally.seeds
    assert len(tally.outcomes) > 45


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_seed_that_once_failed_holds(path: Path) -> None:
    """What a seed plays today holds, and what it once showed has a test by itself, since another cast plays another."""
    kept = tomllib.loads(path.read_text("utf-8"))
    module, test = kept["shown_by"].split("::")

    assert callable(getattr(import_module(f"tests.{module}"), test))
    options = {"crash": kept["crash"], "live_table": kept["live"], "variants": kept.get("variants", False)}
    assert simulate(kept["seed"], **options).seeds == 1


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_same_seed_is_the_same_run(seed: int, *, crash: bool) -> None:
    """Played twice, a run leaves the same journal to the byte, and a run of another seed another one."""
    runs = [SimulationRun(each, crash=crash) for each in (seed, seed, seed + 10)]
    for simulation_run in runs:
        simulation_run.play()
    once, twice, another = (simulation_run.head for simulation_run in runs)

    assert once == twice
    assert once != another


def test_run_does_not_depend_on_the_order_of_sets() -> None:
    """The journal of a seed is the same in processes that hash texts differently."""
    command = [sys.executable, "-m", "croupier", "simulate", "--seed", "7", "--crash", "--json"]
    reported = [
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    ]

    assert reported[0] == reported[1]
    assert json.loads(reported[0])["holds"]


def test_replaced_process_does_not_speak_for_the_one_that_replaced_it() -> None:
    """What a later start has done, an earlier one that still runs does not deny: it names both epochs."""
    storage, outbox = memory_storage(), RecordingOutbox()
    old, new = (start(storage, Ports(HandClock(), outbox)) for _ in range(2))
    requested = Request(CreateHouse(Mode.DEMO, "Somewhere", "UTC"), SYSTEM, key=IdempotencyKey(new.epoch, 1))
    answers = []
    for each in (new, old, new):
        each.submit(requested)
        each.step()
        answers.append(outbox.batches[-1].responses[0].outcome)

    assert answers[0] == answers[2]
    assert entries_of(answers[0]) == (1, 1)
    assert isinstance(answers[1], Refusal)
    assert answers[1].code is Code.EPOCH_AHEAD
    assert (answers[1].facts["epoch"], answers[1].facts["current"]) == (new.epoch, old.epoch)


def test_run_ends_once_its_last_batch_is_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided while the disk is slow is not answered before it is durable, and a run ends only then."""
    simulated = SimulationRun(3, crash=False)
    machine, log = simulated.machine, simulated.machine.checker.answers
    monkeypatch.setattr("croupier.simulation.harness.SLOW", 1_000)
    before, table = log.outcomes.total(), simulated.scenario.tables[0]
    machine.submit(Request(ReportBoard(table, "17")))
    simulated.settle()

    assert not machine.process.run.sequencer.consistent
    assert log.outcomes.total() == before

    machine.settle()
    simulated.finish()

    assert machine.process.run.sequencer.consistent
    assert log.outcomes.total() > before


#: Within how many runs sabotage must be found.
SOON = 25


def failures(seeds: int) -> Iterator[SimulationFailure]:
    """Play runs with crashes, and give those that fail."""
    for seed in range(seeds):
        try:
            simulate(seed, crash=True)
        except SimulationFailure as failure:
            yield failure


@pytest.mark.parametrize(("sabotage", "invariant"), SABOTAGE.items(), ids=[each.__name__ for each in SABOTAGE])
def test_sabotage_is_found(
    sabotage: Callable[[pytest.MonkeyPatch], None], invariant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a few runs a sabotaged house is detected, under the invariant that it breaks."""
    sabotage(monkeypatch)
    failure = next((each for each in failures(SOON) if each.invariant == invariant), None)

    assert failure is not None
    assert failure.words
    assert failure.command == f"croupier simulate --seed {failure.seed} --crash"


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (InvariantViolation("I3", "too much"), "I3"),
        (RolledBack(7, "it ends before"), "I13"),
        (ZeroDivisionError(), "ZeroDivisionError"),
    ],
)
def test_failure_names_what_is_broken(error: Exception, named: str) -> None:
    """A failure has the name of the invariant, of the chain where the journal is damaged, or of the fault itself."""
    assert invariant_of(error) == named


def test_failing_run_names_its_step_and_the_command_that_shows_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a run fails the command line says at which step and why, and ends with 1; so it does the next time."""
    pay_one_more(monkeypatch)
    codes = [run(["simulate", "--seeds", "9", "--json"])]
    reported = json.loads(capsys.readouterr().out)
    codes.append(run(reported["command"].split()[1:]))
    words = capsys.readouterr().out

    assert codes == [1, 1]
    assert reported["invariant"] == "I3"
    assert not reported["holds"]
    assert f"step: {reported['step']}" in words
    assert reported["command"] in words


def test_summary_counts_what_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    """Where all runs hold the command line says how much was played, and ends with nought."""
    code = run(["simulate", "--seeds", "2", "--crash"])
    words = capsys.readouterr().out

    assert code == 0
    for word in ("runs", "steps", "crashes", "epochs", "settled", "void", "entries", "answered accepted"):
        assert word in words


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A long simulation reports now and then how far it has come."""
    monkeypatch.setattr("croupier.cli.simulate.PROGRESS_EVERY", 1)
    run(["simulate", "--seed", "1"])

    assert capsys.readouterr().err.startswith("1 runs, ")
