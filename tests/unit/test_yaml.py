"""YAML as configuration: what no configuration may hold ends in one Problem, never in a traceback."""

from __future__ import annotations

import pytest

from vara.errors import Problem
from vara.yaml import load_yaml


@pytest.mark.parametrize(
    "text",
    ["{[1]: 2}", "{[1, 2]: 2, name: q}", "a: [{{x: 1}: 2}]", "? [a]\n: 1\n", "!!set {[1]: }"],
)
def test_a_list_or_map_is_no_key(text: str) -> None:
    with pytest.raises(Problem) as caught:
        load_yaml(text, "gates.yaml")
    assert str(caught.value) == (
        "gates.yaml problem: a list or map that stands as a key (line 1). Correct the line."
    )


@pytest.mark.parametrize(
    "text", ["!!map [a, b]", "!!map x", "!!set [a]", "!!omap {a: 1}", "!!seq {a: 1}", "a: {<<: {[1]: 2}}"]
)
def test_a_tag_that_does_not_fit_its_value(text: str) -> None:
    with pytest.raises(Problem):
        load_yaml(text, "gates.yaml")


def test_a_plain_key_of_any_kind_is_one() -> None:
    assert load_yaml("{1: a, 1.5: b, false: c, x: d}", "x") == {1: "a", 1.5: "b", False: "c", "x": "d"}
