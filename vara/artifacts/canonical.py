"""Canonical JSON and digests: what is hashed, and how tracked files are written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def canonical(value: Any) -> str:
    """Return the one JSON text of `value`: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of `value`'s canonical JSON, as 64 hex digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def readable(value: Any) -> str:
    """Return strict JSON for people and diffs: indented, keys in the given order, a final newline."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
