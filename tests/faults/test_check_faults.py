"""`vara check` says of each broken dataset what the validate step says, and more; it never ends in a traceback."""

from __future__ import annotations

import pytest

from flows.check import as_json, as_text
from tests.faults.dataset_cases import CASES, ENDING
from vara.datasets.lint.check import check_dataset


def blocks(report: str) -> dict[str, str]:
    """Return {first line: block} of a report; a block is a finding with its examples."""
    found: list[list[str]] = []
    for line in report.splitlines():
        if line.startswith("  ") and not line.startswith("      "):
            found.append([])
        if found:
            found[-1].append(line)
    return {lines[0]: "\n".join(lines) for lines in found}


def test_there_are_thirty() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 30


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_check_finds_what_validate_refuses(case, tmp_path):
    folder = case.build(tmp_path)
    checked = check_dataset(folder, min_group=5)
    assert not checked.sound
    said = blocks(as_text(folder, checked))
    refused = blocks(case.message_for(folder).removesuffix(ENDING).split(":\n", 1)[1])
    assert refused.items() <= said.items()
    errors = [one for one in as_json(checked)["findings"] if one["severity"] == "error"]
    assert len(errors) == sum(line.startswith("  error ") for line in refused)


def test_errors_come_first(tmp_path):
    for number, case in enumerate(CASES):
        checked = check_dataset(case.build(tmp_path / str(number)), min_group=5)
        severities = [one.severity for one in checked.findings]
        assert severities == sorted(severities, key=("error", "warning", "notice").index)
