"""Deeds of the office: what staff do about signatures, closings, cases, slips, drawers, held wins and disputes."""

from typing import Final

from croupier.house.command.credit import (
    AdjustCredit,
    BuyIn,
    CloseDrawer,
    CountDrawer,
    EndSession,
    OpenDrawer,
    PayHold,
    PayPayable,
    RecordTaxForm,
    RedeemTicket,
    ReleaseHold,
    ReportLost,
    ReprintTicket,
    VoidTicket,
)
from croupier.house.command.record import (
    AdviseComplainant,
    Basis,
    ClearCase,
    ClearIncident,
    ClearLineLoss,
    CloseDispute,
    ConfirmBets,
    DecideDispute,
    NoteIncident,
    OpenDispute,
    RecordReview,
    RequestReview,
    VoidBets,
)
from croupier.house.command.venue import (
    AppointActing,
    Approve,
    ArrangeVip,
    ChangeSettings,
    CloseTable,
    CloseTerminal,
    EndArrangement,
    NotifyOfficer,
    ReopenTable,
    ReopenTerminal,
    Withdraw,
)
from croupier.house.name import RoundNumber
from croupier.rounds.cast import Scene, digest_of
from croupier.rounds.deed import Deeds
from croupier.rounds.place import seat_named
from croupier.rounds.setting import set_all
from croupier.rules.clause import ClauseId
from croupier.rules.money import Cents
from croupier.rules.transcript import Setting


def _change(at: Scene, settings: tuple[Setting, ...]) -> ChangeSettings:
    table = at.here
    return ChangeSettings(at.table, set_all(table.next_settings or table.settings, settings), at.words)


def _pay_payable(at: Scene, seat: int, form: int | None = None) -> PayPayable:
    """Pay what the earliest session of a seat is owed; where none is owed anything, its first, to be refused."""
    terminal = seat_named(seat)
    found = at.floor.house.terminals.get(terminal)
    debts = {} if found is None else found.debts
    session = min((each for each, debt in debts.items() if debt < 0), default=0)
    return PayPayable(terminal, session, at.drawer, Cents(max(0, -debts.get(session, 0))), at.words, str(form or ""))


def _dispute_under(at: Scene, number: RoundNumber, cited: tuple[ClauseId, str]) -> OpenDispute:
    clause, words = cited
    return OpenDispute(at.table, number, None, Basis.FROM_RULES, words or at.words, clause)


STAFF: Final[Deeds] = {
    "approves N": lambda _, proposal: Approve(proposal),
    "withdraws N": lambda _, proposal: Withdraw(proposal),
    "acts as TITLE from TIME to TIME": lambda at, title, begins, ends: AppointActing(at.person, title, begins, ends),
    "limits SETTINGS": _change,
    "notifies officer of table": lambda at: NotifyOfficer(at.table, at.words),
    "notifies officer of seat N": lambda at, seat: NotifyOfficer(seat_named(seat), at.words),
    "closes table": lambda at: CloseTable(at.table, at.words),
    "reopens table": lambda at: ReopenTable(at.table),
    "closes seat N": lambda at, seat: CloseTerminal(seat_named(seat), at.words),
    "reopens seat N": lambda _, seat: ReopenTerminal(seat_named(seat)),
    "ends session of seat N": lambda _, seat: EndSession(seat_named(seat)),
    "arranges straight up for seat N": lambda at, seat: ArrangeVip(seat_named(seat), at.words),
    "ends arrangement of seat N": lambda at, seat: EndArrangement(seat_named(seat), at.words),
    "confirms bets of case N": lambda at, case: ConfirmBets(case, at.record_of(case)),
    "confirms bets of case N by another record": lambda _, case: ConfirmBets(case, ""),
    "voids bets of case N": lambda at, case: VoidBets(case, at.words),
    "clears case N": lambda _, case: ClearCase(case),
    "clears line loss N": lambda at, case: ClearLineLoss(at.table, case),
    "notes WORDS": lambda at, words: NoteIncident(at.table, words),
    "clears incident N": lambda _, incident: ClearIncident(incident),
    "voids slip N": lambda at, sequence: VoidTicket(sequence, at.words),
    "reprints slip N": lambda at, sequence: ReprintTicket(sequence, at.words),
    "lost slip N": lambda at, sequence: ReportLost(sequence, at.words),
    "opens drawer AMOUNT": lambda at, cash: OpenDrawer(at.drawer, cash),
    "takes AMOUNT for seat N": lambda at, amount, seat: BuyIn(seat_named(seat), at.drawer, amount),
    "pays slip N": lambda at, sequence: RedeemTicket(at.drawer, digest_of(sequence)),
    "pays slip N saying AMOUNT": lambda at, sequence, said: RedeemTicket(at.drawer, digest_of(sequence), said),
    "counts drawer AMOUNT": lambda at, counted: CountDrawer(at.drawer, counted),
    "closes drawer": lambda at: CloseDrawer(at.drawer),
    "records form WORD for WORDS hold N": lambda at, form, patron, hold: RecordTaxForm(
        at.holder_of(hold), hold, patron, form
    ),
    "releases hold N": lambda at, hold: ReleaseHold(at.holder_of(hold), hold),
    "pays hold N": lambda at, hold: PayHold(at.holder_of(hold), hold, at.drawer),
    "pays payable of seat N": _pay_payable,
    "pays payable of seat N form N": _pay_payable,
    "adjusts seat N by SIGNED": lambda at, seat, amount: AdjustCredit(seat_named(seat), amount, at.words),
    "disputes round N seat N by memorandum WORD WORDS": lambda at, number, seat, version, words: OpenDispute(
        at.table, number, seat_named(seat), Basis.NOT_COVERED, words, memorandum=version
    ),
    "disputes round N seat N WORDS": lambda at, number, seat, words: OpenDispute(
        at.table, number, seat_named(seat), Basis.NOT_COVERED, words
    ),
    "disputes round N under CITED": _dispute_under,
    "decides dispute N WORDS": lambda _, dispute, words: DecideDispute(dispute, words),
    "advises dispute N": lambda _, dispute: AdviseComplainant(dispute),
    "requests review N": lambda _, dispute: RequestReview(dispute, by_house=False),
    "requests review N for the house": lambda _, dispute: RequestReview(dispute, by_house=True),
    "records review N WORDS": lambda _, dispute, words: RecordReview(dispute, words),
    "closes dispute N resolved": lambda _, dispute: CloseDispute(dispute, resolved=True),
    "closes dispute N unresolved": lambda _, dispute: CloseDispute(dispute, resolved=False),
}
