"""`vara check` without tokens: documents a second, beside reading and parsing the same lines as JSON.

    python benchmarks/check.py

Both sides read one made-up dataset in one process, by turns, on one core, with warm files. CPU seconds count, since
that is what one core has to give.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

N_DOCUMENTS, ROUNDS, GOAL = 100_000, 5, 50_000


def write_dataset(folder: Path, n_documents: int, *, seed: int = 1) -> Path:
    """Write documents of some 90 words with titles and dates, 2,000 queries and 10,000 labels in BEIR layout."""
    source = random.Random(seed)  # noqa: S311 - made-up words
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(source.choices(letters, k=source.randint(2, 10))) for _ in range(20_000)]
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for number in range(n_documents):
            text = " ".join(source.choices(words, k=source.randint(30, 150))).capitalize() + "."
            title = " ".join(source.choices(words, k=6)).capitalize()
            metadata = {"updated_at": f"2024-05-{number % 28 + 1:02}"}
            row = {"_id": f"document-{number}", "title": title, "text": text, "metadata": metadata}
            file.write(json.dumps(row) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for number in range(2_000):
            row = {
                "_id": f"q{number}",
                "text": " ".join(source.choices(words, k=6)),
                "metadata": {"split": "test"},
            }
            file.write(json.dumps(row) + "\n")
    with (folder / "qrels.tsv").open("w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for number in range(10_000):
            file.write(f"q{number // 5}\tdocument-{source.randrange(n_documents)}\t1\n")
    return folder


def by_check(folder: Path) -> int:
    from vara.datasets.lint.check import check_dataset

    checked = check_dataset(folder, min_group=5)
    assert checked.sound
    return checked.counts["documents"]


def by_json(folder: Path) -> int:
    with (folder / "corpus.jsonl").open("rb") as file:
        return sum(1 for line in file if json.loads(line))


def main() -> int:
    os.environ["POLARS_MAX_THREADS"] = "1"  # polars is imported by the first check
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sides: dict[str, Callable[[Path], int]] = {"json.loads of each line": by_json, "vara check": by_check}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    with tempfile.TemporaryDirectory() as place:
        folder = write_dataset(Path(place), N_DOCUMENTS)
        size = (folder / "corpus.jsonl").stat().st_size / 1e6
        for _ in range(ROUNDS):
            for name, side in sides.items():
                start = time.process_time()
                assert side(folder) == N_DOCUMENTS
                seconds[name].append(time.process_time() - start)
    rates = {name: N_DOCUMENTS / median(times) for name, times in seconds.items()}
    print(f"{N_DOCUMENTS:,} documents, {size:.0f} MB, one core, median of {ROUNDS}:")
    for name, rate in rates.items():
        print(f"  {name:<26}{rate:10,.0f} documents/s   {median(seconds[name]):.2f} s")
    mine, theirs = rates["vara check"], rates["json.loads of each line"]
    print(f"ratio {theirs / mine:.2f} to bare parsing; goal {GOAL:,} documents/s")
    return 0 if mine >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
