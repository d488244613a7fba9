"""Terms as numbers: what the fields of all documents hold, ready to be counted."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 20  # occurrences that are sorted at a time: some 40 MiB, whatever the size of the collection

_DOCUMENT_BITS = 32


class Vocabulary(dict[str, int]):
    """The number of each term, by its first appearance: asking for a new one with [] numbers it.

    Left to itself bm25s numbers terms by the order of a set, which another hash seed changes.
    """

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


@dataclass(frozen=True)
class Occurrences:
    """One field of all documents.

    Attributes:
        weight: what one occurrence counts.
        terms: int32 (occurrences,), the numbers of the terms, document after document.
        ends: int64 (n,), where each document's part of `terms` ends.
    """

    weight: float
    terms: NDArray[np.int32]
    ends: NDArray[np.int64]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Return int64 (n,): occurrences a document."""
        return np.diff(self.ends, prepend=0)


def number(documents: Iterable[Iterable[str]], vocabulary: Vocabulary, *, weight: float) -> Occurrences:
    """Number the terms of one field.

    Args:
        documents: each document's terms.
        vocabulary: gains the terms that are new to it.
        weight: what one occurrence counts.
    """
    terms, ends = array("i"), array("q")
    for document in documents:
        terms.extend(map(vocabulary.__getitem__, document))
        ends.append(len(terms))
    return Occurrences(weight, np.frombuffer(terms, np.int32), np.frombuffer(ends, np.int64))


@dataclass(frozen=True)
class Counted:
    """How often terms stand in a range of documents: one row a (term, document) that occurs, in that order.

    Attributes:
        terms: int64 (rows,), ascending.
        documents: int64 (rows,), ascending within a term.
        counts: float64 (rows,), occurrences times weights, summed over the fields.
    """

    terms: NDArray[np.int64]
    documents: NDArray[np.int64]
    counts: NDArray[np.float64]


def counted(fields: Sequence[Occurrences]) -> Iterator[Counted]:
    """Count range after range of documents, each with about `BLOCK` occurrences, in the order of documents."""
    ends = np.sum([field.ends for field in fields], axis=0)
    first, before = 0, 0
    while first < ends.size:
        last = max(first + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        yield _counted(fields, first, last)
        first, before = last, int(ends[last - 1])


def _counted(fields: Sequence[Occurrences], first: int, last: int) -> Counted:
    keys, counts = [], []
    for field in fields:
        one, n = np.unique(_keys(field, first, last), return_counts=True)
        keys.append(one)
        counts.append(field.weight * n)
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    sums: NDArray[np.float64] = np.bincount(place, weights=np.concatenate(counts)).astype(
        np.float64, copy=False
    )
    return Counted(every >> _DOCUMENT_BITS, every & ((1 << _DOCUMENT_BITS) - 1), sums)


def _keys(field: Occurrences, first: int, last: int) -> NDArray[np.int64]:
    """Return one number an occurrence that sorts by term, then by document."""
    start = int(field.ends[first - 1]) if first else 0
    documents = np.repeat(np.arange(first, last), field.lengths[first:last])
    keys: NDArray[np.int64] = field.terms[start : field.ends[last - 1]].astype(np.int64) << _DOCUMENT_BITS
    return keys | documents
