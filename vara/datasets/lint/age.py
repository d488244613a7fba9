"""Rules about whether the test set is still one: older than the corpus, or unlike what people type.

Without dates, and without a log, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from vara.datasets.findings import Findings

if TYPE_CHECKING:
    import polars as pl

_DATED = (
    r'"(?:created|created_at|date|modified|modified_at|published|published_at|timestamp|updated|updated_at)"'
    r':"([0-9]{4}-[0-9]{2}-[0-9]{2})'
)
_WORD = re.compile(r"\w+").findall


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


def check_log(queries: Sequence[str], log: Sequence[str], findings: Findings, *, where: str) -> None:
    """Report test queries of another length, or of other words, than those of a log.

    **Definition** Words are runs of letters and digits, in lower case. Length: the medians of words a query
    differ by a factor of two or more. Words: more than half of the distinct words of the test queries stand in
    no query of the log. (The other direction would grow with the log alone.)

    Args:
        queries: texts of the test queries.
        log: texts of what people typed.
        findings: takes what is found.
        where: the log's name.
    """
    ours = [_WORD(text.lower()) for text in queries]
    theirs = [_WORD(text.lower()) for text in log]
    if not ours or not theirs:
        return
    one, other = median(map(len, ours)), median(map(len, theirs))
    if max(one, other) >= 2 * min(one, other):
        findings.add("unlike-log", where, what=f"median words a query: {one:g} in the test set, {other:g} in the log")
    words = {word for text in ours for word in text}
    typed = {word for text in theirs for word in text}
    if 2 * len(words - typed) > len(words):
        what = f"words of the test set that nobody typed: {len(words - typed)} of {len(words)}"
        findings.add("unlike-log", where, what=what)
