"""The pool step on a corpus with a canary: a document that is the best answer and that nobody but its owner may see."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tasks import pool
from vara.artifacts.step import Output
from vara.datasets.tables import to_frame, write_table
from vara.index.candidates import Candidates
from vara.index.vectors import Embeddings, write_embeddings
from vara.watch import Silence

# Angles in degrees: the smaller the distance to the query's, the larger the cosine.
DOCUMENTS = {
    "canary": (0, "secret printer report", {"audience": "owner", "product": "web"}),
    "old": (1, "secret printer report", {"status": "archived", "product": "web"}),
    "q-self": (2, "printer", {"product": "web"}),
    "near": (10, "printer labels", {"product": "web"}),
    "mid": (20, "printer paper", {"product": "pocket"}),
    "far": (80, "a booking", {"product": "web"}),
}
QUERIES = {"q-self": None, "q-owner": ["owner"], "q-staff": ["staff"]}
DEFAULTS = {"depth": 3, "exclude_self": False, "filter": {}, "retriever": "dense", "search": "exact"}


def angle(degrees: list[int]) -> np.ndarray:
    turned = np.radians(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


def output(folder: Path, name: str, **facts: Any) -> Output:
    return Output(name, folder, facts, facts)


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, Output]:
    rows = (
        (doc, None, text, json.dumps(more), more.get("status") == "archived", more.get("audience"))
        for doc, (_, text, more) in DOCUMENTS.items()
    )
    asked = (
        (query, "secret printer", "test", "{}", None, None, allowed, None)
        for query, allowed in QUERIES.items()
    )
    write_table(to_frame("documents", rows), tmp_path / "documents.parquet")
    write_table(to_frame("queries", asked), tmp_path / "queries.parquet")
    documents = angle([degrees for degrees, _, _ in DOCUMENTS.values()])
    write_embeddings(
        Embeddings(list(DOCUMENTS), documents, list(QUERIES), angle([0] * len(QUERIES))), tmp_path
    )
    embed = output(tmp_path, "embed", settings={"model": "angles"})
    return {name: output(tmp_path, name) for name in ("documents", "queries")} | {"embed": embed}


def pooled(inputs: dict[str, Output], folder: Path, **changes: Any) -> dict[str, dict[str, list[str]]]:
    folder.mkdir()
    params = {f"pool.{name}": value for name, value in {**DEFAULTS, **changes}.items()}
    made = pool.run(SimpleNamespace(inputs=inputs, params=params, folder=folder, watch=Silence()))  # type: ignore[arg-type]
    return made.bodies["pool"]  # type: ignore[return-value]


def test_permissions_and_archive_act_before_the_cut(inputs: dict[str, Output], tmp_path: Path) -> None:
    runs = pooled(inputs, tmp_path / "out")
    everybody = ["q-self", "near", "mid"]
    assert runs["first_stage"] == {
        "q-self": everybody,
        "q-owner": ["canary", "q-self", "near"],
        "q-staff": everybody,
    }
    # "secret" stands in hidden documents alone: BM25 finds the rest by "printer", shorter texts first
    assert runs["bm25"]["q-owner"][0] == "canary"
    assert set(runs["bm25"]["q-staff"]) == {"q-self", "near", "mid"}


@pytest.mark.parametrize("retriever", ["dense", "bm25"])
@pytest.mark.parametrize("depth", [1, 3, 50])
def test_nobody_else_ever_meets_the_canary(
    inputs: dict[str, Output], tmp_path: Path, retriever: str, depth: int
) -> None:
    runs = pooled(inputs, tmp_path / "out", retriever=retriever, depth=depth)
    for ranking in runs.values():
        for query, docs in ranking.items():
            assert ("canary" in docs) == (query == "q-owner")
            assert "old" not in docs


def test_a_document_with_the_id_of_the_query_leaves_before_the_cut(
    inputs: dict[str, Output], tmp_path: Path
) -> None:
    runs = pooled(inputs, tmp_path / "out", exclude_self=True)
    assert runs["first_stage"]["q-self"] == ["near", "mid", "far"]  # still three
    assert "q-self" not in runs["bm25"]["q-self"]
    assert runs["first_stage"]["q-staff"] == ["q-self", "near", "mid"]  # only that query's own


def test_a_filter_acts_before_the_cut(inputs: dict[str, Output], tmp_path: Path) -> None:
    runs = pooled(inputs, tmp_path / "out", filter={"product": "web"})
    assert runs["first_stage"]["q-staff"] == ["q-self", "near", "far"]
    assert runs["first_stage"]["q-owner"] == ["canary", "q-self", "near"]


def test_filter_permission_and_self_leave_nothing(inputs: dict[str, Output], tmp_path: Path) -> None:
    runs = pooled(inputs, tmp_path / "out", filter={"audience": "owner"}, exclude_self=True)
    assert runs["first_stage"] == {"q-self": [], "q-owner": ["canary"], "q-staff": []}


class Notes(Silence):
    """A watch that keeps the notes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


def test_an_exact_pool_says_nothing_of_recall(inputs: dict[str, Output], tmp_path: Path) -> None:
    assert set(pooled(inputs, tmp_path / "out")) == {"first_stage", "bm25"}


def test_an_approximate_pool_counts_what_it_found(inputs: dict[str, Output], tmp_path: Path) -> None:
    """The engine in memory is exact, so that it finds every document of each pool."""
    facts = {"engine": "memory", "m": 16, "ef_construct": 128}
    embed = replace(inputs["embed"], identity={"recipe": "f" * 64})
    job = SimpleNamespace(
        inputs={**inputs, "embed": embed, "index": output(tmp_path, "index", **facts)},
        params={f"pool.{name}": value for name, value in {**DEFAULTS, "search": "ann"}.items()},
        folder=tmp_path / "out",
        watch=Notes(),
        settings=SimpleNamespace(collections=tmp_path / "collections", digest_of=None, qdrant={}),
    )
    job.folder.mkdir()
    body = pool.run(job).bodies["pool"]  # type: ignore[arg-type]
    exact = pooled(inputs, tmp_path / "exact")
    assert body["first_stage"] == exact["first_stage"]
    assert body["recalled"] == {"q-self": (3, 3), "q-owner": (3, 3), "q-staff": (3, 3)}
    assert job.watch.lines[-1] == "the collection found 9 of the 9 documents of the exact pools"


def test_the_note_has_the_sum_over_all_queries() -> None:
    nothing = np.empty(0, np.float32)

    def one(query: str, recalled: tuple[int, int] | None) -> Candidates:
        rows = np.empty(0, np.int64)
        return Candidates(query, rows, rows, nothing, nothing, nothing, recalled)

    watch = Notes()
    job: Any = SimpleNamespace(watch=watch)
    counts = {"q1": (2, 3), "q2": (3, 3), "q3": (0, 0)}
    assert pool._recalled(job, [one(*item) for item in counts.items()]) == {"recalled": counts}
    assert watch.lines == ["the collection found 5 of the 6 documents of the exact pools"]
    assert pool._recalled(job, [one("q1", None)]) == {}
    assert len(watch.lines) == 1
