"""The identities of a house and its gateways at the broker, and the files that the broker is configured with."""

import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext, TLSVersion
from typing import Annotated, Final

import msgspec
import nkeys
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from croupier.journal.disk import key_problem, write_atomic
from croupier.rules.refusal import Code, Refusal, refuse

#: The name in the certificate of every broker: houses and gateways accept no other.
BROKER_NAME: Final = "broker.croupier.internal"
#: Certificates are valid so long.
VALID_DAYS: Final = 3_650
#: The largest message of the broker: a file of evidence goes to a gateway in one message.
PAYLOAD_BYTES_MAX: Final = 8 * 1024 * 1024
BROKER_CONFIGURATION: Final = "nats.conf"
_AUTHORITY, _HOUSE, _GATEWAYS = "broker-authority.pem", "broker-house.json", "gateways"
_CERTIFICATE, _SUFFIX = "broker.pem", ".json"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
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

    @classmethod
    def read(cls, path: Path) -> "Identity":
        """Read a key file that only its owner can read."""
        try:
            if problem := key_problem(path):
                raise GatewayKeyError(problem)
            identity = msgspec.json.decode(path.read_bytes(), type=cls)
            nkeys.from_seed(identity.seed.encode())
            identity.tls()
        except (OSError, ValueError, nkeys.NkeysError, msgspec.DecodeError) as error:
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


def up_subject(realm: str, gateway: str) -> str:
    return f"{realm}.up.{gateway}"


def down_subject(realm: str, gateway: str) -> str:
    return f"{realm}.down.{gateway}"


class Enrolment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a house knows of a gateway that it has enrolled."""

    #: Its public NKey.
    key: Annotated[str, msgspec.Meta(pattern="^U[A-Z2-7]{55}$")]
    #: Whether it runs on the machine of the house: then a client at a loopback address is on that machine too.
    local: bool = False


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

    def enrol(self, name: str, *, local: bool = False) -> bytes | Refusal:
        """Issue a key to a gateway, in place of its earlier one; return the file that the gateway needs."""
        if (objection := gateway_name_objection(name)) is not None:
            return objection
        identity = msgspec.structs.replace(self.house(), name=name, seed=_new_seed())
        self._directory.mkdir(mode=0o700, exist_ok=True)
        enrolment = Enrolment(_public_key(identity.seed), local=local)
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
        except (OSError, msgspec.DecodeError) as error:
            raise GatewayKeyError(f"the keys of the gateways cannot be read: {error}") from error

    def broker_files(self, directory: Path, listen: str) -> dict[str, bytes]:
        """Return the files, for a directory, of a broker at an address that admits this house and its gateways."""
        house = self.house()
        users = (_user(_public_key(house.seed), _HOUSE_RIGHTS, house), *self._gateway_users(house))
        configuration = _CONFIGURATION.format(
            listen=listen,
            certificate=directory / _CERTIFICATE,
            payload=PAYLOAD_BYTES_MAX,
            users="\n".join(f"    {user}" for user in users),
        )
        certificate = self._authority().issue(BROKER_NAME)
        return {BROKER_CONFIGURATION: configuration.encode(), _CERTIFICATE: certificate}

    def _gateway_users(self, house: Identity) -> Iterable[str]:
        for name, enrolment in self.gateways().items():
            yield _user(enrolment.key, _GATEWAY_RIGHTS, msgspec.structs.replace(house, name=name))

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
authorization {{
  users: [
{users}
  ]
}}
"""


def _user(key: str, rights: tuple[str, str], identity: Identity) -> str:
    publish, receive = (each.format(realm=identity.realm, name=identity.name) for each in rights)
    return f"{{ nkey: {key}, permissions: {{ publish: [{publish}], subscribe: [{receive}] }} }}"


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

    def issue(self, name: str) -> bytes:
        """Issue a key with a certificate for a server."""
        key = Ed25519PrivateKey.generate()
        builder = (
            _builder(_named(name), self._certificate.subject, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        )
        return _pem(key) + builder.sign(self._key, None).public_bytes(Encoding.PEM) + self.certificate


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
    says = "The name of a gateway has 1 to 63 small letters, figures and dashes, and begins with a letter or figure."
    return refuse(Code.MALFORMED, None, says, gateway=name)
