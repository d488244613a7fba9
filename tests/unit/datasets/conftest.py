"""Fixtures that write the sound dataset with changes: {file: content, or None to leave it out}."""

from __future__ import annotations

import pytest

from tests.unit.datasets.sound_dataset import write_dataset
from vara.datasets.dataset import read_dataset
from vara.datasets.findings import one_line
from vara.datasets.lint.check import check_dataset
from vara.datasets.lint.rules import LINT

SMALL = {"small-corpus", "few-queries", "one-relevant"}  # what every dataset of a few lines is


@pytest.fixture
def build(tmp_path):
    """Return the folder of the dataset."""
    return lambda changes: write_dataset(tmp_path / "mini", changes)


@pytest.fixture
def lint(build):
    """Return the dataset's findings, one line each."""
    return lambda changes: [one_line(finding) for finding in read_dataset(build(changes)).findings]


@pytest.fixture
def check(build):
    """Return {code: (count, examples)} of what check alone finds in the sound dataset with changes."""

    def call(changes, **options):
        checked = check_dataset(build(changes), min_group=2, **options)
        own = {rule.code for rule in LINT}
        return {one.code: (one.count, *one.examples) for one in checked.findings if one.code in own - SMALL}

    return call
