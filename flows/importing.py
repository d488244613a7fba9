"""Import a dataset: find its files, read them row by row, and let the result appear whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flows.whole import whole
from vara.datasets.findings import one_line
from vara.datasets.importing.columns import Kind, read_map
from vara.datasets.importing.find import Format, find_source
from vara.datasets.importing.importer import Imported, Importer
from vara.watch import Watch


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person may say of a source; all of it may be left out.

    Attributes:
        named: kind → the file that holds it, where its name does not tell.
        mapping: settings like "text=body".
        splits: the only ones wanted.
    """

    named: Mapping[Kind, Path | None] = field(default_factory=dict)
    mapping: Sequence[str] = ()
    splits: Sequence[str] = ()


def import_dataset(form: Format, source: Path, target: Path, *, choices: Choices, watch: Watch) -> Imported:
    """Write a source as a dataset in BEIR layout.

    Args:
        form: the source's format.
        source: a folder, an archive, or the file of the documents.
        target: a new folder.
        choices: files, columns and splits.
        watch: takes notes and progress.

    Raises:
        Problem: the source is not what it should be, or the target is taken.
    """
    columns = read_map(choices.mapping)
    with whole(target) as folder:
        found = find_source(source, form, choices.named, watch)
        imported = Importer(form, columns, choices.splits).run(found, folder)
    for finding in imported.findings:
        watch.note(one_line(finding))
    return imported


def summary(imported: Imported, target: Path) -> str:
    """Return what was imported, and what to do next."""
    splits = ", ".join(f"{n} {split or 'in qrels.tsv'}" for split, n in imported.labels.items())
    labels = f"{sum(imported.labels.values())} labels" + (f" ({splits})" if splits else "")
    counts = f"{imported.documents} documents, {imported.queries} queries, {labels}"
    return f"{counts} in {target}\nNext: vara check {target}"
