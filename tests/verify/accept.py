"""`make accept`: measure the known numbers anew and write those that moved, if the changelog says why.

make accept                              # all collections
make accept COLLECTIONS="med scifact"
"""

from __future__ import annotations

import copy
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from flows.tested import n_tested
from flows.workspace import find_workspace
from tests.conftest import ROOT, SHARED
from tests.verify.known import EXPECTED, FOLDER, measured, where_is

HEADER = '# Known numbers of the embedded defaults on {name}. They move only by `make accept` and a line in CHANGELOG.md\n# under "Numbers" that names the collection.\n'  # fmt: skip


def measured_anew(name: str) -> tuple[dict[str, Any], list[str]]:
    """Return a collection's numbers as they are now, and a line for each that moved.

    Beside them stands how many settings the ledger of this repository's store has counted on the same labels.
    """
    now, moved, tested = copy.deepcopy(EXPECTED[name]), [], 0
    with tempfile.TemporaryDirectory() as folder:
        for place, (run, metrics) in enumerate(
            measured(name, where_is(name, SHARED), Path(folder) / "workspace")
        ):
            now["data"] = metrics["data"]
            tested = n_tested(find_workspace(ROOT), metrics)
            for measure, value in run["values"].items():
                if abs(metrics[measure] - value) > run["tolerance"]:
                    moved.append(f"{' '.join(run['settings'])} {measure}: {value} → {metrics[measure]:.4f}")
                    now["runs"][place]["values"][measure] = round(metrics[measure], 4)
    moved += [f"{table}: another digest" for table in now["data"] if now["data"][table] != EXPECTED[name]["data"][table]]  # fmt: skip
    return {**now, "settings_tested": tested}, moved


def explained(name: str, changelog: str) -> bool:
    """Return whether the unreleased numbers of the changelog name a collection.

    Example:
        >>> explained("med", "## Unreleased\\n### Numbers\\n- MED: BM25 counts otherwise.\\n## 0.1.0\\n")
        True
    """
    unreleased = changelog.partition("## Unreleased")[2].partition("\n## ")[0]
    numbers = unreleased.partition("### Numbers")[2].partition("\n### ")[0]
    return re.search(rf"\b{re.escape(name)}\b", numbers, re.IGNORECASE) is not None


def main(names: list[str]) -> int:
    """Return 0, or 2 where a number moved and the changelog does not say why."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    silent = []
    for name in names or list(EXPECTED):
        now, moved = measured_anew(name)
        print(f"{name}: {len(moved)} moved", *moved, sep="\n  ")  # noqa: T201 - a program's answer
        if moved and not explained(name, changelog):
            silent.append(name)
        elif moved:
            text = yaml.safe_dump(now, sort_keys=False, allow_unicode=True, width=110)
            (FOLDER / f"{name}.yaml").write_text(HEADER.format(name=name) + text, encoding="utf-8")
    if silent:
        remedy = 'Add a line to CHANGELOG.md, under "Numbers" of "Unreleased", that names it and says why.'
        sys.stderr.write(f"Not written: {', '.join(silent)}. {remedy}\n")
    return 2 if silent else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
