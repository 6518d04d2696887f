"""All commands, and those that need a second signature."""

from croupier.house.command.credit import (
    AdjustCredit,
    BuyIn,
    CloseDrawer,
    Collect,
    ConfirmPrint,
    CountDrawer,
    EndSession,
    GrantPlayMoney,
    InsertNote,
    InsertTicket,
    OpenDrawer,
    PayHold,
    PayPayable,
    RecordTaxForm,
    RedeemTicket,
    ReleaseHold,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    VoidTicket,
)
from croupier.house.command.play import (
    CancelRecall,
    ChangeBet,
    ChooseDenomination,
    ClearBets,
    ConfirmRecall,
    CopyBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RecallPattern,
    RemoveBets,
    RepeatBets,
    SavePattern,
    SetAutoCopy,
    UndoBet,
)
from croupier.house.command.record import (
    AdviseComplainant,
    ClearCase,
    ClearIncident,
    ClearLineLoss,
    CloseDispute,
    ConfirmBets,
    DecideDispute,
    LoseTerminal,
    NoteIncident,
    OpenDispute,
    RaiseAlarm,
    RaiseMalfunction,
    RaiseSystemMalfunction,
    RecordReview,
    ReportBoard,
    ReportDisplay,
    RequestReview,
    ReturnTerminal,
    VoidBets,
)
from croupier.house.command.round import (
    AttestResult,
    BallAtRest,
    BallLaunched,
    BallLeftTrack,
    CallNoSpin,
    CloseBets,
    ConfirmResult,
    CorrectResult,
    DecideReferral,
    EnterResult,
    FinishBetting,
    InvalidateOutcome,
    OpenBets,
    Recover,
    ReferRound,
    ResetTerminals,
    SpinBall,
    Tick,
    WheelTrouble,
)
from croupier.house.command.venue import (
    AcceptHistory,
    AddTable,
    AddTerminal,
    AdoptRulebook,
    AppointActing,
    Approve,
    ApproveSoftware,
    ArrangeVip,
    ChangeRulebook,
    ChangeSettings,
    CloseTable,
    CloseTerminal,
    EndArrangement,
    EnrolDevice,
    EnrolPerson,
    FoundHouse,
    NotifyOfficer,
    PrintRules,
    ReleaseDevice,
    ReleasePerson,
    ReopenTable,
    ReopenTerminal,
    ReportSoftware,
    SendMessage,
    UnlockAccount,
    Withdraw,
)

#: What two different people on two devices must sign.
Dual = (
    AdjustCredit
    | PayPayable
    | VoidTicket
    | ReprintTicket
    | ReleaseTicket
    | AttestResult
    | CorrectResult
    | InvalidateOutcome
    | ChangeSettings
    | ChangeRulebook
    | VoidBets
    | EnrolPerson
    | UnlockAccount
    | EnrolDevice
    | ReleaseDevice
    | AddTable
    | AddTerminal
    | ApproveSoftware
)

AnyCommand = (
    PlaceBets
    | ChangeBet
    | RemoveBets
    | MoveBet
    | UndoBet
    | ClearBets
    | RepeatBets
    | DoubleBets
    | PressNeighbours
    | SavePattern
    | RecallPattern
    | ConfirmRecall
    | CancelRecall
    | CopyBets
    | SetAutoCopy
    | ChooseDenomination
    | Tick
    | Recover
    | OpenBets
    | FinishBetting
    | CloseBets
    | SpinBall
    | BallLaunched
    | BallLeftTrack
    | BallAtRest
    | WheelTrouble
    | ConfirmResult
    | EnterResult
    | CallNoSpin
    | ResetTerminals
    | ReferRound
    | DecideReferral
    | AttestResult
    | CorrectResult
    | InvalidateOutcome
    | InsertNote
    | InsertTicket
    | GrantPlayMoney
    | Collect
    | EndSession
    | ConfirmPrint
    | ReprintTicket
    | VoidTicket
    | ReleaseTicket
    | ReportLost
    | OpenDrawer
    | BuyIn
    | RedeemTicket
    | CountDrawer
    | CloseDrawer
    | RecordTaxForm
    | ReleaseHold
    | PayHold
    | AdjustCredit
    | PayPayable
    | FoundHouse
    | AdoptRulebook
    | AddTable
    | AddTerminal
    | EnrolDevice
    | ReleaseDevice
    | EnrolPerson
    | ReleasePerson
    | UnlockAccount
    | AppointActing
    | ApproveSoftware
    | ReportSoftware
    | ChangeSettings
    | ChangeRulebook
    | NotifyOfficer
    | CloseTable
    | ReopenTable
    | CloseTerminal
    | ReopenTerminal
    | ArrangeVip
    | EndArrangement
    | AcceptHistory
    | SendMessage
    | PrintRules
    | Approve
    | Withdraw
    | LoseTerminal
    | ReturnTerminal
    | RaiseMalfunction
    | RaiseSystemMalfunction
    | ConfirmBets
    | VoidBets
    | ClearCase
    | ClearLineLoss
    | ReportDisplay
    | ReportBoard
    | NoteIncident
    | RaiseAlarm
    | ClearIncident
    | OpenDispute
    | DecideDispute
    | AdviseComplainant
    | RequestReview
    | RecordReview
    | CloseDispute
)
