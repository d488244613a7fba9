"""Which texts go through the network together. No choice made here may change a bit of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEP = 16


@dataclass(frozen=True)
class Batch:
    """Texts of one padded length.

    Attributes:
        width: tokens a row, padding included.
        height: rows of the matrix; more than there are texts where the shape is fixed.
        texts: numbers of the texts, one a row.
    """

    width: int
    height: int
    texts: tuple[int, ...]


def plan(lengths: Sequence[int], *, limit: int, budget: int, fixed: bool) -> list[Batch]:
    """Group texts by their own length, padded to a multiple of `STEP`, and cut the groups into batches.

    A text's width depends on itself alone, never on its company: this is what keeps its vector the same in
    every batch.

    Args:
        lengths: tokens of each text.
        limit: the most tokens a text may have; no width is beyond it.
        budget: tokens a batch, padding included; a batch has at least one row.
        fixed: whether every batch of one width has the same height, so that one kernel serves them all.

    Returns:
        Batches, the widest first, so that workers end together.

    Example:
        >>> [batch.texts for batch in plan([5, 20, 16, 3], limit=64, budget=32, fixed=False)]
        [(1,), (0, 2), (3,)]
    """
    groups: dict[int, list[int]] = {}
    for number, length in enumerate(lengths):
        groups.setdefault(min(-(-length // STEP) * STEP, limit), []).append(number)
    batches = []
    for width in sorted(groups, reverse=True):
        height = max(1, budget // width)
        for start in range(0, len(groups[width]), height):
            texts = tuple(groups[width][start : start + height])
            batches.append(Batch(width, height if fixed else len(texts), texts))
    return batches


def fill(
    batch: Batch, rows: Sequence[NDArray[np.int64]], pad: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return token ids and mask of a batch, int64 (height, width); rows without a text repeat the first."""
    ids = np.full((batch.height, batch.width), pad, dtype=np.int64)
    mask = np.zeros((batch.height, batch.width), dtype=np.int64)
    for line in range(batch.height):
        row = rows[batch.texts[line] if line < len(batch.texts) else batch.texts[0]]
        ids[line, : len(row)] = row
        mask[line, : len(row)] = 1
    return ids, mask
