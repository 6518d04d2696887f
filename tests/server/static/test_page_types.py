"""What the type check of the pages' modules refuses, tried on a small module beside them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.modules import MODULES

pytestmark = pytest.mark.untraced

RENDERER = next(path for path in MODULES if path.name == "render.js")
#: A mistake is marked in the line above it; a mark without a mistake is one too.
TRIED = """// @ts-check
import { h } from "RENDERER";
export const good = [
  h("svg", { ...{ width: 3 }, role: "img", hidden: null, click: () => {} }),
  h("p", { style: { "--share": "1" }, key: {}, ref: () => {} }),
];
export const wrong = [
  // @ts-expect-error
  h("svg", { size: { width: 3 }, role: "img" }),
  // @ts-expect-error
  h("p", { class: ["a", "b"] }),
  // @ts-expect-error
  h("p", { style: { "--share": 1 } }),
];
"""


def test_attribute_is_no_object(tmp_path: Path) -> None:
    """An attribute is a text, a number, a switch or a function: an object is a mistake, except `style`."""
    program = shutil.which("deno")
    if program is None:
        pytest.skip("deno is not installed")
    module = tmp_path / "tried.js"
    module.write_text(TRIED.replace("RENDERER", RENDERER.as_uri()))
    arguments = (program, "check", "--quiet", "--no-lock", module)
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])

    assert done.returncode == 0, done.stderr
