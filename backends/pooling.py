"""From token vectors to one unit vector a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from vara.errors import Problem, examples

if TYPE_CHECKING:
    from torch import Tensor


def pool(hidden: Tensor, mask: Tensor, how: Literal["mean", "cls"]) -> Tensor:
    """Reduce the token vectors of each text to one vector.

    "mean" is the sum over the text's own tokens (special ones included, padding not) divided by their number;
    "cls" is the first token's vector.

    Args:
        hidden: (n, tokens, dim), any float type.
        mask: (n, tokens), 1 for the text's own tokens, 0 for padding.
        how: which of the two.

    Returns:
        float32 (n, dim), not normalised. Sums are taken in float32 whatever the model computes in.
    """
    if how == "cls":
        return hidden[:, 0].float()
    weights = mask.unsqueeze(-1).float()
    return (hidden.float() * weights).sum(dim=1) / weights.sum(dim=1)


def unit_rows(vectors: NDArray[np.float32], names: Sequence[str], *, subject: str) -> NDArray[np.float32]:
    """Scale each row to length 1; lengths are taken in float64 and the quotient is rounded once.

    What comes out is of length 1 to a tenth of a float32 step, so that doing it twice changes nothing.

    Args:
        vectors: float32 (n, dim).
        names: n names of the rows, for the message ("document 7").
        subject: what the rows are, for the message.

    Returns:
        float32 (n, dim), a new array.

    Raises:
        Problem: rows that are not finite, or zero; three of them are named.

    Example:
        >>> unit_rows(np.array([[3, 4]], dtype=np.float32), ["a"], subject="vectors").tolist()
        [[0.6000000238418579, 0.800000011920929]]
    """
    rows = vectors.astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1))
    wrong = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0))).tolist()
    if wrong:
        raise Problem(
            subject,
            examples([f"{names[row]} is {'zero' if lengths[row] == 0 else 'not finite'}" for row in wrong]),
            expected="finite vectors other than zero",
            remedy="Use embed.dtype float32; if it stays, the model's files or the text are at fault.",
        )
    unit: NDArray[np.float32] = (rows / lengths[:, None]).astype(np.float32)
    return unit
