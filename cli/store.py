"""`vara store ls|path|tested|verify|gc`: look after the artifact store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.stages import stage_name

app = typer.Typer(help="Look after the artifact store.", no_args_is_help=True)


@app.command("ls")
def ls() -> None:
    """List the artifacts: step, key, size, and whether the workspace or a trial uses it now."""
    from flows.keep import listing
    from flows.workspace import find_workspace

    for line in listing(find_workspace(Path.cwd())):
        typer.echo(line)


@app.command("path")
def path(stage: Annotated[str, typer.Argument(help="A stage.", callback=stage_name)]) -> None:
    """Print the folder in the store that holds a stage's tables, vectors or scores."""
    from flows.look import made
    from flows.terminal import Terminal
    from flows.workspace import find_workspace
    from vara import params as parameters

    workspace = find_workspace(Path.cwd())
    folder, _ = made(stage, parameters.load(workspace.params_path), workspace.bench(), Terminal())
    typer.echo(str(folder))


@app.command("tested")
def tested() -> None:
    """Print how many settings had their test values computed with this store, on the labels of the last run."""
    from flows.tested import n_tested
    from flows.workspace import find_workspace
    from vara.report.table import read_metrics

    workspace = find_workspace(Path.cwd())
    typer.echo(str(n_tested(workspace, read_metrics(workspace.root / "metrics/evaluate.json"))))


@app.command("verify")
def verify() -> None:
    """Read every artifact again; damaged ones are moved to quarantine and computed at the next run."""
    from flows.keep import verify as check
    from flows.workspace import find_workspace

    lines = list(check(find_workspace(Path.cwd())))
    for line in lines:
        typer.echo(line)
    if len(lines) > 1:
        raise typer.Exit(1)


@app.command("gc")
def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Remove what neither this workspace nor one of its trials uses now: artifacts, collections, quarantine, leftovers.

    A store that several clones share (VARA_STORE) loses what only the others use; they compute it again.
    """
    from flows.keep import collect
    from flows.workspace import find_workspace

    for line in collect(find_workspace(Path.cwd()), dry_run=dry_run):
        typer.echo(line)
