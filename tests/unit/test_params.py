"""Parameters: every mistake in one message, with what was meant."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from tests.conftest import ROOT
from vara import params
from vara.errors import Problem
from vara.sections import flatten

SHIPPED = params.load(ROOT / "params.yaml")


def test_the_shipped_file_has_the_promised_keys() -> None:
    assert SHIPPED.pool.depth == 20
    assert SHIPPED.evaluate.cutoffs == [5, 10, 20]
    assert list(SHIPPED.flat())[:3] == ["dataset.path", "seed", "embed.model"]


def test_every_key_is_commented() -> None:
    for line in (ROOT / "params.yaml").read_text().splitlines():
        key, _, value = line.partition(":")
        if not key.startswith("#") and value.strip():
            assert " # " in value, line


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("pool.dept=3", "--set problem: unknown parameter 'pool.dept'. Near names: pool.depth, pool.cap."),
        ("pool.depth", "--set problem: 'pool.depth' has no value, expected name=value. Write it like pool.depth=10."),
        ("pool.depth=", "--set problem: pool.depth: input should be a valid integer, found None. Correct the named keys; params.yaml comments each one."),
        ("pool.depth=0", "--set problem: pool.depth: input should be greater than or equal to 1, found 0. Correct the named keys; params.yaml comments each one."),
        ("pool.depth='3'", "--set problem: pool.depth: input should be a valid integer, found '3'. Correct the named keys; params.yaml comments each one."),
        ("rerank.weight=.nan", "--set problem: rerank.weight: input should be a finite number, found nan. Correct the named keys; params.yaml comments each one."),
        ("embed.dtype=int8", "--set problem: embed.dtype: input should be 'float32', 'bfloat16' or 'float16', found 'int8'. Correct the named keys; params.yaml comments each one."),
        ("pool.filter=[", "--set pool.filter problem: not valid YAML (line 1). Correct the line."),
        ("pool.cap=abc", "--set problem: pool.cap: input should be a valid dictionary, found 'abc'. Correct the named keys; params.yaml comments each one."),
        ("pool.cap={x: 1}", "--set problem: pool.cap.x: input should be 'dense', 'bm25' or 'total', found 'x'. Correct the named keys; params.yaml comments each one."),
        ("pool.cap=true", "--set problem: pool.cap: input should be a valid dictionary, found True. Correct the named keys; params.yaml comments each one."),
        ("pool.weights={dense: 1}", "--set problem: pool.weights: dictionary should have at least 2 items after validation, not 1, found {'dense': 1}. Correct the named keys; params.yaml comments each one."),
        ("pool={}", "--set problem: unknown parameter 'pool'. Known names: dataset.path, seed, embed.model and 36 more."),
    ],
)  # fmt: skip
def test_a_wrong_setting_says_what_to_do(setting: str, message: str) -> None:
    with pytest.raises(Problem) as caught:
        params.changed(SHIPPED, params.read_changes([setting]))
    assert str(caught.value) == message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message  # noqa: S301 - our own


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pool.dept": 3}, "unknown parameter 'pool.dept'. Near names: pool.depth, pool.cap."),
        (
            {"pool.depth": 0},
            "pool.depth: input should be greater than or equal to 1, found 0. Correct the named keys; params.yaml comments each one.",
        ),
    ],
)
def test_changes_are_called_what_their_author_calls_them(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Problem) as caught:
        params.changed(SHIPPED, changes, where="parameters")
    assert str(caught.value) == f"parameters problem: {words}"


def test_all_problems_of_a_file_come_at_once(tmp_path: Path) -> None:
    tree: dict[str, Any] = SHIPPED.model_dump()
    tree["pool"]["dept"] = 1
    del tree["seed"]
    tree["rerank"]["weight"] = 2
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(tree))
    with pytest.raises(Problem) as caught:
        params.load(path)
    assert str(caught.value) == (
        "params.yaml problem: missing key 'seed', unknown key 'pool.dept' (Near names: depth), "
        "rerank.weight: input should be less than or equal to 1, found 2. "
        "Correct the named keys; params.yaml comments each one."
    )


def test_settings_take_yaml_values() -> None:
    changed = params.changed(
        SHIPPED, params.read_changes(["pool.filter={product: [web, api]}", "rerank.weight=1", "seed=7"])
    )
    assert changed.pool.filter == {"product": ["web", "api"]}
    assert changed.rerank.weight == 1.0
    assert changed.seed == 7
    assert SHIPPED.pool.filter == {}


@pytest.mark.parametrize(
    ("setting", "caps"),
    [
        ("pool.cap=100", {"dense": 100, "bm25": 100, "total": 100}),
        ("pool.cap={bm25: 50}", {"bm25": 50}),
        ("pool.cap={}", {}),
    ],
)
def test_a_cap_is_one_number_or_one_a_list(setting: str, caps: dict[str, int]) -> None:
    assert params.changed(SHIPPED, params.read_changes([setting])).pool.cap == caps
    assert params.optional()(pool={"cap": params.read_changes([setting])["pool.cap"]}).pool.cap == caps


def test_the_form_has_every_parameter_and_starts_empty() -> None:
    form = params.optional()
    assert flatten(form()).keys() == SHIPPED.flat().keys()
    assert set(flatten(form()).values()) == {None}
    assert flatten(form(pool={"depth": 5}))["pool.depth"] == 5


def test_the_form_says_what_a_value_may_be() -> None:
    sections = params.optional().model_json_schema()["$defs"]

    def field(section: str, name: str) -> Any:
        return sections[f"{section}ParamsChanges"]["properties"][name]["anyOf"]

    nothing = {"type": "null"}
    assert field("Pool", "depth") == [{"type": "integer", "minimum": 1, "maximum": 1_000_000}, nothing]
    assert field("Rerank", "weight") == [{"type": "number", "minimum": 0, "maximum": 1}, nothing]
    assert field("Dataset", "path")[0].items() >= {"type": "string", "minLength": 1}.items()
    cutoffs = {
        "type": "array",
        "minItems": 1,
        "items": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
    }
    assert field("Evaluate", "cutoffs") == [cutoffs, nothing]
    assert field("Pool", "exclude_self") == [{"type": "boolean"}, nothing]


@pytest.mark.parametrize(
    "given", [{"pool": {"depth": 0}}, {"seed": -1}, {"rerank": {"weight": 1.5}}, {"pool": {"dept": 3}}]
)
def test_the_form_refuses_what_params_yaml_would_refuse(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        params.optional()(**given)


def test_a_dump_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text(params.dump(SHIPPED))
    assert params.load(path) == SHIPPED
