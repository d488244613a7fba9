"""From the documents table and the parameters to the index: which values are fields, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from backends.lexical.bm25 import BM25
from tasks.lexical import PARAMS, lexical_index
from vara.artifacts.canonical import canonical
from vara.datasets.tables import to_frame
from vara.errors import Problem

SHIPPED: dict[str, Any] = {
    "lexical.b": 0.75,
    "lexical.fields": {"title": 1.0, "text": 1.0},
    "lexical.k1": 1.2,
    "lexical.labels": [],
    "lexical.prefixes": False,
    "lexical.stem": "none",
    "lexical.typos": False,
}
Row = tuple[str | None, str | None, dict[str, Any], bool]
ROWS: list[Row] = [
    (
        "Chargers",
        "for every phone",
        {"product": "A52/A52S", "codes": ["TV-101", 7, True], "price": 12.5},
        False,
    ),
    (None, "A52 is a number here", {"product": None, "codes": [], "box": {"width": 3}}, False),
    ("A52/A53", None, {"product": ["A53", "Tab"], "codes": [["deep"], {"x": "deep"}, None]}, False),
    ("Chargers of old", "every phone", {"product": "A52", "codes": ["TV-101"], "gone": 1}, True),
]


def indexed(rows: Sequence[Row] = ROWS, **changed: Any) -> BM25:
    table = to_frame(
        "documents",
        [
            (f"d{n}", title, text, canonical(meta), gone, None)
            for n, (title, text, meta, gone) in enumerate(rows)
        ],
    )
    return lexical_index(table, {**SHIPPED, **{f"lexical.{name}": value for name, value in changed.items()}})


def rows_of(bm25: BM25, query: str) -> list[int]:
    return np.flatnonzero(bm25.answer(query).scores).tolist()


def test_the_parameters_are_the_ones_it_says() -> None:
    assert list(PARAMS) == sorted(SHIPPED)


def test_title_and_text_are_searched_and_nothing_else() -> None:
    bm25 = indexed()
    assert rows_of(bm25, "chargers") == [0]
    assert rows_of(bm25, "a52") == [1]
    assert rows_of(bm25, "a52/a53") == [2]
    assert rows_of(bm25, "tv 101 tab") == []


@pytest.mark.parametrize(
    ("query", "rows"), [("tv", [0]), ("101", [0]), ("7", [0]), ("true", [0]), ("deep", []), ("none null", [])]
)
def test_values_of_metadata_are_text(query: str, rows: list[int]) -> None:
    assert rows_of(indexed(fields={"metadata.codes": 1.0}), query) == rows


def test_numbers_are_written_as_in_json() -> None:
    bm25 = indexed(fields={"metadata.price": 1.0})
    assert rows_of(bm25, "12.5") == [0]
    assert rows_of(bm25, "12") == [0]
    assert rows_of(indexed(fields={"text": 1.0, "metadata.box": 1.0}), "width 3") == []


def test_labels_give_their_parts() -> None:
    fields = {"title": 1.0, "metadata.product": 2.0}
    assert rows_of(indexed(fields=fields), "a52") == []
    assert rows_of(indexed(fields=fields, labels=["metadata.product"]), "a52") == [0]
    assert rows_of(indexed(fields=fields, labels=["metadata.product", "title"]), "a52") == [0, 2]
    assert rows_of(indexed(fields=fields, labels=["metadata.product"]), "tab") == [2]


def test_weights_stemming_and_formula_arrive() -> None:
    score = indexed().answer("chargers").scores[0]
    assert indexed(fields={"title": 5.0, "text": 1.0}).answer("chargers").scores[0] > score
    assert indexed(k1=0.1).answer("chargers").scores[0] > score
    assert indexed(b=0.0).answer("chargers").scores[0] != score
    assert rows_of(indexed(stem="english"), "charger") == [0]


def test_fallbacks_act_when_asked() -> None:
    assert rows_of(indexed(), "chargrs charg") == []
    assert rows_of(indexed(typos=True), "chargrs") == [0]
    assert rows_of(indexed(typos=True), "charg") == []
    assert rows_of(indexed(prefixes=True), "charg") == [0]
    assert rows_of(indexed(prefixes=True), "chargrs") == []


def test_an_archived_document_weighs_nowhere() -> None:
    for query in ("chargers phone", "old"):
        with_it = indexed().answer(query).scores
        np.testing.assert_array_equal(with_it[:3], indexed(ROWS[:3]).answer(query).scores)
        assert with_it[3] == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"fields": {"titel": 1.0, "text": 1.0}},
            "lexical.fields problem: no document has titel, expected title, text or metadata.NAME. Near names: title.",
        ),
        (
            {"fields": {"metadata.product": 1.0, "metadata.code": 1.0}},
            "lexical.fields problem: no document has metadata.code, expected title, text or metadata.NAME. Near names: codes.",
        ),
        (
            {"fields": {"product": 1.0}},
            "lexical.fields problem: no document has product, expected title, text or metadata.NAME. Near names: product.",
        ),
        (
            {"fields": {}},
            "lexical.fields problem: none, expected one or more. Set {title: 1.0, text: 1.0}.",
        ),
        (
            {"labels": ["metadata.product"]},
            "lexical.labels problem: metadata.product, expected names of lexical.fields. Known fields: title, text.",
        ),
        (
            {"labels": ["text"]},
            "lexical.labels problem: text, expected fields that hold names. Running text is never a label; put the names into the title or into metadata.",
        ),
        (
            {"fields": {"title": 0.0}},
            "lexical.fields problem: weight 0.0 of title, expected a number above 0. Leave a field out that shall not count.",
        ),
        (
            {"stem": "deutsch"},
            "lexical.stem problem: 'deutsch', expected none, or a language of Snowball. Near languages: dutch.",
        ),
    ],
)
def test_what_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(Problem) as caught:
        indexed(**changed)
    assert str(caught.value) == message
