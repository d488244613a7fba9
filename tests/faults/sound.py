"""The sound dataset that each broken one is a change of."""

from __future__ import annotations

HEADER = "query-id\tcorpus-id\tscore\n"
CORPUS = (
    '{"_id": "d1", "title": "Passwords", "text": "How to reset one."}\n{"_id": "d2", "text": "Printers."}\n'
)
QUERIES = (
    '{"_id": "q1", "text": "reset", "metadata": {"split": "dev"}}\n'
    '{"_id": "q2", "text": "printer", "metadata": {"split": "test"}}\n'
)
LABELS = f"{HEADER}q1\td1\t1\nq2\td2\t1\n"
SOUND: dict[str, str | bytes] = {"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES, "qrels.tsv": LABELS}
