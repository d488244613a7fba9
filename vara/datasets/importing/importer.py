"""An import: rows of another form become a dataset in BEIR layout, one at a time. What is wrong is said at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vara.datasets.fields import PLAIN_NAME
from vara.datasets.findings import Finding, Findings, refuse
from vara.datasets.ids import clean_id
from vara.datasets.importing.columns import Columns, Kind, shaped
from vara.datasets.importing.find import Format, Source
from vara.datasets.importing.rows import Row, object_rows, table_rows
from vara.datasets.importing.texts import trec_rows
from vara.datasets.opened import Readable, bare_name
from vara.datasets.trec import read_cells
from vara.datasets.writing import Writer

DEFAULT_SPLIT = "test"
_UNWRITABLE = frozenset("\t\n\r")


@dataclass(frozen=True, slots=True)
class Imported:
    """What was imported.

    Attributes:
        documents: how many.
        queries: how many.
        labels: by split; "" are those of qrels.tsv, whose queries name their split.
        findings: what was done on the way that is no error.
    """

    documents: int
    queries: int
    labels: dict[str, int]
    findings: tuple[Finding, ...]


class Importer:
    """One import.

    Args:
        form: the format of the source.
        columns: which field is which.
        splits: the only splits that are wanted; none names them all.
    """

    def __init__(self, form: Format, columns: Columns, splits: Collection[str]) -> None:
        self._form, self._columns, self._splits = form, columns, frozenset(splits)
        self._default = next(iter(splits)) if len(splits) == 1 else DEFAULT_SPLIT
        self._findings = Findings()

    def run(self, source: Source, folder: Path) -> Imported:
        """Write the dataset into an empty folder.

        **Conventions** Queries that name their split (metadata.split) get one qrels.tsv; else each split has a
        file, and labels without one are of the wanted split, or of test. With `splits`, queries of others and
        queries that no kept label names are left out; documents never are.

        Raises:
            Problem: rows that cannot be taken, all of them counted.
        """
        for split, path in source.labels:
            if split is not None and not PLAIN_NAME(split):
                self._findings.add("bad-split", f"qrels/{path.name}")
        refuse("import", self._findings.all(), done="Nothing was imported")  # before a name becomes a path
        own = {
            query_id: split
            for query_id, _, metadata in self._texts(source.queries, "queries", Findings())
            if isinstance(split := metadata.get("split"), str)
        }
        with Writer(folder) as writer:
            writer.empty("corpus.jsonl", "queries.jsonl")
            wanted, labels = self._write_labels(source, own, writer)
            n_queries = n_documents = 0
            for query_id, fields, metadata in self._texts(source.queries, "queries", self._findings):
                kept = own.get(query_id) in self._splits if query_id in own else query_id in wanted
                if kept or not self._splits:
                    writer.query(query_id, fields.get("text") or "", metadata)
                    n_queries += 1
            for doc_id, fields, metadata in self._texts(source.documents, "documents", self._findings):
                writer.document(doc_id, fields.get("title"), fields.get("text"), metadata)
                n_documents += 1
        found = self._findings.all()
        refuse("import", found, done="Nothing was imported")
        self._columns.check_used()
        return Imported(n_documents, n_queries, labels, found)

    def _write_labels(
        self, source: Source, own: dict[str, Any], writer: Writer
    ) -> tuple[set[str], dict[str, int]]:
        wanted: set[str] = set()
        counts: Counter[str] = Counter()
        for of_file, path in source.labels:
            otherwise = of_file or (None if own else self._default)
            before = counts.total()
            for query_id, doc_id, cells in self._labels(path):
                split = of_file or cells.get("split") or otherwise
                if self._splits and (split or own.get(query_id)) not in self._splits:
                    continue
                relevance = " ".join(str(cells.get("relevance")).split())
                writer.label(query_id, doc_id, relevance, split=split, source=cells.get("source"))
                counts[split or ""] += 1
                wanted.add(query_id)
            if counts.total() == before and (not self._splits or otherwise in self._splits):
                writer.labels(otherwise, sourced=False)  # a file without labels is still a file
        return wanted, dict(counts)

    def _labels(self, path: Readable) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for where, row, names in self._label_rows(path):
            cells = {name: row[column] for name, column in names.items()}
            query_id = self._id(cells.get("query_id"), where, self._findings)
            doc_id = self._id(cells.get("doc_id"), where, self._findings)
            if query_id is None or doc_id is None:
                continue
            split = cells.get("split")
            if split is not None and not PLAIN_NAME(str(split)):
                self._findings.add("bad-split", where, what=f"split is {split!r}")
            elif _UNWRITABLE & set(query_id + doc_id):
                self._findings.add("unwritable-id", where, what=f"query {query_id} document {doc_id}")
            else:
                yield query_id, doc_id, cells

    def _texts(
        self, path: Readable, kind: Kind, findings: Findings
    ) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        for where, row, names in self._text_rows(path, kind, findings):
            fields, metadata, clashes = shaped(row, names)
            for clash in clashes:
                findings.add("both-places", where, what=clash)
            name = self._id(fields.get("_id"), where, findings)
            for one in ("title", "text"):
                if fields.get(one) is not None and not isinstance(fields[one], str):
                    findings.add("not-a-string", where, what=f"{one} is {fields[one]!r}")
            if name is not None:
                yield name, fields, metadata

    def _id(self, value: Any, where: str, findings: Findings) -> str | None:
        name = clean_id(value, findings, where) if isinstance(value, str) else None
        if name:
            return name
        code = "missing-id" if value is None or name == "" else "id-not-string"
        findings.add(code, where, what="" if value is None else f"{value!r}")
        return None

    def _text_rows(self, path: Readable, kind: Kind, findings: Findings) -> Iterator[Row]:
        read = {"beir": object_rows, "jsonl": object_rows, "csv": table_rows, "trec": trec_rows}[self._form]
        return read(path, findings, kind=kind, columns=self._columns)

    def _label_rows(self, path: Readable) -> Iterator[Row]:
        if self._form == "trec":
            return self._trec_labels(path)
        if bare_name(path).endswith((".tsv", ".csv")):
            return table_rows(path, self._findings, kind="labels", columns=self._columns)
        return object_rows(path, self._findings, kind="labels", columns=self._columns)

    def _trec_labels(self, path: Readable) -> Iterator[Row]:
        names = {name: name for name in ("query_id", "doc_id", "relevance")}
        for where, cells in read_cells(path, self._findings, file=path.name):
            if len(cells) == 4:
                yield where, dict(zip(names, (cells[0], cells[2], cells[3]), strict=True)), names
            else:
                self._findings.add("bad-trec-label", where, what=" ".join(cells))
