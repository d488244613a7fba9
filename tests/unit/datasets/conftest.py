"""Fixtures that write the sound dataset with changes: {file: content, or None to leave it out}."""

from __future__ import annotations

import pytest

from tests.unit.datasets.sound_dataset import write_dataset
from vara.datasets.dataset import read_dataset
from vara.datasets.findings import one_line


@pytest.fixture
def build(tmp_path):
    """Return the folder of the dataset."""
    return lambda changes: write_dataset(tmp_path / "mini", changes)


@pytest.fixture
def lint(build):
    """Return the dataset's findings, one line each."""
    return lambda changes: [one_line(finding) for finding in read_dataset(build(changes)).findings]
