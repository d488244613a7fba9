"""Interval of the mean and 5th percentile: deterministic, bounded, and right on cases that can be worked out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vara.quality import bootstrap
from vara.quality.bootstrap import fifth_percentile, intervals, mean


def test_the_mean_is_exact_in_any_order():
    assert mean(np.array([1.0, 0.2])) == 0.6
    table = np.array([1e16, 1.0, -1e16, 1.0])
    assert mean(table) == mean(table[[1, 3, 0, 2]]) == 0.5  # 2/4; naive sums give 0 or .25


def test_one_seed_one_interval():
    values = np.random.default_rng(0).random((50, 2))
    first, again, other = intervals(values, 7), intervals(values, 7), intervals(values, 8)
    assert [bound.tolist() for bound in first] == [bound.tolist() for bound in again]
    assert [bound.tolist() for bound in first] != [bound.tolist() for bound in other]


def test_the_size_of_blocks_never_matters(monkeypatch):
    values = np.random.default_rng(0).integers(0, 2, (50, 2)).astype(np.float64)
    whole = [bound.tolist() for bound in intervals(values, 7)]
    monkeypatch.setattr(bootstrap, "DRAWS_AT_ONCE", 999)
    assert [bound.tolist() for bound in intervals(values, 7)] == whole


def test_columns_share_their_draws():
    values = np.random.default_rng(0).random((50, 1))
    low, high = intervals(np.hstack([values, values, 1.0 - values]), 7)
    assert low[0] == low[1]
    assert high[0] == high[1]
    assert low[2] == pytest.approx(1.0 - high[0], abs=1e-12)  # the bounds are symmetric order statistics


def test_the_interval_of_a_coin_is_that_of_the_binomial():
    # 100 tosses, half heads: the mean of a resample is Binomial(100, ½)/100, whose 2.5 % points are .40 and .60
    low, high = intervals(np.repeat([[0.0], [1.0]], 50, axis=0), 1)
    assert (low[0], high[0]) == (0.40, 0.60)


def test_the_interval_of_many_values_is_that_of_the_normal():
    values = np.random.default_rng(3).random((4000, 1))
    low, high = intervals(values, 1)
    half = 1.96 * values.std() / math.sqrt(4000)
    assert low[0] == pytest.approx(values.mean() - half, abs=half / 20)
    assert high[0] == pytest.approx(values.mean() + half, abs=half / 20)


def test_equal_values_have_no_width():
    low, high = intervals(np.full((9, 1), 0.5), 0)
    assert (low[0], high[0]) == (0.5, 0.5)


@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 40, 41, 100, 1000])
def test_the_fifth_percentile_is_the_inverse_of_the_empirical_distribution(n):
    values = np.random.default_rng(n).permutation(n).astype(np.float64)
    # ⌈.05 n⌉-th smallest of 0 … n-1: 20 → 1st (0), 21 → 2nd (1), 100 → 5th (4)
    assert fifth_percentile(values) == (5 * n + 99) // 100 - 1
    assert fifth_percentile(values) == np.quantile(values, 0.05, method="inverted_cdf")
