"""Paired significance: could the difference of two systems on the same queries be chance? No words, no tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 10_000
SIGNS_AT_ONCE = 1 << 22  # 32 MiB of float64
DIGITS = 10  # that metric files hold
SLACK = 3  # last digits by which rounding may have moved one difference: two values, and their difference


@dataclass(frozen=True, slots=True)
class Chance:
    """What chance alone does to one measure.

    Attributes:
        p: two-sided, (b + 1) / (B + 1).
        wins: queries on which b is larger, in ten digits.
        losses: queries on which a is.
        exact: whether all assignments of signs were counted, not a sample of them.
    """

    p: float
    wins: int
    losses: int
    exact: bool


def randomisation(
    a: NDArray[np.float64], b: NDArray[np.float64], *, seed: int, permutations: int = PERMUTATIONS
) -> list[Chance]:
    """Test for each column whether two systems differ: the paired randomisation (sign-flip) test of the mean.

    Were the systems alike, each query's difference could as well have had the other sign. p is the share of
    assignments of signs under which |mean| is at least the observed one: (b + 1) / (B + 1), where b of B other
    assignments are. With k queries that moved, all 2^k assignments are counted when they are no more than
    `permutations`, the observed one being the 1; otherwise B = `permutations` are drawn.

    **Conventions**: all columns share the draws, which depend on seed and n alone: neither the process nor the
    other columns matter; the caller puts queries in one order. Differences are counted in units of the tenth
    digit, so that sums are exact in any order of summation (up to 450,000 queries), and sums that differ by no
    more than rounding to ten digits can explain count as equal. No query moved: p is 1. The smallest p of k
    queries is 2 / 2^k: with fewer than 6 it cannot fall below .05.

    Args:
        a: float64 (n, m), n ≥ 1 queries, m measures; finite.
        b: the other system's, row by row the same queries.
        seed: of the generator, ≥ 0.
        permutations: B, ≥ 1.

    Returns:
        One entry a column.

    **Source**: R. Fisher, The Design of Experiments, 1935, § 21; M. Smucker, J. Allan, B. Carterette, A Comparison
    of Statistical Significance Tests for Information Retrieval Evaluation, CIKM 2007; (b + 1) / (B + 1) after
    B. Phipson, G. Smyth, 2010. Agrees with scipy.stats.permutation_test.

    Example:
        >>> a, b = np.zeros((6, 1)), np.full((6, 1), 0.5)
        >>> randomisation(a, b, seed=0)  # of 2^6 assignments two, all plus and all minus, reach |mean| .5
        [Chance(p=0.03125, wins=6, losses=0, exact=True)]
    """
    differences = _in_units(a, b)
    moved = np.count_nonzero(differences, axis=0)
    exact = moved < permutations.bit_length()  # 2^moved ≤ permutations
    reached = np.zeros(differences.shape[1], np.int64)
    if not exact.all():
        drawn = differences[:, ~exact]
        reached[~exact] = _drawn(drawn, _least(drawn), seed=seed, permutations=permutations)
    wins = (differences > 0).sum(axis=0).tolist()
    chances = []
    for column, k in enumerate(moved.tolist()):
        if exact[column]:
            p = _enumerated(differences[:, column]) / 2**k
        else:
            p = (int(reached[column]) + 1) / (permutations + 1)
        chances.append(Chance(p, wins[column], k - wins[column], bool(exact[column])))
    return chances


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p-values for having looked at several: Holm's step-down, in the order given.

    The i-th smallest of m (from 0) becomes max over j ≤ i of min(1, (m − j) p_j): never below a smaller one's.

    **Source**: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.

    Example:
        >>> holm([0.01, 0.04, 0.03])  # 3 × .01; 2 × .03; 1 × .04, but not below .06
        [0.03, 0.06, 0.06]
    """
    adjusted = [1.0] * len(ps)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min(1.0, (len(ps) - place) * ps[index]))
        adjusted[index] = largest
    return adjusted


def _in_units(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return b − a as integers in float64: units of the tenth digit of the column's largest value."""
    largest = np.maximum(np.abs(a).max(axis=0), np.abs(b).max(axis=0))
    largest[largest == 0] = 1.0
    unit = 10.0 ** (np.ceil(np.log10(largest)) - DIGITS)
    units: NDArray[np.float64] = np.rint((b - a) / unit)
    return units


def _least(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum, for each column, from which an assignment counts as reaching the observed one."""
    least: NDArray[np.float64] = np.abs(differences.sum(axis=0))
    least -= SLACK * np.count_nonzero(differences, axis=0)
    return least


def _enumerated(differences: NDArray[np.float64]) -> int:
    """Count the assignments of signs that reach the observed sum, itself among them."""
    moved = differences[differences != 0]
    numbers = np.arange(2 ** len(moved))[:, None]
    signs = 1.0 - 2.0 * (numbers >> np.arange(len(moved)) & 1)
    return int((np.abs(signs @ moved) >= _least(moved[:, None])).sum())


def _drawn(
    differences: NDArray[np.float64], least: NDArray[np.float64], *, seed: int, permutations: int
) -> NDArray[np.int64]:
    """Count, for each column, the drawn assignments that reach `least`; a bit a sign, whole words a draw."""
    n = len(differences)
    words = -(-n // 64)
    generator = np.random.Generator(np.random.PCG64(seed))
    reached = np.zeros(differences.shape[1], np.int64)
    step = max(1, SIGNS_AT_ONCE // (64 * words))
    for start in range(0, permutations, step):
        size = min(step, permutations - start)
        drawn = generator.integers(0, 1 << 64, size=(size, words), dtype=np.uint64).astype("<u8")
        signs = np.unpackbits(drawn.view(np.uint8), axis=1, count=n).astype(np.float64)
        signs *= -2
        signs += 1
        reached += (np.abs(signs @ differences) >= least).sum(axis=0)
    return reached
