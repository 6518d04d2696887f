"""The certificates of a house and its gateways, and the TLS contexts that admit no one else."""

import hashlib
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from ssl import CERT_REQUIRED, PROTOCOL_TLS_CLIENT, PROTOCOL_TLS_SERVER, SSLContext, TLSVersion
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from croupier.journal.disk import key_problem, write_atomic
from croupier.rules.refusal import Code, Refusal, refuse

#: The name in the certificate of every house: a gateway accepts no other.
HOUSE_NAME: Final = "house.croupier.internal"
#: Certificates are valid so long. A gateway is locked out by releasing it, not by waiting.
VALID_DAYS: Final = 3_650
_AUTHORITY, _HOUSE, _GATEWAYS = "link-authority.pem", "link-house.pem", "gateways"
_SUFFIX: Final = ".pem"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class LinkKeyError(Exception):
    """A key of the link cannot be read or written."""


@dataclass(frozen=True, slots=True)
class LinkKeys:
    """The keys of the link in a key store: an authority of this house alone, and the certificates that it issued."""

    path: Path

    def provision(self) -> None:
        """Create the authority and the certificate of the house, if there are none."""
        if not self.path.joinpath(_HOUSE).exists():
            authority = _Authority.new()
            self._write(_AUTHORITY, authority.pem)
            self._write(_HOUSE, authority.issue(HOUSE_NAME, ExtendedKeyUsageOID.SERVER_AUTH))

    def enrol(self, name: str) -> bytes | Refusal:
        """Issue a key to a gateway, in place of its earlier one; return the file that the gateway needs."""
        if (objection := gateway_name_objection(name)) is not None:
            return objection
        self.provision()
        bundle = self._authority().issue(name, ExtendedKeyUsageOID.CLIENT_AUTH)
        certificate = x509.load_pem_x509_certificates(bundle)[0]
        self._directory.mkdir(mode=0o700, exist_ok=True)
        self._write(f"{_GATEWAYS}/{name}{_SUFFIX}", certificate.public_bytes(Encoding.PEM))
        return bundle

    def release(self, name: str) -> Refusal | None:
        """Remove a gateway: its links end, and it is not admitted again."""
        if (objection := gateway_name_objection(name)) is not None:
            return objection
        try:
            self._directory.joinpath(f"{name}{_SUFFIX}").unlink()
        except FileNotFoundError:
            return refuse(Code.UNKNOWN_DEVICE, None, f"There is no gateway {name}.", gateway=name)
        return None

    def gateways(self) -> dict[str, str]:
        """List the enrolled gateways: the digest of each certificate, and the name."""
        try:
            certificates = {
                path.stem: x509.load_pem_x509_certificate(path.read_bytes()).public_bytes(Encoding.DER)
                for path in sorted(self._directory.glob(f"*{_SUFFIX}"))
            }
        except (OSError, ValueError) as error:
            raise LinkKeyError(f"the certificates of the gateways cannot be read: {error}") from error
        return {digest_of(certificate): name for name, certificate in certificates.items()}

    def house_context(self) -> SSLContext:
        """Return the TLS context of the house."""
        return _context(PROTOCOL_TLS_SERVER, self.path.joinpath(_HOUSE))

    @property
    def _directory(self) -> Path:
        return self.path.joinpath(_GATEWAYS)

    def _authority(self) -> "_Authority":
        try:
            content = self.path.joinpath(_AUTHORITY).read_bytes()
            key = load_pem_private_key(content, None)
        except (OSError, ValueError) as error:
            raise LinkKeyError(f"the authority of the link cannot be read: {error}") from error
        assert isinstance(key, Ed25519PrivateKey)
        return _Authority(key, x509.load_pem_x509_certificate(content))

    def _write(self, name: str, content: bytes) -> None:
        try:
            write_atomic(self.path.joinpath(name), content)
        except OSError as error:
            raise LinkKeyError(f"{name} cannot be written: {error.strerror}") from error


def gateway_context(bundle: Path) -> SSLContext:
    """Return the TLS context of a gateway, from the file that it was enrolled with."""
    return _context(PROTOCOL_TLS_CLIENT, bundle)


def write_bundle(path: Path, bundle: bytes) -> None:
    """Write the file of a gateway, readable by its owner only; FileExistsError if there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(bundle)


def digest_of(certificate: bytes) -> str:
    """Digest a certificate in DER."""
    return hashlib.sha256(certificate).hexdigest()


class _Authority:
    """Issues certificates."""

    def __init__(self, key: Ed25519PrivateKey, certificate: x509.Certificate) -> None:
        self._key, self._certificate = key, certificate

    @classmethod
    def new(cls) -> "_Authority":
        key, name = Ed25519PrivateKey.generate(), _named("croupier link authority")
        builder = _builder(name, name, key).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        return cls(key, builder.sign(key, None))

    @property
    def pem(self) -> bytes:
        return _pem(self._key) + self._certificate.public_bytes(Encoding.PEM)

    def issue(self, name: str, purpose: x509.ObjectIdentifier) -> bytes:
        """Issue a key for one purpose; return it with its certificate and that of the authority, in PEM."""
        key = Ed25519PrivateKey.generate()
        builder = (
            _builder(_named(name), self._certificate.subject, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        )
        issued = builder.sign(self._key, None).public_bytes(Encoding.PEM)
        return _pem(key) + issued + self._certificate.public_bytes(Encoding.PEM)


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


def _context(protocol: int, bundle: Path) -> SSLContext:
    """Return a context for TLS 1.3 that accepts only peers with a certificate of the same authority."""
    context = SSLContext(protocol)
    context.minimum_version = TLSVersion.TLSv1_3
    context.verify_mode = CERT_REQUIRED
    try:
        if problem := key_problem(bundle):
            raise LinkKeyError(problem)
        context.load_cert_chain(bundle)
        authority = x509.load_pem_x509_certificates(bundle.read_bytes())[-1]
        context.load_verify_locations(cadata=authority.public_bytes(Encoding.DER))
    except (OSError, ValueError) as error:
        raise LinkKeyError(f"{bundle} is not a key of the link: {error}") from error
    return context


def gateway_name_objection(name: str) -> Refusal | None:
    """Refuse a name that is not a file's and a host's."""
    if _NAME.fullmatch(name) is not None:
        return None
    says = "The name of a gateway has 1 to 63 small letters, figures and dashes, and begins with a letter or figure."
    return refuse(Code.MALFORMED, None, says, gateway=name)
