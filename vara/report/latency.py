"""The latency table: first stage and reranker beside each other, read from lab/metrics/latency.json, never typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vara.errors import Problem, examples
from vara.report.table import is_number, read_metrics

COMMAND = "make lab"

STAGES = {
    "dense": "dense",
    "encode": "– encode",
    "search": "– search",
    "rerank": "reranker",
    "total": "total",
}
"""Stages in the order of the table, and what they are called there."""

COLUMNS = {"total s": "total_s", "mean ms": "mean_ms", "p50": "p50_ms", "p95": "p95_ms", "p99": "p99_ms"}
CROWD = {"queries/s": "qps", "p50 ms": "p50_ms", "p95 ms": "p95_ms", "p99 ms": "p99_ms", "errors": "errors"}

_COUNTS = ("n_queries", "n_durations", "ratio", "same_candidates", "same_order")


def read_latency(path: Path) -> dict[str, Any]:
    """Return the metric file of the latency step.

    Args:
        path: lab/metrics/latency.json.

    Raises:
        Problem: it has not been made, is no JSON object, or lacks a number that the tables need.
    """
    metrics = read_metrics(path, command=COMMAND)
    split = split_of(metrics)
    wanted = [f"{split}.{name}" for name in _COUNTS]
    wanted += [f"{split}.{stage}.{figure}" for stage in STAGES for figure in COLUMNS.values()]
    wanted += [f"clients.{clients}.qps" for clients in crowds(metrics)]
    bad = [name for name in wanted if not is_number(metrics.get(name))]
    if bad:
        found = f"no number under {examples(bad)}"
        raise Problem(str(path), found, expected="those of every stage", remedy=f"Run `{COMMAND}`.")
    return metrics


def split_of(metrics: Mapping[str, Any]) -> str:
    """Return the split that was timed, "" where the file names none."""
    ends = (key.removesuffix(".n_durations") for key in metrics if key.endswith(".n_durations"))
    return next(ends, "")


def crowds(metrics: Mapping[str, Any]) -> list[str]:
    """Return the numbers of clients that were measured, in the file's order."""
    return [key.split(".")[1] for key in metrics if key.startswith("clients.") and key.endswith(".qps")]


def stages(metrics: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the rows of the table: dense with its two parts, reranker, total; seconds of all queries once, and ms."""
    split = split_of(metrics)
    return [
        {
            "stage": title,
            **{name: shown(metrics[f"{split}.{key}.{figure}"]) for name, figure in COLUMNS.items()},
        }
        for key, title in STAGES.items()
    ]


def clients(metrics: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return a row for each number of clients."""
    return [
        {
            "clients": count,
            **{name: shown(metrics.get(f"clients.{count}.{key}")) for name, key in CROWD.items()},
        }
        for count in crowds(metrics)
    ]


def sentences(metrics: Mapping[str, Any], machine: Mapping[str, str]) -> Iterator[str]:
    """Yield what has to be known beside the table, a sentence a line.

    Args:
        metrics: as `read_latency` returned them.
        machine: this machine; another one than the file's is said.
    """
    split = split_of(metrics)
    yield f"The reranker takes {shown(metrics[f'{split}.ratio'])} times as long as dense."
    n, durations = metrics[f"{split}.n_queries"], metrics[f"{split}.n_durations"]
    yield f"{n} queries of split {split}, {durations} durations a stage, percentiles by nearest rank."
    same, order = (round(n * metrics[f"{split}.{name}"]) for name in ("same_candidates", "same_order"))
    yield f"{same} of {n} queries found their frozen candidates; {order} ended in the frozen order."
    loading = (
        f"{part} {shown(seconds)} s"
        for part in ("model", "lexical", "collection")
        if (seconds := metrics.get(f"loading.{part}_s")) is not None
    )
    memory = ", ".join(
        f"{shown(metrics.get(f'memory.{name}_mib'))} MiB {name}" for name in ("before", "loaded", "peak")
    )
    yield f"Engine: {metrics['engine']}."
    yield f"Loading, in no figure above: {', '.join(loading)}. Memory: {memory}."
    facts = metrics["machine"]
    yield f"Measured {metrics['measured']} on {', '.join(facts.values())}; load before: {metrics['load.before']:.2f}."
    if metrics["load.busy"]:
        yield "The machine was busy: run `python -m flows latency --again` when it is idle."
    if other := [name for name in machine if facts.get(name) != machine[name]]:
        yield f"This is another machine ({', '.join(other)}): `{COMMAND}` measures here."


def shown(value: float | None) -> str:
    """Return a number with three digits that count, integers whole, "–" for none.

    Example:
        >>> [shown(value) for value in (0.0139597, 12.3105, 614.5, 0, None)]
        ['0.0140', '12.3', '614', '0', '–']
    """
    if value is None:
        return "–"
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:#.3g}"
