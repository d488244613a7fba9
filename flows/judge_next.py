"""The story of `vara judge next A B`: what two arms rank, what is judged, and a blind sheet of what is worth it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from flows.arms import Source, sources
from flows.whole import write_whole
from flows.workspace import Workspace
from tasks.truth import visible_qrels
from vara.datasets.dataset import Dataset, load_dataset
from vara.datasets.splits import query_splits
from vara.errors import Problem
from vara.index.scope import Scope
from vara.judgments.keys import key_of, key_text
from vara.judgments.proposals import Proposal, Run, Truth, blind, decisive, explored, top
from vara.judgments.sheets import Row, sheet_text
from vara.quality.measures import Measure, parse
from vara.report.comparison import Comparison, compared

POOL, RERANKED = "build/pool.json", "build/reranked.json"
SHOWN_CHARACTERS = 2000
"""How much of a text a sheet shows."""


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is asked for.

    Attributes:
        a: the arm that is there, by name.
        b: the arm that might replace it.
        n: pairs on the sheet.
        explore: share of them that is drawn, 0..1.
        split: None means test, or what there is.
        system: first_stage, reranked or bm25.
    """

    a: str
    b: str
    n: int
    explore: float
    split: str | None
    system: str


def propose(workspace: Workspace, wish: Wish, out: Path) -> list[str]:
    """Write a sheet and, beside it, its key; return what is on it, in words.

    Raises:
        Problem: an arm has no rankings, the arms are of two datasets, a sheet is there, or nothing is left to judge.
    """
    key = key_of(out)
    for path in (out, key):
        if path.exists():
            raise Problem(str(path), "something is there already", remedy="Name a new sheet with --out.")
    arms = sources(workspace, wish.a, wish.b)
    rankings = [_rankings(one) for one in arms]
    found = compared(
        *(one.arm(workspace) for one in arms),
        split=wish.split,
        system=wish.system,
    )
    dataset = _dataset(workspace, found)
    measure = parse(found.families.primary)
    chosen, most = _chosen(found, dataset, rankings, wish)
    if not chosen:
        remedy = "Raise --explore, or compare arms that rank other documents."
        raise Problem("judge next", "nothing is left to judge", where=found.split, remedy=remedy)
    delimiter = "\t" if out.suffix == ".tsv" else ","
    write_whole(key, key_text(chosen).encode())
    write_whole(out, sheet_text(_rows(chosen, dataset), delimiter=delimiter).encode())
    return _summary(found, measure, chosen, most=most, out=out, wish=wish)


def _rankings(arm: Source) -> dict[str, Run]:
    """Return system → ranking of an arm, as its last run wrote them.

    Raises:
        Problem: it has none.
    """
    if arm.folder is None:
        remedy = "Run it as a trial (`python -m flows pipeline --set … --out trials/NAME`) and name that."
        raise Problem("arm", f"{arm.name} is a revision, and rankings are not committed", remedy=remedy)
    try:
        pool, reranked = (json.loads((arm.folder / path).read_bytes()) for path in (POOL, RERANKED))
        return {
            "first_stage": _ranking(pool["first_stage"]),
            "bm25": _ranking(pool["bm25"]),
            "reranked": _ranking(reranked["reranked"]),
        }
    except (FileNotFoundError, ValueError, LookupError, TypeError, RecursionError) as error:
        found = f"no rankings in {POOL} and {RERANKED} ({type(error).__name__})"
        remedy = "Run `dvc repro`, or the trial, again."
        raise Problem("arm", found, where=arm.place, remedy=remedy) from None


def _ranking(value: Any) -> Run:
    """Return query → documents, each once.

    Raises:
        TypeError: it is something else.
    """
    fits = isinstance(value, dict) and all(
        isinstance(docs, list) and all(isinstance(doc, str) for doc in docs) and len(set(docs)) == len(docs)
        for docs in value.values()
    )
    if not fits:
        raise TypeError
    ranking: Run = value
    return ranking


def _dataset(workspace: Workspace, found: Comparison) -> Dataset:
    paths = [str(arm.params.get("dataset.path")) for arm in (found.a, found.b)]
    if paths[0] != paths[1]:
        remedy = "Compare arms over one dataset."
        raise Problem("arms", f"two datasets, {paths[0]} and {paths[1]}", remedy=remedy)
    return load_dataset(workspace.root / paths[0])


def _chosen(
    found: Comparison, dataset: Dataset, rankings: Sequence[Mapping[str, Run]], wish: Wish
) -> tuple[list[Proposal], float]:
    """Return the proposals in blind order, and the largest effect of all pairs."""
    measure = parse(found.families.primary)
    truth = _truth(found, dataset)
    a, b = (systems[wish.system] for systems in rankings)
    draw = np.random.Generator(np.random.PCG64(int(found.b.params["seed"])))
    n_drawn = round(wish.n * wish.explore)
    ordered = decisive(a, b, truth, measure)
    everything = [run for systems in rankings for run in systems.values()]
    doc_ids = dataset.documents["doc_id"].to_list()

    def below(query_id: str) -> list[str]:
        shown = set(top((a, b), query_id, measure))
        return [
            doc for doc in _ranked(everything, query_id) if doc not in shown and truth.unjudged(query_id, doc)
        ]

    def outside(query_id: str) -> list[str]:
        ranked = set(_ranked(everything, query_id))
        return [doc for doc in doc_ids if doc not in ranked and truth.unjudged(query_id, doc)]

    drawn = explored("below", below, query_ids=truth.query_ids, n=n_drawn - n_drawn // 2, draw=draw)
    drawn += explored("outside", outside, query_ids=truth.query_ids, n=n_drawn // 2, draw=draw)
    most = abs(ordered[0].effect or 0.0) if ordered else 0.0
    return blind([*ordered[: wish.n - n_drawn], *drawn], draw), most


def _ranked(runs: Sequence[Run], query_id: str) -> list[str]:
    return sorted({doc for run in runs for doc in run.get(query_id, ())})


def _truth(found: Comparison, dataset: Dataset) -> Truth:
    documents, queries, labels = dataset.documents, dataset.queries, dataset.labels
    hiding = documents.select("archived", "audience", "metadata").to_dict(as_series=False)
    scope = Scope(hiding["archived"], hiding["audience"], hiding["metadata"], {})
    rows = {doc_id: row for row, doc_id in enumerate(documents["doc_id"])}
    limits = {
        query_id: limit for query_id, *limit in queries.select("query_id", "allowed", "scope").iter_rows()
    }
    judged = set(labels.select("query_id", "doc_id").iter_rows())
    own = any(arm.params.get("pool.exclude_self") is True for arm in (found.a, found.b))

    @lru_cache(maxsize=1)
    def seen(query_id: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return scope.visible(*limits[query_id])

    def unjudged(query_id: str, doc_id: str) -> bool:
        if (query_id, doc_id) in judged or doc_id not in rows or (own and doc_id == query_id):
            return False
        return bool(seen(query_id)[rows[doc_id]])

    lowest = int(found.b.params["evaluate.min_relevance"])
    splits = query_splits(queries, labels)
    return Truth(
        query_ids=sorted(query_id for query_id, split in splits.items() if split == found.split),
        qrels=visible_qrels(documents, queries, labels)[0],
        unjudged=unjudged,
        grades=(lowest, max([lowest, *labels["relevance"]])),
    )


def _rows(chosen: Sequence[Proposal], dataset: Dataset) -> list[Row]:
    queries = dict(dataset.queries.select("query_id", "text").iter_rows())
    texts = {doc: more for doc, *more in dataset.documents.select("doc_id", "title", "text").iter_rows()}
    return [
        Row(
            query_id=one.query_id,
            doc_id=one.doc_id,
            query=queries[one.query_id],
            title=texts[one.doc_id][0] or "",
            text=(texts[one.doc_id][1] or "")[:SHOWN_CHARACTERS],
        )
        for one in chosen
    ]


def _summary(
    found: Comparison, measure: Measure, chosen: Sequence[Proposal], *, most: float, out: Path, wish: Wish
) -> list[str]:
    counts = {
        reason: sum(one.reason == reason for one in chosen) for reason in ("decisive", "below", "outside")
    }
    cut = f"top {measure.cutoff}" if measure.cutoff else "ranking"
    lines = [
        f"{len(chosen)} pairs in {out}",
        f"  {counts['decisive']} would move {measure} of {wish.system} on {found.split}",
        f"  {counts['below']} drawn from below both {cut}, {counts['outside']} from what no arm ranks",
    ]
    if found.deciding is not None:
        lines.append(
            f"B − A is {found.deciding.difference:+.4f}; one judgment would move it by at most {most:.4f}"
        )
    path = str(found.b.params["dataset.path"])
    add = f"vara judge add {out} --annotator NAME --to {path}/qrels.tsv"
    return [*lines, f"Fill in the column relevance without looking into {key_of(out).name}, then: {add}"]
