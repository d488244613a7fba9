"""Expected numbers on real collections, as data; `make accept` and a line in CHANGELOG.md move them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify.known import EXPECTED, measured, where_is


@pytest.mark.parametrize("name", EXPECTED)
def test_a_collection_gives_its_numbers(name: str, shared: Path, tmp_path: Path) -> None:
    wrong = []
    for run, metrics in measured(name, where_is(name, shared), tmp_path / "workspace"):
        assert metrics["data"] == EXPECTED[name]["data"], "the collection is another one"
        wrong += [
            f"{run['settings']} {measure}: {metrics[measure]}, not {value}"
            for measure, value in run["values"].items()
            if metrics[measure] != pytest.approx(value, abs=run["tolerance"])
        ]
    assert not wrong


def test_a_hybrid_search_lifts_recall_where_words_help() -> None:
    """SciFact: dense .837; min-max, or reciprocal ranks of stemmed words, reach .87."""
    recall = {
        tuple(run["settings"]): run["values"]["test.first_stage.R@20"] for run in EXPECTED["scifact"]["runs"]
    }
    dense, ranks, stretched, stemmed = recall.values()
    assert dense < ranks < min(stretched, stemmed)
    assert min(stretched, stemmed) >= 0.87


def test_a_hybrid_search_harms_where_words_mislead() -> None:
    """MED: what BM25 finds pushes out what vectors found; it has to be measured, not supposed."""
    dense, *hybrids = [run["values"]["test.first_stage.R@20"] for run in EXPECTED["med"]["runs"]]
    assert all(hybrid < dense for hybrid in hybrids)
