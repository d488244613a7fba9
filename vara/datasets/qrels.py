"""Labels alone, in whatever form they are kept: TREC's four columns, BEIR's table, or JSON. For `vara evaluate`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vara.datasets.findings import Findings, one_line, printable, refuse
from vara.datasets.labels import HEADER, HUMAN, Label, collapse, file_labels, parse_relevance
from vara.datasets.opened import open_bytes, raw_lines
from vara.datasets.trec import trec_labels
from vara.errors import Problem

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Judgments:
    """The labels of one file.

    Attributes:
        qrels: query_id → doc_id → relevance ≥ 0.
        n_unjudged: negative labels, which say nothing and were dropped.
        n_repeated: exact repeats, which count once.
        notices: what was done with the lines, in words.
    """

    qrels: dict[str, dict[str, int]]
    n_unjudged: int
    n_repeated: int
    notices: tuple[str, ...]


def read_qrels(path: Path) -> Judgments:
    """Return the labels of a file; what form it has its first line tells.

    **Conventions** Those of `labels.collapse`. JSON is {query: {document: relevance}}.

    Raises:
        Problem: it cannot be read, has no label, or lines that are wrong; all of them are counted.
    """
    findings = Findings()
    labels = collapse(_labels(path, findings), findings)
    if not labels and findings.complete(path.name):
        findings.add("no-labels", path.name)
    found = findings.all()
    refuse(f"labels {path.name}", found, done="Nothing was measured")
    counts = {one.code: one.count for one in found}
    qrels: dict[str, dict[str, int]] = {}
    for label in labels:
        qrels.setdefault(label.query_id, {})[label.doc_id] = label.relevance
    notices = tuple(f"{path.name}: {one_line(one)}" for one in found)
    return Judgments(qrels, counts.get("unjudged-label", 0), counts.get("repeated-label", 0), notices)


def _labels(path: Path, findings: Findings) -> Iterator[Label]:
    start = _first_line(path)
    if start.startswith(b"{"):
        return _json_labels(path, findings)
    if start.split(b"\t")[:3] == [name.encode() for name in HEADER]:
        return file_labels(path, findings, split=None)
    return trec_labels(path, findings)


def _first_line(path: Path) -> bytes:
    """Return the first line that is not blank, without BOM and outer white space."""
    try:
        with open_bytes(path) as stream:
            lines = (line.removeprefix(_BOM).strip() for line in raw_lines(stream, path.name))
            return next(filter(None, lines), b"")
    except OSError as error:
        found = error.strerror or "cannot be read"
        raise Problem(str(path), found, remedy="Name a file of labels with --qrels.") from None


def _json_labels(path: Path, findings: Findings) -> Iterator[Label]:
    for query_id, row in read_json(path, where=f"labels {path.name}").items():
        if not isinstance(row, dict):
            findings.add("bad-relevance", path.name, what=f"query {query_id}: {row!r} is no object")
            continue
        for doc_id, value in row.items():
            relevance = parse_relevance(value) if isinstance(value, str) else None
            if relevance is None:
                what = f"query {query_id} document {doc_id}: {value}"
                findings.add("bad-relevance", path.name, what=what)
            else:
                yield Label(query_id, doc_id, relevance, HUMAN, None, path.name)


def read_json(path: Path, *, where: str) -> dict[str, Any]:
    """Return a JSON object whose numbers are still the text that its author wrote.

    Raises:
        Problem: it is not JSON, no object, or has a key twice in one object.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise Problem(
                where,
                f"{printable(repr(twice), 120)} stands twice in one object",
                remedy="Keep one of the values.",
            )
        return members

    try:
        with open_bytes(path) as stream:
            text = b"".join(raw_lines(stream, path.name)).decode("utf-8-sig")
        tree = json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Problem(where, f"not JSON ({error})", remedy="Write {query: {document: number}}.") from None
    if not isinstance(tree, dict):
        raise Problem(where, "no JSON object", remedy="Write {query: {document: number}}.")
    return tree
