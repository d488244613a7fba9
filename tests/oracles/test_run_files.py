"""`vara evaluate` on whole files, against trec_eval's own code: on published files, and on random ones that we write."""

from __future__ import annotations

import json

import numpy as np
import pytest
import pytrec_eval

from flows.runs import as_json, evaluate
from tests.oracles.conftest import random_qrels, random_scores
from vara.datasets.qrels import read_qrels
from vara.datasets.runs import read_run
from vara.report.trec import qrels_lines

NAMES = {
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@20": "ndcg_cut_20",
    "nDCG": "ndcg",
    "RR": "recip_rank",
    "AP": "map",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "P@5": "P_5",
    "P@10": "P_10",
    "Success@1": "success_1",
    "Success@10": "success_10",
}
REFERENCE = {
    "ir_measures-compat": ("ir_measures/compat.qrels", "ir_measures/compat.run"),
    "trec_eval-results.test": ("trec_eval/qrels.test", "trec_eval/results.test"),
    "trec_eval-rel_level": ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
}


@pytest.mark.parametrize("name", REFERENCE)
def test_the_pinned_reference(fixtures, name):
    labels, run = (fixtures / path for path in REFERENCE[name])
    answer = as_json(evaluate([run], labels, " ".join(NAMES), queries=None, min_relevance=1))
    reference = json.loads((fixtures / "REFERENCE_pytrec_eval.json").read_text("utf-8"))[name]
    found = answer["runs"][run.name]
    assert {NAMES[ours]: value for ours, value in found.items()} == pytest.approx(
        {theirs: reference["all"][theirs] for theirs in NAMES.values()}, abs=1e-9, rel=0
    )
    assert answer["counts"]["n_relevant"] == reference["all"]["num_rel"]
    assert answer["counts"]["n_evaluated"] == reference["num_q"]


def test_comments_blanks_junk_and_packed_files_change_nothing(fixtures):
    """`# …` lines, one of them in an id's middle, a negative label; text behind the tag; gzip; JSON."""
    plain = read_qrels(fixtures / "trec_eval/qrels.test").qrels
    commented = read_qrels(fixtures / "trec_eval/qrels.test.with-comments")
    assert len(commented.qrels["301"]) >= len(plain["301"])
    assert "CR#93E-1860" in commented.qrels["301"]
    whole, cut = (
        read_run(fixtures / "trec_eval" / name).scores for name in ("results.test", "results.trunc")
    )
    assert all(whole[query][doc] == score for query, row in cut.items() for doc, score in row.items())
    forms = [
        read_run(fixtures / "ranx" / f"tests_unit_ranx_test_data_run.{end}")
        for end in ("trec", "trec.gz", "json")
    ]
    assert forms[0].scores == forms[1].scores == forms[2].scores
    labels = [
        read_qrels(fixtures / "ranx" / f"tests_unit_ranx_test_data_qrels.{end}")
        for end in ("trec", "trec.gz", "json")
    ]
    assert labels[0].qrels == labels[1].qrels == labels[2].qrels


def test_every_published_label_file_is_read(fixtures):
    read = {path.name: read_qrels(path) for path in sorted(fixtures.glob("anserini-qrels/qrels*"))}
    assert len(read) == 11
    assert read["qrels.covid-complete.txt"].n_unjudged == 2
    assert sum(map(len, read["qrels.dl20-passage.txt"].qrels.values())) == 11386
    assert read["qrels.miracl-v1.0-es-dev.tsv"].qrels["10036600#0"]["8156619#0"] == 1


def test_negative_labels_are_counted_as_unjudged(fixtures):
    found = read_qrels(fixtures / "trec_eval/qrels.rel_level")
    assert found.n_unjudged == 304
    assert min(grade for row in found.qrels.values() for grade in row.values()) == 0


@pytest.mark.parametrize("seed", range(4))
def test_random_files(tmp_path, seed):
    """What trec_eval counts as 0, a query without relevant documents, is in no mean here: it is left out there, too."""
    qrels = random_qrels(60, seed)
    scores = random_scores(qrels, seed)
    for lost in list(scores)[::9]:
        del scores[lost]
    (tmp_path / "labels").write_text("".join(qrels_lines(qrels)))
    lines = [
        f"{query} Q0 {doc} {rank} {score!r} tag\n"
        for query, row in scores.items()
        for rank, (doc, score) in enumerate(row.items(), start=1)  # ranks at random
    ]
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "run.json").write_text(json.dumps(scores))
    paths = [tmp_path / "run", tmp_path / "run.json"]
    evaluated = evaluate(paths, tmp_path / "labels", " ".join(NAMES), queries=None, min_relevance=1)
    answer = as_json(evaluated)
    assert answer["runs"]["run"] == answer["runs"]["run.json"]
    assert any("the rank column contradicts the scores" in notice for notice in answer["notices"])
    judged = {query: row for query, row in qrels.items() if max(row.values()) > 0}
    names = {
        f"{theirs[: theirs.rindex('_')]}.{theirs[theirs.rindex('_') + 1 :]}"
        for theirs in NAMES.values()
        if theirs[-1].isdigit()
    }
    oracle = pytrec_eval.RelevanceEvaluator(judged, names | {"ndcg", "map", "recip_rank"})
    rows = oracle.evaluate(scores)  # the scores are in steps of 1/512, which float32 holds
    for ours, theirs in NAMES.items():
        wanted = [rows[query][theirs] if query in rows else 0.0 for query in judged]
        assert answer["runs"]["run"][ours] == pytest.approx(np.mean(wanted), abs=1e-9), ours
    assert answer["counts"]["n_evaluated"] == len(judged)
    assert answer["counts"]["n_missing"] == len(judged.keys() - scores.keys())
