"""The paired randomisation test and Holm: counted by hand where few queries move, calibrated where many do."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from vara.quality import significance
from vara.quality.significance import holm, randomisation


def chance(a, b, **options):
    [found] = randomisation(np.array(a, float)[:, None], np.array(b, float)[:, None], **{"seed": 0} | options)
    return found


def test_counted_by_hand():
    # differences 3, 2, 1 (in fifths): sums ±6 ±4 ±2 0 0; |sum| ≥ 6 in 2 of 8
    assert chance([0, 0, 0], [0.6, 0.4, 0.2]).p == 2 / 8
    # differences 3, 2, -1: observed 4; |sum| ≥ 4 in 6, 4, 4, 6 = 4 of 8
    found = chance([0, 0, 0.2], [0.6, 0.4, 0])
    assert (found.p, found.wins, found.losses, found.exact) == (4 / 8, 2, 1, True)


def test_identical_arms():
    found = chance([0.5] * 60, [0.5] * 60)
    assert (found.p, found.wins, found.losses) == (1.0, 0, 0)


@pytest.mark.parametrize(("moved", "least"), [(1, 1.0), (5, 0.0625), (6, 0.03125)])
def test_few_queries_that_moved_have_a_smallest_p(moved, least):
    assert chance([0.0] * 60, [0.5] * moved + [0.0] * (60 - moved)).p == least


def test_thirteen_are_counted_and_fourteen_are_drawn():
    # 2^13 = 8,192 ≤ 10,000 < 2^14; of 2^14 two assignments reach it: p near .00012, never below 1 / 10,001
    assert chance([0.0] * 13, [0.5] * 13).p == 2 / 2**13
    drawn = chance([0.0] * 14, [0.5] * 14)
    assert not drawn.exact
    assert 1 / 10_001 <= drawn.p <= 10 / 10_001
    assert chance([0.0] * 100, [0.5] * 100).p == 1 / 10_001  # none of 10,000 draws, and the observed one


def test_drawn_and_counted_agree():
    values = np.random.default_rng(3).random((2, 12))
    counted, drawn = chance(*values), chance(*values, permutations=4_000)
    assert counted.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(counted.p, abs=0.03)  # 3.7 standard errors of 4,000 draws


def test_rounding_to_ten_digits_does_not_decide():
    """1/3 − 1/6 and 1/6 − 0 are equal; in ten digits they are .1666666666 and .1666666667."""
    third, sixth = 0.3333333333, 0.1666666667
    # all one way: |sum| ≥ 3/6 in 2 of 8
    assert chance([sixth, sixth, 0.0], [third, third, sixth]).p == 2 / 8
    # one of them the other way: 1/6 was observed, and every assignment reaches 1/6
    assert chance([sixth, sixth, sixth], [third, third, 0.0]).p == 1.0
    assert chance([0.0, 0.0, third], [sixth, sixth, sixth]).p == 1.0  # .1666666668 was observed
    # drawn: ten to nine leaves 1/6 again
    assert chance([0.0] * 10 + [third] * 9, [sixth] * 19, permutations=999).p == 1.0


def test_differences_of_any_size_are_told_apart():
    # large and tiny, the same three sizes of differences: 4 of 8, as above
    for scale in (1e6, 1e-15):
        assert chance([0, 0, 2 * scale], [6 * scale, 4 * scale, 0]).p == 4 / 8


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40), st.integers(0, 9))
def test_properties(pairs, seed):
    a, b = ([pair[side] / 4 for pair in pairs] for side in (0, 1))
    found = chance(a, b, seed=seed, permutations=200)
    assert 0 < found.p <= 1
    assert chance(b, a, seed=seed, permutations=200).p == found.p
    assert found.wins + found.losses == sum(one != other for one, other in pairs)


def test_columns_do_not_know_each_other():
    generator = np.random.default_rng(1)
    a, b = generator.random((80, 3)), generator.random((80, 3))
    together = [one.p for one in randomisation(a, b, seed=5)]
    alone = [chance(a[:, i], b[:, i], seed=5).p for i in range(3)]
    assert together == alone


def test_the_size_of_blocks_never_matters(monkeypatch):
    generator = np.random.default_rng(1)
    a, b = generator.random((100, 2)), generator.random((100, 2))
    whole = randomisation(a, b, seed=5)
    monkeypatch.setattr(significance, "SIGNS_AT_ONCE", 128 * 7)
    assert randomisation(a, b, seed=5) == whole


def test_every_sign_is_a_fair_coin():
    """A sign that is never turned, or always with another query's, would show."""
    n = 70  # more than a word of 64 signs
    for one, other in ((0, 1), (0, 64), (5, 69), (62, 63), (7, 8)):
        differences = np.zeros((n, 1))
        differences[[one, other]] = 1.0
        reached = significance._drawn(differences, np.array([2.0]), seed=1, permutations=2_000)
        assert reached[0] / 2_000 == pytest.approx(0.5, abs=0.05)  # |±1 ±1| is 2 in half of the cases


SCRIPT = """
import numpy as np
from vara.quality.significance import randomisation
a, b = np.random.default_rng(0).random((2, 200, 3))
print([one.p for one in randomisation(a, b, seed=42)])
"""


def test_the_same_p_in_three_processes():
    words = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": str(n), "OPENBLAS_NUM_THREADS": str(1 + n % 2), "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for n in range(3)
    }
    assert len(words) == 1


def test_type_one_error():
    """2,000 comparisons of systems that are alike, on 40 queries with measures as coarse as RR: 5 % are called out."""
    generator = np.random.default_rng(20)
    values = 1 / generator.integers(1, 6, (2_000, 2, 40))
    below = sum(chance(a, b, seed=n, permutations=399).p < 0.05 for n, (a, b) in enumerate(values))
    assert 0.03 <= below / 2_000 <= 0.07


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.5]) == [0.04, 0.06, 0.06, 0.5]  # 4 × .01, 3 × .02, 2 × .03, 1 × .5
    assert holm([0.5, 0.03, 0.02, 0.01]) == [0.5, 0.06, 0.06, 0.04]
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.04, 0.04]) == [0.08, 0.08]
    assert holm([]) == []


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=8))
def test_holm_never_lowers_and_keeps_the_order(ps):
    adjusted = holm(ps)
    assert all(p <= one <= 1 for p, one in zip(ps, adjusted, strict=True))
    ordered = [one for _, one in sorted(zip(ps, adjusted, strict=True))]
    assert ordered == sorted(ordered)
