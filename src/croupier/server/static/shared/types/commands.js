// The types of commands. Pure.
// Written from the Python classes by `python -m tests.support.wiretypes --write`; a test fails when they differ.

/**
 * What a ball is made of.
 * @typedef {"acrylic" | "ceramic" | "ivory" | "nylon" | "ptfe" | "steel" | "other_metal"} BallMaterial
 */
/** @typedef {"bet" | "money" | "screen" | "other"} CallReason What a player calls an attendant about. */
/**
 * What a device is there for.
 * @typedef {"terminal" | "dealer" | "pit" | "cashier" | "board" | "auditor" | "live_table" | "notice"} DeviceKind
 */
/** @typedef {"not_covered" | "from_rules"} DisputeBasis What a dispute is based on. */
/** @typedef {"ordinal" | "range"} DozenLabels What is printed in the boxes of the dozens. */
/**
 * What a player with chips must not do.
 * @typedef {"touched_outside" | "touched" | "device" | "side_bet"} InfringementKind
 */
/**
 * What is wrong with a terminal or the game system.
 * @typedef {"credits" | "numbers" | "interrupted" | "opinion"} MalfunctionKind
 */
/** @typedef {"placed" | "assisted" | "verbal"} Manner How chips came to lie on the layout. */
/**
 * What went wrong, the most telling first: where several hold, the first that the venue knows is recorded.
 * @typedef {"ball_out_of_wheel" | "ball_broken" | "ball_not_seated" | "wheel_not_turning" | "wheel_stopped" |
 *   "same_direction" | "foreign_object" | "interference" | "ball_dropped" | "too_few_revolutions" |
 *   "too_few_anticipated" | "launch_before_close" | "result_before_close" | "suspicion" | "malfunction" | "commotion"
 *   | "fire" | "riot" | "brawl" | "robbery" | "act_of_god" | "fraud_by_player" | "fraud_by_dealer" | "not_covered"}
 *   Reason
 */
/** @typedef {"full" | "supervised"} Recording How much of the play with chips is recorded at a live table. */
/** @typedef {"void" | "settle" | "go_on"} ReferralDecision How a referred round continues. */
/**
 * What is held against the tax threshold.
 * @typedef {"net_of_winning_stakes" | "net_of_total_bet" | "gross"} TaxBasis
 */
/** @typedef {"cash" | "value_chips"} Tender What a player gives for chips. */
/** @typedef {"sensor" | "keypad" | "random"} WheelKind Where a table's numbers come from. */
/**
 * The least and the most; None where there is no bound.
 * @typedef {{least?: number | null, most?: number | null}} LimitBounds
 */
/**
 * Limits on a spot, which a kind may have of its own, and on all bets of a game together.
 * @typedef {{spot?: LimitBounds, kinds?: [string, LimitBounds][], total?: LimitBounds}} LimitSettings
 */
/**
 * A live table, at which players bet with chips. Its set of chips and its recording are fixed when it is added.
 * @typedef {{recording?: Recording, denominations?: number[], circulating?: number[], value_colours?: string[],
 *   emblem: string, colours?: string[], pieces?: number, multiples?: boolean, marker_buttons?: string[],
 *   infringements_most?: number, marker_unit?: number | null, markers_per_number?: number | null, markers_per_spin?:
 *   number | null, designated_only?: boolean, cash_from?: number | null}} LiveSettings
 */
/**
 * A table's limits and timers. Times are whole seconds; None switches a timer off.
 * @typedef {{limits?: LimitSettings, live?: LiveSettings | null, wheel?: WheelKind, confirms?: boolean, provable?:
 *   boolean, inspects_equipment?: boolean, betting_s?: number | null, warning_s?: number, launch_to_close_s?: number
 *   | null, rest_s?: number, pause_s?: number | null, betting_min_s?: number, games_per_hour_max?: number | null,
 *   offline_grace_s?: number, decision_s?: number, attest_s?: number, session_idle_s?: number | null, tax_basis?:
 *   TaxBasis | null, history_shown?: number, open_text?: string | null, dozen_labels?: DozenLabels, net_win?:
 *   boolean}} TableSettings
 */
/**
 * What a terminal offers.
 * @typedef {{profile?: string | null, denominations?: number[], chips?: number[], notes?: number[], limits?:
 *   LimitSettings | null}} TerminalSettings
 */
/** @typedef {{type: "PlaceBets", terminal: string, table: string, round: number, spin: number, bets: [string,
 *   number][]}} PlaceBets */
/** @typedef {{type: "ChangeBet", terminal: string, table: string, round: number, spin: number, spot: string, stake:
 *   number}} ChangeBet */
/** @typedef {{type: "RemoveBets", terminal: string, table: string, round: number, spin: number, spots: string[]}}
 *   RemoveBets */
/** @typedef {{type: "MoveBet", terminal: string, table: string, round: number, spin: number, source: string, target:
 *   string}} MoveBet */
/** @typedef {{type: "UndoBet", terminal: string, table: string, round: number, spin: number}} UndoBet */
/** @typedef {{type: "ClearBets", terminal: string, table: string, round: number, spin: number}} ClearBets */
/** @typedef {{type: "RepeatBets", terminal: string, table: string, round: number, spin: number}} RepeatBets */
/** @typedef {{type: "DoubleBets", terminal: string, table: string, round: number, spin: number}} DoubleBets */
/** @typedef {{type: "PressNeighbours", terminal: string, table: string, round: number, spin: number}}
 *   PressNeighbours */
/** @typedef {{type: "ChooseDenomination", terminal: string, denomination: number}} ChooseDenomination */
/** @typedef {{type: "CallAttendant", terminal: string, reason?: CallReason}} CallAttendant */
/** @typedef {{type: "WithdrawCall", terminal: string}} WithdrawCall */
/** @typedef {{type: "SetPlayLimits", terminal: string, loss?: number | null, minutes?: number | null}} SetPlayLimits */
/** @typedef {{type: "TakeBreak", terminal: string, minutes: number}} TakeBreak */
/** @typedef {{type: "ConfirmPrint", terminal: string, sequence: number}} ConfirmPrint */
/** @typedef {{type: "ReportDisplay", terminal: string, credit?: number | null, number?: string | null, layout?:
 *   string | null}} ReportDisplay */
/** @typedef {{type: "CopyBets", terminal: string, table: string, round: number, spin: number, source: string}}
 *   CopyBets */
/** @typedef {{type: "SetAutoCopy", terminal: string, table: string, target: string, on: boolean}} SetAutoCopy */
/** @typedef {{type: "SavePattern", terminal: string, table: string, round: number, spin: number, slot: number,
 *   override?: boolean}} SavePattern */
/** @typedef {{type: "RecallPattern", terminal: string, table: string, round: number, spin: number, slot: number}}
 *   RecallPattern */
/** @typedef {{type: "ConfirmRecall", terminal: string, table: string, round: number, spin: number}} ConfirmRecall */
/** @typedef {{type: "CancelRecall", terminal: string, table: string, round: number, spin: number}} CancelRecall */
/** @typedef {{type: "CommitShare", terminal: string, table: string, round: number, spin: number, commitment:
 *   string}} CommitShare */
/** @typedef {{type: "RevealShare", terminal: string, table: string, round: number, spin: number, share: string}}
 *   RevealShare */
/** @typedef {{type: "AnswerCall", terminal: string, words?: string}} AnswerCall */
/** @typedef {{type: "EndBreak", terminal: string}} EndBreak */
/** @typedef {{type: "ChangeSettings", table: string, settings: TableSettings, words: string}} ChangeSettings */
/** @typedef {{type: "ChangeRulebook", table: string, rulebook: string, words: string}} ChangeRulebook */
/** @typedef {{type: "EndSession", terminal: string}} EndSession */
/** @typedef {{type: "AdjustCredit", terminal: string, amount: number, words: string}} AdjustCredit */
/** @typedef {{type: "NoteIncident", subject: string, words: string}} NoteIncident */
/** @typedef {{type: "ClearIncident", incident: number}} ClearIncident */
/** @typedef {{type: "ReprintTicket", sequence: number, words: string}} ReprintTicket */
/** @typedef {{type: "VoidTicket", sequence: number, words: string}} VoidTicket */
/** @typedef {{type: "ReleaseTicket", sequence: number, words: string}} ReleaseTicket */
/** @typedef {{type: "ReportLost", sequence: number, words: string}} ReportLost */
/** @typedef {{type: "OpenDrawer", drawer: string, float_: number, currency?: string}} OpenDrawer */
/** @typedef {{type: "BuyIn", terminal: string, drawer: string, amount: number}} BuyIn */
/** @typedef {{type: "FillDrawer", drawer: string, amount: number}} FillDrawer */
/** @typedef {{type: "DropDrawer", drawer: string, amount: number}} DropDrawer */
/** @typedef {{type: "CountDrawer", drawer: string, counted: number}} CountDrawer */
/** @typedef {{type: "CloseDrawer", drawer: string, counted?: number | null}} CloseDrawer */
/** @typedef {{type: "PayPayable", terminal: string, session: number, drawer: string, amount: number, patron: string,
 *   form_number?: string}} PayPayable */
/** @typedef {{type: "RecordTaxForm", terminal: string, hold: number, patron: string, form_number: string}}
 *   RecordTaxForm */
/** @typedef {{type: "ReleaseHeldWin", terminal: string, hold: number}} ReleaseHeldWin */
/** @typedef {{type: "PayHeldWin", terminal: string, hold: number, drawer: string}} PayHeldWin */
/** @typedef {{type: "SeatPlayer", table: string, label?: string}} SeatPlayer */
/** @typedef {{type: "LeaveTable", table: string, position: number}} LeaveTable */
/** @typedef {{type: "AllocateColour", table: string, position: number, colour: string, value?: number | null}}
 *   AllocateColour */
/** @typedef {{type: "ApproveSecondColour", table: string, position: number, words: string}} ApproveSecondColour */
/** @typedef {{type: "BuyChips", table: string, position: number, tender: Tender, amount: number, colour?: string |
 *   null}} BuyChips */
/** @typedef {{type: "RedeemColour", table: string, position: number, colour: string, pieces: number}} RedeemColour */
/** @typedef {{type: "ReturnColour", table: string, colour: string, counted: number}} ReturnColour */
/** @typedef {{type: "AcknowledgeNotice", table: string, digest: string}} AcknowledgeNotice */
/** @typedef {{type: "DesignateMarkers", table: string, position: number, on: boolean}} DesignateMarkers */
/** @typedef {{type: "ArrangeVip", table: string, positions: number[], words: string, straight_only?: boolean,
 *   limits?: LimitSettings | null, markers?: boolean}} ArrangeVip */
/** @typedef {{type: "EndArrangement", table: string, arrangement: number, words: string}} EndArrangement */
/** @typedef {{type: "NoteInfringement", table: string, position: number, kind: InfringementKind}} NoteInfringement */
/** @typedef {{type: "BarPlayer", table: string, position: number, words: string}} BarPlayer */
/** @typedef {{type: "AdmitPlayer", table: string, position: number}} AdmitPlayer */
/** @typedef {{type: "AdjustChips", table: string, position: number, amount: number, words: string}} AdjustChips */
/** @typedef {{type: "PlaceChips", table: string, position: number, bets: [string, number][], chip: string, manner?:
 *   Manner, chips_down?: boolean, beside?: [string, string, number][], round?: number | null, spin?: number | null}}
 *   PlaceChips */
/** @typedef {{type: "ChangeChips", table: string, position: number, spot: string, chip: string, pieces: number,
 *   round?: number | null, spin?: number | null}} ChangeChips */
/** @typedef {{type: "RemoveChips", table: string, position: number, spots: string[], round?: number | null, spin?:
 *   number | null}} RemoveChips */
/** @typedef {{type: "MoveChips", table: string, position: number, source: string, target: string, round?: number |
 *   null, spin?: number | null}} MoveChips */
/** @typedef {{type: "UndoChips", table: string, position: number, round?: number | null, spin?: number | null}}
 *   UndoChips */
/** @typedef {{type: "ClearChips", table: string, position: number, round?: number | null, spin?: number | null}}
 *   ClearChips */
/** @typedef {{type: "ReleaseChips", table: string, position: number}} ReleaseChips */
/** @typedef {{type: "RaiseMalfunction", terminal: string, fault: MalfunctionKind, words: string}} RaiseMalfunction */
/** @typedef {{type: "ConfirmBets", case: number, digest: string}} ConfirmBets */
/** @typedef {{type: "VoidBets", case: number, words: string}} VoidBets */
/** @typedef {{type: "ClearCase", case: number}} ClearCase */
/** @typedef {{type: "ClearLineLoss", table: string, case: number}} ClearLineLoss */
/** @typedef {{type: "FinishBetting", table: string}} FinishBetting */
/** @typedef {{type: "CloseBets", table: string}} CloseBets */
/** @typedef {{type: "CallNoSpin", table: string, reason: Reason, words?: string, before_rest?: boolean,
 *   ball_removed?: boolean, round?: number | null, spin?: number | null}} CallNoSpin */
/** @typedef {{type: "ResetTerminals", table: string}} ResetTerminals */
/** @typedef {{type: "PairWheelHead", table: string, head: string, order: string[]}} PairWheelHead */
/** @typedef {{type: "AssignBall", table: string, ball: string, material: BallMaterial, diameter: number}} AssignBall */
/** @typedef {{type: "InspectEquipment", table: string, words?: string}} InspectEquipment */
/** @typedef {{type: "RecordMaintenance", table: string, words: string}} RecordMaintenance */
/** @typedef {{type: "OpenBets", table: string}} OpenBets */
/** @typedef {{type: "SpinBall", table: string}} SpinBall */
/** @typedef {{type: "OpenDispute", table: string, round: number, terminal: string | null, basis: DisputeBasis,
 *   words: string, rule?: string | null, memorandum?: string, position?: number | null}} OpenDispute */
/** @typedef {{type: "DecideDispute", dispute: number, decision: string}} DecideDispute */
/** @typedef {{type: "RequestReview", dispute: number, by_house: boolean}} RequestReview */
/** @typedef {{type: "RecordReview", dispute: number, outcome: string}} RecordReview */
/** @typedef {{type: "AdviseComplainant", dispute: number}} AdviseComplainant */
/** @typedef {{type: "CloseDispute", dispute: number, resolved: boolean}} CloseDispute */
/** @typedef {{type: "NotifyOfficer", subject: string, words: string}} NotifyOfficer */
/** @typedef {{type: "CloseTable", table: string, words: string}} CloseTable */
/** @typedef {{type: "ReopenTable", table: string}} ReopenTable */
/** @typedef {{type: "CloseTerminal", terminal: string, words: string}} CloseTerminal */
/** @typedef {{type: "ReopenTerminal", terminal: string}} ReopenTerminal */
/** @typedef {{type: "SendMessage", terminals: string[], words: string}} SendMessage */
/** @typedef {{type: "AddTable", table: string, rulebook: string, settings: TableSettings}} AddTable */
/** @typedef {{type: "AddTerminal", terminal: string, tables: string[], settings: TerminalSettings}} AddTerminal */
/** @typedef {{type: "ApproveBuild", version: string, reference: string}} ApproveBuild */
/** @typedef {{type: "PrintRules", table: string, sold?: boolean}} PrintRules */
/** @typedef {{type: "EnrolDevice", device: string, kind?: DeviceKind | null}} EnrolDevice */
/** @typedef {{type: "ReleaseDevice", device: string}} ReleaseDevice */
/** @typedef {{type: "EnrolPerson", person: string, titles: string[]}} EnrolPerson */
/** @typedef {{type: "ReleasePerson", person: string}} ReleasePerson */
/** @typedef {{type: "UnlockAccount", person: string}} UnlockAccount */
/** @typedef {{type: "AppointActing", person: string, title: string, begins_at: number, ends_at: number}}
 *   AppointActing */
/** @typedef {{type: "OpenFloat", table: string, chips: [number, number][], slip: string}} OpenFloat */
/** @typedef {{type: "FillFloat", table: string, chips: [number, number][], slip: string}} FillFloat */
/** @typedef {{type: "CreditFloat", table: string, chips: [number, number][], slip: string}} CreditFloat */
/** @typedef {{type: "DeclareGap", table: string, words: string}} DeclareGap */
/** @typedef {{type: "CloseGap", table: string, racks: [string, number][], chips: [number, number][], numbers:
 *   string[], words: string}} CloseGap */
/** @typedef {{type: "CountFloat", table: string, chips: [number, number][]}} CountFloat */
/** @typedef {{type: "CloseFloat", table: string}} CloseFloat */
/** @typedef {{type: "CollectDrop", table: string, counted: number}} CollectDrop */
/** @typedef {{type: "CashChips", drawer: string, amount: number, emblem?: string}} CashChips */
/** @typedef {{type: "SellChips", drawer: string, amount: number}} SellChips */
/** @typedef {{type: "LinkPlayers", table: string, positions: number[]}} LinkPlayers */
/** @typedef {{type: "UnlinkPlayers", table: string, group: number}} UnlinkPlayers */
/** @typedef {{type: "ReturnLate", table: string, position: number, bets: [string, number][], chip: string}}
 *   ReturnLate */
/** @typedef {{type: "AmendSeal", table: string, position: number, pieces: [string, string, number][], words: string,
 *   sighting?: string, round?: number | null, spin?: number | null}} AmendSeal */
/** @typedef {{type: "PlaceDolly", table: string, round: number, pocket: string}} PlaceDolly */
/** @typedef {{type: "CollectLosers", table: string, round: number}} CollectLosers */
/** @typedef {{type: "PaySegment", table: string, round: number, segment: string, position?: number | null, handed?:
 *   [string, number][]}} PaySegment */
/** @typedef {{type: "SettleOwed", table: string, position: number, chip: string, pieces: number}} SettleOwed */
/** @typedef {{type: "RecordWinner", table: string, position: number, round: number, bets: [string, number][], chip:
 *   string}} RecordWinner */
/** @typedef {{type: "FinishPaying", table: string, round: number}} FinishPaying */
/** @typedef {{type: "CorrectResult", table: string, round: number, pocket: string, words: string}} CorrectResult */
/** @typedef {{type: "InvalidateOutcome", table: string, round: number, reason: Reason, words: string, suspect?:
 *   string, evidence?: string}} InvalidateOutcome */
/** @typedef {{type: "RaiseSystemMalfunction", table: string, words: string}} RaiseSystemMalfunction */
/** @typedef {{type: "ConfirmResult", table: string, pocket: string, dolly?: string | null, round?: number | null,
 *   spin?: number | null}} ConfirmResult */
/** @typedef {{type: "EnterResult", table: string, pocket: string, again: string, round?: number | null, spin?:
 *   number | null}} EnterResult */
/** @typedef {{type: "AttestResult", table: string, pocket: string, words: string, round?: number | null, spin?:
 *   number | null}} AttestResult */
/** @typedef {{type: "HoldRound", table: string, round?: number | null, spin?: number | null}} HoldRound */
/** @typedef {{type: "ReleaseHold", table: string, round?: number | null, spin?: number | null}} ReleaseHold */
/** @typedef {{type: "ReferRound", table: string, words: string}} ReferRound */
/** @typedef {{type: "DecideReferral", table: string, verdict: ReferralDecision, words: string, pocket?: string |
 *   null, round?: number | null, spin?: number | null}} DecideReferral */
/** @typedef {{type: "Approve", proposal: number}} Approve */
/** @typedef {{type: "Withdraw", proposal: number}} Withdraw */
/**
 * What a terminal asks for.
 * @typedef {PlaceBets | ChangeBet | RemoveBets | MoveBet | UndoBet | ClearBets | RepeatBets | DoubleBets |
 *   PressNeighbours | ChooseDenomination | CallAttendant | WithdrawCall | SetPlayLimits | TakeBreak | ConfirmPrint |
 *   ReportDisplay | CopyBets | SetAutoCopy | SavePattern | RecallPattern | ConfirmRecall | CancelRecall | CommitShare
 *   | RevealShare} TerminalCommand
 */
/**
 * What staff ask for.
 * @typedef {AnswerCall | EndBreak | ChangeSettings | ChangeRulebook | EndSession | AdjustCredit | NoteIncident |
 *   ClearIncident | ReprintTicket | VoidTicket | ReleaseTicket | ReportLost | OpenDrawer | BuyIn | FillDrawer |
 *   DropDrawer | CountDrawer | CloseDrawer | PayPayable | RecordTaxForm | ReleaseHeldWin | PayHeldWin | SeatPlayer |
 *   LeaveTable | AllocateColour | ApproveSecondColour | BuyChips | RedeemColour | ReturnColour | AcknowledgeNotice |
 *   DesignateMarkers | ArrangeVip | EndArrangement | NoteInfringement | BarPlayer | AdmitPlayer | AdjustChips |
 *   PlaceChips | ChangeChips | RemoveChips | MoveChips | UndoChips | ClearChips | ReleaseChips | RaiseMalfunction |
 *   ConfirmBets | VoidBets | ClearCase | ClearLineLoss | FinishBetting | CloseBets | CallNoSpin | ResetTerminals |
 *   PairWheelHead | AssignBall | InspectEquipment | RecordMaintenance | OpenBets | SpinBall | OpenDispute |
 *   DecideDispute | RequestReview | RecordReview | AdviseComplainant | CloseDispute | NotifyOfficer | CloseTable |
 *   ReopenTable | CloseTerminal | ReopenTerminal | SendMessage | AddTable | AddTerminal | ApproveBuild | PrintRules |
 *   EnrolDevice | ReleaseDevice | EnrolPerson | ReleasePerson | UnlockAccount | AppointActing | OpenFloat | FillFloat
 *   | CreditFloat | DeclareGap | CloseGap | CountFloat | CloseFloat | CollectDrop | CashChips | SellChips |
 *   LinkPlayers | UnlinkPlayers | ReturnLate | AmendSeal | PlaceDolly | CollectLosers | PaySegment | SettleOwed |
 *   RecordWinner | FinishPaying | CorrectResult | InvalidateOutcome | RaiseSystemMalfunction | ConfirmResult |
 *   EnterResult | AttestResult | HoldRound | ReleaseHold | ReferRound | DecideReferral | Approve | Withdraw}
 *   StaffCommand
 */

export {};
