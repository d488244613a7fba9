"""Facets: what a document holds and what a query may see, as strings that any engine can compare.

What lives here: the words in which a scope travels to an engine. What does not: who may see what, as masks over all
documents (vara/index/scope.py); that is the oracle, and shares no code with this.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from vara.artifacts.canonical import canonical, digest

LONGEST = 120
"""Characters of a facet; a longer one is replaced by its digest, so that a point stays small."""

Facets = Sequence[str]
Holds = tuple[tuple[str, ...], ...]
"""A conjunction of alternatives: of each inner tuple a document has to hold one facet."""


@dataclass(frozen=True)
class Only:
    """Which documents may be found; every condition has to hold, and all act before the cut.

    Attributes:
        holds: of each inner tuple a document has to hold one facet; an empty one finds nothing.
        without: ids that may not be found.
    """

    holds: Holds = ()
    without: AbstractSet[str] = frozenset()

    def beyond(self, everywhere: AbstractSet[str]) -> Only:
        """Return the same question without what is true of every document: an engine pays for each condition.

        Args:
            everywhere: facets that every document of the collection holds (`shared`).

        Example:
            >>> Only((("archived=false",), ("audience=null", 'audience="staff"'))).beyond({"audience=null"}).holds
            (('archived=false',),)
        """
        return Only(tuple(one for one in self.holds if everywhere.isdisjoint(one)), self.without)


EVERYTHING = Only()


def facets_of(archived: bool, audience: str | None, metadata: str) -> list[str]:
    """Return what a document holds.

    **Conventions**: a list gives one facet a member; null, objects and lists within lists give none, since no filter
    can name them. 1 and 1.0 are one number, "1" is none, true is not 1.

    Args:
        archived: whether it is outside search.
        audience: who may read it; None: everybody.
        metadata: one JSON object.

    Returns:
        Each facet once, in the order of arguments and fields.

    Example:
        >>> facets_of(False, None, '{"codes":["TV-1",7.0],"product":"web"}')
        ['archived=false', 'audience=null', 'metadata.codes="TV-1"', 'metadata.codes=7', 'metadata.product="web"']
    """
    held = [_facet("archived", archived), _facet("audience", audience)]
    for name, value in json.loads(metadata).items():
        held += [
            _facet(f"metadata.{name}", one) for one in _members(value) if isinstance(one, str | int | float)
        ]
    return list(dict.fromkeys(held))


def shared(held: Iterable[Facets]) -> frozenset[str]:
    """Return the facets that every document holds; of no documents none."""
    documents = iter(held)
    return frozenset(next(documents, ())).intersection(*documents)


def conditions(allowed: Collection[str] | None, *filters: Mapping[str, Any]) -> Holds:
    """Return what a document has to hold so that a query may see it.

    Args:
        allowed: the audiences that the query may read for.
        filters: {metadata field: value or list of values}; all of them act.

    Example:
        >>> conditions(["staff"], {"product": ["web", "pocket"]})[1:]
        (('audience=null', 'audience="staff"'), ('metadata.product="web"', 'metadata.product="pocket"'))
    """
    readers = (None, *sorted(set(allowed or ())))
    return (
        (_facet("archived", False),),
        tuple(_facet("audience", one) for one in readers),
        *(
            tuple(_facet(f"metadata.{name}", one) for one in _members(value))
            for wanted in filters
            for name, value in wanted.items()
        ),
    )


@lru_cache(
    maxsize=1 << 16, typed=True
)  # a corpus has few values: they are one string each, not one a document
def _facet(name: str, value: str | float | None) -> str:
    """Return name and value as one text that no other pair has.

    The value is JSON. So no name can be continued into another value: a "=" inside a value stands between quotes, and
    a quote inside it is escaped. What is replaced by a digest has no "=" at all.
    """
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    text = f"{name}={canonical(number)}"
    return text if len(text) <= LONGEST else f"sha256:{digest(text)}"


def _members(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
