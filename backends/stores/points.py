"""What all engines share: names, point ids, checked vectors, ties."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from backends.pooling import unit_rows
from backends.stores.protocol import Hit, Points
from vara.errors import Problem, examples
from vara.index.facets import Facets
from vara.quality.ranking import ranked

DOC_ID = "doc_id"
"""The payload field that holds a point's document id."""

FACETS = "facets"
"""The payload field that holds what its document holds; filters read nothing else."""

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_OID, "vara.document")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")


def check_name(name: str) -> str:
    """Return the name of a collection or alias if it can also be the name of a folder.

    Raises:
        Problem: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise Problem(
            "collection",
            f"the name {name!r}",
            expected="lower-case letters, digits, - and _, at most 100",
            remedy="Choose such a name.",
        )
    return name


def point_id(doc_id: str) -> str:
    """Return the id under which engines know a document: the UUIDv5 of its id.

    Example:
        >>> point_id("d1")
        '1472c981-d9db-559a-9eec-231960215f40'
    """
    return str(uuid.uuid5(_NAMESPACE, doc_id))


def prepared(points: Points, dimension: int) -> NDArray[np.float32]:
    """Check points before an engine sees them and return their vectors at length 1.

    Raises:
        Problem: vectors that are zero, not finite, of another dimension or number; ids that stand twice.
    """
    ids, vectors, _ = points
    if vectors.shape != (len(ids), dimension):
        raise Problem(
            "vectors",
            f"shape {vectors.shape}",
            expected=f"{(len(ids), dimension)}",
            remedy="Embed with the model that the collection was made for, or make another collection.",
        )
    repeated = [doc_id for doc_id, times in Counter(ids).items() if times > 1]
    if repeated:
        raise Problem(
            "vectors", f"ids that stand twice: {examples(repeated)}", remedy="Give each document once."
        )
    return unit_rows(vectors, [f"document {doc_id}" for doc_id in ids], subject="vectors")


def payload_of(doc_id: str, facets: Facets) -> dict[str, str | list[str]]:
    """Return the payload of a point: its document's id and facets."""
    return {DOC_ID: doc_id, FACETS: list(facets)}


def unit_query(vector: NDArray[np.float32], dimension: int) -> list[float]:
    """Return a query vector at length 1, as engines take it.

    Raises:
        Problem: it is zero, not finite, or of another dimension.
    """
    if vector.shape != (dimension,):
        raise Problem(
            "query vector",
            f"shape {vector.shape}",
            expected=f"{(dimension,)}",
            remedy="Embed queries with the model of the collection.",
        )
    row: list[float] = unit_rows(vector[None], ["it"], subject="query vector")[0].tolist()
    return row


def cut(fetch: Callable[[int], list[Hit]], k: int) -> list[Hit]:
    """Return the first k hits in the order of all rankings: score descending, then document id descending.

    An engine cuts ties as it likes. So one hit more than asked for is fetched, and twice as many as long as
    the tie at the cut may go on.

    Args:
        fetch: returns up to that many hits, best first.
        k: how many to return.

    Example:
        >>> hits = [Hit("b", 0.9), Hit("a", 0.5), Hit("c", 0.5), Hit("d", 0.1)]
        >>> [hit.doc_id for hit in cut(lambda limit: hits[:limit], 2)]
        ['b', 'c']
    """
    if k < 1:
        return []
    limit = k + 1
    hits = fetch(limit)
    while len(hits) == limit and hits[-1].score == hits[k - 1].score:
        limit *= 2
        hits = fetch(limit)
    scores = {hit.doc_id: hit.score for hit in hits}
    return [Hit(doc_id, scores[doc_id]) for doc_id in ranked(scores, k)]
