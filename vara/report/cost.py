"""Cost and latency of two arms, side by side: what the lab measured of them, or why there is nothing to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vara.report.arm import LATENCY, Arm

_BRIEF = 3
_UNITS = ("_ms", "_s", "_mib", ".qps")
"""Ends of the figures that are a cost; the lab's file also counts queries and says how busy the machine was."""


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
    others = [
        f"{side}'s with another {names}" for side, arm in (("A", a), ("B", b)) if (names := _otherwise(arm))
    ]
    if others:
        remedy = "`make lab`, or `python -m flows latency`"
        return Costs((), f"not measured as they are now ({'; '.join(others)}): {remedy}")
    left, right = _numbers(a.latency), _numbers(b.latency)
    figures = tuple(
        Cost(name, left[name], right[name], right[name] / left[name] if left[name] else None)
        for name in left
        if name in right
    )
    if not figures:
        return Costs((), f"not measured ({LATENCY} of A and B have no figure in common)")
    if a.latency.get("machine") != b.latency.get("machine"):
        return Costs(figures, "measured on different machines: the figures cannot be compared")
    busy = [side for side, arm in (("A", a.latency), ("B", b.latency)) if arm.get("load.busy")]
    return Costs(figures, f"the machine was busy when {' and '.join(busy)} was measured" if busy else "")


def brief(found: Costs) -> str:
    """Return cost in one line, for beside a verdict: the answer as a whole and memory first."""
    ordered = sorted(found.figures, key=lambda one: "total.mean" not in one.name and "peak" not in one.name)
    shown = [f"{one.name} {one.a:g} → {one.b:g}" for one in ordered[:_BRIEF]]
    words = "; ".join([*shown, *([found.reason] if found.reason else [])])
    return f"Cost and latency: {words}."


def _otherwise(arm: Arm) -> str:
    """Return the parameters that an arm was timed with and that are others now; empty where there are none."""
    timed = (arm.latency or {}).get("params")
    if not isinstance(timed, dict):
        return ""
    return ", ".join(
        name for name, value in timed.items() if name in arm.params and arm.params[name] != value
    )


def _numbers(latency: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in latency.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and name.endswith(_UNITS)
    }
