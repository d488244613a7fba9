"""`vara why [STAGE]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.stages import stage_name


def why(
    stage: Annotated[
        str | None, typer.Argument(help="A stage; all of them if left out.", callback=stage_name)
    ] = None,
) -> None:
    """Say what would run and why: what DVC would start, and what the store would compute."""
    from flows.why import why as lines
    from flows.workspace import find_workspace

    for line in lines(find_workspace(Path.cwd()), stage):
        typer.echo(line)
