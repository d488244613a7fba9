"""The story of `vara compare A B`: find both arms, say what differs, then compare them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from flows.arm_data import changed_since, dataset_of
from flows.arms import Source, sources
from flows.revisions import is_unchanged, last_change
from flows.tested import n_tested
from flows.workspace import Workspace
from tasks.evaluate import REPORTED_ON
from vara.datasets.dataset import Dataset
from vara.datasets.differences import differences
from vara.errors import Failure, Problem
from vara.quality.comparison import FEWEST
from vara.quality.predictions import Prediction, judged, read_predictions
from vara.report.arm import METRICS
from vara.report.comparison import Comparison, Foretold, compared
from vara.yaml import load_yaml, read_text


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of two arms.

    Attributes:
        a: the arm that is there, by name.
        b: the arm that might replace it.
        split: None means test, or what there is.
        system: first_stage, reranked or bm25.
        data: whether the datasets are read and compared, too.
        predictions: a file that was written before B was run.
    """

    a: str
    b: str
    split: str | None = None
    system: str = "reranked"
    data: bool = False
    predictions: Path | None = None


def answer(workspace: Workspace, question: Question) -> Comparison:
    """Compare two arms; settings are run first.

    Raises:
        Problem: an arm, a file or a dataset that is missing, damaged or ambiguous.
    """
    predicted = _predicted(question.predictions)
    a, b = sources(workspace, question.a, question.b)
    left, right = a.arm(workspace), b.arm(workspace)
    found = compared(left, right, split=question.split, system=question.system)
    if found.split == REPORTED_ON:
        found = replace(found, tested=n_tested(workspace, right.metrics))
    if question.data:
        found = _with_data(found, dataset_of(workspace, a, left), dataset_of(workspace, b, right))
    if question.predictions is not None:
        values = [
            {query: row.values for query, row in arm.rows(found.split, found.system).items()}
            for arm in (left, right)
        ]
        told = [Foretold(str(one), *judged(one, found.measured, *values)) for one in predicted]
        found = replace(found, predictions=told, written=_written(workspace, question.predictions, b))
    return found


def refuse_regression(found: Comparison) -> None:
    """Raise where B is worse, or where nobody could have told: what cannot fail is no pass.

    Raises:
        Failure: the primary measure is significantly lower in B.
        Problem: no verdict is given, or this few queries cannot show a regression.
    """
    one = found.deciding
    if found.verdict == "regression" and one is not None:
        drop = f"{one.measure} fell from {one.a:.4f} to {one.b:.4f}"
        remedy = "Look at the biggest movers: vara show QUERY."
        raise Failure("comparison", drop, expected="no regression", where=found.b.place, remedy=remedy)
    if found.verdict in ("not comparable", "not measured"):
        remedy = "Run both arms on the same labels and definitions, then compare."
        raise Problem("comparison", f"{found.verdict}: no regression could be seen", remedy=remedy)
    if found.n < FEWEST:
        few = f"{found.n} queries in common: no regression could be seen"
        raise Problem("comparison", few, expected=f"{FEWEST} or more", remedy="Label more queries.")


def _with_data(found: Comparison, a: Dataset, b: Dataset) -> Comparison:
    """Add what differs between the datasets, and whether one is no longer what its arm was run on."""
    lines = [
        f"{side}'s {', '.join(changed)} changed since its numbers were made"
        for side, arm, dataset in (("A", found.a, a), ("B", found.b, b))
        if (changed := changed_since(arm, dataset))
    ]
    return replace(found, data=differences(a, b), warnings=[*found.warnings, *lines])


def _predicted(path: Path | None) -> list[Prediction]:
    if path is None:
        return []
    tree = load_yaml(read_text(path, "Write it before the run."), str(path))
    return read_predictions(tree, str(path))


def _written(workspace: Workspace, predictions: Path, b: Source) -> str:
    """Say whether the predictions are older than B's numbers: by commit where git has them so, else by file time."""
    wrote, how = _when(workspace.root, predictions.absolute())
    if b.commit is not None:
        made = last_change(workspace.root, b.commit, METRICS)
    else:
        made, _ = _when(workspace.root, (b.folder or workspace.root) / METRICS)
    day = datetime.fromtimestamp(wrote, UTC).strftime("%Y-%m-%d %H:%M UTC")
    if made is not None and wrote <= made:
        return f"Written before B's numbers were made ({how} {day})."
    return f"NOT WRITTEN BEFORE B'S NUMBERS WERE MADE ({how} {day}): these are no predictions."


def _when(root: Path, path: Path) -> tuple[int, str]:
    if is_unchanged(root, str(path)):
        committed = last_change(root, "HEAD", str(path))
        if committed is not None:
            return committed, "committed"
    return int(path.stat().st_mtime), "not committed, written"
