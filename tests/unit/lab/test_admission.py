"""What a query may see is the same for a mask and for an engine, and the same as in the pool."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from backends.stores.protocol import EVERYTHING
from tasks.admission import Admission
from tasks.read import Corpus
from vara.datasets.tables import to_frame

DOCUMENTS: dict[str, dict[str, str]] = {
    "open": {"product": "web"},
    "canary": {"audience": "owner", "product": "web"},
    "old": {"status": "archived", "product": "web"},
    "q-self": {"product": "web"},
    "other": {"product": "pocket"},
}


def admission(*ids: str, exclude_self: bool = False, **wanted: Any) -> Admission:
    rows = (
        (doc, None, "text", json.dumps(more), more.get("status") == "archived", more.get("audience"))
        for doc, more in DOCUMENTS.items()
        if doc in (ids or DOCUMENTS)
    )
    job: Any = SimpleNamespace(params={"pool.filter": wanted, "pool.exclude_self": exclude_self})
    return Admission(job, Corpus(to_frame("documents", rows), to_frame("queries", ())))


@pytest.mark.parametrize(
    ("settings", "query", "allowed", "expected"),
    [
        ({}, "q", None, {"open", "q-self", "other"}),
        ({}, "q", ["owner"], {"open", "canary", "q-self", "other"}),
        ({}, "q", ["staff"], {"open", "q-self", "other"}),
        ({}, "q-self", None, {"open", "q-self", "other"}),
        ({"exclude_self": True}, "q-self", None, {"open", "other"}),
        ({"exclude_self": True}, "q-self", ["owner"], {"open", "canary", "other"}),
        ({"exclude_self": True}, "q", None, {"open", "q-self", "other"}),
        ({"product": "web"}, "q", ["owner"], {"open", "canary", "q-self"}),
        ({"audience": "owner"}, "q", None, set()),
    ],
)
def test_mask_and_condition_agree(
    settings: dict[str, Any], query: str, allowed: list[str] | None, expected: set[str]
) -> None:
    made = admission(**settings)
    mask = made.visible(query, allowed)
    assert {doc for doc, seen in zip(DOCUMENTS, mask, strict=True) if seen} == expected
    for _ in range(2):  # worked out, then remembered
        assert made.only(query, allowed).ids == expected


def test_permissions_are_never_mixed_up() -> None:
    made = admission()
    assert made.only("q", ["owner"]).ids != made.only("q", None).ids
    assert made.only("q", ["staff", "owner"]) == made.only("q", ["owner", "staff", "owner"])
    assert "canary" not in (made.only("q", []).ids or ())


def test_where_everything_may_be_seen_there_is_no_condition() -> None:
    assert admission("open", "other").only("q", None) is EVERYTHING
