"""What must hold for every measure, whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.errors import Problem
from vara.quality import judged as judged_module
from vara.quality.formulas import discounts, values
from vara.quality.judged import ceiling
from vara.quality.judging import judge
from vara.quality.measures import FAMILIES, Measure, parse, standard

POOL = [f"d{n}" for n in range(12)]
LABELS = st.dictionaries(st.sampled_from(POOL), st.integers(0, 3), min_size=1).filter(
    lambda row: any(row.values())
)
RANKINGS = st.permutations(POOL).flatmap(lambda order: st.integers(0, 12).map(lambda n: order[:n]))
CUTOFFS = st.sampled_from([None, 1, 3, 5, 20])


@st.composite
def measures(draw, families=tuple(FAMILIES)):
    family = draw(st.sampled_from(families))
    cutoff = draw(CUTOFFS.filter(lambda k: k is not None or not FAMILIES[family]))
    gain = draw(st.sampled_from(["linear", "exp"])) if family == "nDCG" else "linear"
    return Measure(family, cutoff, gain, draw(st.booleans()) and family != "Judged")


def one(ranking, labels, measure):
    return float(values(judge({"q": ranking}, {"q": labels}), measure)[0])


@given(RANKINGS, LABELS, measures())
def test_values_lie_between_zero_and_one(ranking, labels, measure):
    assert 0.0 <= one(ranking, labels, measure) <= 1.0


@given(RANKINGS, LABELS, measures(), st.randoms())
def test_the_order_of_labels_and_queries_never_matters(ranking, labels, measure, random):
    shuffled = list(labels.items())
    random.shuffle(shuffled)
    other = {"q": dict(shuffled), "p": {"d1": 1}}
    run = {"p": ["d1"], "q": ranking}
    assert values(judge(run, other, ["p", "q"]), measure)[1] == one(ranking, labels, measure)


@given(RANKINGS, LABELS, measures([family for family in FAMILIES if family != "Judged"]), st.data())
def test_a_better_document_moved_up_never_lowers(ranking, labels, measure, data):
    if len(ranking) < 2:
        return
    rank = data.draw(st.integers(1, len(ranking) - 1))
    # Unjudged counts as worst; a condensed list sees no difference between it and a hole, so compare judged ones only.
    above, below = (labels.get(ranking[r], -1) for r in (rank - 1, rank))
    if below <= above or (measure.judged_only and above < 0):
        return
    better = [*ranking[: rank - 1], ranking[rank], ranking[rank - 1], *ranking[rank + 1 :]]
    assert one(better, labels, measure) >= one(ranking, labels, measure) - 1e-12


@given(RANKINGS, LABELS, measures(), st.randoms())
def test_documents_below_the_cutoff_do_not_matter(ranking, labels, measure, random):
    if measure.cutoff is None or measure.judged_only:
        return
    tail = ranking[measure.cutoff :]
    random.shuffle(tail)
    assert one([*ranking[: measure.cutoff], *tail], labels, measure) == one(ranking, labels, measure)
    assert one(ranking[: measure.cutoff], labels, measure) == one(ranking, labels, measure)


@given(RANKINGS, LABELS, measures(), st.integers(1, 3))
def test_strangers_at_the_end_change_nothing_but_what_is_judged(ranking, labels, measure, n):
    if measure.family != "Judged":
        longer = [*ranking, *(f"stranger{i}" for i in range(n))]
        assert one(longer, labels, measure) == one(ranking, labels, measure)


@given(RANKINGS, LABELS, measures([family for family in FAMILIES if family != "Judged"]))
def test_nothing_beats_the_ceiling_and_a_perfect_ranking_of_everything_is_one(ranking, labels, measure):
    judged = judge({"q": ranking}, {"q": labels})
    assert values(ceiling(judged), measure)[0] >= values(judged, measure)[0] - 1e-12
    perfect = ceiling(judge({"q": POOL}, {"q": labels}))
    if measure.family in {"nDCG", "RR", "Success", "Rcap"}:
        assert values(perfect, measure)[0] == 1.0  # exactly


@pytest.mark.parametrize("cells", [1, 30, 100])
def test_the_size_of_blocks_never_matters(cells, monkeypatch):
    source = np.random.default_rng(0)
    run = {f"q{n}": source.permutation(POOL)[: source.integers(0, 13)].tolist() for n in range(40)}
    labels = {query_id: dict(zip(POOL, source.integers(0, 4, 12).tolist(), strict=True)) for query_id in run}
    judged = judge(
        run, {query_id: dict(list(row.items())[::2]) | {"d1": 1} for query_id, row in labels.items()}
    )
    names = standard([1, 3, 10])
    whole = [values(judged, measure).tolist() for measure in names]
    monkeypatch.setattr(judged_module, "BLOCK_CELLS", cells)
    assert [values(judged, measure).tolist() for measure in names] == whole


def test_discounts_are_exact_where_the_logarithm_is():
    assert discounts(7)[[0, 2, 6]].tolist() == [1.0, 1 / 2, 1 / 3]
    assert np.all(np.diff(discounts(1000)) < 0)


def test_a_grade_that_no_exponential_can_hold_is_refused():
    judged = judge({"q": ["a"]}, {"q": {"a": 1001}})
    with pytest.raises(Problem) as caught:
        values(judged, parse("nDCG(gain='exp')@5"))
    assert str(caught.value) == (
        "labels problem: found grade 1001 under an exponential gain, expected at most 1000. "
        "Use the linear nDCG, or write smaller grades."
    )
    assert values(judged, parse("nDCG@5")).tolist() == [1.0]
