"""Which documents match a filter: an object {metadata field: value or list of values}.

What lives here: the one meaning that `pool.filter` and a query's scope share. What does not: which documents a query
may see in the end (vara/index/scope.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_MASKS = 64
"""Masks kept: a million documents make 1 MB each, however many different filters the queries have."""

_Value = tuple[bool, str | int | float]


@dataclass(frozen=True)
class _Holders:
    """The documents that hold each value of one field: rows[starts[code] : starts[code + 1]]."""

    codes: dict[_Value, int]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]


class Fields:
    """The metadata of all documents, asked field by field; a field is read when it is first asked for.

    Args:
        metadata: one JSON object a document.
    """

    def __init__(self, metadata: Sequence[str]) -> None:
        self._metadata = metadata
        self._holders: dict[str, _Holders | None] = {}
        self._masks = lru_cache(maxsize=N_MASKS)(self._mask)

    def has(self, name: str) -> bool:
        """Return whether any document has the field."""
        return self._of(name) is not None

    def names(self) -> list[str]:
        """Return the names of all fields, sorted."""
        return sorted({name for text in self._metadata for name in json.loads(text)})

    def matching(self, wanted: str) -> NDArray[np.bool_]:
        """Return bool (n,): the documents that hold, for every wanted field, one of its values.

        **Conventions** A list in the metadata matches when one of its members does. Texts are compared as they are;
        2020 and 2020.0 are one number, "2020" is none; true is not 1. Nobody may write into what is returned.

        Args:
            wanted: the filter as canonical JSON; "{}" is matched by all.
        """
        return self._masks(wanted)

    def _mask(self, wanted: str) -> NDArray[np.bool_]:
        keep = np.ones(len(self._metadata), dtype=bool)
        for name, value in json.loads(wanted).items():
            holds = np.zeros(len(keep), dtype=bool)
            of = self._of(name)
            for one in map(_value, _members(value)):
                if of is not None and one in of.codes:
                    code = of.codes[one]
                    holds[of.rows[of.starts[code] : of.starts[code + 1]]] = True
            keep &= holds
        return keep

    def _of(self, name: str) -> _Holders | None:
        if name not in self._holders:
            self._holders[name] = _read(self._metadata, name)
        return self._holders[name]


def _read(metadata: Sequence[str], name: str) -> _Holders | None:
    """Return who holds what in one field; None where no document has it."""
    present = False
    codes: dict[_Value, int] = {}
    pairs: list[tuple[int, int]] = []
    for row, text in enumerate(metadata):
        fields = json.loads(text)
        if name in fields:
            present = True
            held = (_value(one) for one in _members(fields[name]) if isinstance(one, str | int | float))
            pairs.extend((codes.setdefault(one, len(codes)), row) for one in held)
    if not present:
        return None
    table = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    table = table[np.argsort(table[:, 0], kind="stable")]
    return _Holders(codes, np.searchsorted(table[:, 0], np.arange(len(codes) + 1)), table[:, 1].copy())


def _members(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _value(one: str | float) -> _Value:
    # True and 1 are equal in Python and are not in JSON.
    return isinstance(one, bool), one
