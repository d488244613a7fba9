"""Which outcome fails a run although every step did its work: a red gate, after its verdict was written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tasks.gate import EXIT_CODES, RED
from vara.artifacts.step import Outcome
from vara.errors import Failure, Problem
from vara.report.table import read_metrics

VERDICT = "metrics/gate.json"


class _Row(BaseModel):
    """What is relied on of a judged gate or budget."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)

    verdict: str
    name: str
    metric: str
    why: str


class _Gate(_Row):
    rule: str
    limit: float


class _Budget(_Row):
    allowed: float


class _Verdict(BaseModel):
    """What is relied on of metrics/gate.json."""

    model_config = ConfigDict(strict=True, extra="allow")

    verdict: Literal["green", "red", "not judged"]
    exit_code: int
    why: str
    gates: list[_Gate]
    budgets: list[_Budget]


def read_verdict(path: Path, *, remedy: str) -> dict[str, Any]:
    """Return metrics/gate.json as the gate stage writes it.

    Args:
        path: the file.
        remedy: what to do where it is damaged.

    Raises:
        Problem: it has not been made yet, or is not what the stage writes.
    """
    found = read_metrics(path)
    try:
        exit_code = _Verdict.model_validate(found).exit_code
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:  # pydantic's own error is one, too
        exit_code = None
    if exit_code is None or exit_code != EXIT_CODES[found["verdict"]]:
        raise Problem(str(path), "damaged", remedy=remedy)
    return found


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
