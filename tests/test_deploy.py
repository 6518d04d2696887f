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
from tests.certificate import self_signed

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


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Debian package without dependencies."""
    requires("dpkg-deb")
    folder = tmp_path_factory.mktemp("package")
    script = [str(ROOT / "scripts" / "deb"), "--bare", str(folder)]
    environment = {**os.environ, "PYTHON": sys.executable}
    built = subprocess.run(script, capture_output=True, text=True, check=False, env=environment)
    assert built.returncode == 0, built.stderr
    return Path(built.stdout.strip())


def test_package_is_built(package: Path) -> None:
    """The script builds a Debian package with the software, its launcher, its units and its examples."""
    reader = requires("dpkg-deb")
    listed = subprocess.run([reader, "--contents", package], capture_output=True, text=True, check=True).stdout
    field = subprocess.run([reader, "--field", package, "Package"], capture_output=True, text=True, check=True).stdout
    assert field.strip() == "croupier"
    for path in (
        "./opt/croupier/bin/croupier",
        "./usr/bin/croupier -> /opt/croupier/bin/croupier",
        "./opt/croupier/lib/croupier/app.py",
        "./opt/croupier/lib/croupier/analysis/reports/day_tables.sql",
        "./lib/systemd/system/croupier-standby.service",
        "./usr/share/doc/croupier/examples/croupier.rules.yml",
    ):
        assert path in listed


def test_package_records_what_it_installs(package: Path, tmp_path: Path) -> None:
    """Each file of the record is installed: a server whose software differs from its record does not start."""
    subprocess.run([requires("dpkg-deb"), "--raw-extract", package, tmp_path], check=True)
    library = tmp_path / "opt" / "croupier" / "lib"
    recorded = [
        line.rsplit(",", 2)[0]
        for record in library.glob("*.dist-info/RECORD")
        for line in record.read_text("utf-8").splitlines()
    ]
    assert "croupier/app.py" in recorded
    assert [path for path in recorded if not library.joinpath(path).is_file()] == []
    environment = {"PYTHONPATH": os.pathsep.join((str(library), *sys.path))}
    launched = [sys.executable, "-s", "-c", "import croupier; print(croupier.__file__)"]
    done = subprocess.run(launched, capture_output=True, text=True, check=True, env=environment)
    assert Path(done.stdout.strip()).is_relative_to(library)


def test_scripts_of_the_package_are_valid(package: Path, tmp_path: Path) -> None:
    """The launcher and what runs at installation, upgrade and removal are shell scripts without errors."""
    subprocess.run([requires("dpkg-deb"), "--raw-extract", package, tmp_path], check=True)
    scripts = [tmp_path / "DEBIAN" / name for name in ("preinst", "postinst", "prerm", "postrm")]
    for script in (*scripts, tmp_path / "opt" / "croupier" / "bin" / "croupier"):
        assert os.access(script, os.X_OK)
        subprocess.run(["/bin/sh", "-n", script], check=True)


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


def test_proxy_is_accepted_by_nginx(tmp_path: Path) -> None:
    """The example is valid, with a certificate in the place of the venue's."""
    checker = requires("nginx")
    certificate = self_signed(tmp_path)
    example = DEPLOY.joinpath("nginx", "croupier.conf").read_text("utf-8")
    example = example.replace("/etc/nginx/tables.example.pem", str(certificate))
    example = example.replace("/etc/nginx/tables.example.key", str(certificate.with_name("key.pem")))
    config = tmp_path / "nginx.conf"
    config.write_text(f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{example}}}\n", "utf-8")
    command = [checker, "-t", "-q", "-p", str(tmp_path), "-e", "stderr", "-c", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


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
