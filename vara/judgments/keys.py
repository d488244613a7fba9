"""The key of a sheet: why each pair is on it, as CSV beside it. A judge does not look into it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from vara.errors import Problem, examples
from vara.judgments.merging import Pair
from vara.judgments.proposals import Proposal, Reason
from vara.judgments.tables import read_table

_COLUMNS = ("query_id", "doc_id", "reason", "effect")


def key_of(sheet: Path) -> Path:
    """Return where the key of a sheet is."""
    return sheet.with_suffix(".key.csv")


def key_text(chosen: Sequence[Proposal]) -> str:
    """Return the key of proposals as text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in chosen:
        writer.writerow((one.query_id, one.doc_id, one.reason, "" if one.effect is None else one.effect))
    return stream.getvalue()


def read_key(path: Path) -> dict[Pair, str]:
    """Return pair → reason of a key; {} where there is none.

    Raises:
        Problem: it is something else.
    """
    if not path.is_file():
        return {}
    reasons, bad = {}, []
    for where, cells in read_table(path, _COLUMNS[:3]):
        if isinstance(cells, str):
            bad.append(cells)
        elif cells["reason"] not in get_args(Reason):
            bad.append(f"{where} reason {cells['reason']!r}")
        else:
            reasons[cells["query_id"], cells["doc_id"]] = cells["reason"]
    if bad:
        found = f"{len(bad)} bad line{'s' * (len(bad) > 1)} ({examples(bad)})"
        remedy = "It is what `vara judge next` wrote beside the sheet: restore it, or move it away."
        raise Problem(path.name, found, remedy=remedy)
    return reasons
