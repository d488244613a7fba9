"""The committed files of a run over sixty queries, made by the real evaluation from the ranks of relevant documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from vara.quality.evaluation import evaluate
from vara.quality.split import Query, Settings
from vara.report.arm import LATENCY, METRICS, PARAMS, QUERIES

NAMES = [f"q{n:02}" for n in range(1, 61)]
DEPTH = 10
Ranks = Mapping[str, int | None]


def run_files(
    ranks: Ranks,
    *,
    split: str = "test",
    grade: int = 1,
    depth: int = DEPTH,
    facts: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    latency: Mapping[str, Any] | None = None,
) -> dict[str, bytes]:
    """Make the files of a run that ranks one relevant document a query.

    Args:
        ranks: query → rank of its relevant document; None is not in the pool. Queries that are left out have rank 2.
        split: of all queries.
        grade: of every label.
        depth: of the pool.
        facts: of the metric file, in place of the usual ones.
        params: in place of the usual ones.
        latency: of the lab.
    """
    places = {query: ranks.get(query, 2) for query in NAMES}
    run = {}
    for query, rank in places.items():
        row = [f"x{n}" for n in range(depth)]
        if rank is not None and rank <= depth:
            row[rank - 1] = f"r-{query}"
        run[query] = row
    queries = [Query(query, split, {"language": "es" if query in NAMES[:4] else "en"}) for query in NAMES]
    settings = Settings(cutoffs=[5, 10], min_relevance=1, min_group=5, seed=42, depth=depth)
    runs = {"first_stage": run, "reranked": run, "bm25": run}
    found = evaluate(runs, queries, {query: {f"r-{query}": grade} for query in NAMES}, settings=settings)
    metrics = {
        "dataset": "small",
        "conventions": "docs/conventions.md, version 1",
        "data": {"documents": "D", "queries": "Q", "labels": "L"},
        "evaluation": {"evaluate.cutoffs": [5, 10], "evaluate.min_relevance": 1, "seed": 42},
        "systems": {"pool": {"depth": depth, "model": "tiny"}, "reranked": {"kind": "fusion", "weight": 0.6}},
        **(facts or {}),
        **found.metrics,
    }
    tree = {
        "dataset": {"path": "data/small"},
        "seed": 42,
        "embed": {"model": "tiny"},
        "pool": {"depth": depth},
        "rerank": {"kind": "fusion", "weight": 0.6},
        "evaluate": {"cutoffs": [5, 10], "min_relevance": 1},
        **(params or {}),
    }
    files = {
        METRICS: json.dumps(metrics).encode(),
        QUERIES: found.per_query.write_csv().encode(),
        PARAMS: yaml.safe_dump(tree).encode(),
    }
    return files if latency is None else {**files, LATENCY: json.dumps(latency).encode()}
