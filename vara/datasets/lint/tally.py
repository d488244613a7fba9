"""From rows of a table to findings: the count of all, the place of three."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from vara.datasets.findings import N_EXAMPLES, Findings
from vara.datasets.ids import Ids

if TYPE_CHECKING:
    import polars as pl


def tally(
    findings: Findings, code: str, names: pl.Series, ids: Ids, *, what: Callable[[str], str] = str
) -> None:
    """Report rows by their ids, without a Python object for each.

    Args:
        findings: takes them.
        code: the rule.
        names: ids of the rows that broke it, in the order of the file.
        ids: where each id stands.
        what: says more of an id; by default nothing.
    """
    places = [(ids.place(name), f"id {what(name)}") for name in islice(names, N_EXAMPLES)]
    findings.add_all(code, len(names), places)
