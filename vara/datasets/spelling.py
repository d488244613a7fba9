"""Names and values that are nearly right: passed over, each of them would silently open or move a row.

What lives here: what counts as nearly. What does not: which fields a file has (documents.py, queries.py).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from vara.datasets.findings import Findings

ARCHIVED = "archived"
METADATA = "metadata"

_KEYS = ("audience", "allowed", "scope", "split", "status")
_MAX_EDITS = 2
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]").search


@lru_cache(maxsize=4096)
def is_nearly_metadata(name: str) -> bool:
    """Return whether a field's name is "metadata" but for case, invisible characters and two edits.

    Example:
        >>> [is_nearly_metadata(name) for name in ("Metadata", "meta_data", "metdata", "meta", "rawdata")]
        [True, True, True, False, False]
    """
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(_folded(name), METADATA, score_cutoff=_MAX_EDITS) <= _MAX_EDITS


def check_keys(metadata: dict[str, Any], findings: Findings, *, where: str) -> None:
    """Report keys of metadata that are read under another spelling: case, white space, invisible characters."""
    for name in filter(_meant_key, metadata):
        findings.add("misspelt-name", where, what=f"key {name!r} for {_meant_key(name)}")


def is_nearly_archived(status: Any) -> bool:
    """Return whether a status is "archived" but for case, white space and invisible characters."""
    return isinstance(status, str) and status != ARCHIVED and _is_archived(status)


@lru_cache(maxsize=4096)
def is_clean(audience: str) -> bool:
    r"""Return whether an audience has no control character, and no white space or invisible one at its ends.

    Example:
        >>> [is_clean(audience) for audience in ("staff", "ward 7", "staff ", "sta\tff", "\u200bstaff")]
        [True, True, False, False, False]
    """
    return not _CONTROL(audience) and not any(map(_is_unseen, audience[:1] + audience[-1:]))


@lru_cache(maxsize=4096)
def _meant_key(name: str) -> str | None:
    if name in _KEYS:
        return None
    folded = _folded(name)
    return folded if folded in _KEYS else None


@lru_cache(maxsize=4096)
def _is_archived(status: str) -> bool:
    return _folded(status) == ARCHIVED


def _folded(name: str) -> str:
    """Return a name as an eye reads it: NFKC, one case, without white space and invisible characters."""
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if not _is_unseen(char))


def _is_unseen(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf")
