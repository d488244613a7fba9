"""corpus.jsonl: from objects to rows of the documents table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vara.datasets.beir import read_objects
from vara.datasets.fields import Row, as_json, check_fields, take_metadata, take_string
from vara.datasets.findings import Findings
from vara.datasets.ids import Ids
from vara.datasets.spelling import ARCHIVED, is_clean, is_nearly_archived
from vara.datasets.text import is_blank

DocumentRow = tuple[str, str | None, str | None, str, bool, str | None]

_FIELDS = frozenset({"_id", "title", "text", "metadata"})
_EVERYONE = "everyone"


def document_rows(path: Path, findings: Findings, *, ids: Ids) -> Iterator[DocumentRow]:
    """Yield doc_id, title, text, metadata, archived, audience of each document, in the order of the file.

    **Conventions** archived: metadata.status is "archived". audience: metadata.audience, None when it is null
    or "everyone". A row without an id of its own is left out after its finding.

    Args:
        path: corpus.jsonl.
        findings: takes what is wrong.
        ids: takes the ids.
    """
    for where, record in read_objects(path, findings, file=path.name):
        doc_id = ids.take(record.get("_id"), where)
        check_fields(record, _FIELDS, findings, where=where)
        title = take_string(record, "title", findings, where=where)
        text = take_string(record, "text", findings, where=where)
        metadata, canonical = take_metadata(record, findings, where=where)
        archived, audience = False, None
        if metadata:
            archived = _take_archived(metadata, findings, where)
            audience = _take_audience(metadata, findings, where)
        if doc_id is None:
            continue
        if is_blank(record.get("text")) and is_blank(record.get("title")):
            findings.add("empty-document", where, what=f"id {doc_id}")
        yield doc_id, title, text, canonical, archived, audience
    ids.compare_forms()


def _take_archived(metadata: Row, findings: Findings, where: str) -> bool:
    status = metadata.get("status")
    if is_nearly_archived(status):
        findings.add("misspelt-name", where, what=f"status {status!r} for {ARCHIVED}")
    return bool(status == ARCHIVED)


def _take_audience(metadata: Row, findings: Findings, where: str) -> str | None:
    audience = metadata.get("audience")
    if audience is None or audience == _EVERYONE:
        return None
    if isinstance(audience, str):
        if not is_clean(audience):
            findings.add("unclean-audience", where, what=f"audience is {audience!r}")
        return audience
    findings.add("bad-audience", where, what=f"audience is {as_json(audience)}")
    return None
