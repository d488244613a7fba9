"""What differs between two datasets, row by row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workspace import write_dataset
from vara.datasets.dataset import load_dataset
from vara.datasets.differences import Difference, differences


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "b")


def found(folder: Path, tmp_path: Path) -> list[Difference]:
    before = load_dataset(write_dataset(tmp_path / "a"))
    return differences(before, load_dataset(folder))


def change(path: Path, row: int, **fields: object) -> None:
    lines = path.read_text().splitlines(keepends=True)
    lines[row] = json.dumps({**json.loads(lines[row]), **fields}) + "\n"
    path.write_text("".join(lines))


def test_equal_datasets(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "corpus.jsonl").read_text().splitlines(keepends=True)
    (folder / "corpus.jsonl").write_text("".join(reversed(lines)))  # order is no difference
    assert found(folder, tmp_path) == []


def test_documents(folder: Path, tmp_path: Path) -> None:
    corpus = folder / "corpus.jsonl"
    change(corpus, 1, title="Another title", text="and text")
    change(corpus, 3, metadata={"status": "archived"})
    lines = corpus.read_text().splitlines(keepends=True)
    new = [json.dumps({"_id": f"n{n}", "title": "New", "text": "new"}) + "\n" for n in range(5)]
    corpus.write_text("".join([*lines[:7], *new]))  # d8 is gone
    labels = folder / "qrels.tsv"
    labels.write_text(labels.read_text().replace("q5\td8\t3\n", "q5\td2\t3\n"))
    assert found(folder, tmp_path) == [
        Difference("documents", "added", 5, ("n0", "n1", "n2")),
        Difference("documents", "removed", 1, ("d8",)),
        Difference("documents", "changed", 2, ("d2: title, text", "d4: metadata")),
        Difference("labels", "added", 1, ("q5 d2: 3",)),
        Difference("labels", "removed", 1, ("q5 d8: 3",)),
    ]


def test_queries_and_labels(folder: Path, tmp_path: Path) -> None:
    change(folder / "queries.jsonl", 0, text="lost my password")
    labels = folder / "qrels.tsv"
    labels.write_text(labels.read_text().replace("q3\td4\t1", "q3\td4\t2"))
    assert found(folder, tmp_path) == [
        Difference("queries", "changed", 1, ("q1: text",)),
        Difference("labels", "changed", 1, ("q3 d4: relevance 1 → 2",)),
    ]


def test_who_may_see_what_changes_with_the_metadata_alone(folder: Path, tmp_path: Path) -> None:
    change(folder / "queries.jsonl", 3, metadata={"split": "test", "language": "en", "allowed": []})
    labels = folder / "qrels.tsv"
    labels.write_text(labels.read_text().replace("q4\td7\t2", "q4\td1\t2"))
    assert [one for one in found(folder, tmp_path) if one.table == "queries"] == [
        Difference("queries", "changed", 1, ("q4: metadata",))
    ]


def test_null_is_a_value(folder: Path, tmp_path: Path) -> None:
    change(folder / "corpus.jsonl", 1, title=None)
    assert found(folder, tmp_path) == [Difference("documents", "changed", 1, ("d2: title",))]
