"""The evaluate step: labels are joined, and the fidelity of an approximate first stage stands beside the quality."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tasks import evaluate
from tasks.catalogue import read_catalogue
from tasks.truth import truth_of
from vara.artifacts.step import Made, Output
from vara.datasets.tables import to_frame, write_table
from vara.index.vectors import Embeddings, write_embeddings
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
    vectors = np.float32([[1, 0], [0, 1], [0.6, 0.8]])
    write_embeddings(Embeddings(list("abc"), vectors, list(POOL), np.float32([[1, 0]] * 4)), tmp_path)
    (tmp_path / "reranked.json").write_text(json.dumps({"reranked": POOL}))
    facts = {"digest": "0" * 64, "settings": {"depth": 2}, "retriever": "dense", "depth": 2, "ann_depth": 2}
    names = ("documents", "queries", "labels", "embed", "pool", "reranked")
    return {name: Output(name, tmp_path, facts, facts) for name in names}


def evaluated(inputs: dict[str, Output], folder: Path, **body: Any) -> Made:
    """Run the step on a pool of this body."""
    entries: list[tuple[str, str]] = []
    nothing = {"guaranteed": {}, "stood_in": {}, "extent": {}, "recalled": {}}
    (inputs["pool"].folder / "pool.json").write_text(
        json.dumps({"first_stage": POOL, "bm25": POOL, **nothing, **body})
    )
    job = SimpleNamespace(
        inputs=inputs,
        params=PARAMS,
        folder=folder,
        watch=Silence(),
        settings=SimpleNamespace(root=folder),
        tested=lambda *entry: entries.append(entry),
    )
    made = evaluate.run(job)  # type: ignore[arg-type]
    assert [labels for labels, _ in entries] == ["0" * 64]  # its test values stand in the ledger
    return made


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


def rewritten(inputs: dict[str, Output], rows: list[tuple[Any, ...]]) -> None:
    write_table(to_frame("documents", rows), inputs["documents"].folder / "documents.parquet")


def beyond(made: Made, figure: str) -> Any:
    assert made.metrics is not None
    return made.metrics[f"test.first_stage.{figure}"]


def test_results_are_looked_at_beyond_relevance(inputs: dict[str, Output], tmp_path: Path) -> None:
    """Results ab, bc, ca and nothing; a of 1 March, b without a date, c of 11 March."""
    dated = '{{"category":"{}","updated_at":"{}"}}'
    rewritten(
        inputs,
        [
            ("a", None, "text", dated.format("login", "2026-03-01"), False, None),
            ("b", None, "text", '{"category":"login"}', False, None),
            ("c", None, "text", dated.format("billing", "2026-03-11T08:00:00Z"), False, None),
        ],
    )
    made = evaluated(inputs, tmp_path)
    assert beyond(made, "categories@2") == 1.666666667  # 1, 2, 2
    assert beyond(made, "categories@2.n") == 3  # the fourth query shows nothing
    assert beyond(made, "ILD@2") == 0.533  # 1 − 0, 1 − .8, 1 − .6, over three
    assert beyond(made, "median_age_days@2") == 5.0  # a 10; c 0; c and a 5
    assert (beyond(made, "never_shown@2"), beyond(made, "exposure_gini@2")) == (0.0, 0.0)  # each twice
    keys = list(made.metrics or ())
    assert keys.index("test.first_stage.categories@2") > keys.index("test.bm25.R@2")


def test_what_nobody_can_see_is_not_missed(inputs: dict[str, Output], tmp_path: Path) -> None:
    """d is archived, e the owner's, f lies out of every scope that asks; g could have been shown."""
    more = [
        ("d", None, "text", '{"product":"web"}', True, None),
        ("e", None, "text", '{"product":"web"}', False, "owner"),
        ("f", None, "text", "{}", False, None),
        ("g", None, "text", '{"product":"web"}', False, None),
    ]
    rows = [(doc, None, "text", '{"product":"web"}', False, None) for doc in "abc"]
    rewritten(inputs, [*rows, *more])
    vectors = np.float32([[1, 0]] * 7)
    folder = inputs["embed"].folder
    write_embeddings(Embeddings(list("abcdefg"), vectors, list(POOL), np.float32([[1, 0]] * 4)), folder)
    scoped = [(query, "text", "test", "{}", None, None, None, '{"product":"web"}') for query in POOL]
    write_table(to_frame("queries", scoped), folder / "queries.parquet")
    assert beyond(evaluated(inputs, tmp_path), "never_shown@2") == 0.25  # g of a, b, c, g
    allowed = [(*scoped[0][:6], ["owner"], scoped[0][7]), *scoped[1:]]
    write_table(to_frame("queries", allowed), folder / "queries.parquet")
    assert beyond(evaluated(inputs, tmp_path), "never_shown@2") == 0.4  # e and g of five


@pytest.mark.parametrize(
    ("date", "has_one"),
    [
        ('"2026-03-11"', True),
        ('"2026-03-11 08:00"', True),
        ('"2026-02-30"', False),
        ('"11.3.2026"', False),
        ("20260311", False),
        ("null", False),
    ],
)
def test_what_a_date_is(inputs: dict[str, Output], tmp_path: Path, date: str, has_one: bool) -> None:
    rewritten(inputs, [(doc, None, "text", f'{{"updated_at":{date}}}', False, None) for doc in "abc"])
    made = evaluated(inputs, tmp_path)
    if has_one:
        assert beyond(made, "median_age_days@2") == 0.0
    else:
        assert beyond(made, "median_age_days@2") is None
        assert (
            beyond(made, "median_age_days@2.reason") == "no document shown has a date in metadata.updated_at"
        )


def test_dates_that_are_none_are_told(inputs: dict[str, Output], tmp_path: Path) -> None:
    told: list[str] = []
    rewritten(inputs, [(doc, None, "text", '{"updated_at":"soon"}', False, None) for doc in "abc"])
    read_catalogue(
        SimpleNamespace(inputs=inputs, watch=SimpleNamespace(note=told.append)),  # type: ignore[arg-type]
        truth_of(inputs),
    )
    assert told == ["documents whose updated_at is no ISO date have no age: 3"]


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
