"""Campaigns of the fuzzer: run after run from one seed, and what they find kept as files that can be played."""

import gc
import os
import secrets
import shutil
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import pytest
from msgspec.structs import replace

from croupier.engine.follower import StateDiffersError
from croupier.house.ids import SECOND
from tests.support.campaign import many
from tests.support.connections import CLOCK_START, played
from tests.support.fuzz.attack import make
from tests.support.fuzz.floor import Floor, FoundError, fuzzed
from tests.support.fuzz.socket import Call
from tests.support.fuzz.watch import failed

T = TypeVar("T")
Attack = Callable[[Floor], Awaitable[None]]

_SEED: Final = "CROUPIER_SEED"
FINDINGS: Final = Path(__file__).parent / "findings"


class Plan(NamedTuple):
    """How a campaign is led: what is done, in runs of how many frames, and where its findings are kept."""

    attack: Attack
    run_frames: int
    findings: Path = FINDINGS
    #: How often a finding is played again to make it smaller.
    tries: int = 40


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody said that the house could not take: who said it, when, and to the byte."""

    words: str
    seed: int
    connection: str
    at_s: int
    #: One character for each byte.
    frames: tuple[str, ...] = ()
    calls: tuple["Dialled", ...] = ()


class Dialled(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call over a real socket."""

    opening: str
    said: tuple[str, ...] = ()
    greets: bool = False
    pauses: tuple[bool, ...] = ()


class Budget:
    """How much is fuzzed: for so many seconds by day, and so many frames by night."""

    def __init__(self, *, day_s: float, night: int) -> None:
        self._until = monotonic() + day_s
        self._frames = many(day=0, night=night)

    def is_left(self, *frames: int) -> bool:
        """Tell whether anything is left of it after so many frames."""
        return sum(frames) < self._frames if self._frames else monotonic() < self._until


def chosen_seed() -> int:
    """Take the seed that is asked for, or any; it is told, so that it can be asked for."""
    seed = int(os.environ.get(_SEED) or secrets.randbelow(2**32))
    print(f"{_SEED}={seed}")
    return seed


def campaign(folder: Path, plan: Plan, budget: Budget) -> int:
    """Fuzz run after run for as long as the budget lasts; tell how many frames that were."""
    seed, frames, begin = chosen_seed(), 0, monotonic()
    while budget.is_left(frames):
        found = _played(folder, partial(_fuzz_run, folder, seed, plan, partial(budget.is_left, frames)))
        if isinstance(found, Finding):
            path = keep(small(found, folder, plan.tries), plan.findings)
            pytest.fail(f"{found.words} ({_SEED}={found.seed}, kept as {path})")
        seed, frames = seed + 1, frames + found
    print(f"{frames} frames, {frames / (monotonic() - begin):.0f} a second")
    return frames


async def _fuzz_run(folder: Path, seed: int, plan: Plan, is_left: Callable[[int], bool]) -> int | Finding:
    """Play one run in a house of its own; give what was found, or how many frames it had."""
    async with fuzzed(folder, seed) as floor:
        try:
            while floor.frames < plan.run_frames and is_left(floor.frames):
                await plan.attack(floor)
                await floor.wait(floor.fuzz.any_of((0, 0, 0.5, 3, 7)))
                floor.complain(await floor.honest.bet())
            await floor.close()
            await floor.house.stop()
        except (FoundError, TimeoutError, StateDiffersError) as error:
            await _abandon(floor)
            return _finding(floor, seed, error)
        return floor.frames


async def _abandon(floor: Floor) -> None:
    """Stop a house with which something was found: its books may differ from its journal, which its stop finds too."""
    with suppress(StateDiffersError):
        await floor.house.stop()


def _played(folder: Path, play: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Play something in a folder that is there for it alone."""
    try:
        return played(play)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        # The garbage collector does not scan the objects of an open house; this house is closed.
        gc.unfreeze()


def _finding(floor: Floor, seed: int, error: Exception) -> Finding:
    calls = tuple(map(_dialled, floor.calls))
    frames = () if calls else tuple(map(_text, floor.said))
    words = "; ".join((*failed(floor.house), repr(error)))
    return Finding(words, seed, floor.visiting, _at_s(floor), frames, calls)


def _at_s(floor: Floor) -> int:
    return (floor.house.time.at_us - CLOCK_START) // SECOND


def replay(folder: Path, finding: Finding) -> str:
    """Say again what was found, in a house of its own; tell what is found this time."""
    return _played(folder, partial(_again, folder, finding))


async def _again(folder: Path, finding: Finding) -> str:
    async with fuzzed(folder, finding.seed) as floor:
        try:
            await floor.wait(max(0, finding.at_s - _at_s(floor)))
            visitor = await floor.arrive(finding.connection)
            for frame in finding.frames:
                await floor.deliver(visitor, frame.encode("latin-1"))
            await make(floor, visitor, map(_call, finding.calls))
            await floor.house.stop()
        except (FoundError, TimeoutError, StateDiffersError) as error:
            await _abandon(floor)
            return repr(error)
        return ""


def _call(dialled: Dialled) -> Call:
    said = [each.encode("latin-1") for each in dialled.said]
    return Call(dialled.opening.encode("latin-1"), said, dialled.greets, list(dialled.pauses))


def _dialled(call: Call) -> Dialled:
    return Dialled(_text(call.opening), tuple(map(_text, call.said)), call.greets, tuple(call.pauses))


def _text(content: bytes) -> str:
    return content.decode("latin-1")


def small(finding: Finding, folder: Path, tries: int) -> Finding:
    """Leave out of a finding whatever it is found without, as far as that can be told in so many tries."""
    left = iter(range(tries))

    def fails(other: Finding) -> bool:
        return next(left, None) is not None and bool(replay(folder, other))

    if not fails(finding):
        return finding
    finding = replace(finding, frames=least(finding.frames, lambda frames: fails(replace(finding, frames=frames))))
    finding = replace(finding, calls=least(finding.calls, lambda calls: fails(replace(finding, calls=calls))))
    for place in range(len(finding.calls)):
        finding = _shorter(finding, place, fails)
    return finding


def _shorter(finding: Finding, place: int, fails: Callable[[Finding], bool]) -> Finding:
    """Leave out of one of the calls whatever it is found without."""
    said = least(finding.calls[place].said, lambda said: fails(_saying(finding, place, said)))
    return _saying(finding, place, said)


def _saying(finding: Finding, place: int, said: tuple[str, ...]) -> Finding:
    """Have something else said in one of the calls."""
    calls = finding.calls
    return replace(finding, calls=(*calls[:place], replace(calls[place], said=said), *calls[place + 1 :]))


def least(parts: tuple[T, ...], fails: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """Leave out halves, quarters and so on, for as long as it fails without them."""
    size = len(parts) // 2
    while size:
        at = 0
        while at < len(parts):
            fewer = parts[:at] + parts[at + size :]
            if fails(fewer):
                parts = fewer
            else:
                at += size
        size //= 2
    return parts


def keep(finding: Finding, folder: Path) -> Path:
    """Write a finding down, to be played by the suite from now on."""
    content = msgspec.json.format(msgspec.json.encode(finding), indent=1)
    path = folder / f"{sha256(content).hexdigest()[:12]}.json"
    folder.mkdir(exist_ok=True)
    path.write_bytes(content + b"\n")
    return path


def read_finding(path: Path) -> Finding:
    return msgspec.json.decode(path.read_bytes(), type=Finding)
