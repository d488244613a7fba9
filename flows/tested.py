"""How often test was looked at: what the ledger of the store says of the labels of a metric file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.workspace import Workspace
from vara.errors import Problem


def n_tested(workspace: Workspace, metrics: Mapping[str, Any]) -> int:
    """Return how many settings had their test values computed with this workspace's store, on these labels.

    Args:
        workspace: whose store is asked.
        metrics: metrics/evaluate.json of the labels that are meant.

    Raises:
        Problem: the metrics name no labels, or the ledger is damaged.
    """
    data = metrics.get("data")
    labels = data.get("labels") if isinstance(data, Mapping) else None
    if not isinstance(labels, str):
        remedy = "Run `dvc repro`."
        raise Problem("metrics/evaluate.json", "it names no labels", expected="data.labels", remedy=remedy)
    return workspace.ledger.count(labels)
