"""Merge judgments into labels: what is new, what repeats, what contradicts. Nothing is ever overwritten.

**Definition** A *judgment* is what one annotator said of one pair; a *label* is what counts, one a pair. Judgments of
a pair that agree make its label; where they differ a third reading decides, or nobody. A label that is there stays
what it is: an equal judgment repeats it, another one is a conflict. What a machine (click, llm) says of a pair that
another source labels, before or in the same merge, claims nothing and is only kept, for the agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vara.datasets.findings import printable
from vara.datasets.labels import Label
from vara.judgments.sheets import Row

Pair = tuple[str, str]
MACHINES = ("click", "llm")
_MOST_TOLD = 1000
"""Characters of a conflict that are told."""


@dataclass(slots=True)
class Merged:
    """What a merge would do.

    Attributes:
        labels: new ones, in the byte order of their ids.
        judgments: judged rows that are not kept yet, in their order.
        conflicts: in words; where there is one, nothing may be written.
        n_repeated: pairs whose label says already what was judged.
        n_beside: pairs that a machine judged beside a label of another source.
        n_resolved: pairs on which annotators differ and a third reading decided.
    """

    labels: list[Row] = field(default_factory=list)
    judgments: list[Row] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    n_repeated: int = 0
    n_beside: int = 0
    n_resolved: int = 0


def merge(
    judged: Sequence[Row],
    *,
    labels: Mapping[Pair, Label],
    kept: Sequence[Row],
    resolved: Sequence[Row] = (),
) -> Merged:
    """Return what judgments add to labels.

    Args:
        judged: rows with a relevance and an annotator.
        labels: those that are there.
        kept: judgments that are there, one a pair and annotator.
        resolved: rows of a third reading; of a pair that it names it decides.

    Example:
        >>> rows = [Row(query_id="q", doc_id=d, relevance=1, annotator="ana") for d in ("b", "a")]
        >>> [row.doc_id for row in merge(rows, labels={}, kept=[]).labels]
        ['a', 'b']
    """
    merged = Merged()
    said = {(row.pair, row.annotator): row for row in kept}
    for row in (*judged, *resolved):
        _keep(row, said, merged)
    first, third = _by_pair(judged), _by_pair(resolved)
    for pair in sorted(first.keys() | third.keys()):
        rows = _claims(first.get(pair, []))
        merged.n_resolved += pair in third and len({row.relevance for row in rows}) > 1
        _label(third.get(pair, rows), labels.get(pair), merged)
    return merged


def _keep(row: Row, said: dict[tuple[Pair, str], Row], merged: Merged) -> None:
    """Keep a judgment once; an annotator who says two things of one pair contradicts themselves."""
    known = said.get((row.pair, row.annotator))
    if known is None:
        said[row.pair, row.annotator] = row
        merged.judgments.append(row)
    elif known.relevance != row.relevance:
        said_now, said_then = (f"{one.relevance} ({one.where})" for one in (row, known))
        merged.conflicts.append(_told(row, f"{row.annotator} says {said_now} and said {said_then}"))


def _claims(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows that can make a label: a machine's only where nobody else judged the pair."""
    return [row for row in rows if row.source not in MACHINES] or rows


def _label(rows: Sequence[Row], label: Label | None, merged: Merged) -> None:
    grades = {row.relevance for row in rows}
    if label is not None and all(row.source in MACHINES and row.source != label.source for row in rows):
        merged.n_beside += 1
    elif len(grades) > 1:
        sides = ", ".join(f"{row.annotator} {row.relevance} ({row.where})" for row in rows)
        merged.conflicts.append(_told(rows[0], sides))
    elif label is None:
        merged.labels.append(rows[0])
    elif label.relevance in grades:
        merged.n_repeated += 1
    else:
        said = f"{rows[0].annotator} says {rows[0].relevance} ({rows[0].where})"
        there = f"the {label.source} label is {label.relevance} ({label.where})"
        merged.conflicts.append(_told(rows[0], f"{said}, {there}"))


def _by_pair(rows: Sequence[Row]) -> dict[Pair, list[Row]]:
    found: dict[Pair, list[Row]] = {}
    for row in rows:
        found.setdefault(row.pair, []).append(row)
    return found


def _told(row: Row, what: str) -> str:
    """Return a conflict as one line for a terminal, whatever its ids and names hold."""
    return printable(f"query {row.query_id} document {row.doc_id}: {what}", _MOST_TOLD)
