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
#: How often doors are looked after; one that was silent at three looks in a row is shut, so after 12 to 18 seconds.
ROUND_EVERY: Final = 6 * SECOND
SILENT_MOST: Final = 3
#: How many commands one door may send a second on the average, and how many at once.
COMMANDS_PER_S: Final = 20
COMMANDS_AT_ONCE: Final = 40
#: How many frames a door may have sent beyond that before it is no longer read from, and how many that are no message.
EXCESS_MOST: Final = 200
NONSENSE_MOST: Final = 20
#: How long the disk may take over one batch before what comes is refused as busy.
KEEP_PATIENCE: Final = SECOND // 4
#: How much else may wait to be done with the journal between two turns: a backup, a patrol.
ERRANDS_MOST: Final = 8
#: What is under way for doors in its own time: sign-ins, and devices that enrol themselves.
CHORES_MOST: Final = 64
#: How long terminals may take to come back after a start before they count as lost.
RETURN_MOST: Final = 15 * SECOND
#: How many secrets are looked at at once: each takes memory and time.
SECRETS_AT_ONCE: Final = 2
SECRETS_WAITING: Final = 16
#: How often staff consoles are told of what has changed, at most.
FLOOR_EVERY: Final = SECOND // 4
#: How many seats a demonstration adds to a table by itself.
SEATS_MOST: Final = 40
#: How many consoles and displays a demonstration enrols by itself.
CONSOLES_MOST: Final = 100
