"""Ids that do not survive a program that guesses types."""

from __future__ import annotations

import re

from vara.datasets.findings import Findings
from vara.datasets.ids import Ids

_NUMBER = re.compile(r"\s*[+-]?([0-9][0-9_]*\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*", re.ASCII).fullmatch
_PLAIN = re.compile(r"0|[1-9][0-9]{0,14}", re.ASCII).fullmatch  # 15 digits survive a float64, too
_GONE = frozenset(
    ("", "na", "n/a", "nan", "null", "none", "nil", "#n/a", "inf", "infinity", "true", "false", "<na>")
)
_LONGEST_WORD = 10


def check_ids(ids: Ids, findings: Findings) -> None:
    """Report ids that change when they are read as numbers or missing values, and those that are plain numbers.

    **Conventions** 1 and 20 come back as they were once they are text again; 001, 1e5, +1, 1.0, 1_000, NaN, NA,
    null, true and integers of more than 15 digits do not.
    """
    for name in ids:
        if _PLAIN(name):
            findings.add("numeric-id", ids.place(name), what=f"id {name}")
        elif changes(name):
            findings.add("changing-id", ids.place(name), what=f"id {name}")


def changes(name: str) -> bool:
    """Return whether an id may become another one, or none, when its type is guessed.

    Example:
        >>> [changes(name) for name in ("001", "1e5", "+1", "1.0", "NaN", "1", "d1", "1-2", "1e")]
        [True, True, True, True, True, False, False, False, False]
    """
    if name[:1].isalpha() or name[:1] in "#<":
        return len(name) <= _LONGEST_WORD and name.strip().lower() in _GONE
    if _NUMBER(name):
        return not _PLAIN(name)
    return name.strip().lstrip("+-").lower() in _GONE
