"""Scope and permissions: what is searched, and who may see it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from vara.errors import Problem
from vara.index.scope import Scope, matching

METADATA = [
    {"product": "web", "codes": ["TV-1", "TV-2"], "year": 2020, "draft": True},
    {"product": "pocket", "year": 2021.0},
    {"product": "web", "codes": [], "year": "2020", "draft": False},
    {},
    {"product": None, "draft": 1},
]


def matched(wanted: dict[str, Any]) -> list[int]:
    return [row for row, keep in enumerate(matching([json.dumps(one) for one in METADATA], wanted)) if keep]


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"product": "web"}, [0, 2]),
        ({"product": ["web", "pocket"]}, [0, 1, 2]),
        ({"product": "web", "draft": False}, [2]),  # every field
        ({"codes": "TV-2"}, [0]),  # a member of the document's list
        ({"codes": ["TV-9", "TV-1"]}, [0]),
        ({"year": 2020}, [0]),  # the number, not the text
        ({"year": 2021}, [1]),  # 2021.0 is the same number
        ({"year": "2020"}, [2]),
        ({"draft": True}, [0]),  # true is not 1
        ({"draft": 1}, [4]),
    ],
)
def test_filter(wanted: dict[str, Any], rows: list[int]) -> None:
    assert matched(wanted) == rows


def test_an_unknown_field_is_refused_with_near_names() -> None:
    with pytest.raises(Problem) as caught:
        matched({"produkt": "web"})
    assert (
        str(caught.value) == "pool.filter problem: no document has metadata 'produkt'. Near names: product."
    )


def test_an_unknown_field_that_is_near_to_none_gets_the_first_ones() -> None:
    with pytest.raises(Problem) as caught:
        matched({"zzz": 1})
    assert (
        str(caught.value)
        == "pool.filter problem: no document has metadata 'zzz'. Known names: codes, draft, product and 1 more."
    )


def test_a_field_of_a_corpus_without_metadata() -> None:
    with pytest.raises(Problem) as caught:
        matching(["{}"], {"product": "web"})
    assert str(caught.value) == "pool.filter problem: no document has metadata 'product'. Known names: none."


def test_a_filter_that_nothing_passes_is_refused() -> None:
    """Every measure would be 0, and nothing would say why."""
    with pytest.raises(Problem) as caught:
        matched({"product": "pocket", "draft": True})
    assert str(caught.value) == (
        'pool.filter problem: no document matches {"draft":true,"product":"pocket"}. '
        "Correct a value, or set pool.filter to {}."
    )


def scope(
    audiences: list[str | None], archived: list[bool] | None = None, wanted: dict[str, Any] | None = None
) -> Scope:
    metadata = [json.dumps({"product": "web" if row % 2 == 0 else "pocket"}) for row in range(len(audiences))]
    return Scope(archived or [False] * len(audiences), audiences, metadata, wanted or {})


def seen(one: Scope, allowed: list[str] | None) -> list[int]:
    return one.visible(allowed).nonzero()[0].tolist()


@pytest.mark.parametrize(
    ("allowed", "rows"),
    [
        (None, [0]),
        ([], [0]),
        (["owner"], [0, 1, 4]),
        (["staff"], [0, 2]),
        (["staff", "owner"], [0, 1, 2, 4]),
        (["Owner"], [0]),  # audiences are compared byte for byte
        (["own"], [0]),
        (["everyone"], [0]),
        (["", "partner"], [0, 3]),
    ],
)
def test_permissions(allowed: list[str] | None, rows: list[int]) -> None:
    assert seen(scope([None, "owner", "staff", "", "owner"]), allowed) == rows


def test_an_audience_without_a_name_is_not_everybody() -> None:
    """The lint of labels takes it for restricted; the search must not be more open than that."""
    assert seen(scope(["", None]), None) == [1]


def test_nobody_sees_an_archived_document() -> None:
    one = scope(["owner", None, "owner"], archived=[True, True, False])
    assert seen(one, ["owner"]) == [2]
    assert seen(one, None) == []


def test_filter_and_permission_act_together() -> None:
    one = scope([None, None, "owner", "owner"], wanted={"product": "pocket"})
    assert seen(one, None) == [1]
    assert seen(one, ["owner"]) == [1, 3]


def test_one_query_leaves_no_trace_for_the_next() -> None:
    one = scope([None, "owner", "staff"])
    assert seen(one, ["owner"]) == [0, 1]
    assert seen(one, ["staff"]) == [0, 2]
    assert seen(one, None) == [0]
    assert seen(one, ["owner"]) == [0, 1]


def test_audiences_are_compared_byte_for_byte() -> None:
    scope = Scope([False, False], ["staff", None], ["{}", "{}"], {})
    assert scope.visible(["staff\0"]).tolist() == [False, True]
    assert scope.visible(["staff"]).tolist() == [True, True]
