"""What a rule is. The rules themselves: rules.py, and lint/rules.py for those that only `vara check` applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")
Whole = Literal["", "documents", "queries", "texts"]
"""What a share is taken of; texts are documents and queries together."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Args:
        code: kebab-case name, stable across releases.
        severity: `error` refuses the dataset; `warning` may move a number; `notice` says what was done.
        rule: what was found, as a clause without a final stop.
        remedy: what to do, as a whole sentence.
        share_of: what its count is a share of, "" where a share would say nothing.
    """

    code: str
    severity: Severity
    rule: str
    remedy: str
    share_of: Whole = ""
