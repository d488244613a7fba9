"""What a term is: the one rule by which texts, labels and queries are cut into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

import regex

from vara.errors import Problem, near_names

RULE = (
    "terms 2: Unicode's NFKC_Casefold (compatibility forms, full case folding, invisible characters dropped; a zero "
    "width space divides); a term is a letter or digit with the letters, digits and combining marks that follow it; "
    "Han characters and kana are terms of their own; a value joined by / without spaces is one term where a digit is "
    "in it, else its parts are terms; everything else divides, apostrophes of every kind too; no stop list"
)
"""The rule in words, with its version: another version makes other terms, so other scores."""

NO_STEMMING = "none"

_SINGLE = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc"  # with the mark that lengthens a kana's vowel
_APOSTROPHES = r"\u02bb\u02bc"  # apostrophes that Unicode counts as letters
_FIRST = (
    rf"[a-z0-9[[\p{{L}}\p{{N}}]--[{_SINGLE}{_APOSTROPHES}]]]"  # a-z0-9 is in the rest, and is found sooner
)
_NEXT = rf"[a-z0-9[[\p{{L}}\p{{N}}\p{{M}}]--[{_SINGLE}{_APOSTROPHES}]]]"
_RUN = rf"{_FIRST}{_NEXT}*+"
_TERM = regex.compile(rf"(?V1){_RUN}(?:/{_RUN})*+|[[\p{{L}}\p{{N}}]&&[{_SINGLE}]]")
_ASCII_TERM = re.compile(
    "[a-z0-9]+(?:/[a-z0-9]+)*"
)  # the same rule, twice as fast where it is all that is needed
_IGNORED = regex.compile(r"(?V1)[\p{Default_Ignorable_Code_Point}--\u200b]+")
_DIGIT = regex.compile(r"\p{N}")


def has_digit(term: str) -> bool:
    """Return whether a number's character is in a term: it is a name or a quantity, and no word of a language."""
    return _DIGIT.search(term) is not None


@dataclass(frozen=True)
class Terms:
    """The rule, with stemming or without.

    Attributes:
        stem: "none", or the Snowball language whose stemmer cuts the endings of terms without digits.

    Raises:
        Problem: no such language.

    Example:
        >>> Terms("none").of("The naïve user's PK-03 and/or A52S; 向量, 2009/125/EC")
        ['the', 'naïve', 'user', 's', 'pk', '03', 'and', 'or', 'a52s', '向', '量', '2009/125/ec']
        >>> Terms("english").of("Printers printing on A4s")
        ['printer', 'print', 'on', 'a4s']
    """

    stem: str

    def __post_init__(self) -> None:
        if self.stem != NO_STEMMING:
            _snowball(self.stem)

    def of(self, text: str) -> list[str]:
        """Return the terms of running text, or of a query, in their order."""
        return self._stemmed(_split(_fold(text)))

    def of_label(self, value: str) -> list[str]:
        """Return the distinct terms of a label: those of the whole value, then those of its parts between slashes.

        **Conventions** A label names a thing and is not counted: each term once, in the order of first appearance.

        Example:
            >>> Terms("none").of_label("Galaxy A52/A52S"), Terms("none").of_label("12/12 Pro")
            (['galaxy', 'a52/a52s', 'a52', 'a52s'], ['12/12', 'pro', '12'])
        """
        folded = _fold(value)
        parts = folded.split("/") if "/" in folded else ()
        return list(dict.fromkeys(self._stemmed([*_split(folded), *chain.from_iterable(map(_split, parts))])))

    def _stemmed(self, terms: list[str]) -> list[str]:
        return terms if self.stem == NO_STEMMING else list(map(self._stems.__getitem__, terms))

    @cached_property
    def _stems(self) -> _Stems:
        return _Stems(_snowball(self.stem))


class _Stems(dict[str, str]):
    """The stem of each term that was met: a vocabulary is small beside its texts."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        super().__init__()
        self._stem = stem

    def __missing__(self, term: str) -> str:
        found = self[term] = term if has_digit(term) else self._stem(term)
        return found


def _fold(text: str) -> str:
    """Return NFKC_Casefold of a text, with one kind of slash."""
    if text.isascii():
        return text.lower()
    once = unicodedata.normalize("NFKC", _IGNORED.sub("", text)).casefold()
    return unicodedata.normalize("NFKC", once).replace("\N{FRACTION SLASH}", "/")


def _split(folded: str) -> list[str]:
    terms: list[str] = (_ASCII_TERM if folded.isascii() else _TERM).findall(folded)
    if "/" not in folded:
        return terms
    parts = ([one] if "/" not in one or has_digit(one) else one.split("/") for one in terms)
    return list(chain.from_iterable(parts))


@lru_cache(maxsize=8)
def _snowball(language: str) -> Callable[[str], str]:
    import Stemmer

    known = Stemmer.algorithms()
    if language not in known:
        raise Problem(
            "lexical.stem",
            repr(language),
            expected=f"{NO_STEMMING}, or a language of Snowball",
            remedy=near_names(language, [NO_STEMMING, *known], "languages"),
        )
    stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
    return stem
