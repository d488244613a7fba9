"""What gates and budgets look at: the run's figures, those of the latency lab, and those of earlier revisions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from backends.revisions import Revision, history, read_revision
from vara.artifacts.canonical import digest, file_digest
from vara.artifacts.step import Settings
from vara.errors import Problem
from vara.objects import json_object
from vara.quality.gatefile import Budget, GateFile
from vara.quality.gates import Metrics, Past, Readings

EVALUATE, LATENCY = "metrics/evaluate.json", "lab/metrics/latency.json"
_RESTORE = "Restore it, or name another revision."


def read_readings(gates: GateFile, present: Metrics, where: Settings) -> Readings:
    """Return all that these gates need.

    Args:
        gates: what is asked.
        present: metrics/evaluate.json of the run that is judged.
        where: the workspace and its clone.

    Raises:
        Problem: a revision that git does not know or a shallow clone lacks; a file that is no JSON.
    """
    latency = where.root / LATENCY
    return Readings(
        present=present,
        latency=json_object(latency.read_bytes(), LATENCY, remedy=_RESTORE) if latency.is_file() else {},
        past={name: _past(one) for name, one in _revisions(gates, where).items()},
        history={budget.name: _history(budget, present, where) for budget in gates.budgets},
    )


def identity(gates: GateFile, where: Settings) -> Iterator[tuple[str, str]]:
    """Yield (name, what identifies it) of all that these gates look at outside the store.

    Raises:
        Problem: as `read_readings`.
    """
    for name, revision in _revisions(gates, where).items():
        yield name, revision.commit
        yield from ((f"{name}:{path}", _sha256([content])) for path, content in revision.files.items())
    if any(gate.max_ratio is not None for gate in gates.gates) and (where.root / LATENCY).is_file():
        yield LATENCY, file_digest(where.root / LATENCY)
    for budget in gates.budgets:
        yield f"budget {budget.name}", _sha256(_earlier(budget, where))


def _revisions(gates: GateFile, where: Settings) -> dict[str, Revision]:
    names = sorted({gate.against for gate in gates.gates if gate.against is not None})
    return {name: read_revision(where.clone or where.root, name, (EVALUATE, LATENCY)) for name in names}


def _past(revision: Revision) -> Past:
    files = {
        path: json_object(content, f"{revision.name}:{path}", remedy=_RESTORE)
        for path, content in revision.files.items()
    }
    return Past(revision.commit, files.get(EVALUATE, {}), files.get(LATENCY, {}))


def _history(budget: Budget, present: Metrics, where: Settings) -> Sequence[Metrics]:
    """Return a budget's readings, newest first; a run whose figures are committed is that revision's reading."""
    if budget.readings is not None:
        remedy = "Correct the line, or remove it."
        return [
            json_object(line, place, remedy=remedy) for place, line in _lines(budget, budget.readings, where)
        ]
    earlier = [json_object(content, EVALUATE, remedy=_RESTORE) for content in _earlier(budget, where)]
    known = earlier if earlier[:1] == [present] else [present, *earlier]
    return [one for one in known if one.get("dataset") == present.get("dataset")]


def _earlier(budget: Budget, where: Settings) -> list[bytes]:
    """Return the readings that are committed or in the budget's own file, newest first."""
    if budget.readings is None:
        return history(where.clone or where.root, EVALUATE, budget.window)
    return [line for _, line in _lines(budget, budget.readings, where)]


def _lines(budget: Budget, file: str, where: Settings) -> list[tuple[str, bytes]]:
    """Return (place, line) of the budget's own file, newest first."""
    try:
        lines = (where.root / file).read_bytes().splitlines()
    except FileNotFoundError:
        remedy = f"Correct `readings` of budget {budget.name!r}, or let the monitor write it first."
        raise Problem(file, "no such file", where="gates.yaml", remedy=remedy) from None
    placed = [(f"{file}:{number}", line) for number, line in enumerate(lines, start=1)]
    return placed[: -budget.window - 1 : -1]


def _sha256(contents: Sequence[bytes]) -> str:
    """Return what identifies files in their order: the digest of their digests."""
    return digest([hashlib.sha256(content).hexdigest() for content in contents])
