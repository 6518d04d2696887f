// The types of the wire: every message, and everything that is fetched with the felt. Pure.
// Written from the Python classes by `python -m tests.wiretypes --write`; a test fails when they differ.

/**
 * The ways a call names its bets.
 * @typedef {"pieces" | "neighbours" | "marker" | "last_digit" | "complete"} CallKind
 */
/** @typedef {"red" | "black" | "green"} Colour The colour behind a number. */
/**
 * What a device is there for.
 * @typedef {"terminal" | "dealer" | "pit" | "cashier" | "board" | "auditor"} DeviceKind
 */
/**
 * The three fields of a round as one word, for the table of who may do what when.
 * @typedef {"between" | "open" | "open_running" | "last_call" | "closed" | "running" | "at_rest" | "no_spin" |
 *   "suspended"} Phase
 */
/**
 * The kinds of bet, in the order in which notices list them.
 * @typedef {"straight" | "split" | "street" | "corner" | "five" | "six_line" | "column" | "dozen" | "red" | "black"
 *   | "odd" | "even" | "low" | "high"} SpotKind
 */
/** @typedef {"sensor" | "keypad" | "random"} WheelKind Where a table's numbers come from. */
/**
 * A refusal: its code, the clause behind it where there is one, plain words, and the facts.
 * @typedef {{id?: number | null, code: string, clause?: string | null, says: string, facts?: Record<string,
 *   unknown>}} RefusalBody
 */
/**
 * What became of a round that was not simply settled, by which clause.
 * @typedef {{round: number, reason: string, clause: string | null, says: string}} Notice
 */
/**
 * What everybody at a table may see.
 * @typedef {{table: string, rulebook: string, felt: string, phase: Phase, round: number, spin: number, says?:
 *   string, closes_at?: number | null, launched_at?: number | null, pocket?: string | null, numbers?: string[],
 *   closed?: boolean, random?: boolean, wheel: WheelKind, notice?: import("./wire.js").Notice | null}} TableState
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
 * A spot: what it covers, its name with its odds, where its chip lies and what of the felt is its own.
 * @typedef {{key: string, kind: SpotKind, covers: string[], label: string, anchor: [number, number], core: [number,
 *   number, number, number]}} SpotPlace
 */
/**
 * A kind of bet as the notice lists it.
 * @typedef {{kind: SpotKind, label: string, name: string, pays: number}} KindRow
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
 * @typedef {{name: string, label: string, kind: CallKind, takes: string, ways: import("./wire.js").CallVariant[]}}
 *   OfferedCall
 */
/**
 * An unbroken part of the wheel that a call covers; a call may cover several.
 * @typedef {{call: string, first: number, pockets: string[]}} Sector
 */
/**
 * What a player whose terminal has lost its line is told of the bets on it.
 * @typedef {{says: string, clause: string}} ConnectionLostNotice
 */
/**
 * A reason that the rules list, and the titles of those who may call it.
 * @typedef {{reason: string, clause: string, by: string[]}} ListedReason
 */
/**
 * A felt. Everything is in quarter cells: along the table from the zero line, across it from the dozens' line.
 * @typedef {{rulebook: string, venue: string, currency: string, profile: string | null, wheel:
 *   import("./wire.js").WheelPocket[], cells: import("./wire.js").PrintedCell[], boxes:
 *   import("./wire.js").PrintedBox[], spots: import("./wire.js").SpotPlace[], kinds: import("./wire.js").KindRow[],
 *   aliases: import("./wire.js").AliasPlace[], calls: import("./wire.js").OfferedCall[], sectors:
 *   import("./wire.js").Sector[], neighbours_button: boolean, patterns: number, messages: Record<string, string[]>,
 *   line_lost: import("./wire.js").ConnectionLostNotice, no_spin: import("./wire.js").ListedReason[], take_back:
 *   import("./wire.js").ListedReason[], tickets: boolean, slip: string}} FeltSpec
 */
/**
 * The limits on one kind of bet, as a list; null where there is no bound.
 * @typedef {[kind: SpotKind, least: number | null, most: number | null, win: number | null]} KindLimits
 */
/**
 * What the next press of the Neighbors button does.
 * @typedef {{pocket: string, reach: number, adds: Record<string, number>}} Neighbours
 */
/**
 * Something in words, with the clause behind it where there is one.
 * @typedef {{says: string, clause: string | null}} Cited
 */
/**
 * How many valid spins a player has sat out, where the rules have something to say to that.
 * @typedef {{spins: number, clause: string}} Idle
 */
/**
 * One game of a terminal. In a delta what is missing has not changed.
 * @typedef {{bets?: Record<string, number>, stakes?: Record<string, number>, staked?: number, won?: number, red?:
 *   string[], ghosts?: Record<string, number>, warning?: string, auto_copy_to?: string | null, sealed?: number |
 *   null, spot_least?: number | null, spot_most?: number | null, total_least?: number | null, total_most?: number |
 *   null, limits?: import("./wire.js").KindLimits[], neighbours?: import("./wire.js").Neighbours | null, idle?:
 *   import("./wire.js").Idle | null}} GameView
 */
/** @typedef {{amount: number, clause: string}} HeldWinView A win that awaits its tax form. */
/**
 * How long a player has played, and with what result, since the credits were last collected.
 * @typedef {{since_us: number | null, put_in: number, taken_out: number, net: number, games: number}} SessionView
 */
/**
 * What a terminal shows its player besides the tables.
 * @typedef {{credit?: number, denomination?: number, held?: number, holds?: import("./wire.js").HeldWinView[],
 *   in_service?: boolean, out_of_service?: import("./wire.js").Cited | null, messages?: string[], session?:
 *   import("./wire.js").SessionView, patterns?: Record<string, Record<string, number>>, games?: Record<string,
 *   import("./wire.js").GameView>}} SeatState
 */
/**
 * What a terminal offers for as long as it stands.
 * @typedef {{terminal: string, currency: string, felt: string, practice: boolean, denominations: number[], chips:
 *   number[], notes: number[], tickets: boolean, table_ids: string[], break_minutes: number}} Fixture
 */
/**
 * One change of the chips: when, how, and what then lay on the spots that were touched.
 * @typedef {{at_us: number, how: string, stakes: Record<string, number>}} RecallStep
 */
/**
 * A game that was played here, as it is shown again step by step.
 * @typedef {{table: string, round: number, at_start: Record<string, number>, steps:
 *   import("./wire.js").RecallStep[], sealed: Record<string, number>, pocket: string | null, staked: number,
 *   returned: number, credit: number}} PlayedGame
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
 * A spot: what it covers, its name with its odds, where its chip lies and what of the felt is its own.
 * @typedef {{key: string, kind: SpotKind, covers: string[], label: string, anchor: [number, number], core: [number,
 *   number, number, number]}} SpotPlace
 */
/**
 * A kind of bet as the notice lists it.
 * @typedef {{kind: SpotKind, label: string, name: string, pays: number}} KindRow
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
 * @typedef {{name: string, label: string, kind: CallKind, takes: string, ways: import("./wire.js").CallVariant[]}}
 *   OfferedCall
 */
/**
 * An unbroken part of the wheel that a call covers; a call may cover several.
 * @typedef {{call: string, first: number, pockets: string[]}} Sector
 */
/**
 * What a player whose terminal has lost its line is told of the bets on it.
 * @typedef {{says: string, clause: string}} ConnectionLostNotice
 */
/**
 * A reason that the rules list, and the titles of those who may call it.
 * @typedef {{reason: string, clause: string, by: string[]}} ListedReason
 */
/**
 * A felt. Everything is in quarter cells: along the table from the zero line, across it from the dozens' line.
 * @typedef {{rulebook: string, venue: string, currency: string, profile: string | null, wheel:
 *   import("./wire.js").WheelPocket[], cells: import("./wire.js").PrintedCell[], boxes:
 *   import("./wire.js").PrintedBox[], spots: import("./wire.js").SpotPlace[], kinds: import("./wire.js").KindRow[],
 *   aliases: import("./wire.js").AliasPlace[], calls: import("./wire.js").OfferedCall[], sectors:
 *   import("./wire.js").Sector[], neighbours_button: boolean, patterns: number, messages: Record<string, string[]>,
 *   line_lost: import("./wire.js").ConnectionLostNotice, no_spin: import("./wire.js").ListedReason[], take_back:
 *   import("./wire.js").ListedReason[], tickets: boolean, slip: string}} FeltSpec
 */
/**
 * The limits on one kind of bet, as a list; null where there is no bound.
 * @typedef {[kind: SpotKind, least: number | null, most: number | null, win: number | null]} KindLimits
 */
/**
 * What the next press of the Neighbors button does.
 * @typedef {{pocket: string, reach: number, adds: Record<string, number>}} Neighbours
 */
/**
 * Something in words, with the clause behind it where there is one.
 * @typedef {{says: string, clause: string | null}} Cited
 */
/**
 * How many valid spins a player has sat out, where the rules have something to say to that.
 * @typedef {{spins: number, clause: string}} Idle
 */
/**
 * One game of a terminal. In a delta what is missing has not changed.
 * @typedef {{bets?: Record<string, number>, stakes?: Record<string, number>, staked?: number, won?: number, red?:
 *   string[], ghosts?: Record<string, number>, warning?: string, auto_copy_to?: string | null, sealed?: number |
 *   null, spot_least?: number | null, spot_most?: number | null, total_least?: number | null, total_most?: number |
 *   null, limits?: import("./wire.js").KindLimits[], neighbours?: import("./wire.js").Neighbours | null, idle?:
 *   import("./wire.js").Idle | null}} GameView
 */
/** @typedef {{amount: number, clause: string}} HeldWinView A win that awaits its tax form. */
/**
 * How long a player has played, and with what result, since the credits were last collected.
 * @typedef {{since_us: number | null, put_in: number, taken_out: number, net: number, games: number}} SessionView
 */
/**
 * What a terminal shows its player besides the tables.
 * @typedef {{credit?: number, denomination?: number, held?: number, holds?: import("./wire.js").HeldWinView[],
 *   in_service?: boolean, out_of_service?: import("./wire.js").Cited | null, messages?: string[], session?:
 *   import("./wire.js").SessionView, patterns?: Record<string, Record<string, number>>, games?: Record<string,
 *   import("./wire.js").GameView>}} SeatState
 */
/**
 * What a terminal offers for as long as it stands.
 * @typedef {{terminal: string, currency: string, felt: string, practice: boolean, denominations: number[], chips:
 *   number[], notes: number[], tickets: boolean, table_ids: string[], break_minutes: number}} Fixture
 */
/**
 * One change of the chips: when, how, and what then lay on the spots that were touched.
 * @typedef {{at_us: number, how: string, stakes: Record<string, number>}} RecallStep
 */
/**
 * A game that was played here, as it is shown again step by step.
 * @typedef {{table: string, round: number, at_start: Record<string, number>, steps:
 *   import("./wire.js").RecallStep[], sealed: Record<string, number>, pocket: string | null, staked: number,
 *   returned: number, credit: number}} PlayedGame
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
 * @typedef {{table: string, spins: number, pockets: Record<string, import("./wire.js").Count>, groups:
 *   import("./wire.js").GroupCount[], hot: string[], cold: string[]}} NumberStatistics
 */
/** @typedef {import("./console.js").FloorState} FloorState */
/** @typedef {import("./console.js").FloorTable} FloorTable */
/**
 * The device is known; what it may see follows, or is told once somebody has signed in.
 * @typedef {{t: "welcome", protocol: number, epoch: number, device: string, venue: string, mode: string, now_us:
 *   number, staff: boolean}} ToldWelcome
 */
/**
 * A device has enrolled itself in a demonstration: its name and the key it proves it with from now on.
 * @typedef {{t: "enrolled", device: string, key: string}} ToldEnrolled
 */
/**
 * A device has a key, once two have signed for it: told this once, at one console, and kept nowhere.
 * @typedef {{t: "enrolled_device", device: string, kind: DeviceKind, key: string}} ToldEnrolledDevice
 */
/**
 * What was said could not be taken, and was no command.
 * @typedef {{t: "refused", refusal: import("./wire.js").RefusalBody, q?: number}} ToldRefused
 */
/**
 * A table as it is now; the same bytes for everybody. The count of its versions only rises.
 * @typedef {{t: "table", tv: number, state: import("./wire.js").TableState}} ToldTableUpdate
 */
/**
 * A terminal's delta: what has changed, and every command up to `last_cmd` answered; those refused are listed.
 * @typedef {{t: "seat", v: number, last_cmd: number, set?: import("./wire.js").SeatState, refused?:
 *   import("./wire.js").RefusalBody[]}} ToldSeatUpdate
 */
/**
 * A console's delta.
 * @typedef {{t: "floor", v: number, last_cmd: number, set: import("./console.js").FloorState}} ToldFloorUpdate
 */
/**
 * Everything that this door may see; deltas go on from it.
 * @typedef {{t: "snap", epoch: number, v: number, last_cmd: number, now_us: number, tables: [number,
 *   import("./wire.js").TableState][], fixture?: import("./wire.js").Fixture | null, seat?:
 *   import("./wire.js").SeatState | null, floor?: import("./console.js").FloorState | null}} ToldViewSnapshot
 */
/**
 * The answer to one command of a console: done, or refused.
 * @typedef {{t: "ack", id: number, refusal?: import("./wire.js").RefusalBody | null, paid?:
 *   import("./console.js").PayoutInstruction | null, position?: number | null}} ToldAck
 */
/**
 * Somebody is signed in at this door; the token goes on with it after a lost line, from this device alone.
 * @typedef {{t: "signed_in", person: string, titles: string[], token: string, idle_s: number}} ToldSignedIn
 */
/**
 * The code was right and is good once: a secret must be chosen.
 * @typedef {{t: "must_choose", person: string}} ToldChoosePassword
 */
/** @typedef {{t: "signed_out", says: string}} ToldSignedOut Nobody is signed in at this door any more. */
/**
 * The secret was given again: what takes two signatures may be asked for until then.
 * @typedef {{t: "stepped_up", until_us: number}} ToldSteppedUp
 */
/** @typedef {{t: "pong", c: number, now_us: number}} ToldPong The house's time. */
/**
 * The last games of this terminal, the newest first.
 * @typedef {{t: "games", games: import("./wire.js").PlayedGame[]}} ToldGamesResult
 */
/**
 * A slip or ticket for the printer of this terminal, or of the console of staff who have collected for its player.
 * @typedef {{t: "slip", sequence: number, form: string, number: string, amount: number, currency: string,
 *   issued_at_us: number, venue: string, terminal: string, duplicate: number}} ToldSlipPrinted
 */
/** @typedef {{t: "bye", refusal: import("./wire.js").RefusalBody}} ToldBye The door is shut, and why. */
/**
 * Everything that a door is told.
 * @typedef {import("./wire.js").ToldWelcome | import("./wire.js").ToldEnrolled |
 *   import("./wire.js").ToldEnrolledDevice | import("./wire.js").ToldRefused | import("./wire.js").ToldTableUpdate |
 *   import("./wire.js").ToldSeatUpdate | import("./wire.js").ToldFloorUpdate | import("./wire.js").ToldViewSnapshot |
 *   import("./wire.js").ToldAck | import("./wire.js").ToldSignedIn | import("./wire.js").ToldChoosePassword |
 *   import("./wire.js").ToldSignedOut | import("./wire.js").ToldSteppedUp | import("./wire.js").ToldPong |
 *   import("./wire.js").ToldGamesResult | import("./wire.js").ToldSlipPrinted |
 *   import("./console.js").ToldPreviewResult | import("./console.js").ToldReplayResult |
 *   import("./console.js").ToldFile | import("./console.js").ToldVerificationResult |
 *   import("./console.js").ToldDisputesResult | import("./console.js").ToldJournalResult |
 *   import("./console.js").ToldTicketResult | import("./console.js").ToldMetersResult |
 *   import("./console.js").ToldDocumentResult | import("./console.js").ToldStaffResult | import("./wire.js").ToldBye}
 *   Told
 */
/**
 * The first word: which door this is, and the key that its device was enrolled with.
 * @typedef {{t: "hello", screen: DeviceKind, protocol?: number, device?: string, key?: string, join?: string |
 *   null, table?: string}} SaidHello
 */
/** @typedef {{t: "ping", c: number}} SaidPing Asks for the house's time; what it carries comes back as it is. */
/** @typedef {{t: "resync"}} SaidResync Asks for a new snapshot: a delta was missed. */
/**
 * A person signs in, with a secret or a code that is good once.
 * @typedef {{t: "sign_in", person: string, secret: string}} SaidSignIn
 */
/**
 * Chooses a secret in the place of a code that is good once.
 * @typedef {{t: "new_secret", person: string, code: string, secret: string}} SaidSetPassword
 */
/**
 * Goes on with a sign-in of this device after the line was lost.
 * @typedef {{t: "resume", token: string}} SaidResume
 */
/**
 * Gives the secret again, before something that takes two signatures.
 * @typedef {{t: "step_up", secret: string}} SaidStepUp
 */
/** @typedef {{t: "sign_out"}} SaidSignOut Ends the sign-in. */
/**
 * Asks for credits that are worth nothing, in a demonstration: the house's own gift, under no key.
 * @typedef {{t: "practice"}} SaidPractice
 */
/** @typedef {{t: "games"}} SaidQueryGames Asks for the last games that were played at this terminal. */
/** @typedef {{t: "note", id: number, epoch: number, value: number}} SaidNote A note in a simulated acceptor. */
/**
 * A ticket in the terminal's slot.
 * @typedef {{t: "ticket_in", id: number, epoch: number, number: string}} SaidTicketIn
 */
/** @typedef {{t: "cash_out", id: number, epoch: number}} SaidCashOut Collects the credits, as a slip or a ticket. */
/**
 * Staff collect for a player where the terminal cannot: the slip or ticket comes out at their console.
 * @typedef {{t: "collect_for", id: number, epoch: number, terminal: string}} SaidCollectFor
 */
/**
 * A cashier pays a slip or ticket by its number.
 * @typedef {{t: "redeem", id: number, epoch: number, drawer: string, number: string, amount_on_paper?: number |
 *   null}} SaidRedeem
 */
/**
 * Asks the house for something, in the house's own words.
 * @typedef {{t: "ask", id: number, epoch: number, command: import("./commands.js").TerminalCommand |
 *   import("./commands.js").StaffCommand}} SaidAsk
 */
/**
 * Everything that a door may say.
 * @typedef {import("./wire.js").SaidHello | import("./wire.js").SaidPing | import("./wire.js").SaidResync |
 *   import("./wire.js").SaidSignIn | import("./wire.js").SaidSetPassword | import("./wire.js").SaidResume |
 *   import("./wire.js").SaidStepUp | import("./wire.js").SaidSignOut | import("./wire.js").SaidPractice |
 *   import("./wire.js").SaidQueryGames | import("./wire.js").SaidSendCommand | import("./wire.js").SaidNote |
 *   import("./wire.js").SaidTicketIn | import("./wire.js").SaidCashOut | import("./wire.js").SaidCollectFor |
 *   import("./wire.js").SaidRedeem | import("./console.js").SaidQueryPreview | import("./console.js").SaidQueryReplay
 *   | import("./console.js").SaidBundle | import("./console.js").SaidExport | import("./console.js").SaidVerify |
 *   import("./console.js").SaidQueryDisputes | import("./console.js").SaidQueryJournal |
 *   import("./console.js").SaidQueryTicket | import("./console.js").SaidQueryMeters |
 *   import("./console.js").SaidQueryDocument | import("./console.js").SaidQueryStaff} Said
 */

export {};
