"""Static files: one module and one style sheet per page, joined, stripped, compressed and addressed by content hash."""

import gzip
import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

import brotli
import msgspec

from croupier.house.ids import DeviceKind
from croupier.server.font import font_digest, latin_font

#: The file types that are served, and their content types. Other files are not served.
TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
}
_SOURCE: Final = files("croupier.server").joinpath("assets.py")
#: The typeface of every page, as `theme/tokens.css` names it.
FONT: Final = "manrope.woff2"
#: The page of payout drills. It is no device: it has no connection and no sign-in.
TRAINER: Final = "trainer"
#: The first page. It is no device either: it asks for the tables again and again.
LOBBY: Final = "lobby"
#: The style sheet of plain pages, and those of the screens.
PLAIN_SHEET: Final = "plain.css"
OPERATOR_SHEET: Final = "operator.css"
SHEETS: Final = {
    **dict.fromkeys(map(str, DeviceKind), "staff.css"),
    DeviceKind.PIT.value: "supervision.css",
    DeviceKind.TERMINAL.value: "player.css",
    DeviceKind.BOARD.value: "display.css",
    DeviceKind.LIVE_TABLE.value: "live_table.css",
    DeviceKind.NOTICE.value: "notice.css",
    TRAINER: "training.css",
    LOBBY: "foyer.css",
}
#: The folder of the style sheets as they are written. A joined one is served from the root.
THEME: Final = "theme"
#: The script that is part of a terminal's document.
EARLY: Final = "shared/early_connection.js"
#: The style sheet that a deferred module loads: its address is the same in both forms.
DEFERRED_SHEET: Final = f"{THEME}/panels.css"


class BundleError(Exception):
    """A file that cannot be joined, with its path and line."""

    def __init__(self, path: str, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")


class Compressed(NamedTuple):
    """A body in the codings that clients may accept; empty if it is served as it is only."""

    gzip: bytes = b""
    brotli: bytes = b""


NOT_COMPRESSED: Final = Compressed()
#: Compressing all files at this quality takes 0.05 s of CPU; at 11 it takes 1.8 s, for 7 % fewer bytes.
BROTLI_QUALITY: Final = 8


class Asset(NamedTuple):
    """A file as it is served."""

    type: str
    body: bytes
    compressed: Compressed = NOT_COMPRESSED


class Assets:
    """Every file by its path; no other is served.

    The modules and style sheets are served as they are written, for debugging, and joined: `terminal/terminal.js` and
    all that it imports as `terminal.js`, `theme/player.css` and all that it imports as `player.css`. A file is made
    when it is first asked for: all together take most of a second, and a house behind gateways serves hardly any.
    """

    def __init__(self, folder: Traversable) -> None:
        self._written = written = dict(sorted(_read(folder, "")))
        # How files are made is part of their content, and so are what they are made of.
        inputs = {**written, FONT: font_digest().encode(), _SOURCE.name: _SOURCE.read_bytes()}
        listing = "".join(f"{path} {hashlib.sha256(body).hexdigest()}\n" for path, body in sorted(inputs.items()))
        #: One content hash of all files, so that a page never mixes files of two versions.
        self.version: Final = hashlib.sha256(listing.encode()).hexdigest()[:12]
        sources = {path: body.decode() for path, body in written.items() if path.endswith((".js", ".css"))}
        self._joined = _Joined(sources)
        #: The files that were asked for.
        self.made = dict[str, Asset]()

    def find(self, path: str) -> Asset | None:
        asset = self.made.get(path) or self._make(path)
        # Of other paths there is no end.
        if asset is not None:
            self.made[path] = asset
        return asset

    def make_all(self) -> None:
        """Make every file, so that none has to be made when it is asked for."""
        for path in self:
            self.find(path)

    def _make(self, path: str) -> Asset | None:
        if posixpath.basename(path) == FONT and posixpath.dirname(path) in ("", THEME):
            # A joined style sheet lies in the root, and one apart in its folder: each finds the font beside it.
            return Asset(_type(path), latin_font())
        if (joined := self._joined.find(path)) is not None:
            return _packed(path, joined.encode())
        body = self._written.get(path)
        if body is None:
            return None
        return (
            _packed(path, msgspec.json.format(body, indent=-1)) if path.endswith(".json") else Asset(_type(path), body)
        )

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._written, *self._joined, FONT, f"{THEME}/{FONT}"}))


@cache
def own_assets() -> Assets:
    """Return the files of this package. They are read once in a process, and each is joined once."""
    return Assets(files("croupier.server").joinpath("static"))


@lru_cache(maxsize=64)
def compress(body: bytes) -> Compressed:
    """Compress in every coding, always to the same bytes."""
    return Compressed(gzip.compress(body, 9, mtime=0), brotli.compress(body, quality=BROTLI_QUALITY))


def _read(folder: Traversable, under: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{under}{entry.name}"
        if entry.is_dir():
            yield from _read(entry, f"{path}/")
        elif _type(path):
            yield path, entry.read_bytes()


def _type(path: str) -> str:
    return next((type_ for ending, type_ in TYPES.items() if path.endswith(ending)), "")


def _packed(path: str, body: bytes) -> Asset:
    return Asset(_type(path), body, compress(body))


class _Joined:
    """What the pages load, each as one file: their modules, those that these load later, and their style sheets."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources, self._modules = sources, Modules(sources)
        entries = {f"{page}.js": f"{page}/{page}.js" for page in SHEETS} | {posixpath.basename(EARLY): EARLY}
        sheets = {sheet: f"{THEME}/{sheet}" for sheet in (*SHEETS.values(), PLAIN_SHEET, OPERATOR_SHEET)}
        self._later = dict[str, dict[str, str]]()
        #: The modules and the sheets that are joined, by the file that each becomes.
        self._entries = {path: entry for path, entry in entries.items() if entry in sources}
        self._sheets = {
            path: entry for path, entry in {**sheets, DEFERRED_SHEET: DEFERRED_SHEET}.items() if entry in sources
        }

    def find(self, path: str) -> str | None:
        """Join a file; None for a path that is no joined file."""
        if (sheet := self._sheets.get(path)) is not None:
            return join_sheets(self._sources, sheet)
        if (entry := self._entries.get(path)) is not None:
            return self._modules.bundle(entry)
        # A deferred module has the name of its page before its own.
        return self._deferred(f"{path.partition('.')[0]}.js").get(path)

    def __iter__(self) -> Iterator[str]:
        yield from self._sheets
        for path in self._entries:
            yield path
            yield from self._deferred(path)

    def _deferred(self, page: str) -> Mapping[str, str]:
        """Return the modules that the module of a page loads later, each as its file; they are joined once."""
        if page not in self._entries:
            return {}
        if page not in self._later:
            self._later[page] = dict(self._modules.deferred(self._entries[page]))
        return self._later[page]


# Style sheets.

_CSS_COMMENT: Final = re.compile(r"/\*(?:(?!\*/).)*\*/", re.DOTALL)
#: Whitespace that a style sheet does not need.
_BLANKS: Final = re.compile(r"(?<=[{};:,])\s+|\s+(?=[{}])")
_CSS_IMPORT: Final = re.compile(r'@import "([\w./-]+)"(?: layer\(([\w-]+)\))?;|@import[^;]*;?')


def join_sheets(sources: Mapping[str, str], path: str) -> str:
    """Join a style sheet with those that it imports, in their order and without comments."""

    def imported(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1] or ""))
        if match[1] is None or target not in sources:
            line = written[: match.start()].count("\n") + 1
            raise BundleError(path, line, f'only @import "FILE"; of a file that exists is supported: {match[0]}')
        joined = join_sheets(sources, target)
        return joined if match[2] is None else f"@layer {match[2]} {{\n{joined}}}"

    # Comments are replaced by their line ends, so that an error names the right line.
    written = _CSS_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), sources[path])
    return _BLANKS.sub("", _CSS_IMPORT.sub(imported, written).strip() + "\n")


# Modules: their comments are removed first, then the forms of import and export are found in what remains.

_PIECE: Final = r"""
    (?P<comment> //[^\n]* | /\*(?:(?!\*/).)*\*/ )
  | (?P<lines> [ \t]*\n\s* )
  | (?P<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<template> ` )
  | (?P<slash> / )
"""
#: A piece of a module. Within the expression of a template literal each brace is a piece, as the last one ends it.
_MODULE_PIECE: Final = re.compile(rf"{_PIECE} | (?P<code> [^\n\"'`/]+ )", re.VERBOSE | re.DOTALL)
_EXPRESSION_PIECE: Final = re.compile(
    rf"{_PIECE} | (?P<brace> [{{}}] ) | (?P<code> [^\n\"'`/{{}}]+ )", re.VERBOSE | re.DOTALL
)
_REGEX: Final = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_TEMPLATE: Final = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)
#: Spaces that code does not need. Those beside a plus, a minus or a slash may be needed.
_LOOSE: Final = re.compile(r" ?([=<>?:,{}();&|*!\[\]]+) ?")
#: The end of code after which a slash begins a regular expression: an operator, an open bracket or one of these words.
_BEFORE_REGEX: Final = re.compile(
    r"(?:^|[=<>?:,{(;&|*!\[~^%]|(?<!\+)\+|(?<!-)-|\$\{"
    r"|(?<![\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|instanceof|do|else|await|yield))$"
)
#: Whether a bracket is that of a condition, as in `if (a) /b/.test(c)`.
_CONDITION: Final = re.compile(r"(?<![\w$.])(?:if|while|for|with)\s*$")


class Stripped(NamedTuple):
    """The code of a module without comments, indents and needless spaces."""

    text: str
    #: The same with every character of a string, template or regular expression replaced by an underscore.
    mask: str
    #: Where in the module each line of the code begins.
    lines: tuple[int, ...]


def strip_comments(path: str, source: str) -> Stripped:
    """Remove comments and blanks of a module; fail where a slash may be a division or a regular expression."""
    return _Stripper(path, source).strip()


class _Stripper:
    """Reads a module piece by piece."""

    def __init__(self, path: str, source: str) -> None:
        self._path, self._source, self._at = path, source, 0
        self._text: list[str] = []
        self._mask: list[str] = []
        self._lines: list[int] = []
        #: What separates the next piece from the last: nothing, a space or a line end.
        self._gap = "\n"
        #: For each template literal that is open, how many braces are open in its expression.
        self._braces: list[int] = []

    def strip(self) -> Stripped:
        while self._at < len(self._source):
            pattern = _EXPRESSION_PIECE if self._braces else _MODULE_PIECE
            match = pattern.match(self._source, self._at)
            assert match is not None
            self._take(str(match.lastgroup), match[0])
        if self._braces:
            raise self._error("a template literal does not end")
        text, mask = ("".join((*parts, "\n")).removeprefix("\n") for parts in (self._text, self._mask))
        return Stripped(text, mask, tuple(self._lines))

    def _take(self, kind: str, piece: str) -> None:
        if kind == "code":
            self._code(piece)
        elif kind == "lines":
            self._separate("\n", piece)
        elif kind == "comment":
            self._separate("\n" if "\n" in piece else " ", piece)
        elif kind == "string":
            self._literal(piece)
        elif kind == "template":
            self._literal(self._template(1))
        elif kind == "brace":
            self._brace(piece)
        else:
            self._slash()

    def _separate(self, gap: str, piece: str) -> None:
        if self._gap != "\n":
            self._gap = gap
        self._at += len(piece)

    def _code(self, piece: str) -> None:
        bare = _LOOSE.sub(r"\1", piece.strip())
        if piece[0] in " \t":
            self._separate(" ", "")
        if bare:
            self._add(bare, bare)
            self._gap = " " if piece[-1] in " \t" else ""
        self._at += len(piece)

    def _literal(self, piece: str) -> None:
        self._add(piece, piece[0] + "_" * (len(piece) - 2) + piece[-1])
        self._at += len(piece)

    def _add(self, text: str, mask: str) -> None:
        last = self._text[-1][-1] if self._text else ";"
        if self._gap == "\n" and (last in "{,([" or text[0] in "})].?:"):
            # No statement can end here.
            self._gap = ""
        elif self._gap == "\n":
            self._lines.append(self._at)
        elif self._gap == " " and (_is_loose(last) or _is_loose(text[0])):
            self._gap = ""
        self._text += (self._gap, text)
        self._mask += (self._gap, mask)
        self._lines += [self._at] * text.count("\n")
        self._gap = ""

    def _template(self, opening: int) -> str:
        """Return the text of a template literal, to its end or to its next expression."""
        found = _TEMPLATE.match(self._source, self._at + opening)
        if found is None:
            raise self._error("a template literal does not end")
        if found[1] == "${":
            self._braces.append(0)
        return self._source[self._at : found.end()]

    def _brace(self, brace: str) -> None:
        if brace == "}" and self._braces[-1] == 0:
            self._braces.pop()
            self._literal(self._template(1))
            return
        self._braces[-1] += 1 if brace == "{" else -1
        self._add(brace, brace)
        self._at += 1

    def _slash(self) -> None:
        if not self._is_regex():
            self._add("/", "/")
            self._at += 1
            return
        found = _REGEX.match(self._source, self._at)
        if found is None:
            raise self._error("a regular expression does not end")
        self._literal(found[0])

    def _is_regex(self) -> bool:
        before = "".join(self._mask[-8:])
        if before.endswith("}"):
            raise self._error("a slash after } may be a division or a regular expression: put brackets around it")
        if before.endswith(")"):
            return _CONDITION.search(_before_bracket("".join(self._mask))) is not None
        return _BEFORE_REGEX.search(before) is not None

    def _error(self, problem: str) -> BundleError:
        return BundleError(self._path, _line(self._source, self._at), problem)


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


def _is_loose(character: str) -> bool:
    return character in "=<>?:,{}();&|*![]\"'"


def _before_bracket(mask: str) -> str:
    """Return the code before the bracket that the last one closes."""
    at, open_ = len(mask), 0
    while at:
        at -= 1
        open_ += {")": 1, "(": -1}.get(mask[at], 0)
        if open_ == 0:
            break
    return mask[:at]


class Import(NamedTuple):
    """One import of a module."""

    path: str
    #: Exported names with their local names; the name "*" is the namespace.
    names: tuple[tuple[str, str], ...]


class Module(NamedTuple):
    """A module taken apart: its code without its imports, and with or without the word `export`."""

    imports: tuple[Import, ...]
    #: The modules that it loads later.
    deferred: tuple[str, ...]
    exports: tuple[str, ...]
    body: str
    exporting: str


_IMPORT: Final = re.compile(
    r'^import(?:\{(?P<names>[^}]*?),?\s*\}|\*as (?P<all>[\w$]+) )from"(?P<path>_+)";$\n?', re.MULTILINE
)
_EXPORT: Final = re.compile(
    r"^export (?=(?P<kind>const|class|function|async function) (?P<name>[\w$]+)\b)|^export\{\};\n?", re.MULTILINE
)
_DEFERRED: Final = re.compile(r'(?<![\w$.#])import\("(?P<path>_+)"\)')
_META: Final = re.compile(r"(?<![\w$.#])import\.meta\.url\b")
#: What is left of `import` and `export` once every supported form is removed, and names that bundles use.
_UNSUPPORTED: Final = re.compile(r"(?<![\w$.#])(?:import|export)\b[^\n]*|(?<![\w$.])\$\d+\b")
#: An await without an indent, in a module as it is written.
_AWAIT: Final = re.compile(r"^(?:(?:export )?(?:const|let)\b[^\n]*= )?await\b", re.MULTILINE)


class Modules:
    """The modules of the pages, and how they are joined.

    Supported are `import { a, b as c } from "./x.js";`, `import * as a from "./x.js";`, `import.meta.url`, and `export`
    before a function, a class or a `const` of one name, each at the beginning of a line. Those bindings never change
    once a module is evaluated, so that an importing module may hold their values. `import("./x.js")` loads a module
    later, as a bundle of its own that shares the modules of the first. Everything else is an error, and so are cycles
    of imports.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._parsed = dict[str, Module]()

    def bundle(self, entry: str) -> str:
        """Join a module and all that it imports, each once and in the order of evaluation.

        Every imported module is a function that returns its exports. The entry stands last, at the top of the bundle,
        where it may await, and exports what it exports.
        """
        names = dict[str, str]()
        parts = [self._inner(path, names) for path in self._order(entry, (), set())]
        module, shared = self.parse(entry), self._shared(entry, names)
        tail = f"export{{{','.join(shared)}}};\n" if shared else ""
        text = "".join((*parts, _heads(module, names), module.exporting, tail))
        for target in self._targets(entry, names):
            text = text.replace(f'import("./{_flat(target)}")', f'import("./{_deferred_file(entry, target)}")')
        return text

    def deferred(self, entry: str) -> Iterator[tuple[str, str]]:
        """Join each module that the bundle of a page loads later with those that the bundle does not have.

        What the bundle has, it exports: a module is evaluated once, however many import it.
        """
        names = {path: f"${place}" for place, path in enumerate(self._order(entry, (), set()))}
        shared = self._shared(entry, names)
        for target in self._targets(entry, names):
            later = dict(names)
            parts = [self._inner(path, later) for path in self._order(target, (), set(names))]
            module = self.parse(target)
            text = "".join((*parts, _heads(module, later), module.exporting))
            needed = [name for name in shared if re.search(rf"{re.escape(name)}\b", text)]
            head = f'import{{{",".join(needed)}}}from"./{posixpath.basename(entry)}";\n' if needed else ""
            yield _deferred_file(entry, target), head + text

    def _targets(self, entry: str, names: Iterable[str]) -> list[str]:
        """Return the modules that those of a bundle load later, each once."""
        found = dict.fromkeys(target for path in (*names, entry) for target in self.parse(path).deferred)
        for target in found:
            if target in (entry, *names) or entry in self._order(target, (), set(names)):
                raise BundleError(target, 1, "is imported at once and later, or imports the page's own module")
        return list(found)

    def _shared(self, entry: str, names: Mapping[str, str]) -> list[str]:
        """Return the names of those modules of a bundle that its deferred modules import."""
        used = set[str]()
        for target in self._targets(entry, names):
            for path in (target, *self._order(target, (), set(names))):
                used |= {each.path for each in self.parse(path).imports}
        return [name for path, name in names.items() if path in used]

    def _order(self, path: str, within: tuple[str, ...], seen: set[str]) -> Iterator[str]:
        """Yield what a module imports, each after its own imports."""
        for each in self.parse(path).imports:
            if each.path in (path, *within):
                raise BundleError(path, 1, f"imports itself through {each.path}")
            if each.path not in seen:
                seen.add(each.path)
                yield from self._order(each.path, (*within, path), seen)
                yield each.path

    def _inner(self, path: str, names: dict[str, str]) -> str:
        module = self.parse(path)
        if (found := _AWAIT.search(self._sources[path])) is not None:
            line = _line(self._sources[path], found.start())
            raise BundleError(path, line, "only the module of a page may await at its top")
        exports = ",".join(("__proto__:null", *module.exports))
        body = f"{_heads(module, names)}{module.body}return Object.freeze({{{exports}}});"
        names[path] = f"${len(names)}"
        return f"const {names[path]}=(()=>{{\n{body}\n}})();\n"

    def parse(self, path: str) -> Module:
        """Take a module apart; it is done once for each."""
        if path not in self._parsed:
            self._parsed[path] = _Parser(self._sources, path).parse()
            self._check(path)
        return self._parsed[path]

    def _check(self, path: str) -> None:
        for target, names in self._parsed[path].imports:
            missing = {name for name, _ in names} - {"*", *self.parse(target).exports}
            if missing:
                raise BundleError(path, 1, f"{target} does not export {', '.join(sorted(missing))}")


def _flat(path: str) -> str:
    """Return the name of a file in the root, where bundles lie."""
    return path.replace("/", ".")


def _deferred_file(entry: str, target: str) -> str:
    """Return the file of a deferred module of a page. It imports from the page's bundle, so every page has its own."""
    return f"{posixpath.basename(entry).removesuffix('.js')}.{_flat(target)}"


def _heads(module: Module, names: Mapping[str, str]) -> str:
    """Write the imports of a module as constants."""
    return "".join(f"const {_pattern(each.names)}={names[each.path]};\n" for each in module.imports)


def _pattern(names: tuple[tuple[str, str], ...]) -> str:
    if names[0][0] == "*":
        return names[0][1]
    return "{" + ",".join(name if name == local else f"{name}:{local}" for name, local in names) + "}"


class _Parser:
    """Finds the imports and exports of one module."""

    def __init__(self, sources: Mapping[str, str], path: str) -> None:
        self._sources, self._path = sources, path
        self._code = strip_comments(path, sources[path])

    def parse(self) -> Module:
        text, mask = self._code.text, self._code.mask
        imports = [(match.span(), self._import(match)) for match in _IMPORT.finditer(mask)]
        exports = [(match.span(), self._export(match)) for match in _EXPORT.finditer(mask)]
        deferred = [(match.span(), self._target(match)) for match in _DEFERRED.finditer(mask)]
        metas = [match.span() for match in _META.finditer(mask)]
        removed, later = [span for span, _ in (*imports, *exports)], [span for span, _ in deferred]
        self._check(_replaced(mask, [(span, "_" * (span[1] - span[0])) for span in (*removed, *later, *metas)]))
        # A bundle lies in the root.
        here = [(span, f'new URL("./{self._path}",import.meta.url).href') for span in metas]
        here += [(span, f'import("./{_flat(target)}")') for span, target in deferred]
        without = [(span, "") for span, _ in imports]
        return Module(
            tuple(each for _, each in imports),
            tuple(target for _, target in deferred),
            tuple(name for _, name in exports if name),
            _replaced(text, [*((span, "") for span in removed), *here]),
            _replaced(text, [*without, *here]),
        )

    def _target(self, match: re.Match[str]) -> str:
        """Return the path of the module that an import names."""
        written = self._code.text[slice(*match.span("path"))]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self._path), written))
        if not written.startswith(("./", "../")) or target not in self._sources:
            raise self._error(match.start(), f"there is no module {written}")
        return target

    def _import(self, match: re.Match[str]) -> Import:
        target = self._target(match)
        if match["all"] is not None:
            return Import(target, (("*", match["all"]),))
        pairs = (name.split(" as ") for name in match["names"].split(","))
        return Import(target, tuple((pair[0].strip(), pair[-1].strip()) for pair in pairs))

    def _export(self, match: re.Match[str]) -> str:
        if match["kind"] == "const" and self._declares_more(match.end("name")):
            raise self._error(match.start(), "an exported constant is one name with a value")
        return match["name"] or ""

    def _declares_more(self, at: int) -> bool:
        """Return whether a constant has no value, or is followed by another in the same statement."""
        mask, open_ = self._code.mask, 0
        if mask[at] != "=":
            return True
        for mark in re.finditer(r"[()\[\]{},;]", mask[at:]):
            if open_ == 0 and mark[0] in ",;":
                return mark[0] == ","
            open_ += {"(": 1, "[": 1, "{": 1}.get(mark[0], -1 if mark[0] in ")]}" else 0)
        return True

    def _check(self, rest: str) -> None:
        found = _UNSUPPORTED.search(rest)
        if found is not None:
            raise self._error(found.start(), f"not supported in a bundle: {found[0][:60]}")

    def _error(self, at: int, problem: str) -> BundleError:
        begins = self._code.lines[self._code.text.count("\n", 0, at)]
        return BundleError(self._path, _line(self._sources[self._path], begins), problem)


def _replaced(text: str, changes: Iterable[tuple[tuple[int, int], str]]) -> str:
    """Replace some places of a text."""
    parts, at = list[str](), 0
    for (begin, end), new in sorted(changes):
        parts += (text[at:begin], new)
        at = end
    return "".join((*parts, text[at:]))
