"""Are the test queries like those that people type? Without a log nothing is said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from vara.datasets.beir import read_lines
from vara.datasets.findings import Findings
from vara.datasets.opened import bare_name
from vara.errors import Problem

_FIELDS = ("text", "query", "user_query")
_WORD = re.compile(r"\w+").findall


def read_log(path: Path) -> list[str]:
    """Return the queries of a log: a line each, or the field text, query or user_query of each JSON object.

    **Conventions** A name that ends with .jsonl or .ndjson (.gz) holds objects; those without such a field are
    passed over, as are blank lines.

    Raises:
        Problem: it cannot be read, or holds no query.
    """
    findings = Findings()
    lines = (line for _, line in read_lines(path, findings, file=path.name))
    objects = Path(bare_name(path)).suffix in (".jsonl", ".ndjson")
    found = list(_fields(lines) if objects else (line.strip() for line in lines if line.strip()))
    if (missing := next((one for one in findings.all() if one.code == "missing-file"), None)) is not None:
        why = missing.examples[0].removeprefix(missing.where).strip()
        raise Problem(str(path), why, remedy="Name another file with --log.")
    if not found:
        expected = f"one query a line, or JSON objects with {', '.join(_FIELDS)}"
        raise Problem(str(path), "no query", expected=expected, remedy="Name another file with --log.")
    return found


def _fields(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            texts = (record[name] for name in _FIELDS if isinstance(record.get(name), str))
            if text := next(texts, "").strip():
                yield text


def check_log(queries: Sequence[str], log: Sequence[str], findings: Findings, *, where: str) -> None:
    """Report test queries of another length, or of other words, than those of a log.

    **Definition** Words are runs of letters and digits, in lower case. Length: the medians of words a query
    differ by a factor of two or more. Words: more than half of the distinct words of the test queries stand in
    no query of the log. (The other direction would grow with the log alone.)

    Args:
        queries: texts of the test queries.
        log: texts of what people typed.
        findings: takes what is found.
        where: the log's name.
    """
    ours = [_WORD(text.lower()) for text in queries]
    theirs = [_WORD(text.lower()) for text in log]
    if not ours or not theirs:
        return
    one, other = median(map(len, ours)), median(map(len, theirs))
    if max(one, other) >= 2 * min(one, other):
        findings.add(
            "unlike-log", where, what=f"median words a query: {one:g} in the test set, {other:g} in the log"
        )
    words = {word for text in ours for word in text}
    typed = {word for text in theirs for word in text}
    if 2 * len(words - typed) > len(words):
        what = f"words of the test set that nobody typed: {len(words - typed)} of {len(words)}"
        findings.add("unlike-log", where, what=what)
