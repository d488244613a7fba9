"""BM25: the lexical baseline, and the lexical half of fusion.

Scores are of all documents, so that filters and permissions act before any cut; the cut and the order are
made elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75
"""Lucene's own defaults; not fitted to any of our collections."""

RULE = (
    "lucene k1=1.2 b=0.75, terms 1: NFKC, lower case, letters and digits, Han and kana singly, no stop list"
)
"""What makes a score, in words, with the version of the rule for terms."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def tokens(text: str) -> list[str]:
    """Split a text into terms: NFKC, lower case, runs of letters and digits.

    Chinese characters and kana, which are written without spaces, are terms of their own. Nothing is stemmed
    and nothing is stopped, so that the rule favours no language.

    Example:
        >>> tokens("Error PK_03: the naïve user's 向量")
        ['error', 'pk', '03', 'the', 'naïve', 'user', 's', '向', '量']
    """
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())


class BM25:
    """An index over texts, in Lucene's variant of BM25.

    The score of a document d for a query is the sum over the query's terms t, a repeated one as often as it
    stands there, of idf(t) · tf / (tf + k1 · (1 - b + b · |d| / mean |d|)), where
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)).

    **Source** Robertson and Zaragoza 2009; Kamphuis et al., ECIR 2020, "Lucene (accurate)"; computed by
    bm25s in float64. A hand-computed example is the oracle of the tests.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Index texts; their order is that of every score."""
        import bm25s

        # Terms are numbered by their first appearance; left to itself bm25s numbers them by hash order.
        self._vocabulary: dict[str, int] = {}
        ids = [
            [self._vocabulary.setdefault(term, len(self._vocabulary)) for term in tokens(text)]
            for text in texts
        ]
        self._documents = len(texts)
        if self._vocabulary:
            self._index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
            self._index.index((ids, dict(self._vocabulary)), create_empty_token=False, show_progress=False)

    def scores(self, query: str) -> NDArray[np.float32]:
        """Score every document.

        Returns:
            float32 (n,), summed in float64 and rounded once. 0 exactly where no term of the query occurs:
            BM25 did not find that document, and it has no place in a ranking (see `found`).
        """
        known = [self._vocabulary[term] for term in tokens(query) if term in self._vocabulary]
        if not known:
            return np.zeros(self._documents, dtype=np.float32)
        scores: NDArray[np.float64] = self._index.get_scores_from_ids(known)
        return scores.astype(np.float32)


def found(scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return bool (n,): the documents that hold at least one term of the query; BM25 ranks no others."""
    return scores > 0
