"""The three tables: their columns, how rows become frames, their digests, and their parquet files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vara.errors import Problem

if TYPE_CHECKING:
    import polars as pl

Table = Literal["documents", "queries", "labels"]

COLUMNS: dict[Table, dict[str, str]] = {
    "documents": {
        "doc_id": "str",
        "title": "str?",
        "text": "str?",
        "metadata": "str",
        "archived": "bool",
        "audience": "str?",
    },
    "queries": {
        "query_id": "str",
        "text": "str",
        "split": "str?",
        "metadata": "str",
        "language": "str?",
        "category": "str?",
        "allowed": "list[str]?",
        "scope": "str?",
    },
    "labels": {"query_id": "str", "doc_id": "str", "relevance": "int32", "source": "str", "split": "str?"},
}
"""Columns in order; "?" marks the ones that may be null."""

KEYS: dict[Table, list[str]] = {
    "documents": ["doc_id"],
    "queries": ["query_id"],
    "labels": ["query_id", "doc_id"],
}
"""The columns that identify a row."""

_SLICE = 16_384  # rows that are Python objects at one time


def column_types(table: Table) -> dict[str, pl.DataType]:
    """Return the polars type of each column."""
    import polars as pl

    types: dict[str, pl.DataType] = {
        "str": pl.String(),
        "bool": pl.Boolean(),
        "int32": pl.Int32(),
        "list[str]": pl.List(pl.String()),
    }
    return {name: types[word.removesuffix("?")] for name, word in COLUMNS[table].items()}


def to_frame(table: Table, rows: Iterable[Sequence[Any]]) -> pl.DataFrame:
    """Return rows as a typed frame, in their order.

    **Conventions** Only one slice of rows exists as Python objects at a time: a million documents cost the
    memory of their columns.
    """
    import polars as pl

    types = column_types(table)
    frames = [pl.DataFrame(schema=types)]
    for part in _slices(rows):
        columns = dict(zip(types, map(list, zip(*part, strict=True)), strict=True))
        frames.append(pl.DataFrame(columns, schema=types, strict=True))
    return pl.concat(frames, how="vertical")


def table_digest(frame: pl.DataFrame) -> str:
    """Return the SHA-256 of a table's column names and values, as 64 hex digits.

    **Definition** For each column in order: its name and its number of rows, then its values, each
    self-delimiting: string `<bytes>:<UTF-8>`, null `-`, true `t`, false `f`, integer `i<decimal>;`, list
    `[<length>:` and its values. Null, "" and [] differ; neither polars nor parquet has a say.

    **Raises** TypeError: a float or another type, whose text would depend on libraries.

    Args:
        frame: a table of strings, booleans, integers and lists of them.
    """
    sha = hashlib.sha256()
    for name in frame.columns:
        sha.update(_encode(name) + _encode(frame.height))
        for part in frame.get_column(name).to_frame().iter_slices(_SLICE):
            sha.update(b"".join(map(_encode, part.to_series().to_list())))
    return sha.hexdigest()


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as parquet; the same values give the same bytes with one version of polars."""
    frame.write_parquet(
        path, compression="zstd", compression_level=3, statistics=False, row_group_size=131_072
    )


def read_table(path: Path, table: Table) -> pl.DataFrame:
    """Return a table from its parquet file.

    Raises:
        Problem: the file's columns or types are not those of the table.
    """
    import polars as pl

    frame = pl.read_parquet(path, hive_partitioning=False, glob=False)
    if list(frame.schema.items()) != list(column_types(table).items()):
        shown = ", ".join(f"{name} {kind}" for name, kind in frame.schema.items())
        raise Problem(
            path.name,
            f"columns {shown}",
            expected=f"those of the {table} table",
            remedy="Run validate again.",
        )
    return frame


def _slices(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    iterator = iter(rows)
    while part := list(islice(iterator, _SLICE)):
        yield part


def _encode(value: Any) -> bytes:
    if isinstance(value, str):
        text = value.encode()
        return b"%d:%b" % (len(text), text)
    if value is None:
        return b"-"
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int):
        return b"i%d;" % value
    if isinstance(value, list):
        return b"[%d:%b" % (len(value), b"".join(map(_encode, value)))
    raise TypeError(f"{type(value).__name__} has no place in a digest")
