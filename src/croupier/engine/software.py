"""The software that is running, by its version and the digest of its own code."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import croupier


@cache
def software() -> str:
    """Name the software: a snapshot is good only for the very code that took it."""
    root, digest = Path(croupier.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return f"{version('croupier')} {digest.hexdigest()}"
