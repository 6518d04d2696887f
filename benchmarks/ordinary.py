"""An ordinary web stack: FastAPI, pydantic, and SQLite with one commit for each bet, then the response.

Built as well as that stack allows: the quickest WebSocket implementation that uvicorn has, uvloop, statements that are
prepared once, no ORM, no logging, and one thread that writes, so that the loop reads on while the disk is waited for.
Run it with ``python -m benchmarks.ordinary DATABASE SEATS``; it prints where it listens.
"""

import asyncio
import socket
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Literal

import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError

CREDIT = 10**12
SPOTS = frozenset(map(str, range(37))) | {f"{low}/{low + 3}" for low in range(1, 34)}

TABLES = """
CREATE TABLE terminal (name TEXT PRIMARY KEY, credit INTEGER NOT NULL CHECK (credit >= 0)) WITHOUT ROWID;
CREATE TABLE bet (
    number INTEGER PRIMARY KEY, terminal TEXT NOT NULL, id INTEGER NOT NULL, round INTEGER NOT NULL,
    spot TEXT NOT NULL, amount INTEGER NOT NULL
);
"""
PAY = "UPDATE terminal SET credit = credit - ? WHERE name = ? AND credit >= ? RETURNING credit"
PLACE = "INSERT INTO bet (terminal, id, round, spot, amount) VALUES (?, ?, ?, ?, ?)"


class Bet(BaseModel):
    """A bet as a terminal sends it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    t: Literal["bet"]
    id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    terminal: Annotated[str, Field(min_length=1, max_length=64)]
    round: Annotated[int, Field(ge=1)]
    spot: Annotated[str, Field(max_length=32)]
    amount: Annotated[int, Field(ge=1, le=10_000_000)]


class Refused(BaseModel):
    """A bet that was refused."""

    id: int
    code: str


class Response(BaseModel):
    """The response to a bet."""

    id: int
    credit: int | None = None
    refused: list[Refused] | None = None


class Books:
    """Credits and bets in SQLite."""

    def __init__(self, path: str, seats: int) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._writer = ThreadPoolExecutor(1)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(TABLES)
        self._database.execute("BEGIN")
        rows = ((f"A-{number}", CREDIT) for number in range(1, seats + 1))
        self._database.executemany("INSERT INTO terminal VALUES (?, ?)", rows)
        self._database.execute("COMMIT")

    async def place(self, bet: Bet) -> int | None:
        """Take a bet and have it on the disk; give the credit that is left, or None where it was too little."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._committed, bet)

    def _committed(self, bet: Bet) -> int | None:
        execute = self._database.execute
        execute("BEGIN IMMEDIATE")
        row = execute(PAY, (bet.amount, bet.terminal, bet.amount)).fetchone()
        if row is None:
            execute("ROLLBACK")
            return None
        execute(PLACE, (bet.terminal, bet.id, bet.round, bet.spot, bet.amount))
        execute("COMMIT")
        credit: int = row[0]
        return credit


async def respond(books: Books, text: str) -> Response:
    """Decide on what a terminal sent."""
    try:
        bet = Bet.model_validate_json(text)
    except ValidationError:
        return Response(id=0, refused=[Refused(id=0, code="malformed")])
    if bet.spot not in SPOTS:
        return Response(id=bet.id, refused=[Refused(id=bet.id, code="spot_not_on_layout")])
    credit = await books.place(bet)
    if credit is None:
        return Response(id=bet.id, refused=[Refused(id=bet.id, code="credit_short")])
    return Response(id=bet.id, credit=credit)


def application(books: Books) -> FastAPI:
    """The application: one WebSocket for each terminal."""
    app = FastAPI()

    @app.websocket("/wire")
    async def wire(terminal: WebSocket) -> None:
        await terminal.accept()
        try:
            while True:
                response = await respond(books, await terminal.receive_text())
                await terminal.send_text(response.model_dump_json(exclude_none=True))
        except WebSocketDisconnect:
            return

    return app


def main(database: str, seats: int) -> None:
    """Serve on a port that the system chooses."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    print("{}:{}".format(*listener.getsockname()), flush=True)
    app = application(Books(database, seats))
    config = uvicorn.Config(
        app, loop="uvloop", ws="websockets-sansio", log_level="warning", ws_per_message_deflate=False, lifespan="off"
    )
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
