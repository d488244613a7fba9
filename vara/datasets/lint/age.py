"""Is the test set older than the corpus? Without dates nothing is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vara.datasets.findings import Findings

if TYPE_CHECKING:
    import polars as pl

_DATED = (
    r'"(?:created|created_at|date|modified|modified_at|published|published_at|timestamp|updated|updated_at)"'
    r':"([0-9]{4}-[0-9]{2}-[0-9]{2})'
)


def check_age(documents: pl.DataFrame, queries: pl.DataFrame, findings: Findings) -> None:
    """Report a test set from which most of the corpus could not have been known.

    **Definition** A row's date is the newest ISO date among the fields created, date, modified, published,
    timestamp, updated of its metadata (and these with `_at`). Reported when more than half of the dated
    documents are newer than the newest dated query.
    """
    dates = _dates(documents)
    newest = max(_dates(queries), default="")
    if not newest or not len(dates):
        return
    newer = int((dates > newest).sum())
    if 2 * newer > len(dates):
        what = f"newest query {newest}; {newer} of {len(dates)} dated documents are newer"
        findings.add("fossil", "queries.jsonl", what=what)


def _dates(frame: pl.DataFrame) -> pl.Series:
    import polars as pl

    found = pl.col("metadata").str.extract_all(_DATED).list.eval(pl.element().str.tail(10)).list.max()
    return frame.select(found.alias("date"))["date"].drop_nulls()
