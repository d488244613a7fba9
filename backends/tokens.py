"""Texts as token ids: prefix, special tokens, the true length, and the cut that has to be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from backends.models import Prefixes
from vara.errors import Problem, examples

Kind = Literal["query", "passage"]
TooLong = Literal["reject", "truncate"]

_CHUNK = 1024  # texts whose token objects are alive at once


class Tokeniser:
    """The model's own tokenizer, without the truncation and padding that its file may switch on."""

    def __init__(self, file: Path, prefixes: Prefixes) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._prefixes = prefixes
        self._special = self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def count(self, texts: Sequence[str], kind: Kind) -> NDArray[np.int64]:
        """Return int64 (n,): the tokens of each whole text, prefix and special tokens included."""
        lengths = (len(encoding) + self._special for encoding in self._encodings(texts, kind))
        return np.fromiter(lengths, dtype=np.int64, count=len(texts))

    def rows(
        self, texts: Sequence[str], kind: Kind, limit: int
    ) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """Return the token ids of each text, cut to `limit`, and what `count` returns.

        A cut text keeps its special tokens: what goes is the end of the text itself.
        """
        rows, lengths = [], np.zeros(len(texts), dtype=np.int64)
        for number, encoding in enumerate(self._encodings(texts, kind)):
            lengths[number] = len(encoding) + self._special
            encoding.truncate(limit - self._special)
            rows.append(np.asarray(self._tokenizer.post_process(encoding).ids, dtype=np.int64))
        return rows, lengths

    def _encodings(self, texts: Sequence[str], kind: Kind) -> Iterator[Any]:
        prefix = self._prefixes.query if kind == "query" else self._prefixes.passage
        remaining = iter(texts)
        while chunk := [prefix + text for text in islice(remaining, _CHUNK)]:
            yield from self._tokenizer.encode_batch(chunk, add_special_tokens=False)


def check_lengths(counts: NDArray[np.int64], names: Sequence[str], *, limit: int, too_long: TooLong) -> int:
    """Refuse texts longer than the limit, or count them where cutting was asked for.

    Args:
        counts: int64 (n,), tokens of each text.
        names: n names of the texts, for the message ("document 7").
        limit: the most tokens that are read.
        too_long: "reject" or "truncate".

    Returns:
        How many texts are longer than the limit.

    Raises:
        Problem: there are some and `too_long` is "reject"; three are named with their lengths.
    """
    longer = np.flatnonzero(counts > limit)
    if longer.size and too_long == "reject":
        raise Problem(
            "text too long",
            examples([f"{names[row]} has {counts[row]} tokens" for row in longer.tolist()]),
            expected=f"at most {limit}",
            where=f"{longer.size} of {len(counts)} texts",
            remedy="Shorten or split them, or set embed.too_long: truncate.",
        )
    return int(longer.size)
