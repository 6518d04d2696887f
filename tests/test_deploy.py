"""The run files: units, package, alert rules, dashboard and proxy are what the programs that read them accept."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.engine.metrics import Metrics, MetricsCollector, exposition
from croupier.house.state import House
from croupier.rulebooks.schema import read_canonical

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.joinpath("systemd").glob("*.service"))


def requires(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_unit_is_accepted_by_systemd(unit: Path, tmp_path: Path) -> None:
    """Every unit is valid, with a program in the place of the one that a package installs."""
    verify = requires("systemd-analyze")
    text = unit.read_text("utf-8").replace("/opt/croupier/bin/croupier", "/bin/true")
    copy = tmp_path / unit.name.replace("@", "@one")
    copy.write_text(text, "utf-8")
    done = subprocess.run(
        [verify, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False, timeout=60
    )
    complaints = [line for line in done.stderr.splitlines() if copy.name in line]
    assert complaints == []


def test_units_differ_by_what_they_run() -> None:
    """The standby's unit is the house's with another command, and the page on operating shows the house's."""
    house, standby = (
        DEPLOY.joinpath("systemd", f"croupier{kind}.service").read_text("utf-8") for kind in ("", "-standby")
    )
    assert standby.replace("serve --standby", "serve").splitlines()[2:] == house.splitlines()[2:]
    assert house in (ROOT / "docs" / "operating.md").read_text("utf-8")


def test_package_is_built(tmp_path: Path) -> None:
    """The script builds a Debian package with the software, its launcher, its units and its examples."""
    reader = requires("dpkg-deb")
    environment = {**os.environ, "PYTHON": sys.executable}
    script = [str(ROOT / "scripts" / "deb"), "--bare", str(tmp_path)]
    built = subprocess.run(script, capture_output=True, text=True, check=False, env=environment)
    assert built.returncode == 0, built.stderr
    package = built.stdout.strip()
    listed = subprocess.run([reader, "--contents", package], capture_output=True, text=True, check=True).stdout
    field = subprocess.run([reader, "--field", package, "Package"], capture_output=True, text=True, check=True).stdout
    assert field.strip() == "croupier"
    for path in (
        "./opt/croupier/bin/croupier",
        "./opt/croupier/lib/croupier/app.py",
        "./opt/croupier/lib/croupier/analysis/reports/day_tables.sql",
        "./lib/systemd/system/croupier-standby.service",
        "./usr/share/doc/croupier/examples/croupier.rules.yml",
    ):
        assert path in listed


def test_metrics_of_rules_and_dashboard_are_reported() -> None:
    """Every metric that an alert or a panel uses is one that the server has."""
    reported = exposition(MetricsCollector(Metrics(), House(read_canonical))).decode()
    rules = DEPLOY.joinpath("prometheus", "croupier.rules.yml").read_text("utf-8")
    dashboard = json.loads(DEPLOY.joinpath("grafana", "croupier.json").read_text("utf-8"))
    queries = [*re.findall(r"expr: (.+)", rules), *(each["targets"][0]["expr"] for each in dashboard["panels"])]
    named = {re.sub(r"_(total|bucket)$", "", name) for query in queries for name in re.findall(r"croupier_\w+", query)}

    assert len(queries) > 20
    # The time of the last backup is reported once there is one.
    named.discard("croupier_last_backup_timestamp_seconds")
    assert sorted(name for name in named if f"# TYPE {name}" not in reported) == []


def test_rules_are_accepted_by_prometheus() -> None:
    """The alert rules are valid."""
    checker = requires("promtool")
    rules = DEPLOY / "prometheus" / "croupier.rules.yml"
    done = subprocess.run([checker, "check", "rules", str(rules)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_proxy_and_container_name_what_is_there() -> None:
    """The proxy hides the metrics and passes WebSockets on; the container installs by hash and runs without root."""
    proxy = DEPLOY.joinpath("nginx", "croupier.conf").read_text("utf-8")
    container = DEPLOY.joinpath("Containerfile").read_text("utf-8")
    assert proxy.count("{") == proxy.count("}")
    assert all(
        words in proxy for words in ("proxy_set_header Upgrade", "location = /metrics", "proxy_pass http://croupier")
    )
    assert all(words in container for words in ("--require-hashes", "USER croupier", '"serve"'))
    assert all(ROOT.joinpath(name).exists() for name in re.findall(r"requirements[\w.-]*\.lock", container))
