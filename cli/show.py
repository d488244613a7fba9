"""`vara show [QUERY]`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

NEXT = """
What next:
  {show}  one query: texts, ranks before and after, labels
  {compare}  what moved, and whether it could be chance
  {why}  what would run after a change of data, parameters or code, and why"""


def show(
    query: Annotated[str | None, typer.Argument(help="A query's id; left out: the result table.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every measure of the query, not only the table's.")
    ] = False,
    lab: Annotated[
        bool,
        typer.Option("--lab", help="The latency table, measured by `make lab`, instead of the result table."),
    ] = False,
    trial: Annotated[str | None, typer.Option(help="A run in trials/ instead of the workspace.")] = None,
    readme: Annotated[
        Path | None,
        typer.Option(help="Write the result table into this Markdown file.", exists=True, dir_okay=False),
    ] = None,
) -> None:
    """Show the result table, one query's report, or what the laboratory measured."""
    from flows.workspace import find_workspace
    from vara import params as parameters
    from vara.report.table import headline, markdown, outdated, reasons, updated

    workspace = find_workspace(Path.cwd())
    target = workspace.kept_trial(trial) if trial is not None else workspace.root
    if lab:
        _show_lab(target / "lab/metrics/latency.json", workspace.bench().settings.machine)
        return
    if query is not None:
        from flows.show import query_lines

        for line in query_lines(workspace, target, query, every=every):
            typer.echo(line)
        return
    rows = headline(target / "metrics/evaluate.json")
    if readme:
        text = readme.read_text(encoding="utf-8")
        readme.write_text(updated(text, markdown(rows), where=str(readme)), encoding="utf-8")
        return
    from cli.tables import echo_table
    from flows.show import first_query

    echo_table(rows)
    for line in reasons(target / "metrics/evaluate.json"):
        typer.echo(f"– {line}")
    if old := outdated(target / "metrics/evaluate.json", parameters.load(target / "params.yaml").flat()):
        typer.echo(f"\nThese numbers are of other parameters: {', '.join(old)}. Run it again.")
    _say_next(first_query(target), target.name if trial is not None else None)


def _say_next(query: str, trial: str | None) -> None:
    words = {
        "show": f"vara show {query}" + (f" --trial {trial}" if trial else ""),
        "compare": f"vara compare trials/{trial} pool.retriever=hybrid" if trial else "vara compare HEAD .",
        "why": "vara why",
    }
    width = max(map(len, words.values()))
    typer.echo(NEXT.format(**{name: f"{word:<{width}}" for name, word in words.items()}))


def _show_lab(path: Path, machine: Mapping[str, str]) -> None:
    from cli.tables import echo_table
    from vara.report.latency import clients, read_latency, sentences, stages

    metrics = read_latency(path)
    echo_table(stages(metrics))
    typer.echo()
    echo_table(clients(metrics))
    typer.echo()
    for line in sentences(metrics, machine):
        typer.echo(line)
