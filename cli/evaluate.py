"""`vara evaluate`: run files against labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

MEASURES = "nDCG@10 RR R@20"


def evaluate(
    run: Annotated[list[Path], typer.Option(help="A run: TREC or JSON, .gz or not. Give it several times.")],
    qrels: Annotated[Path, typer.Option(help="Labels: TREC, BEIR's qrels.tsv or JSON, .gz or not.")],
    measures: Annotated[
        str,
        typer.Option(help="Names such as nDCG@10, nDCG(gain='exp')@10, R@20, Rcap@10, AP, RR, Judged@10."),
    ] = MEASURES,
    queries: Annotated[
        Path | None, typer.Option(help="queries.jsonl: shows its languages and categories apart.")
    ] = None,
    min_relevance: Annotated[
        int, typer.Option(min=1, help="Grade from which a document counts as relevant.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Values as JSON on stdout.")] = False,
) -> None:
    """Measure runs of any system against labels, with intervals; no workspace is needed."""
    from cli.tables import echo_table
    from flows import runs as flow
    from flows.terminal import log

    evaluated = flow.evaluate(run, qrels, measures, queries=queries, min_relevance=min_relevance)
    for notice in evaluated.notices:
        log.info("%s", notice)
    if as_json:
        typer.echo(json.dumps(flow.as_json(evaluated), ensure_ascii=False, allow_nan=False))
        return
    echo_table(flow.rows(evaluated))
    typer.echo(f"\n{flow.summary(evaluated)}")
    if groups := flow.group_rows(evaluated):
        typer.echo()
        echo_table(groups)
