"""The keys of a house and its gateways at the broker, and the authority that signs the brokers' certificates."""

import os
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext, TLSVersion
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
#: In the key store: the key and certificate of the authority, the key file of the house, and those of its gateways.
_AUTHORITY_FILE, _HOUSE_FILE, _GATEWAYS_DIRECTORY = "broker-authority.pem", "broker-house.json", "gateways"
_SUFFIX: Final = ".json"
#: Two changes of a directory within so long may have the same time, by the resolution of its clock.
SETTLED_NS: Final = 1_000_000_000
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
        return broker_name(self.site)

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


def broker_name(site: str) -> str:
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
        path = self.path.joinpath(_HOUSE_FILE)
        if not path.exists():
            authority = Authority.new()
            self._write(_AUTHORITY_FILE, authority.pem)
            realm = f"croupier-{secrets.token_hex(8)}"
            self._write(_HOUSE_FILE, Identity("", realm, _new_seed(), authority.certificate.decode()).encode())
        return Identity.read(path)

    def enrol(self, name: str, *, local: bool = False, site: str = "") -> bytes | Refusal:
        """Issue a key to a gateway, in place of its earlier one; return the file that the gateway needs."""
        if (objection := gateway_name_objection(name)) is not None:
            return objection
        if site and _NAME.fullmatch(site) is None:
            return refuse(Code.MALFORMED, None, f"The name of a site {_NAME_WORDS}.", site=site)
        identity = msgspec.structs.replace(self.house(), name=name, seed=_new_seed(), site=site)
        self._directory.mkdir(mode=0o700, exist_ok=True)
        enrolment = Enrolment(public_key(identity.seed), local=local, site=site)
        self._write(f"{_GATEWAYS_DIRECTORY}/{name}{_SUFFIX}", msgspec.json.encode(enrolment))
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

    @property
    def _directory(self) -> Path:
        return self.path.joinpath(_GATEWAYS_DIRECTORY)

    def authority(self) -> "Authority":
        """Return the authority that signs the certificates of the brokers."""
        try:
            content = self.path.joinpath(_AUTHORITY_FILE).read_bytes()
            key = load_pem_private_key(content, None)
        except (OSError, ValueError) as error:
            raise GatewayKeyError(f"the authority of the broker cannot be read: {error}") from error
        assert isinstance(key, Ed25519PrivateKey)
        return Authority(key, x509.load_pem_x509_certificate(content))

    def _write(self, name: str, content: bytes) -> None:
        try:
            write_atomic(self.path.joinpath(name), content)
        except OSError as error:
            raise GatewayKeyError(f"{name} cannot be written: {error.strerror}") from error


def write_key(path: Path, content: bytes) -> None:
    """Write the key file of a gateway, readable by its owner only; FileExistsError if there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _new_seed() -> str:
    seed: bytes = nkeys.encode_seed(secrets.token_bytes(_SEED_BYTES), nkeys.PREFIX_BYTE_USER)
    return seed.decode()


def public_key(seed: str) -> str:
    key: bytes = nkeys.from_seed(seed.encode()).public_key
    return key.decode()


class Authority:
    """Issues certificates of brokers."""

    def __init__(self, key: Ed25519PrivateKey, certificate: x509.Certificate) -> None:
        self._key, self._certificate = key, certificate

    @classmethod
    def new(cls) -> "Authority":
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
