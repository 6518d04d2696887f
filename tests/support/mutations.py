"""Mutants: one expression or statement of a function changed, drawn by a seed, and found again in another tree.

A mutant is named by its function, its kind and its text, not by file and line, so it is found again when the function
has moved to another module. Where names have changed, its shape without names finds it.
"""

import ast
import copy
import hashlib
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

KILLED = "killed"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Mutant:
    """One change of one expression or statement, and where it is in this tree."""

    function: str
    kind: str
    text: str
    ordinal: int
    #: The function's shape without its names, and the place of the change in it: these outlast a renaming.
    shape: str
    place: int
    #: The changed part's shape without its names, and which one of that shape in the function.
    part: str
    nth: int
    module: str = field(compare=False)
    lines: tuple[int, int] = field(compare=False)
    #: Offsets in bytes, and the text that replaces them.
    span: tuple[int, int] = field(compare=False)
    replacement: str = field(compare=False)

    @property
    def description(self) -> str:
        """What the mutant is called in reports."""
        return f"{self.function} | {self.kind} | {self.text} | {self.ordinal}"


COMPARISONS: dict[type[ast.cmpop], tuple[str, type[ast.cmpop]]] = {
    ast.Lt: ("boundary", ast.LtE),
    ast.LtE: ("boundary", ast.Lt),
    ast.Gt: ("boundary", ast.GtE),
    ast.GtE: ("boundary", ast.Gt),
    ast.Eq: ("negate comparison", ast.NotEq),
    ast.NotEq: ("negate comparison", ast.Eq),
    ast.Is: ("negate comparison", ast.IsNot),
    ast.IsNot: ("negate comparison", ast.Is),
    ast.In: ("negate comparison", ast.NotIn),
    ast.NotIn: ("negate comparison", ast.In),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}


def changes(node: ast.AST, function: Function) -> Iterator[tuple[str, str]]:
    """Every mutation of a node itself: its kind, and the text that replaces the node."""
    if isinstance(node, ast.stmt):
        yield from statement_changes(node, function)
    match node:
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                kind, other = COMPARISONS[type(operator)]
                changed = copy.deepcopy(node)
                changed.ops[place] = other()
                yield kind, f"({ast.unparse(changed)})"
        case ast.BoolOp():
            changed_bool = copy.deepcopy(node)
            changed_bool.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and/or", f"({ast.unparse(changed_bool)})"
        case ast.UnaryOp(op=ast.Not()):
            yield "not removed", f"({ast.unparse(node.operand)})"
        case ast.BinOp() if type(node.op) in OPERATORS:
            changed_operator = copy.deepcopy(node)
            changed_operator.op = OPERATORS[type(node.op)]()
            yield "operator", f"({ast.unparse(changed_operator)})"
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            yield "constant + 1", f"({number + 1})"
            yield "constant - 1", f"({number - 1})"


def statement_changes(node: ast.stmt, function: Function) -> Iterator[tuple[str, str]]:
    """Every mutation of a statement as a whole."""
    match node:
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) not in {"None", "()"}:
            result = ast.unparse(function.returns) if function.returns else ""
            yield ("return ()", "return ()") if result.startswith("tuple[") else ("return None", "return None")
        case ast.If(orelse=[]) if isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue):
            yield "guard removed", "pass"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            if not ast.unparse(node).startswith("assert_never("):
                yield "statement removed", "pass"


#: Fields of a node that hold no code of the function's own, and texts whose places are not known.
APART = frozenset({"annotation", "returns", "decorator_list", "type_params"})


def within(node: ast.AST) -> Iterator[ast.AST]:
    """Every node under a function in source order, without annotations, defaults, f-strings and other functions."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if name in APART or not isinstance(child, ast.AST):
                continue
            if isinstance(child, Function | ast.ClassDef | ast.JoinedStr | ast.arguments):
                continue
            yield child
            yield from within(child)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Every function with its qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield prefix + node.name, node
        if isinstance(node, Function | ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)


def shape_of(node: ast.AST) -> str:
    """A digest of a function or of a part of one, without its names, texts and docstring."""
    blank = copy.deepcopy(node)
    for each in ast.walk(blank):
        for name, value in ast.iter_fields(each):
            if isinstance(value, str):
                setattr(each, name, "")
    if isinstance(blank, Function) and ast.get_docstring(blank) is not None:
        del blank.body[0]
    return hashlib.sha256(ast.dump(blank).encode()).hexdigest()[:16]


def mutants_of(source: str, module: str) -> Iterator[Mutant]:
    """Every mutant of a module's functions."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for name, function in functions(ast.parse(source)):
        shape = shape_of(function)
        seen: Counter[tuple[str, ...]] = Counter()
        place = 0
        for node in within(function):
            if not isinstance(node, ast.expr | ast.stmt):
                continue
            first, last = node.lineno, node.end_lineno or node.lineno
            span = (starts[first - 1] + node.col_offset, starts[last - 1] + (node.end_col_offset or 0))
            for kind, replacement in changes(node, function):
                text, part = " ".join(ast.unparse(node).split()), shape_of(node)
                yield Mutant(
                    function=name,
                    kind=kind,
                    text=text,
                    ordinal=seen[kind, text],
                    shape=shape,
                    place=place,
                    part=part,
                    nth=seen[kind, "shape", part],
                    module=module,
                    lines=(first, first) if kind == "guard removed" else (first, last),
                    span=span,
                    replacement=replacement,
                )
                seen.update([(kind, text), (kind, "shape", part)])
                place += 1


def applied(source: str, mutant: Mutant) -> str:
    """Give the source text with the mutant in it, in as many lines as before."""
    raw = source.encode()
    begin, end = mutant.span
    lines = b"\n" * (raw[begin:end].count(b"\n") - mutant.replacement.count("\n"))
    text = mutant.replacement.encode()
    inside = text[:-1] + lines + text[-1:] if text.endswith(b")") and text.startswith(b"(") else text + lines
    return (raw[:begin] + inside + raw[end:]).decode()


def all_mutants(root: Path, packages: Sequence[str]) -> list[Mutant]:
    """Every mutant of the packages that compiles, in a settled order."""
    found = []
    package = root / "src" / "croupier"
    for path in sorted(module for name in packages for module in (package / name).rglob("*.py")):
        source = path.read_text("utf-8")
        found += list(mutants_of(source, path.relative_to(root / "src").as_posix()))
    return found


def compiles(root: Path, mutant: Mutant) -> bool:
    """Tell whether the mutated module is Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(applied((root / "src" / mutant.module).read_text("utf-8"), mutant), mutant.module, "exec")
    except SyntaxError:
        return False
    return True


def sample(root: Path, mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """Draw mutants that compile, no two of one description."""
    drawn = list(mutants)
    random.Random(seed).shuffle(drawn)  # noqa: S311  A sample that can be drawn again.
    chosen: dict[str, Mutant] = {}
    for mutant in drawn:
        if len(chosen) == size:
            break
        if mutant.description not in chosen and compiles(root, mutant):
            chosen[mutant.description] = mutant
    return list(chosen.values())


#: What became of each mutant of a tree.
Report = dict[str, Any]


#: By what a mutant of a report is found in another tree, the surest first.
LIKENESSES: tuple[tuple[str, ...], ...] = (
    ("description", "shape", "place", "module"),
    ("description", "shape", "place"),
    ("description",),
    ("shape", "kind", "place"),
    ("function", "kind", "part", "nth"),
)


def found_again(report: Report, mutants: Sequence[Mutant]) -> tuple[list[tuple[str, Mutant]], list[str]]:
    """Find the mutants of a report in this tree, and name those that are not found. Names may have changed since."""
    index: dict[tuple[Any, ...], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        for likeness in LIKENESSES:
            index[likeness, *(getattr(mutant, name) for name in likeness)].append(mutant)
    found, gone = [], []
    for row in report["mutants"]:
        alike = (index[likeness, *(row[name] for name in likeness)] for likeness in LIKENESSES)
        only = next((group[0] for group in alike if len(group) == 1), None)
        if only is not None:
            found.append((row["description"], only))
        else:
            gone.append(row["description"])
    return found, gone


def lost(before: Report, after: Report) -> list[str]:
    """Mutants that were killed before and are not killed now, by their description from before."""
    now = {row.get("before", row["description"]): row["result"] for row in after["mutants"]}
    return [
        row["description"]
        for row in before["mutants"]
        if row["result"] == KILLED and now.get(row["description"], KILLED) != KILLED
    ]


def row_of(mutant: Mutant, name: str, result: str, killer: str, **rest: float) -> Report:
    """One mutant's line in a report."""
    facts = asdict(mutant)
    kept = {
        key: facts[key] for key in ("function", "kind", "text", "ordinal", "shape", "place", "part", "nth", "module")
    }
    change = {"description": mutant.description, "before": name, "replacement": mutant.replacement}
    return {**change, **kept, "line": mutant.lines[0], "result": result, "killer": killer, **rest}
