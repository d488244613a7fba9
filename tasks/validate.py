"""The validate step: lints and types corpus, queries and labels, every problem at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vara.artifacts.step import Job, Made, Settings, Step
from vara.datasets.beir import find_layout
from vara.datasets.dataset import dataset_counts, load_dataset
from vara.datasets.findings import Findings, one_line
from vara.datasets.tables import KEYS, table_digest, write_table


def run(job: Job) -> Made:
    """Make the tables documents, queries and labels from the dataset's folder.

    Raises:
        Problem: the dataset breaks a rule of severity error; the text is the whole report.
    """
    dataset = load_dataset(job.settings.root / job.params["dataset.path"])
    for finding in dataset.findings:
        job.watch.note(one_line(finding))
    outputs: dict[str, dict[str, Any]] = {}
    for table, frame in dataset.tables.items():
        write_table(frame, job.folder / f"{table}.parquet")
        outputs[table] = {
            "rows": frame.height,
            "digest": table_digest(frame),
            "ids_digest": table_digest(frame.select(KEYS[table])),
        }
    return Made(outputs=outputs, metrics=dataset_counts(dataset), items=dataset.documents.height)


def files(params: Mapping[str, Any], settings: Settings) -> dict[str, str]:
    """Return {file in the dataset: SHA-256} of all files that the step reads and that exist."""
    folder = settings.root / Path(params["dataset.path"])
    layout = find_layout(folder, Findings())
    paths = [path for path in (layout.corpus, layout.queries, *layout.labels.values()) if path]
    return {path.relative_to(folder).as_posix(): settings.digest_of(path) for path in paths}


STEP = Step(
    name="validate",
    run=run,
    outputs=("documents", "queries", "labels"),
    params=("dataset.path",),
    files=files,
    exact=True,
    metrics=True,
)
