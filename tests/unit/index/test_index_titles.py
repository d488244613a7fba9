"""Titles that contain a query: whole words, whatever their case, width or spacing."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.index import titles as module
from vara.index.titles import Titles

WIDE = "\uff32\uff45set  A\tPassword!"  # the first two letters are full-width
TITLES = ["Reset a password", None, "", "Case for A52/A52S", "Passwords", WIDE, "向量 search", "a.b (c)"]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("password", [0, 5]),  # not "Passwords": a word goes on there
        ("RESET  a", [0, 5]),
        ("a52", [3]),
        ("a52s", [3]),
        ("52s", []),
        ("a52/a52s", [3]),
        ("量 search", []),  # 向量 is one run of letters
        ("向量", [6]),
        ("(c)", [7]),
        ("b (", [7]),
        (".", [7]),
        ("", []),
        ("  \n ", []),
        ("password\ncase", []),  # never across two titles
        ("reset a password", [0, 5]),
        ("reset a password and more", []),
    ],
)
def test_titles_that_contain_a_query(query: str, rows: list[int]) -> None:
    assert Titles(TITLES).holding(query).tolist() == rows


@pytest.mark.parametrize(
    ("title", "part"),
    [("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926"), ("x\u0302 y", "x"), ("\u0baf\u0bcd\u0ba8", "\u0baf")],
)  # fmt: skip
def test_a_mark_belongs_to_its_letter(title: str, part: str) -> None:
    assert Titles([title]).holding(part).tolist() == []
    assert Titles([title]).holding(title).tolist() == [0]


def test_a_title_counts_once() -> None:
    assert Titles(["net net net", "net"]).holding("net").tolist() == [0, 1]


def test_no_title_at_all() -> None:
    assert Titles([]).holding("a").tolist() == []


words = st.text(st.sampled_from("ab /"), max_size=6)


@given(st.lists(words, max_size=6), words)
def test_the_same_as_looking_at_each_title(titles: list[str], query: str) -> None:
    wanted = " ".join(query.split())

    def holds(title: str) -> bool:
        plain = f" {' '.join(title.split())} "
        ends = [(i, i + len(wanted)) for i in range(len(plain)) if plain.startswith(wanted, i)]
        return any(
            not (plain[a - 1].isalnum() and plain[a].isalnum())
            and not (plain[b - 1].isalnum() and plain[b : b + 1].isalnum())
            for a, b in ends
            if a > 0
        )

    assert Titles(titles).holding(query).tolist() == [
        i for i, one in enumerate(titles) if wanted and holds(one)
    ]


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(module) == (0, 1)
