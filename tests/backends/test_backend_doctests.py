"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from backends import batches, pooling
from backends.lexical import terms
from backends.stores import points, sending


@pytest.mark.parametrize(
    "module", [batches, pooling, points, sending, terms], ids=lambda module: module.__name__
)
def test_examples(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
