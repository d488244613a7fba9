"""What two arms differ in besides their numbers: data, labels, the meaning of measures, and what was tuned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vara.report.arm import Arm

_ABSENT = "–"
_TABLES = {
    "documents": "the arms searched different documents",
    "queries": "the arms were asked different queries, or the same in other words",
}
_SYSTEM_OF = {"embed": "pool", "index": "pool", "pool": "pool", "rerank": "reranked"}
"""Whose settings in the metric file a section of the parameters went into."""
_TIMED = "latency."
"""Parameters that change no search, only how it is timed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that is set otherwise in the two arms."""

    name: str
    a: Any
    b: Any


def incomparable(a: Arm, b: Arm) -> list[str]:
    """Return why the same measure means different things in the two arms; no reason is no obstacle."""
    reasons = []
    if _digest(a, "labels") != _digest(b, "labels"):
        reasons.append("LABELS DIFFER: what moved may be the labels and not the search")
    if a.metrics.get("conventions") != b.metrics.get("conventions"):
        words = f"{a.metrics.get('conventions')} and {b.metrics.get('conventions')}"
        reasons.append(f"CONVENTIONS DIFFER: the measures are defined by {words}")
    grades = [_settings(arm).get("evaluate.min_relevance") for arm in (a, b)]
    if grades[0] != grades[1]:
        reasons.append(f"RELEVANCE DIFFERS: it starts at grade {grades[0]} in A, {grades[1]} in B")
    return reasons


def warnings(a: Arm, b: Arm) -> list[str]:
    """Return what a reader must know before the numbers although they can be compared."""
    lines = []
    if (names := [arm.metrics.get("dataset") for arm in (a, b)])[0] != names[1]:
        lines.append(f"dataset: {names[0]} in A, {names[1]} in B")
    for table, meaning in _TABLES.items():
        if _digest(a, table) != _digest(b, table):
            lines.append(f"{table} differ: {meaning}")
    for side, arm in (("A", a), ("B", b)):
        stale = [
            f"{name} {made!r} (params.yaml: {arm.params[name]!r})"
            for name, made in _made_with(arm).items()
            if name in arm.params and made != arm.params[name]
        ]
        if stale:
            lines.append(
                f"{side}'s numbers are of other parameters than stand beside them: {', '.join(stale)}"
            )
    return lines


def tuned(a: Arm, b: Arm) -> list[Setting]:
    """Return the parameters and settings that differ, as the numbers were made: metric files go before params.yaml."""
    left, right = _settings(a), _settings(b)
    names = [name for name in dict.fromkeys([*left, *right]) if not name.startswith(_TIMED)]
    return [
        Setting(name, left.get(name, _ABSENT), right.get(name, _ABSENT))
        for name in names
        if left.get(name, _ABSENT) != right.get(name, _ABSENT)
    ]


def _digest(arm: Arm, table: str) -> Any:
    data = arm.metrics.get("data")
    return data.get(table) if isinstance(data, dict) else None


def _settings(arm: Arm) -> dict[str, Any]:
    return {**arm.params, **_made_with(arm)}


def _made_with(arm: Arm) -> dict[str, Any]:
    """Return parameters, and settings that follow from them, as the metric file records them."""
    systems, evaluation = arm.metrics.get("systems"), arm.metrics.get("evaluation")
    made: dict[str, Any] = {}
    for system, settings in _items(systems):
        names = {
            name.partition(".")[2]: name
            for name in arm.params
            if _SYSTEM_OF.get(name.partition(".")[0]) == system
        }
        made |= {
            names.get(key, key if key in arm.params else f"{system}.{key}"): value
            for key, value in _items(settings)
        }
    return made | dict(_items(evaluation))


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    return iter(value.items()) if isinstance(value, Mapping) else iter(())
