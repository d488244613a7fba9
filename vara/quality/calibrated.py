"""What a calibrated threshold is worth: the flat keys of metrics/calibrate.json, and reading a threshold back.

How a threshold is chosen stands in `calibration`; where signals come from is the affair of the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vara.errors import Problem
from vara.objects import json_object
from vara.quality.calibration import Point, Signals, auroc, point, share_interval
from vara.quality.figures import Figure, significant

NOTHING_SHOWN = "nothing is shown at this threshold"
ONE_KIND = "all queries are of one kind"


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The queries of one split: their signals, and the groups that each belongs to."""

    signals: Signals
    groups: Sequence[Mapping[str, str]]


def figures(asked: Asked, threshold: float, min_group: int) -> Iterator[tuple[str, Figure]]:
    """Yield (key, value) of one split: shares with their 95 % intervals, counts, areas, groups.

    **Conventions**: a group of fewer than `min_group` queries is shown as too few.
    """
    yield from _at(point(asked.signals, threshold))
    for name, positive in (("right", asked.signals.right), ("answerable", asked.signals.answerable)):
        area = auroc(asked.signals.values, positive)
        yield f"auroc.{name}", None if area is None else significant(area)
        if area is None:
            yield f"auroc.{name}.reason", ONE_KIND
    for field, value in sorted({item for one in asked.groups for item in one.items()}):
        rows = np.array([one.get(field) == value for one in asked.groups])
        key = f"group.{field}={value}"
        if rows.sum() < max(1, min_group):
            yield f"{key}.reason", f"too few: n={rows.sum()}"
            continue
        for name, found in _at(point(asked.signals.of(rows), threshold)):
            yield f"{key}.{name}", found


def _at(here: Point) -> Iterator[tuple[str, Figure]]:
    yield "n", here.n
    yield "n_shown", here.shown
    yield "n_wrong_shown", here.wrong_shown
    yield "n_right_lost", here.right_lost
    yield "n_unanswerable", here.unanswerable
    yield "n_unanswerable_shown", here.unanswerable_shown
    yield from _share("coverage", here.shown, here.n, "no query")
    yield from _share("precision", here.right_shown, here.shown, NOTHING_SHOWN)
    yield from _share(
        "unanswerable_shown", here.unanswerable_shown, here.unanswerable, "no unanswerable query"
    )


def _share(name: str, count: int, n: int, none: str) -> Iterator[tuple[str, Figure]]:
    bounds = share_interval(count, n)
    yield name, None if bounds is None else significant(count / n)
    if bounds is None:
        yield f"{name}.reason", none
    else:
        yield f"{name}.low", significant(bounds[0])
        yield f"{name}.high", significant(bounds[1])


def read_threshold(path: Path, models: Mapping[str, Any]) -> float | None:
    """Return the threshold of a calibration; None where it found none.

    Args:
        path: metrics/calibrate.json.
        models: what makes signals comparable, as the file has it under `models`.

    Raises:
        Problem: it was made for another model, another signal or other settings of them.
    """
    made = json_object(
        path.read_bytes(), str(path), remedy="Restore it with git, or run `dvc repro calibrate`."
    )
    made_for = made.get("models")
    known: Mapping[str, Any] = made_for if isinstance(made_for, dict) else {}
    wrong = [name for name, value in models.items() if known.get(name) != value]
    if wrong:
        raise Problem(
            "threshold",
            f"chosen for another {wrong[0].replace('_', ' ')}",
            where=str(path),
            remedy="Signals of two models are not comparable: run `dvc repro calibrate`.",
        )
    threshold = made.get("threshold")
    return threshold if isinstance(threshold, float) else None
