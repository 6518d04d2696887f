"""All commands: the union derived from the declarations."""

from croupier.house.commands.credit import (
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
    PayHeldWin,
    PayPayable,
    RecordTaxForm,
    RedeemTicket,
    ReleaseHeldWin,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    VoidTicket,
)
from croupier.house.commands.play import (
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
from croupier.house.commands.record import (
    AdviseComplainant,
    ClearCase,
    ClearIncident,
    ClearLineLoss,
    CloseDispute,
    ConfirmBets,
    DecideDispute,
    NoteIncident,
    OpenDispute,
    RaiseAlarm,
    RaiseMalfunction,
    RaiseSystemMalfunction,
    RecordReview,
    ReportBoard,
    ReportDisplay,
    ReportTerminalLost,
    ReportTerminalReturned,
    RequestReview,
    VoidBets,
)
from croupier.house.commands.rounds import (
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
from croupier.house.commands.setup import (
    AcceptHistory,
    AddTable,
    AddTerminal,
    AdoptRulebook,
    AppointActing,
    Approve,
    ApproveBuild,
    ArrangeVip,
    ChangeRulebook,
    ChangeSettings,
    CloseTable,
    CloseTerminal,
    CreateHouse,
    EndArrangement,
    EnrolDevice,
    EnrolPerson,
    NotifyOfficer,
    PrintRules,
    ReleaseDevice,
    ReleasePerson,
    ReopenTable,
    ReopenTerminal,
    ReportBuild,
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
    | ApproveBuild
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
    | ReleaseHeldWin
    | PayHeldWin
    | AdjustCredit
    | PayPayable
    | CreateHouse
    | AdoptRulebook
    | AddTable
    | AddTerminal
    | EnrolDevice
    | ReleaseDevice
    | EnrolPerson
    | ReleasePerson
    | UnlockAccount
    | AppointActing
    | ApproveBuild
    | ReportBuild
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
    | ReportTerminalLost
    | ReportTerminalReturned
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
