"""The story of `vara judge from-clicks`: a log's searches are matched with the dataset's queries, and graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.judge_add import Added, add_rows, parts_of
from vara.datasets.links import Parts
from vara.errors import Problem
from vara.judgments.clicks import FEWEST_EXPECTED, Clicked, click_rates, clicked, scaled
from vara.judgments.events import Impression, Log, read_events
from vara.judgments.merging import Pair
from vara.judgments.sheets import Row
from vara.yaml import load_yaml, read_text

MODEL = "coec-1"
"""Names the click model and its version."""


_LEAST, _MOST = 1e-6, 1e6
"""Between these, ratios and shares can be multiplied and compared without a doubt."""


@dataclass(frozen=True, kw_only=True)
class Grading:
    """How ratios become grades.

    Attributes:
        thresholds: ratios from which grades 1, 2, … begin, ascending.
        fewest: impressions that a label needs.
        examination: YAML {rank: share of users who look there}; None estimates rates from the log.
    """

    thresholds: Sequence[float]
    fewest: int
    examination: Path | None = None


def add_clicks(events: Path, target: Path, grading: Grading) -> tuple[Added, list[str]]:
    """Merge what a log's clicks say into a label file; return also what was read, in words.

    Raises:
        Problem: log, dataset or thresholds are not what they should be, or no pair was seen often enough.
    """
    _check(grading.thresholds)
    log = read_events(events)
    parts = parts_of(target)
    matched, said = _matched(log, parts)
    rates = (
        click_rates(log.impressions)
        if grading.examination is None
        else scaled(_examination(grading.examination), log.impressions)
    )
    pairs = clicked(matched, rates)
    rows = _rows(pairs, grading, annotator=f"{MODEL} {events.name}")
    if not rows:
        found = f"none of {len(pairs)} pairs was shown {grading.fewest} times with {FEWEST_EXPECTED:g} expected click"
        remedy = "Take a longer log, or lower --min-impressions."
        raise Problem(f"events {events.name}", found, where=said[-1], remedy=remedy)
    graded = f"{len(rows)} of {len(pairs)} pairs were seen often enough"
    return add_rows(target, rows), [*said, graded]


def _check(thresholds: Sequence[float]) -> None:
    sane = all(_LEAST <= one <= _MOST for one in thresholds)  # nan is not
    if not thresholds or not sane or list(thresholds) != sorted(set(thresholds)):
        found = ", ".join(f"{one:g}" for one in thresholds) or "none"
        expected = f"ratios of {_LEAST:g} to {_MOST:g}, ascending"
        raise Problem("thresholds", found, expected=expected, remedy="Write 1,2, say.")


def _matched(log: Log, parts: Parts) -> tuple[list[tuple[Pair, Impression]], list[str]]:
    """Return the impressions that are about a query and a document of the dataset, and what was left out, in words.

    **Conventions** A search is a query when their texts are equal but for case and white space. A text that two queries
    share is neither's: which permissions the search had is not in the log.
    """
    queries: dict[str, list[str]] = {}
    for query_id, text in parts.queries.select("query_id", "text").iter_rows():
        queries.setdefault(_plain(text), []).append(query_id)
    found, foreign, shared, unknown = [], 0, 0, 0
    for one in log.impressions:
        ids = queries.get(_plain(one.text), [])
        if len(ids) != 1:
            foreign, shared = foreign + (not ids), shared + bool(ids)
        elif one.doc_id not in parts.doc_ids:
            unknown += 1
        else:
            found.append(((ids[0], one.doc_id), one))
    counts = {
        "clicks on what was not shown": log.n_unshown,
        "impressions without search, document or rank": log.n_unplaced,
        "of other searches": foreign,
        "of a text that several queries share": shared,
        "of documents that the corpus lacks": unknown,
    }
    left = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
    lines = [
        f"{len(found)} of {len(log.impressions)} impressions are about the dataset's queries and documents"
    ]
    return found, [*lines, f"not counted: {left}"] if left else lines


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _rows(pairs: Sequence[Clicked], grading: Grading, *, annotator: str) -> list[Row]:
    graded = ((one, one.grade(grading.thresholds, grading.fewest)) for one in pairs)
    return [
        Row(
            query_id=one.pair[0],
            doc_id=one.pair[1],
            relevance=grade,
            annotator=annotator,
            source="click",
            where=f"{one.clicks} clicks, {one.expected:.2f} expected",
        )
        for one, grade in graded
        if grade is not None
    ]


def _examination(path: Path) -> Mapping[int, float]:
    """Read {rank: share}.

    Raises:
        Problem: it is something else.
    """
    tree = load_yaml(read_text(path, "Name a file with --examination."), str(path))
    fits = isinstance(tree, dict) and all(
        isinstance(rank, int)
        and not isinstance(rank, bool)
        and isinstance(share, int | float)
        and not isinstance(share, bool)
        and _LEAST <= share <= 1
        for rank, share in tree.items()
    )
    if not fits or not tree:
        remedy = "Write one line a rank, as in 1: 0.9."
        expected = f"{{rank: share of {_LEAST:g} to 1}}"
        raise Problem(str(path), "no examination", expected=expected, remedy=remedy)
    return {rank: float(share) for rank, share in tree.items()}
