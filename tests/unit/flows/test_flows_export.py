"""`vara export`: the dataset comes back, runs measure what the pipeline measured, rankings can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.workspace import Workspace
from tests.unit.flows.conftest import Vara
from vara.datasets.dataset import load_dataset
from vara.datasets.tables import table_digest
from vara.errors import Problem
from vara.report.trec import check_ids

RUNS = {"first_stage.run": "first_stage", "reranked.run": "reranked", "bm25.run": "bm25"}


def test_the_dataset_comes_back(vara: Vara, ran: Workspace, tmp_path: Path) -> None:
    code, out, _ = vara("export", "beir", str(tmp_path / "out"))
    assert code == 0
    assert out == [f"{tmp_path}/out/{name}" for name in ("corpus.jsonl", "qrels.tsv", "queries.jsonl")]
    before, after = load_dataset(ran.root / "data/small"), load_dataset(tmp_path / "out")
    for name, frame in before.tables.items():
        assert table_digest(after.tables[name]) == table_digest(frame)


def test_labels_by_split_come_back_by_split(tmp_path: Path) -> None:
    from flows.export import _write_dataset

    source = tmp_path / "source"
    (source / "qrels").mkdir(parents=True)
    (source / "corpus.jsonl").write_text('{"_id": "d", "text": "x"}\n{"_id": "e"}\n')
    (source / "queries.jsonl").write_text('{"_id": "q", "text": "y"}\n{"_id": "r", "text": "z"}\n')
    (source / "qrels/dev.tsv").write_text("query-id\tcorpus-id\tscore\tsource\nq\td\t1\tllm\n")
    (source / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nr\td\t2\n")
    before = load_dataset(source)
    target = tmp_path / "target"
    target.mkdir()
    _write_dataset((before.documents, before.queries, before.labels), target)
    assert (target / "qrels/test.tsv").read_text() == "query-id\tcorpus-id\tscore\tsource\nr\td\t2\thuman\n"
    for name, frame in before.tables.items():
        assert table_digest(load_dataset(target).tables[name]) == table_digest(frame)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_exported_runs_measure_what_the_pipeline_measured(
    vara: Vara, ran: Workspace, tmp_path: Path, split: str
) -> None:
    """Every mean, interval and percentile of metrics/evaluate.json, through TREC files and back."""
    assert vara("export", "trec", str(tmp_path / "out"))[0] == 0
    metrics = json.loads((ran.root / "metrics/evaluate.json").read_text())
    names = [
        "R@2",
        "Rcap@4",
        "P@2",
        "RR@4",
        "RR",
        "nDCG@2",
        "nDCG(gain='exp')@4",
        "AP@4",
        "Success@2",
        "Judged@4",
    ]
    runs = [word for name in RUNS for word in ("--run", f"{tmp_path}/out/{name}")]
    words = [*runs, "--qrels", f"{tmp_path}/out/qrels.{split}.txt", "--measures", " ".join(names), "--json"]
    code, out, err = vara("evaluate", *words)
    assert code == 0
    assert not any("contradicts" in line for line in err)
    answer = json.loads(out[0])
    for run, system in RUNS.items():
        for name in names:
            key, spread = f"{split}.{system}.{name}", answer["intervals"][run][name]
            assert answer["runs"][run][name] == metrics[key], key
            assert [spread[end] for end in ("low", "high", "p5")] == [
                metrics[f"{key}.{end}"] for end in ("low", "high", "p5")
            ]
    assert answer["counts"]["n_evaluated"] == metrics[f"{split}.n_evaluated"]


def test_a_run_in_trec_form(vara: Vara, tmp_path: Path) -> None:
    vara("export", "trec", str(tmp_path / "out"), "--trial", "one")
    lines = (tmp_path / "out/reranked.run").read_text().splitlines()
    assert len(lines) == 6  # a pool of one document, six queries
    query_id, zero, _, rank, score, tag = lines[0].split()
    assert (query_id, zero, rank, tag) == ("q1", "Q0", "1", "reranked")
    assert float(score) >= 0
    hidden = {"d6", "d7"}  # archived, and for the owner alone: no truth of q1
    labels = [line.split() for line in (tmp_path / "out/qrels.test.txt").read_text().splitlines()]
    assert not [row for row in labels if row[0] == "q1" and row[2] in hidden]
    assert ["q4", "0", "d7", "2"] in labels


def test_rankings_with_their_texts(vara: Vara, tmp_path: Path) -> None:
    assert vara("export", "json", str(tmp_path / "out"))[1] == [
        f"{tmp_path}/out/{name}" for name in ("pool.json", "reranked.json")
    ]
    pool, reranked = (
        json.loads((tmp_path / "out" / name).read_text()) for name in ("pool.json", "reranked.json")
    )
    assert [query["query_id"] for query in pool] == ["q1", "q2", "q3", "q4", "q5", "q6"]
    query = reranked[1]
    assert (query["text"], query["split"]) == ("labels come out blank", "test")
    found = {document["doc_id"]: document for document in query["documents"]}
    assert found.keys() == {document["doc_id"] for document in pool[1]["documents"]}
    assert found["d3"]["title"] == "Printer prints blank labels"
    assert found["d3"]["relevance"] == 3
    assert [document["rank"] for document in query["documents"]] == [1, 2, 3, 4]
    scores = [document["scores"]["reranked"] for document in query["documents"]]
    assert scores == sorted(scores, reverse=True)
    assert {name for document in pool[1]["documents"] for name in document["scores"]} == {"dense", "bm25"}
    assert [document["relevance"] for document in query["documents"]].count(None) == 3


def test_a_taken_target_and_a_trial_that_is_not_there(vara: Vara, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, out, err = vara("export", "json", str(tmp_path))
    assert (code, out) == (2, [])
    assert err == [f"{tmp_path} problem: something is there already. Name a folder that is new or empty."]
    code, _, err = vara("export", "json", str(tmp_path / "out"), "--trial", "none")
    assert (code, err) == (2, ["trial problem: no trials/none. Trials: one."])


def test_ids_that_trec_files_cannot_carry() -> None:
    check_ids(iter(["d1", "d\u00a01", "a#"]))  # a no-break space parts nothing
    with pytest.raises(Problem) as caught:
        check_ids(iter(["d1", "d 2", "#3", "d\t4", ""]))
    assert str(caught.value) == (
        "export problem: 4 ids that TREC files cannot carry ('d 2', '#3', 'd\\t4' and 1 more), "
        "expected no white space, and no # at the start. Rename them in the dataset, or use vara export json."
    )
