"""The formulas: from grades by rank to one number per query. What the names mean is written once, here.

**Conventions** (all measures): macro values are means over queries, and stand elsewhere; a query that the
run lacks counts 0; a query without relevant documents never gets here; an unjudged document is not relevant
and gains nothing, but takes its rank; relevant means grade ≥ min_relevance. As in trec_eval, that level
moves the binary measures (R, Rcap, P, RR, AP, Success); nDCG uses every positive grade as it is.

**Oracle**: pytrec_eval (trec_eval 9) agrees to 1e-9 with everything but Rcap, exp gains, condensed lists
and Judged.

Sums run over ranks from the first on, in the same way for a ranking and for its ideal, so that a perfect
ranking is exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from vara.errors import Problem
from vara.quality.judged import PADDING, UNJUDGED, Judged, condensed
from vara.quality.measures import Measure

Values = NDArray[np.float64]

LARGEST_EXPONENT = 1000  # 2^grade must stay a float64, and so must a sum of them


def values(judged: Judged, measure: Measure) -> Values:
    """Measure each query.

    Args:
        judged: n queries.
        measure: what to measure.

    Returns:
        float64 (n,), in [0, 1], row i for `judged.query_ids[i]`.

    Raises:
        Problem: an exponential gain of a grade above 1000.

    Example:
        >>> from vara.quality.judging import judge
        >>> from vara.quality.measures import parse
        >>> values(judge({"q": ["x", "a"]}, {"q": {"a": 1}}), parse("RR@10")).tolist()
        [0.5]
    """
    formula = FORMULAS[measure.family]
    found = np.zeros(len(judged.query_ids))
    for rows, block in judged.blocks():
        found[rows] = formula(condensed(block) if measure.judged_only else block, measure)
    return found


def recall(judged: Judged, measure: Measure) -> Values:
    """R@k: relevant documents in the top k / all relevant documents."""
    return _n_hits(judged, measure) / judged.n_relevant


def capped_recall(judged: Judged, measure: Measure) -> Values:
    """Rcap@k: relevant documents in the top k / min(all relevant documents, k), so that 1 can be reached."""
    return _n_hits(judged, measure) / np.minimum(judged.n_relevant, measure.cutoff or 0)


def precision(judged: Judged, measure: Measure) -> Values:
    """P@k: relevant documents in the top k / k, also where fewer than k came back."""
    return _n_hits(judged, measure) / (measure.cutoff or 0)


def success(judged: Judged, measure: Measure) -> Values:
    """Success@k: 1 where a relevant document is in the top k, else 0."""
    return (_n_hits(judged, measure) > 0).astype(np.float64)


def reciprocal_rank(judged: Judged, measure: Measure) -> Values:
    """RR[@k]: 1 / rank of the first relevant document, 0 where none is in the top k.

    **Source**: E. Voorhees, The TREC-8 Question Answering Track Report, 1999. The mean over queries is MRR.
    """
    hits = judged.hits[:, : measure.cutoff]
    return np.where(hits.any(axis=1), 1.0 / (hits.argmax(axis=1) + 1), 0.0)


def average_precision(judged: Judged, measure: Measure) -> Values:
    """AP[@k]: the sum of P@r over the ranks r ≤ k of relevant documents / all relevant documents.

    The divisor is not capped at k (trec_eval's map_cut): one hundred relevant documents leave AP@10 at .1
    or less.
    """
    rows, ranks = np.nonzero(judged.hits[:, : measure.cutoff])
    before = np.searchsorted(rows, np.arange(len(judged.query_ids)))  # matches of earlier queries
    nth = np.arange(rows.size) - before[rows] + 1
    return _sum_by_row(rows, nth / (ranks + 1), judged) / judged.n_relevant


def ndcg(judged: Judged, measure: Measure) -> Values:
    """nDCG[@k]: DCG@k / ideal DCG@k, with DCG@k = Σ gain(grade at rank r) / log2(r + 1) over r ≤ k.

    The gain is the grade itself, or 2^grade - 1 with gain='exp'. The ideal ranking holds the best k of ALL
    positive labels of the query, returned or not. `min_relevance` does not touch the gains.

    **Source**: K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002, in
    trec_eval's form (no undiscounted first ranks); exponential gain after C. Burges et al., ICML 2005.
    """
    top = judged.relevance[:, : measure.cutoff]
    rows, ranks = np.nonzero(top > 0)
    owner = np.repeat(np.arange(len(judged.query_ids)), np.diff(judged.starts))
    place = np.arange(owner.size) - judged.starts[owner]
    best = place < (measure.cutoff or np.inf)
    table = discounts(max(int(ranks.max(initial=0)), int(place[best].max(initial=0))) + 1)
    ideal = _sum_by_row(owner[best], _gain(judged.ideal[best], measure.gain) * table[place[best]], judged)
    return _sum_by_row(rows, _gain(top[rows, ranks], measure.gain) * table[ranks], judged) / ideal


def judged_share(judged: Judged, measure: Measure) -> Values:
    """Judged@k: judged documents in the top k / documents in the top k; 0 where nothing came back.

    **Source**: ir_measures, which also divides by what came back where that is less than k.
    """
    top = judged.relevance[:, : measure.cutoff]
    share: Values = np.count_nonzero(top > UNJUDGED, axis=1) / np.maximum(
        np.count_nonzero(top > PADDING, axis=1), 1
    )
    return share


FORMULAS: Mapping[str, Callable[[Judged, Measure], Values]] = {
    "R": recall,
    "Rcap": capped_recall,
    "P": precision,
    "RR": reciprocal_rank,
    "nDCG": ndcg,
    "AP": average_precision,
    "Success": success,
    "Judged": judged_share,
}


def discounts(depth: int) -> Values:
    """Return 1 / log2(rank + 1) for the ranks 1 … depth: float64 (depth,).

    Through `math`, a value at a time: numpy's vectorised log2 gives other last bits on other processors.

    Example:
        >>> discounts(3).tolist()
        [1.0, 0.6309297535714575, 0.5]
    """
    return np.array([1.0 / math.log2(rank + 1) for rank in range(1, depth + 1)])


def _gain(grades: NDArray[np.int32], kind: str) -> Values:
    if kind == "linear":
        return grades.astype(np.float64)
    if grades.max(initial=0) > LARGEST_EXPONENT:
        raise Problem(
            "labels",
            f"found grade {grades.max()} under an exponential gain",
            expected=f"at most {LARGEST_EXPONENT}",
            remedy="Use the linear nDCG, or write smaller grades.",
        )
    return np.ldexp(1.0, grades) - 1.0


def _n_hits(judged: Judged, measure: Measure) -> NDArray[np.int64]:
    return np.asarray(np.count_nonzero(judged.hits[:, : measure.cutoff], axis=1))


def _sum_by_row(rows: NDArray[np.int64], terms: Values, judged: Judged) -> Values:
    """Add up each query's terms one after the other."""
    sums: Values = np.bincount(rows, weights=terms, minlength=len(judged.query_ids)).astype(np.float64)
    return sums
