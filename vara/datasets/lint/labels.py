"""Rules about what the labels can tell: too few queries, small groups, more relevant documents than a list shows."""

from __future__ import annotations

from collections import Counter

from vara.datasets.dataset import Dataset
from vara.datasets.findings import Findings
from vara.datasets.ids import Ids
from vara.datasets.splits import query_splits

GROUPS = ("language", "category")
SMALL_CORPUS = 100
FEW_QUERIES = 25
SHOWN = 20
"""The last rank of the shipped `evaluate.cutoffs`."""


def check_sizes(dataset: Dataset, query_ids: Ids, findings: Findings, *, min_group: int) -> None:
    """Report what is too small, or too large, for the numbers that will be made of it.

    Args:
        dataset: its tables.
        query_ids: where each query stands.
        findings: takes what is found.
        min_group: answerable queries below which a group is shown as too few (`evaluate.min_group`).
    """
    n = dataset.documents.height
    if 0 < n < SMALL_CORPUS:
        findings.add("small-corpus", "corpus.jsonl", what=f"{n} documents")
    positive = dataset.labels.filter(dataset.labels["relevance"] > 0)
    n_relevant = Counter(positive["query_id"].to_list())
    for name in query_ids:
        if n_relevant[name] > SHOWN:
            findings.add("many-relevant", query_ids.place(name), what=f"query {name}: {n_relevant[name]}")
    splits = query_splits(dataset.queries, dataset.labels)
    answerable = {name: split for name, split in splits.items() if split and n_relevant[name]}
    for split, size in sorted(Counter(answerable.values()).items()):
        if size < FEW_QUERIES:
            findings.add("few-queries", "queries.jsonl", what=f"split {split}: {size}")
        if all(n_relevant[name] == 1 for name, own in answerable.items() if own == split):
            findings.add("one-relevant", "queries.jsonl", what=f"split {split}: {size} queries")
    _check_groups(dataset, answerable, findings, min_group)


def _check_groups(dataset: Dataset, answerable: dict[str, str], findings: Findings, min_group: int) -> None:
    sizes: Counter[tuple[str, str, str]] = Counter()
    for row in dataset.queries.select("query_id", *GROUPS).iter_rows(named=True):
        for field in GROUPS:
            if row[field] is not None and row["query_id"] in answerable:
                sizes[(answerable[row["query_id"]], field, row[field])] += 1
    for (split, field, value), size in sorted(sizes.items()):
        if size < min_group:
            findings.add("small-group", "queries.jsonl", what=f"split {split}, {field}={value}: {size}")
