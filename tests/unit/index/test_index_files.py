"""Embeddings and pools on disk: what is written comes back, and what is wrong is not written."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from vara.artifacts.canonical import readable
from vara.errors import Problem
from vara.index.candidates import Candidates
from vara.index.frozen import order_digest, read_pool, read_reranked, write_pool
from vara.index.retrieval import Extent
from vara.index.vectors import Embeddings, read_embeddings, write_embeddings

UNIT = np.float32([[1, 0], [0.6, 0.8], [0, -1]])


def embeddings(documents: np.ndarray = UNIT, doc_ids: Sequence[str] = ("d1", "é", "1e5")) -> Embeddings:
    return Embeddings(list(doc_ids), documents, ["q1"], np.float32([[0.8, 0.6]]))


def test_embeddings_come_back_as_they_were(tmp_path: Path) -> None:
    write_embeddings(embeddings(), tmp_path)
    found = read_embeddings(tmp_path)
    assert found.doc_ids == ["d1", "é", "1e5"]
    assert found.query_ids == ["q1"]
    assert found.documents.tobytes() == UNIT.tobytes()
    assert found.queries.tobytes() == np.float32([[0.8, 0.6]]).tobytes()
    assert isinstance(found.documents, np.memmap)


def test_the_same_embeddings_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_embeddings(embeddings(), tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["doc_ids.json", "documents.npy", "queries.npy", "query_ids.json"]
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_corpus_of_empty_documents_has_no_vectors(tmp_path: Path) -> None:
    write_embeddings(embeddings(np.empty((0, 2), np.float32), []), tmp_path)
    assert read_embeddings(tmp_path).documents.shape == (0, 2)


NAN, LONG = np.float32([np.nan, 0]), np.float32([0.6, 0.81])


@pytest.mark.parametrize(
    ("rows", "count", "first"),
    [
        ([UNIT[0], NAN, LONG], 2, "é"),
        ([UNIT[0], UNIT[1], np.float32([np.inf, 0])], 1, "1e5"),
        ([np.float32([0, 0]), UNIT[1], UNIT[2]], 1, "d1"),
        ([UNIT[0], LONG, UNIT[2]], 1, "é"),  # sqrt(.36 + .6561) = 1.008
    ],
    ids=["not a number", "infinite", "zero", "too long"],
)
def test_what_has_no_direction_is_refused(
    tmp_path: Path, rows: list[np.ndarray], count: int, first: str
) -> None:
    with pytest.raises(Problem) as caught:
        write_embeddings(embeddings(np.stack(rows)), tmp_path)
    assert str(caught.value) == (
        f"embeddings problem: {count} vectors are not finite or not of length 1 (document {first}). "
        "Choose embed.dtype float32, or another model."
    )
    assert list(tmp_path.iterdir()) == []


def test_the_check_does_not_hold_all_vectors_in_double_precision(tmp_path: Path) -> None:
    documents = np.zeros((60_000, 32), dtype=np.float32)  # 7.7 MB; in double precision 15.4 MB
    documents[:, 5] = 1
    ids = [str(number) for number in range(len(documents))]
    tracemalloc.start()
    try:
        write_embeddings(embeddings(documents, ids), tmp_path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * documents.nbytes
    documents[50_000, 5] = 1.01  # … and looks at every one of them
    with pytest.raises(Problem, match=r"1 vectors .* \(document 50000\)"):
        write_embeddings(embeddings(documents, ids), tmp_path)


def test_queries_are_checked_as_well(tmp_path: Path) -> None:
    wrong = Embeddings(["d1"], UNIT[:1], ["q1", "q2"], np.stack([UNIT[0], LONG]))
    with pytest.raises(Problem, match=r"1 vectors are not finite or not of length 1 \(query q2\)"):
        write_embeddings(wrong, tmp_path)


def test_each_vector_has_an_id(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        write_embeddings(embeddings(doc_ids=["d1"]), tmp_path)
    assert str(caught.value) == (
        "embeddings problem: 3 vectors for 1 document ids. Report this as a defect of vara."
    )


def rows(*numbers: int) -> np.ndarray:
    return np.asarray(numbers, np.int64)


def scores(*values: float) -> np.ndarray:
    return np.asarray(values, np.float32)


CUT = Extent(9, truncated=True, limit=2)
CANDIDATES = [
    Candidates("q2", rows(2, 0), scores(0.9, 0.1), scores(0.9, 0.1), scores(0, 3), rows(0), scores(3), CUT, {}),
    Candidates("q1", rows(), scores(), scores(), scores(), rows(), scores(), Extent(0, truncated=False, limit=None), {}),
    Candidates(
        "q3",
        rows(1, 0),  # the second is there for its title
        scores(0.7),
        scores(0.5, 0.4),
        scores(2, 0),
        rows(1, 2),
        scores(2, 1),
        Extent(3, truncated=True, limit=None),
        {"typo": {"pasword": ["password"]}},
        recalled=(1, 2),
    ),
]  # fmt: skip


def freeze_to(folder: Path, candidates: Sequence[Candidates]) -> None:
    runs = write_pool(candidates, ["a", "b", "c"], folder)
    (folder / "pool.json").write_text(readable(runs))


def test_a_pool_comes_back_with_the_scores_of_each_query(tmp_path: Path) -> None:
    freeze_to(tmp_path, CANDIDATES)
    pool = read_pool(tmp_path)
    assert list(pool.first_stage.items()) == [("q2", ["c", "a"]), ("q1", []), ("q3", ["b", "a"])]
    assert pool.guaranteed == {"q3": ["a"]}
    assert [pool.n_ranked(query) for query in pool.first_stage] == [2, 0, 1]
    assert pool.extent == {one.query_id: one.extent for one in CANDIDATES}
    assert pool.stood_in == {"q3": {"typo": {"pasword": ["password"]}}}
    assert pool.recalled == {"q3": (1, 2)}
    assert list(pool.bm25.items()) == [("q2", ["a"]), ("q1", []), ("q3", ["b", "c"])]
    for name in ("scores", "dense", "lexical", "baseline"):
        found = getattr(pool, name)
        for one in CANDIDATES:
            assert found[one.query_id].dtype == np.float32
            assert found[one.query_id].tolist() == getattr(one, name).tolist()


def test_guaranteed_documents_are_below_the_ranked_ones_in_a_run(tmp_path: Path) -> None:
    freeze_to(tmp_path, CANDIDATES)
    pool = read_pool(tmp_path)
    found = {query: row.tolist() for query, row in pool.descending(pool.scores).items()}
    assert found == {"q2": scores(0.9, 0.1).tolist(), "q1": [], "q3": [scores(0.7)[0], -1.0]}  # below 0, too
    again = pool.descending({**pool.scores, "q3": scores(-2, 5)})["q3"]  # a reranker liked it better
    assert again.tolist() == [-2, -3]


def test_a_pool_of_no_query(tmp_path: Path) -> None:
    freeze_to(tmp_path, [])
    pool = read_pool(tmp_path)
    assert (pool.first_stage, pool.dense, pool.baseline) == ({}, {}, {})


def test_a_reranking_comes_back(tmp_path: Path) -> None:
    (tmp_path / "reranked.json").write_text(
        json.dumps({"reranked": {"q1": ["b", "a"], "q2": [], "q3": ["c"]}})
    )
    np.save(tmp_path / "scores.npy", np.float32([0.75, 0.5, 0.25]))
    found = read_reranked(tmp_path)
    assert found.run == {"q1": ["b", "a"], "q2": [], "q3": ["c"]}
    assert {query: scores.tolist() for query, scores in found.scores.items()} == {
        "q1": [0.75, 0.5],
        "q2": [],
        "q3": [0.25],
    }


def test_what_identifies_a_run() -> None:
    one = order_digest({"q1": ["a", "b"], "q2": ["c"]})
    assert one == order_digest(
        {"q2": ("c",), "q1": ("a", "b")}
    )  # neither the order of queries nor the type counts
    assert one != order_digest({"q1": ["b", "a"], "q2": ["c"]})
    assert one != order_digest({"q1": ["a", "b"], "q2": ["c"], "q3": []})
    assert one != order_digest({"q1": ["a"], "q2": ["b", "c"]})
