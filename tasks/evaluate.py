"""The evaluate stage: labelled quality of first stage, reranked and BM25, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from tasks.catalogue import read_catalogue
from tasks.truth import CONVENTIONS, Truth, read_truth
from vara.artifacts.canonical import digest
from vara.artifacts.step import Job, Made, Step
from vara.datasets.names import dataset_name
from vara.index.frozen import Pool, read_pool, read_reranked
from vara.quality.bootstrap import fifth_percentile, mean
from vara.quality.evaluation import evaluate
from vara.quality.figures import significant
from vara.quality.shown import shown
from vara.quality.split import Runs, Settings

REPORTED_ON = "test"
"""The split on which nothing is chosen: whose values were computed stands in the ledger."""


def run(job: Job) -> Made:
    """Measure the frozen rankings against the labels; write metrics and the table of queries."""
    truth = read_truth(job)
    pool, reranked = read_pool(job.inputs["pool"].folder), read_reranked(job.inputs["reranked"].folder)
    runs: Runs = {"first_stage": pool.first_stage, "reranked": reranked.run, "bm25": pool.bm25}
    evaluation = evaluate(
        runs,
        truth.queries,
        truth.qrels,
        settings=_settings(job),
        scores={"first_stage": pool.scores, "reranked": reranked.scores, "bm25": pool.baseline},
        sources=truth.sources,
    )
    for notice in (*truth.notices, *evaluation.notices):
        job.watch.note(notice)
    if any(query.split == REPORTED_ON for query in truth.queries):
        job.tested(job.inputs["labels"].facts["digest"], digest(_systems(job)))
    evaluation.per_query.write_csv(job.folder / "per_query.csv")
    metrics = {
        **_provenance(job),
        **_ann_recall(pool, job.inputs["pool"].facts.get("ann_depth")),
        **evaluation.metrics,
        **_beyond_relevance(job, truth, runs),
    }
    return Made(outputs={}, metrics=metrics, items=len(truth.queries))


def _settings(job: Job) -> Settings:
    return Settings(
        cutoffs=job.params["evaluate.cutoffs"],
        min_relevance=job.params["evaluate.min_relevance"],
        min_group=job.params["evaluate.min_group"],
        seed=job.params["seed"],
        depth=job.inputs["pool"].facts["depth"],
    )


def _provenance(job: Job) -> dict[str, Any]:
    """Return what made the numbers: data, models and settings, by value and by digest."""
    return {
        "dataset": dataset_name(str(job.settings.root / job.params["dataset.path"])),
        "conventions": CONVENTIONS,
        "data": {name: job.inputs[name].facts["digest"] for name in ("documents", "queries", "labels")},
        "evaluation": {name: value for name, value in job.params.items() if name != "dataset.path"},
        "systems": _systems(job),
    }


def _systems(job: Job) -> dict[str, Any]:
    """Return what the measured systems were made with: parameters by value, models by fingerprint."""
    return {name: job.inputs[name].facts["settings"] for name in ("pool", "reranked")}


def _beyond_relevance(job: Job, truth: Truth, runs: Runs) -> dict[str, Any]:
    """Return variety, freshness and exposure of each system, over all queries of each split."""
    catalogue, visible = read_catalogue(job, truth)
    depth = job.inputs["pool"].facts["depth"]
    cutoffs = sorted({cutoff for cutoff in job.params["evaluate.cutoffs"] if cutoff <= depth})
    metrics: dict[str, Any] = {}
    for split in sorted(visible):
        asked = [query.query_id for query in truth.queries if query.split == split]
        for system, run in runs.items():
            found = shown([run.get(query, ()) for query in asked], catalogue, visible[split], cutoffs)
            metrics |= {f"{split}.{system}.{name}": value for name, value in found.items()}
    return metrics


def _ann_recall(pool: Pool, depth: int | None) -> dict[str, float]:
    """Return the fidelity of an approximate first stage to the exact one, over all queries that may see anything."""
    shares = np.array([found / expected for found, expected in pool.recalled.values() if expected])
    if not shares.size:
        return {}
    name = f"first_stage.annR@{depth}"
    return {name: significant(mean(shares)), f"{name}.p5": significant(fifth_percentile(shares))}


STEP = Step(
    name="evaluate",
    run=run,
    reads=("documents", "queries", "labels", "embed", "pool", "reranked"),
    params=("dataset.path", "evaluate.cutoffs", "evaluate.min_group", "evaluate.min_relevance", "seed"),
    metrics=True,
    plots=("per_query.csv",),
)
