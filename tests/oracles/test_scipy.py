"""The randomisation test, its power, and what n queries can see: beside scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from vara.quality.power import detectable, t_quantile
from vara.quality.significance import randomisation


def p_of(a, b, **options):
    [found] = randomisation(a[:, None], b[:, None], **{"seed": 0} | options)
    return found.p


@pytest.mark.parametrize("seed", range(20))
def test_every_assignment_of_signs(seed):
    a, b = np.random.default_rng(seed).integers(0, 5, (2, 11)) / 4
    theirs = stats.permutation_test((b - a,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert p_of(a, b) == pytest.approx(theirs.pvalue, abs=1e-12)


def test_drawn_assignments():
    a, b = np.random.default_rng(1).random((2, 60))
    b += 0.05
    theirs = stats.permutation_test(
        (b - a,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(2)
    )
    assert p_of(a, b) == pytest.approx(theirs.pvalue, abs=0.015)


def test_power_beside_the_t_test():
    """400 comparisons with a true difference of .4 standard deviations on 50 queries: both find it equally often."""
    generator = np.random.default_rng(7)
    ours = theirs = 0
    for n in range(400):
        a = generator.random(50)
        b = a + generator.normal(0.04, 0.1, 50)
        ours += p_of(a, b, seed=n, permutations=999) < 0.05
        theirs += stats.ttest_rel(a, b).pvalue < 0.05
    assert theirs / 400 == pytest.approx(0.79, abs=0.06)  # power of t at d = .4, n = 50
    assert abs(ours - theirs) / 400 <= 0.02


@pytest.mark.parametrize("share", [0.8, 0.975])
def test_quantiles_of_t(share):
    for freedom in (2, 3, 5):
        assert t_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=0.01)
    for freedom in (10, 47, 59, 9_999):
        assert t_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-5)


@pytest.mark.parametrize("n", [10, 16, 48, 100, 1_000])
def test_what_n_can_see_is_seen_four_times_out_of_five(n):
    differences = np.random.default_rng(n).normal(0, 0.1, n)
    least = detectable(differences)
    assert least is not None
    shift = least / (differences.std(ddof=1) / math.sqrt(n))
    edge = stats.t.ppf(0.975, n - 1)
    power = stats.nct.sf(edge, n - 1, shift) + stats.nct.cdf(-edge, n - 1, shift)
    assert power == pytest.approx(0.8, abs=0.02)
