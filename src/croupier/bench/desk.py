"""A desk: the dealer's console at the wire, from which a round is run while a crowd is being measured."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

from croupier.bench.fault import BenchFault
from croupier.bench.frames import masked, upgrade
from croupier.bench.line import MOST, Line, read
from croupier.bench.process import Address
from croupier.web.incoming import PROTOCOL

CONSOLE: Final = "desk"
PERSON: Final = "dealer"
SECRET: Final = "no more bets"  # noqa: S105 - of a house that is gone when it has been measured
TABLE: Final = "A"
WIRE: Final = "/wire"
#: How long a desk waits for an answer, in seconds.
PATIENCE_S: Final = 30


class Desk:
    """A member of staff at a console, and what they have been told."""

    def __init__(self, kind: str = "dealer", console: str = CONSOLE, person: str = PERSON) -> None:
        self._kind, self._console, self._person = kind, console, person
        self._line = Line(0, person, "id")
        self._line.socket.settimeout(PATIENCE_S)
        self._numbers, self.epoch, self.round = count(1), 0, 0
        self._waiting: list[bytes] = []

    def sign_in(self, address: Address, key: str) -> None:
        """Come in at the console, and sign."""
        self._line.socket.connect(address)
        self._line.send(upgrade(address.host, address.port, WIRE))
        self._waiting += self._after_head()
        self._say(t="hello", door=self._kind, protocol=PROTOCOL, device=self._console, key=key)
        self._until("welcome")
        self._say(t="sign_in", person=self._person, secret=SECRET)
        self._learn(self._until("snap"))

    def _after_head(self) -> list[bytes]:
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._line.recv(MOST)
        rest = data.partition(b"\r\n\r\n")[2]
        return list(self._line.messages(rest)) if rest else []

    def _learn(self, snap: dict[str, Any]) -> None:
        self.epoch, self._numbers = snap["epoch"], count(snap["last_cmd"] + 1)
        self.round = next(state["round"] for _, state in snap["tables"] if state["table"] == TABLE)

    def ask(self, kind: str, **fields: object) -> None:
        """Ask for a step of the round, and wait until it is done."""
        self.await_answer(self.post(kind, **fields))

    def post(self, kind: str, **fields: object) -> int:
        """Ask for a step of the round; its answer is waited for by the number that is given back."""
        number = next(self._numbers)
        self._say(t="ask", id=number, epoch=self.epoch, command={"type": kind, "table": TABLE, **fields})
        return number

    def await_answer(self, number: int) -> None:
        answer = self._until("ack")
        if answer["id"] != number or "refusal" in answer:
            raise BenchFault(f"the dealer was refused: {json.dumps(answer)}")

    def open_bets(self) -> int:
        """Begin a round; give its number."""
        self.ask("OpenBets")
        self.round += 1
        return self.round

    def attend(self) -> None:
        """Read all that the console is told, give signs of life, and do nothing else."""
        self._line.socket.settimeout(1)
        while True:
            try:
                for _ in self._line.messages(self._line.recv(MOST)):
                    pass
            except TimeoutError:
                self._say(t="ping", c=0)

    def _say(self, **message: object) -> None:
        self._line.send(masked(json.dumps(message).encode()))

    def _until(self, kind: str) -> dict[str, Any]:
        """Read on until a message of a kind has come."""
        while True:
            while self._waiting:
                message = read(self._waiting.pop(0))
                if message["t"] == kind:
                    return message
            self._waiting += self._line.messages(self._line.recv(MOST))

    def close(self) -> None:
        self._line.close()


@contextmanager
def seated(address: Address, key: str) -> Iterator[Desk]:
    """Seat a dealer for a while: nobody waits at a desk while a crowd is loaded."""
    desk = Desk()
    try:
        desk.sign_in(address, key)
        yield desk
    except TimeoutError as error:
        raise BenchFault(f"the dealer was not answered within {PATIENCE_S} seconds") from error
    finally:
        desk.close()
