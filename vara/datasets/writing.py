"""Datasets in BEIR layout, written: one JSON object or one tab-separated row a line."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from vara.datasets.labels import HEADER, HUMAN


class Writer:
    """The files of one dataset, in an empty folder; to be used in a `with` statement.

    Args:
        folder: where they are written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, TextIO] = {}
        self._sourced: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.close()

    def document(self, doc_id: str, title: str | None, text: str | None, metadata: dict[str, Any]) -> None:
        """Append a document; what it lacks is left out."""
        fields = {"_id": doc_id, "title": title, "text": text}
        record = {name: value for name, value in fields.items() if value is not None}
        self._write("corpus.jsonl", {**record, **({"metadata": metadata} if metadata else {})})

    def query(self, query_id: str, text: str, metadata: dict[str, Any]) -> None:
        """Append a query."""
        record = {"_id": query_id, "text": text}
        self._write("queries.jsonl", {**record, **({"metadata": metadata} if metadata else {})})

    def label(
        self, query_id: str, doc_id: str, relevance: str, *, split: str | None, source: str | None
    ) -> None:
        """Append a label to qrels/<split>.tsv, or to qrels.tsv where no split is named.

        **Conventions** The first label of a file tells whether it has the column source.

        Args:
            query_id: without tabs and line breaks, like doc_id.
            doc_id: of the document.
            relevance: as it is to be written.
            split: a plain name.
            source: who judged.
        """
        file = self.labels(split, sourced=source is not None)
        cells = [query_id, doc_id, relevance]
        if file in self._sourced:
            cells.append(source or HUMAN)
        self._files[file].write("\t".join(cells) + "\n")

    def labels(self, split: str | None, *, sourced: bool) -> str:
        """Begin a label file, if it was not begun yet, and return its name."""
        file = "qrels.tsv" if split is None else f"qrels/{split}.tsv"
        if file not in self._files:
            if sourced:
                self._sourced.add(file)
            self._open(file).write("\t".join([*HEADER, "source"] if sourced else HEADER) + "\n")
        return file

    def empty(self, *files: str) -> None:
        """Begin corpus.jsonl or queries.jsonl, so that they are there without a single row."""
        for file in files:
            self._open(file)

    def _write(self, file: str, record: dict[str, Any]) -> None:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
        self._open(file).write(text + "\n")

    def _open(self, file: str) -> TextIO:
        if file not in self._files:
            path = self._folder / file
            path.parent.mkdir(exist_ok=True)
            self._files[file] = path.open("w", encoding="utf-8", newline="\n", buffering=1 << 20)
        return self._files[file]
