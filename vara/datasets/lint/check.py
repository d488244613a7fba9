"""The whole lint of a dataset: what reading it finds, and what its texts, labels and dates say. `vara check`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vara.datasets.dataset import as_dataset, read_parts
from vara.datasets.findings import Finding, Findings
from vara.datasets.ids import Ids
from vara.datasets.links import Parts
from vara.datasets.lint.age import check_age
from vara.datasets.lint.ids import check_ids
from vara.datasets.lint.labels import check_sizes
from vara.datasets.lint.log import check_log
from vara.datasets.lint.tally import tally
from vara.datasets.lint.texts import check_documents, check_texts
from vara.datasets.lint.twins import check_queries, check_twins
from vara.datasets.lint.views import Texts, texts_of
from vara.datasets.rules import RULES

Count = Callable[[Sequence[str], Literal["query", "passage"]], NDArray[np.int64]]
"""A model's tokenizer: int64 (n,) tokens of n whole texts."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """How texts are counted in tokens, and how many are read."""

    count: Count
    limit: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found.

    Attributes:
        findings: errors first.
        counts: documents, queries and labels that could be read.
        shares: code → share of documents, queries or both that broke the rule, 0..1.
    """

    findings: tuple[Finding, ...]
    counts: dict[str, int]
    shares: dict[str, float]

    @property
    def sound(self) -> bool:
        """Whether the validate step would take the dataset."""
        return not any(finding.severity == "error" for finding in self.findings)


def check_dataset(
    folder: Path,
    *,
    min_group: int,
    tokens: Tokens | None = None,
    log: tuple[str, Sequence[str]] | None = None,
) -> Checked:
    """Return everything that the rule table has to say about a dataset.

    **Conventions** The reading code and the rules are those of the validate step; lint/rules.py adds its own to
    whatever could be read.

    Args:
        folder: in BEIR layout.
        min_group: `evaluate.min_group`.
        tokens: counts tokens, where asked for.
        log: the name and the texts of a query log, where there is one.
    """
    findings = Findings()
    parts = read_parts(folder, findings)
    documents, queries = texts_of(parts.documents, "doc_id"), texts_of(parts.queries, "query_id")
    for ids in (parts.doc_ids, parts.query_ids):
        check_ids(ids, findings)
    check_texts(documents, parts.doc_ids, findings, kind="document")
    check_texts(queries, parts.query_ids, findings, kind="query")
    check_documents(documents, parts.doc_ids, findings)
    check_twins(documents, parts.labels, parts.doc_ids, findings)
    check_queries(queries, documents, parts.query_ids, findings)
    check_sizes(as_dataset(folder, parts, ()), parts.query_ids, findings, min_group=min_group)
    check_age(parts.documents, parts.queries, findings)
    if log is not None:
        check_log(parts.queries["text"].to_list(), log[1], findings, where=log[0])
    if tokens is not None:
        _check_tokens(documents, parts.doc_ids, findings, tokens, kind="document")
        _check_tokens(queries, parts.query_ids, findings, tokens, kind="query")
    return _checked(parts, findings)


def _check_tokens(
    texts: Texts, ids: Ids, findings: Findings, tokens: Tokens, *, kind: Literal["document", "query"]
) -> None:
    import polars as pl

    counts = pl.Series(tokens.count(texts.whole.to_list(), "query" if kind == "query" else "passage"))
    longer = counts > tokens.limit
    sizes = dict(zip(texts.names.filter(longer).head(3), counts.filter(longer).head(3), strict=True))
    tally(
        findings,
        f"truncated-{kind}",
        texts.names.filter(longer),
        ids,
        what=lambda name: f"{name}: {sizes[name]} tokens",
    )


def _checked(parts: Parts, findings: Findings) -> Checked:
    counts = {
        "documents": parts.documents.height,
        "queries": parts.queries.height,
        "labels": len(parts.labels),
    }
    whole = {**counts, "texts": counts["documents"] + counts["queries"]}
    found = findings.all()
    shares = {
        one.code: one.count / whole[RULES[one.code].share_of] for one in found if RULES[one.code].share_of
    }
    return Checked(found, counts, shares)
