"""The code fingerprint: what is a change of meaning, and what is not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from flows.pipeline import STEPS
from vara.artifacts.code import CODE, DISTRIBUTIONS, PLUMBING, ROOMS, closure

SOURCE = '''
"""A module."""
import numpy as np
from vara.ranks import order

LIMIT = 3  # documents

def first(xs, watch):
    """Return the first ones."""
    if not xs:
        raise ValueError("nothing there")
    watch.note("looking")
    return order(xs)[:LIMIT]
'''


def write(root: Path, **modules: str) -> Path:
    for name, text in modules.items():
        path = root.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def meaning(root: Path, source: str, ranks: str = "def order(xs): return sorted(xs)") -> dict[str, str]:
    write(root, tasks__first=source, vara__ranks=ranks, vara____init__="")
    return closure("tasks.first", root).meaning


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# documents", "# of them"),
        ('"""A module."""', '"""Another text."""'),
        ('"""Return the first ones."""', ""),
        ('"nothing there"', 'f"no {xs}"'),
        ('"looking"', '"still looking"'),
        ("[:LIMIT]", "[ : LIMIT ]"),
    ],
    ids=["comment", "module docstring", "docstring removed", "error text", "note", "formatting"],
)
def test_text_for_people_is_no_change(tmp_path: Path, old: str, new: str) -> None:
    assert old in SOURCE
    assert meaning(tmp_path, SOURCE) == meaning(tmp_path, SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("if not xs", "if xs is None"),
        ("raise ValueError", "raise KeyError"),
        ("watch.note", "watch.progress"),
        ("order(xs)[", "order(xs, 1)["),
    ],
)
def test_a_change_of_meaning_is_one(tmp_path: Path, old: str, new: str) -> None:
    assert old in SOURCE
    assert meaning(tmp_path, SOURCE) != meaning(tmp_path, SOURCE.replace(old, new))


def test_the_closure_follows_imports_and_knows_the_libraries(tmp_path: Path) -> None:
    write(
        tmp_path,
        tasks__a="from backends import b\nimport json\ndef f():\n    import polars\n    from vara.c import deep",
        backends__b="import vara.d as d\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch",
        vara__c="import yaml",
        vara__d="",
        vara__unused="import qdrant_client",
    )
    found = closure("tasks.a", tmp_path)
    assert list(found.modules) == ["backends.b", "tasks.a", "vara.c", "vara.d"]
    assert found.imports == ("polars", "yaml")
    assert set(found.versions) == {"polars", "PyYAML"}


def test_a_change_below_reaches_the_top_and_names_its_module(tmp_path: Path) -> None:
    before = meaning(tmp_path, SOURCE)
    after = meaning(tmp_path, SOURCE, "def order(xs): return sorted(xs, reverse=True)")
    assert [name for name in before if before[name] != after[name]] == ["vara.ranks"]


def test_plumbing_is_this_list_and_no_other() -> None:
    # A module may stand here only if no number can depend on it. Think before you change this test.
    assert PLUMBING == (
        "vara",
        "vara.artifacts.aside",
        "vara.artifacts.code",
        "vara.artifacts.execute",
        "vara.artifacts.items",
        "vara.artifacts.ledger",
        "vara.artifacts.memo",
        "vara.artifacts.recipe",
        "vara.artifacts.sqlite",
        "vara.artifacts.step",
        "vara.artifacts.store",
        "vara.errors",
        "vara.params",
        "vara.sections",
        "vara.watch",
        "vara.yaml",
    )


def sources() -> list[Path]:
    return [path for room in ROOMS for path in sorted((CODE / room).rglob("*.py"))]


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(CODE).as_posix())
def test_no_import_hides_from_the_fingerprint(path: Path) -> None:
    """No import by name, no code from text: the closure could not see it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            assert name not in {
                "__import__",
                "importlib.import_module",
                "import_module",
                "exec",
                "eval",
                "runpy.run_path",
            }


def test_every_import_has_a_distribution() -> None:
    from importlib import metadata

    for step in STEPS:
        for name in closure(step.run.__module__, CODE).imports:
            assert metadata.version(DISTRIBUTIONS.get(name, name))
