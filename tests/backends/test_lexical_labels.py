"""Labels: joined names are found by their parts, running text is not, and no text gets longer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.lexical.bm25 import BM25, Field, found
from backends.lexical.occurrences import Vocabulary, number
from backends.lexical.terms import Terms

PLAIN = Terms("none")


def scores(query: str, *fields: tuple[Field, Sequence[Sequence[str]]]) -> NDArray[np.float32]:
    return BM25(fields, terms=PLAIN, k1=1.2, b=0.75).answer(query).scores


PRODUCTS = (Field("product", 1.0, label=True), [["A52/A52S"], ["12/12 Pro"], ["A52S"], []])
LAWS = (
    Field("text", 1.0),
    [["a phone"], ["a phone"], ["the old A52/A53"], ["Directive 2009/125/EC on 12 phones"]],
)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("a52", [0]),
        ("A52S", [0, 2]),
        ("A52/A52S", [0]),  # the whole value; to find either, its parts are asked for apart
        ("a52 a52s", [0, 2]),
        ("12/12 pro", [1]),
        ("12/12", [1]),
        ("12", [1, 3]),
        ("12 Pro", [1, 3]),
        ("52s", []),  # no part of a name
        ("2009", []),  # running text gives whole values alone
        ("a53", []),
        ("2009/125/ec", [3]),
    ],
)
def test_parts_of_joined_names_are_found_in_labels_alone(query: str, rows: list[int]) -> None:
    assert np.flatnonzero(found(scores(query, PRODUCTS, LAWS))).tolist() == rows


def test_parts_lengthen_labels_and_no_text() -> None:
    joined, plain = Vocabulary(), Vocabulary()
    text = number([PLAIN.of("see 2009/125/EC and A52/A52S")], joined, weight=1.0)
    label = number([PLAIN.of_label("A52/A52S")], plain, weight=1.0)
    assert text.lengths.tolist() == [4]
    assert label.lengths.tolist() == [3]
    assert list(joined) == ["see", "2009/125/ec", "and", "a52/a52s"]
    # and so in the scores: a text with a joined value is as long as one with a word
    of_law, of_word = (
        scores("red", (Field("text", 1.0), [[text], ["red"]])) for text in ("red 2009/125/EC", "red law")
    )
    np.testing.assert_array_equal(of_law, of_word)


def test_a_label_counts_once_a_value() -> None:
    # tv/101, tv, 101, then tv, 7: five terms, tv twice. The other document has none: N 1, mean 5, norm 1.2;
    # df 1: idf ln(1 + 0.5/1.5) = ln(4/3)
    found = scores("tv", (Field("codes", 1.0, label=True), [["TV/101 TV", "TV-7"], []]))
    np.testing.assert_array_equal(found, np.array([math.log(4 / 3) * 2 / 3.2, 0], dtype=np.float32))
