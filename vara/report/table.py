"""The result table: a few measures of every system, read from metrics/evaluate.json, never typed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vara.errors import Problem, examples

SYSTEMS = {"first_stage": "first stage", "reranked": "reranked", "bm25": "BM25 baseline"}
"""Systems in the order of the table, and what they are called there."""

_START, _END = "<!-- results:start -->", "<!-- results:end -->"


def read_metrics(path: Path, *, command: str = "dvc repro") -> dict[str, Any]:
    """Return a metric file.

    Args:
        path: the file.
        command: what makes it, for messages.

    Raises:
        Problem: it has not been made yet, or is no JSON object.
    """
    try:
        metrics = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise Problem(str(path), "not made yet", remedy=f"Run `{command}` first.") from None
    except (ValueError, RecursionError):
        raise Problem(
            str(path), "not valid JSON", remedy=f"Restore it with git, or run `{command}`."
        ) from None
    if not isinstance(metrics, dict):
        raise _other_form(path, "no JSON object", "names and values")
    return metrics


def headline(path: Path) -> list[dict[str, str]]:
    """Return the rows of the result table: one a split and system, each value with its 95 % interval.

    The columns are RR and R at the first cutoff, nDCG at the middle one and R at the last one.

    Args:
        path: metrics/evaluate.json.

    Raises:
        Problem: the file is missing or no JSON object, or lacks a number that the table needs.
    """
    metrics = read_metrics(path)
    _check(path, metrics)
    rows = []
    for split in splits(metrics):
        for system, title in SYSTEMS.items():
            row = {"split": split, "system": title}
            for measure in columns(metrics):
                row[measure] = interval(metrics, f"{split}.{system}.{measure}")
            row["queries"] = str(metrics[f"{split}.n_evaluated"])
            rows.append(row)
    return rows


def reasons(path: Path) -> list[str]:
    """Return why values of the result table are null, in its order: "test reranked: the run holds no document …".

    Args:
        path: metrics/evaluate.json.

    Raises:
        Problem: the file is missing or no JSON object.
    """
    metrics = read_metrics(path)
    places = {
        key: f"{split} {title}".rstrip()
        for split in splits(metrics)
        for key, title in (
            (f"{split}.reason", ""),
            *((f"{split}.{system}.reason", title) for system, title in SYSTEMS.items()),
        )
    }
    return [f"{place}: {metrics[key]}" for key, place in places.items() if key in metrics]


def outdated(path: Path, flat: Mapping[str, Any]) -> list[str]:
    """Return in words which parameters have changed since a metric file was made: "pool.depth 20 (now 10)".

    Args:
        path: metrics/evaluate.json.
        flat: the present parameters by dotted name.

    Raises:
        Problem: the file is missing or no JSON object, or its systems have no settings by name.
    """
    systems = read_metrics(path).get("systems", {})
    if not isinstance(systems, dict) or not all(isinstance(one, dict) for one in systems.values()):
        raise _other_form(path, "systems of another form", "the settings of each")
    made = {
        name: value
        for name in flat
        for system, sections in (("pool", ("embed", "pool")), ("reranked", ("rerank",)))
        if name.partition(".")[0] in sections
        and (value := systems.get(system, {}).get(name.partition(".")[2], flat[name])) != flat[name]
    }
    return [f"{name} {value} (now {flat[name]})" for name, value in made.items()]


def splits(metrics: Mapping[str, Any]) -> list[str]:
    """Return the splits of a metric file, test first."""
    names = [key.removesuffix(".n_queries") for key in metrics if key.endswith(".n_queries")]
    return sorted(names, key=lambda name: (name != "test", name))


def columns(metrics: Mapping[str, Any]) -> list[str]:
    """Return the measures of the headline, for whatever cutoffs were measured."""
    starts = [f"{split}.first_stage.P@" for split in splits(metrics)]
    ends = (key.removeprefix(start) for start in starts for key in metrics if key.startswith(start))
    cuts = sorted({int(end) for end in ends if end.isdecimal()})
    if not cuts:
        return ["RR"]
    middle = cuts[len(cuts) // 2]
    return list(dict.fromkeys([f"RR@{cuts[0]}", f"R@{cuts[0]}", f"nDCG@{middle}", f"R@{cuts[-1]}"]))


def interval(metrics: Mapping[str, Any], key: str) -> str:
    """Return "0.812 [0.740, 0.879]", or "–" where the value is null."""
    value = metrics.get(key)
    if value is None:
        return "–"
    low, high = metrics.get(f"{key}.low"), metrics.get(f"{key}.high")
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} [{low:.3f}, {high:.3f}]"


def markdown(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows as a Markdown table; no rows are no text."""
    if not rows:
        return ""
    names = list(rows[0])
    lines = [names, ["---"] * len(names), *(list(row.values()) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def updated(text: str, table: str, *, where: str) -> str:
    """Return a Markdown document with the table between its two result marks replaced.

    Raises:
        Problem: the marks are missing.
    """
    before, start, rest = text.partition(_START)
    _, end, after = rest.partition(_END)
    if not start or not end:
        raise Problem(where, f"no {_START} … {_END}", remedy="Put both marks where the table belongs.")
    return f"{before}{_START}\n{table}\n{_END}{after}"


def _check(path: Path, metrics: Mapping[str, Any]) -> None:
    """Refuse a metric file without splits, or without a number (or null) for each cell of the table."""
    names = splits(metrics)
    if not names:
        raise _other_form(path, "no split", "its counts (SPLIT.n_queries)")
    bad = []
    for split in names:
        if not is_number(metrics.get(f"{split}.n_evaluated")):
            bad.append(f"{split}.n_evaluated")
        for key in (f"{split}.{system}.{measure}" for system in SYSTEMS for measure in columns(metrics)):
            cells = [key, *(end for end in (f"{key}.low", f"{key}.high") if end in metrics)]
            null = [cell for cell in cells if cell in metrics and metrics[cell] is None]
            bad += [cell for cell in cells if cell not in null and not is_number(metrics.get(cell))]
    if bad:
        raise _other_form(path, f"no number under {examples(bad)}", "those of every split and system")


def is_number(value: object) -> bool:
    """Return whether a value of a metric file is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _other_form(path: Path, found: str, expected: str) -> Problem:
    return Problem(str(path), f"found {found}", expected=expected, remedy="Run `dvc repro`.")
