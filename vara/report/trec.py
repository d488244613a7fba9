"""Runs and labels as TREC lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vara.datasets.trec import split_cells
from vara.errors import Problem, examples
from vara.report.readable import Run, Scores, shortest


def run_lines(run: Run, scores: Scores, tag: str) -> Iterator[str]:
    """Yield `query Q0 document rank score tag` of each document."""
    for query_id, docs in run.items():
        for rank, (doc_id, score) in enumerate(zip(docs, scores[query_id], strict=True), start=1):
            yield f"{query_id} Q0 {doc_id} {rank} {shortest(score)} {tag}\n"


def qrels_lines(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield `query 0 document relevance` of each label."""
    for query_id, row in qrels.items():
        for doc_id, relevance in row.items():
            yield f"{query_id} 0 {doc_id} {relevance}\n"


def check_ids(ids: Iterator[str]) -> None:
    """Refuse ids that TREC's columns would break: white space in them, or # at the start, which makes a comment.

    Raises:
        Problem: there are some; three are named.
    """
    bad = [repr(name) for name in ids if split_cells(name) != [name] or name.startswith("#")]
    if bad:
        raise Problem(
            "export",
            f"{len(bad)} ids that TREC files cannot carry ({examples(bad)})",
            expected="no white space, and no # at the start",
            remedy="Rename them in the dataset, or use vara export json.",
        )
