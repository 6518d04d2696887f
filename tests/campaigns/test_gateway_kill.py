"""House, gateways and broker are killed while clients play behind gateways, with a standby too: nothing is lost."""

import asyncio
from contextlib import closing
from random import Random
from typing import Final

import pytest
import uvloop

from croupier.engine.places import open_store
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.pages import verify_chain
from tests.campaigns.test_serve_kill import (
    FinishedRun,
    test_each_start_decided_by_the_rules,
    test_house_stops_in_good_order_after_every_kill,
    test_money_is_where_the_journal_says,
    test_nothing_refused_came_true,
    test_nothing_that_was_acknowledged_is_lost,
    test_nothing_was_done_twice,
    test_screens_showed_what_was_kept,
    test_slips_sent_were_committed,
)
from tests.support.campaign import many
from tests.support.gateway_run import VICTIMS, GatewayRun, TakeoverRun
from tests.support.journal_totals import JournalTotals
from tests.support.kill_run import moments
from tests.support.serving import Ended, processes

__all__ = [
    "test_each_start_decided_by_the_rules",
    "test_house_stops_in_good_order_after_every_kill",
    "test_money_is_where_the_journal_says",
    "test_nothing_refused_came_true",
    "test_nothing_that_was_acknowledged_is_lost",
    "test_nothing_was_done_twice",
    "test_screens_showed_what_was_kept",
    "test_slips_sent_were_committed",
]

# At night ten kills of up to two processes, each with a start and a wait until everybody is back.
pytestmark = [pytest.mark.campaign, pytest.mark.timeout(many(day=240, night=600))]

#: By day one of each kind in one run, which has to fit in its time on a machine that runs other tests too.
KILLS: Final = many(day=len(VICTIMS), night=10)
RUNS: Final = [
    *(("gateways", seed) for seed in range(many(day=1, night=50))),
    # Two servers, a database and all that plays are too much beside other tests: the leader would lose its lease.
    *(("standby", seed) for seed in range(many(day=0, night=20))),
]


@pytest.fixture(scope="module", params=RUNS, ids="{0[0]}-seed-{0[1]}".format)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """A house behind two gateways, with a standby or without: processes killed in turn, at moments of the seed."""
    kind, seed = request.param
    folder, chance = tmp_path_factory.mktemp("killed"), Random(seed)  # noqa: S311 - to be had again

    async def play() -> tuple[GatewayRun, Ended]:
        with processes() as starts:
            if kind == "standby":
                kill_run: GatewayRun = TakeoverRun(folder, starts, chance, request.getfixturevalue("database"))
            else:
                kill_run = GatewayRun(folder, starts, chance)
            return kill_run, await kill_run.play(moments(chance, KILLS))

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        kill_run, ended = runner.run(play())
    # The first time, nothing was killed before.
    for victims, (_, back_s) in zip(kill_run.killed, kill_run.starts_s[1:], strict=True):
        print(f"{kind} {seed}: {victims}: the last terminal is back after {back_s:.2f} s")
    with closing(open_store(kill_run.data, writing=False)) as store:
        sheets = list(verify_chain(store.pages(), EMPTY_HEAD))
    return FinishedRun(kill_run, ended, kill_run.data, sheets, JournalTotals().read(sheets), KILLS)


def test_wire_kept_its_word(finished: FinishedRun) -> None:
    """No page missed a delta or received chips that do not add up, over either gateway, held or not.

    Pages send no pings: one that has nothing to say while the house is away for long is silent.
    """
    assert [each for page in finished.pages for each in page.complaints] == []
    assert {code for page in finished.pages for code in page.byes} <= {"busy", "silent"}
