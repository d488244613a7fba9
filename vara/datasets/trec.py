"""TREC lines: cells between white space, comments, and the labels that stand in them.

What lives here: lines → cells, cells → labels. What does not: runs (runs.py), topics and documents (importing/).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from vara.datasets.beir import read_lines
from vara.datasets.findings import Findings
from vara.datasets.ids import clean_id
from vara.datasets.labels import HUMAN, Label, parse_relevance
from vara.datasets.opened import Readable

_SPACE = re.compile(r"[ \t\f\v]+")  # what C calls white space; a no-break space may be part of an id


def read_cells(path: Readable, findings: Findings, *, file: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (place, cells) of each line; blank lines and those that begin with # are left out.

    **Conventions** A line with a CR inside is one cell, whatever it holds: it may be several lines, and no row has one.
    """
    for where, line in read_lines(path, findings, file=file):
        if "\r" in line:
            yield where, [line]
            continue
        cells = split_cells(line)
        if cells and not line.startswith("#"):
            yield where, cells


def split_cells(line: str) -> list[str]:
    r"""Return the cells of a line; only ASCII blanks part them.

    Example:
        >>> split_cells("301  0\tCR93E-1282 1 ")
        ['301', '0', 'CR93E-1282', '1']
    """
    if line.isascii() and line.isprintable():
        return line.split()
    return [cell for cell in _SPACE.split(line) if cell]


def trec_labels(path: Path, findings: Findings, *, split: str | None = None) -> Iterator[Label]:
    """Yield the judgments of a file with lines `query iteration document relevance`, as they stand there.

    **Conventions** The iteration is not read.
    """
    for where, cells in read_cells(path, findings, file=path.name):
        if len(cells) != 4:
            findings.add("bad-trec-label", where, what=" ".join(cells))
            continue
        query_id, doc_id = clean_id(cells[0], findings, where), clean_id(cells[2], findings, where)
        relevance = parse_relevance(cells[3])
        if relevance is None:
            findings.add("bad-relevance", where, what=f"query {query_id} document {doc_id}: {cells[3]}")
            continue
        yield Label(query_id, doc_id, relevance, HUMAN, split, where)
