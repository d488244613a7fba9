"""What stands in for a term of a query that nothing visible holds: terms that begin with it, or nearly spell it.

Both look in the index's own vocabulary, and only at terms that a document holds which the query may see: a word that
stands in forbidden documents alone neither acts nor shows that it is there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from backends.lexical.terms import has_digit

Fallback = Literal["prefix", "typo"]

ORDER: tuple[Fallback, ...] = ("prefix", "typo")
"""Which is tried first: somebody who is still typing has made no mistake."""

SHORTEST, SHORT, LIMIT = 3, 5, 5
"""Characters from which a term has stand-ins; up to which one edit is a typo, beyond it two; stand-ins a term."""

_AFTER_ALL = "\U0010ffff"

Visible = NDArray[np.bool_] | None
"""bool (n,), the documents that a query may see; None: all."""


@dataclass(frozen=True)
class StandIns:
    """What replaced a term of a query.

    Attributes:
        by: which fallback found them.
        terms: the nearest first, at most `LIMIT`.
    """

    by: Fallback
    terms: tuple[str, ...]


class Fallbacks:
    """The fallbacks that are on, over the vocabulary of one index."""

    def __init__(
        self,
        on: Collection[Fallback],
        vocabulary: Mapping[str, int],
        holders: Callable[[int], NDArray[np.int32]],
    ) -> None:
        """Prepare nothing: an index whose queries are all known never pays.

        Args:
            on: the fallbacks that may act.
            vocabulary: the number of each term.
            holders: gives the documents that hold the term with a number.
        """
        self._on = [one for one in ORDER if one in on]
        self._vocabulary, self._holders = vocabulary, holders
        self._find = {"prefix": self._longer, "typo": self._near}

    def replace(self, asked: Iterable[str], visible: Visible) -> dict[str, StandIns]:
        """Return the stand-ins of each term that no visible document holds, where there are any.

        **Conventions** Order: fewest edits, then most visible documents, then UTF-8 bytes; a longer word that
        begins with the term counts as no edit.
        """
        if not self._on:
            return {}
        unseen = [term for term in dict.fromkeys(asked) if not self._n_seen(term, visible)]
        found = {term: self._stand_ins(term, visible) for term in unseen}
        return {term: some for term, some in found.items() if some is not None}

    def _stand_ins(self, term: str, visible: Visible) -> StandIns | None:
        if len(term) < SHORTEST:
            return None
        for by in self._on:
            near = [(edits, -self._n_seen(one, visible), one) for one, edits in self._find[by](term)]
            terms = tuple([one for _, seen, one in sorted(near) if seen][:LIMIT])
            if terms:
                return StandIns(by, terms)
        return None

    def _n_seen(self, term: str, visible: Visible) -> int:
        """Return how many visible documents hold a term."""
        if term not in self._vocabulary:
            return 0
        holders = self._holders(self._vocabulary[term])
        return holders.size if visible is None else int(np.count_nonzero(visible[holders]))

    def _longer(self, term: str) -> Iterable[tuple[str, int]]:
        first = bisect_left(self._sorted, term)
        return ((one, 0) for one in self._sorted[first : bisect_left(self._sorted, term + _AFTER_ALL)])

    def _near(self, term: str) -> Iterable[tuple[str, int]]:
        """Yield the words within reach; a term with digits is a name: A52 and A53 are two products."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        if has_digit(term):
            return
        reach = 1 if len(term) <= SHORT else 2
        for one, edits, _ in extract(term, self._words, scorer=OSA.distance, score_cutoff=reach, limit=None):
            yield one, int(edits)

    @cached_property
    def _sorted(self) -> Sequence[str]:
        return sorted(self._vocabulary)

    @cached_property
    def _words(self) -> Sequence[str]:
        return [term for term in self._vocabulary if not has_digit(term)]
