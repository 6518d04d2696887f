"""What entries are about: the kinds of events in groups that people ask for."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from croupier.house.event import credit, play, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.event.base import Event
from croupier.web.journalwords import WORDS


class About(StrEnum):
    """What entries of the journal are about."""

    MONEY = "money"
    ROUND = "round"
    BETS = "bets"
    STAFF = "staff"
    INCIDENT = "incident"
    SIGNIFICANT = "significant"


def _all_of(*modules: object) -> frozenset[type[Event]]:
    names = {getattr(module, "__name__") for module in modules}  # noqa: B009 - modules have no type with a name
    return frozenset(kind for kind in WORDS if kind.__module__ in names)


#: What went wrong with a round, and what was done about it.
_MISHAPS: Final[frozenset[type[Event]]] = frozenset(
    {
        round.ReportIgnored,
        round.RoundVoided,
        round.SpinVoided,
        round.TerminalsReset,
        round.RoundSuspended,
        round.RoundInterrupted,
        round.ReferralDecided,
        round.ResultCorrected,
        round.OutcomeInvalidated,
    }
)
#: What a regulator asks for first: faults, what was overridden or corrected, and what was changed in the system itself.
_SIGNIFICANT: Final[frozenset[type[Event]]] = _MISHAPS | {
    credit.TicketReprinted,
    credit.TicketVoided,
    credit.TicketReleased,
    credit.TicketReportedLost,
    credit.DrawerClosed,
    credit.TaxFormRecorded,
    credit.HoldReleased,
    credit.HoldPaid,
    credit.CreditAdjusted,
    credit.PayablePaid,
    venue.HouseFounded,
    venue.HouseRecovered,
    venue.HistoryAccepted,
    venue.RulebookAdopted,
    venue.RulebookChanged,
    venue.SettingsChanged,
    venue.TableAdded,
    venue.TerminalAdded,
    venue.DeviceEnrolled,
    venue.DeviceReleased,
    venue.PersonEnrolled,
    venue.PersonReleased,
    venue.AccountUnlocked,
    venue.ActingAppointed,
    venue.SoftwareApproved,
    venue.SoftwareReported,
    venue.OfficerNotified,
    venue.TableClosed,
    venue.TableReopened,
    venue.TerminalClosed,
    venue.TerminalReopened,
    venue.ProposalApproved,
    record.TerminalLost,
    record.MalfunctionRaised,
    record.BetsConfirmed,
    record.BetsVoided,
    record.IncidentRaised,
    record.DisputeOpened,
    record.DisputeDecided,
    record.ReviewRecorded,
    record.DisputeClosed,
}
#: Which kinds of entries belong to what; some belong to more than one.
KINDS: Final[Mapping[About, frozenset[type[Event]]]] = {
    About.MONEY: _all_of(credit),
    About.ROUND: _all_of(round),
    About.BETS: _all_of(play) | {round.BetsSealed, record.BetsConfirmed, record.BetsVoided},
    About.STAFF: _all_of(venue),
    About.INCIDENT: _all_of(record) | _MISHAPS | {venue.HouseRecovered, venue.HistoryAccepted},
    About.SIGNIFICANT: _SIGNIFICANT,
}
