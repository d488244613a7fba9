"""BM25 over fields: the lexical baseline, and the lexical half of fusion.

Scores are of all documents, so that filters and permissions act before any cut; the cut and the order are
made elsewhere. How a text becomes terms stands in `terms`, the formula in `matrix`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from backends.lexical.fallbacks import Fallback, Fallbacks, StandIns, Visible
from backends.lexical.occurrences import Vocabulary, number
from backends.lexical.terms import Terms
from vara.errors import Problem

Values = Sequence[Sequence[str]]
"""The values of one field: for each document a list, which may be empty."""


@dataclass(frozen=True)
class Field:
    """One field of the documents.

    Attributes:
        name: as the parameters call it.
        weight: what one occurrence of a term counts, > 0 and finite.
        label: whether its values are labels, which also give the terms of their parts.

    Raises:
        Problem: another weight.
    """

    name: str
    weight: float
    label: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.weight < math.inf:
            raise Problem(
                "lexical.fields",
                f"weight {self.weight} of {self.name}",
                expected="a number above 0",
                remedy="Leave a field out that shall not count.",
            )


@dataclass(frozen=True)
class Answer:
    """What an index says to one query.

    Attributes:
        scores: float32 (n,), summed in float64 and rounded once. 0 exactly where neither a term of the query nor
            a stand-in occurs: BM25 did not find that document, and it has no place in a ranking (see `found`).
        replaced: each term of the query that a fallback acted on, and what stood in for it.
    """

    scores: NDArray[np.float32]
    replaced: Mapping[str, StandIns] = field(default_factory=dict)


class BM25:
    """An index over the fields of documents.

    A query's score is the sum over its terms, a repeated one as often as it stands there. Where stand-ins replace a
    term, a document gets the score of its best one, so that five spellings are no five words.
    """

    def __init__(
        self,
        fields: Sequence[tuple[Field, Values]],
        *,
        terms: Terms,
        k1: float,
        b: float,
        fallbacks: Collection[Fallback] = (),
    ) -> None:
        """Index documents; their order is that of every score.

        Args:
            fields: one or more; each has a list of values for every document.
            terms: the rule for terms, of fields and queries alike.
            k1: how soon another occurrence stops counting, ≥ 0.
            b: how much length counts, 0..1.
            fallbacks: what may stand in for a term that no visible document holds.
        """
        from backends.lexical.matrix import Matrix

        self._terms = terms
        self._vocabulary = Vocabulary()
        counted = [
            number(_documents(terms, one, values), self._vocabulary, weight=one.weight)
            for one, values in fields
        ]
        self._matrix = Matrix(self._vocabulary, counted, k1=k1, b=b)
        self._fallbacks = Fallbacks(fallbacks, self._vocabulary, self._matrix.holders)

    def answer(self, query: str, visible: Visible = None) -> Answer:
        """Score every document, and say what stood in for what.

        Args:
            query: the text; its terms are those of running text.
            visible: the documents that it may see; only the fallbacks look at it.
        """
        asked = self._terms.of(query)
        replaced = self._fallbacks.replace(asked, visible)
        known = [self._vocabulary[one] for one in asked if one in self._vocabulary and one not in replaced]
        scores: NDArray[np.float64] = self._matrix.sums(known)
        for stand_ins in (replaced[one].terms for one in asked if one in replaced):
            scores += self._matrix.best([self._vocabulary[one] for one in stand_ins])
        return Answer(scores.astype(np.float32), replaced)


def found(scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return bool (n,): the documents that hold at least one term of the query; BM25 ranks no others."""
    return scores > 0


def _documents(terms: Terms, one: Field, values: Values) -> Iterable[Iterable[str]]:
    cut = terms.of_label if one.label else terms.of
    return (chain.from_iterable(map(cut, document)) for document in values)
