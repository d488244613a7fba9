"""The BEIR layout on disk: which files there are, and their lines as objects or columns, one at a time.

What lives here: bytes → lines → JSON objects and tab-separated cells, each with its place "file:line".
What does not: what a row means (documents.py, queries.py, labels.py). No type is ever guessed, and no name
found in the data is ever used as a path.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from vara.datasets.findings import Findings
from vara.datasets.opened import Readable, open_bytes, raw_lines

_BOM = "\ufeff"
_BLANK = ("\n", "\r\n", "")


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a dataset that exist.

    Args:
        folder: the dataset's folder.
        corpus: corpus.jsonl, None where it is missing.
        queries: queries.jsonl, None where it is missing.
        labels: label files by split; the split is None for qrels.tsv.
    """

    folder: Path
    corpus: Path | None
    queries: Path | None
    labels: dict[str | None, Path]


def find_layout(folder: Path, findings: Findings) -> Layout:
    """Return the files of a dataset; what is missing or stands twice becomes a finding.

    **Conventions** Label files are `qrels.tsv` or `qrels/*.tsv` in the order of their names; names that begin
    with a dot are left alone.
    """
    if not folder.is_dir():
        findings.add("missing-folder", str(folder))
        return Layout(folder, None, None, {})
    present = {}
    for name in ("corpus.jsonl", "queries.jsonl"):
        present[name] = folder / name if (folder / name).is_file() else None
        if present[name] is None:
            findings.add("missing-file", name)
    return Layout(folder, present["corpus.jsonl"], present["queries.jsonl"], _find_labels(folder, findings))


def _find_labels(folder: Path, findings: Findings) -> dict[str | None, Path]:
    whole = folder / "qrels.tsv"
    parts = sorted(p for p in folder.glob("qrels/*.tsv") if p.is_file() and not p.name.startswith("."))
    if whole.is_file() and parts:
        findings.add("both-layouts", "qrels.tsv", what=f"and qrels/{parts[0].name}")
        return {}
    if whole.is_file():
        return {None: whole}
    if not parts:
        findings.add("missing-labels", "qrels.tsv")
    return {part.stem: part for part in parts}


def read_lines(
    path: Readable, findings: Findings, *, file: str, blanks: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield (place, line) of a UTF-8 file; blank lines are counted, lines that are not UTF-8 are findings.

    **Conventions** Only LF ends a line (U+2028 and the like may stand in a text); one BOM at the start of the
    file and one CR at the end of a line are removed and counted.

    Args:
        path: the file.
        findings: takes what is wrong.
        file: the file's name in findings, relative to the dataset.
        blanks: yield blank lines, too: they are part of a text.
    """
    try:
        stream = open_bytes(path)
    except OSError as error:
        findings.add("missing-file", file, what=error.strerror or "")
        return
    with stream:
        for number, raw in enumerate(raw_lines(stream, file), start=1):
            where = f"{file}:{number}"
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                byte = f"byte {raw[error.start]:#04x} at position {error.start}"
                findings.add("not-utf8", where, what=byte)
                continue
            if number == 1 and line.startswith(_BOM):
                findings.add("bom-removed", where)
                line = line[1:]
            if line in _BLANK:
                if blanks:
                    yield where, ""
                else:
                    findings.add("blank-line", where)
                continue
            line = line.removesuffix("\n")
            if line[-1] == "\r":
                findings.add("cr-removed", where)
                line = line[:-1]
            yield where, line


def read_objects(path: Readable, findings: Findings, *, file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (place, object) of a JSONL file; lines that are no JSON object are findings (`read_records`)."""
    return ((where, record) for where, _, record in read_records(path, findings, file=file))


def read_records(
    path: Readable, findings: Findings, *, file: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (place, line, object) of a JSONL file; lines that are no JSON object are findings.

    **Conventions** Strict JSON: NaN and Infinity are refused. Half a surrogate pair is refused:
    no UTF-8 file could hold it. A key twice in one object is refused at any depth: the decoder hands over the
    pairs of every object, after it has undone the escapes of their keys, and their number must survive in the
    object.
    """
    repeated: list[str] = []

    def to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            repeated.extend(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        return members

    decode = json.JSONDecoder(object_pairs_hook=to_object, parse_constant=_refuse_constant).decode
    for where, line in read_lines(path, findings, file=file):
        repeated.clear()
        try:
            record = decode(line)
        except (ValueError, RecursionError) as error:
            findings.add("bad-json", where, what=_reason(error))
            continue
        if not isinstance(record, dict):
            findings.add("not-an-object", where, what=line)
        elif repeated:
            for name in repeated:
                findings.add("repeated-key", where, what=f"key {name!r}")
        elif ("\\ud" in line or "\\uD" in line) and _has_lone_surrogate(record):
            findings.add("lone-surrogate", where)
        else:
            yield where, line, record


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _has_lone_surrogate(record: dict[str, Any]) -> bool:
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
