"""The shelf of rounds: the example rounds of a rulebook, the files that were named, and which clauses a round cites."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, NamedTuple

from croupier.rounds.run import Played, run_round
from croupier.rulebooks.folder import SHELF
from croupier.rulebooks.loader import rulebook_ids
from croupier.rules.clause import ClauseId
from croupier.rules.notation import MalformedError
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.slip import malformed
from croupier.rules.transcript import Transcript, read_transcript

SUFFIX: Final = ".round"
ROUNDS: Final = "rounds"


class Example(NamedTuple):
    """An example round of a rulebook: its file, what that says, and how it reads."""

    name: str
    text: str
    transcript: Transcript


def named_files(paths: Iterable[Path]) -> Iterator[Path | Refusal]:
    """Go through the files that were named, and through folders for the rounds in them."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(path.rglob(f"*{SUFFIX}"))
        says = f"There are no {SUFFIX} files in {path}."
        yield from inside or (Refusal(Code.NOTHING_THERE, None, says, {"file": str(path)}),)


def play_file(path: Path) -> Played | Refusal:
    """Play a file and check it, or refuse it by its name and, where that is known, by the line."""
    text = _read(path)
    answer = text if isinstance(text, Refusal) else run_round(text)
    return _located(answer, path) if isinstance(answer, Refusal) else answer


def _read(path: Traversable) -> str | Refusal:
    """Read a file as bytes first, so that line ends stay as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        return Refusal(Code.MALFORMED, None, f"It cannot be read: {error.strerror}.")
    except UnicodeDecodeError as error:
        return Refusal(Code.MALFORMED, None, f"It is not UTF-8 text: byte {error.start}.")


def mend_file(path: Path, played: Played) -> Refusal | None:
    """Write what was found in the place of what was expected, and nothing where the file holds."""
    if played.holds:
        return None
    try:
        path.write_bytes(played.mended.encode("utf-8"))
    except OSError as error:
        return _located(Refusal(Code.MALFORMED, None, f"It cannot be written: {error.strerror}."), path)
    return None


def _located(refusal: Refusal, path: Traversable) -> Refusal:
    """Say in which file a refusal arose, and show the line alone where it is about one."""
    text, at = refusal.facts.get("text"), refusal.facts.get("at")
    if not isinstance(text, str) or not isinstance(at, int):
        return replace(refusal, says=f"{path}: {refusal.says}", facts={**refusal.facts, "file": str(path)})
    before = text[:at]
    line, begins = before.count("\n") + 1, before.rfind("\n") + 1
    shown = text[begins:].partition("\n")[0]
    facts = {"file": str(path), "line": line, "text": shown, "at": at - begins}
    return replace(refusal, says=f"{path}:{line}: {refusal.says}", facts=facts)


def examples(reference: str) -> tuple[Example, ...] | Refusal:
    """Give the example rounds of a rulebook, known by its id or its folder, or refuse one that cannot be read."""
    folder = SHELF.joinpath(reference) if reference in rulebook_ids() else Path(reference)
    rounds = folder.joinpath(ROUNDS)
    if not rounds.is_dir():
        return ()
    files = sorted((entry for entry in rounds.iterdir() if entry.name.endswith(SUFFIX)), key=lambda entry: entry.name)
    found = [_example(file) for file in files]
    refusal = next((each for each in found if isinstance(each, Refusal)), None)
    return refusal or tuple(each for each in found if not isinstance(each, Refusal))


def _example(file: Traversable) -> Example | Refusal:
    text = _read(file)
    if isinstance(text, Refusal):
        return _located(text, file)
    try:
        return Example(file.name, text, read_transcript(text))
    except MalformedError as error:
        return _located(malformed(error), file)


def headed_by(transcript: Transcript) -> tuple[ClauseId, ...]:
    """Name the clauses that a round is about: its first comment begins with them."""
    first = next((line.comment for line in transcript.lines if line.comment is not None), "")
    return _listed(first)


def cites(transcript: Transcript, rulebook: Rulebook) -> frozenset[ClauseId]:
    """Name every clause that a round cites: at the head of a comment, or in what a line expects."""
    known = {clause.clause for clause in rulebook.clauses}
    comments = (clause for line in transcript.lines if line.comment for clause in _listed(line.comment))
    expected = (ClauseId(each.clause) for act in transcript.acts() for each in act.expects if each.clause)
    return frozenset({*comments, *expected} & known)


def _listed(comment: str) -> tuple[ClauseId, ...]:
    """Read the clauses before a comment's colon: ``7(h)iii, 7(g): nothing after no more bets``."""
    head, colon, _ = comment.partition(":")
    return tuple(ClauseId(clause) for clause in head.split(", ")) if colon else ()


def citing(rulebook: Rulebook, clause: ClauseId, rounds: Iterable[Example]) -> tuple[Example, ...]:
    """Pick the rounds that cite a clause."""
    return tuple(each for each in rounds if clause in cites(each.transcript, rulebook))
