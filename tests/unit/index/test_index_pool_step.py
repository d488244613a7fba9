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
from tests.conftest import ROOT
from vara import params as parameters
from vara.artifacts.canonical import file_digest
from vara.artifacts.step import Output
from vara.datasets.tables import to_frame, write_table
from vara.errors import Problem
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
TITLES = {
    "canary": "Secret printer",
    "old": "Secret printer",
    "far": "The secret printer!",
    "mid": "Printers",
}
QUERIES = {"q-self": None, "q-owner": ["owner"], "q-staff": ["staff"]}
DEFAULTS = {**parameters.load(ROOT / "params.yaml").flat(), "pool.depth": 3}


def angle(degrees: list[int]) -> np.ndarray:
    turned = np.radians(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


def output(folder: Path, name: str, **facts: Any) -> Output:
    return Output(name, folder, facts, facts)


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, Output]:
    rows = (
        (doc, TITLES.get(doc), text, json.dumps(more), more.get("status") == "archived", more.get("audience"))
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


class Notes(Silence):
    """A watch that keeps the notes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


def pooled(inputs: dict[str, Output], folder: Path, watch: Silence | None = None, **changes: Any) -> Any:
    """Run the step and return what it tracks of the queries; `lexical_typos=True` means lexical.typos."""
    folder.mkdir()
    given = {
        name.replace("_", ".", 1) if name.startswith("lexical_") else f"pool.{name}": value
        for name, value in changes.items()
    }
    job = SimpleNamespace(
        inputs=inputs, params={**DEFAULTS, **given}, folder=folder, watch=watch or Silence()
    )
    return pool.run(job).bodies["pool"]  # type: ignore[arg-type]


def test_permissions_and_archive_act_before_the_cut(inputs: dict[str, Output], tmp_path: Path) -> None:
    runs = pooled(inputs, tmp_path / "out")
    everybody = ["q-self", "near", "mid"]
    assert runs["first_stage"] == {
        "q-self": everybody,
        "q-owner": ["canary", "q-self", "near"],
        "q-staff": everybody,
    }
    # "secret" stands in the title of "far"; BM25 finds the rest by "printer", shorter texts first
    assert runs["bm25"]["q-owner"][0] == "canary"
    assert set(runs["bm25"]["q-staff"]) == {"far", "q-self", "near"}


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid"])
@pytest.mark.parametrize("depth", [1, 3, 50])
def test_nobody_else_ever_meets_the_canary(
    inputs: dict[str, Output], tmp_path: Path, retriever: str, depth: int
) -> None:
    runs = pooled(inputs, tmp_path / "out", retriever=retriever, depth=depth)
    for name in ("first_stage", "bm25"):
        for query, docs in runs[name].items():
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


def test_an_exact_pool_says_nothing_of_recall(inputs: dict[str, Output], tmp_path: Path) -> None:
    assert pooled(inputs, tmp_path / "out")["recalled"] == {}


def approximate(
    inputs: dict[str, Output], folder: Path, engine: str = "memory", **changes: Any
) -> tuple[Any, list[str]]:
    """Run the step on an engine, exact on so few documents; return what the step tracks and what it said."""
    facts = {"engine": engine, "m": 16, "ef_construct": 128}
    embed = replace(inputs["embed"], identity={"recipe": "f" * 64})
    given = {f"pool.{name}": value for name, value in {"search": "ann", **changes}.items()}
    folder.mkdir()
    job = SimpleNamespace(
        inputs={**inputs, "embed": embed, "index": output(folder, "index", **facts)},
        params={**DEFAULTS, **given},
        folder=folder,
        watch=Notes(),
        settings=SimpleNamespace(collections=folder / "collections", digest_of=file_digest, qdrant={}),
    )
    return pool.run(job).bodies["pool"], job.watch.lines  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["memory", "edge"])
@pytest.mark.parametrize("retriever", ["dense", "hybrid"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"exclude_self": True},
        {"filter": {"product": "pocket"}},
        {"filter": {"product": ["pocket", "web"], "audience": "owner"}, "exclude_self": True},
    ],
)
def test_an_engine_sees_with_the_eyes_of_the_query(
    inputs: dict[str, Output], tmp_path: Path, engine: str, retriever: str, changes: dict[str, Any]
) -> None:
    """Were anything hidden found by the engine, it would be dropped after the cut, and the pool would not be full."""
    asked = {"depth": 2, "retriever": retriever, "cap": {"dense": 2}, **changes}
    body, _ = approximate(inputs, tmp_path / "ann", engine, **asked)
    assert body["first_stage"] == pooled(inputs, tmp_path / "exact", **asked)["first_stage"]
    assert all(found == expected for found, expected in body["recalled"].values())


def test_an_approximate_pool_counts_what_it_found(inputs: dict[str, Output], tmp_path: Path) -> None:
    body, lines = approximate(inputs, tmp_path / "out")
    exact = pooled(inputs, tmp_path / "exact")
    assert body["first_stage"] == exact["first_stage"]
    assert body["recalled"] == {"q-self": (3, 3), "q-owner": (3, 3), "q-staff": (3, 3)}
    assert lines[-1] == "the collection found 9 of the 9 documents of the exact ranking"


def test_an_approximate_hybrid_is_told_how_many(inputs: dict[str, Output], tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        approximate(inputs, tmp_path / "refused", retriever="hybrid")
    assert str(caught.value) == (
        "pool.cap problem: no number for the dense list, which an approximate search has to be told. "
        "Set one, as in pool.cap={dense: 1000}, or pool.search=exact."
    )
    body, lines = approximate(inputs, tmp_path / "out", retriever="hybrid", cap={"dense": 2})
    assert body["first_stage"] == pooled(inputs, tmp_path / "exact", retriever="hybrid", cap={"dense": 2})["first_stage"]  # fmt: skip
    assert lines[-1] == "the collection found 6 of the 6 documents of the exact ranking"


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid"])
def test_a_title_that_contains_the_query_is_found_at_any_depth(
    inputs: dict[str, Output], tmp_path: Path, retriever: str
) -> None:
    """ "far" is the last of all; "canary" and "old" have that title, too, and are still for the owner, or for nobody."""
    notes = Notes()
    plain = pooled(inputs, tmp_path / "plain", retriever=retriever, depth=1)["first_stage"]
    body = pooled(inputs, tmp_path / "out", notes, retriever=retriever, depth=1, title_guarantee=True)
    guaranteed = {
        query: [doc for doc in ("canary", "far") if doc not in plain[query] and (doc != "canary" or query == "q-owner")]
        for query in QUERIES
    }  # fmt: skip
    assert {query: docs[1:] for query, docs in body["first_stage"].items()} == guaranteed
    assert {query: docs[:1] for query, docs in body["first_stage"].items()} == plain
    assert body["guaranteed"] == {query: docs for query, docs in guaranteed.items() if docs}
    count = sum(map(len, guaranteed.values()))
    assert notes.lines[-1].startswith(f"title guarantee: {count} documents behind the ranking of ")


def test_nothing_is_guaranteed_unless_asked_for(inputs: dict[str, Output], tmp_path: Path) -> None:
    body = pooled(inputs, tmp_path / "out", depth=1)
    assert (body["guaranteed"], body["stood_in"]) == ({}, {})


def test_a_fallback_says_where_it_acted(inputs: dict[str, Output], tmp_path: Path) -> None:
    """ "secret" stands in documents of the owner alone, and in a title that everybody may see."""
    asked = [("q-self", "sekret printer"), ("q-owner", "repor"), ("q-staff", "repor")]
    rows = [(query, text, "test", "{}", None, None, QUERIES[query], None) for query, text in asked]
    write_table(to_frame("queries", rows), tmp_path / "queries.parquet")
    notes = Notes()
    body = pooled(inputs, tmp_path / "out", notes, lexical_typos=True, lexical_prefixes=True)
    assert body["stood_in"] == {
        "q-self": {"typo": {"sekret": ["secret"]}},
        "q-owner": {"prefix": {"repor": ["report"]}},  # nobody else may know that there is a report
    }
    assert body["bm25"]["q-owner"] == ["canary"]
    assert body["bm25"]["q-staff"] == []
    assert notes.lines == [
        "prefix fallback: 1 unknown terms of 1 queries",
        "typo fallback: 1 unknown terms of 1 queries",
    ]


def test_every_result_says_how_complete_it_is(inputs: dict[str, Output], tmp_path: Path) -> None:
    body = pooled(inputs, tmp_path / "out", retriever="hybrid", cap={"dense": 3, "bm25": 1})
    assert body["extent"]["q-owner"] == {"total": 5, "truncated": True, "limit": None}
    assert pooled(inputs, tmp_path / "dense")["extent"]["q-staff"] == {"total": 4, "truncated": True, "limit": 3}  # fmt: skip
