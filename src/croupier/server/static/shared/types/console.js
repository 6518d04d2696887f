// The types of staff views: the floor, the steps of a round, queries and their results. Pure.
// Written from the Python classes by `python -m tests.support.wiretypes --write`; a test fails when they differ.

/** @typedef {"left" | "centre" | "right"} Align The horizontal alignment of a line. */
/** @typedef {"screen" | "pdf" | "escpos"} DocumentFormat The format of a document. */
/**
 * What entries of the journal are about.
 * @typedef {"money" | "round" | "bets" | "staff" | "incident" | "significant"} EventTopic
 */
/**
 * The kind of a pending item, the most urgent first.
 * @typedef {"suspended" | "interrupted" | "incident" | "blocked" | "case" | "device" | "proposal" | "held_win" |
 *   "call" | "dispute" | "dark" | "credit_left" | "idle"} PendingKind
 */
/**
 * What went wrong, the most telling first: where several hold, the first that the venue knows is recorded.
 * @typedef {"ball_out_of_wheel" | "ball_broken" | "ball_not_seated" | "wheel_not_turning" | "wheel_stopped" |
 *   "same_direction" | "foreign_object" | "interference" | "ball_dropped" | "too_few_revolutions" |
 *   "too_few_anticipated" | "launch_before_close" | "result_before_close" | "suspicion" | "malfunction" | "commotion"
 *   | "fire" | "riot" | "brawl" | "robbery" | "act_of_god" | "fraud_by_player" | "fraud_by_dealer" | "not_covered"}
 *   Reason
 */
/** @typedef {"dealer" | "auto" | "wheel" | "pit"} StepActor Who takes a step. */
/**
 * A step of a round, or a condition that must be met before the next.
 * @typedef {"open" | "warn" | "close" | "spin" | "number" | "confirm" | "settle" | "no_spin" | "reset" | "attest" |
 *   "decide"} StepName
 */
/** @typedef {"plain" | "bold" | "large" | "banner"} TextStyle How letters look. */
/**
 * An available action: the command to send.
 * @typedef {{label: string, command: unknown, asks: string[], titles: string[], dual: boolean}} AvailableAction
 */
/**
 * A pending item: something that staff must deal with.
 * @typedef {{kind: PendingKind, number: number | null, table: string | null, terminal: string | null, what: string,
 *   says: string, facts: Record<string, unknown>, clause: string | null, since_us: number | null, due_us: number |
 *   null, amount: number | null, count: number, actions: AvailableAction[]}} PendingItem
 */
/**
 * A step of the running round or, between rounds, of the next one.
 * @typedef {{step: StepName, words: string, says: string, clause: string, by: StepActor, at_us: number | null,
 *   due_us: number | null, next: boolean, command: unknown | null, asks: string[], waits: import("./wire.js").Cited |
 *   null}} StepRow
 */
/**
 * A seat as staff see it.
 * @typedef {{terminal: string, credit: number, staked: number, below: boolean, dark: boolean, lost_at_us: number |
 *   null, closed: boolean, case: number | null, held: number, idle: number, idle_long: boolean, spent: boolean,
 *   straight_only: boolean, position: number, arrangement: number | null}} SeatRow
 */
/**
 * The win of a table since it was added, for its managers.
 * @typedef {{turnover: number, won: number, rounds: number, played: number, held: number, expected: number, low:
 *   number, high: number, method: string}} TableWin
 */
/**
 * The exposure of a table: the return of all its chips for each pocket.
 * @typedef {{staked: number, returns: Record<string, number>, most: number, worst: string[]}} ExposureRow
 */
/**
 * The limits of a table; null where there is no bound.
 * @typedef {{spot_least: number | null, spot_most: number | null, total_least: number | null, total_most: number |
 *   null, kinds: import("./wire.js").KindLimits[]}} LimitsRow
 */
/**
 * The rulebook and settings of a table.
 * @typedef {{rulebook: string, digest: string, settings: unknown, limits: LimitsRow}} LimitsInForce
 */
/**
 * An adopted rulebook, and the titles that may send each command by it.
 * @typedef {{rulebook: string, digest: string, version: string, currency: string, titles: Record<string,
 *   string[]>}} RulebookRow
 */
/**
 * The rulebook and settings of a table now, and from the next round if they change.
 * @typedef {{now: LimitsInForce, next: LimitsInForce | null}} TableTerms
 */
/**
 * A held win, for the staff who record its form and pay it.
 * @typedef {{terminal: string, hold: number, table: string, round: number, amount: number, currency: string, bases:
 *   Record<string, number>, basis: string, form: string, clause: string, recorded: boolean}} HoldRow
 */
/**
 * The debt that a correction left between the house and one session of a terminal, or a player with chips.
 * @typedef {{terminal: string, session: number, ended: boolean, receivable: number, payable: number, currency:
 *   string, form: string, table: string, round: number, at_us: number, clause: string, position: number | null,
 *   label: string, colours: string[]}} DebtRow
 */
/**
 * A sensor report of one moment of a spin; a field is left out where the sensors did not see it.
 * @typedef {{moment: string, revolutions?: number | null, opposite?: boolean | null, turning?: boolean | null,
 *   reason?: string | null}} SightingRow
 */
/**
 * A finished round that is retained: its result, and the numbers before its corrections.
 * @typedef {{round: number, status: string, pocket: string | null, corrected: string[], reason: string, clause:
 *   string | null, seen: SightingRow[]}} RoundRow
 */
/**
 * A reason why a table cannot play, and the setting or the action that ends it.
 * @typedef {{reason: string, clause: string | null, says: string, remedy: string, facts: Record<string, unknown>}}
 *   BlockerRow
 */
/**
 * The wheel head and the ball of a table; an empty name is none.
 * @typedef {{head: string, ball: string, head_inspected: number | null, ball_inspected: number | null,
 *   maintained_us: number | null, order: string[], ball_least: number | null, ball_most: number | null}} EquipmentRow
 */
/**
 * The staff view of a table, in addition to the public view.
 * @typedef {{blocked: BlockerRow[], reported: string | null, seen: SightingRow[], doubtful: boolean, safe_to_spin:
 *   boolean, steps: StepRow[] | null, staked: number, seats: SeatRow[], takings: TableWin | null, exposure:
 *   ExposureRow | null, rounds: RoundRow[] | null, equipment: EquipmentRow | null}} FloorTable
 */
/**
 * An open incident.
 * @typedef {{incident: number, kind: string, subject: string, clause: string | null, words: string, facts:
 *   Record<string, unknown>, at_us: number}} IncidentRow
 */
/**
 * A proposal: a first signature that awaits the second.
 * @typedef {{proposal: number, command: unknown, person: string, device: string, expires_at_us: number}}
 *   ProposalRow
 */
/**
 * A drawer and its cashier; where drawers are counted blind, without what reveals the expected amount.
 * @typedef {{drawer: string, person: string, float_: number, opened_at_us: number, filled: number, dropped: number,
 *   paid_out: number | null, taken_in: number | null, cash: number | null, counted: number | null, currency: string}}
 *   DrawerRow
 */
/**
 * A note acceptor, a printer or a link to a slot system that does not work.
 * @typedef {{terminal: string, tables: string[], device: string, words: string}} DeviceRow
 */
/**
 * The staff view of the floor besides the tables. A field that a delta leaves out has not changed.
 * @typedef {{tables?: Record<string, FloorTable>, incidents?: IncidentRow[], incidents_more?: number, proposals?:
 *   ProposalRow[], devices?: DeviceRow[], drawers?: DrawerRow[], terms?: Record<string, TableTerms>, rulebooks?:
 *   RulebookRow[], holds?: HoldRow[], holds_more?: number, debts?: DebtRow[], debts_more?: number, needs?:
 *   PendingItem[], needs_more?: number}} FloorState
 */
/** @typedef {{type: "slip", sequence: number, number: string}} SlipOrTicket */
/** @typedef {{type: "ticket_receipt", sequence: number}} TicketReceipt */
/** @typedef {{type: "hold_receipt", hold: number}} HoldReceipt */
/** @typedef {{type: "buy_in_receipt", drawer: string, position?: number | null}} BuyInReceipt */
/** @typedef {{type: "payment_slip", terminal: string, session: number}} PaymentSlip */
/** @typedef {{type: "tax_form", hold: number}} TaxFormRecord */
/** @typedef {{type: "shift_report", drawer: string, position?: number | null}} ShiftReportRequest */
/** @typedef {{type: "table_report", table: string, day?: number | null}} TableReportRequest */
/** @typedef {{type: "day_report", day?: number | null, currency?: string | null}} DayReportRequest */
/** @typedef {{type: "dispute_evidence", dispute: number}} DisputeEvidence */
/** @typedef {{type: "rules_copy", table: string}} RulesCopyRequest */
/** @typedef {{type: "text", words: string, look: TextStyle, align: Align}} TextBlock */
/** @typedef {{type: "heading", words: string}} HeadingBlock */
/** @typedef {{type: "pair", label: string, value: string, look: TextStyle}} PairBlock */
/** @typedef {{type: "grid", heads: string[], rows: string[][], total: string[]}} GridBlock */
/** @typedef {{type: "barcode", digits: string, width: number, bars: [number, number][]}} BarcodeBlock */
/** @typedef {{type: "signature", label: string}} SignatureBlock */
/** @typedef {{type: "rule"}} RuleBlock */
/** @typedef {{type: "gap"}} GapBlock */
/**
 * The money of a player at one terminal.
 * @typedef {{credit: number, up: number, held: number, owed: number}} TerminalMoneyRow
 */
/**
 * One seat before and after a previewed correction.
 * @typedef {{terminal: string, staked: number, paid: number, due: number, before: TerminalMoneyRow, after:
 *   TerminalMoneyRow, gone: boolean}} TerminalPreviewRow
 */
/** @typedef {{unpaid: number, up: number, owed: number}} ChipMoneyRow The money of a player with chips at a table. */
/**
 * One player with chips before and after a previewed correction.
 * @typedef {{position: number, label: string, staked: number, paid: number, due: number, before: ChipMoneyRow,
 *   after: ChipMoneyRow, gone: boolean}} ChipPreviewRow
 */
/** @typedef {{person: string, at_us: number}} SignedAction The person who took an action, and when. */
/**
 * A payment in chips when a round was disputed: its segment of the layout, and whether it was made.
 * @typedef {{segment: string, amount: number, made: boolean}} FrozenPayment
 */
/**
 * A round as it was when it was disputed.
 * @typedef {{rulebook: string, opened_at_us: number, status: string, pocket: string | null, corrected: string[],
 *   reason: string, clause: string | null, seats: number, staked: number, returned: number, stakes: Record<string,
 *   number>, paid: number | null, players: number | null, pieces: Record<string, Record<string, number>>, payments:
 *   FrozenPayment[], sealed: string, digest: string}} FrozenRound
 */
/**
 * A dispute with its whole record.
 * @typedef {{dispute: number, table: string, round: number, terminal: string | null, position: number | null,
 *   player: string, basis: string, clause: string, rule: string | null, words: string, memorandum: string, state:
 *   string, opened: SignedAction, evidence: FrozenRound | null, decision: string, decided: SignedAction | null,
 *   advised: SignedAction | null, review: SignedAction | null, review_by_house: boolean, outcome: string, reviewed:
 *   SignedAction | null, resolved: boolean | null, closed: SignedAction | null, actions: AvailableAction[]}}
 *   DisputeRow
 */
/**
 * One step of a round.
 * @typedef {{position: number, at_us: number, kind: string, words: string, clause: string | null, person: string,
 *   device: string, terminal: string | null, stakes: Record<string, number>, pocket: string | null}} ReplayStep
 */
/**
 * One seat of a round: its sealed chips, and their return.
 * @typedef {{terminal: string, at_start: Record<string, number>, sealed: Record<string, number>, staked: number,
 *   returned: number | null, winners: Record<string, number>}} ReplaySeat
 */
/**
 * An entry of the journal as a sentence.
 * @typedef {{position: number, at_us: number, day: number, kind: string, words: string, clause: string | null,
 *   person: string, device: string, table: string | null, terminal: string | null, round: number | null}} JournalRow
 */
/**
 * A slip or ticket, as the house has it.
 * @typedef {{sequence: number, form: string, amount: number, currency: string, status: string, terminal: string,
 *   venue: string, issued_at_us: number, day: number, last_four: string, duplicates: number, reported_lost: boolean,
 *   paid_at_us: number | null, paid_place: string, paid_by: string, why_not: import("./wire.js").Cited | null,
 *   actions: AvailableAction[]}} TicketRow
 */
/**
 * One line of a self-audit: what it counts, by its code, and the amount.
 * @typedef {{line: string, amount: number}} AuditLine
 */
/**
 * A member of staff.
 * @typedef {{person: string, titles: string[], acting: [string, number][], devices: string[]}} PersonRow
 */
/**
 * The preview of a correction or an invalidation, seat by seat; nothing was changed.
 * @typedef {{t: "preview", q: number, table: string, round: number, was: string | null, pocket: string | null,
 *   clause: string, seats: TerminalPreviewRow[], chips: ChipPreviewRow[], house: number}} PreviewResult
 */
/**
 * A round step by step, with its bets in order, and its result.
 * @typedef {{t: "replay", q: number, table: string, round: number, rulebook: string, opened_at_us: number, pocket:
 *   string | null, corrected: string[], status: string, reason: string, clause: string | null, seats: ReplaySeat[],
 *   steps: ReplayStep[], left_out: number, notation: string | null, no_notation: string}} ReplayResult
 */
/**
 * A file to save or print.
 * @typedef {{t: "file", q: number, name: string, type: string, content: string, more_after?: number | null}} File
 */
/**
 * The result of a verification of the whole journal.
 * @typedef {{t: "verified", q: number, sound: boolean, entries: number, pages: number, head: string, checkpoints:
 *   number, faults: string[], took_ms: number}} VerificationResult
 */
/**
 * Disputes, the newest first.
 * @typedef {{t: "disputes", q: number, disputes: DisputeRow[], more: boolean}} DisputesResult
 */
/**
 * Entries of the journal, the newest first.
 * @typedef {{t: "journal", q: number, rows: JournalRow[], first: number, last: number, more: boolean, head:
 *   number}} JournalResult
 */
/**
 * A slip or ticket that was looked up; nothing was paid.
 * @typedef {{t: "looked_up", q: number, ticket: TicketRow}} TicketResult
 */
/**
 * A terminal's meters since it was set up, and its self-audit.
 * @typedef {{t: "meters", q: number, terminal: string, meters: Record<string, number>, notes: Record<string,
 *   number>, by_meters: AuditLine[], on_terminal: AuditLine[], difference: number, sound: boolean}} MetersResult
 */
/**
 * A document as it is printed, as blocks to render.
 * @typedef {{t: "paper", q: number, title: string, roll: boolean, blocks: (TextBlock | HeadingBlock | PairBlock |
 *   GridBlock | BarcodeBlock | SignatureBlock | RuleBlock | GapBlock)[]}} DocumentResult
 */
/**
 * The staff with their titles, and the enrolled consoles, desks and boards.
 * @typedef {{t: "staff", q: number, people: PersonRow[], more: number, devices: string[]}} StaffResult
 */
/**
 * A payment to be handed out from a drawer, once: for a slip or ticket, or a held win.
 * @typedef {{amount: number, currency: string, drawer: string, terminal: string, sequence: number | null, hold:
 *   number | null, notes: [number, number][], coins: number, values: number[]}} PayoutInstruction
 */
/**
 * Asks what a correction would do to every seat's money, or an invalidation where a reason is named.
 * @typedef {{t: "preview", q?: number, table: string, round: number, pocket?: string | null, reason?: Reason |
 *   null}} QueryPreview
 */
/**
 * Asks for a retained round, step by step; for one terminal alone where it is named.
 * @typedef {{t: "replay", q?: number, table: string, round: number, terminal?: string | null, notation?: boolean}}
 *   QueryReplay
 */
/**
 * Asks for a round as a verifiable file; redacted to one terminal where it is named.
 * @typedef {{t: "bundle", q?: number, table: string, round: number, terminal?: string | null}} Bundle
 */
/**
 * Asks for a part of the journal as a verifiable file: the first, or the next after a position.
 * @typedef {{t: "export", q?: number, after?: number, before?: number | null}} Export
 */
/** @typedef {{t: "verify", q?: number}} Verify Asks for a verification of the whole journal. */
/**
 * Asks for disputes, open and closed: the last ones, or those before a number.
 * @typedef {{t: "disputes", q?: number, before?: number | null}} QueryDisputes
 */
/**
 * Asks for entries of the journal: the last ones, or those before or after a position, of one kind where named.
 * @typedef {{t: "journal", q?: number, before?: number | null, after?: number | null, table?: string | null,
 *   terminal?: string | null, person?: string | null, kind?: string | null, about?: EventTopic | null}} QueryJournal
 */
/**
 * Asks what a slip or ticket is worth, by its number, without paying it.
 * @typedef {{t: "look_up", q?: number, number: string}} QueryTicket
 */
/**
 * Asks for the meters of a terminal, and whether they add up.
 * @typedef {{t: "meters", q?: number, terminal: string}} QueryMeters
 */
/**
 * Asks for a document, to be shown or printed.
 * @typedef {{t: "paper", q?: number, form: DocumentFormat, document: SlipOrTicket | TicketReceipt | DisputeEvidence
 *   | RulesCopyRequest | HoldReceipt | BuyInReceipt | PaymentSlip | TaxFormRecord | ShiftReportRequest |
 *   TableReportRequest | DayReportRequest}} QueryDocument
 */
/** @typedef {{t: "staff", q?: number}} QueryStaff Asks for the staff and their titles. */
/**
 * Every document that may be asked for.
 * @typedef {SlipOrTicket | TicketReceipt | DisputeEvidence | RulesCopyRequest | HoldReceipt | BuyInReceipt |
 *   PaymentSlip | TaxFormRecord | ShiftReportRequest | TableReportRequest | DayReportRequest} Document
 */
/**
 * What a document is made of.
 * @typedef {TextBlock | HeadingBlock | PairBlock | GridBlock | BarcodeBlock | SignatureBlock | RuleBlock |
 *   GapBlock} AnyBlock
 */

export {};
