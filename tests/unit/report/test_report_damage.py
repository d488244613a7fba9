"""The result table of a metric file with nulls and reasons, and of one that is not what evaluate writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.tables import echo_table
from vara.errors import Problem
from vara.report.table import headline, markdown, outdated, read_metrics, reasons


def metrics(split: str = "test", **more: Any) -> dict[str, Any]:
    """Return a metric file of one cutoff, 5: every system has the same values."""
    found: dict[str, Any] = {f"{split}.n_queries": 3, f"{split}.n_evaluated": 2}
    for system in ("first_stage", "reranked", "bm25"):
        for measure in ("R@5", "P@5", "RR@5", "nDCG@5"):
            key = f"{split}.{system}.{measure}"
            found |= {key: 0.5, f"{key}.low": 0.1, f"{key}.high": 1.0, f"{key}.p5": 0.0}
    return {**found, **more}


def written(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("content", ["[]", "null", "3", '"test.n_queries"'])
@pytest.mark.parametrize("read", [read_metrics, headline, reasons, lambda path: outdated(path, {})])
def test_json_of_another_form(tmp_path: Path, content: str, read: Callable[[Path], object]) -> None:
    (tmp_path / "evaluate.json").write_text(content)
    with pytest.raises(Problem) as caught:
        read(tmp_path / "evaluate.json")
    assert str(caught.value) == (
        f"{tmp_path}/evaluate.json problem: found no JSON object, expected names and values. Run `dvc repro`."
    )


def without(*names: str) -> dict[str, Any]:
    return {key: value for key, value in metrics().items() if key not in names}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({}, "no split, expected its counts (SPLIT.n_queries)"),
        ({"dataset": "d", "test.first_stage.RR": 0.5}, "no split, expected its counts (SPLIT.n_queries)"),
        (without("test.n_evaluated"), "no number under test.n_evaluated"),
        (without("test.bm25.R@5", "test.reranked.RR@5"), "no number under test.reranked.RR@5, test.bm25.R@5"),
        (
            {"dev.n_queries": 3},
            "no number under dev.n_evaluated, dev.first_stage.RR, dev.reranked.RR and 1 more",
        ),
        (metrics(**{"test.bm25.R@5": "0.5"}), "no number under test.bm25.R@5"),
        (metrics(**{"test.bm25.R@5": float("nan")}), "no number under test.bm25.R@5"),
        (
            metrics(**{"test.bm25.R@5": [], "test.n_evaluated": None}),
            "no number under test.n_evaluated, test.bm25.R@5",
        ),
        (
            metrics(**{"test.bm25.R@5.low": "a", "test.bm25.R@5.high": True}),
            "no number under test.bm25.R@5.low, test.bm25.R@5.high",
        ),
    ],
)
def test_a_file_that_lacks_what_the_table_needs(tmp_path: Path, content: dict[str, Any], found: str) -> None:
    with pytest.raises(Problem) as caught:
        headline(written(tmp_path / "evaluate.json", content))
    expected = "" if "expected" in found else ", expected those of every split and system"
    assert str(caught.value) == f"{tmp_path}/evaluate.json problem: found {found}{expected}. Run `dvc repro`."


@pytest.mark.parametrize("made", [[], {"pool": 3}, {"reranked": ["kind"]}])
def test_systems_of_another_form(tmp_path: Path, made: object) -> None:
    with pytest.raises(Problem) as caught:
        outdated(
            written(tmp_path / "evaluate.json", {"systems": made}), {"pool.depth": 20, "rerank.kind": "a"}
        )
    assert str(caught.value) == (
        f"{tmp_path}/evaluate.json problem: found systems of another form, expected the settings of each. "
        "Run `dvc repro`."
    )


EMPTY = "the run holds no document for any evaluated query"


def test_a_system_without_documents_has_dashes_and_its_reason_once(tmp_path: Path) -> None:
    silent = {f"test.reranked.{measure}@5": None for measure in ("R", "RR", "nDCG")}
    reason = {
        "test.reranked.reason": EMPTY,
        "test.group.language=en.reranked.reason": EMPTY,
        "test.miss.reranked.reason": EMPTY,
    }
    path = written(tmp_path / "evaluate.json", {**metrics(), **silent, **reason})
    assert list(headline(path)[1].values()) == ["test", "reranked", "–", "–", "–", "2"]
    assert reasons(path) == [f"test reranked: {EMPTY}"]


def test_reasons_stand_in_the_order_of_the_table(tmp_path: Path) -> None:
    more = {"dev.bm25.reason": EMPTY, "train.reason": "no query with a relevant document"}
    more |= {"test.bm25.reason": EMPTY, "test.first_stage.reason": EMPTY}
    content = {**metrics("train"), **metrics("dev"), **metrics("test"), **more}
    assert reasons(written(tmp_path / "evaluate.json", content)) == [
        f"test first stage: {EMPTY}",
        f"test BM25 baseline: {EMPTY}",
        f"dev BM25 baseline: {EMPTY}",
        "train: no query with a relevant document",
    ]


def test_where_every_value_is_there_is_no_reason(tmp_path: Path) -> None:
    assert reasons(written(tmp_path / "evaluate.json", metrics())) == []


def test_no_rows_are_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    echo_table([])
    assert (capsys.readouterr().out, markdown([])) == ("", "")


def test_columns_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    echo_table([{"system": "first stage", "RR": "0.5"}, {"system": "BM25", "RR": "–"}])
    assert capsys.readouterr().out == "system       RR\nfirst stage  0.5\nBM25         –\n"
