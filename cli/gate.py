"""`vara gate [--last | --prove]`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def gate(
    last: Annotated[bool, typer.Option("--last", help="Only repeat the last verdict.")] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Judge deliberately broken arms: would the gates notice?")
    ] = False,
    trial: Annotated[str | None, typer.Option(help="With --last: a run in trials/.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON on stdout.")] = False,
) -> None:
    """Judge the workspace by gates.yaml: exit code 0 green, 1 red, 2 not judged."""
    from flows.workspace import find_workspace

    if last and prove:
        raise typer.BadParameter("--last and --prove are two questions; ask one.")
    if trial is not None and not last:
        raise typer.BadParameter("A trial was judged when it ran: ask --last --trial.")
    workspace = find_workspace(Path.cwd())
    if prove:
        _prove(workspace, as_json=as_json)
        return
    from flows.verdict import VERDICT, read_verdict

    if not last:
        from flows.__main__ import drive
        from flows.run import prepare

        drive(prepare(workspace, "gate", {}, None))
    target = workspace.root if trial is None else workspace.kept_trial(trial)
    remedy = "Run `vara gate`." if trial is None else "Run the trial again."
    verdict = read_verdict(target / VERDICT, remedy=remedy)
    if as_json:
        typer.echo(json.dumps(verdict, ensure_ascii=False, allow_nan=False))
    else:
        _echo_verdict(verdict)
    raise typer.Exit(verdict["exit_code"])


def _echo_verdict(verdict: dict[str, Any]) -> None:
    from cli.tables import echo_table

    for one in (*verdict["gates"], *verdict["budgets"]):
        one["rule"] = f"{one['rule']} {one['limit']:g}" if "rule" in one else f"budget {one['allowed']:g}"
    rows = (*verdict["gates"], *verdict["budgets"])
    echo_table(
        [{name: str(one[name]) for name in ("verdict", "name", "metric", "rule", "why")} for one in rows]
    )
    word, why = verdict["verdict"], verdict["why"]
    typer.echo(why if why.startswith(word) else f"{word}: {why}")


def _prove(workspace: Any, *, as_json: bool) -> None:
    from cli.tables import echo_table
    from flows.prove import prove
    from flows.terminal import Terminal
    from vara.errors import Failure, examples

    proof = prove(workspace, Terminal())
    if as_json:
        said = {"cells": proof.cells, "skipped": proof.skipped, "toothless": proof.toothless}
        typer.echo(json.dumps(said, ensure_ascii=False))
    else:
        echo_table([{"gate": name, **row} for name, row in proof.cells.items()])
        for arm, why in proof.skipped.items():
            typer.echo(f"– no arm {arm!r}: {why}")
    if proof.toothless:
        names = examples(proof.toothless)
        remedy = "Raise their limits, or remove them: nothing that we can break makes them red."
        raise Failure("gate", f"{names} stayed green on every broken arm", remedy=remedy)
