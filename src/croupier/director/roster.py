"""The roster: which seats of a demonstration are the simulated players', from one start to the next."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from croupier.access.fault import AccessFault
from croupier.access.record import Device, name_objection
from croupier.access.register import Register
from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId, TableId, TerminalId
from croupier.house.state import House
from croupier.journal.file import put

#: Beside the register; it has no key in it.
ROSTER: Final = "players.json"
Devices = Mapping[DeviceId, Device]


def seated(house: House, register: Register, safe: Path, wanted: int) -> dict[TerminalId, str]:
    """Give so many players a seat and its key, or as many as leave a seat free at every table."""
    held = register.held().devices
    ours = {device: each for device, each in _read(safe / ROSTER).items() if held.get(device) == each}
    seats = _chosen(house, held, ours, wanted)
    keys = register.enrol({DeviceId(seat): DeviceKind.TERMINAL for seat in seats})
    assert isinstance(keys, dict)
    now = register.held().devices
    # Also those that nobody sits at this time: they are given to nobody else.
    _write(safe / ROSTER, {**ours, **{device: now[device] for device in keys}})
    return {TerminalId(device): key for device, key in keys.items()}


def _chosen(house: House, held: Devices, ours: Devices, wanted: int) -> list[TerminalId]:
    """Choose the seats that are the players' already, and then free ones."""
    seats = [seat for seat in map(TerminalId, ours) if seat in house.terminals][:wanted]
    free = [seat for seat in house.terminals if DeviceId(seat) not in held and name_objection(seat) is None]
    while len(seats) < wanted:
        taken, left = _count(house, seats), _count(house, free)
        can = [seat for seat in free if all(left[table] > 1 for table in house.terminals[seat].games)]
        if not can:
            break
        # Where the fewest are, so that tables fill evenly.
        seats.append(min(can, key=lambda seat: max(taken[table] for table in house.terminals[seat].games)))
        free.remove(seats[-1])
    return seats


def _count(house: House, seats: Iterable[TerminalId]) -> Counter[TableId]:
    """Count seats by the tables that are played at them."""
    return Counter(table for seat in seats for table in house.terminals[seat].games)


def _read(path: Path) -> Devices:
    """Read which seats they had; none where nobody knows: they find others."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[DeviceId, Device])
    except (FileNotFoundError, msgspec.DecodeError):
        return {}
    except OSError as error:
        raise AccessFault(f"the roster cannot be read: {error.strerror}: {error.filename}") from error


def _write(path: Path, devices: Devices) -> None:
    try:
        put(path, msgspec.json.encode(devices))
    except OSError as error:
        raise AccessFault(f"the roster cannot be written: {error.strerror}: {error.filename}") from error
