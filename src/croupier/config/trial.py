"""The trial: a house that is founded on what a file says and thrown away, so that all it would refuse is known."""

from typing import Final

from croupier.config.complaints import Complaints, nearest
from croupier.config.draft import Draft
from croupier.config.founding import found_house
from croupier.config.shape import TableConfig, TerminalConfig
from croupier.house.command.any import AnyCommand
from croupier.house.command.venue import AddTable, AdoptRulebook, EnrolDevice
from croupier.house.name import DeviceId, Instant
from croupier.house.perform import perform
from croupier.house.settings import TableSettings
from croupier.house.staffing import titles_known
from croupier.house.stamp import SYSTEM, Stamp
from croupier.house.state import House
from croupier.house.vetting import settings_objections, terminal_objections
from croupier.rulebooks.canonical import canonical, read_canonical
from croupier.rules.refusal import Refusal

_STAMP = Stamp(Instant(0), SYSTEM)


class Trial:
    """A trial of one file: what the house would refuse of it is complained of in the house's own words."""

    def __init__(self, draft: Draft, complaints: Complaints) -> None:
        self._draft, self._config, self._complaints = draft, draft.config, complaints
        self._house = House(read_canonical)
        #: Whether there is a rulebook that could not be taken: it may know any title.
        self._unsure = not draft.whole

    def hold(self) -> None:
        config = self._config
        refused = self._objection(found_house(config))
        assert refused is None
        for table in config.tables:
            self._table(table)
        for place, terminal in self._draft.terminals:
            self._terminal(place, terminal)
        for console in config.consoles:
            self._name(f"consoles[{console.id}]", console.id)
        self._titles()

    def _objection(self, command: AnyCommand) -> Refusal | None:
        decision = perform(self._house, command, _STAMP)
        return decision if isinstance(decision, Refusal) else None

    def _table(self, table: TableConfig) -> None:
        place, rulebook = f"tables[{table.id}]", table.rulebook
        for objection in settings_objections(rulebook, table.settings):
            self._complaints.cite(_key(place, objection), objection)
        adopts = AdoptRulebook(canonical(rulebook))
        refused = self._objection(adopts) if rulebook.digest not in self._house.rulebooks else None
        if refused is not None:
            self._unsure = True
            self._complaints.cite(f"{place}.rulebook", refused)
        # Its settings were looked at above: here it only takes its place and its name.
        elif (taken := self._objection(AddTable(table.id, rulebook.digest, TableSettings()))) is not None:
            self._complaints.cite(place, taken)

    def _terminal(self, place: str, terminal: TerminalConfig) -> None:
        there = self._house.tables
        self._name(place, terminal.id)
        known = {*there, *self._draft.unread, *(table.id for table in self._config.tables)}
        for stranger in (table for table in terminal.tables if table not in known):
            says = f"there is no table {stranger}{nearest(stranger, known)}"
            self._complaints.add(f"{place}.tables", says)
        if not terminal.tables:
            self._complaints.add(f"{place}.tables", "a terminal stands at a table")
        tables = [there[table] for table in terminal.tables if table in there]
        for objection in terminal_objections(self._house, tables, terminal.settings) if tables else ():
            self._complaints.cite(_key(place, objection), objection)

    def _name(self, key: str, name: str) -> None:
        """Take a name, which nothing else here may go by."""
        objection = self._objection(EnrolDevice(DeviceId(name)))
        if objection is not None:
            self._complaints.cite(key, objection)

    def _titles(self) -> None:
        known = titles_known(self._house)
        for member in () if self._unsure else self._config.staff:
            for title in (each for each in member.titles if each not in known):
                says = f"no rulebook in use here knows the title {title}{nearest(title, known)}"
                self._complaints.add(f"staff[{member.person}].titles", says)


#: The keys under which the file has the limits that the house keeps together; those of a kind stand under its kinds.
_LIMITS: Final[dict[object, str]] = {
    ("spot", "least"): "minimum",
    ("spot", "most"): "maximum",
    ("total", "least"): "total_minimum",
    ("total", "most"): "total_maximum",
}


def _key(place: str, objection: Refusal) -> str:
    """Name the key that the house objects to, where it says which setting it is."""
    setting, bound = objection.facts.get("setting"), objection.facts.get("bound")
    if setting is None:
        return place
    return f"{place}.{setting if bound is None else _LIMITS.get((setting, bound), 'kinds')}"
