"""TREC's documents and topics: SGML as NIST writes it, XML topics, or plain `id, tab, text`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from vara.datasets.beir import read_lines
from vara.datasets.findings import Findings
from vara.datasets.importing.columns import Columns, Kind
from vara.datasets.importing.rows import Row
from vara.datasets.opened import Readable

_END = re.compile(r"</(doc|top|topic)>", re.IGNORECASE).search
_START = re.compile(r"<(doc|top|topic)(?:\s[^<>]*)?>", re.IGNORECASE).search
_NUMBER = re.compile(r"\b(?:number|id)\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE).search
_FIELD = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>(.*?)</\1\s*>", re.DOTALL)
_OPEN_FIELD = re.compile(r"<(num|title|desc|narr)>([^<]*)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(number|topic|description|narrative)\s*:\s*", re.IGNORECASE)
_NAMES = {
    "docno": "_id",
    "num": "_id",
    "headline": "title",
    "head": "title",
    "hl": "title",
    "ti": "title",
    "body": "text",
    "abstract": "text",
}
"""Our field → the tags of TREC collections; the others keep their names, in lower case."""


def trec_rows(path: Readable, findings: Findings, *, kind: Kind, columns: Columns) -> Iterator[Row]:
    """Yield documents or topics.

    **Conventions** A file whose first line begins with < is SGML or XML: <DOC> or <top>, <topic>. DOCNO and num
    (or the attribute number) are the id; TITLE, HEADLINE, HEAD, HL and TI the title; TEXT, BODY and ABSTRACT the
    text; fields that stand several times are joined by a line break. A topic's text is its query or title; what
    else it has (desc, narr, question, …) goes into metadata. Entities stay as they are written. Any other file
    has lines `id, tab, text`, or `id, tab, title, tab, text`.
    """
    lines = read_lines(path, findings, file=path.name, blanks=True)
    first = next(((where, line) for where, line in lines if line.strip()), None)
    if first is None:
        return
    everything = chain([first], lines)
    marked = first[1].lstrip().startswith("<")
    for where, row in _blocks(everything, findings, kind) if marked else _tabbed(everything, findings):
        yield where, row, columns.names(kind, row.keys())


def _tabbed(lines: Iterator[tuple[str, str]], findings: Findings) -> Iterator[tuple[str, dict[str, str]]]:
    for where, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) in (2, 3) and cells[0]:
            yield (
                where,
                dict(
                    zip(("_id", "title", "text") if len(cells) == 3 else ("_id", "text"), cells, strict=True)
                ),
            )
        else:
            findings.add("bad-columns", where, what=line)


def _blocks(
    lines: Iterator[tuple[str, str]], findings: Findings, kind: Kind
) -> Iterator[tuple[str, dict[str, str]]]:
    block: list[str] | None = None
    start = ""
    for where, line in lines:
        if block is None and (found := _START(line)):
            block, start = [line[found.start() :]], where
        elif block is None:
            continue
        else:
            block.append(line)
        if _END(line):
            row = _row("\n".join(block), kind)
            if row.get("_id"):
                yield start, row
            else:
                findings.add("bad-markup", start)
            block = None
    if block is not None:
        findings.add("bad-markup", start)


def _row(block: str, kind: Kind) -> dict[str, str]:
    """Return the fields of one document or topic, by our names where they have one."""
    head, _, inside = block.partition(">")
    fields: dict[str, list[str]] = {}
    number = _NUMBER(head)
    if number:
        fields["_id"] = [number[1]]
    inside = inside[: inside.lower().rfind("</")] if _END(inside) else inside
    closed = list(_FIELD.findall(inside)) if kind == "documents" or number else []
    for tag, value in closed or _OPEN_FIELD.findall(inside) or _FIELD.findall(inside):
        name = _NAMES.get(tag.lower(), tag.lower())
        text = _LABEL.sub("", value).strip() if kind == "queries" else value.strip()
        if text:
            fields.setdefault(name, []).append(text)
    row = {name: "\n".join(values) for name, values in fields.items()}
    asked = next((name for name in ("query", "title") if name in row), None)
    if kind == "queries" and asked and "text" not in row:
        row["text"] = row.pop(asked)
    return row
