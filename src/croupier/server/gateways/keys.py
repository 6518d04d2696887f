"""The identities of a house and its gateways at the broker, and the files that the broker is configured with."""

import hmac
import os
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext, TLSVersion
from textwrap import indent
from time import time_ns
from typing import Annotated, Final

import msgspec
import nkeys
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from croupier.journal.disk import key_problem, write_atomic
from croupier.rules.refusal import Code, Refusal, refuse

#: The name in the certificate of the brokers of a house; that of a site's broker begins with the name of the site.
#: Houses and gateways accept no other than that of their own.
BROKER_NAME: Final = "broker.croupier.internal"
#: Certificates are valid so long.
VALID_DAYS: Final = 3_650
#: The largest message of the broker: a file of evidence goes to a gateway in one message.
PAYLOAD_BYTES_MAX: Final = 8 * 1024 * 1024
BROKER_CONFIGURATION: Final = "nats.conf"
_AUTHORITY, _HOUSE, _GATEWAYS = "broker-authority.pem", "broker-house.json", "gateways"
_CERTIFICATE, _SUFFIX, _AUTHORITY_CERTIFICATE = "broker.pem", ".json", "authority.pem"
#: Two changes of a directory within so long may have the same time, by the resolution of its clock.
SETTLED_NS: Final = 1_000_000_000
#: The directory with the files of the brokers of sites, one directory each.
SITES: Final = "sites"
_HOUSE_ACCOUNT: Final = "HOUSE"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_NAME_WORDS: Final = "has 1 to 63 small letters, figures and dashes, and begins with a letter or figure"
_SEED_BYTES: Final = 32


class GatewayKeyError(Exception):
    """A key for the broker cannot be read or written."""


class Identity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a house or a gateway signs in at the broker: the content of its key file."""

    #: The name of a gateway; that of the house is empty.
    name: str
    #: The first part of every subject of the house, which no other house at the broker has.
    realm: str
    #: The seed of its NKey.
    seed: str
    #: The certificate of the authority that signs those of the brokers, in PEM.
    authority: str
    #: The site of a gateway, where it has a broker of its own.
    site: str = ""

    @classmethod
    def read(cls, path: Path) -> "Identity":
        """Read a key file that only its owner can read."""
        try:
            if problem := key_problem(path):
                raise GatewayKeyError(problem)
            identity = msgspec.json.decode(path.read_bytes(), type=cls)
            nkeys.from_seed(identity.seed.encode())
            identity.tls()
        except (OSError, ValueError, nkeys.NkeysError) as error:
            raise GatewayKeyError(f"{path} is not a key of a gateway: {error}") from error
        return identity

    def encode(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def tls(self) -> SSLContext:
        """Return the context that accepts only brokers with a certificate of the authority."""
        context = SSLContext(PROTOCOL_TLS_CLIENT)
        context.minimum_version = TLSVersion.TLSv1_3
        context.load_verify_locations(cadata=self.authority)
        return context

    @property
    def broker_name(self) -> str:
        """The name in the certificate of its broker."""
        return _broker_name(self.site)

    # Subjects.

    @property
    def up(self) -> str:
        """What this gateway sends the house."""
        return up_subject(self.realm, self.name)

    @property
    def down(self) -> str:
        """What the house sends this gateway alone."""
        return down_subject(self.realm, self.name)

    @property
    def beacon(self) -> str:
        """By which the house says that it is there."""
        return f"{self.realm}.house"

    def cast(self, topic: str) -> str:
        """What the house sends all gateways that subscribe to a topic."""
        return f"{self.realm}.cast.{topic}"


def _broker_name(site: str) -> str:
    return f"{site}.{BROKER_NAME}" if site else BROKER_NAME


def up_subject(realm: str, gateway: str) -> str:
    return f"{realm}.up.{gateway}"


def down_subject(realm: str, gateway: str) -> str:
    return f"{realm}.down.{gateway}"


class Enrolment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a house knows of a gateway that it has enrolled."""

    #: Its public NKey.
    key: Annotated[str, msgspec.Meta(pattern=r"^U[A-Z2-7]{55}\Z")]
    #: Whether it runs on the machine of the house: then a client at a loopback address is on that machine too.
    local: bool = False
    #: The site whose own broker it connects to, a leaf node of the house's; empty if it connects to the house's broker.
    site: str = ""


@dataclass(frozen=True, slots=True)
class GatewayKeys:
    """The identities in a key store: the house's own, and the public keys of the gateways that are enrolled."""

    path: Path

    def house(self) -> Identity:
        """Return the identity of the house, which is created the first time."""
        path = self.path.joinpath(_HOUSE)
        if not path.exists():
            authority = _Authority.new()
            self._write(_AUTHORITY, authority.pem)
            realm = f"croupier-{secrets.token_hex(8)}"
            self._write(_HOUSE, Identity("", realm, _new_seed(), authority.certificate.decode()).encode())
        return Identity.read(path)

    def enrol(self, name: str, *, local: bool = False, site: str = "") -> bytes | Refusal:
        """Issue a key to a gateway, in place of its earlier one; return the file that the gateway needs."""
        if (objection := gateway_name_objection(name)) is not None:
            return objection
        if site and _NAME.fullmatch(site) is None:
            return refuse(Code.MALFORMED, None, f"The name of a site {_NAME_WORDS}.", site=site)
        identity = msgspec.structs.replace(self.house(), name=name, seed=_new_seed(), site=site)
        self._directory.mkdir(mode=0o700, exist_ok=True)
        enrolment = Enrolment(_public_key(identity.seed), local=local, site=site)
        self._write(f"{_GATEWAYS}/{name}{_SUFFIX}", msgspec.json.encode(enrolment))
        return identity.encode()

    def release(self, name: str) -> Refusal | None:
        """Remove a gateway: the house ends its session, and does not admit it again."""
        if (objection := gateway_name_objection(name)) is not None:
            return objection
        try:
            self._directory.joinpath(f"{name}{_SUFFIX}").unlink()
        except FileNotFoundError:
            return refuse(Code.UNKNOWN_DEVICE, None, f"There is no gateway {name}.", gateway=name)
        return None

    def gateways(self) -> dict[str, Enrolment]:
        """List the enrolled gateways by name."""
        try:
            return {
                path.stem: msgspec.json.decode(path.read_bytes(), type=Enrolment)
                for path in sorted(self._directory.glob(f"*{_SUFFIX}"))
            }
        except (OSError, ValueError) as error:
            raise GatewayKeyError(f"the keys of the gateways cannot be read: {error}") from error

    def revision(self) -> int:
        """Return what is another number once a gateway was enrolled or released; 0 when none can be relied on.

        It is the time at which the directory last changed: for a moment after it another change may have the same one.
        """
        try:
            changed_ns = self._directory.stat().st_mtime_ns
        except OSError:
            return 0
        return changed_ns if time_ns() - changed_ns > SETTLED_NS else 0

    def sites(self) -> list[str]:
        """List the sites with a broker of their own that gateways are enrolled for."""
        return sorted({each.site for each in self.gateways().values()} - {""})

    def broker_files(
        self, directory: Path, listen: str, leaf_nodes: str = "", routes: Sequence[str] = ()
    ) -> dict[str, bytes]:
        """Return the files, for a directory, of a broker at an address that admits this house and its gateways.

        With an address for leaf nodes, `sites/SITE` has the files of the broker of each site, which connects there.
        Routes are the addresses of all brokers of a cluster, each of which may have these files.
        """
        house, gateways = self.house(), self.gateways()
        sites = self.sites() if leaf_nodes else []
        users = [_user(_public_key(house.seed), _HOUSE_RIGHTS, house), *_gateway_users(house, gateways, site="")]
        if leaf_nodes:
            rights = _accounts(house, users, {site: _names_of(gateways, site) for site in sites})
            rights += _leaf_nodes(house, _at_port(listen, leaf_nodes), directory, sites)
        else:
            rights = _authorization(users)
        if routes:
            rights += _cluster(_at_port(listen, routes[0]), directory, routes)
        names = dict.fromkeys(each.rpartition(":")[0] for each in (leaf_nodes, *routes) if each)
        files = self._files(directory, listen, rights, _broker_name(""), *names, joins=bool(routes))
        files[_AUTHORITY_CERTIFICATE] = house.authority.encode()
        for site in sites:
            at = directory / SITES / site
            rights = _authorization(_gateway_users(house, gateways, site=site)) + _remote(house, leaf_nodes, at, site)
            for file, content in self._files(at, _at_port("0.0.0.0:", listen), rights, _broker_name(site)).items():
                files[f"{SITES}/{site}/{file}"] = content
            files[f"{SITES}/{site}/{_AUTHORITY_CERTIFICATE}"] = house.authority.encode()
        return files

    def _files(self, directory: Path, listen: str, rights: str, *names: str, joins: bool = False) -> dict[str, bytes]:
        """Return the configuration of one broker, and its certificate, also for the names that other brokers use.

        Only where a broker joins others of a cluster they accept its certificate.
        """
        certificate = directory / _CERTIFICATE
        configuration = _CONFIGURATION.format(
            listen=listen, certificate=certificate, payload=PAYLOAD_BYTES_MAX, rights=rights
        )
        issued = self._authority().issue(*names, is_client=joins)
        return {BROKER_CONFIGURATION: configuration.encode(), _CERTIFICATE: issued}

    @property
    def _directory(self) -> Path:
        return self.path.joinpath(_GATEWAYS)

    def _authority(self) -> "_Authority":
        try:
            content = self.path.joinpath(_AUTHORITY).read_bytes()
            key = load_pem_private_key(content, None)
        except (OSError, ValueError) as error:
            raise GatewayKeyError(f"the authority of the broker cannot be read: {error}") from error
        assert isinstance(key, Ed25519PrivateKey)
        return _Authority(key, x509.load_pem_x509_certificate(content))

    def _write(self, name: str, content: bytes) -> None:
        try:
            write_atomic(self.path.joinpath(name), content)
        except OSError as error:
            raise GatewayKeyError(f"{name} cannot be written: {error.strerror}") from error


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


def write_key(path: Path, content: bytes) -> None:
    """Write the key file of a gateway, readable by its owner only; FileExistsError if there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _new_seed() -> str:
    seed: bytes = nkeys.encode_seed(secrets.token_bytes(_SEED_BYTES), nkeys.PREFIX_BYTE_USER)
    return seed.decode()


def _public_key(seed: str) -> str:
    key: bytes = nkeys.from_seed(seed.encode()).public_key
    return key.decode()


class _Authority:
    """Issues certificates of brokers."""

    def __init__(self, key: Ed25519PrivateKey, certificate: x509.Certificate) -> None:
        self._key, self._certificate = key, certificate

    @classmethod
    def new(cls) -> "_Authority":
        key, name = Ed25519PrivateKey.generate(), _named("croupier broker authority")
        builder = _builder(name, name, key).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        return cls(key, builder.sign(key, None))

    @property
    def certificate(self) -> bytes:
        return self._certificate.public_bytes(Encoding.PEM)

    @property
    def pem(self) -> bytes:
        """The private key and the certificate."""
        return _pem(self._key) + self.certificate

    def issue(self, *names: str, is_client: bool) -> bytes:
        """Issue a key with a certificate for a server of some names and addresses, and for a client too."""
        key = Ed25519PrivateKey.generate()
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, *([ExtendedKeyUsageOID.CLIENT_AUTH] if is_client else [])]
        builder = (
            _builder(_named(names[0]), self._certificate.subject, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=True)
            .add_extension(x509.SubjectAlternativeName(map(_general_name, names)), critical=False)
        )
        return _pem(key) + builder.sign(self._key, None).public_bytes(Encoding.PEM) + self.certificate


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name.strip("[]")))
    except ValueError:
        return x509.DNSName(name)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: Ed25519PrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder(subject_name=subject, issuer_name=issuer, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        # The clocks of two machines may differ.
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=VALID_DAYS))
    )


def _pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def gateway_name_objection(name: str) -> Refusal | None:
    """Refuse a name that is not a file's and a subject's."""
    if _NAME.fullmatch(name) is not None:
        return None
    return refuse(Code.MALFORMED, None, f"The name of a gateway {_NAME_WORDS}.", gateway=name)
