"""The text of a document that is embedded, searched and reranked."""

from __future__ import annotations

from typing import Any


def is_blank(value: Any) -> bool:
    """Return whether a value is null or a text of nothing but white space."""
    return value is None or (isinstance(value, str) and (not value or value.isspace()))


def embedded_text(title: str | None, text: str | None) -> str:
    r"""Return title, newline, text, whichever are present and not blank; "" for an empty document.

    Example:
        >>> embedded_text("Reset", None), embedded_text(" ", "Press the button."), embedded_text("A", "b")
        ('Reset', 'Press the button.', 'A\nb')
    """
    return "\n".join(part for part in (title, text) if part is not None and not is_blank(part))
