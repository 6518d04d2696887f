"""The assembly: a house is opened only where it may be, and its steward sees to it while it is open."""

import asyncio
import errno
import socket
from pathlib import Path

import pytest

from croupier.assembly import NotOpenedError, open_venue
from croupier.assembly.address import EVERYWHERE, LOOPBACK, lan_address, names_of
from croupier.assembly.steward import VERIFY_EVERY
from croupier.config.reader import parse_config
from croupier.config.shape import Config
from croupier.engine.sequencer import BATCH_MOST
from croupier.house.command.record import IncidentKind
from croupier.house.name import SECOND, TableId
from croupier.journal.fault import InUse
from croupier.journal.safe import Safe
from croupier.rules.refusal import Code, Refusal
from croupier.upkeep.answer import BackedUp, Difference, Differs, Reloaded, Status, Unverified
from croupier.upkeep.client import ask
from croupier.upkeep.copy import prove
from croupier.upkeep.fault import UpkeepFault
from croupier.upkeep.request import MakeBackup, ReloadSettings, TellStatus, address
from croupier.web.limits import ERRANDS_MOST
from tests.doors import CHEAP, VENUE, TestHouse, configured, open_house, played

SECOND_TABLE = """
[[tables]]
id = "B"
rulebook = "skycity-adelaide-2003"
seats = 1
wheel = "random"
betting_s = 10
pause_s = 2
"""


def refused(folder: Path, text: str) -> tuple[Refusal, ...]:
    """Why a house does not open."""

    async def opening() -> tuple[Refusal, ...]:
        with pytest.raises(NotOpenedError) as error:
            await open_venue(configured(folder, text), hasher=CHEAP)
        return error.value.refusals

    return played(opening)


def test_mode_is_fixed_by_the_first_entry(tmp_path: Path) -> None:
    """A house that was founded for play money does not open for real money, and stays as it was."""

    async def founding() -> int:
        async with open_house(tmp_path) as house:
            return house.venue.run.writer.mark.position

    position = played(founding)
    (against,) = refused(tmp_path, f'mode = "real"\n{VENUE}')

    assert against.code is Code.SETTING_IMPOSSIBLE
    assert "Demo and real money never mix" in against.says
    assert played(founding) >= position


def test_real_money_off_this_machine_needs_tls(tmp_path: Path) -> None:
    """A house for real money that listens on the network without TLS does not open."""
    text = f'mode = "real"\nlisten.host = "0.0.0.0"\n{VENUE}'.replace("listen.port = 0", "listen.port = 1")

    assert "TLS" in refused(tmp_path, text)[0].says


def test_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    """A data directory that other users can change keeps a house shut, and nothing is written into it."""
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)

    assert "mode 700" in refused(tmp_path, VENUE)[0].says
    assert list(data.iterdir()) == []


def test_changed_software_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Software that is not what was installed opens no house."""
    found = Differs((Difference("changed", "croupier/house/settling.py", "croupier"),))
    monkeypatch.setattr("croupier.assembly.venue.verify", lambda: found)

    assert refused(tmp_path, VENUE)[-1].code is Code.SOFTWARE_NOT_APPROVED


def test_second_start_on_the_same_data_is_refused(tmp_path: Path) -> None:
    """While one process has a house open no other opens it, and the first goes on."""

    async def twice() -> None:
        async with open_house(tmp_path) as house:
            with pytest.raises(InUse):
                await open_venue(configured(tmp_path), hasher=CHEAP)
            player = await house.seated()
            assert player.device == "A-1"

    played(twice)


def test_what_the_house_refuses_keeps_it_shut(tmp_path: Path) -> None:
    """A configuration that asks the house for what it refuses is told so, and the house can be opened afterwards."""

    async def name_taken() -> None:
        async with open_house(tmp_path) as house:
            board = await house.client()
            board.say("hello", door="board", join="")
            await board.hear("snap")

    played(name_taken)
    against, *_ = refused(tmp_path, VENUE + SECOND_TABLE.replace('"B"', '"board-1"'))

    assert against.code is Code.ALREADY_THERE
    played(name_taken)


def test_codes_are_told_once(tmp_path: Path) -> None:
    """Everybody without a secret has a one-time code at the first start, and nobody at the second."""

    async def codes() -> set[str]:
        async with open_house(tmp_path) as house:
            return set(house.venue.codes)

    assert played(codes) == {"dealer", "inspector", "manager", "manager 2", "cashier"}
    assert played(codes) == set()


def test_secret_of_a_demonstration_must_be_one(tmp_path: Path) -> None:
    """A configured secret that is too short to be one keeps the house shut."""
    text = VENUE.replace('person = "dealer"', 'person = "dealer"\nsecret = "x"')

    assert refused(tmp_path, text)[0].code is Code.MALFORMED


async def asked(house: TestHouse, request: MakeBackup | ReloadSettings | TellStatus) -> object:
    """Ask on the control socket, as the command line does."""
    safe = Safe(house.venue.config.safe)
    answering = asyncio.get_running_loop().run_in_executor(None, ask, safe, request)
    while not answering.done():
        await house.rest()
        await asyncio.sleep(0.001)
    return await answering


def test_backup_is_made_while_people_bet(tmp_path: Path) -> None:
    """A backup of an open house is proven, and bets go on between its steps."""

    async def evening() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.pass_s(6)
            backing_up = asyncio.ensure_future(asked(house, MakeBackup(str(tmp_path / "backups"), 3)))
            told = await player.answered(player.bet("17", 500, 1))
            made = await backing_up

            assert told["set"]["games"]["A"]["stakes"] == {"17": 500}
            assert isinstance(made, BackedUp)
            mark = prove(Path(made.path) / "journal.db", house.venue.run.archive.signer)
            assert mark.position == made.position

    played(evening)


def test_configuration_is_read_again_while_the_house_is_open(tmp_path: Path) -> None:
    """A table that was added to the file stands and turns once the file is read again; another mode is refused."""

    async def evening() -> None:
        async with open_house(tmp_path) as house:
            await house.pass_s(1)
            (wheel,) = house.venue.conductor.wheels
            steward = house.venue.steward
            with pytest.raises(UpkeepFault, match="not set up from a file"):
                await steward.reload()
            steward.reread = lambda: configured(tmp_path, VENUE + SECOND_TABLE)
            told = await asked(house, ReloadSettings())

            assert isinstance(told, Reloaded)
            assert told.lines[:2] == ("AddTable was done.", "AddTerminal was done.")
            assert house.venue.conductor.wheels[0] is wheel
            player = await house.seated("B")
            await house.pass_s(40)
            assert house.venue.run.house.tables[TableId("B")].rounds > 1
            assert player.device == "B-1"

            steward.reread = lambda: configured(tmp_path, f'mode = "real"\n{VENUE}')
            with pytest.raises(UpkeepFault, match="never mix"):
                await steward.reload()
            steward.reread = lambda: parse_config("venue = 1", where=tmp_path / "bad.toml")
            steward.begin_reload()
            await asyncio.gather(*steward.under_way)

    played(evening)


def test_status_says_what_somebody_should_know(tmp_path: Path) -> None:
    """The status of a source checkout says that its software is unverified."""

    async def evening() -> None:
        async with open_house(tmp_path) as house:
            told = await asked(house, TellStatus())

            assert isinstance(told, Status)
            assert told.epoch == house.venue.run.epoch
            assert any("unverified" in line for line in told.remarks)

    played(evening)


def test_software_is_verified_every_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Software that changes while the house is open is found within a day, told to staff, and reported as another."""
    found = [Differs((Difference("changed", "croupier/house/settling.py", "croupier"),)), Unverified("no record")]

    async def evening() -> None:
        async with open_house(tmp_path, VENUE.replace('wheel = "random"\nbetting_s = 30\n', "")) as house:
            monkeypatch.setattr("croupier.assembly.steward.verify", found.pop)
            run = house.venue.run
            for _ in range(2):
                await house.leap(VERIFY_EVERY / SECOND)
                await asyncio.gather(*house.venue.steward.under_way)
            await house.rest()

            assert [each.kind for each in run.house.incidents.values()] == [IncidentKind.SOFTWARE_DIFFERS]
            assert run.house.running.endswith("(changed)")

    played(evening)


def test_stop_leaves_a_snapshot(tmp_path: Path) -> None:
    """A house that was stopped in good order has a snapshot of its last entry."""

    async def evening() -> int:
        async with open_house(tmp_path) as house:
            await house.seated()
            run = house.venue.run
        return run.unsaved

    assert played(evening) == 0
    assert isinstance(configured(tmp_path), Config)


class NoRoute(socket.socket):
    """A socket on a machine that is on no network."""

    def connect(self, _address: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")


def test_machine_on_no_network_is_known_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no network a machine goes by its own loopback address, and otherwise by one of its own."""
    assert lan_address() in names_of(EVERYWHERE)
    monkeypatch.setattr("croupier.assembly.address.socket.socket", NoRoute)

    assert lan_address() == "127.0.0.1"
    assert names_of("192.0.2.7") == {"192.0.2.7", *LOOPBACK}


def test_more_seats_than_fit_into_one_turn_are_set_up(tmp_path: Path) -> None:
    """A house with more to set up than one turn takes is set up in several."""

    async def opening() -> int:
        async with open_house(tmp_path, VENUE.replace("seats = 3", f"seats = {BATCH_MOST}")) as house:
            return len(house.venue.run.house.terminals)

    assert played(opening) == BATCH_MOST


def test_house_opens_where_there_can_be_no_control_socket(tmp_path: Path) -> None:
    """Something else in the place of the socket keeps nobody out: the house is only not asked from its host."""
    safe = Safe(tmp_path / "data.safe")
    address(safe).joinpath("in the way").mkdir(parents=True)
    safe.path.chmod(0o700)

    async def opening() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            assert player.device == "A-1"

    played(opening)


def test_backup_is_declined_while_too_much_waits(tmp_path: Path) -> None:
    """Where too much waits to be done with the journal a backup is refused, and the house goes on."""

    async def evening() -> None:
        async with open_house(tmp_path) as house:
            waiting = [asyncio.ensure_future(house.venue.conductor.errand(int)) for _ in range(ERRANDS_MOST)]
            await asyncio.sleep(0)
            with pytest.raises(UpkeepFault, match="too much waits"):
                await house.venue.steward.backup(tmp_path / "backups", None)
            await asyncio.gather(*waiting)

    played(evening)
