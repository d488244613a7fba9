"""Text from data, made fit for a terminal: nothing in it can move a cursor, hide, or fill the screen."""

from __future__ import annotations

import unicodedata


def plain(text: str, longest: int = 200) -> str:
    r"""Return a text on one line, characters that no one sees as escapes, and no longer than `longest` characters.

    Example:
        >>> plain("a\x1b[31m b\nc"), plain("title", longest=4)
        ('a\\x1b[31m b\\nc', 'tit…')
    """
    shown = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return "".join(
        char if char.isprintable() or unicodedata.category(char) == "Zs" else _escaped(char) for char in shown
    )


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()
