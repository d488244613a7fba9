"""A sound dataset as data, and how to write it with changes."""

from __future__ import annotations

SOUND = {
    "corpus.jsonl": (
        '{"_id": "d1", "title": "Passwords", "text": "How to reset one."}\n'
        '{"_id": "d2", "text": "Printers print."}\n'
    ),
    "queries.jsonl": (
        '{"_id": "q1", "text": "reset password", "metadata": {"split": "dev"}}\n'
        '{"_id": "q2", "text": "printer", "metadata": {"split": "test"}}\n'
    ),
    "qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\n",
}


def write_dataset(folder, changes):
    for name, content in {**SOUND, **changes}.items():
        if content is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def more(file, *lines):
    """Return the change that appends lines to a file of the sound dataset."""
    return {file: SOUND[file] + "".join(f"{line}\n" for line in lines)}
