"""Static files as a browser is sent them: joined and without comments, and otherwise the same."""

import io
import logging
import re
import unicodedata
from pathlib import Path

import msgspec
import pytest
import quickjs  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont
from pygments.lexers import CssLexer, JavascriptLexer  # type: ignore[import-untyped]
from pygments.token import Comment  # type: ignore[import-untyped]

from croupier.house.ids import DeviceKind
from croupier.server import font
from croupier.server.assets import BundleError, Modules, join_sheets, own_assets, strip_comments
from croupier.server.font import build_font, latin_font, reduced_font
from tests.support.modules import MODULES, imports_of, name_of, reached_from
from tests.support.quick import STATIC

SOURCES = {path.relative_to(STATIC).as_posix(): path.read_text("utf-8") for path in STATIC.rglob("*.[jc]s*")}
SHEETS = sorted(path for path in SOURCES if path.endswith(".css"))


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("// What it is.\n\nexport const a = 1;\n", "export const a=1;\n"),
        ("/**\n * A type.\n * @typedef {1} One\n */\nf();\n", "f();\n"),
        ("  /** @type {A} */ a;\n  /** @type {B} */ b;\n", "a;\nb;\n"),
        ("f((/** @type {any} */ one) => one);\n", "f((one)=>one);\n"),
        ('const far = "https://x/*y*/"; // Goes.\n', 'const far="https://x/*y*/";\n'),
        ("const far = 'https://x' // Goes.\nf();", "const far='https://x'\nf();\n"),
        ("const text = `<a>\n\n  <b/> // b`;\n  f(`x`);\n", "const text=`<a>\n\n  <b/> // b`;\nf(`x`);\n"),
        ("f(`a${ {b: `c${ d /* e */ }`}.b } $ \\` // f`);", "f(`a${{b:`c${d}`}.b} $ \\` // f`);\n"),
        ("f(`a\\\n  b`);\n", "f(`a\\\n  b`);\n"),
        ('const gap = "a\u2028 b";\n', 'const gap="a\u2028 b";\n'),
        ("return /** a\n */ b;\n", "return\nb;\n"),
        ("let/** @type {1} */a;\n", "let a;\n"),
        ("a + +b - -c;\n", "a + +b - -c;\n"),
        ("a = b / c / d; // e\n", "a=b / c / d;\n"),
        ("a = (b + c) / 2 / `d` / 'e'; // f\n", "a=(b + c)/ 2 / `d` /'e';\n"),
        ("a = i++ / 2; // b / c\n", "a=i++ / 2;\n"),
        ("f(/[/\"]'`/g, /a\\/\\/b/);\n", "f(/[/\"]'`/g,/a\\/\\/b/);\n"),
        (") / 2; // b\n", ")/ 2;\n"),
        ("return /'/.test(a);\n", "return /'/.test(a);\n"),
        ("if (f(a)) /'/.test(a);\n", "if(f(a))/'/.test(a);\n"),
        ("a = b.return / 2; // c\n", "a=b.return / 2;\n"),
        ("a = b ? /'/ : `${/`/}`;\n", "a=b?/'/:`${/`/}`;\n"),
    ],
)
def test_only_comments_and_blanks_are_left_out(written: str, sent: str) -> None:
    """Comments, indents and needless spaces go; strings, texts, regular expressions and the ends of lines stay."""
    code = strip_comments("a.js", written)

    assert code.text == sent
    assert len(code.mask) == len(sent)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("f();\n} / 2;\n", 2),
        ("f(`a\n", 1),
        ("f(`a${b\n", 2),
        ("f();\nf(`a${b}\n", 2),
        ("f();\n\nf(/a\n);\n", 3),
    ],
)
def test_what_cannot_be_read_is_an_error(written: str, line: int) -> None:
    """A module whose text does not end, or in which a slash may be two things, is refused by its line."""
    with pytest.raises(BundleError, match=rf"^a\.js:{line}: "):
        strip_comments("a.js", written)


#: Each file as a lexer reads it that knows nothing of ours.
LEXERS = {"js": JavascriptLexer(), "css": CssLexer()}


def words(kind: str, text: str) -> list[tuple[str, bool]]:
    """All that a browser heeds of a file: its words, and before which of them a line ends where a statement may."""
    found, ends = list[tuple[str, bool]](), False
    for token, word in LEXERS[kind].get_tokens(text):
        if token in Comment or not word.strip():
            # In a style sheet a line ends nothing.
            ends = ends or ("\n" in word and kind == "js")
        else:
            ends = ends and found != [] and found[-1][0][-1] not in "{,([" and word[0] not in "})].?:"
            found.append((re.sub(r"\s+", "", word) if kind == "css" else word, ends))
            ends = False
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_is_the_same_without_its_comments(path: Path) -> None:
    """Of every module of ours just the comments are gone: a browser reads the same words and ends of lines."""
    written = path.read_text("utf-8")

    assert words("js", strip_comments(path.name, written).text) == words("js", written)


@pytest.mark.parametrize("path", [path for path in SHEETS if "@import" not in SOURCES[path]])
def test_every_style_sheet_is_the_same_without_its_comments(path: str) -> None:
    """Of every style sheet of ours just the comments are gone."""
    assert words("css", join_sheets(SOURCES, path)) == words("css", SOURCES[path])


def test_style_sheets_are_joined_in_their_order() -> None:
    """A style sheet stands where it is imported, and so do those that it imports."""
    sheets = {
        "a/a.css": '/* A. */\n@import "b.css";\n@import "../c.css";\n.a { color: red; }\n',
        "a/b.css": '@import "../c.css";\n.b {\n  color: blue; /* b */\n}\n',
        "c.css": ".c,\n.d { margin: 0 }\n",
    }

    assert join_sheets(sheets, "a/a.css") == ".c,.d{margin:0}.b{color:blue;}.c,.d{margin:0}.a{color:red;}"


def test_style_sheet_is_joined_in_its_layer() -> None:
    """A sheet that is imported into a layer is joined in it."""
    sources = {
        "a.css": '@layer base, page;\n@import "b.css" layer(page);\n@import "c.css" layer(base);\n',
        "b.css": ".b {\n  color: blue;\n}\n",
        "c.css": ".c {\n  color: red;\n}\n",
    }
    joined = "".join(join_sheets(sources, "a.css").split())
    assert joined == "@layerbase,page;@layerpage{.b{color:blue;}}@layerbase{.c{color:red;}}"


@pytest.mark.parametrize("form", ['"none.css";', 'url("b.css");', '"b.css" screen;', '"b.css"'])
def test_other_imports_of_style_sheets_are_errors(form: str) -> None:
    """A style sheet that is not there, or is imported otherwise, is refused by file and line."""
    with pytest.raises(BundleError, match=r"^a\.css:3: "):
        join_sheets({"a.css": f"/* A.\n */\n@import {form}\n", "b.css": ""}, "a.css")


def evaluated(sources: dict[str, str], entry: str) -> object:
    """What a bundle leaves in the global `found`."""
    context = quickjs.Context()
    context.eval("globalThis.found = [];")
    context.module(Modules(sources).bundle(entry))
    return context.eval("found.join(' ')")


def test_modules_are_evaluated_once_and_in_order() -> None:
    """Imports come before the importing module, each once, with names of their own, and functions before they stand."""
    sources = {
        "p/p.js": (
            'import { b, c as d } from "./b.js";\nimport * as all from "../x/c.js";\n'
            'found.push("p", b, d(), all.name, all.c(), Object.keys(all), Object.isFrozen(all), early());\n'
            'export const own = 1;\nexport async function later() {}\nfunction early() { return "early"; }\n'
        ),
        "p/b.js": (
            'import {\n  c as other,\n  name,\n} from "../x/c.js";\nfound.push("b");\nconst own = name;\n'
            "export const b = [own, `x`].join();\nexport {};\nexport class K {}\nexport const c = () => other() + 1;\n"
        ),
        "x/c.js": 'found.push("c");\nexport const name = "n";\nexport function c() {\n  return "c()";\n}\n',
    }

    assert evaluated(sources, "p/p.js") == "c b p n,x c()1 n c() name,c true early"
    assert Modules(sources).parse("p/p.js").exports == ("own", "later")


def test_module_knows_its_own_address() -> None:
    """A bundle lies in the root, and every module in it has the address that it would have apart."""
    bundle = Modules({"p.js": "f(import.meta.url);\n"}).bundle("p.js")

    assert bundle == 'f(new URL("./p.js",import.meta.url).href);\n'


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('import "./b.js";', "not supported"),
        ('import b from "./b.js";', "not supported"),
        ('import b, { c } from "./b.js";', "not supported"),
        ('import b from "./b.json" with { type: "json" };', "not supported"),
        ("f(import(b));", "not supported"),
        ('f(import("./none.js"));', "no module ./none.js"),
        ("f(import.meta.resolve);", "not supported"),
        ('import { b } from "./none.js";', "no module ./none.js"),
        ('import { b } from "b.js";', "no module b.js"),
        ("export let b = 1;", "not supported"),
        ("export var b = 1;", "not supported"),
        ("export default 1;", "not supported"),
        ("export { f };", "not supported"),
        ('export * from "./b.js";', "not supported"),
        ('export { b } from "./b.js";', "not supported"),
        ("export function* b() {}", "not supported"),
        ("export const { b } = f;", "not supported"),
        ("export const b = [1, 2], c = 1;", "one name"),
        ("export const b", "one name"),
        ("export const b = 1", "one name"),
        ("f(); export const b = 1;", "not supported"),
        ("const $1 = 1;", "not supported"),
    ],
)
def test_other_forms_are_errors(line: str, problem: str) -> None:
    """A form of import or export that is not supported is refused by file and line, and so is a reserved name."""
    sources = {"p/p.js": f"// P.\n\nconst f = `\n`;\n{line}\n", "p/b.js": "export const b = 1;\n"}

    with pytest.raises(BundleError, match=rf"^p/p\.js:5: .*{re.escape(problem)}"):
        Modules(sources).bundle("p/p.js")


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        ("export const c = 1;\n", "p.js:1: b.js does not export b"),
        ('import { p } from "./p.js";\nexport const b = 1;\n', "b.js:1: imports itself through p.js"),
        ('import { b as c } from "./b.js";\nexport const b = 1;\n', "b.js:1: imports itself through b.js"),
        ("// B.\nawait f();\nexport const b = 1;\n", "b.js:2: only the module of a page may await"),
        ("export const b = await f();\n", "b.js:1: only the module of a page may await"),
    ],
)
def test_modules_that_do_not_fit_are_errors(inner: str, problem: str) -> None:
    """What is not exported cannot be imported, modules import no cycles, and only the first may await at its top."""
    sources = {"p.js": 'import { b } from "./b.js";\nexport const p = b;\nawait b;\n', "b.js": inner}

    with pytest.raises(BundleError, match=re.escape(problem)):
        Modules(sources).bundle("p.js")


def test_deferred_module_shares_what_its_page_has() -> None:
    """A module that is loaded later is a bundle of its own, and imports what the page has already from the page."""
    sources = {
        "p/p.js": 'import { a } from "../a.js";\nf(a, () => import("./later.js"), () => import("./later.js"));\n',
        "p/later.js": 'import { a } from "../a.js";\nimport { b } from "./b.js";\nexport const c = a + b;\n',
        "p/b.js": 'import { a } from "../a.js";\nexport const b = a;\n',
        "a.js": "export const a = 1;\n",
    }
    modules = Modules(sources)
    page, later = modules.bundle("p/p.js"), dict(modules.deferred("p/p.js"))

    assert page.count('import("./p.p.later.js")') == 2
    assert page.endswith("export{$0};\n")
    assert list(later) == ["p.p.later.js"]
    assert later["p.p.later.js"].startswith('import{$0}from"./p.js";\nconst $1=(()=>{\nconst {a}=$0;\n')
    assert later["p.p.later.js"].endswith("const {a}=$0;\nconst {b}=$1;\nexport const c=a + b;\n")


def test_deferred_module_of_two_pages_imports_from_the_page_that_loads_it() -> None:
    """Each page has a file of its own of a module that both load later: no page loads the bundle of another."""
    page = 'import { a } from "../a.js";\nf(a, () => import("../later.js"));\n'
    later = 'import { a } from "./a.js";\nexport const c = a;\n'
    modules = Modules({"p/p.js": page, "q/q.js": page, "later.js": later, "a.js": "export const a = 1;\n"})

    for name in ("p", "q"):
        assert f'import("./{name}.later.js")' in modules.bundle(f"{name}/{name}.js")
        ((file, text),) = modules.deferred(f"{name}/{name}.js")
        assert file == f"{name}.later.js"
        assert text.startswith(f'import{{$0}}from"./{name}.js";\n')


def test_deferred_module_may_share_nothing() -> None:
    """A module that imports nothing of its page is a bundle without imports, and the page exports nothing for it."""
    modules = Modules({"p.js": 'f(() => import("./later.js"));\n', "later.js": "export const c = 1;\n"})

    assert "export{" not in modules.bundle("p.js")
    assert dict(modules.deferred("p.js")) == {"p.later.js": "export const c=1;\n"}


@pytest.mark.parametrize(
    ("page", "later"),
    [
        ('import { b } from "./b.js";\nf(b, () => import("./b.js"));\n', ""),
        ('f(() => import("./b.js"));\nexport const p = 1;\n', 'import { p } from "./p.js";\n'),
    ],
)
def test_module_is_imported_at_once_or_later(page: str, later: str) -> None:
    """A module that a page imports is not loaded later too, and one that is loaded later does not import the page."""
    with pytest.raises(BundleError, match=r"^b\.js:1: is imported at once and later"):
        Modules({"p.js": page, "b.js": f"{later}export const b = 1;\n"}).bundle("p.js")


@pytest.fixture(scope="module")
def modules() -> Modules:
    """The modules of all pages; each is parsed once."""
    return Modules(SOURCES)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_can_be_joined(modules: Modules, path: Path) -> None:
    """Every module of ours can be the first of a bundle, which contains all that it reaches, each once."""
    if name_of(path) == "shared/service_worker.js":
        assert imports_of(path) == set()
        return
    bundle = modules.bundle(name_of(path))

    assert len(re.findall(r"^const \$\d+=\(\(\)=>\{$", bundle, re.MULTILINE)) == len(reached_from(path)) - 1
    assert len(re.findall(r"^export ", bundle, re.MULTILINE)) == len(modules.parse(name_of(path)).exports)


@pytest.mark.parametrize("page", [*(kind.value for kind in DeviceKind), "trainer"])
def test_bundle_of_every_page_is_served(page: str) -> None:
    """Every page has its module in one file, compressed, without an import and without a comment."""
    asset = own_assets().find(f"{page}.js")

    assert asset is not None
    assert 0 < len(asset.compressed.brotli) < len(asset.compressed.gzip) < len(asset.body)
    assert re.search(rb"^import|/\*\*|^//", asset.body, re.MULTILINE) is None


def test_reducing_the_font_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Making the font does not report its glyphs."""
    with caplog.at_level(logging.INFO):
        reduced_font()

    assert caplog.messages == []


def test_font_is_the_one_that_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A font that was built of this source is served; without one, or with one of another source, it is made."""
    module = tmp_path / "font.py"
    module.write_bytes(font._SOURCE.read_bytes())  # noqa: SLF001 - where the font is looked for
    monkeypatch.setattr(font, "_SOURCE", module)
    made = latin_font.__wrapped__()
    (tmp_path / "manrope-000000000000.woff2").write_bytes(b"of another source")
    assert latin_font.__wrapped__() == made

    build_font(tmp_path)
    [built] = tmp_path.glob("*.woff2")
    assert built.read_bytes() == made
    built.write_bytes(b"built")
    assert latin_font.__wrapped__() == b"built"


def test_font_is_reduced_to_latin() -> None:
    """The font has every weight, figures of one width and the letters of our Latin texts, in less than 30 KB."""
    reduced = TTFont(io.BytesIO(latin_font()))
    # A ligature turns a clause "(c)" into a copyright sign.
    assert "liga" not in {each.FeatureTag for each in reduced["GSUB"].table.FeatureList.FeatureRecord}
    [weight] = reduced["fvar"].axes
    features = {each.FeatureTag for each in reduced["GSUB"].table.FeatureList.FeatureRecord}
    texts = "".join(
        text
        for lang in ("en", "es", "fr", "ms")
        for path in (STATIC / "words").rglob(f"{lang}.json")
        for text in msgspec.json.decode(path.read_bytes()).values()
    )
    letters = {
        character for character in texts if character.isalpha() and unicodedata.name(character).startswith("LATIN")
    }

    assert (weight.minValue, weight.maxValue) == (200, 800)
    assert "tnum" in features
    assert letters <= {chr(code) for code in reduced.getBestCmap()}
    assert len(latin_font()) < 30_000
