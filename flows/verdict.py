"""Which outcome fails a run although every step did its work: a red gate, after its verdict was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tasks.gate import RED
from vara.artifacts.step import Outcome
from vara.errors import Failure
from vara.report.table import read_metrics

VERDICT = "metrics/gate.json"


def refusal(outcomes: Sequence[Outcome], target: Path) -> Failure | None:
    """Return what a driver ends with, where the gate is among these outcomes and red.

    Args:
        outcomes: of a run.
        target: the workspace, or the trial that the run wrote to.
    """
    room, option = (
        ("", "") if target.parent.name != "trials" else (f"trials/{target.name}/", f" --trial {target.name}")
    )
    for outcome in outcomes:
        if VERDICT in outcome.step.publishes:
            verdict = read_metrics(outcome.folder / outcome.step.publishes[VERDICT])
            if verdict["verdict"] == RED:
                remedy = f"`vara gate --last{option}` shows every gate."
                return Failure("gate", verdict["why"], where=f"{room}{VERDICT}", remedy=remedy)
    return None
