"""Complaints: all that is wrong with a configuration, by file and key, gathered into one refusal."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from croupier.rulebooks.complaint import Complaint
from croupier.rules.refusal import Code, Refusal


class Complaints:
    """What is wrong with one file."""

    def __init__(self, file: Path) -> None:
        self._file = str(file)
        self._made: dict[Complaint, Code] = {}

    def add(self, key: str, says: str, code: Code = Code.SETTING_IMPOSSIBLE) -> None:
        """Note a complaint, once: seats that are alike are wrong alike."""
        self._made.setdefault(Complaint(self._file, key, says), code)

    def cite(self, key: str, refusal: Refusal) -> None:
        """Note what the house would refuse, in its own words."""
        self.add(key, refusal.says if refusal.clause is None else f"{refusal.says} [{refusal.clause}]")

    def refusal(self) -> Refusal | None:
        """Refuse the file with everything that is wrong, under the first of the codes; None where all is well."""
        if not self._made:
            return None
        count = f"{len(self._made)} complaint{'s' if len(self._made) > 1 else ''}"
        facts = {"file": self._file, "complaints": tuple(self._made)}
        code = min(self._made.values(), key=list(Code).index)
        return Refusal(code, None, f"The configuration in {self._file} cannot be used: {count}.", facts)


def nearest(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that is nearest to one that is not; nothing where none is near."""
    plain = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), plain, n=1)
    return f"; did you mean {plain[near[0]]}?" if near else ""
