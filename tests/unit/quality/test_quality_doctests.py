"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

from vara import quality

MODULES = sorted(path.stem for path in Path(quality.__file__).parent.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    outcome = doctest.testmod(import_module(f"vara.quality.{name}"))
    assert outcome.failed == 0
