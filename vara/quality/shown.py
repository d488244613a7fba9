"""What the results of a split look like beyond relevance: the keys of metrics/evaluate.json that know no label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vara.quality.beyond import (
    DECIMALS,
    Rows,
    distinct,
    exposures,
    gini,
    intra_list_distance,
    median_age,
    never_shown,
)
from vara.quality.bootstrap import mean
from vara.quality.figures import Figure, significant

EACH_LIST = ("categories", "ILD", "median_age_days")
"""Figures that every result has: the split shows their mean over its queries."""

WHOLE_CORPUS = ("never_shown", "exposure_gini")
"""Figures that all results have together."""

REASONS = {
    "categories": "no document shown has metadata.category",
    "ILD": "no result has two documents",
    "median_age_days": "no document shown has a date in metadata.updated_at",
    "never_shown": "no query of the split may see a document",
    "exposure_gini": "nothing is shown",
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Catalogue:
    """What is looked at of the documents that can be shown, one entry each.

    Attributes:
        rows: doc_id → its place in what follows.
        categories: None where a document has none.
        days: float64 (n,), each document's date in days since any day; NaN where it has none.
        vectors: float32 (n, dim), unit rows.
    """

    rows: Mapping[str, int]
    categories: Sequence[str | None]
    days: NDArray[np.float64]
    vectors: NDArray[np.float32]


def shown(
    results: Sequence[Sequence[str]],
    catalogue: Catalogue,
    visible: NDArray[np.bool_],
    cutoffs: Sequence[int],
) -> dict[str, Figure]:
    """Say what one system shows to all queries of one split, those without an answer included.

    **Conventions**: a figure of a list is averaged over the queries whose list has one; where some have none, `.n`
    counts those that have. Where there is nothing to measure a figure is null and `.reason` says why. ILD is
    rounded once, at the end, so that the last bits of vectors, which differ between processors, stay out of it.

    Args:
        results: document ids of each query of the split, best first; an empty list is one that shows nothing.
        catalogue: the documents.
        visible: bool (n,), the documents that at least one query of the split may see; the others are not missed.
        cutoffs: ranks looked at, each within the depth of the lists.

    Returns:
        `<figure>@<cutoff>` → value, numbers with 10 significant digits, ILD with three decimals.
    """
    rankings = [np.array([catalogue.rows[doc] for doc in docs], dtype=np.int64) for docs in results]
    found = (pair for cutoff in cutoffs for pair in _at(rankings, catalogue, visible=visible, cutoff=cutoff))
    return dict(found)


def _at(
    rankings: Sequence[Rows], catalogue: Catalogue, *, visible: NDArray[np.bool_], cutoff: int
) -> Iterator[tuple[str, Figure]]:
    dated = catalogue.days[~np.isnan(catalogue.days)]
    newest = float(dated.max()) if dated.size else 0.0  # of no document: none is dated, and none has an age
    lists: dict[str, list[float | None]] = {
        "categories": [distinct(one, catalogue.categories, cutoff) for one in rankings],
        "ILD": [intra_list_distance(one, catalogue.vectors, cutoff) for one in rankings],
        "median_age_days": [median_age(one, catalogue.days, cutoff, newest=newest) for one in rankings],
    }
    for name in EACH_LIST:
        yield from _averaged(name, cutoff, lists[name])
    exposure = exposures(rankings, len(visible), cutoff)[visible]
    for name, value in zip(WHOLE_CORPUS, (never_shown(exposure), gini(exposure)), strict=True):
        yield from _figure(name, cutoff, None if value is None else significant(value))


def _averaged(name: str, cutoff: int, values: Sequence[float | None]) -> Iterator[tuple[str, Figure]]:
    known = [value for value in values if value is not None]
    average = mean(np.array(known, dtype=np.float64)) if known else None
    if average is not None:
        average = round(average, DECIMALS) if name == "ILD" else significant(average)
    yield from _figure(name, cutoff, average)
    if 0 < len(known) < len(values):
        yield f"{name}@{cutoff}.n", len(known)


def _figure(name: str, cutoff: int, value: Figure) -> Iterator[tuple[str, Figure]]:
    yield f"{name}@{cutoff}", value
    if value is None:
        yield f"{name}@{cutoff}.reason", REASONS[name]
