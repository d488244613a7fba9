"""`make accept` writes nothing that the changelog does not explain."""

from __future__ import annotations

import doctest

import pytest

from tests.verify import accept
from tests.verify.accept import explained

CHANGELOG = """# Changelog
## Unreleased
### Added
- MED is mentioned here.
### Numbers
- SciFact and xquad-es: the terms are others.
### Fixed
- cisi
## 0.1.0
### Numbers
- Cranfield
"""


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(accept) == (0, 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [("scifact", True), ("xquad-es", True), ("med", False), ("cisi", False), ("cranfield", False)],
)
def test_only_a_line_under_unreleased_numbers_explains(name: str, said: bool) -> None:
    assert explained(name, CHANGELOG) is said
