"""Two arms beyond relevance, side by side: variety, freshness and exposure, without a test of chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vara.quality.shown import EACH_LIST, WHOLE_CORPUS
from vara.report.arm import METRICS, Arm
from vara.report.table import is_number

OTHER_VECTORS = "the arms embed differently: each distance is in its own space"


@dataclass(frozen=True, slots=True)
class Aspect:
    """One figure of both arms.

    Attributes:
        name: with its cutoff, as in the metric file.
        difference: B − A; None where an arm has no value, or where the two mean different things.
        reason: why there is no difference; empty where there is one.
    """

    name: str
    a: float | None
    b: float | None
    difference: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Beyond:
    """What both arms show beyond relevance.

    Attributes:
        figures: those that both metric files name.
        reason: why there are none; empty where there are.
    """

    figures: tuple[Aspect, ...]
    reason: str


def beyond(a: Arm, b: Arm, *, split: str, system: str) -> Beyond:
    """Return the figures of one system on one split that both arms have, in the order of A's file."""
    start = f"{split}.{system}."
    names = [key.removeprefix(start) for key in a.metrics if key.startswith(start) and key in b.metrics]
    known = [name for name in names if _is_one(name)]
    if known:
        apart = _encoder(a) != _encoder(b)
        return Beyond(tuple(_aspect(a, b, start, name, apart=apart) for name in known), "")
    lacking = [
        side
        for side, arm in (("A", a), ("B", b))
        if not any(_is_one(key[len(start) :]) for key in arm.metrics)
    ]
    where = f"no such figure in {METRICS} of {' and '.join(lacking)}" if lacking else "other cutoffs"
    return Beyond((), f"not measured ({where})")


def brief(found: Beyond) -> str:
    """Return what the figures are, or why there are none, in one line."""
    if found.reason:
        return f"{found.reason}."
    return "Over all queries of the split, also those without an answer. No test of chance is made of these."


def rows(found: Beyond) -> list[dict[str, str]]:
    """Return the table for a person."""
    return [
        {
            "figure": one.name,
            "A": _shown(one.a),
            "B": _shown(one.b),
            "B − A": one.reason or f"{one.difference:+.4f}",
        }
        for one in found.figures
    ]


def _aspect(a: Arm, b: Arm, start: str, name: str, *, apart: bool) -> Aspect:
    left, right = (_value(arm.metrics[start + name]) for arm in (a, b))
    if left is None or right is None:
        reasons = [arm.metrics.get(f"{start}{name}.reason") for arm in (a, b)]
        return Aspect(name, left, right, None, next((str(one) for one in reasons if one), "no value"))
    if apart and name.startswith("ILD@"):
        return Aspect(name, left, right, None, OTHER_VECTORS)
    return Aspect(name, left, right, right - left, "")


def _is_one(name: str) -> bool:
    figure, _, cutoff = name.partition("@")
    return figure in (*EACH_LIST, *WHOLE_CORPUS) and cutoff.isdecimal()


def _value(value: Any) -> float | None:
    return float(value) if is_number(value) else None


def _encoder(arm: Arm) -> Any:
    systems = arm.metrics.get("systems")
    pool = systems.get("pool") if isinstance(systems, dict) else None
    return pool.get("model_fingerprint") if isinstance(pool, dict) else None


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
