"""What a terminal may be shown of somebody's data."""

from __future__ import annotations

import doctest

from hypothesis import given
from hypothesis import strategies as st

from vara.report import plain as module
from vara.report.plain import plain


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(module) == (0, 1)


@given(st.text())
def test_one_line_of_a_bounded_length(text: str) -> None:
    shown = plain(text, longest=40)
    assert all(char.isprintable() or char.isspace() for char in shown)
    assert len(shown.splitlines()) <= 1
    assert "\x1b" not in shown
    assert len(shown) <= 40 * len("\\U0001f600")


def test_ordinary_text_stays_as_it_is() -> None:
    assert plain("Größe: 向量 – हिन्दी") == "Größe: 向量 – हिन्दी"
