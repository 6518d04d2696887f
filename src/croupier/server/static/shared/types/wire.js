// The types of the wire: every message, and the felt spec. Pure.
// Written from the Python classes by `python -m tests.support.wiretypes --write`; a test fails when they differ.

/**
 * The ways a call names its bets.
 * @typedef {"pieces" | "neighbours" | "marker" | "last_digit" | "complete" | "choices"} CallKind
 */
/** @typedef {"bet" | "money" | "screen" | "other"} CallReason What a player calls an attendant about. */
/** @typedef {"red" | "black" | "green"} Colour The colour behind a number. */
/**
 * What a device is there for.
 * @typedef {"terminal" | "dealer" | "pit" | "cashier" | "board" | "auditor" | "live_table" | "notice"} DeviceKind
 */
/** @typedef {"break" | "time"} PauseReason Why a terminal accepts no bets of its player. */
/**
 * The three fields of a round as one value, by which permissions are declared.
 * @typedef {"between" | "open" | "open_running" | "last_call" | "closed" | "running" | "at_rest" | "no_spin" |
 *   "suspended" | "paying"} Phase
 */
/** @typedef {"full" | "supervised"} Recording How much of the play with chips is recorded at a live table. */
/**
 * The subject of a message to a seat.
 * @typedef {"text" | "returned" | "settled" | "not_copied" | "answered" | "corrected" | "invalidated"}
 *   SeatMessageKind
 */
/**
 * The groups of winning bets at a table of chips; each outside box is paid by itself.
 * @typedef {"even_chances" | "dozens" | "columns" | "inside"} SegmentGroup
 */
/**
 * The treatment of the bets of a terminal that lost its link.
 * @typedef {"release_at_close" | "malfunction" | "stand"} TerminalLoss
 */
/** @typedef {"sensor" | "keypad" | "random"} WheelKind Where a table's numbers come from. */
/**
 * A refusal: its code, the clause behind it where there is one, plain words, and the facts.
 * @typedef {{id?: number | null, code: string, clause?: string | null, says: string, facts?: Record<string,
 *   unknown>}} RefusalBody
 */
/**
 * The outcome of a round that was not settled normally, with its clause.
 * @typedef {{round: number, kind: string, reason: string, clause: string | null, says: string}} Notice
 */
/**
 * A draw that can be proven: what was committed and revealed, by position. `croupier prove` verifies it.
 * @typedef {{rulebook: string, table: string, round: number, spin: number, commitment: string, committed:
 *   Record<string, string>, revealed: Record<string, string>, secret?: string | null, pocket?: string | null,
 *   multiples?: Record<string, number>}} DrawState
 */
/**
 * The public view of a table.
 * @typedef {{table: string, rulebook: string, felt: string, phase: Phase, round: number, spin: number, says?:
 *   string, closes_at?: number | null, launched_at?: number | null, pocket?: string | null, corrected?: string |
 *   null, number_at?: number | null, numbers?: string[], closed?: boolean, random?: boolean, wheel: WheelKind,
 *   notice?: Notice | null, draw?: DrawState | null, multiples?: Record<string, number>, pots?: Record<string,
 *   number>}} TableState
 */
/**
 * What became of a slip or ticket: its status, the last day on which it is paid, and when it was paid.
 * @typedef {{number: string, status: string, expires: number | null, paid_at_us: number | null}} SlipStatus
 */
/**
 * The limits on one kind of bet, as a list; null where there is no bound.
 * @typedef {[kind: string, least: number | null, most: number | null, win: number | null]} KindLimits
 */
/**
 * The effect of the next press of the Neighbors button.
 * @typedef {{pocket: string, reach: number, adds: Record<string, number>}} Neighbours
 */
/**
 * A reason: its text and code, with its clause where there is one, and its facts.
 * @typedef {{says: string, clause: string | null, code: string, facts?: Record<string, unknown>}} Cited
 */
/** @typedef {{spins: number, clause: string}} Idle The number of valid spins without a bet, if the rules limit it. */
/**
 * One game of a terminal. A field that a delta leaves out has not changed.
 * @typedef {{bets?: Record<string, number>, stakes?: Record<string, number>, staked?: number, won?: number, net?:
 *   number, red?: string[], ghosts?: Record<string, number>, warning?: string, auto_copy_to?: string | null, sealed?:
 *   number | null, spot_least?: number | null, spot_most?: number | null, total_least?: number | null, total_most?:
 *   number | null, limits?: KindLimits[], neighbours?: Neighbours | null, repeats?: boolean, idle?: Idle | null}}
 *   GameView
 */
/** @typedef {{amount: number, clause: string}} HeldWinView A win that awaits its tax form. */
/**
 * How long a player has played, and with what result, since the credits were last collected.
 * @typedef {{since_us: number | null, put_in: number, taken_out: number, net: number, games: number}} SessionView
 */
/**
 * A player's call for an attendant that is not answered.
 * @typedef {{reason: CallReason, since_us: number}} CallView
 */
/**
 * Why a player does not bet now, and until when; null if that lasts until the session ends.
 * @typedef {{why: PauseReason, until_us: number | null}} PauseView
 */
/**
 * The limits that a player has set for this session: the most to lose, and minutes; null for none.
 * @typedef {{loss: number | null, minutes: number | null}} OwnLimitsView
 */
/**
 * A message to a terminal: its kind and its facts, and its text in English.
 * @typedef {{kind: SeatMessageKind, says: string, clause?: string | null, amount?: number, round?: number | null,
 *   pocket?: string | null, was?: string | null, paid_before?: number, credit_before?: number, credit_after?:
 *   number}} MessageView
 */
/**
 * The state of a terminal besides its tables.
 * @typedef {{credit?: number, denomination?: number, held?: number, holds?: HeldWinView[], in_service?: boolean,
 *   out_of_service?: Cited | null, messages?: MessageView[], session?: SessionView, own_limits?: OwnLimitsView,
 *   pause?: PauseView | null, call?: CallView | null, patterns?: Record<string, Record<string, number>>, games?:
 *   Record<string, GameView>}} SeatState
 */
/**
 * The fixed properties of a terminal for one connection.
 * @typedef {{terminal: string, currency: string, felt: string, practice: boolean, denominations: number[], chips:
 *   number[], notes: number[], tickets: boolean, table_ids: string[], break_minutes: number}} Fixture
 */
/**
 * One change of the chips: its time, its kind, and the new stakes on the changed spots.
 * @typedef {{at_us: number, how: string, stakes: Record<string, number>}} RecallStep
 */
/**
 * A game that was played at this terminal, for replay step by step.
 * @typedef {{table: string, round: number, at_start: Record<string, number>, steps: RecallStep[], sealed:
 *   Record<string, number>, pocket: string | null, staked: number, returned: number, credit: number}} PlayedGame
 */
/**
 * A colour of the table's own chips.
 * @typedef {{colour: string, position: number | null, value: number, marker: boolean, out: number | null, pieces:
 *   number}} ColourRow
 */
/**
 * What the dealer tells a player about a bet outside the limits.
 * @typedef {{code: string, clause: string, spot: string, stake: number, limit: number}} AdviceRow
 */
/**
 * A player with chips.
 * @typedef {{position: number, label: string, colours: string[], second_colour: boolean, chips: Record<string,
 *   Record<string, number>>, carried: Record<string, Record<string, number>>, advice: AdviceRow[], advised: boolean,
 *   barred: string | null, infringements: number, group: number | null, markers: boolean, arrangement: number | null,
 *   straight_only: boolean, payable: number, owed: number, undecided: string | null, choices: [string, number][][]}}
 *   PlayerRow
 */
/**
 * The float by its slips. The amount that it should have is not sent: it is counted blind.
 * @typedef {{opened: number, fills: number, credits: number, counted: number | null}} FloatRow
 */
/**
 * The notice of the next round, and whether staff have checked that it is shown.
 * @typedef {{digest: string, checked: boolean, clause: string | null}} NoticeMark
 */
/**
 * Play that is not on record, until rack and tray are counted.
 * @typedef {{since_us: number, words: string}} GapRow
 */
/**
 * What a player must not do, and what follows: it counts, it bars the player, or it is put on record.
 * @typedef {{kind: string, clause: string, effect: string}} InfringementRow
 */
/**
 * The rules on single players of a live table; a clause is null where the rules have none.
 * @typedef {{infringements: InfringementRow[], infringements_most: number, barring: string | null, partnership:
 *   string | null, designated_only: boolean, markers: string | null, arrangement: string | null, carried: string |
 *   null, release: string | null}} ConductRules
 */
/**
 * A live table as its console shows it. A field that a delta leaves out has not changed.
 * @typedef {{recording?: Recording, emblem?: string, currency?: string, denominations?: number[], least?: number |
 *   null, colours?: ColourRow[], players?: Record<string, PlayerRow | null>, float?: FloatRow | null, notice?:
 *   NoticeMark, conduct?: ConductRules, gap?: GapRow | null}} LiveState
 */
/**
 * A live table in a snapshot: its version, and its whole state.
 * @typedef {{table: string, lv: number, state: LiveState}} LiveView
 */
/**
 * The chips of one kind in a winning bet: the settled stake, the odds, and what is due.
 * @typedef {{spot: string, odds: number | string, clause: string, chip: string, settled: number, due: number,
 *   pieces: number | null}} WalkLine
 */
/**
 * A remark on one bet: under the minimum, returned, capped or rounded, with the amount before and after.
 * @typedef {{kind: string, spot: string, before: number, after: number, clause: string}} WalkNote
 */
/**
 * A marker bet: whether it hits, and the pieces that stay on the number.
 * @typedef {{position: number, spot: string, chip: string, pieces: number, stays: number, hit: boolean}} WalkMarker
 */
/**
 * The result of one player: what was sealed, what is collected, what goes back and what stays.
 * @typedef {{position: number, sealed: Record<string, Record<string, number>>, stays: Record<string, Record<string,
 *   number>>, came: Record<string, Record<string, number>>, carried: Record<string, Record<string, number>>,
 *   returned: Record<string, Record<string, number>>, collected: [string, number][], amount: number, handed: number,
 *   notes: WalkNote[]}} WalkPosition
 */
/**
 * One payment: to one player in one segment of the layout.
 * @typedef {{segment: string, position: number, lines: WalkLine[], due: number, paid: number, rounding: string |
 *   null, pieces: [string, number][], colours: [string, number][], cash: [string, number][], undecided: string |
 *   null, choices: [string, number][][], made: boolean}} WalkPayment
 */
/**
 * Pieces of one chip that are lifted from a spot of the layout, or put back on it.
 * @typedef {{position: number, spot: string, chip: string, pieces: number}} WalkMove
 */
/**
 * After a correction: the chips that the true number does not leave on the layout, and those that it does.
 * @typedef {{clause: string, lifted: WalkMove[], restored: WalkMove[], freed: WalkMove[], imprisoned: WalkMove[]}}
 *   WalkMoves
 */
/**
 * Collection and payment after a round was settled, in the dealer's order.
 * @typedef {{round: number, pocket: string, marked: string | null, clause: string, recorded: boolean, collected:
 *   boolean, over: boolean, amount: number, positions: WalkPosition[], markers: WalkMarker[], payments:
 *   WalkPayment[], moves: WalkMoves | null}} WalkState
 */
/**
 * Bets of equal odds and limits as the notice at a table lists them.
 * @typedef {{letters: string[], kinds: string[], labels: string[], segment: SegmentGroup, pays: number | string,
 *   least: number | null, most: number | null, clause: string, spots: string[]}} OddsRow
 */
/**
 * Bets under a marker button: their name in the notation, and the lowest.
 * @typedef {{call: string, least: number}} MarkerTerms
 */
/**
 * A rule of the table that the notice states: the id of its text on the pages, its amount and its clause.
 * @typedef {{rule: string, amount: number | null, clause: string}} NoticeRule
 */
/**
 * A second notice, for the players of an arrangement: its number and clause, and what these players may bet.
 * @typedef {{arrangement: number, clause: string, rows: OddsRow[], marker: MarkerTerms | null}} NoticeArrangement
 */
/**
 * The notice at a table: limits, odds, multiples and the lowest marker bet.
 * @typedef {{table: string, venue: string, rulebook: string, currency: string, digest: string, least: number |
 *   null, multiples: boolean | null, marker: MarkerTerms | null, rows: OddsRow[], arrangements: NoticeArrangement[],
 *   rules: NoticeRule[], advice: string | null}} NoticeState
 */
/** @typedef {{pocket: string, colour: Colour}} WheelPocket A pocket of the wheel. */
/**
 * The printed cell of a number.
 * @typedef {{pocket: string, colour: Colour, along: [number, number], across: [number, number]}} PrintedCell
 */
/**
 * A printed box outside the numbers.
 * @typedef {{bet: string, label: string, along: [number, number], across: [number, number]}} PrintedBox
 */
/**
 * A spot: its pockets, its name with its odds, the position of its chip, and its hit region.
 * @typedef {{key: string, kind: string, covers: string[], label: string, names: Record<string, string>, anchor:
 *   [number, number], core: [number, number, number, number]}} SpotPlace
 */
/**
 * A kind of bet as the notice lists it.
 * @typedef {{kind: string, label: string, name: string, names: Record<string, string>, help: string, helps:
 *   Record<string, string>, pays: number | string, steps: ([number, number | string])[], win_most: number | null,
 *   segment: SegmentGroup, letter: string}} KindRow
 */
/**
 * A second place for a spot that has one already.
 * @typedef {{name: string, label: string, spot: string, along: [number, number], across: [number, number], anchor:
 *   [number, number], core: [number, number, number, number]}} AliasPlace
 */
/**
 * One way to say a call, with how many chips go where.
 * @typedef {{said: string, of: string, chips: number, pieces: [string, number][], reach?: number | null}}
 *   CallVariant
 */
/**
 * A call that can be made here, in every way it can be said.
 * @typedef {{name: string, label: string, kind: CallKind, takes: string, ways: CallVariant[]}} OfferedCall
 */
/**
 * An unbroken part of the wheel that a call covers; a call may cover several.
 * @typedef {{call: string, first: number, pockets: string[]}} Sector
 */
/**
 * The notice about its bets that a terminal shows after it has lost the connection.
 * @typedef {{choice: TerminalLoss, says: string, clause: string}} ConnectionLostNotice
 */
/**
 * A reason that the rules list, and the titles of those who may call it.
 * @typedef {{reason: string, clause: string, by: string[]}} ListedReason
 */
/**
 * What is drawn between the close and the spin: each with its weight.
 * @typedef {{clause: string, counts: [number, number][], multiples: [number, number][]}} MultipliersRow
 */
/**
 * A felt. Everything is in quarter cells: along the table from the zero line, across it from the dozens' line.
 * @typedef {{rulebook: string, venue: string, currency: string, profile: string | null, wheel: WheelPocket[],
 *   cells: PrintedCell[], boxes: PrintedBox[], spots: SpotPlace[], kinds: KindRow[], halved: Record<string,
 *   string[]>, multipliers: MultipliersRow | null, aliases: AliasPlace[], calls: OfferedCall[], sectors: Sector[],
 *   neighbours_button: boolean, patterns: number, messages: Record<string, string[]>, line_lost:
 *   ConnectionLostNotice, no_spin: ListedReason[], take_back: ListedReason[], tickets: boolean, slip: string}}
 *   FeltSpec
 */
/**
 * How often something has come; and between which counts chance alone stays 95 times in 100.
 * @typedef {{count: number, low: number, high: number}} Count
 */
/**
 * The same of several numbers together.
 * @typedef {{group: string, count: number, low: number, high: number}} GroupCount
 */
/**
 * The numbers of a table's past spins, counted. Past results do not change the odds.
 * @typedef {{table: string, spins: number, pockets: Record<string, Count>, groups: GroupCount[], hot: string[],
 *   cold: string[]}} NumberStatistics
 */
/** @typedef {import("./console.js").FloorState} FloorState */
/** @typedef {import("./console.js").FloorTable} FloorTable */
/**
 * The device is authenticated; its snapshot follows, at a staff screen once a person has signed in.
 * @typedef {{t: "welcome", protocol: number, epoch: number, device: string, venue: string, mode: string, now_us:
 *   number, staff: boolean, visit: string, enter_as: string[]}} Welcome
 */
/**
 * A device has enrolled itself in a demonstration: its name and the key it proves it with from now on.
 * @typedef {{t: "enrolled", device: string, key: string}} Enrolled
 */
/**
 * The key of a device that two people have enrolled: sent once, to one console, and not stored.
 * @typedef {{t: "enrolled_device", device: string, kind: DeviceKind, key: string}} EnrolledDevice
 */
/** @typedef {{t: "refused", refusal: RefusalBody, q?: number}} Refused A message other than a command was refused. */
/**
 * The current public view of a table, the same bytes for every client. Its version only increases.
 * @typedef {{t: "table", tv: number, state: TableState}} TableUpdate
 */
/**
 * A delta for a terminal: the changed fields, responses to all commands up to `last_cmd`; refusals are listed.
 * @typedef {{t: "seat", v: number, last_cmd: number, set?: SeatState, refused?: RefusalBody[]}} SeatUpdate
 */
/**
 * A delta for a console.
 * @typedef {{t: "floor", v: number, last_cmd: number, set: import("./console.js").FloorState}} FloorUpdate
 */
/**
 * A delta for the consoles of a live table. Its version increases by one with each.
 * @typedef {{t: "live", table: string, lv: number, set: LiveState}} LiveUpdate
 */
/**
 * Collection and payment of a round, for the consoles of a live table; null once the next round is open.
 * @typedef {{t: "walk", state: WalkState | null}} WalkUpdate
 */
/**
 * The notice at a table, for its display and for the consoles of a live table.
 * @typedef {{t: "notice_state", state: NoticeState}} NoticeUpdate
 */
/**
 * Everything that this screen may see; deltas follow.
 * @typedef {{t: "snap", epoch: number, v: number, last_cmd: number, now_us: number, tables: [number, TableState][],
 *   fixture?: Fixture | null, seat?: SeatState | null, floor?: import("./console.js").FloorState | null, live?:
 *   LiveView | null, walk?: WalkState | null, notice?: NoticeState | null}} ViewSnapshot
 */
/**
 * The response to one command of a console: done, or refused.
 * @typedef {{t: "ack", id: number, refusal?: RefusalBody | null, paid?: import("./console.js").PayoutInstruction |
 *   null, position?: number | null}} Ack
 */
/**
 * A person is signed in; the token resumes the session after a lost connection, on this device alone.
 * @typedef {{t: "signed_in", person: string, titles: string[], token: string, idle_s: number}} SignedIn
 */
/**
 * The one-time code was right: a password must be set.
 * @typedef {{t: "must_choose", person: string}} ChoosePassword
 */
/** @typedef {{t: "signed_out", says: string}} SignedOut The session at this screen has ended. */
/**
 * The password was given again: commands that take two signatures are accepted until then.
 * @typedef {{t: "stepped_up", until_us: number}} SteppedUp
 */
/** @typedef {{t: "pong", c: number, now_us: number}} Pong The house's time. */
/** @typedef {{t: "games", games: PlayedGame[]}} GamesResult The last games of this terminal, the newest first. */
/**
 * What became of slips, in the order in which they were asked for.
 * @typedef {{t: "slips", slips: SlipStatus[]}} SlipsResult
 */
/**
 * A slip or ticket for the printer of this terminal, or of the console of staff who have collected for its player.
 * @typedef {{t: "slip", sequence: number, form: string, number: string, amount: number, currency: string,
 *   issued_at_us: number, venue: string, terminal: string, duplicate: number}} SlipPrinted
 */
/** @typedef {{t: "bye", refusal: RefusalBody}} Bye The connection is closed, with the reason. */
/**
 * Every message from the server.
 * @typedef {Welcome | Enrolled | EnrolledDevice | Refused | TableUpdate | SeatUpdate | FloorUpdate | LiveUpdate |
 *   WalkUpdate | NoticeUpdate | ViewSnapshot | Ack | SignedIn | ChoosePassword | SignedOut | SteppedUp | Pong |
 *   GamesResult | SlipsResult | SlipPrinted | import("./console.js").PreviewResult |
 *   import("./console.js").ReplayResult | import("./console.js").File | import("./console.js").VerificationResult |
 *   import("./console.js").DisputesResult | import("./console.js").JournalResult |
 *   import("./console.js").TicketResult | import("./console.js").MetersResult | import("./console.js").DocumentResult
 *   | import("./console.js").StaffResult | Bye} OutboundMessage
 */
/**
 * The first message: the kind of screen, and the key that the device was enrolled with.
 * @typedef {{t: "hello", screen: DeviceKind, protocol?: number, device?: string, key?: string, join?: string |
 *   null, table?: string}} Hello
 */
/** @typedef {{t: "ping", c: number}} Ping Asks for the server's time; its number comes back in the response. */
/** @typedef {{t: "resync"}} Resync Asks for a new snapshot: a delta was missed. */
/**
 * A person signs in, with a password or a one-time code.
 * @typedef {{t: "sign_in", person: string, secret: string}} SignIn
 */
/**
 * A visitor of a demonstration signs in without a password: deals the table of `welcome`, or enters as a person.
 * @typedef {{t: "visit", person?: string}} Visit
 */
/**
 * Sets a password in place of a one-time code.
 * @typedef {{t: "new_secret", person: string, code: string, secret: string}} SetPassword
 */
/** @typedef {{t: "resume", token: string}} Resume Resumes the session of this device after a lost connection. */
/**
 * Gives the password again, before a command that takes two signatures.
 * @typedef {{t: "step_up", secret: string}} StepUp
 */
/** @typedef {{t: "sign_out"}} SignOut Ends the session. */
/**
 * Asks for credits that are worth nothing, in a demonstration. It has no idempotency key.
 * @typedef {{t: "practice"}} Practice
 */
/**
 * A display reports the number that it shows for a table and round: the house compares it with the result.
 * @typedef {{t: "displayed", table: string, round: number, number: string}} Displayed
 */
/** @typedef {{t: "games"}} QueryGames Asks for the last games that were played at this terminal. */
/**
 * Asks what became of slips, in a demonstration: its pages keep what a printer prints elsewhere.
 * @typedef {{t: "slips", numbers: string[]}} QuerySlips
 */
/**
 * A note was inserted into a simulated acceptor.
 * @typedef {{t: "note", id: number, epoch: number, value: number}} Note
 */
/**
 * A ticket was inserted into the terminal.
 * @typedef {{t: "ticket_in", id: number, epoch: number, number: string}} TicketIn
 */
/** @typedef {{t: "cash_out", id: number, epoch: number}} CashOut Collects the credits, as a slip or a ticket. */
/**
 * Staff collect for a player where the terminal cannot: the slip or ticket is printed at their console.
 * @typedef {{t: "collect_for", id: number, epoch: number, terminal: string}} CollectFor
 */
/**
 * A cashier pays a slip or ticket by its number.
 * @typedef {{t: "redeem", id: number, epoch: number, drawer: string, number: string, amount_on_paper?: number |
 *   null}} Redeem
 */
/**
 * Sends a command.
 * @typedef {{t: "ask", id: number, epoch: number, command: import("./commands.js").TerminalCommand |
 *   import("./commands.js").StaffCommand}} SendCommand
 */
/**
 * Every message to the server.
 * @typedef {Hello | Ping | Resync | SignIn | Visit | SetPassword | Resume | StepUp | SignOut | Practice | Displayed
 *   | QueryGames | QuerySlips | SendCommand | Note | TicketIn | CashOut | CollectFor | Redeem |
 *   import("./console.js").QueryPreview | import("./console.js").QueryReplay | import("./console.js").Bundle |
 *   import("./console.js").Export | import("./console.js").Verify | import("./console.js").QueryDisputes |
 *   import("./console.js").QueryJournal | import("./console.js").QueryTicket | import("./console.js").QueryMeters |
 *   import("./console.js").QueryDocument | import("./console.js").QueryStaff} InboundMessage
 */

export {};
