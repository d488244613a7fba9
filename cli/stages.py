"""Checking a stage's name that a user typed."""

from __future__ import annotations

import typer


def stage_name(name: str | None) -> str | None:
    """Return the name if it is a stage of the pipeline or of the laboratory.

    Raises:
        typer.BadParameter: it is none; the message lists them.
    """
    from flows.pipeline import STEPS

    known = [step.name for step in STEPS]
    if name is not None and name not in known:
        raise typer.BadParameter(f"{name!r} is no stage. Stages: {', '.join(known)}.")
    return name
