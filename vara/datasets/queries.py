"""queries.jsonl: from objects to rows of the queries table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vara.artifacts.canonical import canonical
from vara.datasets.beir import read_objects
from vara.datasets.fields import PLAIN_NAME, Row, as_json, check_fields, take_metadata, take_string
from vara.datasets.findings import Findings
from vara.datasets.ids import Ids
from vara.datasets.spelling import is_clean
from vara.datasets.text import is_blank

QueryRow = tuple[str, str, str | None, str, str | None, str | None, list[str] | None, str | None]

_FIELDS = frozenset({"_id", "text", "metadata"})


def query_rows(path: Path, findings: Findings, *, ids: Ids) -> Iterator[QueryRow]:
    """Yield one row of the queries table for each query, in the order of the file.

    **Conventions** split is metadata.split alone: what a label file says about a query stays in the labels
    table (links.py), so that nothing made before evaluation depends on a label. allowed None and [] both
    mean: sees unrestricted documents only. scope is canonical JSON, None where there is none or {}.

    Args:
        path: queries.jsonl.
        findings: takes what is wrong.
        ids: takes the ids.
    """
    for where, record in read_objects(path, findings, file=path.name):
        query_id = ids.take(record.get("_id"), where)
        check_fields(record, _FIELDS, findings, where=where)
        text = take_string(record, "text", findings, where=where)
        if is_blank(record.get("text")):
            findings.add("empty-query", where, what=f"id {query_id}" if query_id else "")
        metadata, whole = take_metadata(record, findings, where=where)
        split = _take_split(metadata, findings, where)
        language = _take_group(metadata, "language", findings, where=where)
        category = _take_group(metadata, "category", findings, where=where)
        allowed = _take_allowed(metadata, findings, where)
        scope = _take_scope(metadata, findings, where)
        if query_id is not None:
            yield query_id, text or "", split, whole, language, category, allowed, scope
    ids.compare_forms()


def _take_split(metadata: Row, findings: Findings, where: str) -> str | None:
    split: Any = metadata.get("split")
    if split is None or (isinstance(split, str) and PLAIN_NAME(split)):
        return split
    findings.add("bad-split", where, what=f"split is {as_json(split)}")
    return ""  # so that nobody reports it as missing, too


def _take_group(metadata: Row, name: str, findings: Findings, *, where: str) -> str | None:
    value = metadata.get(name)
    if value is None or isinstance(value, str):
        return value
    findings.add("bad-group", where, what=f"{name} is {as_json(value)}")
    return None


def _take_allowed(metadata: Row, findings: Findings, where: str) -> list[str] | None:
    allowed = metadata.get("allowed")
    if allowed is None:
        return None
    if isinstance(allowed, list) and all(isinstance(audience, str) for audience in allowed):
        for audience in allowed:
            if not is_clean(audience):
                findings.add("unclean-audience", where, what=f"allowed has {audience!r}")
        return allowed
    findings.add("bad-allowed", where, what=f"allowed is {as_json(allowed)}")
    return None


def _take_scope(metadata: Row, findings: Findings, where: str) -> str | None:
    scope = metadata.get("scope")
    if scope is None:
        return None
    if isinstance(scope, dict) and all(map(_can_be_wanted, scope.values())):
        return canonical(scope) if scope else None
    findings.add("bad-scope", where, what=f"scope is {as_json(scope)}")
    return None


def _can_be_wanted(value: Any) -> bool:
    """Return whether documents can be filtered by a value, or by one of a list: as in `pool.filter`, no fractions."""
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(isinstance(one, str | int) for one in values)  # true and false are ints, too
