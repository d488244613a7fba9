"""`vara compare` on 10,000 queries x 5 measures x 10,000 permutations: time, memory, and whether its p can be trusted.

    python benchmarks/compare.py

Speed: the randomisation test beside scipy's permutation_test, by turns in one process on the same differences; then
the whole comparison, from committed files to the last line of text, in a process of its own. Truth: type-I error in
2,000 comparisons of systems that are alike, and power beside scipy's paired t-test.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from statistics import median

import numpy as np

from vara.quality.significance import PERMUTATIONS, randomisation
from vara.report.arm import METRICS, PARAMS, QUERIES, read_arm
from vara.report.comparison import compared
from vara.report.comparison_text import markdown_lines

QUERIES_N, ROUNDS, SIMULATED = 10_000, 3, 2_000
MEASURES = ("RR@5", "R@5", "nDCG@10", "R@10", "P@10")
LIMIT_S, LIMIT_MIB = 20.0, 1024
HEAVY = ("torch", "transformers", "prefect", "dvc", "qdrant_client", "scipy", "polars")


def arm_files(seed: int) -> dict[str, bytes]:
    """Make the committed files of a run: three systems, coarse values as measures have them."""
    generator = np.random.default_rng(seed)
    head = ("split", "query_id", "system", "n_relevant", "n_relevant_in_pool", "first_relevant_rank")
    lines = [",".join([*head, *MEASURES])]
    for query in range(QUERIES_N):
        for system in ("first_stage", "reranked", "bm25"):
            values = (1 / generator.integers(1, 8, len(MEASURES))).round(10).tolist()
            lines.append(f"test,q{query},{system},1,1,1,{','.join(map(str, values))}")
    metrics = {"dataset": "made", "test.n_queries": QUERIES_N}
    return {
        METRICS: json.dumps(metrics).encode(),
        QUERIES: "\n".join(lines).encode(),
        PARAMS: b"seed: 42\n",
    }


def child() -> None:
    """Compare from files to text, and print seconds, peak MiB, and the heavy libraries that were loaded."""
    files = [arm_files(seed) for seed in (1, 2)]
    start = time.perf_counter()
    a, b = (read_arm(name, name, one.get) for name, one in zip("AB", files, strict=True))
    lines = list(markdown_lines(compared(a, b, split=None, system="reranked")))
    seconds = time.perf_counter() - start
    assert lines
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(seconds, peak, ",".join(name for name in HEAVY if name in sys.modules) or "none")


def whole() -> tuple[float, float]:
    done = subprocess.run([sys.executable, __file__, "child"], check=True, capture_output=True, text=True)
    seconds, peak, loaded = done.stdout.split()
    print(
        f"compare, {QUERIES_N:,} queries x {len(MEASURES)} measures x {PERMUTATIONS:,} permutations, files to text:"
    )
    print(f"  {float(seconds):.1f} s, peak {float(peak):.0f} MiB; heavy libraries loaded: {loaded}")
    return float(seconds), float(peak)


def speed() -> float:
    """Time both sides by turns on the same differences; return ours over theirs."""
    from scipy import stats

    generator = np.random.default_rng(0)
    a, b = 1 / generator.integers(1, 8, (2, QUERIES_N, len(MEASURES)))
    seconds: dict[str, list[float]] = {"scipy": [], "vara": []}
    for _ in range(ROUNDS):
        start = time.perf_counter()
        theirs = stats.permutation_test(
            (b - a,),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=PERMUTATIONS,
            batch=100,
            rng=np.random.default_rng(0),
        ).pvalue
        seconds["scipy"].append(time.perf_counter() - start)
        start = time.perf_counter()
        ours = randomisation(a, b, seed=0)
        seconds["vara"].append(time.perf_counter() - start)
        gap = max(abs(one.p - other) for one, other in zip(ours, theirs, strict=True))
        assert gap < 0.03, f"the sides differ by {gap}"
    ratio = median(seconds["scipy"]) / median(seconds["vara"])
    print(f"randomisation test alone, median of {ROUNDS}:")
    print(f"  scipy permutation_test {median(seconds['scipy']):6.2f} s")
    print(f"  vara                   {median(seconds['vara']):6.2f} s   {ratio:5.1f} x")
    return ratio


def truth() -> float:
    """Simulate; return the type-I error at .05."""
    from scipy import stats

    generator = np.random.default_rng(20)
    alike = 1 / generator.integers(1, 6, (SIMULATED, 2, 60))
    called = [
        randomisation(a[:, None], b[:, None], seed=n, permutations=999)[0].p < 0.05
        for n, (a, b) in enumerate(alike)
    ]
    print(f"type-I error at .05, {SIMULATED:,} comparisons of 60 queries: {np.mean(called):.2%}")
    print("power at .05, 1,000 comparisons of 60 queries:   vara   t-test")
    for effect in (0.2, 0.4, 0.6):
        found = []
        for n in range(1_000):
            a = generator.random(60)
            b = a + generator.normal(effect * 0.1, 0.1, 60)
            [chance] = randomisation(a[:, None], b[:, None], seed=n, permutations=999)
            found.append((chance.p < 0.05, stats.ttest_rel(a, b).pvalue < 0.05))
        ours, theirs = np.mean(found, axis=0)
        print(f"  true difference {effect:g} standard deviations       {ours:6.1%}  {theirs:6.1%}")
    return float(np.mean(called))


def main() -> int:
    seconds, peak = whole()
    speed()
    error = truth()
    good = seconds <= LIMIT_S and peak <= LIMIT_MIB and 0.03 <= error <= 0.07
    print(
        f"{seconds:.1f} s (limit {LIMIT_S:g}), {peak:.0f} MiB (limit {LIMIT_MIB}), type-I {error:.2%} (3-7 %)"
    )
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["child"]:
        child()
    else:
        sys.exit(main())
