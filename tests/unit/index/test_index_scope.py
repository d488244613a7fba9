"""Scope and permissions: what is searched, and who may see it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.artifacts.canonical import canonical
from vara.datasets import matches
from vara.datasets.matches import Fields
from vara.errors import Problem
from vara.index.scope import Scope, filtered

METADATA = [
    {"product": "web", "codes": ["TV-1", "TV-2"], "year": 2020, "draft": True},
    {"product": "pocket", "year": 2021.0},
    {"product": "web", "codes": [], "year": "2020", "draft": False},
    {},
    {"product": None, "draft": 1},
]


def matched(wanted: dict[str, Any]) -> list[int]:
    fields = Fields([json.dumps(one) for one in METADATA])
    return [row for row, keep in enumerate(filtered(fields, wanted)) if keep]


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
        filtered(Fields(["{}"]), {"product": "web"})
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


def seen(one: Scope, allowed: list[str] | None, own: str | None = None) -> list[int]:
    return one.visible(allowed, own).nonzero()[0].tolist()


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


def test_a_scope_of_its_own_acts_beside_permission_archive_and_filter() -> None:
    """Rows: web, pocket, web, pocket, … by turns."""
    one = scope([None, None, "owner", "owner", None], archived=[False, False, False, False, True])
    web, pocket, both = (f'{{"product":{value}}}' for value in ('"web"', '"pocket"', '["pocket","web"]'))
    assert seen(one, None, web) == [0]  # 2 is the owner's, 4 is archived
    assert seen(one, ["owner"], web) == [0, 2]
    assert seen(one, ["owner"], pocket) == [1, 3]
    assert seen(one, ["owner"], both) == [0, 1, 2, 3]
    assert seen(one, ["owner"], '{"product":"desk"}') == []
    assert (
        seen(one, ["owner"], '{"brand":"web"}') == []
    )  # a field that no document has: nothing, never everything
    filtered_one = scope([None] * 4, wanted={"product": "web"})
    assert seen(filtered_one, None, pocket) == []
    assert seen(filtered_one, None, both) == [0, 2]


def test_a_scope_leaves_no_trace_for_the_next_query() -> None:
    one = scope([None, None, "owner"])
    for _ in range(2):
        assert seen(one, None, '{"product":"pocket"}') == [1]
        assert seen(one, None) == [0, 1]
        assert seen(one, ["owner"], '{"product":"web"}') == [0, 2]
        assert seen(one, ["owner"]) == [0, 1, 2]


SCALARS = st.sampled_from(["a", "b", "1", "", 0, 1, 2, True, False])
HELD = st.dictionaries(
    st.sampled_from("xyz"),
    SCALARS | st.none() | st.just(1.0) | st.just({"a": 1}) | st.lists(SCALARS | st.none(), max_size=3),
)
WANTED = st.dictionaries(st.sampled_from("xyzw"), SCALARS | st.lists(SCALARS, min_size=1, max_size=3))


@given(st.lists(HELD, max_size=8), st.lists(WANTED, max_size=8))
def test_a_mask_is_what_a_look_at_every_document_gives(held: list[Any], filters: list[Any]) -> None:
    """Whatever was asked before, and when more filters were asked than are kept."""

    def same(one: Any, other: Any) -> bool:
        return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)

    def members(value: Any) -> list[Any]:
        return value if isinstance(value, list) else [value]

    fields = Fields([canonical(one) for one in held])
    for wanted in [*filters, *filters]:
        expected = [
            all(
                any(same(one, value) for one in members(document.get(name)) for value in members(values))
                for name, values in wanted.items()
            )
            for document in held
        ]
        assert fields.matching(canonical(wanted)).tolist() == expected


def test_masks_do_not_pile_up() -> None:
    """A shop with a million documents and as many scopes as customers."""
    fields = Fields([f'{{"n":{number}}}' for number in range(3)])
    for number in range(10 * matches.N_MASKS):
        fields.matching(f'{{"n":{number}}}')
    assert fields._masks.cache_info().currsize == matches.N_MASKS
    assert fields.matching('{"n":1}').tolist() == [False, True, False]


def test_queries_without_a_scope_never_open_the_metadata() -> None:
    one = Scope([False, False], [None, "owner"], ["no", "JSON"], {})
    assert seen(one, None) == [0]
    assert seen(one, ["owner"]) == [0, 1]
