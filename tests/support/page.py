"""A page model: the state that a client of the wire holds, from its last snapshot and every delta since."""

from typing import Any

Said = dict[str, Any]


class Page:
    """Takes in what the house says, and holds what is to be shown. It reckons nothing and guesses nothing."""

    def __init__(self) -> None:
        #: For a snapshot: no delta counts before it.
        self.waits = True
        self.epoch = self.v = self.last_cmd = 0
        #: By name: the version, and what everybody at the table may see.
        self.tables: dict[str, tuple[int, Said]] = {}
        self.fixture: Said | None = None
        self.seat: Said | None = None
        self.floor: Said | None = None
        #: A live table with its version, its collection and payment, and the notice at a table.
        self.live: Said | None = None
        self.walk: Said | None = None
        self.notice: Said | None = None
        #: What was refused, by the number of the command.
        self.refused: dict[int, Said] = {}

    @property
    def shown(self) -> Said:
        """All that a new snapshot would give too. Consoles are answered one by one, beside their deltas."""
        return {
            "epoch": self.epoch,
            "last_cmd": None if self.seat is None else self.last_cmd,
            "tables": self.tables,
            "fixture": self.fixture,
            "seat": self.seat,
            "floor": self.floor,
            "live": self.live,
            "walk": self.walk,
            "notice": self.notice,
        }

    def state(self, table: str) -> Said:
        """What a table shows."""
        return self.tables[table][1]

    def game(self, table: str) -> Said:
        """What a seat shows of one of its games."""
        assert self.seat is not None
        return dict(self.seat["games"][table])

    def is_answered(self, number: int) -> bool:
        return number <= self.last_cmd or number in self.refused

    def take(self, frame: Said) -> bool:
        """Apply a frame; return whether none was missed. After a gap the client requests a resync."""
        match frame["t"]:
            case "snap":
                self._begin_with(frame)
            case "table":
                self._place(frame["tv"], frame["state"])
            case "ack" if "refusal" in frame:
                self.refused[frame["id"]] = frame["refusal"]
            case "live":
                return self._live(frame)
            case "walk":
                self.walk = frame["state"]
            case "notice_state":
                self.notice = frame["state"]
            case "seat" | "floor":
                return self._lay_over(frame)
        return True

    def _begin_with(self, snap: Said) -> None:
        self.waits = False
        self.epoch, self.v, self.last_cmd = snap["epoch"], snap["v"], snap["last_cmd"]
        self.tables = {}
        for version, state in snap["tables"]:
            self._place(version, state)
        self.fixture, self.seat, self.floor = snap.get("fixture"), snap.get("seat"), snap.get("floor")
        self.live, self.walk, self.notice = snap.get("live"), snap.get("walk"), snap.get("notice")

    def _place(self, version: int, state: Said) -> None:
        """Take the state of a table, unless a later one is known: whole frames have no gaps."""
        known = self.tables.get(state["table"])
        if known is None or version > known[0]:
            self.tables[state["table"]] = version, state

    def _live(self, frame: Said) -> bool:
        """Apply a delta to a live table: of its players it has the rows that have changed, null for one who left."""
        if self.waits or self.live is None or frame["lv"] <= self.live["lv"]:
            return True
        if frame["lv"] > self.live["lv"] + 1:
            return False
        state = {**self.live["state"], **frame["set"]}
        rows = {**self.live["state"]["players"], **frame["set"].get("players", {})}
        state["players"] = {key: row for key, row in rows.items() if row is not None}
        self.live = {"table": frame["table"], "lv": frame["lv"], "state": state}
        return True

    def _lay_over(self, frame: Said) -> bool:
        if self.waits or frame["v"] <= self.v:
            return True
        if frame["v"] > self.v + 1:
            self.waits = True
            return False
        self.v, self.last_cmd = frame["v"], frame["last_cmd"]
        self.refused |= {each["id"]: each for each in frame.get("refused", ())}
        if frame["t"] == "seat":
            assert self.seat is not None
            self.seat = _seat(self.seat, frame.get("set", {}))
        else:
            assert self.floor is not None
            self.floor = _floor(self.floor, frame["set"])
        return True


def _seat(seat: Said, delta: Said) -> Said:
    """Lay a delta over a seat: what is missing has not changed."""
    games = dict(seat["games"])
    for table, game in delta.get("games", {}).items():
        games[table] = _game(games[table], game)
    return {**seat, **delta, "games": games}


def _game(game: Said, delta: Said) -> Said:
    """Lay a delta over a game: all chips anew, or those that were touched, of which nothing is left where it says 0."""
    rest = {name: value for name, value in delta.items() if name != "stakes"}
    lying: Said = delta["bets"] if "bets" in delta else game["bets"]
    bets = lying | delta.get("stakes", {})
    return {**game, **rest, "bets": {spot: stake for spot, stake in bets.items() if stake}}


def _floor(floor: Said, delta: Said) -> Said:
    """Apply a delta to the staff view: a table is sent whole or not at all, but for the rows of its seats."""
    tables = dict(floor.get("tables", {}))
    for name, table in delta.get("tables", {}).items():
        before = tables[name]["seats"] if name in tables else []
        rows = {row["terminal"]: row for row in (*before, *table["seats"])}
        tables[name] = {**table, "seats": list(rows.values())}
    return {**floor, **delta, **({"tables": tables} if tables else {})}
