"""Filters in the words of qdrant-client, for its local mode and for a server alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.stores.points import FACETS, point_id
from vara.index.facets import Only

if TYPE_CHECKING:
    from qdrant_client import models


def condition(only: Only) -> models.Filter | None:
    """Return the filter that lets exactly the points of `only` pass; None where all do."""
    from qdrant_client import models

    if not only.holds and not only.without:
        return None
    return models.Filter(
        must=[
            models.FieldCondition(key=FACETS, match=models.MatchAny(any=list(either)))
            for either in only.holds
        ],
        must_not=[models.HasIdCondition(has_id=[point_id(one) for one in sorted(only.without)])]
        if only.without
        else None,
    )
