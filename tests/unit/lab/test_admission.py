"""What a query may see is the same for a mask and for an engine, and the same as in the pool."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tasks.admission import Admission, Query
from tasks.read import Corpus
from vara.datasets.tables import to_frame
from vara.index.facets import facets_of

DOCUMENTS: dict[str, dict[str, str]] = {
    "open": {"product": "web"},
    "canary": {"audience": "owner", "product": "web"},
    "old": {"status": "archived", "product": "web"},
    "q-self": {"product": "web"},
    "other": {"product": "pocket"},
}


def rows() -> list[tuple[Any, ...]]:
    return [
        (doc, None, "text", json.dumps(more), more.get("status") == "archived", more.get("audience"))
        for doc, more in DOCUMENTS.items()
    ]


def admission(*, exclude_self: bool = False, **wanted: Any) -> Admission:
    corpus = Corpus(to_frame("documents", rows()), to_frame("queries", ()))
    return Admission(corpus, {"pool.filter": wanted, "pool.exclude_self": exclude_self})


@pytest.mark.parametrize(
    ("settings", "query", "allowed", "scope", "expected"),
    [
        ({}, "q", None, None, {"open", "q-self", "other"}),
        ({}, "q", ["owner"], None, {"open", "canary", "q-self", "other"}),
        ({}, "q", ["staff"], None, {"open", "q-self", "other"}),
        ({}, "q", ["owner"], {"product": "web"}, {"open", "canary", "q-self"}),
        ({}, "q", None, {"product": ["pocket", "bridge"]}, {"other"}),
        ({}, "q-self", None, None, {"open", "q-self", "other"}),
        ({"exclude_self": True}, "q-self", None, None, {"open", "other"}),
        ({"exclude_self": True}, "q-self", ["owner"], {"product": "web"}, {"open", "canary"}),
        ({"exclude_self": True}, "q", None, None, {"open", "q-self", "other"}),
        ({"product": "web"}, "q", ["owner"], None, {"open", "canary", "q-self"}),
        ({"product": "web"}, "q", None, {"product": "pocket"}, set()),
        ({"audience": "owner"}, "q", None, None, set()),
    ],
)
def test_mask_and_conditions_agree(
    settings: dict[str, Any],
    query: str,
    allowed: list[str] | None,
    scope: dict[str, Any] | None,
    expected: set[str],
) -> None:
    made = admission(**settings)
    asked = Query(query, "text", allowed, json.dumps(scope) if scope else None)
    for _ in range(2):  # asked again, nothing has changed
        mask = made.visible(asked)
        assert {doc for doc, seen in zip(DOCUMENTS, mask, strict=True) if seen} == expected
    only = made.only(asked)
    held = {doc: set(facets_of(archived, audience, more)) for doc, _, _, more, archived, audience in rows()}
    assert {
        doc
        for doc, facets in held.items()
        if doc not in only.without and all(facets.intersection(either) for either in only.holds)
    } == expected
