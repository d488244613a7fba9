"""The calibrate stage: from which signal on an answer is shown; chosen on dev, reported on every split."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tasks.truth import CONVENTIONS, Truth, read_truth
from vara.artifacts.step import Job, Made, Step
from vara.datasets.names import dataset_name
from vara.errors import Problem
from vara.index.frozen import Pool, Reranked, read_pool, read_reranked
from vara.quality.calibrated import Asked, figures
from vara.quality.calibration import Point, Signals, at_cost, at_precision, curve, rounded

CHOSEN_ON = "dev"
RELATIVE = {"fusion": "stretched within each pool", "none": "only a rank"}
"""Rerankers whose scores mean nothing across queries, and why."""


def run(job: Job) -> Made:
    """Choose the threshold of "no answer" and say what it does to each split."""
    truth = read_truth(job)
    pool, reranked = read_pool(job.inputs["pool"].folder), read_reranked(job.inputs["reranked"].folder)
    _check_signal(job.params["calibrate.signal"], job.inputs["reranked"].facts["settings"]["kind"])
    splits = _splits(job, truth, pool, reranked)
    chosen, reason = _chosen(job, splits)
    metrics: dict[str, Any] = {**_provenance(job), "threshold": chosen and chosen.threshold}
    if chosen is None:
        metrics["threshold.reason"] = reason
        job.watch.note(f"no threshold: {reason}")
    else:
        for split, asked in splits.items():
            found = figures(asked, chosen.threshold, job.params["evaluate.min_group"])
            metrics |= {f"{split}.{name}": value for name, value in found}
        job.watch.note(_says(chosen, metrics))
    _write_curves(splits, job.folder / "calibrate.csv")
    return Made(outputs={}, metrics=metrics, items=len(truth.queries))


def _check_signal(signal: str, reranker: str) -> None:
    """Refuse scores that mean nothing across queries.

    Raises:
        Problem: the reranker's scores are relative to each pool.
    """
    if signal == "score" and reranker in RELATIVE:
        found = f"score of rerank.kind {reranker}, which is {RELATIVE[reranker]}"
        raise Problem("calibrate.signal", found, remedy="Take cosine or margin, or a cross-encoder's logit.")


def _splits(job: Job, truth: Truth, pool: Pool, reranked: Reranked) -> dict[str, Asked]:
    """Return the queries of each split with their signals."""
    by_split: dict[str, list[tuple[float, bool, bool, Mapping[str, str]]]] = {}
    least = job.params["evaluate.min_relevance"]
    for query in truth.queries:
        if query.split is None:
            continue
        grades = truth.qrels.get(query.query_id, {})
        docs = reranked.run[query.query_id]
        signal = signal_of(job.params["calibrate.signal"], query.query_id, pool=pool, reranked=reranked)
        right = bool(docs) and grades.get(docs[0], 0) >= least
        answerable = any(grade >= least for grade in grades.values())
        by_split.setdefault(query.split, []).append((signal, right, answerable, query.groups))
    return {
        name: Asked(
            Signals(
                rounded(np.array([row[0] for row in rows])),
                right=np.array([row[1] for row in rows], dtype=bool),
                answerable=np.array([row[2] for row in rows], dtype=bool),
            ),
            groups=[row[3] for row in rows],
        )
        for name, rows in sorted(by_split.items())
    }


def signal_of(signal: str, query_id: str, *, pool: Pool, reranked: Reranked) -> float:
    """Return a query's signal; -inf where it got no document.

    Args:
        signal: "cosine" of the first document that the user gets; "margin", by how much it is above the best of the
            others; "score", what the reranker gave it.
        query_id: the query.
        pool: its candidates with their cosines.
        reranked: their order.
    """
    docs = reranked.run[query_id]
    if not docs:
        return -np.inf
    if signal == "score":
        return float(reranked.scores[query_id][0])
    first = np.array([doc == docs[0] for doc in pool.first_stage[query_id]])
    cosines = pool.dense[query_id]
    others = cosines[~first].max(initial=-1.0) if signal == "margin" else 0.0
    return float(cosines[first][0] - others)


def _chosen(job: Job, splits: Mapping[str, Asked]) -> tuple[Point | None, str]:
    """Return what the objective chooses on dev, and why there is nothing if it chooses nothing."""
    if CHOSEN_ON not in splits:
        return None, f"the dataset has no {CHOSEN_ON} split to choose it on"
    signals = splits[CHOSEN_ON].signals
    if job.params["calibrate.objective"] == "cost":
        return at_cost(
            signals, job.params["calibrate.cost_ratio"]
        ), f"showing nothing costs least on {CHOSEN_ON}"
    target = job.params["calibrate.precision"]
    return at_precision(signals, target), f"no threshold reaches precision {target} on {CHOSEN_ON}"


def _says(chosen: Point, metrics: Mapping[str, Any]) -> str:
    words = (
        f"threshold {chosen.threshold}: {chosen.shown} of {chosen.n} {CHOSEN_ON} queries show their first document, "
        f"{chosen.wrong_shown} of them wrong, {chosen.right_lost} right ones lost"
    )
    if not chosen.unanswerable:
        return f"{words}; no {CHOSEN_ON} query is unanswerable, so that nothing is known of those"
    low, high = (metrics[f"{CHOSEN_ON}.unanswerable_shown.{bound}"] for bound in ("low", "high"))
    return (
        f"{words}; of {chosen.unanswerable} unanswerable ones {chosen.unanswerable_shown} show something, "
        f"which says no more than that it is between {low:.0%} and {high:.0%}"
    )


def _provenance(job: Job) -> dict[str, Any]:
    """Return what made the numbers, and under `models` what a threshold is only good for."""
    pool, reranked = job.inputs["pool"].facts, job.inputs["reranked"].facts
    return {
        "dataset": dataset_name(str(job.settings.root / job.params["dataset.path"])),
        "conventions": CONVENTIONS,
        "chosen_on": CHOSEN_ON,
        "calibration": {name: value for name, value in job.params.items() if name.startswith("calibrate.")},
        "models": models_of(pool, reranked, job.params["calibrate.signal"]),
        "data": {name: job.inputs[name].facts["digest"] for name in ("documents", "queries", "labels")},
    }


def models_of(pool: Mapping[str, Any], reranked: Mapping[str, Any], signal: str) -> dict[str, Any]:
    """Return what makes signals comparable: the model with its settings, who orders the documents, the signal.

    Args:
        pool: facts of the output pool.
        reranked: facts of the output reranked.
        signal: calibrate.signal.
    """
    names = ("model_fingerprint", "dtype", "max_length", "too_long", "retriever")
    settings = pool["settings"]
    return {**{name: settings[name] for name in names}, "reranker": reranked["settings"], "signal": signal}


def _write_curves(splits: Mapping[str, Asked], path: Path) -> None:
    """Write what each threshold does, a row for each that makes a difference."""
    names = ("coverage", "precision", "wrong_shown", "right_lost", "unanswerable_shown")
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["split", "threshold", *names])
        for split, asked in splits.items():
            for one in curve(asked.signals):
                table.writerow([split, one.threshold, *(_written(getattr(one, name)) for name in names)])


def _written(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


STEP = Step(
    name="calibrate",
    run=run,
    reads=("documents", "queries", "labels", "pool", "reranked"),
    params=(
        "calibrate.cost_ratio",
        "calibrate.objective",
        "calibrate.precision",
        "calibrate.signal",
        "dataset.path",
        "evaluate.min_group",
        "evaluate.min_relevance",
    ),
    metrics=True,
    plots=("calibrate.csv",),
)
