"""Groups of queries (language, category) in two arms: means of one measure, where there are enough of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vara.quality.figures import significant
from vara.report.arm import Arm


@dataclass(frozen=True, slots=True)
class Group:
    """One group; `reason` says why there is no difference where there is none."""

    name: str
    n_a: int
    n_b: int
    a: float | None
    b: float | None
    difference: float | None
    reason: str


def groups(a: Arm, b: Arm, *, split: str, system: str, measure: str) -> list[Group]:
    """Return each group that both metric files know, in A's order; too few queries in either show no difference."""
    start = f"{split}.group."
    found = []
    for key in a.metrics:
        name = key.removeprefix(start).removesuffix(".n")
        if f"{start}{name}.n" == key and key in b.metrics:
            sides = [_side(arm.metrics, f"{start}{name}", f"{system}.{measure}") for arm in (a, b)]
            (n_a, left, why_a), (n_b, right, why_b) = sides
            difference = None if left is None or right is None else significant(right - left)
            found.append(Group(name, n_a, n_b, left, right, difference, why_a or why_b))
    return found


def _side(metrics: Mapping[str, Any], group: str, name: str) -> tuple[int, float | None, str]:
    value = metrics.get(f"{group}.{name}")
    reason = metrics.get(f"{group}.reason") or metrics.get(f"{group}.{name.partition('.')[0]}.reason")
    return metrics[f"{group}.n"], value, "" if value is not None else str(reason or "not measured")
