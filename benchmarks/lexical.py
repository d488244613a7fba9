"""BM25: our index over fields beside bm25s's own, on the same terms, in one thread.

    python benchmarks/lexical.py [--data FOLDER]

FOLDER is a collection in BEIR layout; without one, a made-up collection of NPL's size is used. Both sides run in one
process, in turn, and medians are compared: building from terms, and queries from their text to the first 100
documents. Memory is that of a fresh process a side. Ratios carry over to other machines, seconds do not.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import bm25s
import numpy as np

from backends.lexical.bm25 import BM25, Field
from backends.lexical.matrix import Matrix
from backends.lexical.occurrences import Vocabulary, number
from backends.lexical.terms import Terms
from vara.datasets.text import embedded_text
from vara.quality.ranking import best, byte_order

ROUNDS, DEPTH = 5, 100
K: dict[str, float] = {"k1": 1.2, "b": 0.75}
GOAL_QUERIES = 200
GOAL_TERMS = 840_000  # of 20,000 documents as long as NPL's
PLAIN = Terms("none")
LARGE = (100_000, 100)  # documents, terms each: the collection whose memory is shown


def made_up(n_documents: int, n_terms: int) -> list[str]:
    """Return documents of words as frequent as in a language, always the same ones."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{rank}" for rank in range(n_documents)], dtype=object)
    ranks = (rng.zipf(1.25, size=n_documents * n_terms) % n_documents).reshape(n_documents, n_terms)
    return [" ".join(words[row]) for row in ranks]


def collection(folder: Path | None) -> tuple[list[str], list[str]]:
    """Return the texts of documents with terms, and the texts of queries."""
    if folder is None:
        documents = made_up(11_429, 42)
        return documents, [" ".join(text.split()[:8]) for text in documents[::123]]
    rows = map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))
    texts = [embedded_text(row.get("title"), row.get("text")) for row in rows]
    asked = map(json.loads, (folder / "queries.jsonl").open(encoding="utf-8"))
    return [text for text in texts if PLAIN.of(text)], [row["text"] for row in asked]


def build_ours(documents: list[list[str]]) -> Matrix:
    vocabulary = Vocabulary()
    return Matrix(vocabulary, [number(documents, vocabulary, weight=1.0)], k1=K["k1"], b=K["b"])


def build_theirs(documents: list[list[str]]) -> Any:
    index = bm25s.BM25(method="lucene", dtype="float64", **K)
    index.index(documents, create_empty_token=False, show_progress=False)
    return index


def timed(sides: dict[str, Callable[[], Any]]) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the median seconds of each side, run by turns, and what each gave."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    gave: dict[str, Any] = {}
    for _ in range(ROUNDS):
        for name, side in sides.items():
            start = time.perf_counter()
            gave[name] = side()
            seconds[name].append(time.perf_counter() - start)
    return {name: median(times) for name, times in seconds.items()}, gave


def shown(what: str, count: int, seconds: dict[str, float]) -> float:
    """Print a line; return how many our side does a second."""
    rates = {name: count / time_ for name, time_ in seconds.items()}
    ratio = f"{rates['ours'] / rates['bm25s']:5.2f} x" if "bm25s" in rates else ""
    theirs = f"{rates['bm25s']:10,.0f}" if "bm25s" in rates else " " * 10
    print(f"  {what:34}{theirs}{rates['ours']:12,.0f}   {ratio}")
    return rates["ours"]


def speed(documents: list[str], queries: list[str]) -> tuple[float, float]:
    """Print rates of building and of asking; return our queries and indexed terms a second."""
    cut = [PLAIN.of(text) for text in documents]
    print(f"{len(documents):,} documents, {sum(map(len, cut)):,} terms, {len(queries):,} queries")
    print(f"  {'a second':34}{'bm25s':>10}{'ours':>12}   ratio")
    seconds, built = timed({"bm25s": partial(build_theirs, cut), "ours": partial(build_ours, cut)})
    building = shown("documents indexed, from terms", len(documents), seconds)
    seconds, _ = timed({"ours": lambda: [PLAIN.of(text) for text in documents]})
    shown("documents cut into terms", len(documents), seconds)
    depth, positions = min(DEPTH, len(documents)), byte_order([str(n) for n in range(len(documents))])
    index = BM25([(Field("text", 1.0), [[text] for text in documents])], terms=PLAIN, k1=K["k1"], b=K["b"])

    def ours() -> list[list[float]]:
        answers = (index.answer(query).scores for query in queries)
        return [scores[best(scores, positions, depth)].tolist() for scores in answers]

    def theirs() -> list[list[float]]:
        asked = [PLAIN.of(query) for query in queries]
        rows: list[list[float]] = built["bm25s"].retrieve(asked, k=depth, show_progress=False).scores.tolist()
        return rows

    seconds, rows = timed({"bm25s": theirs, "ours": ours})
    asking = shown(f"queries, to the first {depth}", len(queries), seconds)
    gap = float(np.abs(np.array(rows["ours"]) - np.array(rows["bm25s"])).max())
    assert gap < 1e-5, f"the sides differ by {gap}"
    return asking, building * sum(map(len, cut)) / len(cut)


def memory() -> None:
    """Print the peak of a process that builds a large index, above that of one that only makes its terms."""
    ways = ("nothing", "bm25s", "ours")
    command = [sys.executable, __file__, "--child"]
    peaks = [float(subprocess.run([*command, way], check=True, capture_output=True).stdout) for way in ways]
    print(f"{LARGE[0]:,} documents of {LARGE[1]} terms, peak resident memory of building, MiB")
    for way, peak in zip(ways[1:], peaks[1:], strict=True):
        print(f"  {way:8}{peak - peaks[0]:8.0f}")


def child(way: str) -> None:
    """Print the peak of this process in MiB; terms reach both sides as a list, which bm25s needs."""
    documents: list[list[str]] = list(_shared(made_up(*LARGE)))
    builders = {"bm25s": build_theirs, "ours": build_ours}
    if way in builders:
        builders[way](documents)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _shared(texts: list[str]) -> Iterator[list[str]]:
    while texts:
        yield [sys.intern(term) for term in texts.pop().split()]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, help="a collection's folder")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        child(chosen.child)
        return 0
    memory()  # first, while this process is small: a child's peak begins at its parent's size
    asking, building = speed(*collection(chosen.data))
    print(
        f"goals: {GOAL_QUERIES} queries and {GOAL_TERMS:,} indexed terms a second; {asking:,.0f} and {building:,.0f}"
    )
    return 0 if asking >= GOAL_QUERIES and building >= GOAL_TERMS else 1


if __name__ == "__main__":
    sys.exit(main())
