"""A comparison for programs: strict JSON, with every number that the text shows and in full."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from vara.report.comparison import Comparison
from vara.report.cost import brief
from vara.report.verdict import verdict_line


def as_json(found: Comparison) -> dict[str, Any]:
    """Return plain values; a part that nobody asked for (datasets, predictions) is null."""
    families = asdict(found.families)
    return {
        "a": {"name": found.a.name, "place": found.a.place, "dataset": found.a.metrics.get("dataset")},
        "b": {"name": found.b.name, "place": found.b.place, "dataset": found.b.metrics.get("dataset")},
        "split": found.split,
        "system": found.system,
        "verdict": found.verdict,
        "says": f"{verdict_line(found)} {brief(found.costs)}",
        "primary": families.pop("primary"),
        "incomparable": list(found.incomparable),
        "warnings": list(found.warnings),
        "n_queries": found.n,
        "only": {side: list(ids) for side, ids in found.only.items()},
        "measures": families,
        "movers": [asdict(one) for one in found.movers],
        "groups": [asdict(one) for one in found.groups],
        "costs": asdict(found.costs),
        "beyond": asdict(found.beyond),
        "tuned": [asdict(one) for one in found.tuned],
        "data": None if found.data is None else [asdict(one) for one in found.data],
        "predictions": None if found.predictions is None else [asdict(one) for one in found.predictions],
        "written": found.written or None,
        "tested": found.tested,
    }
