"""Limits: how much the wire holds, takes and waits for, each with a name; nothing in it grows without one.

How many doors there may be, and how many commands one of them may send, is each venue's to say: `config.shape`.
"""

from typing import Final

from croupier.house.name import SECOND

#: The largest frame that is taken, in bytes.
FRAME_MOST: Final = 4 * 1024
#: How much may wait to be sent through one door before it is let fall behind, and is given a snapshot once it can read.
SEND_MOST: Final = 64 * 1024
#: How long a door may stay behind before it is shut.
BEHIND_MOST: Final = 10 * SECOND
#: How long a request may take to arrive, in seconds, and a handshake of TLS before it.
REQUEST_S: Final = 5
#: How long an open door may take to say hello.
HELLO_MOST: Final = 10 * SECOND
#: How often doors are looked after.
ROUND_EVERY: Final = 6 * SECOND
#: A door that was silent at so many looks in a row is shut: after 12 to 18 seconds.
SILENT_MOST: Final = 3
#: How many messages a door may send faster than it may before it is shut: within the second for which it is not read.
EXCESS_MOST: Final = 200
#: How many frames that are no message a door may have sent before it is shut.
NONSENSE_MOST: Final = 20
#: How long the disk may take over one batch before what comes is refused as busy.
KEEP_PATIENCE: Final = SECOND // 4
#: How much else may wait to be done with the journal between two turns: a backup, a patrol.
ERRANDS_MOST: Final = 8
#: How many doors may have something under way in its own time: a sign-in, or a device that enrols itself.
CHORES_MOST: Final = 64
#: How long terminals may take to come back after a start before they count as lost.
RETURN_MOST: Final = 15 * SECOND
#: How many secrets are looked at at once: each takes memory and time.
SECRETS_AT_ONCE: Final = 2
#: How many secrets may be looked at or wait for it: who comes then is asked to try again.
SECRETS_WAITING: Final = 16
#: How many changed stakes of one past game are shown again step by step; those before are in what it starts from.
RECALL_MOST: Final = 1_000
#: How often staff consoles are told of what has changed, at most.
FLOOR_EVERY: Final = SECOND // 4
#: How many doors are shown all that they may see in one iteration of the event loop: many come at once after a
#: disconnect.
SHOWN_AT_ONCE: Final = 50
#: How many things that wait for somebody are listed at the pit; of those beyond only the number is told.
NEEDS_MOST: Final = 100
#: How many incidents that nobody has seen to a console is sent: the newest.
INCIDENTS_MOST: Final = 100
#: So many terminals of one table or line loss are listed at the pit as one.
TOGETHER_LEAST: Final = 5
#: How many held wins are listed at a console; of those beyond only the number is sent.
HOLDS_MOST: Final = 100
#: How many receivables and payables are listed at a console; of those beyond only the number is told.
DEBTS_MOST: Final = 50
#: How many entries of the journal are told at once.
ROWS_MOST: Final = 100
#: How many of its pages are read between two turns, or entries where those are more, and how many pages for one answer.
PAGES_AT_ONCE: Final = 100
ENTRIES_AT_ONCE: Final = 4_000
PAGES_MOST: Final = 20_000
#: How many of its entries are carried out again between two turns, for documents about the past.
LEDGER_AT_ONCE: Final = 1_000
#: How many steps of one round are told at once.
STEPS_MOST: Final = 1_000
#: Up to how many entries a journal may have for a round of it to be written as notation while the house is open.
NOTATION_MOST: Final = 50_000
#: How many entries a file has that is asked for part by part, and up to how many any file has: a part goes on to the
#: next signature.
EXPORT_ENTRIES: Final = 10_000
PART_MOST: Final = 30_000
#: The largest file that is handed out over the wire, in bytes.
FILE_MOST: Final = 4 * 1024 * 1024
#: How many disputes are told at once.
DISPUTES_MOST: Final = 50
#: How many people are listed, and how many consoles, desks and boards.
PEOPLE_MOST: Final = 500
DEVICES_MOST: Final = 500
#: How many numbers a desk may get wrong before it looks nothing up for a while, and for how long.
MISSES_MOST: Final = 5
LOCKED_FOR: Final = 60 * SECOND
#: How often one address may try to join a demonstration over the network in a minute, how many seats it may have, and
#: of how many addresses that is remembered. One address is a whole /64 network where it is IPv6.
JOINS_PER_MINUTE: Final = 10
JOINED_MOST: Final = 8
JOIN_ADDRESSES_MOST: Final = 4_096
#: Up to how many seats at a table a demonstration adds more by itself.
SEATS_MOST: Final = 40
#: How many consoles and displays a demonstration enrols by itself.
CONSOLES_MOST: Final = 100
