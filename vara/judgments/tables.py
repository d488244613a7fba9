"""Reading of CSV tables with a header: delimiter, encoding, and what makes a table none."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from vara.errors import Problem, examples

_DELIMITERS = ",\t;"


def read_table(path: Path, needed: Sequence[str]) -> Iterator[tuple[str, dict[str, str] | str]]:
    """Yield (place, cells by column), or (place, what is wrong with the line); empty lines are passed over.

    **Conventions** The first line names the columns and, by what parts them, the delimiter: comma, semicolon or tab.
    Columns without a name are not read.

    Args:
        path: UTF-8, with or without byte order mark.
        needed: columns that have to be there.

    Raises:
        Problem: it cannot be read, is no CSV, lacks a column, or names one twice.
    """
    text = _text(path)
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    columns: list[str] = []
    try:
        for number, cells in enumerate(reader, start=1):
            where = f"{path.name}, row {number}"
            if number == 1:
                columns = cells
                _check(columns, needed, path.name)
            elif cells and len(cells) != len(columns):
                yield where, f"{where} has {len(cells)} cells and not {len(columns)}"
            elif cells:
                yield where, dict(zip(columns, cells, strict=True))
    except csv.Error as error:
        found, where = f"no CSV: {error}", f"after row {number}"
        raise Problem(path.name, found, where=where, remedy="Save it as CSV again.") from None
    if not number:
        _check([], needed, path.name)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        found = error.strerror or "cannot be read"
        raise Problem(str(path), found, remedy="Name a sheet that exists.") from None
    except UnicodeDecodeError as error:
        found = f"not UTF-8 at byte {error.start}"
        raise Problem(path.name, found, remedy="Save it as CSV in UTF-8.") from None


def _check(columns: Sequence[str], needed: Sequence[str], name: str) -> None:
    twice = sorted({column for column in columns if column and columns.count(column) > 1})
    if twice:
        found = f"column {examples([ascii(one) for one in twice])} twice"
        raise Problem(name, found, expected="each column once", remedy="Rename or remove one of them.")
    missing = [column for column in needed if column not in columns]
    if missing:
        raise Problem(
            name,
            f"no column {examples(missing)}",
            expected=f"a first line that names {', '.join(needed)}",
            remedy="Make a sheet with `vara judge next`, or add the columns.",
        )
