"""Fields of a row: the checks that documents and queries share. Each returns a value of one type, or None."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from vara.artifacts.canonical import canonical
from vara.datasets.findings import Findings
from vara.datasets.spelling import check_keys, is_nearly_metadata

PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII).fullmatch
"""What a split may be called: it becomes a part of measure names, whose separator is the dot."""

Row = Mapping[str, Any]


def check_fields(record: Row, known: frozenset[str], findings: Findings, *, where: str) -> None:
    """Report fields that nobody reads; one that is nearly `metadata` would silently open a document."""
    if not record.keys() <= known:
        for name in sorted(record.keys() - known):
            if is_nearly_metadata(name):
                findings.add("misspelt-name", where, what=f"field {name!r} for metadata")
            else:
                findings.add("unknown-field", where, what=name)


def take_string(record: Row, name: str, findings: Findings, *, where: str) -> str | None:
    """Return a string field; None where it is absent, null, or (a finding) of another type."""
    value = record.get(name)
    if value is None or isinstance(value, str):
        return value
    findings.add("not-a-string", where, what=f"{name} is {as_json(value)}")
    return None


def take_metadata(record: Row, findings: Findings, *, where: str) -> tuple[dict[str, Any], str]:
    """Return metadata as an object and as canonical JSON (sorted keys, no spaces); absent or null is {}."""
    value = record.get("metadata")
    if not value and (value is None or value == {}):
        return {}, "{}"
    if not isinstance(value, dict):
        findings.add("bad-metadata", where, what=f"metadata is {as_json(value)}")
        return {}, "{}"
    check_keys(value, findings, where=where)
    try:
        return value, canonical(value)
    except (ValueError, RecursionError) as error:
        findings.add("bad-metadata", where, what=str(error))
        return {}, "{}"


def as_json(value: Any) -> str:
    """Return a value as its author wrote it, for a finding."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply"
