"""What differs between two datasets: documents, queries and labels that were added, removed or changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from vara.datasets.dataset import Dataset
from vara.datasets.tables import COLUMNS, KEYS, Table

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["added", "removed", "changed"]
LIMIT = 3
_DERIVED = {"archived", "audience", "language", "category", "allowed"}
"""Columns that are read out of metadata: what changed there is said once, of metadata."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows of one table that one side alone has, or that say something else.

    Attributes:
        table: documents, queries or labels.
        kind: added is in B alone, removed in A alone.
        n: how many rows.
        examples: up to LIMIT, in the byte order of their ids, each with what changed.
    """

    table: Table
    kind: Kind
    n: int
    examples: tuple[str, ...]


def differences(a: Dataset, b: Dataset) -> list[Difference]:
    """Return every kind of difference that there is; equal datasets have none.

    Rows are the same by id (labels: by query and document); their order does not matter.
    """
    found = []
    for table, left in a.tables.items():
        right, keys = b.tables[table], KEYS[table]
        found += [
            _alone(table, "added", right.join(left, on=keys, how="anti")),
            _alone(table, "removed", left.join(right, on=keys, how="anti")),
            _changed(table, left.join(right, on=keys, how="inner", suffix=" of B")),
        ]
    return [one for one in found if one.n]


def _alone(table: Table, kind: Kind, frame: pl.DataFrame) -> Difference:
    keys = KEYS[table]
    rows = frame.sort(keys).head(LIMIT).iter_rows(named=True)
    shown = [_name(table, row) + (f": {row['relevance']}" if table == "labels" else "") for row in rows]
    return Difference(table, kind, frame.height, tuple(shown))


def _changed(table: Table, both: pl.DataFrame) -> Difference:
    import polars as pl

    names = [name for name in COLUMNS[table] if name not in (*KEYS[table], *_DERIVED)]
    different = both.filter(
        pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name} of B")) for name in names)
    )
    rows = different.sort(KEYS[table]).head(LIMIT).iter_rows(named=True)
    shown = []
    for row in rows:
        what = [name for name in names if row[name] != row[f"{name} of B"]]
        words = [
            f"{name} {row[name]} → {row[f'{name} of B']}" if table == "labels" else name for name in what
        ]
        shown.append(f"{_name(table, row)}: {', '.join(words)}")
    return Difference(table, "changed", different.height, tuple(shown))


def _name(table: Table, row: Mapping[str, Any]) -> str:
    return " ".join(str(row[key]) for key in KEYS[table])
