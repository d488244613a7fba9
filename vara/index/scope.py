"""Scope and permissions: which documents a query may see. They act before any cut."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vara.artifacts.canonical import canonical
from vara.errors import Problem, near_names


class Scope:
    """The documents that are searched, and for each query those that it may see.

    Out for every query: archived documents, and those that do not match `wanted`. Out for some: a document with
    an audience is seen only by a query that is allowed to read for that audience.
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
        self._open: NDArray[np.bool_] = ~np.asarray(archived, dtype=bool) & matching(metadata, wanted)
        self._audiences = np.asarray(audiences, dtype=object)
        self._public: NDArray[np.bool_] = self._open & np.asarray([name is None for name in audiences], bool)
        self._cache: dict[tuple[str, ...], NDArray[np.bool_]] = {}

    def visible(self, allowed: Collection[str] | None) -> NDArray[np.bool_]:
        """Return bool (n,): the documents that a query with these audiences may see."""
        if not allowed:
            return self._public
        key = tuple(sorted(set(allowed)))
        if key not in self._cache:
            self._cache[key] = np.asarray(
                self._public
                | (
                    self._open
                    & np.fromiter(
                        (name in key for name in self._audiences), dtype=bool, count=len(self._audiences)
                    )
                )
            )
        return self._cache[key]


def matching(metadata: Sequence[str], wanted: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return bool (n,): the documents whose metadata hold, for every wanted field, one of its values.

    A list in the metadata matches when one of its members does.

    Raises:
        Problem: a field that no document has, or nothing that matches: every measure would be 0.
    """
    keep = np.ones(len(metadata), dtype=bool)
    if not wanted:
        return keep
    fields = [json.loads(text) for text in metadata]
    for name, value in wanted.items():
        if not any(name in one for one in fields):
            known = sorted({key for one in fields for key in one})
            found = f"no document has metadata {name!r}"
            raise Problem("pool.filter", found, remedy=near_names(name, known))
        values = value if isinstance(value, list) else [value]
        keep &= np.fromiter((_holds(one.get(name), values) for one in fields), dtype=bool, count=len(fields))
    if not keep.any():
        found = f"no document matches {canonical(dict(wanted))}"
        raise Problem("pool.filter", found, remedy="Correct a value, or set pool.filter to {}.")
    return keep


def _holds(have: Any, values: Sequence[Any]) -> bool:
    members = have if isinstance(have, list) else [have]
    return any(_same(member, value) for member in members for value in values)


def _same(member: Any, value: Any) -> bool:
    # True and 1 are equal in Python and are not in JSON.
    return isinstance(member, bool) == isinstance(value, bool) and bool(member == value)
