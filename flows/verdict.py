"""Which outcome fails a run although every step did its work: a red gate, after its verdict was written."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.gate import RED
from vara.artifacts.step import Outcome
from vara.errors import Failure
from vara.report.table import read_metrics

VERDICT = "metrics/gate.json"


def refusal(outcomes: Sequence[Outcome]) -> Failure | None:
    """Return what a driver ends with, where the gate is among these outcomes and red."""
    for outcome in outcomes:
        if VERDICT in outcome.step.publishes:
            verdict = read_metrics(outcome.folder / outcome.step.publishes[VERDICT])
            if verdict["verdict"] == RED:
                return Failure(
                    "gate", verdict["why"], where=VERDICT, remedy="`vara gate --last` shows every gate."
                )
    return None
