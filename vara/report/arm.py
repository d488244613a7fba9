"""One arm of a comparison, read from the files that a run commits; where they come from is the caller's business."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vara.errors import Problem, examples
from vara.objects import json_object
from vara.yaml import load_yaml

METRICS, QUERIES, PARAMS, LATENCY = (
    "metrics/evaluate.json",
    "plots/per_query.csv",
    "params.yaml",
    "lab/metrics/latency.json",
)
Files = Callable[[str], bytes | None]
"""A committed file's bytes by its path in the workspace; None where there is none."""

_AGAIN = "Restore it with git, or run `dvc repro` there."
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?(e-[0-9]+)?", re.ASCII).fullmatch
_COUNTS = ("n_relevant", "n_relevant_in_pool", "first_relevant_rank")


@dataclass(frozen=True, slots=True)
class Row:
    """What a system made of one query.

    Attributes:
        n_relevant: relevant documents that the query may see.
        n_found: how many of them are among the documents that the system ranks (its pool).
        first_rank: of the first relevant one, from 1; None where none was found.
        values: measure → value; None where the system shows no document for any query.
    """

    n_relevant: int
    n_found: int
    first_rank: int | None
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One side of a comparison.

    Attributes:
        name: as it was asked for.
        place: what that means: a commit, a folder.
        metrics: the metric file.
        table: the table of queries, as text.
        params: the parameters by dotted name, as they stand beside the numbers.
        latency: what the lab measured; None where it measured nothing.
    """

    name: str
    place: str
    metrics: Mapping[str, Any]
    table: str = field(repr=False)
    params: Mapping[str, Any]
    latency: Mapping[str, Any] | None

    @property
    def title(self) -> str:
        """Return the name, and what it means where that is something else."""
        return self.name if self.name == self.place else f"{self.name} ({self.place})"

    def rows(self, split: str, system: str) -> dict[str, Row]:
        """Return query_id → row of one system on one split; none are an empty mapping.

        Raises:
            Problem: the table lacks a column, or holds what is no number.
        """
        columns, *lines = list(csv.reader(io.StringIO(self.table))) or [[]]
        missing = [name for name in ("split", "query_id", "system", *_COUNTS) if name not in columns]
        twice = sorted({name for name in columns if columns.count(name) > 1})
        if missing or twice:
            raise self._damaged(
                f"no column {examples(missing)}" if missing else f"{examples(twice)} stands twice"
            )
        measures = [name for name in columns if "@" in name or name == "RR"]
        rows: dict[str, Row] = {}
        for number, line in enumerate(lines, start=2):
            row = dict(zip(columns, line, strict=False))
            if len(line) == len(columns) and (row["split"], row["system"]) != (split, system):
                continue
            name, read = row.get("query_id", ""), _row(row, measures)
            if read is None or name in rows or len(line) != len(columns):
                raise self._damaged(f"line {number} is cut off, repeated, or holds what is no share or count")
            rows[name] = read
        return rows

    def _damaged(self, found: str) -> Problem:
        return Problem(QUERIES, found, where=self.place, remedy=_AGAIN)


def read_arm(name: str, place: str, files: Files) -> Arm:
    """Read an arm from its committed files.

    Args:
        name: as it was asked for.
        place: what that means, for messages.
        files: returns a file's bytes.

    Raises:
        Problem: a file that a run makes is missing or damaged.
    """
    table = _text(QUERIES, place, _needed(QUERIES, place, files))
    params = load_yaml(_text(PARAMS, place, _needed(PARAMS, place, files)), f"{PARAMS} of {place}")
    latency = files(LATENCY)
    return Arm(
        name=name,
        place=place,
        metrics=json_object(_needed(METRICS, place, files), METRICS, where=place, remedy=_AGAIN),
        table=table,
        params=flat(params),
        latency=None if latency is None else json_object(latency, LATENCY, where=place, remedy=_AGAIN),
    )


def flat(tree: Any, start: str = "") -> dict[str, Any]:
    """Return the leaves of sections by dotted name; a section inside a section is a value.

    Example:
        >>> flat({"seed": 1, "pool": {"depth": 20, "filter": {"product": "web"}}})
        {'seed': 1, 'pool.depth': 20, 'pool.filter': {'product': 'web'}}
    """
    leaves: dict[str, Any] = {}
    for key, value in tree.items() if isinstance(tree, dict) else ():
        if isinstance(value, dict) and not start:
            leaves |= flat(value, f"{key}.")
        else:
            leaves[f"{start}{key}"] = value
    return leaves


def _row(row: Mapping[str, str], measures: Sequence[str]) -> Row | None:
    """Return a row's numbers; None where one of them is missing, no count, or no share."""
    counts = [row.get(name, "") for name in _COUNTS]
    shares = {name: row.get(name) for name in measures}
    if not (all(map(_is_count, counts[:2])) and (not counts[2] or _is_count(counts[2]))):
        return None
    if not all(text is not None and (not text or _is_share(text)) for text in shares.values()):
        return None
    values = {name: float(text) if text else None for name, text in shares.items()}
    return Row(int(counts[0]), int(counts[1]), int(counts[2]) if counts[2] else None, values)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _is_share(text: str) -> bool:
    """Return whether a text is a plain decimal from 0 to 1, as runs write it."""
    return _DECIMAL(text) is not None and 0 <= float(text) <= 1


def _needed(path: str, place: str, files: Files) -> bytes:
    content = files(path)
    if content is None:
        remedy = "Run `dvc repro` there and commit what it writes, or choose a run that has it."
        raise Problem(path, "no such file", where=place, remedy=remedy)
    return content


def _text(path: str, place: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise Problem(path, "not UTF-8", where=place, remedy="Restore it with git.") from None
