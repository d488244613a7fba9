"""The index step: the facts of a collection change with what its documents hold, and with nothing else of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tasks import index
from vara.artifacts.canonical import digest, file_digest
from vara.artifacts.step import Output
from vara.datasets.tables import to_frame, write_table
from vara.index.vectors import Embeddings, write_embeddings
from vara.watch import Silence

IDS = ["b", "a"]
PARAMS = {"index.engine": "memory", "index.m": 16, "index.ef_construct": 128}


def indexed(
    folder: Path, *, text: str = "words", audience: str | None = None, metadata: str = "{}"
) -> dict[str, Any]:
    """Return the facts of two documents and an empty one, which has no vector."""
    folder.mkdir()
    rows = [
        ("b", None, text, metadata, False, audience),
        ("empty", None, " ", "{}", False, None),
        ("a", None, "more", "{}", False, None),
    ]
    write_table(to_frame("documents", iter(rows)), folder / "documents.parquet")
    write_embeddings(Embeddings(IDS, np.eye(2, dtype=np.float32), [], np.empty((0, 2), np.float32)), folder)
    inputs = {name: Output(name, folder, {}, {"recipe": "f" * 64}) for name in ("documents", "embed")}
    settings = SimpleNamespace(collections=folder, digest_of=file_digest, qdrant={})
    job: Any = SimpleNamespace(inputs=inputs, params=PARAMS, watch=Silence(), settings=settings)
    return dict(index.run(job).outputs["index"])


def test_facts(tmp_path: Path) -> None:
    facts = indexed(tmp_path / "one")
    assert facts.pop("facets_digest")
    assert facts == {
        "engine": "memory",
        "fingerprint": "f" * 64,
        "count": 2,
        "dimension": 2,
        "m": 16,
        "ef_construct": 128,
        "ids_digest": digest(["a", "b"]),
    }


def test_what_documents_hold_is_a_fact(tmp_path: Path) -> None:
    before = indexed(tmp_path / "before")
    assert indexed(tmp_path / "text", text="other words") == before
    for name, change in (
        ("audience", {"audience": "owner"}),
        ("metadata", {"metadata": '{"product":"web"}'}),
    ):
        after = indexed(tmp_path / name, **change)
        assert {key for key in after if after[key] != before[key]} == {"facets_digest"}
