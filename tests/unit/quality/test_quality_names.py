"""Names of measures: what parses, how it prints, and what a mistake is told."""

from __future__ import annotations

import pytest

from vara.errors import Problem
from vara.quality.measures import FAMILIES, GAINS, Measure, parse, parse_all, standard

KNOWN = "R@k, Rcap@k, P@k, RR, nDCG, AP, Success@k, Judged@k"
PARAMETERS = (
    "expected gain='exp' (nDCG) or judged_only=True (all but Judged). "
    "The lowest relevant grade is set once, for all measures: evaluate.min_relevance."
)

EVERY = [
    Measure(family, cutoff, gain, judged_only)
    for family, needs_cutoff in FAMILIES.items()
    for cutoff in ([1, 10] if needs_cutoff else [None, 10])
    for gain in (GAINS if family == "nDCG" else ["linear"])
    for judged_only in ([False] if family == "Judged" else [False, True])
]


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_a_name_reads_back_as_the_measure_that_printed_it(measure):
    assert parse(str(measure)) == measure


def test_spelling_is_free_but_printing_is_not():
    assert str(parse(' nDCG(judged_only=True,gain="exp")@5 ')) == "nDCG(gain='exp', judged_only=True)@5"
    assert str(parse("nDCG(gain='linear', judged_only=False)@5")) == "nDCG@5"
    assert str(parse("AP()")) == "AP"


def test_every_evaluation_states_every_measure_at_every_cutoff():
    assert " ".join(map(str, standard([5, 10]))) == (
        "R@5 Rcap@5 P@5 RR@5 nDCG@5 nDCG(gain='exp')@5 AP@5 Success@5 Judged@5 nDCG(judged_only=True)@5 "
        "R@10 Rcap@10 P@10 RR@10 nDCG@10 nDCG(gain='exp')@10 AP@10 Success@10 Judged@10 nDCG(judged_only=True)@10 RR"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC@10", f"found 'nDGC@10', expected one of {KNOWN}. Did you mean nDCG?"),
        ("ndcg@10", f"found 'ndcg@10', expected one of {KNOWN}. Did you mean nDCG?"),
        ("Recall@5", f"found 'Recall@5', expected one of {KNOWN}. Did you mean R@10?"),
        ("MRR", f"found 'MRR', expected one of {KNOWN}. Did you mean RR?"),
        ("succes@1", f"found 'succes@1', expected one of {KNOWN}. Did you mean Success@10?"),
        ("quality", f"found 'quality', expected one of {KNOWN}. Choose one of these."),
        ("R@", f"found 'R@', expected one of {KNOWN}. Choose one of these."),
        ("", f"found '', expected one of {KNOWN}. Choose one of these."),
        ("R", "found no cutoff in R, expected a rank from 1. Write R@10, say."),
        ("RR@0", "found cutoff 0 in RR@0, expected a rank from 1. Write RR@10, say."),
        ("P(rel=2)@5", f"found rel=2 in P(rel=2)@5, {PARAMETERS}"),
        ("RR(gain='exp')", f"found gain='exp' in RR(gain='exp'), {PARAMETERS}"),
        ("nDCG(gain='log')@5", f"found gain='log' in nDCG(gain='log')@5, {PARAMETERS}"),
        ("Judged(judged_only=True)@5", f"found judged_only=True in Judged(judged_only=True)@5, {PARAMETERS}"),
    ],
)
def test_a_mistake_is_told_what_was_expected(name, message):
    with pytest.raises(Problem) as caught:
        parse(name)
    assert str(caught.value) == f"measure problem: {message}"


def test_no_name_is_a_mistake_too():
    with pytest.raises(Problem) as caught:
        parse_all(" , ")
    assert (
        str(caught.value) == "measure problem: found none, expected names such as nDCG@10. Name at least one."
    )
