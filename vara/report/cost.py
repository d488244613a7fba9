"""Cost and latency of two arms, side by side: what the lab measured, or why there is nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vara.report.arm import LATENCY, Arm

_BRIEF = 3


@dataclass(frozen=True, slots=True)
class Cost:
    """One figure of cost: `ratio` is B / A, None where A is 0."""

    name: str
    a: float
    b: float
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Costs:
    """What both arms cost.

    Attributes:
        figures: those that both arms have.
        reason: why there are none, or why they cannot be compared; empty where they can.
    """

    figures: tuple[Cost, ...]
    reason: str


def costs(a: Arm, b: Arm) -> Costs:
    """Return the figures that both arms have."""
    lacking = [side for side, arm in (("A", a), ("B", b)) if arm.latency is None]
    if a.latency is None or b.latency is None:
        return Costs((), f"not measured (no {LATENCY} in {' and '.join(lacking)})")
    left, right = _numbers(a.latency), _numbers(b.latency)
    figures = tuple(
        Cost(name, left[name], right[name], right[name] / left[name] if left[name] else None)
        for name in left
        if name in right
    )
    if not figures:
        return Costs((), f"not measured ({LATENCY} of A and B have no figure in common)")
    same = a.latency.get("machine") == b.latency.get("machine")
    return Costs(figures, "" if same else "measured on different machines: the figures cannot be compared")


def brief(found: Costs) -> str:
    """Return cost in one line, for beside a verdict: totals and bytes first."""
    ordered = sorted(found.figures, key=lambda one: "total" not in one.name and "bytes" not in one.name)
    shown = [f"{one.name} {one.a:g} → {one.b:g}" for one in ordered[:_BRIEF]]
    words = "; ".join([*shown, *([found.reason] if found.reason else [])])
    return f"Cost and latency: {words}."


def _numbers(latency: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in latency.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
