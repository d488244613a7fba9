"""Filters in the words of qdrant-client, for its local mode and for a server alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backends.stores.points import point_id, stored
from backends.stores.protocol import Only

if TYPE_CHECKING:
    from qdrant_client import models


def condition(only: Only) -> models.Filter | None:
    """Return the filter that lets exactly the points of `only` pass; None where all do."""
    from qdrant_client import models

    must: list[Any] = []
    if only.ids is not None:
        must.append(models.HasIdCondition(has_id=[point_id(one) for one in sorted(only.ids)]))
    for key, values in only.match.items():
        either: list[Any] = [
            models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
            if value is None
            else models.FieldCondition(key=key, match=models.MatchValue(value=stored(value)))
            for value in values
        ]
        # An empty list of alternatives would be no condition at all.
        must.append(models.Filter(should=either) if either else models.HasIdCondition(has_id=[]))
    return models.Filter(must=must) if must else None
