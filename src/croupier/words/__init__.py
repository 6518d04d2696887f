"""Words: what the house says in codes and facts, worded in English from the files that the pages read too."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Self

import msgspec
from msgspec import structs

from croupier.house.blockers import Blocker
from croupier.house.declare import Events, RoundEvent
from croupier.house.floor.incidents import Incident, IncidentRaised
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.ids import SECOND, Instant, RoundNumber, TableId, TerminalId
from croupier.house.rounds.irregularities import RoundSuspended, RoundVoided, SpinVoided
from croupier.house.rounds.recovery import HouseRecovered, RecoveredRound, RoundInterrupted, TerminalsRefunded
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.state.records import MalfunctionCase, MalfunctionEvidence
from croupier.house.state.tables import SeatMessage, SeatMessageKind, Sighting
from croupier.rules.money import amount_text
from croupier.rules.refusal import ClauseId

_HERE: Final = Path(__file__).parent
_PAGES: Final = _HERE.parent / "server" / "static" / "words"
#: The English words of the pages, and those that no page says. Each text is in one of these files.
FILES: Final = (_PAGES / "en.json", _PAGES / "staff" / "en.json", _HERE / "en.json")


@cache
def texts() -> Mapping[str, str]:
    """Read the texts by their ids."""
    return {name: text for path in FILES for name, text in json.loads(path.read_text("utf-8")).items()}


def say(name: str, facts: Mapping[str, object] | None = None) -> str:
    """Word a text with its facts, as `formatMessage` does on a page."""
    return _fill(texts()[name], facts or {})


def first_text(names: Sequence[str], facts: Mapping[str, object]) -> str:
    """Word the first text that is there and whose facts are all given; the last is there in any case."""
    for name in names[:-1]:
        text = texts().get(name)
        if text is not None and all(_name(inner) in facts for inner in _pieces(text)[1::2]):
            return _fill(text, facts)
    return say(names[-1], facts)


def _fill(text: str, facts: Mapping[str, object], count: str = "#") -> str:
    return "".join(
        _placed(piece, facts) if place % 2 else piece.replace("#", count) for place, piece in enumerate(_pieces(text))
    )


def _placed(inner: str, facts: Mapping[str, object]) -> str:
    """Word what is in a pair of braces: a fact, or the form of a count that English has for it."""
    value = facts[_name(inner)]
    if "," not in inner:
        return str(value)
    pieces = _pieces(inner.split(",", 2)[2])
    forms = dict(zip(map(str.strip, pieces[::2]), pieces[1::2], strict=False))
    form = forms.get(f"={value}") or forms.get("one" if value == 1 else "other", forms["other"])
    return _fill(form, facts, str(value))


def _name(inner: str) -> str:
    return inner.partition(",")[0].strip()


def _pieces(text: str) -> list[str]:
    """Part a text at its outermost braces: what is inside has an odd index."""
    depth, found = 0, [""]
    for sign in text:
        depth += (sign == "{") - (sign == "}")
        if (sign, depth) in (("{", 1), ("}", 0)):
            found.append("")
        else:
            found[-1] += sign
    return found


#: Incidents that staff, or a fault, describe in words of their own.
_DESCRIBED: Final = ("referred", "malfunction", "noted", "interrupted")
_DAY: Final = 24 * 3_600


def incident_text(incident: Incident | IncidentRaised) -> str:
    """Describe an incident in a sentence."""
    kind, facts = incident.kind.value, incident.facts
    if kind in _DESCRIBED and facts.text:
        return facts.text
    given = {name: value for name, value in structs.asdict(facts).items() if value not in (None, "", ())}
    given = {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in given.items()}
    given |= {"subject": incident.subject, "days": (facts.seconds or 0) // _DAY}
    if facts.reasons:
        given["reasons"] = ", ".join(say(f"reason.{each}") for each in facts.reasons)
    if facts.cause is not None:
        given["cause"] = say(f"trouble.{facts.cause}", given)
    bare = f"incident-bare.{kind}"
    text = first_text([f"incident.{kind}", bare], given) if bare in texts() else say(f"incident.{kind}", given)
    return text if facts.round is None else f"{text} {say('trouble-round', given)}"


def case_text(case: MalfunctionCase | MalfunctionRaised) -> str:
    """Describe a malfunction: by the staff's text, or by the fault that the house detected."""
    return case.words if case.evidence is None else _sign_text(case.evidence)


def _sign_text(found: MalfunctionEvidence) -> str:
    amounts = {"shown": amount_text(found.shown or 0), "credit": amount_text(found.credit or 0)}
    return say(f"case-sign.{found.sign}", {**amounts, "number": found.number})


def message_text(message: SeatMessage) -> str:
    """Word a message as the seat's screen shows it, with its clause."""
    amounts = {
        "amount": message.amount,
        "before": message.paid_before,
        "credit_before": message.credit_before,
        "credit_after": message.credit_after,
    }
    facts = {"says": message.text, "round": message.round, "pocket": message.pocket, "was": message.was}
    text = say(f"seat-message.{message.kind}", facts | {name: amount_text(cents) for name, cents in amounts.items()})
    if message.kind is SeatMessageKind.ANSWERED:
        return f"{text} {message.text}".strip()
    return text if message.clause is None else f"{text.removesuffix('.')} [{message.clause}]."


def seen_text(sighting: Sighting) -> str:
    """Describe a sensor sighting of the ball and the rotor."""
    parts = (
        "" if sighting.revolutions is None else say("sighting.revolutions", {"n": sighting.revolutions}),
        "" if sighting.opposite is None else say("sighting.against" if sighting.opposite else "sighting.with"),
        "" if sighting.turning is None else say("sighting.turning" if sighting.turning else "sighting.still"),
    )
    return ", ".join(filter(None, parts))


def blocker_text(blocker: Blocker) -> str:
    """Say why a table or a terminal cannot play."""
    facts = blocker.facts
    if "sign" in facts:
        found = {name: facts[name] for name in MalfunctionEvidence.__struct_fields__ if name in facts}
        return _sign_text(msgspec.convert(found, MalfunctionEvidence, strict=False))
    if blocker.says:
        return blocker.says
    if "step" in facts:
        name = say(f"step.{facts['step']}")
        return say("blocker.awaiting", {"step": name[0].lower() + name[1:]})
    return say(f"blocker.{blocker.reason}", facts)


def remedy_text(blocker: Blocker) -> str:
    """Name the setting or the action that removes a blocker."""
    name = "awaiting" if "step" in blocker.facts else blocker.reason
    facts = {**blocker.facts, "other_wheel": say("blocker-remedy.other_wheel")}
    facts["version"] = facts.get("version") or say("blocker-remedy.this_version")
    return say(f"blocker-remedy.{name}", facts)


class BlockerText(msgspec.Struct, frozen=True):
    """A blocker in words."""

    table: TableId
    reason: str
    clause: ClauseId | None
    message: str
    #: The setting or the action that removes it.
    remedy: str
    facts: Mapping[str, object] = {}
    terminal: TerminalId = TerminalId("")

    @classmethod
    def of(cls, blocker: Blocker) -> Self:
        here = (blocker.table, blocker.reason, blocker.clause)
        return cls(*here, blocker_text(blocker), remedy_text(blocker), blocker.facts, blocker.terminal)

    @property
    def line(self) -> str:
        """Format it as one line."""
        facts = {"terminal": self.terminal, "table": self.table}
        place = say("blocker-line.terminal" if self.terminal else "blocker-line.table", facts)
        cited = "" if self.clause is None else f" ({self.clause})"
        return f"{place} {self.message}{cited} {self.remedy}"


class RecoveryReport(NamedTuple):
    """What a recovery found and did at one table, and by which clause."""

    round: RoundNumber
    found: str
    done: str
    #: The last action, if any was taken: void, settled, spin_void, refunded, or suspended.
    action: str
    clause: ClauseId | None


def explain(events: Events, rulebooks: Mapping[TableId, str]) -> tuple[str, ...]:
    """Explain the response to one recovery: a block of lines for each table that has had a round."""
    reports = recovery_reports(events).items()
    blocks = tuple(
        "\n".join(
            (
                _head(table, report, rulebooks[table]),
                f"  found   {report.found}",
                f"  done    {report.done}",
                f"  clause  {report.clause or 'none'}",
            )
        )
        for table, report in reports
    )
    return blocks or (say("recovery.no_round"),)


def explain_briefly(events: Events, rulebooks: Mapping[TableId, str]) -> tuple[str, ...]:
    """Explain the response to one recovery in a line for each table: the round, the action, and the clause."""
    reports = recovery_reports(events).items()
    lines = tuple(
        f"{_head(each, report, rulebooks[each])}: {report.done} [{report.clause or 'none'}]" for each, report in reports
    )
    return lines or (say("recovery.no_round"),)


def _head(table: TableId, report: RecoveryReport, rulebook: str) -> str:
    return say("recovery.head", {"table": table, "round": report.round, "rulebook": rulebook})


def recovery_reports(events: Events) -> dict[TableId, RecoveryReport]:
    """Explain the response to one recovery, table by table; a house that was not provisioned yet had none."""
    recovered = next((each for each in events if isinstance(each, HouseRecovered)), None)
    return {each.table: _explained(each, events) for each in (recovered.found if recovered else ())}


def _explained(found: RecoveredRound, events: Events) -> RecoveryReport:
    acted = [
        each for each in events if isinstance(each, RoundEvent) and type(each) in _ACTIONS and each.table == found.table
    ]
    actions = "; ".join(map(_action, acted))
    state = say("recovery.found", {"state": say(f"recovery-found.{found.state}"), "phase": found.phase.value})
    last = _ACTIONS[type(acted[-1])] if acted else ""
    return RecoveryReport(found.round, state, actions or say(f"recovery-left.{found.state}"), last, found.clause)


#: The events with which a recovery acts on a round.
_ACTIONS: Final[Mapping[type[RoundEvent], str]] = {
    RoundVoided: "void",
    RoundSettled: "settled",
    SpinVoided: "spin_void",
    TerminalsRefunded: "refunded",
    RoundInterrupted: "suspended",
    RoundSuspended: "suspended",
}


def _action(event: RoundEvent) -> str:
    """Describe the action on a round."""
    match event:
        case RoundSettled():
            amounts = {"staked": amount_text(event.staked), "returned": amount_text(event.returned)}
            return say("recovery-done.settled", amounts)
        case RoundSuspended() if event.until is not None:
            return say("recovery-done.waits", {"until": _clock(event.until)})
        case RoundInterrupted():
            return say("recovery-done.interrupted")
        case _:
            return say(f"recovery-done.{_ACTIONS[type(event)]}")


def _clock(at: Instant) -> str:
    """Format an instant as the time of day in UTC."""
    minutes, seconds = divmod(at // SECOND, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours % 24:02d}:{minutes:02d}:{seconds:02d} UTC"
