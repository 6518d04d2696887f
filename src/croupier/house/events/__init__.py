"""All events: the union derived from the declarations."""

from croupier.house.events.credit import (
    BoughtIn,
    CreditAdjusted,
    DrawerClosed,
    DrawerCounted,
    DrawerOpened,
    HeldWinPaid,
    HeldWinReleased,
    NoteStacked,
    PayablePaid,
    PlayMoneyGranted,
    SessionEnded,
    TaxFormRecorded,
    TicketIssued,
    TicketPrinted,
    TicketRedeemed,
    TicketReleased,
    TicketReportedLost,
    TicketReprinted,
    TicketsExpired,
    TicketVoided,
)
from croupier.house.events.play import (
    AutoCopyRefused,
    AutoCopySet,
    BetsChanged,
    BetsReturned,
    DenominationChosen,
    PatternRecalled,
    PatternSaved,
    RecallCancelled,
)
from croupier.house.events.record import (
    BetsConfirmed,
    BetsVoided,
    CaseCleared,
    ComplainantAdvised,
    DisputeClosed,
    DisputeDecided,
    DisputeOpened,
    IncidentCleared,
    IncidentRaised,
    LineLossCleared,
    MalfunctionRaised,
    ReviewRecorded,
    ReviewRequested,
    TerminalLost,
    TerminalReturned,
)
from croupier.house.events.rounds import (
    BallFell,
    BallOverdue,
    BallRested,
    BallSpun,
    BetsClosing,
    BetsOpened,
    BetsSealed,
    DayBegan,
    DayEnded,
    FinishCalled,
    IrregularitySeen,
    LaunchCalled,
    OutcomeInvalidated,
    ReferralDecided,
    ReportIgnored,
    ResultCorrected,
    ResultDeclared,
    RoundInterrupted,
    RoundSettled,
    RoundSuspended,
    RoundVoided,
    SpinVoided,
    TerminalsReset,
)
from croupier.house.events.setup import (
    AccountUnlocked,
    ActingAppointed,
    ArrangementEnded,
    BuildApproved,
    BuildReported,
    DeviceEnrolled,
    DeviceReleased,
    HistoryAccepted,
    HouseCreated,
    HouseRecovered,
    MessageSent,
    OfficerNotified,
    PersonEnrolled,
    PersonReleased,
    ProposalApproved,
    ProposalMade,
    ProposalWithdrawn,
    RulebookAdopted,
    RulebookChanged,
    RulesPrinted,
    SettingsChanged,
    TableAdded,
    TableClosed,
    TableReopened,
    TerminalAdded,
    TerminalClosed,
    TerminalReopened,
    VipArranged,
)

AnyEvent = (
    BetsChanged
    | BetsReturned
    | AutoCopyRefused
    | PatternSaved
    | PatternRecalled
    | RecallCancelled
    | AutoCopySet
    | DenominationChosen
    | DayBegan
    | DayEnded
    | BetsOpened
    | FinishCalled
    | BetsClosing
    | BetsSealed
    | LaunchCalled
    | BallSpun
    | BallRested
    | BallOverdue
    | BallFell
    | IrregularitySeen
    | ReportIgnored
    | ResultDeclared
    | RoundSettled
    | RoundVoided
    | SpinVoided
    | TerminalsReset
    | RoundSuspended
    | RoundInterrupted
    | ReferralDecided
    | ResultCorrected
    | OutcomeInvalidated
    | NoteStacked
    | PlayMoneyGranted
    | BoughtIn
    | TicketIssued
    | SessionEnded
    | TicketPrinted
    | TicketReprinted
    | TicketVoided
    | TicketReleased
    | TicketReportedLost
    | TicketRedeemed
    | TicketsExpired
    | DrawerOpened
    | DrawerCounted
    | DrawerClosed
    | TaxFormRecorded
    | HeldWinReleased
    | HeldWinPaid
    | CreditAdjusted
    | PayablePaid
    | HouseCreated
    | HouseRecovered
    | HistoryAccepted
    | RulebookAdopted
    | TableAdded
    | TerminalAdded
    | DeviceEnrolled
    | DeviceReleased
    | PersonEnrolled
    | PersonReleased
    | AccountUnlocked
    | ActingAppointed
    | BuildApproved
    | BuildReported
    | SettingsChanged
    | RulebookChanged
    | OfficerNotified
    | TableClosed
    | TableReopened
    | TerminalClosed
    | TerminalReopened
    | VipArranged
    | ArrangementEnded
    | MessageSent
    | RulesPrinted
    | ProposalMade
    | ProposalApproved
    | ProposalWithdrawn
    | TerminalLost
    | TerminalReturned
    | MalfunctionRaised
    | BetsConfirmed
    | BetsVoided
    | CaseCleared
    | LineLossCleared
    | IncidentRaised
    | IncidentCleared
    | DisputeOpened
    | DisputeDecided
    | ComplainantAdvised
    | ReviewRequested
    | ReviewRecorded
    | DisputeClosed
)
