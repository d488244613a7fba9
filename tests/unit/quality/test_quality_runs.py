"""Runs from anywhere beside one set of labels: means by hand, missing and foreign queries, groups, ties, silence."""

from __future__ import annotations

import pytest

from vara.errors import Problem
from vara.quality.measures import parse_all
from vara.quality.runs import Spread, evaluate_runs
from vara.quality.split import Settings

SETTINGS = Settings(cutoffs=(), min_relevance=1, min_group=2, seed=42, depth=1)
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}, "q3": {"a": 0}}


def measured(runs, names="RR", qrels=QRELS, groups=None, **changes):
    settings = Settings(**{**{f: getattr(SETTINGS, f) for f in SETTINGS.__slots__}, **changes})
    return evaluate_runs(runs, qrels, parse_all(names), settings=settings, groups=groups or {})


def test_means_missing_foreign_and_unanswerable_queries():
    """q1: a is second, 1/2; q2 is missing and counts 0; q3 has nothing relevant; q9 has no label. (1/2 + 0) / 2."""
    found = measured(
        {"x": {"q1": {"z": 2.0, "a": 1.0}, "q9": {"a": 1.0}}, "y": {"q1": {"a": 1.0}, "q2": {"c": 0.1}}}
    )
    assert found.values == {"x": {"RR": 0.25}, "y": {"RR": 1.0}}
    assert found.counts == {
        "n_queries": 3,
        "n_evaluated": 2,
        "n_unanswerable": 1,
        "n_missing": 1,
        "n_relevant": 2,
    }
    assert found.by_run == {"x": {"n_missing": 1, "n_ignored": 1}, "y": {"n_missing": 0, "n_ignored": 0}}
    assert found.spreads["x"]["RR"] == Spread(0.0, 0.5, 0.0)
    assert found.spreads["y"]["RR"] == Spread(1.0, 1.0, 1.0)


def test_one_query_has_no_interval():
    found = measured({"x": {"q2": {"c": 1.0}}}, qrels={"q2": {"c": 1}})
    assert found.spreads["x"]["RR"] == Spread(None, None, 1.0)


def test_any_measure_can_be_asked_for():
    """u1, u2, a with a alone judged: nDCG@10 1/log2(4) = .5, condensed 1."""
    run = {"x": {"q1": {"u1": 3.0, "u2": 2.0, "a": 1.0}}}
    found = measured(run, "nDCG(judged_only=True)@10 nDCG@10", qrels={"q1": {"a": 1}})
    assert found.values["x"] == {"nDCG(judged_only=True)@10": 1.0, "nDCG@10": 0.5}


def test_the_level_of_relevance():
    run = {"x": {"q1": {"a": 1.0}, "q2": {"c": 1.0}}}
    assert measured(run).counts["n_evaluated"] == 2
    found = measured(run, min_relevance=2)
    assert (found.counts["n_evaluated"], found.values["x"]["RR"]) == (1, 1.0)


def test_a_run_of_other_queries_is_an_error_and_no_score_of_zero():
    with pytest.raises(Problem) as caught:
        measured({"x": {"0": {"a": 1.0}}})
    assert str(caught.value) == (
        "run x problem: none of its 1 queries has a label (0), expected some of the 3 labelled ones (q1, q2, q3). "
        "Compare how both files write ids (padding, prefix, case), or the files themselves."
    )


def test_a_silent_run_has_no_value():
    found = measured({"x": {"q1": {}, "q2": {}}, "y": {"q1": {"a": 1.0}}}, "RR P@1")
    assert found.values == {"x": {"RR": None, "P@1": None}, "y": {"RR": 0.5, "P@1": 0.5}}
    assert found.spreads["x"]["RR"] == Spread(None, None, None)
    assert "run x: it holds no document for any evaluated query" in found.notices


def test_labels_without_anything_relevant():
    found = measured({"x": {"q3": {"a": 1.0}}}, qrels={"q3": {"a": 0}})
    assert found.values == {"x": {"RR": None}}
    assert found.notices[0] == "no query has a relevant document: there is nothing to measure"


def test_groups_with_enough_queries_and_with_too_few():
    groups = {"q1": {"language": "en"}, "q2": {"language": "en"}, "q3": {"language": "es"}}
    found = measured({"x": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}}, groups=groups)
    assert {name: (group.n, group.values) for name, group in found.groups.items()} == {
        "language=en": (2, {"x": {"RR": 0.75}}),  # (1/2 + 1) / 2
        "language=es": (0, None),  # q3 has nothing relevant
    }


def test_cutoffs_beyond_the_rankings_and_cuts_through_ties():
    found = measured({"x": {"q1": {"a": 1.0, "b": 1.0}, "q2": {"c": 2.0, "d": 1.0}}}, "P@1 R@5")
    assert found.notices == (
        "run x: no ranking is longer than 2, so that R@5 may be another number than that of a deeper run",
        "run x: 50.0% of the cuts at 1 go through a tie, where ids decide",
    )
    assert found.values["x"]["P@1"] == 0.5  # b comes before a: ids descend


def test_the_order_of_files_and_queries_changes_nothing():
    run = {"q1": {"z": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
    one = measured({"x": run}, "RR nDCG@10")
    turned = {query: dict(reversed(row.items())) for query, row in reversed(run.items())}
    assert measured({"x": turned}, "RR nDCG@10", qrels=dict(reversed(QRELS.items()))) == one
