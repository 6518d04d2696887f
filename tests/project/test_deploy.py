"""The run files: units, package, alert rules, dashboard and proxy are what the programs that read them accept."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from croupier.cli.main import app
from croupier.engine.metrics import Metrics, MetricsCollector, Vitals
from croupier.house import House
from croupier.house.blockers import Blocker
from croupier.house.ids import TableId, TerminalId
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code
from croupier.server.gateways.metrics import GatewayCollector, GatewayGauges, GatewayMetrics
from tests.support.certificate import self_signed

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted(path for path in DEPLOY.joinpath("systemd").iterdir())


def requires(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def settings_of(unit: Path) -> dict[str, list[str]]:
    """The settings of a unit, each with its values in order."""
    found = defaultdict[str, list[str]](list)
    for line in unit.read_text("utf-8").splitlines():
        name, separator, value = line.partition("=")
        if separator and not line.startswith("#"):
            found[name].append(value)
    return dict(found)


def security(unit: Path) -> list[dict[str, Any]]:
    """What systemd reports about the sandbox of a unit, setting by setting."""
    command = [requires("systemd-analyze"), "security", "--offline=true", "--json=short", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    report: list[dict[str, Any]] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_unit_is_accepted_by_systemd(unit: Path, tmp_path: Path) -> None:
    """Every unit is valid, with a program in the place of the one that a package installs."""
    verify = requires("systemd-analyze")
    text = unit.read_text("utf-8").replace("/opt/croupier/bin/croupier", "/bin/true")
    text = text.replace("/usr/sbin/nats-server", "/bin/true")
    copy = tmp_path / unit.name.replace("@", "@one")
    copy.write_text(text, "utf-8")
    done = subprocess.run(
        [verify, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False, timeout=60
    )
    complaints = [line for line in done.stderr.splitlines() if copy.name in line]
    assert complaints == []


@pytest.mark.parametrize("name", ["croupier.service", "croupier-standby.service"])
def test_house_may_lower_the_priority_of_its_snapshots(name: str) -> None:
    """The units forbid to change resources, but for the one call by which the snapshot process gives way."""
    filters = settings_of(DEPLOY / "systemd" / name)["SystemCallFilter"]
    assert filters == ["@system-service", "~@privileged @resources", "setpriority"]


def test_units_differ_by_what_they_run() -> None:
    """The standby's unit is the house's with another command, and the page on operating shows the house's."""
    house, standby = (
        DEPLOY.joinpath("systemd", f"croupier{kind}.service").read_text("utf-8") for kind in ("", "-standby")
    )
    assert standby.replace("serve --standby", "serve").splitlines()[2:] == house.splitlines()[2:]
    assert house in (ROOT / "docs" / "operating.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["croupier-gateway@.service", "croupier-backup.service", "croupier-broker.service"])
def test_other_units_are_as_tight_as_the_house(name: str, tmp_path: Path) -> None:
    """Systemd finds no weakness in the units of gateway, backup and broker that the house's unit does not have."""
    unit = tmp_path / name.replace("@", "@one")
    shutil.copy(DEPLOY / "systemd" / name, unit)
    house, other = (
        {each["json_field"] for each in security(path) if each["exposure"] is not None}
        for path in (DEPLOY / "systemd" / "croupier.service", unit)
    )

    assert other <= house
    assert "PrivateDevices" not in other


def test_broker_is_where_its_package_has_it() -> None:
    """The unit of the broker runs the program of Debian's package, as the user that the package makes."""
    listed = subprocess.run(
        [requires("dpkg-query"), "--listfiles", "nats-server"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("the package nats-server is not installed")
    ours, theirs = (
        settings_of(path)
        for path in (
            DEPLOY / "systemd" / "croupier-broker.service",
            next(Path(line) for line in listed.stdout.splitlines() if line.endswith("nats-server.service")),
        )
    )
    (command,) = ours["ExecStart"]
    assert command.split()[0] == theirs["ExecStart"][0].split()[0]
    assert (ours["User"], ours["Group"]) == (theirs["User"], theirs["Group"])


def test_services_run_what_units_run() -> None:
    """Every service of the composition that is ours runs a command with options that exist, and has a unit."""
    text = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", DEPLOY.joinpath("compose.yaml").read_text("utf-8"))
    lists = re.findall(r"command:\s+\[(.*?)\]", text)
    folded = re.findall(r"command: >-\n((?: {6}.*\n)+)", text)
    ours = [*(re.findall(r'"([^"]*)"', each) for each in lists), *(each.split() for each in folded)]
    ours = [words for words in ours if words[0] in app.list_commands(click.Context(app))]
    for words in ours:
        command: click.Command = app
        rest = list(words)
        while isinstance(command, click.Group):
            command = command.get_command(click.Context(command), rest.pop(0)) or pytest.fail(str(words))
        known = {option for each in command.params for option in each.opts}
        assert {each for each in rest if each.startswith("--")} <= known
        wanted = " ".join(words[: len(words) - len(rest)])
        assert any(f"bin/croupier {wanted}" in unit.read_text("utf-8") for unit in UNITS), wanted
    assert len(ours) == 3


def test_backup_timer_runs_the_backup() -> None:
    """The timer and the service of backups belong together by name, and the service keeps what it makes."""
    timer, service = (settings_of(DEPLOY / "systemd" / f"croupier-backup.{kind}") for kind in ("timer", "service"))
    (command,) = service["ExecStart"]

    assert (timer["OnCalendar"], timer["Persistent"]) == (["hourly"], ["yes"])
    assert re.search(r"croupier backup --config \S+ --to /srv/croupier-backups --keep \d+$", command)
    assert "/srv/croupier-backups" in service["ReadWritePaths"][0]


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
        *(f"./lib/systemd/system/{unit.name}" for unit in UNITS),
        *(f"./usr/share/doc/croupier/{page.name}" for page in ROOT.glob("docs/*.md")),
        "./usr/share/doc/croupier/examples/croupier.rules.yml",
    ):
        assert path in listed


def test_package_has_changelog_and_manual_page(package: Path, tmp_path: Path) -> None:
    """The package has the changelog, and a valid manual page with every command."""
    subprocess.run([requires("dpkg-deb"), "--raw-extract", package, tmp_path], check=True)
    share = tmp_path / "usr" / "share"
    changelog = gzip.decompress(share.joinpath("doc", "croupier", "changelog.gz").read_bytes())
    page = gzip.decompress(share.joinpath("man", "man1", "croupier.1.gz").read_bytes()).decode("ascii")
    shown = page.replace("\\-", "-")

    assert changelog == (ROOT / "CHANGELOG.md").read_bytes()
    assert all(f"\n.SS croupier {name} " in shown for name in app.list_commands(click.Context(app)))
    assert all(f"fB{option}\\fR" in shown for option in ("--standby", "--parquet", "--drill"))
    if reader := shutil.which("mandoc"):
        checked = subprocess.run(
            [reader, "-Tlint", "-Wwarning"], input=page, capture_output=True, text=True, check=False
        )
        assert checked.stdout == ""


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


def reported() -> dict[str, set[str]]:
    """The metrics of a house and of a gateway, each with the labels of its samples."""
    vitals = Vitals(disk_free={"data": 1}, backup_at=1)
    blocker = Blocker(TableId("A"), Code.TABLE_CLOSED, None)
    gauges = GatewayGauges(linked=True, connections=Counter(terminal=1))
    terminal = msgspec.structs.replace(blocker, terminal=TerminalId("A-1"))
    metrics = Metrics(refusals=Counter(busy=1))
    collectors = (
        MetricsCollector(metrics, House.new(read_canonical), lambda: [blocker, terminal], lambda: vitals),
        GatewayCollector(GatewayMetrics(), lambda: gauges, "1"),
    )
    return {
        family.name: {label for sample in family.samples for label in sample.labels}
        for collector in collectors
        for family in collector.collect()
    }


def rules() -> list[tuple[str, str]]:
    """The expressions of the alert rules, each with its summary."""
    text = DEPLOY.joinpath("prometheus", "croupier.rules.yml").read_text("utf-8")
    return re.findall(r'expr: (.+)\n(?:.+\n)+?.+summary: "(.+)"', text)


def named(query: str) -> set[str]:
    """The metrics that a query names, as they are declared."""
    return {re.sub(r"_(total|bucket)$", "", name) for name in re.findall(r"croupier_\w+", query)}


def test_metrics_of_rules_and_dashboard_are_reported() -> None:
    """Every metric that an alert or a panel uses is one that a house or a gateway has."""
    dashboard = json.loads(DEPLOY.joinpath("grafana", "croupier.json").read_text("utf-8"))
    queries = [*(query for query, _ in rules()), *(each["targets"][0]["expr"] for each in dashboard["panels"])]

    assert len(queries) > 30
    assert sorted({name for query in queries for name in named(query)} - reported().keys()) == []


def test_labels_of_alerts_are_reported() -> None:
    """Every label that the summary of an alert names is one of its metric, or one that Prometheus adds."""
    known = reported()
    missing = [
        (query, label)
        for query, summary in rules()
        for label in re.findall(r"\$labels\.(\w+)", summary)
        if label not in {"instance", "job"}.union(*(known[name] for name in named(query)))
    ]

    assert missing == []


def test_gateways_have_alerts_and_panels() -> None:
    """Gateways that are down, without a session, slow or attacked raise alerts, and the dashboard shows them."""
    dashboard = DEPLOY.joinpath("grafana", "croupier.json").read_text("utf-8")
    shown = named(dashboard)
    alerted = {name for query, _ in rules() for name in named(query)}

    for metric in ("linked", "sessions_lost", "round_trip_seconds", "rate_limited", "invalid_messages"):
        assert f"croupier_gateway_{metric}" in alerted & shown
    assert {"croupier_gateway_connections", "croupier_gateway_commands"} <= shown


def test_alerts_are_raised_when_they_should_be() -> None:
    """Prometheus itself raises each alert of the cases with its words, and none before its time."""
    cases = Path(__file__).with_name("alerts.yml")
    done = subprocess.run(
        [requires("promtool"), "test", "rules", str(cases)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


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


def test_proxy_names_what_is_there() -> None:
    """The proxy hides the metrics and passes WebSockets on."""
    proxy = DEPLOY.joinpath("nginx", "croupier.conf").read_text("utf-8")
    assert proxy.count("{") == proxy.count("}")
    assert all(
        words in proxy for words in ("proxy_set_header Upgrade", "location = /metrics", "proxy_pass http://croupier")
    )


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile, with lines that continue joined."""
    text = re.sub(r"^#.*\n", "", DEPLOY.joinpath("Containerfile").read_text("utf-8"), flags=re.MULTILINE)
    return re.findall(r"^([A-Z]+) (.+)$", text.replace("\\\n", ""), flags=re.MULTILINE)


def test_image_is_based_on_a_digest() -> None:
    """Both stages are based on one argument without a default, and the build refuses one that names no digest."""
    found = instructions()
    check = next(rest for word, rest in found if word == "RUN")

    assert [rest for word, rest in found if word == "FROM"] == ["${BASE} AS build", "${BASE}"]
    assert [rest for word, rest in found if word == "ARG"] == ["BASE", "BASE"]
    for base, code in (
        (f"docker.io/library/debian@sha256:{'0' * 64}", 0),
        ("docker.io/library/debian:12-slim", 1),
        (f"docker.io/library/debian@sha256:{'0' * 63}", 1),
        ("", 1),
    ):
        done = subprocess.run(
            ["/bin/sh", "-c", check], env={**os.environ, "BASE": base}, capture_output=True, check=False
        )
        assert done.returncode == code


def test_image_has_what_it_needs_and_no_more() -> None:
    """The image installs by hash into an environment without pip, runs without root, and copies named files alone."""
    found = instructions()
    built = " ".join(rest for word, rest in found if word == "RUN")
    copied = [rest.split()[:-1] for word, rest in found if word == "COPY" and "--from" not in rest]
    last = found[max(index for index, (word, _) in enumerate(found) if word == "FROM") :]

    assert "-m venv --without-pip /opt/croupier " in built
    installs = re.findall(r"-m pip (?:--python \S+ )?install (.*?)(?:&&|$)", built)
    assert all("--require-hashes" in each or "--no-index" in each for each in installs)
    assert len(installs) == 3
    assert ("USER", "croupier") in last
    assert "pip" not in " ".join(rest for _, rest in last)
    kept = {line[1:] for line in ROOT.joinpath(".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert {name for names in copied for name in names} == kept
    assert all(ROOT.joinpath(name).exists() for name in kept)


def test_everything_else_is_ignored() -> None:
    """The build context leaves out all that is not named, and git leaves out the keys and data of a demonstration."""
    ignored = [
        line for line in ROOT.joinpath(".dockerignore").read_text("utf-8").splitlines() if not line.startswith("#")
    ]
    assert ignored[0] == "*"
    git = requires("git")
    for name in ("croupier-demo/journal.db", "croupier-demo.keys/signing.pem", "croupier.toml"):
        done = subprocess.run([git, "-C", ROOT, "check-ignore", "--no-index", "-q", name], check=False)
        if done.returncode == 128:
            pytest.skip("this is no checkout")
        assert done.returncode == 0, name
