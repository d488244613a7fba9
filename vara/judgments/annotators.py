"""Names of annotators: what a table, a spreadsheet and a terminal can all show."""

from __future__ import annotations

from vara.datasets.findings import printable
from vara.errors import Problem
from vara.judgments.sheets import FORMULA


def check_annotator(name: str, where: str = "") -> None:
    """Refuse a name with control characters or line breaks, or one that a spreadsheet would compute.

    Raises:
        Problem: it is one.
    """
    if not name.isprintable() or name.strip().startswith(FORMULA):
        raise Problem(
            "annotator",
            f"'{printable(name)}'",
            expected=f"no control characters, and none of {' '.join(FORMULA[:4])} in front",
            where=where,
            remedy="Write a plain name.",
        )
