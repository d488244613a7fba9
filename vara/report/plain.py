"""Text from data, made fit for a terminal: nothing in it can move a cursor, hide, or fill the screen."""

from __future__ import annotations

import unicodedata

from vara.datasets.findings import printable


def plain(text: str, longest: int = 200) -> str:
    r"""Return a text on one line, characters that no one sees as escapes, cut after some `longest` characters.

    A space of any width is shown as a space.

    Example:
        >>> plain("a\x1b[31m b\nc"), plain("title", longest=4)
        ('a\\x1b[31m b\\nc', 'tit…')
    """
    spaced = "".join(" " if unicodedata.category(char) == "Zs" else char for char in text[: longest + 1])
    return printable(spaced, longest - 1)
