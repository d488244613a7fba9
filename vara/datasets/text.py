"""The text of a document that is embedded, searched and reranked."""

from __future__ import annotations


def is_blank(text: str | None) -> bool:
    """Return whether a text holds nothing but white space."""
    return not text or text.isspace()


def embedded_text(title: str | None, text: str | None) -> str:
    r"""Return title, newline, text, whichever are present and not blank; "" for an empty document.

    Example:
        >>> embedded_text("Reset", None), embedded_text(" ", "Press the button."), embedded_text("A", "b")
        ('Reset', 'Press the button.', 'A\nb')
    """
    return "\n".join(part for part in (title, text) if part is not None and not is_blank(part))
