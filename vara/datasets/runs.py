"""Runs of any system: TREC's six columns, or JSON with scores or ranked lists."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vara.datasets.findings import N_EXAMPLES, Findings, one_line, printable
from vara.datasets.opened import open_bytes, raw_lines
from vara.datasets.qrels import read_json
from vara.datasets.trec import read_cells
from vara.errors import Problem, examples

_BOM = b"\xef\xbb\xbf"
_LONGEST = 120
"""Characters of a line or value that a message shows."""
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?").fullmatch
_MIDDLE = "Q0"
"""The second column; behind the tag it would begin another record on the same line."""
_FORM = "query Q0 document rank score tag, or JSON {query: {document: score}} or {query: [document, …]}"


@dataclass(frozen=True, slots=True)
class RunFile:
    """What one system returned.

    Attributes:
        name: the file's name.
        scores: query_id → doc_id → finite score, in the order of the file; a ranked list counts down from 0.
        notices: what was passed over, in words.
    """

    name: str
    scores: dict[str, dict[str, float]]
    notices: tuple[str, ...]


class _Faults:
    """Lines of a run that are wrong, by kind: the count, and the first three."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[str]] = {}

    def add(self, kind: str, what: str, where: str = "") -> None:
        places = self._kinds.setdefault(kind, [])
        shown = f"{where} {printable(what, _LONGEST)}".lstrip() if len(places) < N_EXAMPLES else ""
        places.append(shown)

    def refuse(self, name: str) -> None:
        """Raise one Problem with all of them, if there are any."""
        if self._kinds:
            found = "; ".join(f"{kind} ({examples(places)})" for kind, places in self._kinds.items())
            raise Problem(
                f"run {name}",
                found,
                expected="finite scores, each document once a query",
                remedy="Repair the system that wrote the run: nothing of it was measured.",
            )


def read_run(path: Path) -> RunFile:
    """Return a run; a first line that begins with { makes it JSON.

    **Conventions** The order is that of the scores alone (ranking.py). Ranks that contradict them are ignored
    with a notice. Comments begin with #.

    Raises:
        Problem: it cannot be read or is empty; a line of other columns, a score that is no finite number, or a
            document twice in a query: all are counted, three named.
    """
    try:
        with open_bytes(path) as stream:
            lines = (line.removeprefix(_BOM).strip() for line in raw_lines(stream, path.name))
            start = next(filter(None, lines), b"")
    except OSError as error:
        found = error.strerror or "cannot be read"
        raise Problem(str(path), found, remedy="Name a file with --run.") from None
    run = _read_json_run(path) if start.startswith(b"{") else _read_trec_run(path)
    if not run.scores:
        raise Problem(f"run {path.name}", "no line", expected=_FORM, remedy="Name another file.")
    return run


def _read_trec_run(path: Path) -> RunFile:
    findings, faults = Findings(), _Faults()
    scores: dict[str, dict[str, float]] = {}
    ranks: dict[str, list[str]] = {}
    behind = 0
    for where, cells in read_cells(path, findings, file=path.name):
        if len(cells) < 6 or _MIDDLE in cells[6:]:
            faults.add("a line that is no query Q0 document rank score tag", " ".join(cells), where)
            continue
        behind += len(cells) > 6
        query_id, _, doc_id, rank, text = cells[:5]
        score = _number(text)
        row = scores.setdefault(query_id, {})
        if score is None:
            faults.add(
                "a score that is no finite number", f"query {query_id} document {doc_id}: {text}", where
            )
        elif doc_id in row:
            faults.add("a document twice in a query", f"query {query_id} document {doc_id}", where)
        else:
            row[doc_id] = score
            ranks.setdefault(query_id, []).append(rank)
    if findings.has("not-utf8"):
        faults.add("a line that is not UTF-8", findings.all()[0].examples[0])
    faults.refuse(path.name)
    notices = [f"run {path.name}: {one_line(one)}" for one in findings.all() if one.code != "blank-line"]
    against = [
        printable(query_id, _LONGEST) for query_id, row in scores.items() if _contradict(ranks[query_id], row)
    ]
    if behind:
        notices.append(f"run {path.name}: words behind the tag of {behind} lines are passed over")
    if against:
        notices.append(
            f"run {path.name}: the rank column contradicts the scores in {len(against)} of {len(scores)} queries "
            f"({examples(against)}) and is ignored: scores alone order a run"
        )
    return RunFile(path.name, scores, tuple(notices))


def _number(text: str) -> float | None:
    """Return a finite number in ASCII digits; Python's own spellings (1_000) are none."""
    value = float(text) if _DECIMAL(text) else math.nan
    return value if math.isfinite(value) else None


def _contradict(ranks: Sequence[str], row: Mapping[str, float]) -> bool:
    """Return whether a document of a better rank has a lower score; ranks that are no numbers say nothing."""
    try:
        places = np.array(ranks, np.float64)
    except ValueError:
        return True
    scores = np.fromiter(row.values(), np.float64, len(row))
    ordered = scores[np.lexsort((-scores, places))]
    return bool((np.diff(ordered) > 0).any())


def _read_json_run(path: Path) -> RunFile:
    faults = _Faults()
    scores = {
        query_id: dict(_pairs(query_id, row, faults))
        for query_id, row in read_json(path, where=f"run {path.name}").items()
    }
    faults.refuse(path.name)
    return RunFile(path.name, scores, ())


def _pairs(query_id: str, row: Any, faults: _Faults) -> Iterator[tuple[str, float]]:
    if isinstance(row, list):
        seen = set()
        for place, doc_id in enumerate(row):
            if not isinstance(doc_id, str):
                faults.add("a document that is no string", f"query {query_id}: {doc_id}")
            elif doc_id in seen:
                faults.add("a document twice in a query", f"query {query_id} document {doc_id}")
            else:
                seen.add(doc_id)
                yield doc_id, float(-place)
    elif isinstance(row, dict):
        for doc_id, text in row.items():
            score = _number(text) if isinstance(text, str) else None
            if score is None:
                faults.add("a score that is no finite number", f"query {query_id} document {doc_id}: {text}")
            else:
                yield doc_id, score
    else:
        faults.add("a ranking that is neither object nor list", f"query {query_id}: {row}")
