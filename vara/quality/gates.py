"""Is a run good enough? Each gate judged on the figures of a run, of earlier revisions and of the latency lab.

**Conventions**: a value that is missing, null, no number or not finite fails, whatever the rule; so does a measure's
value that is no share between 0 and 1. A group that is too
small to show a value is passed over by a group floor, which fails where no group is left. A drop is only told between
runs of the same dataset, queries, labels, lowest relevant grade and conventions; else the gate fails. Differences are
those of the decimal numbers in the files: .55 − .53 is .02, and a drop of .02 is allowed where .02 is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from vara.errors import examples, near_names
from vara.quality.gatefile import Gate

Metrics = Mapping[str, Any]

_TRUTH = (
    ("dataset",),
    ("conventions",),
    ("data", "queries"),
    ("data", "labels"),
    ("evaluation", "evaluate.min_relevance"),
)


@dataclass(frozen=True)
class Past:
    """An earlier revision: its commit and its metric files; one that it lacks is empty."""

    commit: str
    evaluate: Metrics
    latency: Metrics


@dataclass(frozen=True)
class Readings:
    """What gates and budgets look at.

    Attributes:
        present: metrics/evaluate.json of the run that is judged.
        latency: lab/metrics/latency.json; empty where there is none.
        past: the revisions that gates compare with, by the name that the gates give them.
        history: the readings of each budget, newest first, by the budget's name.
    """

    present: Metrics
    latency: Metrics = field(default_factory=dict)
    past: Mapping[str, Past] = field(default_factory=dict)
    history: Mapping[str, Sequence[Metrics]] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """What became of a gate.

    Attributes:
        value: what was held against the limit: a value, a drop or a ratio; None where there was none.
        why: in words; of a green gate, what it saw.
    """

    green: bool
    value: float | None
    why: str


def judge(gate: Gate, readings: Readings) -> Verdict:
    """Return the verdict of one gate.

    Args:
        gate: what is asked.
        readings: holds the past under `gate.against`, where the gate names one.
    """
    if gate.max_drop is not None:
        return _drop(gate, readings.present, readings.past[str(gate.against)].evaluate)
    if gate.max_ratio is not None:
        return _ratio(gate, readings)
    return _groups(gate, readings.present) if "*" in gate.metric else _floor(gate, readings.present)


def number(metrics: Metrics, key: str) -> Decimal | str:
    """Return a figure as the decimal number of its file, or in words why there is none."""
    if key not in metrics:
        return f"{key} is missing. {near_names(key, metrics, 'keys')}"
    value = metrics[key]
    if value is None:
        return f"{key} is null ({_reason(metrics, key) or 'without a reason'})"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{key} is no number"
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        finite = False
    return Decimal(repr(value)) if finite else f"{key} is not finite"


def share(metrics: Metrics, key: str) -> Decimal | str:
    """Return the figure of a measure, or in words why there is none: what is not between 0 and 1 measures nothing."""
    value = number(metrics, key)
    if isinstance(value, Decimal) and not 0 <= value <= 1:
        return f"{key} is {value:.10g}, no share between 0 and 1"
    return value


def _floor(gate: Gate, metrics: Metrics) -> Verdict:
    value = share(metrics, gate.metric)
    if isinstance(value, str):
        return Verdict(green=False, value=None, why=value)
    green = value >= _exact(gate.limit)
    return Verdict(green, float(value), f"{value} is {'at least' if green else 'below'} {gate.limit}")


def _groups(gate: Gate, metrics: Metrics) -> Verdict:
    """Hold every group that the pattern fits against the floor; the lowest value is the gate's."""
    pattern = re.compile(re.escape(gate.metric).replace(r"\*", "(.+)"))
    values = {key: share(metrics, key) for key in metrics if pattern.fullmatch(key)}
    few = [key for key, value in values.items() if isinstance(value, str) and _too_few(metrics, key)]
    bad = [value for key, value in values.items() if isinstance(value, str) and key not in few]
    known = {key: value for key, value in values.items() if not isinstance(value, str)}
    if bad or not known:
        found = examples(bad) if bad else f"{len(few)} of {len(values)} groups are too small, none is left"
        return Verdict(green=False, value=None, why=found if values else f"no group fits {gate.metric}")
    below = [f"{key} {value}" for key, value in known.items() if value < _exact(gate.limit)]
    passed = f"; {len(few)} too small" if few else ""
    found = (
        f"below {gate.limit}: {examples(below)}"
        if below
        else f"all of {len(known)} groups are at least {gate.limit}"
    )
    return Verdict(not below, float(min(known.values())), found + passed)


def _drop(gate: Gate, now: Metrics, then: Metrics) -> Verdict:
    after, before = share(now, gate.metric), share(then, gate.metric)
    if isinstance(after, str):
        return Verdict(green=False, value=None, why=after)
    if isinstance(before, str):
        return Verdict(green=False, value=None, why=f"in {gate.against} {before}")
    other = [".".join(path) for path in _TRUTH if _at(now, path) != _at(then, path)]
    if other:
        found = f"{gate.against} was measured with another {examples(other)}; name a revision with the same"
        return Verdict(green=False, value=None, why=found)
    drop = before - after
    green = drop <= _exact(gate.limit)
    return Verdict(
        green, float(drop), f"{before} in {gate.against}, {after} now{'' if green else ': too much lost'}"
    )


def _ratio(gate: Gate, readings: Readings) -> Verdict:
    """Compare two times: of one file, or of two that the same machine made."""
    now, key = readings.latency, gate.over or gate.metric
    if not now:
        return Verdict(green=False, value=None, why="nothing was timed here: run `make lab`")
    then = readings.past[gate.against].latency if gate.against else now
    beside = f" in {gate.against}" if gate.against else ""
    value, base = number(now, gate.metric), number(then, key)
    if isinstance(value, str) or isinstance(base, str):
        found = value if isinstance(value, str) else f"{beside} {base}".strip()
        return Verdict(green=False, value=None, why=found)
    if now.get("machine") != then.get("machine"):
        return Verdict(green=False, value=None, why=f"{gate.against} was measured on another machine")
    if base <= 0 or value <= 0:
        return Verdict(green=False, value=None, why=f"{value} and {base}{beside} are no times")
    green = value <= base * _exact(gate.limit)
    found = f"{value}, {key} {base}{beside}{'' if green else ': too slow'}"
    return Verdict(green, float(f"{value / base:.10g}"), found)


def _exact(limit: float) -> Decimal:
    return Decimal(repr(limit))


def _at(metrics: Metrics, path: Sequence[str]) -> Any:
    """Return what stands at a path of keys, or None."""
    found: Any = metrics
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _reason(metrics: Metrics, key: str) -> str:
    """Return why a value is null: what stands under the nearest key above it that ends in `.reason`."""
    while key:
        if f"{key}.reason" in metrics:
            return str(metrics[f"{key}.reason"])
        key = key.rpartition(".")[0]
    return ""


def _too_few(metrics: Metrics, key: str) -> bool:
    return metrics[key] is None and _reason(metrics, key).startswith("too few")
