"""The story of `vara judge add`: sheets become labels and kept judgments, or nothing is written."""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from flows.whole import write_whole
from vara.datasets.dataset import read_parts
from vara.datasets.findings import Findings, printable, refuse_errors
from vara.datasets.ids import similar_id
from vara.datasets.links import Parts
from vara.errors import Problem, examples
from vara.judgments.agreements import Agreement, agreements
from vara.judgments.annotators import check_annotator
from vara.judgments.files import KEPT, with_judgments, with_labels
from vara.judgments.keys import key_of, read_key
from vara.judgments.merging import Merged, merge
from vara.judgments.sheets import Row, read_sheet

_UNLABELLED = ("missing-labels", "no-labels", "unlabelled-query")
"""What a dataset that gets its first labels may lack."""


@dataclass(frozen=True, slots=True)
class Added:
    """What became of the sheets.

    Attributes:
        merged: labels, judgments, conflicts.
        agreements: of every two annotators, those of earlier sheets included.
        n_blank: rows without a relevance.
        explored: reason → (relevant, judged) of pairs that `judge next` proposed.
    """

    merged: Merged
    agreements: Sequence[Agreement]
    n_blank: int
    explored: dict[str, tuple[int, int]] = field(default_factory=dict)


def add(target: Path, sheets: Sequence[Path], *, annotator: str = "", resolve: Path | None = None) -> Added:
    """Merge sheets into a label file; where there is a conflict nothing is written.

    Args:
        target: qrels.tsv or qrels/<split>.tsv of a dataset; it may be new.
        sheets: judged by somebody.
        annotator: who judged the rows that name nobody.
        resolve: the sheet of a third reading, which decides where annotators differ.

    Raises:
        Problem: a sheet, the dataset or the target is not what it should be.
    """
    read = [(path, read_sheet(path)) for path in sheets]
    rows = [row for _, some in read for row in some]
    third = read_sheet(resolve) if resolve else []
    explored = _explored(read)
    added = add_rows(target, _judged(rows, annotator), resolved=_judged(third, annotator))
    return replace(added, n_blank=sum(row.relevance is None for row in (*rows, *third)), explored=explored)


def add_rows(target: Path, judged: Sequence[Row], *, resolved: Sequence[Row] = ()) -> Added:
    """Merge judged rows into a label file and keep them in judgments.csv; where there is a conflict nothing is written.

    **Conventions** Both files appear whole, judgments.csv first; after a crash between the two the same call completes
    the work. Two calls at a time wait for each other.

    Raises:
        Problem: no row is judged, ids are unknown, the dataset breaks a rule, or the target is no label file.
    """
    if not judged:
        raise Problem("judgments", "none", remedy="Fill in the column relevance, then add the sheet.")
    for row in (*judged, *resolved):
        check_annotator(row.annotator, printable(row.where))
    folder, split = _home(target)
    with _alone(folder):
        parts = parts_of(target)
        _check_known((*judged, *resolved), parts)
        _check_split((*judged, *resolved), parts, split)
        record = target.parent / KEPT
        home, record_home = _behind(target), _behind(record)
        kept = read_sheet(record) if record.is_file() else []
        labels = {(label.query_id, label.doc_id): label for label in parts.labels}
        merged = merge(judged, labels=labels, kept=kept, resolved=resolved)
        found = agreements((*kept, *judged, *resolved))
        if not merged.conflicts:
            said = with_judgments(_text(record), merged.judgments)
            told = with_labels(_text(target), merged.labels) if merged.labels else None
            write_whole(record_home, said.encode())
            if told is not None:
                write_whole(home, told.encode())
    return Added(merged, found, n_blank=0)


def refuse_conflicts(added: Added, target: Path) -> None:
    """Raise where judgments contradict each other or a label.

    Raises:
        Problem: they do; three are named.
    """
    found = added.merged.conflicts
    if found:
        what = (
            f"{len(found)} conflict{'s' * (len(found) > 1)}:\n  "
            + "\n  ".join(found)
            + "\nNothing was written"
        )
        remedy = "Let a third reading decide (--resolve SHEET); a label that is there only you can take out."
        raise Problem(str(target), what, remedy=remedy)


def _judged(rows: Sequence[Row], annotator: str) -> list[Row]:
    """Return the rows with a relevance, each with its annotator.

    Raises:
        Problem: a row names nobody.
    """
    judged = [replace(row, annotator=row.annotator or annotator) for row in rows if row.relevance is not None]
    nameless = [row.where for row in judged if not row.annotator]
    if nameless:
        found = f"nobody is named in {len(nameless)} judged rows ({examples(nameless)})"
        raise Problem("annotator", found, remedy="Say who judged: --annotator NAME.")
    return judged


def _home(target: Path) -> tuple[Path, str | None]:
    """Return the dataset's folder, and the split of a label file; None for qrels.tsv."""
    if target.name == "qrels.tsv":
        folder, split, other = target.parent, None, next(iter(target.parent.glob("qrels/*.tsv")), None)
    elif target.parent.name == "qrels" and target.suffix == ".tsv":
        folder, split, other = target.parent.parent, target.stem, target.parent.parent / "qrels.tsv"
    else:
        raise Problem(
            str(target),
            "no label file",
            expected="qrels.tsv or qrels/<split>.tsv",
            remedy="Name one with --to.",
        )
    if other is not None and other.is_file():
        raise Problem(str(target), f"the dataset's labels are in {other}", remedy="Name that file with --to.")
    return folder, split


def parts_of(target: Path) -> Parts:
    """Return the dataset that a label file belongs to, which may have no labels yet.

    Raises:
        Problem: the dataset breaks a rule, or the target is no label file.
    """
    folder, _ = _home(target)
    findings = Findings()
    parts = read_parts(folder, findings)
    new = not target.is_file() or not parts.labels
    refuse_errors(folder, [one for one in findings.all() if not (new and one.code in _UNLABELLED)])
    return parts


def _check_known(rows: Sequence[Row], parts: Parts) -> None:
    bad = []
    for row in rows:
        for kind, name, known in (
            ("query", row.query_id, parts.query_ids),
            ("document", row.doc_id, parts.doc_ids),
        ):
            if name not in known:
                similar = similar_id(name, known)
                there = f", but there is {printable(similar)}" if similar else ""
                bad.append(f"{printable(row.where)} {kind} {printable(name)}{there}")
    if bad:
        remedy = "Spreadsheets change ids such as 001 and 1e5: read the columns query_id and doc_id as text."
        raise Problem("judgments", f"{len(bad)} unknown ids ({examples(bad)})", remedy=remedy)


def _check_split(rows: Sequence[Row], parts: Parts, split: str | None) -> None:
    """Refuse a query whose split is another one than that of the label file."""
    if split is None:
        return
    own = {label.query_id: label.split for label in parts.labels}
    own |= {name: home for name, home in parts.queries.select("query_id", "split").iter_rows() if home}
    foreign = [
        printable(f"{row.where} query {row.query_id} of {own[row.query_id]}")
        for row in rows
        if own.get(row.query_id, split) != split
    ]
    if foreign:
        remedy = "Add each split's sheet to its own file."
        raise Problem("judgments", f"{len(foreign)} of another split ({examples(foreign)})", remedy=remedy)


def _explored(read: Sequence[tuple[Path, Sequence[Row]]]) -> dict[str, tuple[int, int]]:
    """Return, by why a pair was proposed, how many of the judged ones have a grade above 0.

    Raises:
        Problem: a sheet's key is none.
    """
    judged, relevant = Counter[str](), Counter[str]()
    for path, rows in read:
        why = read_key(key_of(path))
        for row in rows:
            if row.relevance is not None and row.pair in why:
                judged[why[row.pair]] += 1
                relevant[why[row.pair]] += row.relevance > 0
    return {reason: (relevant[reason], n) for reason, n in sorted(judged.items())}


def _behind(path: Path) -> Path:
    """Return the file behind a link, so that the link stays when the file is replaced.

    Raises:
        Problem: it is write-protected, as in DVC's cache, or the link leads nowhere.
    """
    try:
        found = path.resolve()
    except RuntimeError:
        raise Problem(
            str(path), "a link that leads back to itself", remedy="Remove it, or link a file."
        ) from None
    if path.is_symlink() and found.is_file() and not found.stat().st_mode & 0o200:
        remedy = "Make it a file of its own (`dvc unprotect` where DVC linked it), then add again."
        raise Problem(str(path), "a link to a file that is write-protected", where=str(found), remedy=remedy)
    return found


def _text(path: Path) -> str:
    return path.read_bytes().decode() if path.is_file() else ""


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the dataset's folder, so that two merges never miss each other's lines."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        found = error.strerror or "cannot be read"
        raise Problem(str(folder), found, remedy="Name a label file in a dataset's folder.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
