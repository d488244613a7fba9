"""Pooling and unit length, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from backends.pooling import pool, unit_rows
from vara.errors import Problem


def test_the_mean_is_over_the_texts_own_tokens() -> None:
    torch = pytest.importorskip("torch")
    hidden = torch.tensor([[[1.0, 2.0], [3.0, 6.0], [90.0, 90.0]]])
    mask = torch.tensor([[1, 1, 0]])
    assert pool(hidden, mask, "mean").tolist() == [[2.0, 4.0]]  # (1+3)/2, (2+6)/2
    assert pool(hidden, mask, "cls").tolist() == [[1.0, 2.0]]
    assert pool(hidden.bfloat16(), mask, "mean").dtype == torch.float32


def test_lengths_become_one_and_stay() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 384)).astype(np.float32) * 1e3
    unit = unit_rows(rows, [""] * 50, subject="vectors")
    assert np.abs(np.linalg.norm(unit.astype(np.float64), axis=1) - 1).max() < 1e-7
    assert (unit_rows(unit, [""] * 50, subject="vectors") == unit).all()


def test_rows_without_direction_are_named() -> None:
    rows = np.array([[1, 0], [0, 0], [np.nan, 1], [np.inf, 0], [0, 0]], dtype=np.float32)
    with pytest.raises(Problem) as caught:
        unit_rows(rows, [f"document d{number}" for number in range(5)], subject="embeddings")
    assert str(caught.value) == (
        "embeddings problem: document d1 is zero, document d2 is not finite, document d3 is not finite and 1 more, "
        "expected finite vectors other than zero. "
        "Use embed.dtype float32; if it stays, the model's files or the text are at fault."
    )
