"""The latency step: how long an answer takes on this machine, stage by stage and under load.

Its numbers are a machine's at one time: stored by machine, published to lab/, made by one process at a time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import cycle, islice
from typing import Any

from backends.machine import cores, forget_peak, load, memory_mib
from tasks.admission import PARAMS as ADMISSION
from tasks.admission import QUERY_COLUMNS, Query
from tasks.lexical import PARAMS as LEXICAL
from tasks.read import Corpus, read_corpus
from tasks.serving import Service, serving
from tasks.stopwatch import Answer, apart, together, under_load
from vara.artifacts.step import Job, Made, Step
from vara.datasets.names import dataset_name
from vara.datasets.splits import query_splits
from vara.datasets.tables import read_table
from vara.errors import Problem, examples, near_names
from vara.index.frozen import read_pool, read_reranked
from vara.index.retrieval import PARAMS as RETRIEVAL
from vara.index.retrieval import Rows
from vara.quality.timing import RULE, spread

STAGES = ("encode", "search", "dense", "rerank", "total")
BUSY = 0.5
"""Load a core from which a note says that other work may have been timed too."""


def run(job: Job) -> Made:
    """Time every query of the split after a warm-up, apart and together, then under each number of clients."""
    busy, peak_known = load(), forget_peak()
    before = memory_mib()[0]
    corpus = read_corpus(job)
    queries = read_queries(job, corpus)
    with serving(job, corpus) as service:
        job.watch.note(f"{service.engine}; {len(queries)} queries of split {job.params['latency.split']}")
        loaded = memory_mib()[0]
        for query in islice(cycle(queries), job.params["latency.warmup"]):
            service.answer(query)
        alone, answers = _alone(job, service, queries)
        crowds = _crowds(job, service, queries)
    timed = {
        **_provenance(job, service),
        **_load(job, busy),
        **{f"loading.{part}_s": service.loading.get(part) for part in ("model", "lexical", "collection")},
        "memory.before_mib": before,
        "memory.loaded_mib": loaded,
        "memory.peak_mib": memory_mib()[1] if peak_known else None,
        **_figures(job.params["latency.split"], alone, queries, job.params["latency.repeats"]),
        **_fidelity(job, corpus, answers),
        **crowds,
    }
    return Made(outputs={}, metrics=timed, items=sum(map(len, alone.values())))


def read_queries(job: Job, corpus: Corpus) -> list[Query]:
    """Return the queries of `latency.split`, in file order; also those without labels, which users ask too.

    Raises:
        Problem: there is none.
    """
    labels = read_table(job.inputs["labels"].folder / "labels.parquet", "labels")
    splits = query_splits(corpus.queries, labels)
    wanted = job.params["latency.split"]
    rows = corpus.queries.select(QUERY_COLUMNS).iter_rows()
    queries = [Query(*row) for row in rows if splits[row[0]] == wanted]
    if not queries:
        known = sorted({split for split in splits.values() if split})
        found = f"no query is in split {wanted!r}"
        raise Problem("latency.split", found, remedy=near_names(wanted, known, "splits"))
    return queries


def _alone(
    job: Job, service: Service, queries: Sequence[Query]
) -> tuple[dict[str, list[float]], dict[str, Answer]]:
    """Return {stage: ms of every query, `latency.repeats` times} and the last answer to each query."""
    durations: dict[str, list[float]] = defaultdict(list)
    answers: dict[str, Answer] = {}
    repeats = job.params["latency.repeats"]
    for repeat in range(repeats):
        for query in queries:
            stages, _ = apart(service, query)
            for stage, ms in stages.items():
                durations[stage].append(ms)
        for query in queries:
            ms, answers[query.query_id] = together(service, query)
            durations["total"].append(ms)
        job.watch.progress(repeat + 1, repeats, "passes")
    return durations, answers


def _crowds(job: Job, service: Service, queries: Sequence[Query]) -> dict[str, Any]:
    """Return what each number of clients met: queries a second, durations, and how many queries failed."""
    met: dict[str, Any] = {}
    for clients in job.params["latency.clients"]:
        crowd = under_load(service.answer, [*queries] * job.params["latency.repeats"], clients)
        if crowd.errors:
            job.watch.note(f"{clients} clients, {len(crowd.errors)} errors: {examples(crowd.errors)}")
        figures = spread(crowd.ms) if crowd.ms else {}
        met |= {
            f"clients.{clients}.qps": crowd.qps,
            f"clients.{clients}.errors": len(crowd.errors),
            **{
                f"clients.{clients}.{name}": figures.get(name)
                for name in ("mean_ms", "p50_ms", "p95_ms", "p99_ms")
            },
        }
    return met


def _provenance(job: Job, service: Service) -> dict[str, Any]:
    """Return what was measured, with what, where and when."""
    settings = job.settings
    return {
        "dataset": dataset_name(str(settings.root / job.params["dataset.path"])),
        "data": {name: job.inputs[name].facts["digest"] for name in ("documents", "queries")},
        "params": {name: value for name, value in job.params.items() if name != "dataset.path"},
        "model_fingerprint": job.inputs["embed"].facts["settings"]["model_fingerprint"],
        "engine": service.engine,
        "machine": {**settings.machine, "instructions": settings.platform["cpu"]},
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "percentiles": RULE,
    }


def _load(job: Job, before: float) -> dict[str, Any]:
    """Return how busy the machine was; the second value counts the measurement itself too."""
    busy = before > BUSY * cores()
    if busy:
        job.watch.note(
            f"the machine was busy (load {before:.1f} on {cores()} cores): measure again when it is idle"
        )
    return {"load.before": before, "load.after": load(), "load.busy": busy}


def _figures(
    split: str, durations: Mapping[str, Sequence[float]], queries: Sequence[Query], repeats: int
) -> dict[str, Any]:
    """Return the split's figures: `total_s` is the time of all queries once, the mean over the repeats."""
    figures: dict[str, Any] = {
        f"{split}.n_queries": len(queries),
        f"{split}.n_durations": len(durations["total"]),
    }
    for stage in STAGES:
        figures[f"{split}.{stage}.total_s"] = math.fsum(durations[stage]) / repeats / 1000
        figures |= {f"{split}.{stage}.{name}": value for name, value in spread(durations[stage]).items()}
    figures[f"{split}.ratio"] = math.fsum(durations["rerank"]) / math.fsum(durations["dense"])
    return figures


def _fidelity(job: Job, corpus: Corpus, answers: Mapping[str, Answer]) -> dict[str, float]:
    """Return the shares of queries whose candidates, and whose final order, are those that were frozen.

    The times of another search would say nothing about the numbers in metrics/evaluate.json.
    """
    frozen = read_pool(job.inputs["pool"].folder).first_stage
    reranked = read_reranked(job.inputs["reranked"].folder).run

    def ids(rows: Rows) -> list[str]:
        return [corpus.doc_ids[row] for row in rows.tolist()]

    other = [
        query for query, (found, _) in answers.items() if sorted(ids(found.rows)) != sorted(frozen[query])
    ]
    moved = [query for query, (_, order) in answers.items() if ids(order) != list(reranked[query])]
    if other:
        job.watch.note(f"{len(other)} queries found other candidates than the frozen ones: {examples(other)}")
    split, n = job.params["latency.split"], len(answers)
    return {f"{split}.same_candidates": 1 - len(other) / n, f"{split}.same_order": 1 - len(moved) / n}


STEP = Step(
    name="latency",
    run=run,
    reads=("documents", "queries", "labels", "embed", "index", "pool", "reranked"),
    params=(
        "dataset.path",
        *(f"embed.{name}" for name in ("dtype", "max_length", "model", "too_long")),
        *(f"index.{name}" for name in ("ef_construct", "engine", "m")),
        *(f"latency.{name}" for name in ("clients", "repeats", "split", "warmup")),
        *LEXICAL,
        *ADMISSION,
        *RETRIEVAL,
        "pool.search",
        "pool.title_guarantee",
        *(f"rerank.{name}" for name in ("kind", "weight")),
    ),
    metrics=True,
    measured=True,
)
