"""Scope and permissions: which documents a query may see. They act before any cut."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vara.artifacts.canonical import canonical
from vara.datasets.matches import N_MASKS, Fields
from vara.errors import Problem, near_names


class Scope:
    """The documents that are searched, and for each query those that it may see.

    Out for every query: archived documents, and those that do not match `wanted`. Out for some: a document with
    an audience is seen only by a query that is allowed to read for that audience; a query with a scope of its own
    sees only what matches it.
    """

    def __init__(
        self,
        archived: Sequence[bool],
        audiences: Sequence[str | None],
        metadata: Sequence[str],
        wanted: Mapping[str, Any],
    ) -> None:
        """Prepare the masks.

        Args:
            archived: one flag a document.
            audiences: the audience of each document, None where everybody may read it.
            metadata: canonical JSON of each document's metadata.
            wanted: {metadata field: value or list of values}, `pool.filter`.

        Raises:
            Problem: `wanted` names a field that no document has, or no document matches it.
        """
        self._fields = Fields(metadata)
        self._open: NDArray[np.bool_] = ~np.asarray(archived, dtype=bool) & filtered(self._fields, wanted)
        self._audiences = np.asarray(audiences, dtype=object)
        self._public: NDArray[np.bool_] = self._open & np.asarray([name is None for name in audiences], bool)
        self._readable = lru_cache(maxsize=N_MASKS)(self._read_by)

    def visible(self, allowed: Collection[str] | None, scope: str | None = None) -> NDArray[np.bool_]:
        """Return bool (n,): the documents that a query may see. Nobody may write into it.

        Args:
            allowed: the audiences that the query may read for.
            scope: the query's own filter as canonical JSON, which acts like `pool.filter` beside it; None for none.
        """
        seen = self._readable(tuple(sorted(set(allowed)))) if allowed else self._public
        return seen if scope is None else np.asarray(seen & self._fields.matching(scope))

    def _read_by(self, allowed: tuple[str, ...]) -> NDArray[np.bool_]:
        named = (name in allowed for name in self._audiences)
        mine = np.fromiter(named, dtype=bool, count=len(self._audiences))
        return np.asarray(self._public | (self._open & mine))


def filtered(fields: Fields, wanted: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return bool (n,): the documents that match `pool.filter`.

    Raises:
        Problem: a field that no document has, or nothing that matches: every measure would be 0.
    """
    for name in wanted:
        if not fields.has(name):
            found = f"no document has metadata {name!r}"
            raise Problem("pool.filter", found, remedy=near_names(name, fields.names()))
    keep = fields.matching(canonical(dict(wanted)))
    if wanted and not keep.any():
        found = f"no document matches {canonical(dict(wanted))}"
        raise Problem("pool.filter", found, remedy="Correct a value, or set pool.filter to {}.")
    return keep
