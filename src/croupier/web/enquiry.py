"""Enquiries: what staff ask to be told, answered at the doors and to the duties that it is for and to nobody else."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, get_args

from croupier.house import trial
from croupier.house.answer import refuse
from croupier.house.command.record import IncidentKind, RaiseAlarm
from croupier.house.command.round import CorrectResult, InvalidateOutcome
from croupier.house.device import DeviceKind
from croupier.house.name import RoundNumber, TableId, TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.rules.irregularity import Reason
from croupier.rules.pocket import Pocket
from croupier.rules.refusal import Code, Refusal
from croupier.rules.staff import Duty
from croupier.web import incoming, outgoing, paperdata, querydata
from croupier.web.chores import Chores
from croupier.web.disputepage import disputes_page
from croupier.web.door import Door
from croupier.web.drawing import OnPaper
from croupier.web.evidence import Evidence
from croupier.web.hub import Hub
from croupier.web.incoming import Query
from croupier.web.limits import DEVICES_MOST, PEOPLE_MOST
from croupier.web.lookup import LookUps, Missed
from croupier.web.paperdata import Document, Past, Present, SlipOrTicket
from croupier.web.paperwork import Paperwork
from croupier.web.reader import READ
from croupier.web.research import Research
from croupier.web.selfaudit import self_audit
from croupier.web.signing import Signing


class Right(NamedTuple):
    """At which doors something may be asked for, and by whom: one of the duties is enough."""

    doors: frozenset[DeviceKind]
    duties: frozenset[Duty]


_PIT, _AUDITOR, _CASHIER = DeviceKind.PIT, DeviceKind.AUDITOR, DeviceKind.CASHIER
_COUNTER: Final = frozenset({Duty.CASH, Duty.DECIDE, Duty.MANAGE})
_OFFICES: Final = frozenset({_CASHIER, _PIT, _AUDITOR})
#: Who may ask for what, and for which document. What is not listed is answered to nobody.
RIGHTS: Final[Mapping[type[Query | Document], Right]] = {
    incoming.Preview: Right(frozenset({_PIT}), frozenset({Duty.CORRECT, Duty.DECIDE})),
    incoming.Replay: Right(frozenset({_PIT, _AUDITOR}), READ | {Duty.INSPECT, Duty.CORRECT}),
    incoming.Bundle: Right(frozenset({_PIT, _AUDITOR}), READ),
    # Entries whole, with what is personal in them.
    incoming.Export: Right(frozenset({_AUDITOR}), frozenset({Duty.AUDIT, Duty.OFFICIATE, Duty.REVIEW})),
    incoming.Verify: Right(frozenset({_PIT, _AUDITOR}), READ),
    incoming.Disputes: Right(frozenset({_PIT, _AUDITOR}), READ | {Duty.INSPECT}),
    incoming.Journal: Right(frozenset({_PIT, _AUDITOR}), READ),
    incoming.LookUp: Right(frozenset({_CASHIER}), frozenset({Duty.CASH})),
    incoming.Meters: Right(frozenset({_PIT, _AUDITOR}), READ | {Duty.MAINTAIN}),
    # A slip is for whoever holds its number: nobody is told one.
    SlipOrTicket: Right(frozenset({DeviceKind.TERMINAL, _CASHIER, _PIT}), _COUNTER | {Duty.INSPECT}),
    paperdata.TicketReceipt: Right(_OFFICES, _COUNTER | READ),
    paperdata.HoldReceipt: Right(_OFFICES, _COUNTER | READ),
    paperdata.BuyInReceipt: Right(_OFFICES, _COUNTER | READ),
    # With the name of a patron.
    paperdata.PaymentSlip: Right(frozenset({_CASHIER, _PIT}), _COUNTER),
    paperdata.TaxFormRecord: Right(frozenset({_CASHIER, _PIT}), _COUNTER),
    paperdata.ShiftReport: Right(_OFFICES, _COUNTER | READ),
    paperdata.TableReport: Right(frozenset({_PIT, _AUDITOR}), READ),
    paperdata.DayReport: Right(_OFFICES, _COUNTER | READ),
    incoming.Staff: Right(frozenset({_PIT}), frozenset({Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE})),
}
#: What the journal is read for, in its own time.
ReadUp = incoming.Journal | incoming.Replay | incoming.Bundle | incoming.Export | incoming.Verify
_READ_UP: Final = get_args(ReadUp)
_NOT_HERE: Final = refuse(Code.NOT_AUTHORISED, None, "That is not told at this door.")


@dataclass(slots=True)
class Enquiries:
    """Answers queries, from what is kept alone."""

    hub: Hub
    signing: Signing
    chores: Chores
    look_ups: LookUps
    research: Research
    evidence: Evidence
    paperwork: Paperwork

    @property
    def house(self) -> House:
        return self.hub.run.house

    def hear(self, door: Door, query: Query) -> None:
        """Answer a query, or say why not; the journal is read in its own time."""
        objection = self._objection(door, query)
        if objection is not None:
            _refuse(door, query, objection)
        elif isinstance(query, _READ_UP):
            self.chores.begin(door, self._look_through(door, query), query.q)
        elif isinstance(query, incoming.Paper):
            self._put_on_paper(door, query)
        else:
            self.hub.once_kept(door, partial(self._answer, query))

    def _objection(self, door: Door, query: Query) -> Refusal | None:
        right = RIGHTS[type(query.document) if isinstance(query, incoming.Paper) else type(query)]
        if door.kind not in right.doors:
            return _NOT_HERE
        if door.kind is DeviceKind.TERMINAL:
            # Nobody signs in there.
            return None
        person = self.signing.present(door)
        if isinstance(person, Refusal):
            return person
        held = set(self.house.people[person].titles_at(self.hub.time.now()))
        books = {each.rulebook.digest: each.rulebook for each in self.house.tables.values()}.values()
        wanted = {title for book in books for duty in right.duties for title in book.staff.titles_for(duty)}
        if held & wanted:
            return None
        says = f"That is told to {' or '.join(sorted(wanted))}."
        return refuse(Code.NOT_AUTHORISED, None, says, titles=tuple(sorted(wanted)))

    def _answer(self, query: Query, door: Door) -> None:
        _tell(door, query, self._told(query, door))

    async def _look_through(self, door: Door, query: ReadUp) -> None:
        """Have the journal read; whoever asked may have left by then."""
        match query:
            case incoming.Journal():
                answer: outgoing.Message | Refusal = await self.research.journal(query)
            case incoming.Replay():
                answer = await self.research.replay(query)
            case _:
                answer = await self.evidence.told(query, lambda: door.is_open)
        # Who had signed in at a door that is shut may not even be enrolled any more.
        if door.is_open:
            _tell(door, query, self._objection(door, query) or answer)
        await self.evidence.act()

    def _put_on_paper(self, door: Door, query: incoming.Paper) -> None:
        """Have a document drawn: of the present as it is once that is kept, of the past once it was read."""
        wanted = query.document
        if isinstance(wanted, Present):
            self.hub.once_kept(door, partial(self._at_hand, query, wanted))
        else:
            self.chores.begin(door, self._draw(door, query, wanted), query.q)

    def _at_hand(self, query: incoming.Paper, wanted: Present, door: Door) -> None:
        found = self.find(door, wanted.number) if isinstance(wanted, SlipOrTicket) else None
        paper = found if isinstance(found, Refusal) else self.paperwork.present(door, wanted)
        if isinstance(paper, Refusal):
            _refuse(door, query, paper)
        else:
            self.chores.begin(door, self._draw(door, query, paper), query.q)

    async def _draw(self, door: Door, query: incoming.Paper, of: OnPaper | Past) -> None:
        """Have a document drawn; whoever asked may have left by then."""
        paper = await self.paperwork.past(door, of) if isinstance(of, Past) else of
        answer = paper if isinstance(paper, Refusal) else await self.paperwork.drawn(door, paper, query.form, query.q)
        if answer is not None and door.is_open:
            _tell(door, query, self._objection(door, query) or answer)

    def _told(self, query: Query, door: Door) -> outgoing.Message | Refusal:
        match query:
            case incoming.Preview():
                return self._preview(query, door)
            case incoming.LookUp():
                return self._look_up(query, door)
            case incoming.Disputes():
                return disputes_page(self.house, query)
            case incoming.Meters():
                known = query.terminal in self.house.terminals
                missing = refuse(Code.UNKNOWN_TERMINAL, None, f"There is no terminal {query.terminal} in this house.")
                return self_audit(self.house, TerminalId(query.terminal), query.q) if known else missing
            case _:
                return self._staff(query)

    def _preview(self, query: incoming.Preview, door: Door) -> outgoing.Preview | Refusal:
        if query.table not in self.house.tables:
            return _no_table(query.table)
        wanted = _wanted(query)
        if wanted is None:
            return refuse(Code.MALFORMED, None, "Name either another number, or a reason to take the outcome back.")
        tried = trial.tried(self.house, wanted, Stamp(self.hub.time.now(), door.device, door.person))
        if isinstance(tried, Refusal):
            return tried
        seats = tuple(map(_reckoned, tried.terminals))
        return outgoing.Preview(
            q=query.q,
            table=query.table,
            round=query.round,
            was=tried.was,
            pocket=tried.pocket,
            clause=tried.clause,
            seats=seats,
            house=tried.house,
        )

    def _look_up(self, query: incoming.LookUp, door: Door) -> outgoing.LookedUp | Refusal:
        found = self.find(door, query.number)
        return found if isinstance(found, Refusal) else outgoing.LookedUp(q=query.q, ticket=found)

    def find(self, door: Door, number: str) -> querydata.TicketRow | Refusal:
        """Find a slip or ticket by its number; numbers that are tried out lock the desk, and the pit hears of it."""
        found = self.look_ups.find(self.house, door.device, number, self.hub.time.now())
        if not isinstance(found, Missed):
            return found
        if found.locks:
            who = f", where {door.person} is signed in" if door.person else ""
            words = f"Numbers of tickets are tried out at {door.device}{who}."
            self.signing.alarm(RaiseAlarm(IncidentKind.TICKETS_GUESSED, door.device, words))
        return found.refusal

    def _staff(self, query: Query) -> outgoing.Staff:
        house, now = self.house, self.hub.time.now()
        people = sorted(house.people.values(), key=lambda each: each.id)
        at = {door.person: door.device for door in self.hub.consoles.values()}
        rows = tuple(
            querydata.PersonRow(
                person=each.id,
                titles=each.titles,
                acting=tuple(
                    (post.title, post.ends_at) for post in each.acting if post.begins_at <= now < post.ends_at
                ),
                devices=(at[each.id],) if each.id in at else (),
            )
            for each in people[:PEOPLE_MOST]
        )
        devices = tuple(sorted(house.devices - set(house.terminals) - set(house.tables)))[:DEVICES_MOST]
        return outgoing.Staff(q=query.q, people=rows, more=max(0, len(people) - PEOPLE_MOST), devices=devices)


def _wanted(query: incoming.Preview) -> CorrectResult | InvalidateOutcome | None:
    """Say what is to be tried; None where that is not clear."""
    table, number = TableId(query.table), RoundNumber(query.round)
    match query.pocket, query.reason:
        case str() as pocket, None:
            return CorrectResult(table, number, Pocket(pocket), "")
        case None, Reason() as reason:
            return InvalidateOutcome(table, number, reason, "")
        case _:
            return None


def _reckoned(each: trial.Reckoned) -> querydata.Reckoned:
    before, after = querydata.Money(**each.before._asdict()), querydata.Money(**each.after._asdict())
    return querydata.Reckoned(
        terminal=each.terminal,
        staked=each.staked,
        paid=each.paid,
        due=each.due,
        before=before,
        after=after,
        gone=each.gone,
    )


def _tell(door: Door, query: Query, answer: outgoing.Message | Refusal) -> None:
    if isinstance(answer, Refusal):
        _refuse(door, query, answer)
    else:
        door.send(answer)


def _no_table(name: str) -> Refusal:
    return refuse(Code.UNKNOWN_TABLE, None, f"There is no table {name}.", table=name)


def _refuse(door: Door, query: Query, refusal: Refusal) -> None:
    door.send(outgoing.Refused(refusal=outgoing.no(refusal), q=query.q))
