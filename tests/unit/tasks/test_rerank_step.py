"""Reordering a pool: what is guaranteed stays behind what is ranked, and moves none of it."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.rerank import check_permutation, score
from vara.errors import Problem
from vara.index.frozen import Pool
from vara.index.retrieval import reordered
from vara.quality.ranking import byte_order


def pool(n_guaranteed: int) -> Pool:
    docs = ["a", "b", "c", "d"]
    return Pool(
        first_stage={"q": docs},
        guaranteed={"q": docs[len(docs) - n_guaranteed :]} if n_guaranteed else {},
        extent={},
        stood_in={},
        bm25={},
        scores={},
        dense={"q": np.float32([0.9, 0.5, 0.7, 0.1])},
        lexical={"q": np.float32([0, 8, 4, 20])},
        baseline={},
        recalled={},
    )


def reranked(n_guaranteed: int, kind: str) -> list[str]:
    asked = pool(n_guaranteed)
    scores = score(asked, kind=kind, weight=0.6)["q"]
    docs = asked.first_stage["q"]
    return [docs[row] for row in reordered(scores, byte_order(docs), asked.n_ranked("q"))]


def test_the_fused_order() -> None:
    # dense 1, .5, .75, 0; BM25 0, .4, .2, 1: a .6, b .46, c .53, d .4
    assert reranked(0, "fusion") == ["a", "c", "b", "d"]


def test_what_is_guaranteed_stays_behind() -> None:
    # among a, b, c alone: dense 1, 0, .5; BM25 0, 1, .5: a .6, b .4, c .5; d would be −.6 + 1.0 = .4
    assert reranked(1, "fusion") == ["a", "c", "b", "d"]
    # among a, b: a .6, b .4; c .6 · .5 + .4 · .5 = .5 would be between them; d .6 · −1 + .4 · 2.5 = .4
    assert reranked(2, "fusion") == ["a", "b", "c", "d"]


@pytest.mark.parametrize("n_guaranteed", [0, 1, 4])
def test_no_reranker_keeps_the_order(n_guaranteed: int) -> None:
    assert reranked(n_guaranteed, "none") == ["a", "b", "c", "d"]


def test_a_reranker_that_loses_a_document_is_refused() -> None:
    with pytest.raises(Problem, match=r"not the same documents as in the pool \(query q\)"):
        check_permutation({"q": ["a", "b"]}, {"q": ["a", "a"]})
