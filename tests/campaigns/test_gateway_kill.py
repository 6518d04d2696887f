"""A house, a gateway or both are killed while clients play behind two gateways: nothing acknowledged is lost."""

import asyncio
from random import Random

import pytest
import uvloop

from croupier.engine.places import JOURNAL
from tests.campaigns.test_serve_kill import (
    KILLS,
    FinishedRun,
    sheets_of,
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
from tests.support.gateway_run import GatewayRun
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

# Ten kills of up to two processes, each with a start and a wait until everybody is back.
pytestmark = [pytest.mark.campaign, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", params=range(many(day=10, night=500) // KILLS), ids="seed-{}".format)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """A house behind two gateways, of which one process or two were killed ten times, at moments of the seed."""
    folder, chance = tmp_path_factory.mktemp("killed"), Random(request.param)  # noqa: S311 - to be had again

    async def play() -> tuple[GatewayRun, Ended]:
        with processes() as starts:
            kill_run = GatewayRun(folder, starts, chance)
            return kill_run, await kill_run.play(moments(chance, KILLS))

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        kill_run, ended = runner.run(play())
    sheets = list(sheets_of(folder / "data" / JOURNAL))
    return FinishedRun(kill_run, ended, folder / "data", sheets, JournalTotals().read(sheets))


def test_wire_kept_its_word(finished: FinishedRun) -> None:
    """No page missed a delta or received chips that do not add up, over either gateway, held or not.

    Pages send no pings: one that has nothing to say while the house is away for long is silent.
    """
    assert [each for page in finished.pages for each in page.complaints] == []
    assert {code for page in finished.pages for code in page.byes} <= {"busy", "silent"}
