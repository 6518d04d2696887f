"""Opening and closing a venue: open_venue refuses unsafe configurations and stops cleanly."""

import errno
import socket
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from croupier.app import NotOpenedError, open_venue
from croupier.config.schema import Config
from croupier.engine.accepting import EVERYWHERE, LOOPBACK, lan_address, names_of
from croupier.engine.ports import Request
from croupier.engine.sequencer import BATCH_MAX
from croupier.engine.storage import RESTORING, SWAP_FILE, JournalSwap
from croupier.house.floor.staff import ReleasePerson
from croupier.house.ids import PersonId
from croupier.journal.disk import StoreLocked
from croupier.journal.keystore import KeyStore
from croupier.operations.control import ChangedFile, IntegrityFailed, address
from croupier.rules.refusal import Code, Refusal
from tests.support.connections import CHEAP, VENUE, configured, open_house, played

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

    async def provisioning() -> int:
        async with open_house(tmp_path) as house:
            return house.venue.run.writer.head.position

    position = played(provisioning)
    (against,) = refused(tmp_path, f'mode = "real"\n{VENUE}')

    assert against.code is Code.SETTING_IMPOSSIBLE
    assert "Demo and real money never mix" in against.message
    assert played(provisioning) >= position


def test_real_money_off_this_machine_needs_tls(tmp_path: Path) -> None:
    """A house for real money that listens on the network without TLS does not open."""
    text = f'mode = "real"\nlisten.host = "0.0.0.0"\n{VENUE}'.replace("listen.port = 0", "listen.port = 1")

    assert "TLS" in refused(tmp_path, text)[0].message


def test_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    """A data directory that other users can change keeps a house shut, and nothing is written into it."""
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)

    assert "mode 700" in refused(tmp_path, VENUE)[0].message
    assert list(data.iterdir()) == []


def test_changed_software_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Software that is not what was installed opens no house."""
    found = IntegrityFailed((ChangedFile("changed", "croupier/house/settling.py", "croupier"),))
    monkeypatch.setattr("croupier.app.verify", lambda: found)

    assert refused(tmp_path, VENUE)[-1].code is Code.SOFTWARE_NOT_APPROVED


def test_second_start_on_the_same_data_is_refused(tmp_path: Path) -> None:
    """While one process has a house open no other opens it, and the first goes on."""

    async def twice() -> None:
        async with open_house(tmp_path) as house:
            with pytest.raises(StoreLocked):
                await open_venue(configured(tmp_path), hasher=CHEAP)
            player = await house.seated()
            assert player.device == "A-1"

    played(twice)


def test_what_the_house_refuses_keeps_it_shut(tmp_path: Path) -> None:
    """A configuration that the house refuses is reported, and the house can be opened afterwards."""

    async def name_taken() -> None:
        async with open_house(tmp_path) as house:
            board = await house.client()
            board.say("hello", screen="board", join="")
            await board.hear("snap")

    played(name_taken)
    against, *_ = refused(tmp_path, VENUE + SECOND_TABLE.replace('"B"', '"board-1"'))

    assert against.code is Code.ALREADY_THERE
    played(name_taken)


def test_codes_are_reported_once(tmp_path: Path) -> None:
    """Everybody without a secret has a one-time code at the first start, and nobody at the second."""

    async def codes() -> set[str]:
        async with open_house(tmp_path) as house:
            return set(house.venue.codes)

    assert played(codes) == {"dealer", "inspector", "manager", "manager 2", "cashier"}
    assert played(codes) == set()


@pytest.mark.parametrize("secret", ["", 'password = "what anybody can read"'], ids=["code", "secret"])
def test_whoever_was_released_stays_out_after_a_start(tmp_path: Path, secret: str) -> None:
    """A start neither enrols whoever was released nor gives them anything to sign in with, and the log says so."""
    text, dealer = VENUE.replace('titles = ["Dealer"]', f'titles = ["Dealer"]\n{secret}'), PersonId("dealer")

    async def released() -> None:
        async with open_house(tmp_path, text) as house:
            await house.venue.commit_loop.ask(Request(ReleasePerson(dealer)))
            house.venue.verifier.credential_store.release_person(dealer)

    async def later() -> None:
        with capture_logs() as logged:
            async with open_house(tmp_path, text) as house:
                assert dealer not in house.venue.run.house.staff.people
                assert dealer not in house.venue.verifier.credential_store.load().accounts
                assert house.venue.codes == {}
        remedy = "enrol them at the pit console, or remove them from the file"
        words = f"dealer was released but is still in the file: {remedy}."
        assert [each["words"] for each in logged if each["event"] == "file_differs"] == [words]

    played(released)
    played(later)


def test_secret_of_a_demonstration_must_be_one(tmp_path: Path) -> None:
    """A configured secret that is too short to be one keeps the house shut."""
    text = VENUE.replace('person = "dealer"', 'person = "dealer"\npassword = "x"')

    assert refused(tmp_path, text)[0].code is Code.MALFORMED


def test_stop_leaves_a_snapshot(tmp_path: Path) -> None:
    """A house that was stopped in good order has a snapshot of its last entry."""

    async def scenario() -> int:
        async with open_house(tmp_path) as house:
            await house.seated()
            run = house.venue.run
        return run.writer.head.position - run.snapshot_position

    assert played(scenario) == 0
    assert isinstance(configured(tmp_path), Config)


class NoRoute(socket.socket):
    """A socket on a machine that is on no network."""

    def connect(self, _address: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")


def test_machine_on_no_network_is_known_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no network a machine goes by its own loopback address, and otherwise by one of its own."""
    assert lan_address() in names_of(EVERYWHERE)
    monkeypatch.setattr("croupier.engine.accepting.socket.socket", NoRoute)

    assert lan_address() == "127.0.0.1"
    assert names_of("192.0.2.7") == {"192.0.2.7", *LOOPBACK}


def test_more_seats_than_fit_into_one_turn_are_set_up(tmp_path: Path) -> None:
    """A house with more to set up than one turn takes is set up in several."""

    async def opening() -> int:
        async with open_house(tmp_path, VENUE.replace("seats = 3", f"seats = {BATCH_MAX}")) as house:
            return len(house.venue.run.house.terminals)

    assert played(opening) == BATCH_MAX


def test_house_opens_where_there_can_be_no_control_socket(tmp_path: Path) -> None:
    """Something else in the place of the socket keeps nobody out: the house is only not asked from its host."""
    safe = KeyStore(tmp_path / "data.keys")
    address(safe).joinpath("in the way").mkdir(parents=True)
    safe.path.chmod(0o700)

    async def opening() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            assert player.device == "A-1"

    played(opening)


def test_copy_that_a_crash_left_is_taken_away(tmp_path: Path) -> None:
    """A start takes away the half of a copy that whoever ran before was making."""
    staged = tmp_path / "data" / "backing-up"
    staged.mkdir(parents=True, mode=0o700)
    (tmp_path / "data").chmod(0o700)
    (staged / "journal.db").write_bytes(b"half")

    async def opening() -> None:
        async with open_house(tmp_path):
            assert not staged.exists()

    played(opening)


def test_start_completes_a_restore_whose_journal_is_in_place(tmp_path: Path) -> None:
    """Where a restore was killed after its last file was moved, the next start goes on from it, and says so once."""

    async def opening() -> None:
        async with open_house(tmp_path):
            pass
        note = tmp_path / "data" / RESTORING / SWAP_FILE
        note.parent.mkdir()
        note.write_bytes(msgspec.json.encode(JournalSwap("/backups/last", None)))
        with capture_logs() as logs:
            async with open_house(tmp_path):
                assert not note.parent.exists()
        assert [each["backup"] for each in logs if each["event"] == "restore_completed"] == ["/backups/last"]

    played(opening)


def test_start_removes_what_an_interrupted_restore_has_left(tmp_path: Path) -> None:
    """A copy of a backup beside a journal that was started is removed, with whatever is in it."""

    async def opening() -> None:
        async with open_house(tmp_path):
            pass
        left = tmp_path / "data" / RESTORING
        left.joinpath("deeper").mkdir(parents=True)
        left.joinpath("journal.db").write_bytes(b"a copy")
        async with open_house(tmp_path):
            assert not left.exists()

    played(opening)
