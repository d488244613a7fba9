"""The examples of the docstrings."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["datasets.lint.ids", "datasets.opened", "datasets.trec", "report.readable"])
def test_examples(name):
    outcome = doctest.testmod(import_module(f"vara.{name}"))
    assert outcome.attempted
    assert not outcome.failed
