"""The evaluate step: labels are joined, and the fidelity of an approximate first stage stands beside the quality."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tasks import evaluate
from vara.artifacts.step import Made, Output
from vara.datasets.tables import to_frame, write_table
from vara.watch import Silence

PARAMS = {
    "dataset.path": "data/small",
    "seed": 42,
    "evaluate.cutoffs": [2],
    "evaluate.min_relevance": 1,
    "evaluate.min_group": 1,
}
POOL = {"q1": ["a", "b"], "q2": ["b", "c"], "q3": ["c", "a"], "q4": []}


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, Output]:
    documents = [(doc, None, f"text {doc}", "{}", False, None) for doc in "abc"]
    queries = [(query, "text", "test", "{}", None, None, None, None) for query in POOL]
    labels = [("q1", "a", 1, "human", None), ("q2", "c", 1, "human", None), ("q3", "b", 1, "human", None)]
    for table, rows in {"documents": documents, "queries": queries, "labels": labels}.items():
        write_table(to_frame(table, rows), tmp_path / f"{table}.parquet")  # type: ignore[arg-type]
    for name in ("dense", "lexical", "baseline", "scores"):
        np.save(tmp_path / f"{name}.npy", np.float32([2, 1, 2, 1, 2, 1]))
    (tmp_path / "reranked.json").write_text(json.dumps({"reranked": POOL}))
    facts = {"digest": "0" * 64, "settings": {"depth": 2}, "retriever": "dense", "depth": 2, "ann_depth": 2}
    names = ("documents", "queries", "labels", "pool", "reranked")
    return {name: Output(name, tmp_path, facts, facts) for name in names}


def evaluated(inputs: dict[str, Output], folder: Path, **body: Any) -> Made:
    """Run the step on a pool of this body."""
    nothing = {"guaranteed": {}, "stood_in": {}, "extent": {}, "recalled": {}}
    (inputs["pool"].folder / "pool.json").write_text(
        json.dumps({"first_stage": POOL, "bm25": POOL, **nothing, **body})
    )
    job = SimpleNamespace(
        inputs=inputs, params=PARAMS, folder=folder, watch=Silence(), settings=SimpleNamespace(root=folder)
    )
    return evaluate.run(job)  # type: ignore[arg-type]


def fidelity(made: Made) -> dict[str, float]:
    assert made.metrics is not None
    return {key: value for key, value in made.metrics.items() if "annR" in key}


def test_an_exact_pool_has_no_fidelity_to_report(inputs: dict[str, Output], tmp_path: Path) -> None:
    assert fidelity(evaluated(inputs, tmp_path)) == {}


def test_an_approximate_pool_reports_what_it_found(inputs: dict[str, Output], tmp_path: Path) -> None:
    made = evaluated(inputs, tmp_path, recalled={"q1": [2, 2], "q2": [1, 2], "q3": [1, 1], "q4": [0, 0]})
    # (2/2 + 1/2 + 1/1) / 3, without the query that may see nothing; of three values the least is ⌈.05 · 3⌉-th
    assert fidelity(made) == {"first_stage.annR@2": 0.8333333333, "first_stage.annR@2.p5": 0.5}


def test_queries_that_may_see_nothing_have_no_fidelity(inputs: dict[str, Output], tmp_path: Path) -> None:
    assert fidelity(evaluated(inputs, tmp_path, recalled={query: [0, 0] for query in POOL})) == {}


def test_fidelity_is_no_quality(inputs: dict[str, Output], tmp_path: Path) -> None:
    """An engine that missed documents changes no labelled measure of the pool that it gave."""
    exact = evaluated(inputs, tmp_path).metrics
    found = evaluated(inputs, tmp_path, recalled={"q1": [0, 2]}).metrics
    assert exact is not None
    assert found is not None
    assert {key: value for key, value in found.items() if "annR" not in key} == exact
    assert found["test.first_stage.R@2"] == pytest.approx(
        2 / 3
    )  # a of q1, c of q2; b of q3 is not in its pool


def test_sources_are_measured_apart_and_count_what_the_query_may_see(
    inputs: dict[str, Output], tmp_path: Path
) -> None:
    documents = [(doc, None, f"text {doc}", "{}", doc == "z", None) for doc in "abcz"]
    write_table(to_frame("documents", documents), tmp_path / "documents.parquet")
    labels = [
        ("q1", "a", 1, "human", None),
        ("q2", "c", 1, "llm", None),
        ("q2", "z", 1, "llm", None),  # archived
        ("q3", "z", 1, "click", None),
    ]
    write_table(to_frame("labels", labels), tmp_path / "labels.parquet")
    found = evaluated(inputs, tmp_path).metrics
    assert found is not None
    assert {key: found[key] for key in found if key.endswith(".n_labels")} == {
        "test.source.human.n_labels": 1,
        "test.source.llm.n_labels": 1,
    }
    assert found["test.source.llm.reranked.RR"] == 0.5  # c is second of q2
    assert found["test.reranked.RR"] == 0.75
