"""qrels.tsv and qrels/<split>.tsv: from tab-separated cells to judgments.

What lives here: one file after the other, repeats and contradictions. What does not: whether the ids exist
and which split a judgment belongs to (links.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vara.datasets.beir import read_lines
from vara.datasets.fields import PLAIN_NAME
from vara.datasets.findings import Findings
from vara.datasets.ids import clean_id

HEADER = ["query-id", "corpus-id", "score"]
HUMAN = "human"
"""Source of a judgment that names none."""
LABEL_SOURCES = (HUMAN, "written", "derived", "click", "llm")
"""Who judged: a person; the author of a test collection; a rule over the data; clicks; a language model."""

_WHOLE = re.compile(r"(-?[0-9]{1,10})(\.0+)?").fullmatch
_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Label:
    """One judgment, its place, and the split of the file that it stands in (None for qrels.tsv)."""

    query_id: str
    doc_id: str
    relevance: int
    source: str
    split: str | None
    where: str


def read_labels(files: Mapping[str | None, Path], findings: Findings) -> list[Label]:
    """Return the judgments of all label files, in order; for the conventions see `collapse`."""
    return collapse(_all_labels(files, findings), findings)


def collapse(labels: Iterable[Label], findings: Findings) -> list[Label]:
    """Return each judgment once.

    **Conventions** relevance is a whole number ≥ 0; "1.0" is 1. A negative one means unjudged (TREC): dropped
    and counted. The same judgment twice counts once; two relevances of one pair are an error. A missing or
    blank source is "human".
    """
    first: dict[tuple[str, str], Label] = {}
    for label in labels:
        if label.relevance < 0:
            findings.add("unjudged-label", label.where, what=_shown(label))
            continue
        known = first.setdefault((label.query_id, label.doc_id), label)
        if known is label:
            continue
        if known.split != label.split:
            what = f"query {label.query_id} is also in {known.split}"
            findings.add("split-contradiction", label.where, what=what)
        elif known.relevance == label.relevance:
            findings.add("repeated-label", label.where, what=f"{_shown(label)}, first at {known.where}")
        else:
            what = f"{_shown(label)}, but {known.relevance} at {known.where}"
            findings.add("contradictory-label", label.where, what=what)
    return list(first.values())


def _all_labels(files: Mapping[str | None, Path], findings: Findings) -> Iterator[Label]:
    for split, path in files.items():
        if split is not None and not PLAIN_NAME(split):
            findings.add("bad-split", f"qrels/{path.name}")
            continue
        yield from file_labels(path, findings, split=split)


def file_labels(path: Path, findings: Findings, *, split: str | None) -> Iterator[Label]:
    """Yield the judgments of one file in BEIR layout, as they stand there."""
    file = path.name if split is None else f"qrels/{path.name}"
    lines = read_lines(path, findings, file=file)
    where, header = next(lines, (file, ""))
    columns = header.split("\t")
    if columns not in (HEADER, [*HEADER, "source"]):
        findings.add("bad-header", where, what=header)
        return
    for where, line in lines:
        cells = line.split("\t")
        if not len(HEADER) <= len(cells) <= len(columns):
            findings.add("bad-columns", where, what=line)
            continue
        query_id, doc_id = (clean_id(cell, findings, where) for cell in cells[:2])
        if not query_id or not doc_id:
            findings.add("missing-id", where, what=line)
            continue
        relevance = parse_relevance(cells[2])
        if relevance is None:
            findings.add("bad-relevance", where, what=f"query {query_id} document {doc_id}: {cells[2]}")
            continue
        source = cells[3] if len(cells) > len(HEADER) and cells[3].strip() else HUMAN
        if source not in LABEL_SOURCES:
            findings.add("unknown-source", where, what=f"query {query_id} document {doc_id}: {source}")
        yield Label(query_id, doc_id, relevance, source, split, where)


@lru_cache(maxsize=256)
def parse_relevance(text: str) -> int | None:
    """Return a relevance as an integer that fits 32 bits, or None where the text is none.

    Example:
        >>> [parse_relevance(text) for text in ("2", "1.0", "-1", "0.5", "NaN", "1e0", "")]
        [2, 1, -1, None, None, None, None]
    """
    match = _WHOLE(text)
    value = int(match[1]) if match else _MAX + 1
    return value if abs(value) <= _MAX else None


def _shown(label: Label) -> str:
    return f"query {label.query_id} document {label.doc_id}: {label.relevance}"
