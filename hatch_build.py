"""The hook of the build: reduces the font of the pages, which no process then has to do."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FontHook(BuildHookInterface[Any]):
    """Writes the font beside the module that makes it, for the wheel and for an installation of the source."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - as hatchling has it
        server = Path(self.root, "src", "croupier", "server")
        spec = spec_from_file_location("font", server / "font.py")
        assert spec is not None
        assert spec.loader is not None
        font = module_from_spec(spec)
        spec.loader.exec_module(font)
        font.build_font(server)
        build_data["artifacts"].append("src/croupier/server/*.woff2")
