"""Which unjudged pairs are worth a judge's time: those that would move a comparison most, and some that nobody chose.

**Definition** The *effect* of an unjudged pair is the change of the mean difference B − A of one measure over the
queries with a relevant document, if this pair alone were judged relevant: with the lowest relevant grade or with the
highest, whichever changes more. It is computed with the measure itself, with the ideal ranking that the new label
makes; a query without relevant documents joins the mean. Effects are independent: after one judgment those of the other
pairs of its query are others. Of documents outside both top k it is about 0 and nobody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vara.judgments.merging import Pair
from vara.quality.figures import significant
from vara.quality.formulas import values
from vara.quality.judging import Qrels, judge
from vara.quality.measures import Measure

Run = Mapping[str, Sequence[str]]
Reason = Literal["decisive", "below", "outside"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A pair to be judged.

    Attributes:
        query_id: of the query.
        doc_id: of the document.
        reason: decisive (it has an effect), below (ranked by an arm, in neither top k) or outside (ranked by none).
        effect: see the module; None for what was drawn.
    """

    query_id: str
    doc_id: str
    reason: Reason
    effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What is known of the queries of a split.

    Attributes:
        query_ids: in byte order.
        qrels: query_id → doc_id → grade, all of them on documents that the query may see.
        unjudged: says whether a pair has no label and the query may see the document.
        grades: the lowest relevant grade, and the highest.
    """

    query_ids: Sequence[str]
    qrels: Qrels
    unjudged: Callable[[str, str], bool]
    grades: tuple[int, int]


def top(runs: Sequence[Run], query_id: str, measure: Measure) -> list[str]:
    """Return the documents that any of the runs has at a rank the measure looks at, in the byte order of their ids."""
    return sorted({doc for run in runs for doc in run.get(query_id, ())[: measure.cutoff]})


def decisive(a: Run, b: Run, truth: Truth, measure: Measure) -> list[Proposal]:
    """Return every unjudged pair of the two top k whose effect is not 0, the largest first.

    **Conventions** Effects are compared in 10 digits; ties go by query, then by document, in byte order.

    Args:
        a: query_id → document ids, best first, of the arm that is there.
        b: of the arm that might replace it.
        truth: what is known.
        measure: what the comparison is decided by.
    """
    pairs = [
        (query_id, doc)
        for query_id in truth.query_ids
        for doc in top((a, b), query_id, measure)
        if truth.unjudged(query_id, doc)
    ]
    now = _differences(a, b, truth.qrels, truth.query_ids, truth, measure)
    total, n = sum(now.values()), len(now)
    mean = total / n if n else 0.0
    found: dict[Pair, float] = dict.fromkeys(pairs, 0.0)
    for grade in dict.fromkeys(truth.grades):
        for pair, difference in zip(pairs, _supposed(a, b, pairs, grade, truth, measure), strict=True):
            known = pair[0] in now
            after = (total - now.get(pair[0], 0.0) + difference) / (n if known else n + 1)
            effect = significant(after - mean)
            found[pair] = max(found[pair], effect, key=abs)
    ordered = sorted(found.items(), key=lambda item: -abs(item[1]))  # stable: pairs are in byte order
    return [Proposal(*pair, "decisive", effect) for pair, effect in ordered if effect]


def _supposed(
    a: Run, b: Run, pairs: Sequence[Pair], grade: int, truth: Truth, measure: Measure
) -> Iterator[float]:
    """Yield each pair's B − A of its query as it would be with a label of this grade: a query of its own each."""
    qrels = {
        str(place): {**truth.qrels.get(query_id, {}), doc: grade}
        for place, (query_id, doc) in enumerate(pairs)
    }
    runs = [
        {str(place): run.get(query_id, ()) for place, (query_id, _) in enumerate(pairs)} for run in (a, b)
    ]
    found = _differences(runs[0], runs[1], qrels, list(qrels), truth, measure)
    return (found[str(place)] for place in range(len(pairs)))


def _differences(
    a: Run, b: Run, qrels: Qrels, query_ids: Sequence[str], truth: Truth, measure: Measure
) -> dict[str, float]:
    """Return B − A of each query with a relevant document."""
    sides = [judge(run, qrels, query_ids, min_relevance=truth.grades[0]) for run in (a, b)]
    gaps = values(sides[1], measure) - values(sides[0], measure)
    return dict(zip(sides[0].query_ids, gaps.tolist(), strict=True))


def explored(
    reason: Reason,
    eligible: Callable[[str], Sequence[str]],
    *,
    query_ids: Sequence[str],
    n: int,
    draw: np.random.Generator,
) -> list[Proposal]:
    """Draw pairs: queries in turn, in a drawn order, and of each one of its documents, each as likely as the other.

    Args:
        reason: what the documents are: below or outside.
        eligible: returns the documents of a query that may be drawn, in the same order every time.
        query_ids: which queries.
        n: how many pairs; fewer come where no more are eligible.
        draw: decides; the same generator gives the same pairs.
    """
    chosen: dict[str, set[str]] = {}
    found: list[Proposal] = []
    turn = [query_ids[place] for place in draw.permutation(len(query_ids))]
    while turn and len(found) < n:
        for query_id in list(turn):
            if len(found) == n:
                break
            taken = chosen.setdefault(query_id, set())
            left = [doc for doc in eligible(query_id) if doc not in taken]
            if not left:
                turn.remove(query_id)
                continue
            doc = left[int(draw.integers(len(left)))]
            taken.add(doc)
            found.append(Proposal(query_id, doc, reason))
    return found


def blind(proposals: Sequence[Proposal], draw: np.random.Generator) -> list[Proposal]:
    """Return proposals in a drawn order that says nothing of why they were made; those of a query stay together."""
    by_query: dict[str, list[Proposal]] = {}
    for one in sorted(proposals, key=lambda one: (one.query_id, one.doc_id)):
        by_query.setdefault(one.query_id, []).append(one)
    groups = list(by_query.values())
    ordered = (groups[place] for place in draw.permutation(len(groups)))
    return [group[place] for group in ordered for place in draw.permutation(len(group))]
