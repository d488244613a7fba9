"""Every worked number of CONVENTIONS.md, each with its sum."""

from __future__ import annotations

import numpy as np
import pytest

from vara.quality.bootstrap import mean
from vara.quality.formulas import values
from vara.quality.judged import ceiling
from vara.quality.judging import judge, judge_scores
from vara.quality.measures import parse


def measure(name, ranking, labels, **settings):
    judged = judge({"q": ranking.split()}, {"q": labels}, **settings)
    return float(values(judged, parse(name))[0])


def grades(relevant):
    return dict.fromkeys(relevant.split(), 1)


def test_three_relevant_scattered_over_ten():
    # ranks 1, 4, 7: 1/log2(2) + 1/log2(5) + 1/log2(8) = 1 + .43068 + .33333 = 1.76401
    # ideal, ranks 1, 2, 3: 1/log2(2) + 1/log2(3) + 1/log2(4) = 1 + .63093 + .5 = 2.13093
    ranking = "d1 d2 d3 d4 d5 d6 d7 d8 d9 d10"
    assert measure("nDCG@10", ranking, grades("d1 d4 d7")) == pytest.approx(1.76401 / 2.13093, abs=1e-5)
    assert measure("nDCG@10", ranking, grades("d1 d4 d7")) == pytest.approx(0.83, abs=0.005)


def test_three_relevant_come_late():
    # ranks 5, 6, 7: 1/log2(6) + 1/log2(7) + 1/log2(8) = .38685 + .35621 + .33333 = 1.07639; / 2.13093 = .50513
    ranking, labels = "a b c d r0 r1 r2 e f g", grades("r0 r1 r2")
    assert measure("R@10", ranking, labels) == 1.0
    assert measure("RR", ranking, labels) == 0.2  # 1/5
    assert measure("nDCG@10", ranking, labels) == pytest.approx(0.50513, abs=1e-5)


def test_graded_labels_under_both_gains():
    labels = {"a": 3, "b": 2, "c": 1}
    # linear: (2 + 0 + 3/2) / (3 + 2 * .63093 + 1/2) = 3.5 / 4.76186
    assert measure("nDCG@3", "b x a", labels) == pytest.approx(0.735007, abs=5e-7)
    # exponential: (3 + 0 + 7/2) / (7 + 3 * .63093 + 1/2) = 6.5 / 9.39279
    assert measure("nDCG(gain='exp')@3", "b x a", labels) == pytest.approx(0.692020, abs=5e-7)
    # c fourth adds 1/log2(5) = .43068: 3.93068 / 4.76186
    assert measure("nDCG", "b x a c", labels) == pytest.approx(0.825450, abs=5e-7)


def test_more_relevant_documents_than_ranks():
    twelve = " ".join(f"d{n}" for n in range(12))
    assert measure("nDCG@10", twelve, grades(twelve)) == 1.0  # the ideal is the best ten of the twelve
    ten, twenty = " ".join(f"d{n}" for n in range(10)), " ".join(f"d{n}" for n in range(20))
    assert measure("R@10", ten, grades(twenty)) == 0.5  # 10/20
    assert measure("Rcap@10", ten, grades(twenty)) == 1.0  # 10/min(20, 10)
    assert measure("P@10", ten, grades(twenty)) == 1.0  # 10/10
    assert measure("nDCG@10", ten, grades(twenty)) == 1.0
    assert measure("AP@10", ten, grades(twenty)) == 0.5  # ten precisions of 1, / 20: not capped


def test_two_of_three_in_the_top_five():
    ranking, labels = "x a y b z", grades("a b c")
    assert measure("RR@5", ranking, labels) == 0.5
    # 1/log2(3) + 1/log2(5) = .63093 + .43068 = 1.06161; / 2.13093 = .49819
    assert measure("nDCG@5", ranking, labels) == pytest.approx(0.4982, abs=5e-5)
    assert measure("AP@5", ranking, labels) == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert measure("AP@3", ranking, labels) == pytest.approx(1 / 2 / 3)
    assert measure("Success@1", ranking, labels) == 0.0
    assert measure("Success@2", ranking, labels) == 1.0


def test_the_only_relevant_document_just_below_the_cutoff():
    ranking = " ".join(f"x{n}" for n in range(10)) + " a"
    assert measure("RR", ranking, grades("a")) == 1 / 11  # .0909
    assert measure("RR@10", ranking, grades("a")) == 0.0
    assert measure("RR@11", ranking, grades("a")) == measure("RR@99", ranking, grades("a")) == 1 / 11


def test_fewer_came_back_than_the_cutoff():
    assert measure("P@10", "a b c", grades("a b c")) == 0.3  # 3/10
    assert measure("R@10", "a b c", grades("a b c")) == 1.0
    assert measure("Judged@10", "a b c", grades("a b c")) == 1.0  # 3/3: of what came back


def test_a_query_that_the_run_lacks_counts_nothing_and_is_counted():
    judged = judge({"q1": ["a"]}, {"q1": {"a": 1}, "q2": {"a": 1}})
    assert mean(values(judged, parse("RR"))) == 0.5  # (1 + 0) / 2
    assert judged.missing.tolist() == [False, True]
    assert all(
        values(judged, parse(name))[1] == 0.0 for name in ["P@1", "nDCG", "AP", "Success@5", "Judged@5"]
    )


def test_unjudged_documents_before_a_judged_one():
    ranking, labels = "u1 u2 a", grades("a")
    assert measure("nDCG@10", ranking, labels) == 0.5  # 1/log2(4)
    assert measure("nDCG(judged_only=True)@10", ranking, labels) == 1.0
    assert measure("Judged@3", ranking, labels) == pytest.approx(0.3333, abs=5e-5)  # 1/3
    assert measure("RR(judged_only=True)", "u1 n u2 a", {"a": 1, "n": 0}) == 0.5  # n is judged and stays


def test_the_ceiling_of_a_pool_that_holds_one_of_two():
    for ranking in ["x y a", "a x y"]:  # whatever the reranker does: 1 / (1 + .63093) = .61315
        judged = judge({"q": ranking.split()}, {"q": {"a": 1, "b": 1}})
        assert values(ceiling(judged), parse("nDCG@10"))[0] == pytest.approx(0.6131, abs=5e-5)


def test_the_mean_of_reciprocals_is_not_the_reciprocal_of_a_mean():
    judged = judge({"q1": ["a"], "q2": [*"wxyz", "a"]}, {"q1": {"a": 1}, "q2": {"a": 1}})
    assert mean(values(judged, parse("RR"))) == 0.6  # (1/1 + 1/5) / 2


def test_ties_go_to_the_larger_id():
    tied = judge_scores({"q": {"9": 0.5, "10": 0.5}}, {"q": {"9": 1, "10": 0}})
    assert values(tied, parse("RR")).tolist() == [1.0]  # "9" > "10"
    tied = judge_scores({"q": {"09": 0.5, "10": 0.5}}, {"q": {"09": 1, "10": 0}})
    assert values(tied, parse("RR")).tolist() == [0.5]  # "09" < "10"


def test_a_constant_scorer_is_worth_the_same_whatever_the_order_of_the_file():
    ids = [f"d{n}" for n in range(20)]
    for seed in range(5):
        shuffled = np.random.default_rng(seed).permutation(ids).tolist()
        judged = judge_scores({"q": dict.fromkeys(shuffled, 1.0)}, {"q": {"d3": 1}})
        # descending by bytes: d9 d8 d7 d6 d5 d4 d3 …: rank 7
        assert values(judged, parse("RR")).tolist() == [1 / 7]
        assert values(judged, parse("P@1")).tolist() == values(judged, parse("nDCG@1")).tolist() == [0.0]


def test_the_level_of_relevance_moves_binary_measures_and_not_the_gains():
    labels = {"a": 1, "b": 2, "c": 3}
    assert measure("RR", "a b c", labels, min_relevance=2) == 0.5
    assert measure("R@2", "a b c", labels, min_relevance=2) == 0.5
    assert measure("nDCG", "a b c", labels, min_relevance=2) == measure("nDCG", "a b c", labels)


def test_rankings_longer_than_the_depth_are_cut():
    assert measure("RR", "x y a", grades("a"), depth=2) == 0.0
