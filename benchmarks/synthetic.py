"""A synthetic dataset of any size: short texts, topics, labels that are known because they were built in."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

TOPIC, OWN_WORDS, SHOWN_WORDS, ASKED_WORDS = 20, 8, 4, 3
"""Documents a topic, words of a topic, how many of them a document shows, and how many a query asks for."""

AUDIENCE, ARCHIVED, RESTRICTED, ALLOWED = "staff", 100, 50, 10
"""One document in 100 is archived, one in 50 is for staff alone, one query in 10 may read for staff."""


@dataclass(frozen=True)
class Size:
    """How much to write."""

    documents: int
    queries: int
    seed: int


def write_dataset(folder: Path, words: Sequence[str], size: Size) -> None:
    """Write corpus.jsonl, queries.jsonl and qrels.tsv; the same words and size give the same bytes.

    A document has 8 to 14 words: four of its topic's own eight, the rest drawn from all words by Zipf's law. A query
    has three words of one topic. A document of that topic is relevant, and the more so the more of the three it has.
    """
    rng = random.Random(size.seed)  # noqa: S311 - the same dataset every time
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    topics = [rng.sample(words, OWN_WORDS) for _ in range(-(-size.documents // TOPIC))]
    asked = dict(zip(rng.sample(range(len(topics)), size.queries), range(size.queries), strict=True))
    queries = {topic: rng.sample(topics[topic], ASKED_WORDS) for topic in asked}
    folder.mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w") as corpus, (folder / "qrels.tsv").open("w") as labels:
        labels.write("query-id\tcorpus-id\tscore\n")
        for number in range(size.documents):
            topic = number // TOPIC
            own = rng.sample(topics[topic], SHOWN_WORDS)
            text = [*own, *rng.choices(words, cum_weights=weights, k=rng.randint(4, 10))]
            rng.shuffle(text)
            metadata = _metadata(number)
            row = {"_id": f"d{number:07}", "title": "", "text": " ".join(text), "metadata": metadata}
            corpus.write(json.dumps(row) + "\n")
            if topic in asked and _visible(metadata, asked[topic]):
                grade = len(set(own) & set(queries[topic]))
                labels.write(f"q{asked[topic]:05}\td{number:07}\t{grade}\n")
    (folder / "queries.jsonl").write_text("".join(_query_lines(asked, queries)))


def _metadata(number: int) -> dict[str, Any]:
    metadata: dict[str, Any] = {"product": f"p{number % 7}"}
    if number % ARCHIVED == ARCHIVED - 1:
        metadata["status"] = "archived"
    elif number % RESTRICTED == 0:
        metadata["audience"] = AUDIENCE
    return metadata


def _visible(metadata: dict[str, Any], query: int) -> bool:
    return "status" not in metadata and ("audience" not in metadata or query % ALLOWED == 0)


def _query_lines(asked: dict[int, int], queries: dict[int, list[str]]) -> Iterator[str]:
    for topic, number in asked.items():
        metadata: dict[str, Any] = {"split": "dev" if number % 4 == 0 else "test", "language": "en"}
        if number % ALLOWED == 0:
            metadata["allowed"] = [AUDIENCE]
        yield (
            json.dumps({"_id": f"q{number:05}", "text": " ".join(queries[topic]), "metadata": metadata})
            + "\n"
        )
