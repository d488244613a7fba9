"""From scores to per-query values: vara beside trec_eval's C code, and the memory of a large run.

    python benchmarks/measures.py

Both sides get the same dict of dicts, in one process, by turns; both end with a value per query of nDCG@10,
RR, R@10 and AP. Ordering by score is part of it: pytrec_eval sorts, vara counts ranks; `lists` sorts as well.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from vara.quality.formulas import values
from vara.quality.judging import judge, judge_scores
from vara.quality.measures import parse_all
from vara.quality.ranking import rank_run

MEASURES = parse_all("nDCG@10 RR R@10 AP")
THEIRS = {"ndcg_cut.10": "ndcg_cut_10", "recip_rank": "recip_rank", "recall.10": "recall_10", "map": "map"}
ROUNDS = 7
GOAL, LIMIT_MIB = 3.0, 1024

Scores = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def collection(n_queries: int, depth: int) -> tuple[Scores, Qrels]:
    """Score `depth` of 50,000 documents a query, and label ten: five that were found, five anywhere."""
    generator = np.random.default_rng(0)
    ids = [f"document-{n}" for n in range(50_000)]
    scores: Scores = {}
    qrels: Qrels = {}
    for query in range(n_queries):
        found = generator.choice(len(ids), depth, replace=False).tolist()
        labelled = [*found[:: depth // 5], *generator.integers(0, len(ids), 5).tolist()]
        grades = [*generator.integers(0, 3, len(labelled) - 1).tolist(), 1]
        scores[f"q{query}"] = dict(
            zip([ids[n] for n in found], generator.random(depth).tolist(), strict=True)
        )
        qrels[f"q{query}"] = dict(zip([ids[n] for n in labelled], grades, strict=True))
    return scores, qrels


def by_scores(scores: Scores, qrels: Qrels) -> list[list[float]]:
    judged = judge_scores(scores, qrels)
    return [values(judged, measure).tolist() for measure in MEASURES]


def by_lists(scores: Scores, qrels: Qrels) -> list[list[float]]:
    judged = judge(rank_run(scores), qrels)
    return [values(judged, measure).tolist() for measure in MEASURES]


def by_trec_eval(scores: Scores, qrels: Qrels) -> list[list[float]]:
    import pytrec_eval

    rows = pytrec_eval.RelevanceEvaluator(qrels, set(THEIRS)).evaluate(scores)
    return [[rows[query_id][name] for query_id in qrels] for name in THEIRS.values()]


def speed(n_queries: int, depth: int) -> float:
    """Time all sides by turns, check that they agree, print medians; return vara's speed-up."""
    scores, qrels = collection(n_queries, depth)
    sides: dict[str, Callable[[Scores, Qrels], list[list[float]]]] = {
        "pytrec_eval": by_trec_eval,
        "vara, from scores": by_scores,
        "vara, through ranked lists": by_lists,
    }
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        found = {}
        for name, side in sides.items():
            start = time.perf_counter()
            found[name] = np.array(side(scores, qrels))
            seconds[name].append(time.perf_counter() - start)
        gap = max(float(abs(table - found["pytrec_eval"]).max()) for table in found.values())
        assert gap < 1e-9, f"the sides differ by {gap}"
    print(f"{n_queries:,} queries x {depth} documents x {len(MEASURES)} measures, median of {ROUNDS}:")
    theirs = median(seconds["pytrec_eval"])
    for name, times in seconds.items():
        print(f"  {name:<28}{median(times) * 1e3:8.1f} ms   {theirs / median(times):5.2f} x")
    return theirs / median(seconds["vara, from scores"])


def memory(n_queries: int, depth: int) -> float:
    """Run both ways in a fresh process each; print and return the larger peak, dictionaries included."""
    peaks = []
    for way in ("nothing", "scores", "lists"):
        command = [sys.executable, __file__, way, str(n_queries), str(depth)]
        peaks.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    print(f"{n_queries:,} queries x {depth} documents, peak resident memory of a process:")
    for name, peak in zip(
        ("the dictionaries alone", "from scores", "through ranked lists"), peaks, strict=True
    ):
        print(f"  {name:<28}{peak:8.0f} MiB")
    return max(peaks)


def child(way: str, n_queries: int, depth: int) -> None:
    scores, qrels = collection(n_queries, depth)
    if way != "nothing":
        {"scores": by_scores, "lists": by_lists}[way](scores, qrels)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    ratio = speed(7_000, 100)
    peak = memory(100_000, 100)
    print(f"speed-up {ratio:.2f} (goal {GOAL:g}), peak {peak:.0f} MiB (limit {LIMIT_MIB})")
    return 0 if ratio >= GOAL and peak <= LIMIT_MIB else 1


if __name__ == "__main__":
    if len(sys.argv) == 4:
        child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.exit(main())
