"""What is written beside a dataset: lines are added, and what was there stays."""

from __future__ import annotations

import pytest

from vara.errors import Problem
from vara.judgments.agreements import agreements
from vara.judgments.files import with_judgments, with_labels
from vara.judgments.sheets import Row

NEW = [Row(query_id="q", doc_id="new", relevance=2, annotator="ana, b", source="llm")]
SOURCED = "query-id\tcorpus-id\tscore\tsource\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", SOURCED + "q\tnew\t2\tllm\n"),
        (SOURCED + "q\ta\t1\twritten\nq\tb\t0\n", SOURCED + "q\ta\t1\twritten\nq\tb\t0\nq\tnew\t2\tllm\n"),
        (SOURCED + "q\ta\t1\twritten", SOURCED + "q\ta\t1\twritten\nq\tnew\t2\tllm\n"),
        (
            "\ufeffquery-id\tcorpus-id\tscore\r\nq\ta\u2028\t1\r\n\n",
            "\ufeffquery-id\tcorpus-id\tscore\tsource\r\nq\ta\u2028\t1\thuman\r\n\nq\tnew\t2\tllm\n",
        ),
    ],
)
def test_labels(before: str, after: str) -> None:
    assert with_labels(before, NEW) == after


def test_an_id_that_no_cell_holds() -> None:
    with pytest.raises(Problem, match=r"1 ids with a tab or a line break \('a\\tb'\)"):
        with_labels("", [Row(query_id="q", doc_id="a\tb", relevance=1)])


def test_judgments() -> None:
    first = with_judgments("", NEW)
    assert first == 'query_id,doc_id,relevance,annotator,source\nq,new,2,"ana, b",llm\n'
    assert with_judgments(first.rstrip("\n"), NEW) == first + 'q,new,2,"ana, b",llm\n'


def test_agreement_of_every_two_who_judged_a_pair_in_common() -> None:
    grades = {"cy": {"x": 3}, "ben": {"a": 0, "b": 3, "c": 1}, "ana": {"a": 0, "b": 3, "c": 2, "d": 1}}
    rows = [
        Row(query_id="q", doc_id=doc, relevance=grade, annotator=name)
        for name, said in grades.items()
        for doc, grade in said.items()
    ]
    [found] = agreements(rows)
    assert (found.one, found.other, found.n) == ("ana", "ben", 3)
    assert found.same == pytest.approx(2 / 3)
    # Disagreements: observed 1/3. By chance: ana 0, 3, 2 and ben 0, 3, 1 meet twice of nine: 7/9. 1 − (1/3)/(7/9) = 4/7
    assert found.kappa == pytest.approx(4 / 7)
    # Squares observed 1/3; by chance (0+9+1 + 9+0+4 + 4+1+1)/9 = 29/9. 1 − 3/29
    assert found.quadratic == pytest.approx(1 - 3 / 29)
