"""Signatures: Ed25519 over what the journal vouches for, made with a key that lives outside the data directory."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from croupier.journal.fault import JournalFault
from croupier.journal.page import fence_message

#: Parts the secret for imprints from the key for signatures.
IMPRINTING: Final = b"croupier imprint 1\n"


class Verifier:
    """Tells whether a signature is the venue's; it needs the public key alone."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key

    @classmethod
    def read(cls, pem: bytes) -> Self:
        key = _read(load_pem_public_key, pem)
        if not isinstance(key, Ed25519PublicKey):
            raise JournalFault("the public key is not an Ed25519 key")
        return cls(key)

    @property
    def pem(self) -> bytes:
        return self._key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def accepts(self, signature: bytes, message: bytes) -> bool:
        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


class Signer:
    """Signs for the venue."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.verifier = Verifier(key.public_key())
        self._secret = hashlib.sha256(IMPRINTING + key.private_bytes_raw()).digest()

    @classmethod
    def new(cls) -> Self:
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, pem: bytes) -> Self:
        key = _read(lambda text: load_pem_private_key(text, password=None), pem)
        if not isinstance(key, Ed25519PrivateKey):
            raise JournalFault("the signing key is not an Ed25519 key")
        return cls(key)

    @property
    def pem(self) -> bytes:
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)

    def imprint(self, message: bytes) -> bytes:
        """Mark a message so that the holder of this key, and nobody else, knows it again; it costs far less to make."""
        return hmac.digest(self._secret, message, "sha256")

    def fence_mac(self, epoch: int) -> bytes:
        """Make the MAC over the epoch of a fence."""
        return self.imprint(fence_message(epoch))

    def recognises(self, imprint: bytes, message: bytes) -> bool:
        return hmac.compare_digest(imprint, self.imprint(message))


def _read(load: Callable[[bytes], object], pem: bytes) -> object:
    try:
        return load(pem)
    except ValueError as error:
        raise JournalFault(f"a key cannot be read: {error}") from error
