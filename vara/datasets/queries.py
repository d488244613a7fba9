"""queries.jsonl: from objects to rows of the queries table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vara.datasets.beir import read_objects
from vara.datasets.fields import PLAIN_NAME, Row, as_json, check_fields, take_metadata, take_string
from vara.datasets.findings import Findings
from vara.datasets.ids import Ids
from vara.datasets.spelling import is_clean
from vara.datasets.text import is_blank

QueryRow = tuple[str, str, str | None, str, str | None, str | None, list[str] | None]

_FIELDS = frozenset({"_id", "text", "metadata"})


def query_rows(path: Path, findings: Findings, *, ids: Ids) -> Iterator[QueryRow]:
    """Yield one row of the queries table for each query, in the order of the file.

    **Conventions** split is metadata.split alone: what a label file says about a query stays in the labels
    table (links.py), so that nothing made before evaluation depends on a label. allowed None and [] both
    mean: sees unrestricted documents only.

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
        metadata, canonical = take_metadata(record, findings, where=where)
        split = _take_split(metadata, findings, where)
        language = _take_group(metadata, "language", findings, where=where)
        category = _take_group(metadata, "category", findings, where=where)
        allowed = _take_allowed(metadata, findings, where)
        if query_id is not None:
            yield query_id, text or "", split, canonical, language, category, allowed
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
