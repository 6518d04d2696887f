"""Files as a browser is sent them: without notes, and otherwise the same."""

from pathlib import Path

import pytest
from pygments.lexers import CssLexer, JavascriptLexer  # type: ignore[import-untyped]
from pygments.token import Comment  # type: ignore[import-untyped]

from croupier.server.pages import minify
from tests.quick import STATIC

FILES = sorted(path for path in STATIC.rglob("*") if path.suffix in (".js", ".css"))


@pytest.mark.parametrize(
    ("path", "written", "sent"),
    [
        ("a.js", "// What it is.\n\nexport const a = 1;\n", "export const a = 1;\n"),
        ("a.js", "/**\n * A type.\n * @typedef {1} One\n */\nf();\n", "f();\n"),
        ("a.js", "  /** @type {A} */ a;\n  /** @type {B} */ b;\n", "a;\nb;\n"),
        ("a.js", "f((/** @type {any} */ one) => one);\n", "f((one) => one);\n"),
        ("a.js", 'const far = "https://x/*y*/"; // Stays.\n', 'const far = "https://x/*y*/"; // Stays.\n'),
        ("a.js", "const text = `<a>\n\n  <b/>`;\n  f(`x`);\n", "const text = `<a>\n\n  <b/>`;\nf(`x`);\n"),
        ("a.js", 'const gap = "a\u2028 b";\n', 'const gap = "a\u2028 b";\n'),
        ("a.css", "/* What. */\n\n.a {\n  color: red; /* why */\n}\n", ".a{color:red;}"),
        ("a.svg", "<svg>\n  <!-- what --></svg>\n", "<svg>\n  <!-- what --></svg>\n"),
        ("a.json", '{\n  "a": "// b"\n}\n', '{"a":"// b"}'),
    ],
)
def test_only_notes_and_indents_are_left_out(path: str, written: str, sent: str) -> None:
    """Comments of their own lines, types and indents go; strings, texts and other kinds of file stay."""
    assert minify(path, written.encode()).decode() == sent


#: Each file as a lexer reads it that knows nothing of ours.
LEXERS = {".js": JavascriptLexer(), ".css": CssLexer()}


def tokens(path: Path, text: str) -> list[tuple[str, bool]]:
    """All that a browser heeds of a file: its words, and before which of them a line ends, as a statement may there."""
    found, ends = list[tuple[str, bool]](), False
    for kind, word in LEXERS[path.suffix].get_tokens(text):
        if kind in Comment or not word.strip():
            # In a style sheet a line ends nothing.
            ends = ends or ("\n" in word and path.suffix == ".js")
        else:
            found.append((word, ends and found != []))
            ends = False
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_every_file_is_the_same_without_its_notes(path: Path) -> None:
    """Of every file of ours just the notes are gone: a browser reads the same words, and the same ends of lines."""
    written = path.read_text("utf-8")

    assert tokens(path, minify(path.name, written.encode()).decode()) == tokens(path, written)


@pytest.mark.parametrize(
    "written",
    [
        "f(`a\n  // b\n`);\n",
        'f("/** b */");\n',
        "return /** a\n */ b;\n",
        "let/** @type {1} */ a;\n",
        "f(`a\\`\n  b`);\n",
    ],
)
def test_file_that_would_not_be_the_same_is_found(written: str) -> None:
    """What looks like a note and is none would be noticed, and so would a line that no longer ends."""
    path = Path("a.js")

    assert tokens(path, minify(path.name, written.encode()).decode()) != tokens(path, written)
