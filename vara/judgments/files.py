"""What judging writes beside a dataset, as text: judgments.csv, and label files with more lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from vara.datasets.labels import HEADER, HUMAN
from vara.errors import Problem, examples
from vara.judgments.sheets import Row

KEPT = "judgments.csv"
"""Every annotator's judgments, beside the label file. Lines are only ever added."""

_COLUMNS = ("query_id", "doc_id", "relevance", "annotator", "source")
_BOM = "\ufeff"


def with_judgments(text: str, rows: Sequence[Row]) -> str:
    """Return judgments.csv with more lines; what is there stays as it is, byte for byte.

    Args:
        text: the file, "" where there is none.
        rows: judged, with annotators.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if not text:
        writer.writerow(_COLUMNS)
    writer.writerows((row.query_id, row.doc_id, row.relevance, row.annotator, row.source) for row in rows)
    return _ended(text) + stream.getvalue()


def with_labels(text: str, rows: Sequence[Row]) -> str:
    r"""Return a label file with more lines; what is there stays, in its order.

    **Conventions** A file without the column source gets it, and its labels become what they were read as: human.

    Args:
        text: a label file, whose header was checked, or "".
        rows: judged pairs that it does not have.

    Raises:
        Problem: an id that no cell can hold.

    Example:
        >>> with_labels("query-id\tcorpus-id\tscore\nq\ta\t1\n", [Row(query_id="q", doc_id="b", relevance=0)])
        'query-id\tcorpus-id\tscore\tsource\nq\ta\t1\thuman\nq\tb\t0\thuman\n'
    """
    unfit = [name for row in rows for name in row.pair if any(sign in name for sign in "\t\r\n")]
    if unfit:
        found = f"{len(unfit)} ids with a tab or a line break ({examples([ascii(one) for one in unfit])})"
        raise Problem("labels", found, remedy="No label file can hold them; rename the documents or queries.")
    header = [*HEADER, "source"]
    lines = text.split("\n") if text else ["\t".join(header)]
    if lines[0].removeprefix(_BOM).rstrip("\r").split("\t") == HEADER:
        endings = ["source", *[HUMAN] * (len(lines) - 1)]
        lines = [_longer(line, cell) for line, cell in zip(lines, endings, strict=True)]
    added = (f"{row.query_id}\t{row.doc_id}\t{row.relevance}\t{row.source}\n" for row in rows)
    return _ended("\n".join(lines)) + "".join(added)


def _longer(line: str, cell: str) -> str:
    bare = line.removesuffix("\r")
    return f"{bare}\t{cell}{line[len(bare) :]}" if bare else line


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
