"""`vara export FORMAT DEST`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def export(
    form: Annotated[
        Literal["beir", "trec", "json"],
        typer.Argument(
            metavar="beir|trec|json", help="The dataset; runs and labels; pool and reranked to read."
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="DEST", help="A new folder.")],
    trial: Annotated[str | None, typer.Option(help="A run in trials/ instead of the workspace.")] = None,
) -> None:
    """Write the dataset, its runs and labels, or its rankings with texts, for other programs and for readers."""
    from flows.export import export as flow
    from flows.workspace import find_workspace

    workspace = find_workspace(Path.cwd())
    source = workspace.kept_trial(trial) if trial is not None else workspace.root
    for file in flow(workspace, source, form, target):
        typer.echo(f"{target / file}")
