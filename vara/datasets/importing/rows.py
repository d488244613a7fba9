"""Rows of CSV, TSV and JSONL files, one at a time, each cell the text that stands there."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import IO, Any

from vara.datasets.beir import read_lines, read_records
from vara.datasets.findings import Findings
from vara.datasets.importing.columns import Columns, Kind
from vara.datasets.opened import Readable, bare_name, open_bytes, raw_lines
from vara.errors import Problem

Row = tuple[str, dict[str, Any], dict[str, str]]
"""Place, {column: value}, {our field: column}."""

_IDS = ("_id", "query_id", "doc_id", "relevance")
_LONGEST_CELL = 1 << 30


def object_rows(path: Readable, findings: Findings, *, kind: Kind, columns: Columns) -> Iterator[Row]:
    """Yield the objects of a JSONL file.

    **Conventions** An id or relevance that is a number is taken as it is written: 1.0 is "1.0", never 1.
    """
    for where, line, record in read_records(path, findings, file=path.name):
        names = columns.names(kind, record.keys())
        numbers = [names[one] for one in _IDS if one in names and type(record[names[one]]) in (int, float)]
        if numbers:
            written = json.loads(line, parse_int=str, parse_float=str)
            record.update({name: written[name] for name in numbers})
        yield where, record, names


def table_rows(path: Readable, findings: Findings, *, kind: Kind, columns: Columns) -> Iterator[Row]:
    """Yield the rows of a CSV file, or of a TSV file, whose cells are never quoted. An empty cell is null.

    Raises:
        Problem: no header, columns that are missing, or quotes that do not close.
    """
    tabs = bare_name(path).endswith(".tsv")
    rows = _tabbed(path, findings) if tabs else _quoted(path)
    where, header = next(rows, (path.name, []))
    if not header:
        raise Problem(
            where, "no header", expected="names of columns", remedy="Name the columns on the first line."
        )
    names = columns.check_header(kind, header, path.name)
    short = header[:-1] if header[-1] == "source" else header  # a label need not say who judged (labels.py)
    for where, found in rows:
        row = [*found, ""] if len(found) == len(short) < len(header) else found
        if len(row) == len(header):
            yield where, {name: value or None for name, value in zip(header, row, strict=True)}, names
        else:
            findings.add("bad-row", where, what=f"{len(row)} cells, the header has {len(header)}")


def _tabbed(path: Readable, findings: Findings) -> Iterator[tuple[str, list[str]]]:
    for where, line in read_lines(path, findings, file=path.name):
        yield where, line.split("\t")


def _quoted(path: Readable) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a CSV file; line breaks inside of quotes stay as they are."""
    before = csv.field_size_limit(_LONGEST_CELL)
    with open_bytes(path) as stream:
        reader = csv.reader(_decoded(stream, path.name), strict=True)
        try:
            for row in reader:
                if row:
                    yield f"{path.name}:{reader.line_num}", row
        except csv.Error as error:
            where = f"{path.name}:{reader.line_num}"
            remedy = "Close the quotes; double those inside of a cell."
            raise Problem(path.name, str(error), where=where, remedy=remedy) from None
        finally:
            csv.field_size_limit(before)


def _decoded(stream: IO[bytes], name: str) -> Iterator[str]:
    for number, raw in enumerate(raw_lines(stream, name), start=1):
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            found = f"byte {raw[error.start]:#04x} is not UTF-8"
            remedy = "Convert the file to UTF-8 (iconv -f latin1 -t utf-8)."
            raise Problem(name, found, where=f"{name}:{number}", remedy=remedy) from None
        yield line.removeprefix("\ufeff") if number == 1 else line
