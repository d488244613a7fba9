"""What the parameters say of the first stage."""

from __future__ import annotations

from typing import Any

import pytest

from vara.index.retrieval import Extent, Retrieval, retrieval_of

SHIPPED = {
    "pool.depth": 20,
    "pool.retriever": "hybrid",
    "pool.cap": {},
    "pool.fusion": "rrf",
    "pool.rrf_constant": 60,
    "pool.weights": {"dense": 1.0, "bm25": 1.0},
}


def rules(**changes: Any) -> Retrieval:
    return retrieval_of({**SHIPPED, **{f"pool.{name}": value for name, value in changes.items()}})


@pytest.mark.parametrize(
    ("changes", "dense", "kept"),
    [
        ({}, None, 20),
        ({"cap": {"dense": 100, "total": 100}}, 100, 20),
        ({"cap": {"dense": 10, "total": 10}}, 10, 10),
        ({"cap": {"total": 5}}, None, 5),
        ({"cap": {"dense": 3, "bm25": 3}}, 3, 6),  # two lists of three make six at most
        ({"cap": {"dense": 3}}, 3, 20),
        ({"retriever": "dense"}, 20, 20),
        ({"retriever": "dense", "cap": {"dense": 7}}, 7, 7),
        ({"retriever": "dense", "cap": {"bm25": 7}}, 20, 20),
        ({"retriever": "dense", "cap": {"total": 3, "dense": 7}}, 3, 3),
    ],
)
def test_what_a_retriever_is_asked_for_and_what_is_kept(
    changes: dict[str, Any], dense: int | None, kept: int
) -> None:
    retrieval = rules(**changes)
    assert (retrieval.asked_of("dense"), retrieval.kept) == (dense, kept)


@pytest.mark.parametrize(
    ("extent", "words"),
    [
        (Extent(3, truncated=False, limit=None), "3 of 3 matching documents"),
        (Extent(9, truncated=True, limit=2), "3 of 9 matching documents, cut at 2"),
        (Extent(9, truncated=True, limit=None), "3 of 9 matching documents, each retriever's list cut apart"),
    ],
)
def test_a_result_says_in_words_how_complete_it_is(extent: Extent, words: str) -> None:
    assert extent.says(3) == words


def test_a_result_says_what_is_guaranteed() -> None:
    extent = Extent(1, truncated=False, limit=None)
    assert extent.says(1, 2) == "1 of 1 matching documents, and 2 guaranteed by their title"
