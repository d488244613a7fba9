"""Sheets: tables in which somebody judges pairs of a query and a document, as CSV or TSV.

What lives here: their columns, reading and writing. What does not: what becomes of the judgments (merging.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vara.datasets.labels import HUMAN, LABEL_SOURCES, parse_relevance
from vara.errors import Problem, examples
from vara.judgments.tables import read_table

COLUMNS = ("query_id", "doc_id", "query", "title", "text", "relevance", "annotator", "source")
_NEEDED = ("query_id", "doc_id", "relevance")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell must not begin with, lest a spreadsheet computes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One pair on a sheet.

    Attributes:
        query_id: of the query.
        doc_id: of the document.
        query: the query's text; "" where the sheet has none, likewise title and text.
        title: of the document.
        text: its start.
        relevance: a grade ≥ 0; None is not judged.
        annotator: who judged; "" says nothing.
        source: human, written, derived, click or llm.
        where: "file:line".
    """

    query_id: str
    doc_id: str
    query: str = ""
    title: str = ""
    text: str = ""
    relevance: int | None = None
    annotator: str = ""
    source: str = HUMAN
    where: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """Return the ids."""
        return self.query_id, self.doc_id


def read_sheet(path: Path) -> list[Row]:
    """Return the rows of a sheet, in order.

    **Conventions** The first line names the columns; query_id, doc_id and relevance are needed, others may be
    missing and unknown ones are not read. Cells are parted by commas, semicolons or tabs, whichever the first line
    uses, and quoted as in CSV. Ids stay as they are, byte for byte. An empty relevance is not judged, and "1.0" is 1.

    Raises:
        Problem: it cannot be read, or lines are wrong; at most three are named.
    """
    rows, bad = [], []
    for where, cells in read_table(path, _NEEDED):
        row = cells if isinstance(cells, str) else _row(cells, where)
        if isinstance(row, str):
            bad.append(row)
        else:
            rows.append(row)
    if bad:
        found = f"{len(bad)} bad line{'s' * (len(bad) > 1)} ({examples(bad)})"
        remedy = "Correct them: a relevance is a whole number ≥ 0 or empty, a source one of the five."
        raise Problem(path.name, found, remedy=remedy)
    return rows


def sheet_text(rows: Iterable[Row], *, delimiter: str = ",") -> str:
    """Return a sheet as text.

    **Conventions** Line breaks in a text become spaces, and a text that a spreadsheet would compute (=, +, -, @) gets
    an apostrophe in front. Ids stay as they are.

    Args:
        rows: in the order in which they are to be judged.
        delimiter: a comma, or a tab.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        grade = "" if row.relevance is None else str(row.relevance)
        texts = [_harmless(text) for text in (row.query, row.title, row.text)]
        writer.writerow([row.query_id, row.doc_id, *texts, grade, row.annotator, row.source])
    return stream.getvalue()


def _row(cells: dict[str, str], where: str) -> Row | str:
    """Return the row, or what is wrong with it."""
    said = cells["relevance"].strip()
    relevance = parse_relevance(said) if said else None
    if said and (relevance is None or relevance < 0):
        return f"{where} relevance {said!r}"
    source = cells.get("source", "").strip() or HUMAN
    if source not in LABEL_SOURCES:
        return f"{where} source {source!r}"
    if not cells["query_id"] or not cells["doc_id"]:
        return f"{where} lacks an id"
    return Row(
        query_id=cells["query_id"],
        doc_id=cells["doc_id"],
        query=cells.get("query", ""),
        title=cells.get("title", ""),
        text=cells.get("text", ""),
        relevance=relevance,
        annotator=cells.get("annotator", "").strip(),
        source=source,
        where=where,
    )


def _harmless(text: str) -> str:
    flat = " ".join(text.split())
    return f"'{flat}" if flat.startswith(FORMULA) else flat
