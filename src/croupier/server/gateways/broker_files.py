"""The configuration of the NATS broker: which users it admits, with which rights, and with which certificates."""

import hmac
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import indent
from typing import Final

import msgspec

from croupier.server.gateways.keys import (
    Enrolment,
    GatewayKeys,
    Identity,
    broker_name,
    down_subject,
    public_key,
    up_subject,
)

#: The largest message of the broker: a file of evidence goes to a gateway in one message.
PAYLOAD_BYTES_MAX: Final = 8 * 1024 * 1024
BROKER_CONFIGURATION: Final = "nats.conf"
#: The key with the certificate of a broker, and the certificate of the authority.
_CERTIFICATE, _AUTHORITY_CERTIFICATE = "broker.pem", "authority.pem"
#: The directory with the files of the brokers of sites, one directory each.
SITES: Final = "sites"
_HOUSE_ACCOUNT: Final = "HOUSE"


def broker_files(
    keys: GatewayKeys, directory: Path, listen: str, leaf_nodes: str = "", routes: Sequence[str] = ()
) -> dict[str, bytes]:
    """Return the files, for a directory, of a broker at an address that admits this house and its gateways.

    With an address for leaf nodes, `sites/SITE` has the files of the broker of each site, which connects there.
    Routes are the addresses of all brokers of a cluster, each of which may have these files.
    """
    house, gateways = keys.house(), keys.gateways()
    sites = keys.sites() if leaf_nodes else []
    users = [_user(public_key(house.seed), _HOUSE_RIGHTS, house), *_gateway_users(house, gateways, site="")]
    if leaf_nodes:
        rights = _accounts(house, users, {site: _names_of(gateways, site) for site in sites})
        rights += _leaf_nodes(house, _at_port(listen, leaf_nodes), directory, sites)
    else:
        rights = _authorization(users)
    if routes:
        rights += _cluster(_at_port(listen, routes[0]), directory, routes)
    names = dict.fromkeys(each.rpartition(":")[0] for each in (leaf_nodes, *routes) if each)
    files = _files(keys, directory, listen, rights, broker_name(""), *names, joins=bool(routes))
    files[_AUTHORITY_CERTIFICATE] = house.authority.encode()
    for site in sites:
        at = directory / SITES / site
        rights = _authorization(_gateway_users(house, gateways, site=site)) + _remote(house, leaf_nodes, at, site)
        for file, content in _files(keys, at, _at_port("0.0.0.0:", listen), rights, broker_name(site)).items():
            files[f"{SITES}/{site}/{file}"] = content
        files[f"{SITES}/{site}/{_AUTHORITY_CERTIFICATE}"] = house.authority.encode()
    return files


def _files(
    keys: GatewayKeys, directory: Path, listen: str, rights: str, *names: str, joins: bool = False
) -> dict[str, bytes]:
    """Return the configuration of one broker, and its certificate, also for the names that other brokers use.

    Only where a broker joins others of a cluster they accept its certificate.
    """
    certificate = directory / _CERTIFICATE
    configuration = _CONFIGURATION.format(
        listen=listen, certificate=certificate, payload=PAYLOAD_BYTES_MAX, rights=rights
    )
    issued = keys.authority().issue(*names, is_client=joins)
    return {BROKER_CONFIGURATION: configuration.encode(), _CERTIFICATE: issued}


#: What each may publish and receive: a gateway speaks only with the house, and only under its own name.
_HOUSE_RIGHTS: Final = ('"{realm}.down.*", "{realm}.cast.*", "{realm}.house"', '"{realm}.up.*"')
_GATEWAY_RIGHTS: Final = ('"{realm}.up.{name}"', '"{realm}.down.{name}", "{realm}.cast.*", "{realm}.house"')
_CONFIGURATION: Final = """\
# Written by `croupier gateway broker`. Write it again after a gateway was enrolled or released, and then:
# nats-server --signal reload
listen: "{listen}"
max_payload: {payload}
ping_interval: "2s"
ping_max: 2
write_deadline: "5s"
tls {{
  cert_file: "{certificate}"
  key_file: "{certificate}"
}}
{rights}"""


def _user(key: str, rights: tuple[str, str], identity: Identity) -> str:
    publish, receive = (each.format(realm=identity.realm, name=identity.name) for each in rights)
    return f"{{ nkey: {key}, permissions: {{ publish: [{publish}], subscribe: [{receive}] }} }}"


def _gateway_users(house: Identity, gateways: dict[str, Enrolment], *, site: str) -> Iterable[str]:
    for name in _names_of(gateways, site):
        yield _user(gateways[name].key, _GATEWAY_RIGHTS, msgspec.structs.replace(house, name=name))


def _names_of(gateways: dict[str, Enrolment], site: str) -> list[str]:
    return [name for name, enrolment in gateways.items() if enrolment.site == site]


def _block(name: str, lines: Iterable[str]) -> str:
    return f"{name} {{\n{indent(chr(10).join(lines), '  ')}\n}}\n"


def _list(name: str, rows: Iterable[str]) -> str:
    return f"{name}: [\n{indent(chr(10).join(rows), '  ')}\n]"


def _authorization(users: Iterable[str]) -> str:
    return _block("authorization", [_list("users", users)])


def _accounts(house: Identity, users: Iterable[str], sites: dict[str, list[str]]) -> str:
    """Give each site an account of its own, which has what its gateways publish and receive, and no more."""
    exports, imports, accounts = [], [], []
    for site, names in sites.items():
        up = [up_subject(house.realm, name) for name in names]
        down = [*(down_subject(house.realm, name) for name in names), house.cast("*"), house.beacon]
        exports += [f'{{ stream: "{each}", accounts: [{_account(site)}] }}' for each in down]
        imports += [f'{{ stream: {{ account: {_account(site)}, subject: "{each}" }} }}' for each in up]
        shared = (
            _list("exports", [f'{{ stream: "{each}", accounts: [{_HOUSE_ACCOUNT}] }}' for each in up]),
            _list("imports", [f'{{ stream: {{ account: {_HOUSE_ACCOUNT}, subject: "{each}" }} }}' for each in down]),
        )
        accounts.append(_block(_account(site), shared).rstrip())
    mine = (_list("users", users), _list("exports", exports), _list("imports", imports))
    return _block("accounts", (_block(_HOUSE_ACCOUNT, mine).rstrip(), *accounts))


def _leaf_nodes(house: Identity, listen: str, directory: Path, sites: Iterable[str]) -> str:
    users = [
        f'{{ user: "{site}", password: "{_site_password(house, site)}", account: {_account(site)} }}' for site in sites
    ]
    certificate = directory / _CERTIFICATE
    tls = f'tls {{ cert_file: "{certificate}", key_file: "{certificate}" }}'
    return _block("leafnodes", (f'listen: "{listen}"', tls, _authorization(users).rstrip()))


def _cluster(listen: str, directory: Path, routes: Iterable[str]) -> str:
    """Join the brokers of a cluster: each shows a certificate of the authority to the others."""
    certificate, authority = directory / _CERTIFICATE, directory / _AUTHORITY_CERTIFICATE
    tls = f'tls {{ cert_file: "{certificate}", key_file: "{certificate}", ca_file: "{authority}", verify: true }}'
    addresses = _list("routes", [f'"tls://{each}"' for each in routes])
    return _block("cluster", ('name: "croupier"', f'listen: "{listen}"', tls, addresses))


def _at_port(address: str, other: str) -> str:
    """Return the host of one address with the port of another."""
    return f"{address.rpartition(':')[0]}:{other.rpartition(':')[2]}"


def _remote(house: Identity, leaf_nodes: str, directory: Path, site: str) -> str:
    """Connect the broker of a site to that of the house, which shows a certificate of the authority."""
    url = f"tls://{site}:{_site_password(house, site)}@{leaf_nodes}"
    remote = f'{{ url: "{url}", tls {{ ca_file: "{directory / _AUTHORITY_CERTIFICATE}" }} }}'
    return _block("leafnodes", [_list("remotes", [remote])])


def _account(site: str) -> str:
    return f"SITE_{site}"


def _site_password(house: Identity, site: str) -> str:
    """The password of the broker of a site, which only the house can compute."""
    return hmac.digest(house.seed.encode(), f"leaf node {site}".encode(), "sha256").hex()
