"""The latency table: every figure from the file, and what has to be known beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vara.errors import Problem
from vara.report.latency import clients, read_latency, sentences, shown, stages

MACHINE = {"cpu": "AMD EPYC", "cores": "2 of 2 cores"}
FIGURES = {"total_s": 0.5, "mean_ms": 10.0, "p50_ms": 8.0, "p95_ms": 20.25, "p99_ms": 123.4}


def metrics(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "dataset": "small",
        "engine": "edge, no HNSW",
        "machine": {**MACHINE, "instructions": "avx2"},
        "measured": "2026-01-02T03:04:05+00:00",
        "load.before": 0.125,
        "load.busy": False,
        "loading.model_s": 2.5,
        "loading.lexical_s": 0.05,
        "loading.collection_s": None,
        "memory.before_mib": 50.0,
        "memory.loaded_mib": 600.5,
        "memory.peak_mib": None,
        "dev.n_queries": 3,
        "dev.n_durations": 6,
        "dev.ratio": 0.0125,
        "dev.same_candidates": 1.0,
        "dev.same_order": 2 / 3,
        "clients.1.qps": 66.6,
        "clients.1.p50_ms": 9.0,
        "clients.1.p95_ms": 30.0,
        "clients.1.p99_ms": 31.0,
        "clients.1.errors": 0,
        "clients.16.qps": 0.0,
        "clients.16.p50_ms": None,
        "clients.16.p95_ms": None,
        "clients.16.p99_ms": None,
        "clients.16.errors": 6,
    }
    for number, stage in enumerate(("encode", "search", "dense", "rerank", "total")):
        made |= {f"dev.{stage}.{name}": value + number for name, value in FIGURES.items()}
    return {**made, **changes}


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_the_table(tmp_path: Path) -> None:
    read = read_latency(write(tmp_path / "latency.json", metrics()))
    assert stages(read) == [
        {"stage": "dense", "total s": "2.50", "mean ms": "12.0", "p50": "10.0", "p95": "22.2", "p99": "125"},
        {
            "stage": "– encode",
            "total s": "0.500",
            "mean ms": "10.0",
            "p50": "8.00",
            "p95": "20.2",
            "p99": "123",
        },
        {
            "stage": "– search",
            "total s": "1.50",
            "mean ms": "11.0",
            "p50": "9.00",
            "p95": "21.2",
            "p99": "124",
        },
        {
            "stage": "reranker",
            "total s": "3.50",
            "mean ms": "13.0",
            "p50": "11.0",
            "p95": "23.2",
            "p99": "126",
        },
        {"stage": "total", "total s": "4.50", "mean ms": "14.0", "p50": "12.0", "p95": "24.2", "p99": "127"},
    ]


def test_the_clients(tmp_path: Path) -> None:
    names = ("clients", "queries/s", "p50 ms", "p95 ms", "p99 ms", "errors")
    assert clients(metrics()) == [
        dict(zip(names, ("1", "66.6", "9.00", "30.0", "31.0", "0"), strict=True)),
        dict(zip(names, ("16", "0.00", "–", "–", "–", "6"), strict=True)),
    ]


def test_what_is_said_beside_it() -> None:
    assert list(sentences(metrics(), MACHINE)) == [
        "The reranker takes 0.0125 times as long as dense.",
        "3 queries of split dev, 6 durations a stage, percentiles by nearest rank.",
        "3 of 3 queries found their frozen candidates; 2 ended in the frozen order.",
        "Engine: edge, no HNSW.",
        "Loading, in no figure above: model 2.50 s, lexical 0.0500 s. Memory: 50.0 MiB before, 600 MiB loaded, – MiB peak.",
        "Measured 2026-01-02T03:04:05+00:00 on AMD EPYC, 2 of 2 cores, avx2; load before: 0.12.",
    ]


def test_a_busy_machine_and_another_machine_are_said() -> None:
    said = list(sentences(metrics(**{"load.busy": True}), {**MACHINE, "cpu": "Xeon", "memory": "8 GiB"}))
    assert said[-2:] == [
        "The machine was busy: run `python -m flows latency --again` when it is idle.",
        "This is another machine (cpu, memory): `make lab` measures here.",
    ]


def test_three_digits_that_count() -> None:
    values = (0.0139597, 12.3105, 614.5, 1234567.0, 99.96, 0, None)
    assert [shown(value) for value in values] == ["0.0140", "12.3", "614", "1234567", "100.", "0", "–"]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("dev.total.p99_ms", None, "no number under dev.total.p99_ms"),
        ("dev.ratio", "0.5", "no number under dev.ratio"),
        ("clients.16.qps", None, "no number under clients.16.qps"),
    ],
)
def test_a_number_that_is_missing(tmp_path: Path, name: str, value: Any, found: str) -> None:
    path = write(tmp_path / "latency.json", metrics(**{name: value}))
    with pytest.raises(Problem) as caught:
        read_latency(path)
    assert str(caught.value) == f"{path} problem: {found}, expected those of every stage. Run `make lab`."


def test_a_file_that_is_missing_or_of_another_form(tmp_path: Path) -> None:
    path = tmp_path / "latency.json"
    with pytest.raises(Problem) as caught:
        read_latency(path)
    assert str(caught.value) == f"{path} problem: not made yet. Run `make lab` first."
    path.write_text("{")
    with pytest.raises(Problem) as caught:
        read_latency(path)
    assert str(caught.value) == f"{path} problem: not valid JSON. Restore it with git, or run `make lab`."
    with pytest.raises(Problem, match=r"no number under \.n_queries, \.n_durations, \.ratio and 27 more"):
        read_latency(write(path, {}))
