"""The result table: read from a metric file, for whatever was measured there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vara.errors import Problem
from vara.report.table import (
    columns,
    headline,
    interval,
    markdown,
    outdated,
    read_metrics,
    splits,
    updated,
)


def metrics(split: str = "test", cutoffs: tuple[int, ...] = (5, 10, 20), **more: Any) -> dict[str, Any]:
    """Return a metric file as evaluate writes it: every system has the same values."""
    found: dict[str, Any] = {"dataset": "d", f"{split}.n_queries": 3, f"{split}.n_evaluated": 2}
    for system in ("first_stage", "reranked", "bm25"):
        for k in cutoffs:
            for place, measure in enumerate(("R", "P", "RR", "nDCG", "nDCG(gain='exp')")):
                key = f"{split}.{system}.{measure}@{k}"
                found |= {key: place / 4, f"{key}.low": 0.1, f"{key}.high": 1.0, f"{key}.p5": 0.0}
        found[f"{split}.{system}.RR"] = 0.5
        found[f"{split}.group.language=en.{system}.P@99"] = 0.5
        found[f"{split}.{system}.tied_cuts@{cutoffs[0] if cutoffs else 1}"] = 0.0
    return {**found, **more}


def written(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("cutoffs", "expected"),
    [
        ((5, 10, 20), ["RR@5", "R@5", "nDCG@10", "R@20"]),
        ((20, 5, 10), ["RR@5", "R@5", "nDCG@10", "R@20"]),
        ((2, 4), ["RR@2", "R@2", "nDCG@4", "R@4"]),
        ((10,), ["RR@10", "R@10", "nDCG@10"]),
        ((1, 3, 10, 100), ["RR@1", "R@1", "nDCG@10", "R@100"]),
        ((), ["RR"]),  # every cutoff lay beyond the pool's depth
    ],
)
@pytest.mark.parametrize("split", ["test", "dev.2"])
def test_columns(split: str, cutoffs: tuple[int, ...], expected: list[str]) -> None:
    assert columns(metrics(split, cutoffs)) == expected


def test_splits_begin_with_test() -> None:
    assert splits({**metrics("dev"), **metrics("train"), **metrics("test")}) == ["test", "dev", "train"]
    assert splits(metrics("dev.2")) == ["dev.2"]


def test_a_row_a_split_and_system(tmp_path: Path) -> None:
    content = {
        **metrics("dev", (2,)),
        **metrics("test", (2,), **{"test.bm25.R@2": 0.123456, "test.n_evaluated": 48}),
    }
    rows = headline(written(tmp_path / "evaluate.json", content))
    assert [(row["split"], row["system"]) for row in rows] == [
        ("test", "first stage"),
        ("test", "reranked"),
        ("test", "BM25 baseline"),
        ("dev", "first stage"),
        ("dev", "reranked"),
        ("dev", "BM25 baseline"),
    ]
    assert rows[2] == {
        "split": "test",
        "system": "BM25 baseline",
        "RR@2": "0.500 [0.100, 1.000]",
        "R@2": "0.123 [0.100, 1.000]",
        "nDCG@2": "0.750 [0.100, 1.000]",
        "queries": "48",
    }


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({"m": 0.8125, "m.low": 0.74, "m.high": 0.8789}, "0.812 [0.740, 0.879]"),
        ({"m": 0.5, "m.low": None, "m.high": None}, "0.500"),  # one query has no interval
        ({"m": 0.0, "m.low": 0.0, "m.high": 0.0}, "0.000 [0.000, 0.000]"),  # zero is a value
        ({"m": 1}, "1.000"),
        ({"m": None, "m.low": None, "m.high": None}, "–"),
        ({}, "–"),
    ],
)
def test_interval(found: dict[str, Any], text: str) -> None:
    assert interval(found, "m") == text


def test_a_split_where_nothing_is_relevant_has_dashes(tmp_path: Path) -> None:
    content = {key: None if "@" in key else value for key, value in metrics(cutoffs=(5,)).items()}
    row = headline(written(tmp_path / "evaluate.json", content))[0]
    assert list(row.values()) == ["test", "first stage", "–", "–", "–", "2"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        headline(tmp_path / "evaluate.json")
    assert str(caught.value) == f"{tmp_path}/evaluate.json problem: not made yet. Run `dvc repro` first."


def test_half_a_file(tmp_path: Path) -> None:
    (tmp_path / "evaluate.json").write_text('{"dataset": ')
    with pytest.raises(Problem) as caught:
        read_metrics(tmp_path / "evaluate.json")
    assert str(caught.value) == (
        f"{tmp_path}/evaluate.json problem: not valid JSON. Restore it with git, or run `dvc repro`."
    )


MADE = {
    "systems": {
        "pool": {"model": "a", "dtype": "float32", "depth": 20, "filter": {}},
        "reranked": {"kind": "fusion", "weight": 0.6},
    }
}
FLAT = {
    "dataset.path": "data/d",
    "seed": 42,
    "embed.model": "a",
    "embed.dtype": "float32",
    "index.m": 16,
    "pool.depth": 20,
    "pool.filter": {},
    "rerank.kind": "fusion",
    "rerank.weight": 0.6,
    "evaluate.cutoffs": [5],
}


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ({}, []),
        ({"pool.depth": 10}, ["pool.depth 20 (now 10)"]),
        (
            {
                "rerank.weight": 0.5,
                "pool.filter": {"product": "web"},
                "embed.model": "b",
            },  # in the order of params.yaml
            [
                "embed.model a (now b)",
                "pool.filter {} (now {'product': 'web'})",
                "rerank.weight 0.6 (now 0.5)",
            ],
        ),
        ({"index.m": 8}, []),  # no number of an exact pool depends on it
        ({"pool.new": 1}, []),  # a parameter that the file knows nothing of
    ],
)
def test_which_parameters_have_changed(tmp_path: Path, now: dict[str, Any], words: list[str]) -> None:
    assert outdated(written(tmp_path / "evaluate.json", MADE), {**FLAT, **now}) == words


def test_a_file_that_names_no_parameters_is_not_outdated(tmp_path: Path) -> None:
    assert outdated(written(tmp_path / "evaluate.json", {}), FLAT) == []


def test_markdown() -> None:
    rows = [{"system": "first stage", "RR": "0.5"}, {"system": "BM25", "RR": "–"}]
    assert markdown(rows) == "| system | RR |\n| --- | --- |\n| first stage | 0.5 |\n| BM25 | – |"


PAGE = "# Title\n<!-- results:start -->\nold\n<!-- results:end -->\nafter <!-- results:end -->\n"


def test_a_table_between_its_marks_is_replaced_and_nothing_else() -> None:
    once = updated(PAGE, "| new |", where="README.md")
    assert (
        once == "# Title\n<!-- results:start -->\n| new |\n<!-- results:end -->\nafter <!-- results:end -->\n"
    )
    assert updated(once, "| new |", where="README.md") == once


@pytest.mark.parametrize(
    "page",
    ["", "<!-- results:start -->", "<!-- results:end -->", "<!-- results:end --> <!-- results:start -->"],
    ids=["none", "no end", "no start", "wrong order"],
)
def test_a_page_without_its_marks_is_refused(page: str) -> None:
    with pytest.raises(Problem) as caught:
        updated(page, "| new |", where="README.md")
    assert str(caught.value) == (
        "README.md problem: no <!-- results:start --> … <!-- results:end -->. Put both marks where the table belongs."
    )
