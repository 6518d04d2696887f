"""The report of the benchmarks: rates compared within a round, and printed; and the command line."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from benchmarks import server
from benchmarks.loads import Broadcast, LastSecond, Load, LoadPlan, SettlementTime, Storm, SystemRun, measure_system
from benchmarks.machine import Cores, Spread
from benchmarks.server import (
    FULL,
    QUICK,
    BenchmarkRound,
    PlanStep,
    Results,
    StepFailure,
    benchmarks_command,
    lines,
    steps,
)
from benchmarks.systems import Croupier, JournalFigures, Ordinary, RawEcho, Workspace
from rich.console import Console

from croupier.cli.main import app
from tests.conftest import Ask

pytestmark = pytest.mark.untraced

LOAD = Load(
    offered=0,
    answered=100,
    refused=0,
    unanswered=0,
    per_s=1_000,
    p50_ms=1.5,
    p99_ms=3.25,
    most_ms=4,
    server_us=12.5,
    client_us=8,
    server=0.9,
    client=0.5,
    others=0,
    late_ms=0.05,
    limited=False,
    disturbed=False,
)
JOURNAL = JournalFigures(100, bytes_per_bet=47.25, replayed_per_s=350_000, audited_per_s=200_000, loop_ns=70)
ABOUT = {
    "machine": {"cores": 2, "processor": "P", "kernel": "K", "python": "3.11", "packages": "picows 2", "load": "0.10"},
    "disk": {"filesystem": "ext4", "flush_p50_ms": 0.25, "flush_p99_ms": 0.5},
    "plan": {"rounds": 3},
    "left_out": ["the ordinary stack: it needs much"],
}


def system_runs(echo: float, ordinary: float, croupier: float) -> list[SystemRun]:
    """One round's system_runs, by their rates; a rate of nothing was not measured."""
    rates = {"echo": echo, "ordinary": ordinary, "croupier": croupier}
    return [
        SystemRun(
            system=name,
            clients=200,
            closed=replace(LOAD, per_s=rate, limited=name == "echo", disturbed=rate == 10),
            offered=() if name == "ordinary" else (replace(LOAD, offered=5_000, refused=7),),
            memory=10_240,
            acknowledged=1,
            stored=None,
            pause_ms=12.5 if name == "croupier" else None,
            journal=JOURNAL if name == "croupier" else None,
        )
        for name, rate in rates.items()
        if rate
    ]


ROUNDS = [
    BenchmarkRound(
        system_runs(100, 10, 50),
        [Broadcast(2_000, 243, (30.0, 20.0, 40.0), (15.0,))],
        [Storm(2_000, 1_000, (500.0,), 7.5)],
    ),
    BenchmarkRound(
        system_runs(200, 10, 60),
        [Broadcast(2_000, 243, (20.0,), (19.0,))],
        settlements=[SettlementTime(2_000, (90.0,), 8.5)],
    ),
    BenchmarkRound(
        system_runs(300, 0, 240),
        last_seconds=[LastSecond(2_000, 1_900, {"bets_closed": 100}, 0, 0, p50_ms=1, p99_ms=2, late_ms=0)],
    ),
]


def test_rates_are_compared_within_a_round() -> None:
    """A ratio is one of two rates of the same round, and its spread that of the rounds' ratios."""
    found = {(line.system, line.offered): line for line in lines(ROUNDS)}
    ours = found["croupier", 0]

    assert ours.per_s == Spread(60, 50, 240)
    assert ours.of_echo == Spread(0.5, 0.3, 0.8)
    assert ours.of_ordinary == Spread(5, 5, 6)
    assert (found["echo", 0].of_echo, found["echo", 0].of_ordinary) == (None, Spread(10, 10, 20))
    assert found["ordinary", 0].rounds == 2
    assert (found["ordinary", 0].disturbed, found["echo", 0].limited) == (2, 3)
    assert (found["croupier", 5_000].refused, found["croupier", 5_000].of_echo) == (21, None)


def _drawn(results: Results) -> str:
    console = Console(width=80, highlight=False)
    with console.capture() as capture:
        console.print(server.picture(ABOUT, list(lines(results.rounds)), results))
    return capture.get()


def test_report_is_drawn() -> None:
    """The report fits a narrow screen and says the figures, the marks, what was left out and what failed."""
    drawn = _drawn(Results(ROUNDS, [StepFailure(2, "storm of 1000", "no terminal reconnected")]))

    for words in (
        "2 cores (P), K, Python 3.11",
        "0.25 ms",
        "12.5 ms",
        "47.2 bytes",
        "350,000",
        "200,000",
        "70 ns",
        "1.50 / 3.25 ms",
        "200 clients, each with one command",
        "50-240",
        "0.50",
        "0.30-0.80",
        "1.5 / 3.2",
        "c3",
        "d2",
        "clients with a schedule",
        "5,000",
        "243 bytes to 2,000",
        "0.50-0.95",
        "500 ms",
        "7.5 ms",
        "8.5 ms",
        "90.0 ms",
        "10.0 KiB",
        "1,900 accepted, 100 refused",
        "the client was saturated",
        "Left out: the ordinary stack: it needs much.",
        "Not measured: storm of 1000, round 2: no terminal reconnected",
    ):
        assert words in drawn
    assert "…" not in drawn


def test_report_of_nothing_is_drawn() -> None:
    """A run in which nothing could be measured says why."""
    assert "Not measured: echo, round 1: no" in _drawn(Results([BenchmarkRound()], [StepFailure(1, "echo", "no")]))


def test_every_round_has_everything(tmp_path: Path) -> None:
    """In each round everything has one turn, side by side, and rates are offered where they can be met."""
    workspace = Workspace(tmp_path, Cores.here())
    found = [step.words for step in steps(replace(FULL, rounds=2), [RawEcho(), Ordinary(), Croupier()], workspace)]
    offered = [_offered(step) for step in steps(QUICK, [RawEcho(), Ordinary()], workspace)][:4]

    assert found[:6] == [f"{name}, {n} clients" for n in (200, 2_000) for name in ("echo", "ordinary", "croupier")]
    assert found[6:11] == [
        "broadcast to 2000",
        "broadcast to 10000",
        "storm of 1000",
        "settlement of 2000",
        "last second of 2000",
    ]
    assert found[11:] == found[:11]
    assert offered == [(), (), (5_000, 20_000), ()]


def _offered(step: PlanStep) -> object:
    """The rates that a step offers, where it is a measure_system."""
    assert isinstance(step.do, partial)
    return step.do.args[2].offered if step.do.func is measure_system else None


def test_plan_leaves_out_what_does_not_fit() -> None:
    """What takes more open files than there may be is named and left out."""
    assert FULL.files == 10_000
    assert FULL.beyond(2_500) == [10_000]
    assert FULL.within(2_500) == replace(FULL, sockets=(2_000,))
    assert FULL.beyond(10_000) == []


def test_round_takes_results_alone() -> None:
    """Every kind of result has its place in a round, and what is none has not."""
    again = BenchmarkRound()
    for each in ROUNDS:
        for found in (*each.system_runs, *each.broadcasts, *each.storms, *each.settlements, *each.last_seconds):
            again.add(found)

    assert len(again.system_runs) == 8
    assert (len(again.broadcasts), len(again.storms), len(again.settlements), len(again.last_seconds)) == (2, 1, 1, 1)
    with pytest.raises(TypeError, match="str"):
        BenchmarkRound().add("figure")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of two steps: an echo that is measured, and one that cannot be."""
    plan = LoadPlan(warm_s=0, closed_s=0.05, offered_s=0.05, offered=(1_000,))

    def two(_plan: server.Plan, systems: list[Any], workspace: Workspace) -> list[PlanStep]:
        assert [system.name for system in systems] == ["echo", "croupier"]
        nowhere = replace(workspace, path=workspace.path / "nowhere")
        return [
            PlanStep(1, "echo, 5 clients", partial(measure_system, systems[0], 5, plan, workspace)),
            PlanStep(2, "echo, nowhere", partial(measure_system, systems[0], 5, plan, nowhere)),
        ]

    monkeypatch.setattr("benchmarks.server.steps", two)
    monkeypatch.setitem(app.commands, benchmarks_command.name or "", benchmarks_command)


@pytest.mark.usefixtures("short")
def test_command_gives_all_figures(tmp_path: Path, ask: Ask) -> None:
    """The command measures each step in a process of its own, gives every figure as JSON, and exits 1 on a failure."""
    code, printed = ask("benchmarks", "--quick", "--data", tmp_path, "--python", "false")

    assert code == 1
    assert [line["system"] for line in printed["lines"]] == ["echo", "echo"]
    assert printed["rounds"][0]["system_runs"][0]["closed"]["answered"] > 0
    assert [(failure["round"], failure["step"]) for failure in printed["failures"]] == [(2, "echo, nowhere")]
    assert printed["left_out"][0].startswith("the ordinary stack: it needs fastapi")
    assert printed["machine"]["cores"] > 0
    assert printed["plan"]["rounds"] == 1
    assert list(tmp_path.iterdir()) == []


def test_folder_in_memory_is_refused(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit in memory is no commit: a folder there is refused."""
    monkeypatch.setitem(app.commands, benchmarks_command.name or "", benchmarks_command)
    code, printed = ask("benchmarks", "--data", "/dev/shm")  # noqa: S108 - it is refused

    assert code == 2
    assert "is in memory (tmpfs)" in printed["refusal"]["says"]


def test_help_names_what_is_measured() -> None:
    """The command says what it does and what it needs."""
    assert "raw echo" in str(benchmarks_command.help)
    assert json.dumps([option.name for option in benchmarks_command.params]) == json.dumps(
        ["quick", "rounds", "data", "python", "json"]
    )
