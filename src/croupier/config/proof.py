"""The proof: whether the parts of a configuration agree with each other, and the house would take every one of them."""

from collections import Counter
from collections.abc import Iterable

from croupier.config.complaints import Complaints
from croupier.config.draft import Draft
from croupier.config.shape import Config, TableConfig
from croupier.config.trial import Trial
from croupier.house.settings import Mode, WheelKind
from croupier.rules.refusal import Code


def prove(draft: Draft, complaints: Complaints) -> None:
    """Complain of everything that does not hold together."""
    Trial(draft, complaints).hold()
    _directories(draft.config, complaints)
    _secrets(draft.config, complaints)
    _twice("staff", (member.person for member in draft.config.staff), complaints)
    _twice("approvals", (approval.version for approval in draft.config.approvals), complaints)
    for table in draft.config.tables:
        _wheel(table, complaints)


def _directories(config: Config, complaints: Complaints) -> None:
    data, safe = config.data.resolve(), config.safe.resolve()
    if data.is_relative_to(safe) or safe.is_relative_to(data):
        says = f"{safe} and the data in {data} lie one in the other: whoever takes one would have both"
        complaints.add("safe", says)


def _secrets(config: Config, complaints: Complaints) -> None:
    """With real money, a secret that stands in a file is one that others know too."""
    for member in config.staff if config.mode is not Mode.DEMO else ():
        if member.secret is not None:
            says = "a secret that stands in a file is for demonstrations: with real money each person chooses their own"
            complaints.add(f"staff[{member.person}].secret", says, Code.DEFAULT_CREDENTIALS)


def _twice(name: str, entries: Iterable[str], complaints: Complaints) -> None:
    for entry, count in Counter(entries).items():
        if count > 1:
            complaints.add(f"{name}[{entry}]", f"is there {count} times")


def _wheel(table: TableConfig, complaints: Complaints) -> None:
    """Hold a random wheel's time against the table's patience with the ball; a real wheel keeps its own time."""
    rest_s = table.settings.rest_s
    if table.settings.wheel is WheelKind.RANDOM and table.spin_s >= rest_s:
        says = f"the ball would count as not seated, {rest_s} s after the launch, before it has come to rest"
        complaints.add(f"tables[{table.id}].spin_s", says)
