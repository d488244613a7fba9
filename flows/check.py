"""Check a dataset: the rules that validate applies, and those that say what a number made of it may not mean."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from flows.workspace import find_workspace
from vara import params as parameters
from vara.datasets.findings import report, totals
from vara.datasets.lint.check import Checked, Tokens, check_dataset
from vara.datasets.lint.log import read_log
from vara.datasets.names import dataset_name
from vara.errors import Problem

MIN_GROUP = 5
"""The shipped `evaluate.min_group`, for folders outside of any workspace."""


def check(folder: Path, *, log: Path | None, tokens: bool) -> Checked:
    """Return what the rules find in a dataset's folder.

    Args:
        folder: the dataset.
        log: queries that people typed.
        tokens: count tokens with the workspace's model, too.

    Raises:
        Problem: the log holds no query; tokens are asked for outside of a workspace.
    """
    queries = (log.name, read_log(log)) if log else None
    counter = _counter() if tokens else None
    return check_dataset(folder, min_group=_min_group(), tokens=counter, log=queries)


def as_json(checked: Checked) -> dict[str, Any]:
    """Return the form that other programs rely on; counts and shares stand beside the findings."""
    findings = [
        {
            "code": one.code,
            "severity": one.severity,
            "count": one.count,
            "examples": list(one.examples),
            "where": one.where,
        }
        for one in checked.findings
    ]
    return {"findings": findings, "counts": checked.counts, "shares": checked.shares}


def as_text(folder: Path, checked: Checked) -> str:
    """Return the report for a person."""
    sizes = ", ".join(f"{n} {name}" for name, n in checked.counts.items())
    head = f"{dataset_name(str(folder))}: {sizes}; {totals(checked.findings) or 'nothing to report'}"
    return "\n".join([head, report(checked.findings, checked.shares)]).rstrip()


def _min_group() -> int:
    try:
        workspace = find_workspace(Path.cwd())
    except Problem:
        return MIN_GROUP
    return parameters.load(workspace.params_path).evaluate.min_group


def _counter() -> Tokens:
    """Return the tokenizer of the workspace's model, after its files were verified."""
    from backends.models import TOKENIZER, load_registry, verify
    from backends.tokens import Tokeniser

    workspace = find_workspace(Path.cwd())
    embed = parameters.load(workspace.params_path).embed
    entry = load_registry(workspace.root / "models.yaml").entry(embed.model)
    folder = verify(entry, _digest)
    return Tokens(Tokeniser(folder / TOKENIZER, entry.prefixes).count, embed.max_length)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
