"""`vara import FORMAT SRC DEST`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def import_(
    form: Annotated[Literal["beir", "trec", "csv", "jsonl"], typer.Argument(metavar="beir|trec|csv|jsonl")],
    source: Annotated[
        Path, typer.Argument(metavar="SRC", help="A folder, a .zip of BEIR's, or the file of the documents.")
    ],
    target: Annotated[Path, typer.Argument(metavar="DEST", help="A new folder for the dataset.")],
    documents: Annotated[
        Path | None, typer.Option(help="The file of the documents, if not by its name.")
    ] = None,
    queries: Annotated[Path | None, typer.Option(help="The file of the queries or topics.")] = None,
    labels: Annotated[Path | None, typer.Option(help="The file of the labels.")] = None,
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN",
            help="text=body, _id=key, queries.text=question, labels.doc_id=page.",
        ),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(help="Only this split and its queries; labels without a split are taken as of it."),
    ] = None,
) -> None:
    """Make a dataset in BEIR layout of files in another form; ids stay as they are, other fields become metadata."""
    from flows.importing import Choices, import_dataset, summary
    from flows.terminal import Terminal

    choices = Choices(
        named={"documents": documents, "queries": queries, "labels": labels},
        mapping=mapping or (),
        splits=split or (),
    )
    imported = import_dataset(form, source, target, choices=choices, watch=Terminal())
    typer.echo(summary(imported, target))
