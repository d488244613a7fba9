"""Every measure that trec_eval has, query by query, against trec_eval's own C code.

Its scores are float32 and its ties are ours, so it gets negated ranks, which float32 holds exactly; where float32
keeps the raw scores apart it gets those too. Queries without relevant documents count 0 there and have no row here.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
import pytrec_eval

from tests.oracles.conftest import random_qrels, random_scores, read_qrels, read_scores
from vara.quality.bootstrap import mean
from vara.quality.formulas import values
from vara.quality.judging import judge, judge_scores
from vara.quality.measures import parse
from vara.quality.ranking import rank_run

CUTOFFS = (1, 3, 5, 10, 20, 100)
FAMILIES = {"R": "recall", "P": "P", "nDCG": "ndcg_cut", "AP": "map_cut", "Success": "success"}
THEIRS = {f"{ours}@{cutoff}": f"{name}_{cutoff}" for ours, name in FAMILIES.items() for cutoff in CUTOFFS} | {
    "RR": "recip_rank",
    "AP": "map",
    "nDCG": "ndcg",
}

PAIRS = [
    ("ir_measures/compat.qrels", "ir_measures/compat.run"),
    ("ir_measures/cwl.qrels", "ir_measures/cwl.run"),
    ("trec_eval/qrels.test", "trec_eval/results.test"),
    ("trec_eval/qrels.test.with-comments", "trec_eval/results.trunc"),
    ("trec_eval/qrels.123", "trec_eval/results.test"),
    ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
    ("trec_eval/qrels-302.test", "trec_eval/results-302.test"),
    ("trec_eval/qrels.comment.test", "trec_eval/results.comment.test"),
    ("ranx/tests_unit_ranx_test_data_qrels.trec", "ranx/tests_unit_ranx_test_data_run.trec"),
    ("trectools/qrel1.txt", "trectools/r5.run"),
]

LABELS_ALONE = [
    *(f"anserini-qrels/qrels.beir-v1.0.0-{name}.test.txt" for name in ["arguana", "nfcorpus", "scifact"]),
    *(f"anserini-qrels/qrels.covid-{name}.txt" for name in ["complete", "round1", "round5"]),
    *(f"anserini-qrels/qrels.{name}-passage.txt" for name in ["dl19", "dl20"]),
    "anserini-qrels/qrels.miracl-v1.0-es-dev.tsv",
    "anserini-qrels/qrels.mrtydi-v1.1-en.dev.txt",
    "anserini-qrels/qrels.msmarco-passage.dev-subset.txt",
    "ranx/notebooks_data_qrels.trec",
    "ranx/notebooks_data_small_qrels.trec",
]


def oracle(qrels, scores, level):
    names = {
        name.rsplit("_", 1)[0] + f".{name.rsplit('_', 1)[1]}"
        for name in THEIRS.values()
        if name[-1].isdigit()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, names | {"recip_rank", "map", "ndcg"}, relevance_level=level
    )
    return evaluator.evaluate(scores)


def assert_agreement(qrels, scores, level=1):
    """Compare all measures on all queries, with negated ranks and, where they are as good, with raw scores."""
    run = rank_run(scores)
    judged = judge_scores(scores, qrels, min_relevance=level)
    assert np.array_equal(judged.relevance, judge(run, qrels, min_relevance=level).relevance)
    ranks = {query_id: {doc_id: -rank for rank, doc_id in enumerate(row)} for query_id, row in run.items()}
    rivals = [oracle(qrels, ranks, level)]
    if all(
        len(set(np.float32(list(row.values())).tolist())) == len(set(row.values())) for row in scores.values()
    ):
        rivals.append(oracle(qrels, scores, level))
    for name, theirs in THEIRS.items():
        ours = dict(zip(judged.query_ids, values(judged, parse(name)).tolist(), strict=True))
        for rival in rivals:
            wanted = {query_id: rival[query_id][theirs] for query_id in ours if query_id in rival}
            assert {query_id: ours[query_id] for query_id in wanted} == pytest.approx(
                wanted, abs=1e-9, rel=0
            ), name
        assert all(ours[query_id] == 0.0 for query_id in ours.keys() - rivals[0].keys())
        assert all(
            rivals[0][q][theirs] == 0.0 for q in rivals[0].keys() - ours.keys() if not name.startswith("nDCG")
        )
    return judged


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize(("labels", "run"), PAIRS, ids=lambda path: path.rsplit("/", 1)[-1])
def test_on_published_runs(fixtures, labels, run, level):
    judged = assert_agreement(read_qrels(fixtures / labels), read_scores(fixtures / run), level)
    assert level > 1 or judged.query_ids


@pytest.mark.parametrize("labels", LABELS_ALONE, ids=lambda path: path.rsplit("/", 1)[-1])
def test_on_published_labels_with_random_runs(fixtures, labels):
    qrels = read_qrels(fixtures / labels)
    assert assert_agreement(qrels, random_scores(qrels, seed=1)).query_ids


@pytest.mark.parametrize("level", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_on_random_labels_with_random_runs(seed, level):
    qrels = random_qrels(200, seed)
    scores = random_scores(qrels, seed)
    for lost in list(scores)[::7]:
        del scores[lost]
    assert assert_agreement(qrels, scores, level).query_ids


def test_on_scores_that_float32_cannot_tell_apart():
    # .85000001 and .85 are one float32: trec_eval sees a tie (b first), we do not (a first)
    qrels, scores = {"q": {"a": 1}}, {"q": {"a": 0.85000001, "b": 0.85}}
    assert oracle(qrels, scores, 1)["q"]["recip_rank"] == 0.5
    assert values(judge_scores(scores, qrels), parse("RR")).tolist() == [1.0]
    assert_agreement(qrels, scores)


REFERENCE = {
    "ir_measures-compat": PAIRS[0],
    "trec_eval-results.test": ("trec_eval/qrels.test", "trec_eval/results.test"),
    "trec_eval-rel_level": ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
}


@pytest.mark.parametrize("name", REFERENCE)
def test_on_the_pinned_reference(fixtures, name):
    labels, run = REFERENCE[name]
    judged = judge_scores(read_scores(fixtures / run), read_qrels(fixtures / labels))
    reference = json.loads((fixtures / "REFERENCE_pytrec_eval.json").read_text("utf-8"))[name]
    assert len(judged.query_ids) == reference["num_q"]
    shared = {ours: theirs for ours, theirs in THEIRS.items() if theirs in reference["all"]}
    assert len(shared) >= 8
    for ours, theirs in shared.items():
        found = values(judged, parse(ours))
        wanted = [reference["per_query"][query_id][theirs] for query_id in judged.query_ids]
        assert found == pytest.approx(wanted, abs=1e-9, rel=0), ours
        assert mean(found) == pytest.approx(reference["all"][theirs], abs=1e-9, rel=0), ours
    assert judged.n_relevant.sum() == reference["all"]["num_rel"]
    assert judged.hits.sum() == reference["all"]["num_rel_ret"]
