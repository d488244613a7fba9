"""The matrix of BM25 scores: bm25s holds it and sums from it; it is built here, from weighted fields.

Imported where an index is built, since it loads bm25s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bm25s
import numpy as np
from bm25s.tokenization import Tokenized
from numpy.typing import NDArray

from backends.lexical.occurrences import Occurrences, Vocabulary, counted


class Matrix(bm25s.BM25):  # type: ignore[misc]  # bm25s is untyped
    """Simple BM25F in Lucene's variant.

    The score of term t in document d is idf(t) · tf / (tf + k1 · (1 - b + b · |d| / mean |d|)), with
    tf = sum over fields f of weight(f) · tf(f), |d| = sum over fields of weight(f) · |d(f)| and
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)). With every weight 1 it is BM25 of the fields put together.

    **Conventions** A document without any term is none of the N, and not in the mean, as in Lucene: archived
    documents come without terms and weigh nowhere. df counts documents, whichever field holds the term.

    **Source** Robertson, Zaragoza and Taylor, CIKM 2004; Kamphuis et al., ECIR 2020, "Lucene (accurate)". The tests
    compare with bm25s's own matrix for weights of 1, and with an explicit sum for others.
    """

    def __init__(self, vocabulary: Vocabulary, fields: Sequence[Occurrences], *, k1: float, b: float) -> None:
        """Build the matrix.

        Args:
            vocabulary: the number of each term.
            fields: one or more, all of the same n documents.
            k1: how soon another occurrence stops counting, ≥ 0.
            b: how much length counts, 0..1.
        """
        super().__init__(k1=k1, b=b, method="lucene", dtype="float64")
        self.index(Tokenized(ids=fields, vocab=vocabulary), create_empty_token=False, show_progress=False)

    def build_index_from_ids(
        self, unique_token_ids: Sequence[int], corpus_token_ids: Sequence[Occurrences], **_progress: bool
    ) -> dict[str, Any]:
        """Return bm25s's compressed columns, one a term; the method that bm25s documents for overriding.

        **Conventions** Two passes over ranges of documents, one that counts and one that places: what is sorted
        at a time is bounded, and beside the columns themselves little is held.
        """
        fields, self.nonoccurrence_array = corpus_token_ids, None
        df = np.zeros(len(unique_token_ids), np.int64)
        for part in counted(fields):
            df += np.bincount(part.terms, minlength=df.size)
        starts = np.concatenate([[0], np.cumsum(df)])
        data, rows = np.empty(starts[-1]), np.empty(starts[-1], np.int32)
        lengths = np.sum([field.weight * field.lengths for field in fields], axis=0)
        idf, norms = _idf(df, int(np.count_nonzero(lengths))), self._norms(lengths)
        free = starts[:-1].copy()  # where the next document of each term goes
        for part in counted(fields):
            here = np.bincount(part.terms, minlength=df.size)
            place = np.arange(part.terms.size) + np.repeat(free - np.cumsum(here) + here, here)
            rows[place] = part.documents
            data[place] = idf[part.terms] * (part.counts / (norms[part.documents] + part.counts))
            free += here
        return {"data": data, "indices": rows, "indptr": starts, "num_docs": lengths.size}

    def sums(self, terms: Sequence[int]) -> NDArray[np.float64]:
        """Return float64 (n,): each document's sum over the terms, a repeated one as often as it stands there."""
        if not terms:  # which bm25s takes for an error where the vocabulary is empty
            return np.zeros(self.scores["num_docs"])
        sums: NDArray[np.float64] = self.get_scores_from_ids(terms)
        return sums

    def holders(self, term: int) -> NDArray[np.int32]:
        """Return the numbers of the documents that hold a term, ascending."""
        rows: NDArray[np.int32] = self.scores["indices"][self._column(term)]
        return rows

    def best(self, terms: Sequence[int]) -> NDArray[np.float64]:
        """Return float64 (n,): each document's best score for any one of the terms; 0 where it holds none."""
        best = np.zeros(self.scores["num_docs"])
        for column in map(self._column, terms):
            rows = self.scores["indices"][column]
            best[rows] = np.maximum(best[rows], self.scores["data"][column])
        return best

    def _column(self, term: int) -> slice:
        starts = self.scores["indptr"]
        return slice(starts[term], starts[term + 1])

    def _norms(self, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64 (n,): k1 · (1 - b + b · |d| / mean |d|)."""
        mean = lengths.sum() / max(1, np.count_nonzero(lengths))
        norms: NDArray[np.float64] = self.k1 * ((1 - self.b) + self.b * lengths / (mean or 1))
        return norms


def _idf(df: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return the idf of each term; by math.log, which has no faster and other variant on another processor."""
    distinct, place = np.unique(df, return_inverse=True)
    values = [math.log(1 + (n - one + 0.5) / (one + 0.5)) for one in distinct.tolist()]
    return np.array(values, np.float64)[place]
