"""The calibrate step on six queries: which signals, which threshold, what is said of too little."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tasks import calibrate
from tasks.calibrate import models_of, signal_of
from tests.conftest import ROOT
from vara import params as parameters
from vara.artifacts.step import Made, Output
from vara.datasets.tables import to_frame, write_table
from vara.errors import Problem
from vara.index.frozen import read_pool, read_reranked
from vara.quality.calibrated import read_threshold
from vara.watch import Silence

DEFAULTS = {**parameters.load(ROOT / "params.yaml").flat(), "evaluate.min_group": 2}
# query: split, cosines of (a, b), label on a
QUERIES: dict[str, tuple[str, tuple[float, float], int | None]] = {
    "q1": ("dev", (0.9, 0.1), 1),
    "q2": ("dev", (0.8, 0.7), 0),
    "q3": ("dev", (0.7, 0.3), 1),
    "q4": ("test", (0.95, 0.2), 1),
    "q5": ("test", (0.72, 0.71), None),
    "q6": ("test", (0.4, 0.3), 1),
}


class Notes(Silence):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, Output]:
    documents = [(doc, None, f"text {doc}", "{}", False, None) for doc in "ab"]
    queries = [
        (query, "text", split, "{}", "en", None, None, None) for query, (split, _, _) in QUERIES.items()
    ]
    labels = [
        (query, "a", grade, "human", None) for query, (_, _, grade) in QUERIES.items() if grade is not None
    ]
    for table, rows in {"documents": documents, "queries": queries, "labels": labels}.items():
        write_table(to_frame(table, rows), tmp_path / f"{table}.parquet")  # type: ignore[arg-type]
    cosines = np.float32([value for _, pair, _ in QUERIES.values() for value in pair])
    for name in ("dense", "lexical", "baseline", "scores"):
        np.save(tmp_path / f"{name}.npy", cosines)
    run = {query: ["a", "b"] for query in QUERIES}
    nothing = {"guaranteed": {}, "stood_in": {}, "extent": {}, "recalled": {}}
    (tmp_path / "pool.json").write_text(json.dumps({"first_stage": run, "bm25": run, **nothing}))
    (tmp_path / "reranked.json").write_text(json.dumps({"reranked": run}))
    embed = {"model_fingerprint": "m" * 64, "dtype": "float32", "max_length": 9, "too_long": "reject"}
    facts = {"digest": "0" * 64, "settings": {**embed, "retriever": "dense", "kind": "fusion", "weight": 0.6}}
    names = ("documents", "queries", "labels", "pool", "reranked")
    return {name: Output(name, tmp_path, facts, facts) for name in names}


def made(inputs: dict[str, Output], folder: Path, **changes: Any) -> tuple[dict[str, Any], list[str]]:
    """Run the step; return its metrics and what it said."""
    given = {f"calibrate.{name}": value for name, value in changes.items()}
    job = SimpleNamespace(
        inputs=inputs,
        params={
            name: value for name, value in {**DEFAULTS, **given}.items() if name in calibrate.STEP.params
        },
        folder=folder,
        watch=Notes(),
        settings=SimpleNamespace(root=folder),
    )
    done: Made = calibrate.run(job)  # type: ignore[arg-type]
    assert done.metrics is not None
    return dict(done.metrics), job.watch.lines


def test_chosen_on_dev_and_reported_on_test(inputs: dict[str, Output], tmp_path: Path) -> None:
    """dev: .9 right, .8 wrong, .7 right. Precision .6 is reached by showing all three (2 of 3)."""
    metrics, lines = made(inputs, tmp_path, precision=0.6)
    assert metrics["threshold"] == 0.7
    assert (metrics["chosen_on"], metrics["dev.coverage"], metrics["dev.n_wrong_shown"]) == ("dev", 1.0, 1)
    assert metrics["dev.precision"] == 0.6666666667
    # test: .95 right shown, .72 unanswerable and shown, .4 right and lost
    assert [metrics[f"test.n_{name}"] for name in ("shown", "wrong_shown", "right_lost", "unanswerable_shown")] == [2, 1, 1, 1]  # fmt: skip
    assert metrics["test.auroc.answerable"] == 0.5  # .95 wins, .4 loses against .72
    assert metrics["test.unanswerable_shown"] == 1.0
    assert metrics["test.unanswerable_shown.low"] < 0.25  # one query says little
    assert metrics["test.group.language=en.precision"] == 0.5
    counts = "3 of 3 dev queries show their first document, 1 of them wrong, 0 right ones lost"
    little = (
        "of 1 unanswerable ones 1 show something, which says no more than that it is between 21% and 100%"
    )
    assert lines == [f"threshold 0.7: {counts}; {little}"]


def test_a_higher_precision_costs_coverage(inputs: dict[str, Output], tmp_path: Path) -> None:
    assert made(inputs, tmp_path, precision=0.9)[0]["threshold"] == 0.9


def test_a_cost_instead(inputs: dict[str, Output], tmp_path: Path) -> None:
    # .7: one wrong; .8: one wrong and one lost; .9: one lost
    assert made(inputs, tmp_path, objective="cost", cost_ratio=0.5)[0]["threshold"] == 0.7
    assert made(inputs, tmp_path, objective="cost", cost_ratio=2.0)[0]["threshold"] == 0.9


def test_the_margin_is_a_signal_of_its_own(inputs: dict[str, Output], tmp_path: Path) -> None:
    """dev margins: .8 right, .1 wrong, .4 right: both right ones are above the wrong one."""
    metrics, _ = made(inputs, tmp_path, signal="margin", precision=1.0)
    assert (metrics["threshold"], metrics["dev.coverage"], metrics["dev.auroc.right"]) == (
        0.4,
        0.6666666667,
        1.0,
    )


def test_the_curve_is_a_table(inputs: dict[str, Output], tmp_path: Path) -> None:
    made(inputs, tmp_path)
    rows = (tmp_path / "calibrate.csv").read_text().splitlines()
    assert rows[:3] == [
        "split,threshold,coverage,precision,wrong_shown,right_lost,unanswerable_shown",
        "dev,0.7,1,0.6666666667,1,0,1",
        "dev,0.8,0.6666666667,0.5,1,1,1",
    ]
    assert len(rows) == 7


@pytest.mark.parametrize(("kind", "why"), [("fusion", "stretched within each pool"), ("none", "only a rank")])
def test_scores_relative_to_a_pool_are_refused(
    inputs: dict[str, Output], tmp_path: Path, kind: str, why: str
) -> None:
    settings = {**inputs["reranked"].facts["settings"], "kind": kind}
    changed = replace(inputs["reranked"], facts={**inputs["reranked"].facts, "settings": settings})
    with pytest.raises(Problem) as caught:
        made({**inputs, "reranked": changed}, tmp_path, signal="score")
    assert str(caught.value) == (
        f"calibrate.signal problem: score of rerank.kind {kind}, which is {why}. "
        "Take cosine or margin, or a cross-encoder's logit."
    )


def test_a_logit_is_a_signal(inputs: dict[str, Output], tmp_path: Path) -> None:
    settings = {**inputs["reranked"].facts["settings"], "kind": "cross-encoder"}
    changed = replace(inputs["reranked"], facts={**inputs["reranked"].facts, "settings": settings})
    np.save(tmp_path / "scores.npy", np.float32([8, 0, -1, -2, 5, 0, 9, 0, -3, -4, 2, 0]))
    assert made({**inputs, "reranked": changed}, tmp_path, signal="score", precision=1.0)[0]["threshold"] == 5.0  # fmt: skip


def test_without_dev_there_is_no_threshold(inputs: dict[str, Output], tmp_path: Path) -> None:
    rows = [(query, "text", "test", "{}", "en", None, None, None) for query in QUERIES]
    write_table(to_frame("queries", rows), tmp_path / "queries.parquet")
    metrics, lines = made(inputs, tmp_path)
    assert (metrics["threshold"], metrics["threshold.reason"]) == (
        None,
        "the dataset has no dev split to choose it on",
    )
    assert "test.coverage" not in metrics
    assert lines == ["no threshold: the dataset has no dev split to choose it on"]


def test_a_precision_out_of_reach_is_no_threshold(inputs: dict[str, Output], tmp_path: Path) -> None:
    np.save(tmp_path / "dense.npy", np.float32([0.5, 0] * 6))
    metrics, _ = made(inputs, tmp_path, precision=0.9)
    assert metrics["threshold"] is None
    assert metrics["threshold.reason"] == "no threshold reaches precision 0.9 on dev"


def test_nothing_found_is_below_every_threshold(inputs: dict[str, Output], tmp_path: Path) -> None:
    pool, reranked = read_pool(tmp_path), read_reranked(tmp_path)
    empty = replace(reranked, run={**reranked.run, "q1": []})
    assert signal_of("cosine", "q1", pool=pool, reranked=empty) == -np.inf
    assert signal_of("margin", "q2", pool=pool, reranked=reranked) == pytest.approx(0.1)
    swapped = replace(reranked, run={**reranked.run, "q2": ["b", "a"]})
    assert signal_of("cosine", "q2", pool=pool, reranked=swapped) == pytest.approx(
        0.7
    )  # what the user gets first
    assert signal_of("margin", "q2", pool=pool, reranked=swapped) == pytest.approx(-0.1)


def test_another_model_refuses_the_threshold(inputs: dict[str, Output], tmp_path: Path) -> None:
    metrics, _ = made(inputs, tmp_path, precision=0.6)
    path = tmp_path / "calibrate.json"
    path.write_text(json.dumps(metrics))
    models = models_of(inputs["pool"].facts, inputs["reranked"].facts, "cosine")
    assert read_threshold(path, models) == 0.7
    for name, value in {
        "model_fingerprint": "n" * 64,
        "signal": "margin",
        "reranker": {"kind": "none"},
    }.items():
        with pytest.raises(Problem) as caught:
            read_threshold(path, {**models, name: value})
        assert str(caught.value) == (
            f"threshold problem: chosen for another {name.replace('_', ' ')} ({path}). "
            "Signals of two models are not comparable: run `dvc repro calibrate`."
        )


@pytest.mark.parametrize("content", [b"", b"[]", b'{"models": 5, "threshold": 0.5}', b"[" * 100_000])
def test_a_damaged_threshold_file_is_one_problem(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "calibrate.json"
    path.write_bytes(content)
    with pytest.raises(Problem):
        read_threshold(path, {"signal": "cosine"})
