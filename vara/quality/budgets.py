"""Error budgets: how much of an allowed shortfall the newest readings have burnt.

**Definition**: a reading burns max(0, target − reading); burnt = Σ over the window / allowed; the budget is spent when
that is more than 1.

**Conventions**: a reading without a value burns the whole target, since nothing was shown to work; what is no share
between 0 and 1 is no value. Readings from before
the figure first appears in the window are no readings: it did not exist. A window without any reading is spent: nothing
is vacuously within its budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from vara.quality.gatefile import Budget
from vara.quality.gates import Metrics, number, share


@dataclass(frozen=True)
class Burnt:
    """How a budget stands.

    Attributes:
        readings: how many count.
        missing: how many of them have no value.
        share: burnt share of what is allowed, 10 significant digits; None where there is no reading.
        verdict: green, or, once it is spent, red or warning as `when_spent` says.
    """

    readings: int
    missing: int
    share: float | None
    verdict: str
    why: str


def burn(budget: Budget, readings: Sequence[Metrics]) -> Burnt:
    """Return how the budget stands.

    Args:
        budget: what is allowed.
        readings: newest first; those beyond the window do not count.
    """
    window = list(readings[: budget.window])
    while window and budget.metric not in window[-1]:
        window.pop()
    values = [share(reading, budget.metric) for reading in window]
    found = [value for value in values if not isinstance(value, str)]
    target, allowed = (Decimal(repr(one)) for one in (budget.target, budget.allowed))
    lacks = sum((max(target - value, Decimal(0)) for value in found), target * (len(values) - len(found)))
    spent = not values or lacks > allowed
    verdict = {"fail": "red", "warn": "warning"}[budget.when_spent] if spent else "green"
    odd = [
        why
        for why, reading in zip(values, window, strict=True)
        if isinstance(why, str) and isinstance(number(reading, budget.metric), Decimal)
    ]
    words = f"{lacks:g} of {budget.allowed:g} burnt in {len(values)} readings"
    lost = f", {len(values) - len(found)} without a value" if len(found) < len(values) else ""
    lost += f" (the newest: {odd[0]})" if odd else ""
    return Burnt(
        len(values),
        len(values) - len(found),
        float(f"{lacks / allowed:.10g}") if values else None,
        verdict,
        f"{words}{lost}" if values else f"no reading of {budget.metric} in the window",
    )
