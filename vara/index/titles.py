"""The title guarantee: documents whose title contains the query, found without any ranking."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_END = "\n"


class Titles:
    """All titles as one text, so that a query costs one search through it."""

    def __init__(self, titles: Sequence[str | None]) -> None:
        plain = [_plain(title or "") for title in titles]
        self._text = _END + _END.join(plain) + _END
        self._starts = np.cumsum([1, *(len(title) + 1 for title in plain)])[:-1]

    def holding(self, query: str) -> NDArray[np.int64]:
        """Return the rows of the documents whose title contains the query, ascending.

        **Conventions**: compared after NFKC, case folding and squeezing of white space. The query has to begin and
        end where a word does: "net" is not in "Internet", "a52" is in "Case for A52/A52S".

        Example:
            >>> Titles(["Case for A52/A52S", "Internet", "The  NET"]).holding("net").tolist()
            [2]
        """
        wanted = _plain(query)
        places = list(self._places(wanted)) if wanted else []
        return np.unique(np.searchsorted(self._starts, places, side="right") - 1)

    def _places(self, wanted: str) -> Iterator[int]:
        text, place = self._text, self._text.find(wanted)
        while place >= 0:
            end = place + len(wanted)
            if not (_joins(text[place - 1], text[place]) or _joins(text[end - 1], text[end])):
                yield place
            place = text.find(wanted, place + 1)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _joins(left: str, right: str) -> bool:
    """Return whether two neighbours are in one word: letters and digits, with the marks that belong to them."""
    return _is_of_a_word(left) and _is_of_a_word(right)


def _is_of_a_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")
