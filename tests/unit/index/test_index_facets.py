"""Facets let pass exactly what the masks of scope.py let pass; each pair of name and value has a text of its own."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vara.artifacts.canonical import canonical
from vara.errors import Problem
from vara.index import facets
from vara.index.facets import LONGEST, Holds, Only, conditions, facets_of, shared
from vara.index.scope import Scope


def test_examples() -> None:
    assert doctest.testmod(facets) == (0, 3)


def test_what_a_document_holds() -> None:
    metadata = {
        "tags": ["x", 1, 1.0, True, None, ["y"], {"z": 1}, "x"],
        "gone": None,
        "deep": {"a": 1},
        "v": 2.5,
    }
    assert facets_of(True, "staff", canonical(metadata)) == [
        "archived=true",
        'audience="staff"',
        'metadata.tags="x"',
        "metadata.tags=1",
        "metadata.tags=true",
        "metadata.v=2.5",
    ]


def test_what_a_query_may_see() -> None:
    assert conditions(None) == conditions([]) == (("archived=false",), ("audience=null",))
    assert conditions({"b", "a"}, {"v": [1.0, "1"]}, {}, {"v": []}) == (
        ("archived=false",),
        ("audience=null", 'audience="a"', 'audience="b"'),
        ("metadata.v=1", 'metadata.v="1"'),
        (),
    )


def test_what_every_document_holds_need_not_be_asked() -> None:
    held = [facets_of(False, None, '{"a":1,"b":2}'), facets_of(False, "x", '{"a":1,"b":3}')]
    assert shared(held) == {"archived=false", "metadata.a=1"}
    assert shared([]) == frozenset()
    asked = Only(conditions(None, {"a": [1, 2], "b": 2, "c": []}), frozenset({"d"}))
    rest = (("audience=null",), ("metadata.b=2",), ())
    assert asked.beyond(shared(held)) == Only(rest, frozenset({"d"}))


@pytest.mark.parametrize("audience", ["", "null", "everyone"])
def test_an_audience_is_never_everybody(audience: str) -> None:
    assert facets_of(False, audience, "{}")[1] == f'audience="{audience}"'
    assert conditions(None)[1] == ("audience=null",)


def test_a_long_value_has_a_short_facet_of_its_own() -> None:
    fits = "x" * (LONGEST - len('metadata.v=""'))
    for value in (fits, fits + "x", fits + "y", "é" * 10_000):
        (held,) = facets_of(False, None, canonical({"v": value}))[2:]
        assert (held,) == conditions(None, {"v": value})[2]
        assert len(held) <= LONGEST
        assert held.startswith("sha256:") == (value != fits)
    assert conditions(None, {"v": fits + "x"}) != conditions(None, {"v": fits + "y"})


names = st.sampled_from(["a", "b", "a.b", "a=1", '"', "", "audience"]) | st.text(max_size=3)
scalars = (
    st.sampled_from([True, False, 0, 1, 1.0, -0.0, 0.5, 2**53 + 1, float(2**53), 1e300, 10**300])
    | st.sampled_from(["", "a", "1", "1.0", "true", "null", '=1"', "x" * 200, "x" * 201])
    | st.text(max_size=3)
)
held = st.recursive(
    scalars | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=2),
    max_leaves=4,
)
audiences = st.sampled_from(["staff", "owner", "", "null"]) | st.text(max_size=2)
documents = st.tuples(st.booleans(), st.none() | audiences, st.dictionaries(names, held, max_size=4))
filters = st.dictionaries(names, scalars | st.lists(scalars, max_size=3), max_size=2)


def satisfied(holding: list[str], holds: Holds) -> bool:
    return all(any(one in holding for one in either) for either in holds)


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[Any], list[dict[str, Any]], list[str] | None]:
    """Some documents, filters of which most name what one of the documents holds, and audiences."""
    corpus = draw(st.lists(documents, min_size=1, max_size=6))
    wanted = [draw(filters), draw(filters)]
    pairs = [
        (name, value)
        for _, _, metadata in corpus
        for name, values in metadata.items()
        for value in (values if isinstance(values, list) else [values])
        if isinstance(value, str | int | float)
    ]
    if pairs:
        wanted = [
            dict(draw(st.lists(st.sampled_from(pairs), max_size=2))),
            draw(st.sampled_from([{}, *wanted])),
        ]
    return corpus, wanted, draw(st.none() | st.lists(audiences, max_size=2))


def seen(corpus: list[Any], wanted: dict[str, Any], allowed: list[str] | None) -> np.ndarray:
    archived, readers, metadata = zip(*corpus, strict=True)
    try:
        return Scope(archived, readers, [canonical(one) for one in metadata], wanted).visible(allowed)
    except Problem:  # no document has the field or matches
        return np.zeros(len(corpus), bool)


@given(questions())
@example(([(False, None, {"a": 1})], [{"a": True}, {}], None))
@example(([(False, "null", {"a": [1.0, "x"]})], [{"a": 1}, {"a": "x"}], ["null"]))
def test_facets_let_pass_what_scope_lets_pass(question: tuple[list[Any], list[dict[str, Any]], Any]) -> None:
    corpus, (one, other), allowed = question
    expected = seen(corpus, one, allowed) & seen(corpus, other, allowed)
    holds = conditions(allowed, one, other)
    held = [facets_of(gone, who, canonical(more)) for gone, who, more in corpus]
    assert [satisfied(one, holds) for one in held] == expected.tolist()
    fewer = Only(holds).beyond(shared(held)).holds
    assert set(fewer) <= set(holds)
    assert [satisfied(one, fewer) for one in held] == expected.tolist()


@given(names, scalars, names, scalars)
@example("a", "=1", 'a="', 1)
@example("a=1", 2, "a", 12)
def test_two_pairs_have_two_texts(name: str, value: Any, other: str, another: Any) -> None:
    same = name == other and isinstance(value, bool) == isinstance(another, bool) and value == another
    left, right = conditions(None, {name: value})[2], conditions(None, {other: another})[2]
    assert (left == right) == same
