"""Limits: how much the wire holds, takes and waits for, each with a name; nothing in it grows without one."""

from typing import Final

from croupier.house.name import SECOND

#: The largest frame that is taken, and the longest request head.
FRAME_MOST: Final = 4 * 1024
#: How many doors may be open at once, and what a newcomer beyond them is told.
DOORS_MOST: Final = 12_000
#: How much may wait to be sent through one door before it is let fall behind, and is given a snapshot once it can read.
SEND_MOST: Final = 64 * 1024
#: How long a door may stay behind before it is shut.
BEHIND_MOST: Final = 10 * SECOND
#: How long a request may take to arrive, in seconds; how long an open door may take to say hello.
REQUEST_S: Final = 5
HELLO_MOST: Final = 10 * SECOND
#: How long a link may be silent before it is tried, and how long its answer may take, in seconds: together at most 20.
SILENT_S: Final = 10
ANSWER_S: Final = 8
#: How many commands one door may send a second on the average, and how many at once.
COMMANDS_PER_S: Final = 20
COMMANDS_AT_ONCE: Final = 40
#: How many frames a door may send beyond that, within the burst, before it is shut.
EXCESS_MOST: Final = 200
#: How long the disk may take over one batch before what comes is refused as busy.
KEEP_PATIENCE: Final = SECOND // 4
#: How many secrets are looked at at once: each takes memory and time.
SECRETS_AT_ONCE: Final = 2
SECRETS_WAITING: Final = 16
#: How often staff consoles are told of what has changed, at most.
FLOOR_EVERY: Final = SECOND // 4
#: How many seats a demonstration adds to a table by itself.
SEATS_MOST: Final = 40
