"""The one form of a message, and what a program reads from it."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from vara.errors import Failure, Problem, examples, near_names

FULL = {"expected": "an integer", "where": "qrels.tsv:3", "remedy": "Correct the line."}


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (FULL, "qrels.tsv problem: grade 0.5, expected an integer (qrels.tsv:3). Correct the line."),
        ({"remedy": "Correct the line."}, "qrels.tsv problem: grade 0.5. Correct the line."),
        ({**FULL, "where": ""}, "qrels.tsv problem: grade 0.5, expected an integer. Correct the line."),
        ({**FULL, "expected": ""}, "qrels.tsv problem: grade 0.5 (qrels.tsv:3). Correct the line."),
    ],
)
def test_a_message_is_composed_of_its_facts(more: dict[str, str], text: str) -> None:
    assert str(Problem("qrels.tsv", "grade 0.5", **more)) == text


def test_a_message_must_say_what_to_do() -> None:
    with pytest.raises(TypeError, match="remedy"):
        Problem("qrels.tsv", "grade 0.5")  # type: ignore[call-arg]


def test_exit_codes() -> None:
    assert Problem("a", "b", remedy="C.").exit_code == 2  # the input is wrong
    assert Failure("a", "b", remedy="C.").exit_code == 1  # something was asked to fail and failed


def test_facts_are_attributes() -> None:
    problem = Problem("qrels.tsv", "grade 0.5", **FULL)
    facts = {name: getattr(problem, name) for name in ("subject", "found", "expected", "where", "remedy")}
    assert facts == {"subject": "qrels.tsv", "found": "grade 0.5", **FULL}


@pytest.mark.parametrize("kind", [Problem, Failure])
@pytest.mark.parametrize("through", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])  # noqa: S301 - our own
def test_a_copy_is_the_same_problem(kind: type[Problem], through: object) -> None:
    problem = kind("qrels.tsv", "grade 0.5", **FULL)
    again = through(problem)  # type: ignore[operator]
    assert type(again) is kind
    assert str(again) == str(problem)
    assert again.args == problem.args
    assert again.where == "qrels.tsv:3"


def fail() -> None:
    raise Failure("gate", "0.5", expected="0.6", remedy="Look.")


def test_a_worker_process_raises_it_in_its_parent() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, pytest.raises(Failure) as caught:
        pool.submit(fail).result()
    assert str(caught.value) == "gate problem: 0.5, expected 0.6. Look."


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b", "c"], "a, b, c"),
        (["a", "b", "c", "d"], "a, b, c and 1 more"),
        ([str(n) for n in range(100)], "0, 1, 2 and 97 more"),
    ],
)
def test_at_most_three_examples_and_the_count(items: list[str], text: str) -> None:
    assert examples(items) == text


def test_another_limit() -> None:
    assert examples(["a", "b"], 1) == "a and 1 more"


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("pool.dept", ["seed", "pool.depth"], "Near names: pool.depth."),
        # twice the letters in common, by those of both: 2·3 / 8 = .75 is near, 2·2 / 6 = .67 is not
        ("abcd", ["one", "two", "three", "abce"], "Near names: abce."),
        ("abc", ["one", "two", "three", "abd"], "Known names: one, two, three and 1 more."),
        ("abcd", ["abce", "abcf", "abcg", "abcd1"], "Near names: abcd1, abcg, abcf."),  # the nearest three
        ("abc", [], "Known names: none."),
    ],
)
def test_what_was_probably_meant(name: str, known: list[str], text: str) -> None:
    assert near_names(name, known) == text
    assert near_names(name, iter(known), "ids") == text.replace("names", "ids")
