"""JSON objects that a run or a person left: one of them, or one message."""

from __future__ import annotations

import json
from typing import Any

from vara.errors import Problem


def json_object(content: bytes, subject: str, *, where: str = "", remedy: str) -> dict[str, Any]:
    """Return the object that a JSON text is.

    Args:
        content: of the file.
        subject: the file, as messages call it.
        where: in which revision or folder it is.
        remedy: what to do where it is damaged.

    Raises:
        Problem: it is no JSON object.
    """
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Problem(subject, "no JSON object", where=where, remedy=remedy)
    return found
