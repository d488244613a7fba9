"""The rule for terms: what a word is in each script, and what joined values give."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.lexical.terms import _ASCII_TERM, _TERM, RULE, Terms, _fold, _split, has_digit
from tests.conftest import ROOT
from vara.errors import Problem

PLAIN = Terms("none")
GUIDE = (ROOT / "docs/guides/lexical.md").read_text(encoding="utf-8")

TEXTS = [
    ("The user's PK-03_x", ["the", "user", "s", "pk", "03", "x"]),
    ("Ｆｕｌｌ ﬁle", ["full", "file"]),  # noqa: RUF001 - compatibility forms are what is tested
    ("cafe\u0301 café", ["café", "café"]),
    ("ÉCOLE Straße STRASSE", ["école", "strasse", "strasse"]),
    ("ΟΔΟΣ οδός", ["οδοσ", "οδόσ"]),  # both forms of a small sigma are one letter
    ("用户abc登录", ["用", "户", "abc", "登", "录"]),
    ("サーバー・々", ["サ", "ー", "バ", "ー", "々"]),  # the middle dot divides
    ("ーーａ", ["ー", "ー", "a"]),
    ("𠮷野家", ["𠮷", "野", "家"]),  # beyond the basic plane too
    ("हिन्दी में", ["हिन्दी", "में"]),  # vowel signs belong to their word
    ("שָׁלוֹם", ["שָׁלוֹם"]),
    ("м'ята м’ята мʼята", ["м", "ята"] * 3),  # noqa: RUF001 - three apostrophes, one of them a letter to Unicode
    ("pass\u00adword می\u200cروم", ["password", "میروم"]),  # soft hyphen and joiners are invisible
    ("ផ្ទះ\u200bថ្មី", ["ផ្ទះ", "ថ្មី"]),  # a zero width space divides
    ("❤\ufe0f \u00b4", []),  # no mark is a term without its letter
    ("m² ½", ["m2", "1/2"]),
    ("A52s 4K", ["a52s", "4k"]),  # digits stay with letters
    ("2009/125/EC", ["2009/125/ec"]),
    ("(A52/A52S).", ["a52/a52s"]),
    ("12/24 and/or TCP/IP", ["12/24", "and", "or", "tcp", "ip"]),
    ("A52 / A52S //7 8/", ["a52", "a52s", "7", "8"]),  # a slash joins only what touches it
    ("用/1", ["用", "1"]),
    ("", []),
    ("?!", []),
]


@pytest.mark.parametrize(("text", "terms"), TEXTS)
def test_running_text(text: str, terms: list[str]) -> None:
    assert PLAIN.of(text) == terms


@pytest.mark.parametrize(
    ("value", "terms"),
    [
        ("A52/A52S", ["a52/a52s", "a52", "a52s"]),
        ("Galaxy A52/A52S", ["galaxy", "a52/a52s", "a52", "a52s"]),
        ("12/12 Pro", ["12/12", "pro", "12"]),
        ("A52 / A52S", ["a52", "a52s"]),
        ("Ａ５２／Ａ５３", ["a52/a53", "a52", "a53"]),  # noqa: RUF001 - a wide slash is a slash
        ("and/or", ["and", "or"]),
        ("New York, New York", ["new", "york"]),  # a label names, it does not repeat
        ("A52", ["a52"]),
        ("/", []),
    ],
)
def test_labels_give_their_parts_too(value: str, terms: list[str]) -> None:
    assert PLAIN.of_label(value) == terms


@given(st.text())
def test_a_label_holds_the_terms_of_its_text_first(value: str) -> None:
    whole = list(dict.fromkeys(PLAIN.of(value)))
    assert PLAIN.of_label(value)[: len(whole)] == whole


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_is_the_same_rule(text: str) -> None:
    assert _ASCII_TERM.findall(text.lower()) == _TERM.findall(text.lower())


@given(st.text(), st.text())
def test_terms_of_two_lines_are_those_of_each(one: str, other: str) -> None:
    assert PLAIN.of(f"{one}\n{other}") == PLAIN.of(one) + PLAIN.of(other)


@given(st.text())
def test_a_term_is_a_term_again(text: str) -> None:
    for term in PLAIN.of(text):
        assert PLAIN.of(term) == [term]


def test_folding_twice_changes_no_character() -> None:
    characters = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    assert [one for one in characters if _fold(_fold(one)) != _fold(one)] == []


def test_stemming_leaves_names_alone() -> None:
    english = Terms("english")
    assert english.of("Printers were printing A4s, 3D-printings and 12/24s") == [
        *("printer", "were", "print", "a4s", "3d", "print", "and", "12/24s"),
    ]
    assert english.of_label("Chargers/Cables 20s") == ["charger", "cabl", "20s"]
    assert Terms("german").of("Straßen Strasse") == ["strass", "strass"]


@pytest.mark.parametrize("text", ["running runner runs", "Häuser häusern"])
def test_stems_are_snowballs_own(text: str) -> None:
    import Stemmer

    for language in ("english", "german", "hindi"):
        stemmer = Stemmer.Stemmer(language)
        assert Terms(language).of(text) == [stemmer.stemWord(term) for term in PLAIN.of(text)]


def test_an_unknown_language_is_a_problem_before_anything_is_read() -> None:
    with pytest.raises(Problem) as caught:
        Terms("englsh")
    assert str(caught.value) == (
        "lexical.stem problem: 'englsh', expected none, or a language of Snowball. Near languages: english."
    )


def test_the_version_stands_in_the_rule() -> None:
    assert RULE.startswith("terms 2: ")
    assert has_digit("a52")
    assert not has_digit("pro")
    assert _split("") == []


@pytest.mark.parametrize(("header", "rows"), [("text", 12), ("label", 4)])
def test_the_tables_of_the_guide_are_true(header: str, rows: int) -> None:
    cut = {"text": PLAIN.of, "label": PLAIN.of_label}[header]
    table = GUIDE.split(f"| {header} | terms |\n|---|---|\n")[1].split("\n\n")[0]
    lines = [re.findall("`([^`]+)`", line) for line in table.splitlines()]
    assert len(lines) == rows
    for value, *terms in lines:
        assert cut(value) == terms


def test_the_guide_is_of_this_version() -> None:
    assert f"({RULE.split(':')[0].replace('terms', 'version')})" in GUIDE
    for text, terms in [
        ("PK-03/PK-04", "pk 03/pk 04"),
        ("example.com/a/b2", "example com/a/b2"),
        ("2½", "21/2"),
    ]:
        assert f"`{text}`" in GUIDE
        assert PLAIN.of(text) == terms.split()
