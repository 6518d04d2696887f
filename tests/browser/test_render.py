"""The keyed renderer: what it reuses, and what stays as it was while it draws again."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from croupier.server.assets import own_assets
from tests.support.browser.harness import browser_harness
from tests.support.browser.houses import PLAIN, house_of

Runs = Callable[[str], Any]
#: A script is the body of a function that gets the renderer and an empty element of the page.
RUN = """async (path) => {
  const { h, render, form, lazy } = await import(path);
  const host = document.createElement("div");
  document.body.replaceChildren(host);
  SCRIPT
}"""


@pytest.fixture(scope="module")
def run(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Run a script on a page that has nothing but the renderer."""
    with browser_harness(browser, tmp_path_factory.mktemp("render"), house_of(PLAIN["U"])) as harness:
        page = harness.context().new_page()
        page.goto(f"{harness.house.url}lobby.json")
        path = f"/static/{own_assets().version}/shared/render.js"
        yield lambda script: page.evaluate(RUN.replace("SCRIPT", script), path)


def test_elements_follow_their_keys(run: Runs) -> None:
    """Reordered, inserted and removed items keep their elements; those that go are removed."""
    found = run("""
        const list = (...keys) => render(host, keys.map((key) => h("li", { key }, key)));
        list("a", "b", "c");
        const before = Object.fromEntries([...host.children].map((item) => [item.textContent, item]));
        list("c", "n", "a");
        const [c, n, a] = host.children;
        return [host.textContent, c === before.c, a === before.a, before.b.isConnected, n === before.b];
    """)
    assert found == ["cna", True, True, False, False]


def test_optional_child_keeps_its_place(run: Runs) -> None:
    """A child that comes or goes changes no element after it, nor does a list of another length."""
    found = run("""
        const draw = (warning, items) => render(
            host, warning && h("p", null, warning), items.map((one) => h("b", null, one)), h("input"));
        draw(false, ["x"]);
        const input = host.querySelector("input");
        input.value = "typed";
        draw("Careful", ["x", "y"]);
        const during = host.querySelector("input") === input && host.innerHTML;
        draw("", []);
        return [during, host.firstChild === input, input.value, host.childNodes.length];
    """)
    assert found == ["<p>Careful</p><b>x</b><b>y</b><input>", True, "typed", 1]


def test_focus_and_selection_stay(run: Runs) -> None:
    """An element keeps the focus when others before it go, and when it is moved."""
    found = run("""
        const draw = (...keys) => render(host, keys.map((key) => h("input", { key, id: key })));
        draw("a", "b", "c");
        const c = host.querySelector("#c");
        c.value = "1234";
        c.focus();
        c.setSelectionRange(1, 3);
        let blurred = 0;
        c.addEventListener("blur", () => (blurred += 1));
        draw("b", "c");
        const removed = [document.activeElement === c, blurred];
        draw("c", "b", "a");
        return [removed, document.activeElement === c, c.value, c.selectionStart, c.selectionEnd];
    """)
    assert found == [[True, 0], True, "1234", 1, 3]


def test_one_listener_calls_newest_function(run: Runs) -> None:
    """An event calls the function of the last drawing once, and none after that is left out."""
    found = run("""
        const called = [];
        const draw = (click) => render(host, h("button", { click }));
        draw(() => called.push("first"));
        draw(() => called.push("second"));
        host.firstChild.click();
        draw(null);
        host.firstChild.click();
        return called;
    """)
    assert found == ["second"]


def test_svg_elements_are_of_svg(run: Runs) -> None:
    """Elements within an svg are SVG elements, and those beside it are not."""
    found = run("""
        render(host, h("svg", { viewBox: "0 0 4 4" }, h("g", null, h("path", { d: "M0 0h4" }))), h("p"));
        const names = [...host.querySelectorAll("*")].map((one) => [one.localName, one instanceof SVGElement]);
        return [names, host.firstChild.getAttribute("viewBox")];
    """)
    assert found == [[["svg", True], ["g", True], ["path", True], ["p", False]], "0 0 4 4"]


def test_attributes_follow_their_values(run: Runs) -> None:
    """True is an empty attribute; null, undefined and false are none; style properties come and go one by one."""
    found = run("""
        const seen = [];
        const draw = (attributes) => (render(host, h("p", attributes)), seen.push(host.innerHTML));
        draw({ hidden: true, "data-n": 0, title: null, style: { "--at": "3" } });
        draw({ hidden: false, "data-n": 1, style: { "--to": "4" } });
        draw(null);
        return seen;
    """)
    assert found == [
        '<p hidden="" data-n="0" style="--at: 3;"></p>',
        '<p data-n="1" style="--to: 4;"></p>',
        '<p style=""></p>',
    ]


def test_state_of_fields(run: Runs) -> None:
    """A value is put back where a person changed it, an initial value is not; a select gets its value too."""
    found = run("""
        const draw = (n) => render(host,
          h("input", { value: "kept" }), h("input", { defaultValue: `first ${n}` }),
          h("input", { type: "checkbox", checked: n === 2 }),
          h("select", { value: "b" }, ["a", "b"].map((key) => h("option", { key, value: key }))));
        draw(1);
        const [kept, free, tick, choice] = host.children;
        const first = [kept.value, free.value, tick.checked, choice.value];
        kept.value = free.value = "typed";
        choice.value = "a";
        draw(2);
        return [first, [kept.value, free.value, tick.checked, choice.value]];
    """)
    assert found == [["kept", "first 1", False, "b"], ["kept", "typed", True, "b"]]


def test_own_nodes_and_references(run: Runs) -> None:
    """A node is put in as it is, and `ref` is called once, when the element stands in the page with its children."""
    found = run("""
        const own = document.createElement("canvas");
        const refs = [];
        const draw = (last) => render(
            host, last, h("div", { ref: (one) => refs.push([one.isConnected, one.textContent]) }, own, "text"));
        draw(null);
        draw(h("p"));
        return [refs, own.parentNode === host.lastChild, host.innerHTML];
    """)
    assert found == [[[True, "text"]], True, "<p></p><div><canvas></canvas>text</div>"]


def test_element_without_children_is_left_to_its_reference(run: Runs) -> None:
    """What a `ref` puts into an element without children stays there; an element that had children loses them."""
    found = run("""
        const draw = (...children) => render(
            host, h("i", { ref: (one) => one.append("own") }), h("b", null, ...children));
        draw("drawn");
        draw();
        return host.innerHTML;
    """)
    assert found == "<i>own</i><b></b>"


def test_two_of_one_key_are_both_drawn(run: Runs) -> None:
    """Two children of one key are both there, however often they are drawn."""
    found = run("""
        const draw = () => render(host, ["x", "y"].map((one) => h("li", { key: 1 }, one)));
        draw();
        draw();
        draw();
        return host.textContent;
    """)
    assert found == "xy"


def test_lazy_element_is_made_when_its_inputs_change(run: Runs) -> None:
    """An element with inputs is made once for each value of them, and keeps its node."""
    found = run("""
        let made = 0;
        const row = (words) => lazy({ tag: "li", key: 1, inputs: [words] }, () => {
          made += 1;
          return h("li", { key: 1 }, words);
        });
        render(host, row("a"));
        const node = host.firstChild;
        render(host, row("a"));
        const before = made;
        render(host, row("b"));
        return [before, made, host.textContent, host.firstChild === node];
    """)
    assert found == [1, 2, "b", True]


def test_form_hands_over_its_fields(run: Runs) -> None:
    """A form stays on the page and hands over its fields by name, each on one line."""
    found = run("""
        let given = null;
        render(host, form({ class: "fields" }, (fields) => (given = fields),
          h("input", { name: "table", defaultValue: "M" }),
          h("textarea", { name: "why", defaultValue: "one\\ntwo" }), h("button", { type: "submit" })));
        host.querySelector("button").click();
        return given;
    """)
    assert found == {"table": "M", "why": "one two"}
