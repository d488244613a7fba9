"""Rules about pairs: documents that are one text, queries that are one question, queries that are a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vara.datasets.findings import Findings
from vara.datasets.ids import Ids
from vara.datasets.labels import Label
from vara.datasets.lint.tally import tally
from vara.datasets.lint.views import Texts

if TYPE_CHECKING:
    import polars as pl

START = 60
"""Characters that two near duplicates begin with; shorter texts are compared whole."""


def check_twins(texts: Texts, labels: Sequence[Label], ids: Ids, findings: Findings) -> None:
    """Report documents with one text, one start or one title; and twins of which a query's labels know one.

    **Conventions** Texts are compared byte for byte, outer white space aside. Of identical documents only the
    first takes part in the comparison of starts and titles.

    Args:
        texts: of the documents.
        labels: what is judged.
        ids: where each document stands.
        findings: takes what is found.
    """
    import polars as pl

    frame = pl.DataFrame(
        {"name": texts.names, "whole": texts.whole, "title": texts.titles, "body": texts.bodies}
    ).filter(pl.col("whole") != "")
    twins = _repeated(frame, "whole")
    _report(twins, ids, findings, "identical-texts")
    _check_judged(twins, labels, findings)
    alone = frame.filter(pl.col("whole").is_first_distinct())
    long = alone.filter(pl.col("body").str.len_chars() > START)
    starts = long.select("name", start=pl.col("body").str.slice(0, START))
    _report(_repeated(starts, "start"), ids, findings, "same-start")
    titled = alone.filter(pl.col("title") != "")
    _report(_repeated(titled, "title"), ids, findings, "same-title")


def check_queries(queries: Texts, documents: Texts, ids: Ids, findings: Findings) -> None:
    """Report queries that repeat one another, or a document; case and outer white space aside."""
    import polars as pl

    asked = pl.DataFrame({"name": queries.names, "text": _folded(queries.whole)}).filter(pl.col("text") != "")
    _report(_repeated(asked, "text"), ids, findings, "repeated-query")
    if not asked.height:
        return
    longest = max(asked["text"].str.len_bytes())
    wanted = asked["text"].unique().implode()
    found: dict[str, str] = {}
    for column in (documents.whole, documents.titles, documents.bodies):
        short = column.str.len_bytes() <= 2 * longest  # a folded text may have another length
        some = pl.DataFrame({"name": documents.names.filter(short), "text": _folded(column.filter(short))})
        for name, text in some.filter(pl.col("text").is_in(wanted)).iter_rows():
            found.setdefault(text, name)
    same = asked.filter(pl.col("text").is_in(list(found)))
    shown = {name: f"{name}, as document {found[text]}" for name, text in same.head(3).iter_rows()}
    tally(findings, "query-is-document", same["name"], ids, what=shown.__getitem__)


def _repeated(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the rows whose value stands in several, with the id of the first of them as `first`."""
    import polars as pl

    rows = frame.filter(pl.col(column).is_duplicated())
    return rows.with_columns(pl.col("name").first().over(column).alias("first"))


def _report(repeated: pl.DataFrame, ids: Ids, findings: Findings, code: str) -> None:
    """Report every row but the first of each value."""
    import polars as pl

    later = repeated.filter(pl.col("name") != pl.col("first"))
    shown = {name: f"{name}, as {first}" for name, first in later.select("name", "first").head(3).iter_rows()}
    tally(findings, code, later["name"], ids, what=shown.__getitem__)


def _check_judged(twins: pl.DataFrame, labels: Sequence[Label], findings: Findings) -> None:
    """Report each relevant document whose twin the same query's labels leave out."""
    first_of: dict[str, str] = dict(twins.select("name", "first").iter_rows())
    groups: dict[str, list[str]] = {}
    for name, first in first_of.items():
        groups.setdefault(first, []).append(name)
    named = [label for label in labels if label.doc_id in first_of]
    judged = {(label.query_id, label.doc_id) for label in named}
    for label in named:
        twin = next((x for x in groups[first_of[label.doc_id]] if (label.query_id, x) not in judged), None)
        if twin is not None and label.relevance > 0:
            what = f"query {label.query_id} document {label.doc_id}, not {twin}"
            findings.add("half-judged-twin", label.where, what=what)


def _folded(column: pl.Series) -> pl.Series:
    return column.str.strip_chars().str.to_lowercase()
