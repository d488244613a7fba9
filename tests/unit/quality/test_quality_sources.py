"""What each source of labels says by itself."""

from __future__ import annotations

from typing import Any

import pytest

from vara.quality.evaluation import evaluate
from vara.quality.judging import Qrels
from vara.quality.split import Query, Settings

SETTINGS = Settings(cutoffs=[2], min_relevance=1, min_group=2, seed=0, depth=3)
QUERIES = [Query(name, "test") for name in ("q1", "q2", "q3")] + [Query("p1", "dev")]
RUNS = {
    "first_stage": {"q1": ["a", "b"], "q2": ["x", "a"], "q3": ["c", "x"], "p1": ["a"]},
    "reranked": {"q1": ["b", "a"], "q2": ["a", "x"], "q3": ["x", "c"], "p1": ["a"]},
}
HUMAN = {"q1": {"a": 1, "z": 1}, "q2": {"a": 1, "x": 0}, "p1": {"a": 1}}
LLM = {"q1": {"b": 2}, "q3": {"c": 1}}
ALL = {"q1": {"a": 1, "z": 1, "b": 2}, "q2": {"a": 1, "x": 0}, "q3": {"c": 1}, "p1": {"a": 1}}


def metrics(sources: dict[str, Qrels], **settings: Any) -> dict[str, Any]:
    chosen = Settings(**{name: getattr(SETTINGS, name) for name in SETTINGS.__slots__} | settings)
    return evaluate(RUNS, QUERIES, ALL, settings=chosen, sources=sources).metrics


def of(found: dict[str, Any], start: str) -> dict[str, Any]:
    return {key.removeprefix(start): value for key, value in found.items() if key.startswith(start)}


def test_each_source_counts_its_own_labels_alone() -> None:
    found = metrics({"human": HUMAN, "llm": LLM})
    human, llm = of(found, "test.source.human."), of(found, "test.source.llm.")
    assert (human["n_labels"], human["n_evaluated"]) == (4, 2)  # q1 and q2; x is judged, not relevant
    assert (llm["n_labels"], llm["n_evaluated"]) == (2, 2)  # q1 and q3
    assert human["first_stage.R@2"] == 0.75  # (1/2 of a, z + 1/1 of a) / 2: b is the machine's
    assert llm["first_stage.R@2"] == 1.0  # (1/1 of b + 1/1 of c) / 2
    assert human["reranked.RR@2"] == 0.75  # a at rank 2, a at rank 1: (1/2 + 1) / 2
    assert llm["reranked.RR@2"] == 0.75  # b at rank 1, c at rank 2
    assert human["first_stage.Judged@2"] == 0.75  # q1 a of a, b; q2 x and a: (1/2 + 2/2) / 2


def test_all_labels_together_stay_what_they_were() -> None:
    plain = evaluate(RUNS, QUERIES, ALL, settings=SETTINGS).metrics
    found = metrics({"human": HUMAN, "llm": LLM})
    assert {key: value for key, value in found.items() if ".source." not in key} == plain


def test_one_source_of_a_split_is_counted_and_not_repeated() -> None:
    found = metrics({"human": HUMAN, "llm": LLM})
    assert of(found, "dev.source.") == {"human.n_labels": 1}
    assert {key for key in metrics({"written": ALL}) if ".source." in key} == {
        "dev.source.written.n_labels",
        "test.source.written.n_labels",
    }


def test_too_few_queries_show_no_value() -> None:
    found = of(metrics({"human": HUMAN, "llm": LLM}, min_group=3), "test.source.human.")
    assert (found["n_evaluated"], found["reason"]) == (2, "too few: n=2")
    assert found["first_stage.R@2"] is None


def test_a_source_without_relevant_documents_says_so() -> None:
    found = of(metrics({"human": ALL, "click": {"q3": {"y": 0}}}), "test.source.click.")
    assert (found["n_labels"], found["n_evaluated"]) == (1, 0)
    assert found["reason"] == "no query with a relevant document"
    assert found["reranked.nDCG@2"] is None


@pytest.mark.parametrize(
    ("run", "reason"), [({}, "answers none"), ({"q1": [], "q2": []}, "holds no document")]
)
def test_a_silent_system_says_so(run: dict[str, list[str]], reason: str) -> None:
    runs = {**RUNS, "bm25": {"q3": ["c"], **run}}
    sources = {"human": HUMAN, "llm": LLM}
    found = of(evaluate(runs, QUERIES, ALL, settings=SETTINGS, sources=sources).metrics, "test.source.human.")
    assert reason in found["bm25.reason"]
    assert found["bm25.RR"] is None
    assert found["reranked.RR"] == 0.75
