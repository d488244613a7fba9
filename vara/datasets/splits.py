"""Which split a query belongs to: its own word, else that of the label file that labels it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def query_splits(queries: pl.DataFrame, labels: pl.DataFrame) -> dict[str, str | None]:
    """Return each query's split: its metadata.split, else that of the label file that labels it, else None.

    **Conventions** The queries table never knows what a label file says: whatever is made from it (vectors,
    pool) must not change when a label does.

    Args:
        queries: the queries table.
        labels: the labels table.
    """
    labelled = dict(labels.select("query_id", "split").unique(maintain_order=True).iter_rows())
    return {
        name: split or labelled.get(name) for name, split in queries.select("query_id", "split").iter_rows()
    }
