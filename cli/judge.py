"""`vara judge next|add|from-clicks|llm`: labels, and who they are from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.compare import System

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.judge_add import Added
    from vara.judgments.agreements import Agreement

app = typer.Typer(
    help="Judge pairs of query and document, and merge judgments into labels.", no_args_is_help=True
)

_MOST_SAID = 5000
"""Characters of a line that are printed."""

Target = Annotated[
    Path, typer.Option("--to", help="qrels.tsv or qrels/SPLIT.tsv of a dataset; may be new.", metavar="QRELS")
]


@app.command("next")
def next_(
    a: Annotated[
        str, typer.Argument(help="The arm that is there: trials/NAME, . (the working tree), or settings.")
    ],
    b: Annotated[str, typer.Argument(help="The arm that might replace it, likewise.")],
    out: Annotated[Path, typer.Option(help="The new sheet, .csv or .tsv.", metavar="SHEET")],
    n: Annotated[int, typer.Option(min=1, help="Pairs on the sheet.")] = 20,
    explore: Annotated[
        float, typer.Option(min=0, max=1, help="Share of them that is drawn from below the top and outside.")
    ] = 0.2,
    split: Annotated[str | None, typer.Option(help="Left out: test, or what both arms have.")] = None,
    system: Annotated[System, typer.Option(help="Which ranking is compared.")] = System.reranked,
) -> None:
    """Write a blind sheet of the unjudged pairs that would move `vara compare A B` most, and some drawn ones."""
    from flows.judge_next import Wish, propose
    from flows.workspace import find_workspace

    wish = Wish(a=a, b=b, n=n, explore=explore, split=split, system=system.value)
    for line in propose(find_workspace(Path.cwd()), wish, out):
        _say(line)


@app.command("add")
def add(
    sheets: Annotated[list[Path], typer.Argument(help="Filled sheets.", metavar="SHEET…")],
    to: Target,
    annotator: Annotated[str, typer.Option(help="Who judged the rows that name nobody.")] = "",
    resolve: Annotated[
        Path | None,
        typer.Option(help="A third reading, which decides where annotators differ.", metavar="SHEET"),
    ] = None,
) -> None:
    """Merge filled sheets into labels; a label that is there is never overwritten."""
    from flows.judge_add import add as merge

    _echo(merge(to, sheets, annotator=annotator, resolve=resolve), to)


@app.command("from-clicks")
def from_clicks(
    events: Annotated[Path, typer.Argument(help="UBI events, newline-delimited JSON, .gz or not.")],
    to: Target,
    thresholds: Annotated[
        str, typer.Option(help="Clicks ÷ expected clicks from which grades 1, 2, … begin.")
    ] = "1,2",
    min_impressions: Annotated[int, typer.Option(min=1, help="Times a pair has to be shown.")] = 20,
    examination: Annotated[
        Path | None, typer.Option(help="YAML {rank: share who look there}; left out: click rates of the log.")
    ] = None,
) -> None:
    """Turn clicks into labels, corrected for the rank at which a document was shown."""
    from flows.judge_clicks import Grading, add_clicks

    try:
        limits = [float(part) for part in thresholds.split(",")]
    except ValueError:
        raise typer.BadParameter("--thresholds are numbers with commas between them.") from None
    grading = Grading(thresholds=limits, fewest=min_impressions, examination=examination)
    added, lines = add_clicks(events, to, grading)
    for line in lines:
        _say(line)
    _echo(added, to)


@app.command("llm")
def llm(
    sheet: Annotated[
        Path, typer.Argument(help="With texts, as `vara judge next` makes it.", metavar="SHEET")
    ],
    endpoint: Annotated[str, typer.Option(help="OpenAI-compatible address, up to /v1.", metavar="URL")],
    model: Annotated[str, typer.Option(help="As the endpoint calls it.", metavar="NAME")],
    out: Annotated[Path, typer.Option(help="The new sheet, .csv or .tsv.", metavar="SHEET")],
) -> None:
    """Let a language model judge a sheet; the key comes from VARA_JUDGE_KEY."""
    from backends.judge import endpoint_of
    from flows.judge_llm import ask
    from flows.terminal import Terminal
    from flows.workspace import VERDICTS, find_workspace
    from vara.artifacts.items import ItemCache

    store = find_workspace(Path.cwd()).bench().store
    there = endpoint_of(endpoint, model, os.environ)
    asked = ask(sheet, there, ItemCache(store.root / VERDICTS), out=out, watch=Terminal())
    grades = ", ".join(f"{n} × {grade}" for grade, n in asked.grades.items()) or "none"
    _say(
        f"{asked.n} pairs, verdicts: {grades}; {asked.n_requests} answers fetched, {asked.n_remembered} known"
    )
    _say(f"no verdict: {asked.n_contradicted} differ between the orders, {asked.n_malformed} malformed")
    if asked.agreement is None:
        _say("agreement with people: not known, nobody judged a pair of this sheet")
    else:
        _echo_agreements([asked.agreement])


def _say(line: str) -> None:
    """Print a line in which nothing is an order to the terminal."""
    from vara.datasets.findings import printable

    typer.echo(printable(line, _MOST_SAID))


def _echo(added: Added, to: Path) -> None:
    from flows.judge_add import refuse_conflicts

    merged = added.merged
    _echo_agreements(added.agreements)
    for reason, (relevant, judged) in added.explored.items():
        _say(f"proposed as {reason}: {relevant} of {judged} relevant")
    refuse_conflicts(added, to)
    _say(
        f"{len(merged.labels)} new labels in {to}, {len(merged.judgments)} judgments kept; "
        f"{merged.n_repeated} repeat a label, {merged.n_beside} stand beside one of another source, "
        f"{merged.n_resolved} were resolved, {added.n_blank} rows are blank"
    )


def _echo_agreements(found: Sequence[Agreement]) -> None:
    from cli.tables import echo_table
    from vara.datasets.findings import printable

    echo_table(
        [
            {
                "annotators": printable(f"{one.one} · {one.other}"),
                "n": str(one.n),
                "same": f"{one.same:.1%}",
                "kappa": _number(one.kappa),
                "kappa, quadratic": _number(one.quadratic),
            }
            for one in found
        ]
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
