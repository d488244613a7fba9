"""Export what the workspace or a trial holds: the dataset, its frozen rankings with scores, its labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from flows.look import made
from flows.terminal import Terminal
from flows.whole import whole
from flows.workspace import Workspace
from tasks.truth import TABLES, visible_qrels
from vara import params as parameters
from vara.artifacts.step import Output
from vara.datasets.splits import query_splits
from vara.datasets.tables import read_table
from vara.datasets.writing import Writer
from vara.index.frozen import Pool, Reranked, read_pool, read_reranked
from vara.report.readable import Context, readable
from vara.report.trec import check_ids, qrels_lines, run_lines

if TYPE_CHECKING:
    import polars as pl

Form = Literal["beir", "trec", "json"]
NO_SPLIT = "none"


@dataclass(frozen=True, slots=True)
class Frozen:
    """What the stages made, as `made` found it.

    Attributes:
        tables: documents, queries, labels.
        pool: the frozen candidates and the baseline.
        reranked: the final order.
    """

    tables: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]
    pool: Pool
    reranked: Reranked


def export(workspace: Workspace, source: Path, form: Form, target: Path) -> list[str]:
    """Write the export into a new folder and return the names of its files.

    Args:
        workspace: whose store is read; what it lacks is computed.
        source: the workspace's root, or a trial's folder.
        form: "beir" (the dataset), "trec" (runs and qrels) or "json" (pool and reranked, readable).
        target: where it goes; appears whole or not at all.

    Raises:
        Problem: the target is taken, or ids do not fit TREC's columns.
    """
    params = parameters.load(source / "params.yaml")
    with whole(target) as folder:
        stage = "validate" if form == "beir" else "evaluate"
        _, found = made(stage, params, workspace.bench(), Terminal(), target=source)
        if form == "beir":
            _write_dataset(_tables(found), folder)
        else:
            {"trec": _write_trec, "json": _write_json}[form](_frozen(found), folder)
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _tables(found: Mapping[str, Output]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    documents, queries, labels = (read_table(found[name].folder / f"{name}.parquet", name) for name in TABLES)
    return documents, queries, labels


def _frozen(found: Mapping[str, Output]) -> Frozen:
    return Frozen(_tables(found), read_pool(found["pool"].folder), read_reranked(found["reranked"].folder))


def _write_dataset(tables: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame], folder: Path) -> None:
    documents, queries, labels = tables
    own = queries["split"].is_not_null().any()
    sourced = bool((labels["source"] != "human").any())
    with Writer(folder) as writer:
        for doc_id, title, text, metadata in documents.select(
            "doc_id", "title", "text", "metadata"
        ).iter_rows():
            writer.document(doc_id, title, text, json.loads(metadata))
        for query_id, text, metadata in queries.select("query_id", "text", "metadata").iter_rows():
            writer.query(query_id, text, json.loads(metadata))
        for label in labels.iter_rows(named=True):
            split, source = (None if own else label["split"]), (label["source"] if sourced else None)
            writer.label(
                label["query_id"], label["doc_id"], str(label["relevance"]), split=split, source=source
            )


def _write_trec(frozen: Frozen, folder: Path) -> None:
    documents, queries, _ = frozen.tables
    check_ids(chain(documents["doc_id"], queries["query_id"]))
    pool, reranked = frozen.pool, frozen.reranked
    for tag, run, scores in (
        ("first_stage", pool.first_stage, pool.descending(pool.scores)),
        ("reranked", reranked.run, pool.descending(reranked.scores)),
        ("bm25", pool.bm25, pool.baseline),
    ):
        _write(folder / f"{tag}.run", run_lines(run, scores, tag))
    qrels, splits = visible_qrels(*frozen.tables)[0], _splits(frozen)
    for split in sorted({splits.get(query_id) or NO_SPLIT for query_id in qrels}):
        rows = {name: row for name, row in qrels.items() if (splits.get(name) or NO_SPLIT) == split}
        _write(folder / f"qrels.{split}.txt", qrels_lines(rows))


def _write_json(frozen: Frozen, folder: Path) -> None:
    documents, queries, _ = frozen.tables
    context = Context(
        queries=dict(queries.select("query_id", "text").iter_rows()),
        splits=_splits(frozen),
        documents={
            name: (title, text)
            for name, title, text in documents.select("doc_id", "title", "text").iter_rows()
        },
        qrels=visible_qrels(*frozen.tables)[0],
    )
    pool, reranked = frozen.pool, frozen.reranked
    for name, run, scores in (
        ("pool", pool.first_stage, {"dense": pool.dense, "bm25": pool.lexical}),
        ("reranked", reranked.run, {"reranked": reranked.scores}),
    ):
        _write(folder / f"{name}.json", _array(readable(run, scores, context)))


def _splits(frozen: Frozen) -> dict[str, str | None]:
    _, queries, labels = frozen.tables
    return query_splits(queries, labels)


def _array(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a JSON array piece by piece, so that a large run is never held as one text."""
    yield "["
    for number, record in enumerate(records):
        yield ",\n" if number else "\n"
        yield json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1)
    yield "\n]\n"


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
