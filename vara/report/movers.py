"""The queries that moved most between two arms, and why, as far as committed counts and ranks tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vara.quality.figures import significant
from vara.report.arm import Row

LIMIT = 5


@dataclass(frozen=True, slots=True)
class Mover:
    """One query: its values, and what happened to its relevant documents."""

    query_id: str
    a: float
    b: float
    difference: float
    why: str


def movers(a: Mapping[str, Row], b: Mapping[str, Row], measure: str) -> list[Mover]:
    """Return up to LIMIT queries that lost most, then up to LIMIT that won most, the largest first."""
    moved = []
    for query_id in a.keys() & b.keys():
        before, after = a[query_id].values[measure], b[query_id].values[measure]
        if before is not None and after is not None and before != after:
            why = _why(a[query_id], b[query_id])
            moved.append(Mover(query_id, before, after, significant(after - before), why))
    moved.sort(key=lambda one: (-abs(one.difference), one.query_id))
    lost = [one for one in moved if one.difference < 0]
    won = [one for one in moved if one.difference > 0]
    return lost[:LIMIT] + won[:LIMIT]


def _why(a: Row, b: Row) -> str:
    """Say what became of the relevant documents: labels first, then the pool, then their order."""
    if a.n_relevant != b.n_relevant:
        return f"labels: {a.n_relevant} → {b.n_relevant} relevant documents"
    ranks = f"first relevant at {_rank(a)} → {_rank(b)}"
    if b.n_found < a.n_found:
        return f"left the pool: {a.n_found} → {b.n_found} of {a.n_relevant} relevant documents in it; {ranks}"
    if b.n_found > a.n_found:
        return (
            f"entered the pool: {a.n_found} → {b.n_found} of {a.n_relevant} relevant documents in it; {ranks}"
        )
    if a.first_rank != b.first_rank:
        return f"moved within the pool: {ranks}"
    return f"moved within the pool: relevant documents below the first, which stays at {_rank(a)}"


def _rank(row: Row) -> str:
    return "none" if row.first_rank is None else str(row.first_rank)
