"""Palettes: a picture in as few colours as it takes to look right, written as a small PNG."""

import heapq
import struct
import zlib
from itertools import count
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The most that a palette holds.
COLOURS: Final = 256
Pixels = NDArray[np.uint8]


class Box(NamedTuple):
    """Colours that are close to each other, each by its place in the list of all."""

    members: NDArray[np.intp]
    axis: int
    #: How much is gained by splitting it: how far apart its colours are, and how often they are seen.
    spread: float


def small_png(pixels: Pixels) -> bytes:
    """Write a picture of height, width and three colours."""
    height, width, _ = pixels.shape
    palette, places = _reduced(pixels)
    lines = np.zeros((height, width + 1), np.uint8)
    lines[:, 1:] = places.reshape(height, width)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), 9)
    parts = ((b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(kind, data) for kind, data in parts)


def _part(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _reduced(pixels: Pixels) -> tuple[Pixels, Pixels]:
    """Cut the colours into boxes, each time the one with most to gain at its median; give the palette, and its use."""
    wide = pixels.reshape(-1, 3).astype(np.uint32)
    packed, places, seen = np.unique(wide @ (1 << 16, 1 << 8, 1), return_inverse=True, return_counts=True)
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1).astype(np.int64)
    boxes = _boxes(colours, seen)
    palette = [np.average(colours[box.members], axis=0, weights=seen[box.members]) for box in boxes]
    use = np.empty(len(colours), np.uint8)
    for place, box in enumerate(boxes):
        use[box.members] = place
    return np.array(palette).round().astype(np.uint8), use[places]


def _boxes(colours: NDArray[np.int64], seen: NDArray[np.intp]) -> list[Box]:
    tickets = count()
    whole = _box(np.arange(len(colours)), colours, seen)
    waiting = [(-whole.spread, next(tickets), whole)]
    while len(waiting) < COLOURS and waiting[0][2].spread > 0:
        _, _, box = heapq.heappop(waiting)
        ordered = box.members[np.argsort(colours[box.members, box.axis], kind="stable")]
        total = np.cumsum(seen[ordered])
        middle = min(max(1, int(np.searchsorted(total, total[-1] / 2))), len(ordered) - 1)
        for half in (ordered[:middle], ordered[middle:]):
            made = _box(half, colours, seen)
            heapq.heappush(waiting, (-made.spread, next(tickets), made))
    return [box for _, _, box in waiting]


def _box(members: NDArray[np.intp], colours: NDArray[np.int64], seen: NDArray[np.intp]) -> Box:
    reach = np.ptp(colours[members], axis=0)
    axis = int(reach.argmax())
    return Box(members, axis, float(reach[axis]) * float(np.sqrt(seen[members].sum())))
