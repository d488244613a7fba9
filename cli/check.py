"""`vara check DIR`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset in BEIR layout.")],
    log: Annotated[
        Path | None, typer.Option(help="Real queries, to compare the test set with: a line each, or JSONL.")
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Count tokens with the model of params.yaml (slower).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Findings as JSON on stdout.")] = False,
) -> None:
    """Lint a dataset; exit code 2 where validate would refuse it, else 0."""
    from flows import check as flow

    checked = flow.check(folder, log=log, tokens=tokens)
    if as_json:
        typer.echo(json.dumps(flow.as_json(checked), ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(flow.as_text(folder, checked))
    if not checked.sound:
        raise typer.Exit(2)
