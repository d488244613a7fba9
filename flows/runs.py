"""Evaluate run files of any system against labels: read, measure, lay out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vara.datasets.findings import Findings, refuse
from vara.datasets.ids import Ids
from vara.datasets.qrels import Judgments, read_qrels
from vara.datasets.queries import query_rows
from vara.datasets.runs import RunFile, read_run
from vara.datasets.tables import to_frame
from vara.quality.measures import parse_all
from vara.quality.runs import RunsEvaluation, Spread, evaluate_runs
from vara.quality.split import Settings

SEED = 42
MIN_GROUP = 5
"""The shipped `seed` and `evaluate.min_group`: run files belong to no workspace."""
GROUPS = ("language", "category")


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What was measured, and what the files were like."""

    found: RunsEvaluation
    judgments: Judgments
    notices: tuple[str, ...]


def evaluate(
    run_paths: Sequence[Path], qrels_path: Path, names: str, *, queries: Path | None, min_relevance: int
) -> Evaluated:
    """Measure every run file.

    Args:
        run_paths: at least one.
        qrels_path: the labels.
        names: of measures, "nDCG@10 RR R@20".
        queries: queries.jsonl, whose language and category make groups.
        min_relevance: grade from which a document counts as relevant.

    Raises:
        Problem: a file or a measure's name that is wrong.
    """
    measures = parse_all(names)
    judgments = read_qrels(qrels_path)
    groups = _groups(queries) if queries else {}
    runs = dict(_named(run_paths))
    settings = Settings(cutoffs=(), min_relevance=min_relevance, min_group=MIN_GROUP, seed=SEED, depth=1)
    scores = {name: run.scores for name, run in runs.items()}
    found = evaluate_runs(scores, judgments.qrels, measures, settings=settings, groups=groups)
    read = (notice for run in runs.values() for notice in run.notices)
    return Evaluated(found, judgments, (*judgments.notices, *read, *found.notices))


def _named(paths: Sequence[Path]) -> list[tuple[str, RunFile]]:
    """Name each run by its file, or by its path where two files have one name."""
    names = [path.name for path in paths]
    return [
        (path.name if names.count(path.name) == 1 else str(path), read_run(path))
        for path in dict.fromkeys(paths)
    ]


def _groups(path: Path) -> Mapping[str, Mapping[str, str]]:
    findings = Findings()
    table = to_frame("queries", query_rows(path, findings, ids=Ids(findings)))
    refuse(f"queries {path.name}", findings.all(), done="Nothing was measured")
    rows = table.select("query_id", *GROUPS).iter_rows(named=True)
    return {
        row["query_id"]: {field: row[field] for field in GROUPS if row[field] is not None} for row in rows
    }


def as_json(evaluated: Evaluated) -> dict[str, Any]:
    """Return the form that other programs rely on, `runs` and `counts`; what else is known stands beside them."""
    found = evaluated.found
    labels = {"n_unjudged": evaluated.judgments.n_unjudged, "n_repeated": evaluated.judgments.n_repeated}
    groups = {
        name: {
            "n": group.n,
            "runs": group.values,
            **({} if group.values else {"reason": f"too few: n={group.n}"}),
        }
        for name, group in found.groups.items()
    }
    return {
        "runs": found.values,
        "counts": {**found.counts, **labels, "by_run": found.by_run},
        "intervals": {
            run: {name: asdict(one) for name, one in row.items()} for run, row in found.spreads.items()
        },
        "groups": groups,
        "notices": list(evaluated.notices),
    }


def rows(evaluated: Evaluated) -> list[dict[str, str]]:
    """Return the table for a person: a row a run and measure."""
    found = evaluated.found
    return [
        {
            "run": run,
            "measure": measure,
            "value": _shown(value),
            "95 % interval": _interval(found.spreads[run][measure]),
            "p5": _shown(found.spreads[run][measure].p5),
            "queries": str(found.counts["n_evaluated"]),
            "missing": str(found.by_run[run]["n_missing"]),
        }
        for run, row in found.values.items()
        for measure, value in row.items()
    ]


def group_rows(evaluated: Evaluated) -> list[dict[str, str]]:
    """Return the table of groups: a row a group and run, a column a measure."""
    found = evaluated.found
    return [
        {
            "group": name,
            "queries": str(group.n),
            "run": run,
            **{
                measure: _shown(group.values[run][measure]) if group.values else "too few"
                for measure in found.values[run]
            },
        }
        for name, group in found.groups.items()
        for run in found.values
    ]


def summary(evaluated: Evaluated) -> str:
    """Return the counts in words."""
    counts = evaluated.found.counts
    return (
        f"{counts['n_queries']} labelled queries: {counts['n_evaluated']} evaluated, "
        f"{counts['n_unanswerable']} without a relevant document, {counts['n_missing']} missing in some run; "
        f"{counts['n_relevant']} relevant documents"
    )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _interval(spread: Spread) -> str:
    return "–" if spread.low is None or spread.high is None else f"[{spread.low:.4f}, {spread.high:.4f}]"
