"""A reader of TREC files, just enough for the fixtures that stand beside the repository, and a maker of random ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def fixtures(shared: Path) -> Path:
    """The folder of TREC fixtures; skipped with the place where it was looked for, where there is none."""
    return shared / "fixtures"


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read `query iteration document grade`; comments are left out."""
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            query_id, _, doc_id, grade = line.split()
            qrels.setdefault(query_id, {})[doc_id] = int(grade)
    return qrels


def read_scores(path: Path) -> dict[str, dict[str, float]]:
    """Read `query Q0 document rank score tag`; what follows the tag is left out, and so are comments."""
    scores: dict[str, dict[str, float]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            query_id, _, doc_id, _, score = line.split()[:5]
            scores.setdefault(query_id, {})[doc_id] = float(score)
    return scores


def random_scores(
    qrels: dict[str, dict[str, int]], seed: int, *, width: int = 100
) -> dict[str, dict[str, float]]:
    """Score some labelled documents and some strangers, in steps so coarse that a tenth of them tie."""
    source = random.Random(seed)
    scores = {}
    for query_id in sorted(qrels):
        labelled = sorted(qrels[query_id])
        known = source.sample(labelled, min(len(labelled), source.randint(1, width // 2)))
        strangers = [f"stranger{n}" for n in range(source.randint(0, width // 2))]
        scores[query_id] = {doc_id: source.randint(0, 500) / 512 for doc_id in [*known, *strangers]}
    return scores


def random_qrels(n_queries: int, seed: int) -> dict[str, dict[str, int]]:
    """Label between 1 and 60 documents a query with grades from -1 to 4, most of them 0."""
    source = random.Random(seed)
    return {
        f"q{n}": {
            f"d{doc}": source.choice([-1, 0, 0, 0, 1, 1, 2, 3, 4])
            for doc in source.sample(range(1000), source.randint(1, 60))
        }
        for n in range(n_queries)
    }
