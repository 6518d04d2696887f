// The types of what staff are told: the floor, the steps of a round, and what is asked for. Pure.
// Written from the Python classes by `python -m tests.wiretypes --write`; a test fails when they differ.

/** @typedef {"dealer" | "auto" | "wheel" | "pit"} By Who takes a step. */
/**
 * What waits for somebody, the worst first.
 * @typedef {"suspended" | "interrupted" | "incident" | "case" | "proposal" | "held_win" | "dispute" | "dark" |
 *   "credit_left" | "idle"} NeedKind
 */
/**
 * A step of a round, or what has to be done before it goes on.
 * @typedef {"open" | "warn" | "close" | "spin" | "number" | "confirm" | "settle" | "no_spin" | "reset" | "attest" |
 *   "decide"} StepName
 */
/**
 * A seat as staff see it.
 * @typedef {{terminal: string, credit: number, staked: number, below: boolean, dark: boolean, lost_at_us: number |
 *   null, closed: boolean, case: number | null, held: number, idle: number, idle_long: boolean}} SeatRow
 */
/**
 * What a table has taken since it was set up, for those who answer for it.
 * @typedef {{turnover: number, won: number, rounds: number, played: number, held: number, expected: number, low:
 *   number, high: number, method: string}} Takings
 */
/**
 * What all chips on a table bring back, by where the ball may fall.
 * @typedef {{staked: number, returns: Record<string, number>, most: number, worst: string[]}} Exposure
 */
/**
 * The limits of a table; null where there is no bound.
 * @typedef {{spot_least: number | null, spot_most: number | null, total_least: number | null, total_most: number |
 *   null, kinds: import("./types.js").KindLimits[]}} LimitsRow
 */
/** @typedef {{rulebook: string, settings: unknown, limits: LimitsRow}} TermsRow What a table plays by. */
/**
 * What a table plays by, and from the next round, where that is something else.
 * @typedef {{now: TermsRow, next: TermsRow | null}} TableTerms
 */
/**
 * A held win, for whoever records its form and pays it.
 * @typedef {{terminal: string, hold: number, table: string, round: number, amount: number, currency: string, bases:
 *   Record<string, number>, basis: string, form: string, clause: string, recorded: boolean}} HoldRow
 */
/**
 * A table as staff see it, beyond what everybody does.
 * @typedef {{reported: string | null, safe_to_spin: boolean, steps: StepRow[] | null, staked: number, seats:
 *   SeatRow[], takings: Takings | null, exposure: Exposure | null}} FloorTable
 */
/**
 * Something for staff to see to.
 * @typedef {{incident: number, kind: string, subject: string, clause: string | null, words: string, at_us: number}}
 *   IncidentRow
 */
/**
 * A first signature that waits for the second.
 * @typedef {{proposal: number, command: unknown, person: string, device: string, expires_at_us: number}}
 *   ProposalRow
 */
/**
 * A drawer and who has it; never what should be in it, as it is counted blind.
 * @typedef {{drawer: string, person: string, counted: number | null}} DrawerRow
 */
/**
 * What staff see beyond the tables. In a delta what is missing has not changed.
 * @typedef {{tables?: Record<string, FloorTable>, incidents?: IncidentRow[], proposals?: ProposalRow[], drawers?:
 *   DrawerRow[], terms?: Record<string, TableTerms>, holds?: HoldRow[], needs?: Need[], needs_more?: number}}
 *   FloorState
 */
/**
 * A step of the round that runs or, between two, of the one to come.
 * @typedef {{step: StepName, words: string, says: string, clause: string, by: By, at_us: number | null, due_us:
 *   number | null, next: boolean, command: unknown | null, asks: string[], waits: import("./types.js").Cited | null}}
 *   StepRow
 */
/**
 * Something that can be done, as a command to be sent.
 * @typedef {{label: string, command: unknown, asks: string[], titles: string[], dual: boolean}} Action
 */
/**
 * Something that waits for somebody, until nobody has to see to it any more.
 * @typedef {{kind: NeedKind, number: number | null, table: string | null, terminal: string | null, what: string,
 *   says: string, clause: string | null, since_us: number | null, due_us: number | null, amount: number | null,
 *   actions: Action[]}} Need
 */
/** @typedef {{credit: number, up: number, held: number, owed: number}} Money What is a player's at one terminal. */
/**
 * One seat before and after a correction that is only tried.
 * @typedef {{terminal: string, staked: number, paid: number, due: number, before: Money, after: Money, gone:
 *   boolean}} Reckoned
 */
/**
 * One thing that happened in a round.
 * @typedef {{position: number, at_us: number, kind: string, words: string, clause: string | null, person: string,
 *   device: string, terminal: string | null, stakes: Record<string, number>, pocket: string | null}} ReplayStep
 */
/**
 * One seat of a round: its chips as they were sealed, and what came of them.
 * @typedef {{terminal: string, at_start: Record<string, number>, sealed: Record<string, number>, staked: number,
 *   returned: number | null, winners: Record<string, number>}} ReplaySeat
 */
/**
 * An entry of the journal in plain words.
 * @typedef {{position: number, at_us: number, day: number, kind: string, words: string, clause: string | null,
 *   person: string, device: string, table: string | null, terminal: string | null}} JournalRow
 */
/**
 * A slip or ticket, as the house has it.
 * @typedef {{sequence: number, form: string, amount: number, currency: string, status: string, terminal: string,
 *   issued_at_us: number, day: number, last_four: string, duplicates: number, reported_lost: boolean, paid_at_us:
 *   number | null, paid_place: string, paid_by: string, why_not: import("./types.js").Cited | null}} TicketRow
 */
/**
 * One line of a self-audit: what is added up, and what it comes to.
 * @typedef {{words: string, amount: number}} AuditLine
 */
/**
 * A member of staff.
 * @typedef {{person: string, titles: string[], acting: [string, number][], devices: string[]}} PersonRow
 */
/**
 * What a correction would do, seat by seat; nothing was done.
 * @typedef {{t: "preview", q: number, table: string, round: number, was: string, pocket: string, clause: string,
 *   seats: Reckoned[], house: number}} ToldPreview
 */
/**
 * A round step by step, with its chips in order, and what it came to.
 * @typedef {{t: "replay", q: number, table: string, round: number, rulebook: string, opened_at_us: number, pocket:
 *   string | null, corrected: string[], status: string, reason: string, clause: string | null, seats: ReplaySeat[],
 *   steps: ReplayStep[], left_out: number, notation: string | null, no_notation: string}} ToldReplay
 */
/**
 * Entries of the journal, the newest first.
 * @typedef {{t: "journal", q: number, rows: JournalRow[], first: number, last: number, more: boolean, head:
 *   number}} ToldJournal
 */
/**
 * A slip or ticket that was looked up; nothing was paid.
 * @typedef {{t: "looked_up", q: number, ticket: TicketRow}} ToldLookedUp
 */
/**
 * A terminal's meters since it was set up, and its self-audit.
 * @typedef {{t: "meters", q: number, terminal: string, meters: Record<string, number>, notes: Record<string,
 *   number>, by_meters: AuditLine[], on_terminal: AuditLine[], difference: number, sound: boolean}} ToldMeters
 */
/** @typedef {{t: "staff", q: number, people: PersonRow[], more: number}} ToldStaff Who works here, and as what. */
/**
 * What is to be handed out from a drawer, once: a slip or ticket, or a held win.
 * @typedef {{amount: number, currency: string, drawer: string, terminal: string, sequence: number | null, hold:
 *   number | null, notes: [number, number][], coins: number}} Paid
 */
/**
 * Asks what a correction would do to every seat's money.
 * @typedef {{t: "preview", q?: number, table: string, round: number, pocket: string}} SaidPreview
 */
/**
 * Asks for a round that is still kept, step by step; of one terminal alone where it is named.
 * @typedef {{t: "replay", q?: number, table: string, round: number, terminal?: string | null, notation?: boolean}}
 *   SaidReplay
 */
/**
 * Asks for entries of the journal: the last ones, or those before or after a position, of one kind where named.
 * @typedef {{t: "journal", q?: number, before?: number | null, after?: number | null, table?: string | null,
 *   terminal?: string | null, person?: string | null, kind?: string | null}} SaidJournal
 */
/**
 * Asks what a slip or ticket is worth, by its number, without paying it.
 * @typedef {{t: "look_up", q?: number, number: string}} SaidLookUp
 */
/**
 * Asks for the meters of a terminal, and whether they add up.
 * @typedef {{t: "meters", q?: number, terminal: string}} SaidMeters
 */
/** @typedef {{t: "staff", q?: number}} SaidStaff Asks who works here, and as what. */

export {};
