"""All events."""

from croupier.house.event.credit import (
    BoughtIn,
    CreditAdjusted,
    DrawerClosed,
    DrawerCounted,
    DrawerOpened,
    HoldPaid,
    HoldReleased,
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
from croupier.house.event.play import (
    AutoCopyRefused,
    AutoCopySet,
    BetsChanged,
    BetsReturned,
    DenominationChosen,
    PatternRecalled,
    PatternSaved,
    RecallCancelled,
)
from croupier.house.event.record import (
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
from croupier.house.event.round import (
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
from croupier.house.event.venue import (
    AccountUnlocked,
    ActingAppointed,
    ArrangementEnded,
    DeviceEnrolled,
    DeviceReleased,
    HistoryAccepted,
    HouseFounded,
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
    SoftwareApproved,
    SoftwareReported,
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
    | HoldReleased
    | HoldPaid
    | CreditAdjusted
    | PayablePaid
    | HouseFounded
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
    | SoftwareApproved
    | SoftwareReported
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
