"""`vara compare A B`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class System(StrEnum):
    """Systems of the table of queries."""

    first_stage = "first_stage"
    reranked = "reranked"
    bm25 = "bm25"


class FailOn(StrEnum):
    """What a comparison may be asked to fail on."""

    regression = "regression"


def compare(  # noqa: PLR0913, PLR0917 - a command's options
    a: Annotated[
        str,
        typer.Argument(
            help="The arm that is there: a git revision, trials/NAME, . (the working tree), or settings that "
            "are run first (pool.depth=10,rerank.weight=0.5)."
        ),
    ],
    b: Annotated[str, typer.Argument(help="The arm that might replace it, likewise.")],
    split: Annotated[str | None, typer.Option(help="Left out: test, or what both arms have.")] = None,
    system: Annotated[
        System, typer.Option(help="Which ranking; reranked is what a user gets.")
    ] = System.reranked,
    data: Annotated[
        bool, typer.Option("--data", help="Read both datasets: documents, queries, labels that differ.")
    ] = False,
    predictions: Annotated[
        Path | None, typer.Option(help="YAML, written before B was run; see docs/conventions.md.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on stdout.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown on stdout.")] = False,
    fail_on: Annotated[FailOn | None, typer.Option(help="End with 1 if B is worse.")] = None,
) -> None:
    """Compare two runs query by query, from committed files: is B better than A, or is it noise?"""
    if as_json and markdown:
        raise typer.BadParameter("--json and --markdown exclude each other.")
    from flows.compare import Question, answer, refuse_regression
    from flows.workspace import find_workspace
    from vara.report.comparison_json import as_json as plain
    from vara.report.comparison_text import markdown_lines, sections

    question = Question(a=a, b=b, split=split, system=system.value, data=data, predictions=predictions)
    found = answer(find_workspace(Path.cwd()), question)
    if as_json:
        typer.echo(json.dumps(plain(found), ensure_ascii=False, allow_nan=False))
    elif markdown:
        for line in markdown_lines(found):
            typer.echo(line)
    else:
        from cli.tables import echo_table

        for section in sections(found):
            typer.echo(f"\n{section.title}" if section.title else "\n".join(section.lines))
            if section.title:
                for line in section.lines:
                    typer.echo(f"  {line}")
                echo_table(section.rows)
    if fail_on is not None:
        refuse_regression(found)
