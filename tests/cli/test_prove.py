"""A draw proven by a stranger: the page is all that is needed to recompute it, and only a signed journal proves it."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from croupier.cli.main import run
from croupier.house.ids import TableId
from croupier.house.rounds.draws import DrawProven
from croupier.house.rounds.settlement import ResultDeclared
from croupier.protocol.outbound import DrawState
from croupier.server.views.table import draw_state
from tests.support.connections import open_house, played

PROJECT: Final = Path(__file__).parents[2]
#: A house with one seat at a random wheel whose draws are proven.
VENUE: Final = """
venue = "Test house"
data = "data"
listen.port = 0
[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 1
wheel = "random"
provable = true
minimum = 1
maximum = 100
betting_s = 20
spin_s = 4
pause_s = 3
"""
SHARE: Final = "a1" * 32


class Stranger:
    """Someone who has the page on devices, and nothing else of this project."""

    def __init__(self) -> None:
        page = (PROJECT / "docs" / "devices.md").read_text("utf-8")
        self._page = page[page.index("## Provable draws") :]

    def orders(self) -> dict[str, list[str]]:
        rows = re.findall(r"^\| `([a-z0-9-]+)` \| ([0-9 ]+) \|$", self._page, re.MULTILINE)
        return {rulebook: order.split() for rulebook, order in rows}

    def example(self) -> dict[str, list[str]]:
        rows = re.findall(r"^\| ([a-z, ]+3?) \| (`.+`) \|$", self._page, re.MULTILINE)
        return {part: re.findall(r"`([^`]+)`", values) for part, values in rows}

    @staticmethod
    def digest(*lines: object) -> bytes:
        whole = hashlib.sha256()
        for line in lines:
            whole.update(str(line).encode("utf-8") + b"\x0a")
        return whole.digest()

    def commitment(self, spin: tuple[object, ...], party: str, hidden: str) -> str:
        return self.digest("croupier commitment 2", *spin, party, hidden).hex()

    def seed(self, spin: tuple[object, ...], secret: str, shares: dict[int, str]) -> bytes:
        return self.digest("croupier draw 2", *spin, secret, *(f"{at} {shares[at]}" for at in sorted(shares)))

    def pocket(self, order: list[str], seed: bytes) -> str:
        counter = 0
        while True:
            for byte in hashlib.sha256(seed + counter.to_bytes(8, "big")).digest():
                if byte < 256 - 256 % len(order):
                    return order[byte % len(order)]
            counter += 1

    def verifies(self, record: dict[str, Any]) -> bool:
        """Verify a record as it was saved, as JSON."""
        spin, shares = (record["table"], record["round"], record["spin"]), record["revealed"]
        committed = {at: self.commitment(spin, "player", share) for at, share in shares.items()}
        house = self.commitment(spin, "house", record["secret"])
        order = self.orders()[record["rulebook"]]
        follows = self.pocket(order, self.seed(spin, record["secret"], {int(at): each for at, each in shares.items()}))
        return (house, committed, follows) == (record["commitment"], record["committed"], record["pocket"])


def test_example_of_the_page_follows_from_the_page() -> None:
    """Every value of the example follows from its secret and share by the steps of the page."""
    stranger = Stranger()
    example = stranger.example()
    spin = tuple(example["table, round, spin"])
    (secret,), (share,) = example["secret"], example["share of position 3"]
    seed = stranger.seed(spin, secret, {3: share})
    assert stranger.commitment(spin, "house", secret) == example["commitment of the house"][0]
    assert stranger.commitment(spin, "player", share) == example["commitment of position 3"][0]
    assert seed.hex() == example["seed"][0]
    stream = hashlib.sha256(seed + bytes(8)).digest()
    assert " ".join(map(str, stream[:4])) == example["first bytes of the stream"][0]
    assert stranger.pocket(stranger.orders()["skycity-adelaide-2003"], seed) == example["pocket"][0]


def drawn(folder: Path, *, shares: bool = True) -> DrawState:
    """Play one round with a share or without, and stop the house; return the record as its terminal has it."""

    async def scenario() -> DrawState:
        async with open_house(folder, VENUE) as house:
            player = await house.client()
            await player.sit()
            table = house.venue.run.house.tables[TableId("A")]
            while table.round is None or draw_state(table) is None:
                await house.pass_s(1)
            at: dict[str, object] = {"terminal": player.device, "table": "A", "round": table.rounds, "spin": 1}
            if shares:
                spin = ("A", table.rounds, 1)
                committed = Stranger().commitment(spin, "player", SHARE)
                await player.answered(player.ask("CommitShare", **at, commitment=committed))
            record = None
            while record is None or record.secret is None:
                await house.pass_s(1)
                if shares and table.playing.sealed is not None and "1" not in (record.revealed if record else {}):
                    player.ask("RevealShare", **at, share=SHARE)
                record = draw_state(table)
            assert house.happened(DrawProven)
            assert house.happened(ResultDeclared)
            return record

    return played(scenario)


def proves(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """Run the command, and return what it says, with its exit code."""
    capsys.readouterr()
    code = run(["prove", *map(str, arguments), "--json"])
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return {**said, "code": code}


@pytest.mark.parametrize("shares", [1, 0])
def test_record_is_proven_by_the_journal_and_by_a_stranger(
    shares: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A record of a real round follows from the page alone, and the signed journal and its export prove it."""
    state = drawn(tmp_path, shares=bool(shares))
    assert len(state.revealed) == shares
    record, data = tmp_path / "draw.json", tmp_path / "data"
    record.write_bytes(msgspec.json.encode(state))
    assert Stranger().verifies(json.loads(record.read_bytes()))
    for arguments in ((record, "--data", data), ("--data", data, "--table", "A", "--round", state.round)):
        assert proves(capsys, *arguments)["code"] == 0
    bundle, key = tmp_path / "part.zip", tmp_path / "data.keys" / "public.pem"
    assert run(["export", "--data", str(data), "--out", str(bundle)]) == 0
    assert proves(capsys, record, "--journal", bundle, "--key", key)["proven"] is True
    assert proves(capsys, bundle, "--table", "A", "--round", state.round)["proven"] is True
    assert run(["prove", str(record), "--data", str(data)]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert ("and from 1 shares of players" if shares else "the house alone chose the secret") in words


def test_record_alone_is_consistent_and_not_proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a journal a record is at best consistent, and the command says what is missing."""
    record = tmp_path / "draw.json"
    record.write_bytes(msgspec.json.encode(drawn(tmp_path)))
    said = proves(capsys, record)
    assert (said["code"], said["proven"], said["consistent"]) == (1, False, True)
    assert said["problems"][0].startswith("No journal was given")


def test_record_invented_afterwards_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record with a secret, commitment and number of its own is consistent, and the journal refutes it."""
    state, stranger, record = drawn(tmp_path, shares=False), Stranger(), tmp_path / "draw.json"
    spin, order = (state.table, state.round, state.spin), stranger.orders()[state.rulebook]
    invented = next(
        msgspec.structs.replace(
            state,
            secret=secret,
            commitment=stranger.commitment(spin, "house", secret),
            pocket=stranger.pocket(order, stranger.seed(spin, secret, {})),
        )
        for secret in (f"{each:064x}" for each in range(1_000))
        if stranger.pocket(order, stranger.seed(spin, secret, {})) != state.pocket
    )
    record.write_bytes(msgspec.json.encode(invented))
    assert stranger.verifies(json.loads(record.read_bytes()))
    assert proves(capsys, record)["consistent"] is True
    said = proves(capsys, record, "--data", tmp_path / "data")
    assert (said["code"], said["problems"]) == (1, ["The record differs from the journal."])
    # The record of another round does not pass for this one either.
    record.write_bytes(msgspec.json.encode(msgspec.structs.replace(state, round=state.round + 1)))
    assert run(["prove", str(record), "--data", str(tmp_path / "data")]) == 2


@pytest.mark.parametrize("position", ["x", "-1", "", "\u0661", "9" * 5_000])
def test_damaged_record_is_refused(position: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record that names a position by anything but a number is refused in words, however long it is."""
    record = tmp_path / "draw.json"
    spin = {"rulebook": "generic-european", "table": "A", "round": 1, "spin": 1, "pocket": "17"}
    shares = {"commitment": SHARE, "committed": {}, "revealed": {position: SHARE}, "secret": SHARE}
    record.write_text(json.dumps(spin | shares), "utf-8")
    assert run(["prove", str(record)]) == 2
    assert "is damaged" in capsys.readouterr().err


def test_damaged_export_proves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An export that was changed, or that another venue signed, is refused."""
    state = drawn(tmp_path)
    bundle, record = tmp_path / "part.zip", tmp_path / "draw.json"
    record.write_bytes(msgspec.json.encode(state))
    assert run(["export", "--data", str(tmp_path / "data"), "--out", str(bundle)]) == 0
    drawn(tmp_path / "other")
    other = tmp_path / "other" / "data.keys" / "public.pem"
    assert run(["prove", str(record), "--journal", str(bundle), "--key", str(other)]) == 2
    whole = bundle.read_bytes()
    bundle.write_bytes(whole[:200] + bytes((whole[200] ^ 1,)) + whole[201:])
    assert run(["prove", str(record), "--journal", str(bundle)]) == 2
    bundle.unlink()
    assert run(["prove", str(record), "--journal", str(bundle)]) == 2
    capsys.readouterr()
