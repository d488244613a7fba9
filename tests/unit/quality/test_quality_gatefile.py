"""What gates.yaml may say, and every message of what it may not."""

from __future__ import annotations

import pytest
import yaml

from tests.conftest import ROOT
from vara.errors import Problem
from vara.quality.gatefile import Budget, Gate, load_gates

GOOD = """dataset: small
gates:
- name: quality
  metric: test.reranked.nDCG@10
  floor: 0.46
budgets:
- name: over time
  metric: test.reranked.nDCG@10
  target: 0.55
  allowed: 0.1
  window: 10
  when_spent: fail
"""
REMEDY = "Correct the named lines; docs/guides/gates.md describes each key."


def refused(text: str) -> str:
    with pytest.raises(Problem) as caught:
        load_gates(text, "gates.yaml")
    assert caught.value.exit_code == 2
    return str(caught.value)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def test_a_file() -> None:
    found = load_gates(GOOD, "gates.yaml")
    assert found.dataset == "small"
    assert found.gates == [Gate(name="quality", metric="test.reranked.nDCG@10", floor=0.46)]
    assert (found.gates[0].rule, found.gates[0].limit) == ("floor", 0.46)
    assert found.budgets == [Budget(name="over time", metric="test.reranked.nDCG@10", target=0.55, allowed=0.1, window=10, when_spent="fail")]  # fmt: skip


def test_the_shipped_file_and_its_examples() -> None:
    text = (ROOT / "gates.yaml").read_text()
    assert load_gates(text, "gates.yaml").gates
    examples = [line.partition("# ")[2] for line in text.splitlines() if line.startswith("  # - {")]
    assert len(examples) == 4
    found = [yaml.safe_load(one)[0] for one in examples]
    tree = {"dataset": "x", "gates": found[:3], "budgets": [{**found[3]}]}
    assert len(load_gates(yaml.safe_dump(tree), "gates.yaml").gates) == 3


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("46", "46 is no share between 0 and 1; write 0.46 for 46 %"),
        ("1.5", "1.5 is no share between 0 and 1; write 0.015 for 1.5 %"),
        ("146", "146 is no share between 0 and 1"),
        ("-0.1", "-0.1 is negative, expected a share between 0 and 1"),
        (
            "9" * 400,
            "999999999999999999...9999999999999999999 is not finite, expected a share between 0 and 1",
        ),
        (".nan", "nan is not finite, expected a share between 0 and 1"),
        (".inf", "inf is not finite, expected a share between 0 and 1"),
        ("-.inf", "-inf is not finite, expected a share between 0 and 1"),
        ("46%", "'46%' is no number, expected a share between 0 and 1"),
        ("nan", "'nan' is no number, expected a share between 0 and 1"),
        ("'0.46'", "'0.46' is no number, expected a share between 0 and 1"),
        ("true", "True is no number, expected a share between 0 and 1"),
        ("[0.4]", "[0.4] is no number, expected a share between 0 and 1"),
    ],
)
def test_what_is_no_share_is_refused(written: str, said: str) -> None:
    assert refused(changed("0.46", written)) == f"gates.yaml problem: line 5: floor: {said}. {REMEDY}"
    drop = changed("floor: 0.46", f"max_drop: {written}\n  against: v1.0")
    assert f"line 5: max_drop: {said}" in refused(drop)
    assert f"line 9: target: {said}" in refused(changed("0.55", written))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("120", "120 is no ratio between 0 and 10; write 1.2 for 120 %"),
        ("0", "0 is no ratio between 0 and 10"),
        ("-1", "-1 is negative, expected a ratio such as 1.2"),
        (".nan", "nan is not finite, expected a ratio such as 1.2"),
        (".inf", "inf is not finite, expected a ratio such as 1.2"),
        ("120%", "'120%' is no number, expected a ratio such as 1.2"),
    ],
)
def test_what_is_no_ratio_is_refused(written: str, said: str) -> None:
    text = changed("floor: 0.46", f"max_ratio: {written}\n  against: v1.0")
    assert refused(text) == f"gates.yaml problem: line 5: max_ratio: {said}. {REMEDY}"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("0", "allowed: a budget of nothing is a floor; write a gate"),
        ("-0.1", "allowed: -0.1 is negative, expected a sum of shortfalls, above 0"),
        (".inf", "allowed: inf is not finite, expected a sum of shortfalls, above 0"),
        (".nan", "allowed: nan is not finite, expected a sum of shortfalls, above 0"),
    ],
)
def test_what_can_be_no_allowance_is_refused(written: str, said: str) -> None:
    assert f"line 10: {said}" in refused(changed("0.1", written))


def test_a_budget_that_no_window_can_spend_is_refused() -> None:
    """.55 × 10 = 5.5 is what ten readings of 0 burn."""
    said = "line 7: allowed 5.5 can never be spent, expected less than 0.55 × 10 = 5.5"
    assert said in refused(changed("0.1", "5.5"))
    assert load_gates(changed("0.1", "5.4"), "gates.yaml").budgets[0].allowed == 5.4


RULES = [
    ("floor: 0.46", "", "found no rule, expected one of floor, max_drop, max_ratio"),
    ("floor: 0.46", "floor:", "found no rule, expected one of floor, max_drop, max_ratio"),
    ("floor: 0.46", "floor: 0.4\n  max_drop: 0.1", "found floor and max_drop, expected one of floor, max_drop, max_ratio"),
    ("floor: 0.46", "max_drop: 0.1", "max_drop stands with against, found nothing"),
    ("floor: 0.46", "max_ratio: 2", "max_ratio stands with against or over, found nothing"),
    ("floor: 0.46", "max_ratio: 2\n  against: a\n  over: b", "max_ratio stands with against or over, found against and over"),
    ("floor: 0.46", "floor: 0.4\n  against: v1.0", "floor stands with nothing, found against"),
    ("floor: 0.46", "max_drop: 0.1\n  over: x", "max_drop stands with against, found over"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), RULES)
def test_a_gate_has_one_rule(old: str, new: str, said: str) -> None:
    assert refused(changed(old, new)) == f"gates.yaml problem: line 3: {said}. {REMEDY}"


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("test.reranked.ndcg@10", "ends in no measure: found 'ndcg@10'"),
        ("test.n_evaluated", "ends in no measure: found 'n_evaluated'"),
        ("test.reranked.nDCG@0", "ends in no measure: found cutoff 0"),
        ("nDCG@10", "is no key of metrics/evaluate.json, expected one like test.reranked.nDCG@10"),
        ('test.reranked.nDCG(gain="exp")@10', "expected one like test.reranked.nDCG(gain='exp')@10"),
        ("first_stage.annR@0", "ends in no measure: found 'annR@0'"),
        ("*.reranked.nDCG@10", "* stands for groups under a floor, as in test.group.language=*.reranked.nDCG@10"),
    ],
)  # fmt: skip
def test_a_metric_is_a_measure(metric: str, said: str) -> None:
    text = changed("test.reranked.nDCG@10\n  floor", f"'{metric.replace(chr(39), chr(39) * 2)}'\n  floor")
    assert said in refused(text)
    assert refused(text).startswith("gates.yaml problem: line 3: ")


@pytest.mark.parametrize(
    "metric",
    [
        "test.reranked.nDCG@10.low",
        "test.reranked.RR.p5",
        "dev.bm25.nDCG(gain='exp')@10.high",
        "test.ceiling.R@20",
        "first_stage.annR@10",
        "first_stage.annR@10.p5",
        "test.group.language=*.reranked.nDCG@10",
        "test.group.*.reranked.nDCG@10",
        "test.group.category=v1.2.reranked.nDCG@10",
    ],
)
def test_metrics_that_can_be_held(metric: str) -> None:
    assert Gate(name="one", metric=metric, floor=0.5).metric == metric


def test_a_star_is_for_floors() -> None:
    with pytest.raises(ValueError, match=r"\* stands for groups under a floor"):
        Gate(name="one", metric="test.group.*.reranked.RR", max_drop=0.1, against="v1.0")
    assert "a budget is about one figure, not about *" in refused(
        GOOD.replace("test.reranked.nDCG@10\n  target", "test.group.*.reranked.RR\n  target")
    )


@pytest.mark.parametrize("revision", ["-v", "--upload-pack=x", "v1.0:metrics", "v 1", ""])
def test_a_revision_is_a_name(revision: str) -> None:
    with pytest.raises(ValueError, match="against"):
        Gate(name="one", metric="test.reranked.RR", max_drop=0.1, against=revision)


OTHER: list[tuple[str, str]] = [
    (changed("floor", "flor"), "line 5: unknown key 'flor' (Near names: floor)"),
    (changed("window: 10", "windows: 10"), "line 11: unknown key 'windows' (Near names: window)"),
    (changed("budgets", "budget"), "line 6: unknown key 'budget' (Near names: budgets)"),
    (changed("dataset: small\n", ""), "line 1: missing key 'dataset'"),
    (changed("- name: quality\n  metric", "- metric"), "line 3: missing key 'name'"),
    (changed("when_spent: fail", "when_spent: pray"), "line 12: when_spent: input should be 'fail' or 'warn', found 'pray'"),
    (changed("window: 10", "window: 0"), "line 11: window: input should be greater than or equal to 1, found 0"),
    (changed("window: 10", "window: 2.5"), "line 11: window: input should be a valid integer"),
    (changed("name: over time", "name: quality"), "line 1: a name that stands twice: quality"),
    (changed("dataset: small", "dataset: 7"), "line 1: dataset: input should be a valid string, found 7"),
    ("dataset: small\ngates: []\n", "line 1: neither a gate nor a budget"),
    ("dataset: small\ngates: 7\n", "line 2: gates: input should be a valid list, found 7"),
    ("dataset: small\ngates: [7]\n", "line 2: input should be a valid dictionary or instance of Gate, found 7"),
    ("- 7\n", "line 1: input should be a valid dictionary or instance of GateFile, found [7]"),
    ("", "line 1: input should be a valid dictionary or instance of GateFile, found None"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), OTHER)
def test_other_mistakes(text: str, said: str) -> None:
    assert said in refused(text)


def test_what_is_no_yaml() -> None:
    assert refused("gates: [").startswith("gates.yaml problem: ")
    assert "'dataset' stands twice (line 2)" in refused("dataset: a\ndataset: b\n")


def test_all_problems_at_once() -> None:
    text = GOOD.replace("0.46", "46").replace("0.55", ".nan").replace("window: 10", "windows: 10")
    found = refused(text)
    assert found == (
        "gates.yaml problem: line 5: floor: 46 is no share between 0 and 1; write 0.46 for 46 %, "
        "line 9: target: nan is not finite, expected a share between 0 and 1, line 7: missing key 'window' "
        f"and 1 more. {REMEDY}"
    )


def test_whole_numbers_are_numbers() -> None:
    assert load_gates(changed("0.46", "1"), "gates.yaml").gates[0].limit == 1.0
    assert load_gates(changed("0.46", "0"), "gates.yaml").gates[0].limit == 0.0


def test_a_figure_that_is_no_measure_is_answered_with_the_measures() -> None:
    said = refused(changed("metric: test.reranked.nDCG@10\n  floor", "metric: test.n_queries\n  floor"))
    assert (
        "test.n_queries ends in no measure: found 'n_queries', expected one of R@k, Rcap@k, P@k, RR," in said
    )
