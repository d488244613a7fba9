"""The evaluate stage: labelled quality of first stage, reranked and BM25, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from tasks.truth import CONVENTIONS, read_truth
from vara.artifacts.step import Job, Made, Step
from vara.datasets.names import dataset_name
from vara.index.frozen import Pool, read_pool, read_reranked
from vara.quality.bootstrap import fifth_percentile, mean
from vara.quality.evaluation import evaluate
from vara.quality.figures import significant
from vara.quality.split import Settings


def run(job: Job) -> Made:
    """Measure the frozen rankings against the labels; write metrics and the table of queries."""
    truth = read_truth(job)
    pool, reranked = read_pool(job.inputs["pool"].folder), read_reranked(job.inputs["reranked"].folder)
    evaluation = evaluate(
        {"first_stage": pool.first_stage, "reranked": reranked.run, "bm25": pool.bm25},
        truth.queries,
        truth.qrels,
        settings=_settings(job),
        scores={"first_stage": pool.scores, "reranked": reranked.scores, "bm25": pool.baseline},
        sources=truth.sources,
    )
    for notice in (*truth.notices, *evaluation.notices):
        job.watch.note(notice)
    evaluation.per_query.write_csv(job.folder / "per_query.csv")
    metrics = {
        **_provenance(job),
        **_ann_recall(pool, job.inputs["pool"].facts.get("ann_depth")),
        **evaluation.metrics,
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
        "systems": {name: job.inputs[name].facts["settings"] for name in ("pool", "reranked")},
    }


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
    reads=("documents", "queries", "labels", "pool", "reranked"),
    params=("dataset.path", "evaluate.cutoffs", "evaluate.min_group", "evaluate.min_relevance", "seed"),
    metrics=True,
    plots=("per_query.csv",),
)
