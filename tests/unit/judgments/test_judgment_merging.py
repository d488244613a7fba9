"""Merging: new, repeated, contradicted, resolved; machines beside people; nothing overwritten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.datasets.labels import Label
from vara.judgments.merging import Merged, merge
from vara.judgments.sheets import Row


def said(doc: str, grade: int, who: str = "ana", source: str = "human", where: str = "s.csv, row 2") -> Row:
    return Row(query_id="q", doc_id=doc, relevance=grade, annotator=who, source=source, where=where)


def label(doc: str, grade: int, source: str = "written") -> dict[tuple[str, str], Label]:
    return {("q", doc): Label("q", doc, grade, source, None, "qrels.tsv:7")}


def counts(merged: Merged) -> tuple[int, int, int, int, int, int]:
    """Labels, judgments, conflicts, repeated, beside, resolved."""
    lists = (len(merged.labels), len(merged.judgments), len(merged.conflicts))
    return (*lists, merged.n_repeated, merged.n_beside, merged.n_resolved)


def test_new_pairs_become_labels_in_byte_order() -> None:
    merged = merge([said("b", 1), said("B", 0), said("a", 2)], labels={}, kept=[])
    assert [(row.doc_id, row.relevance) for row in merged.labels] == [("B", 0), ("a", 2), ("b", 1)]
    assert [row.doc_id for row in merged.judgments] == ["b", "B", "a"]


def test_a_label_that_is_there_is_repeated_or_contradicted() -> None:
    same = merge([said("a", 2)], labels=label("a", 2), kept=[])
    assert counts(same) == (0, 1, 0, 1, 0, 0)
    other = merge([said("a", 1)], labels=label("a", 2), kept=[])
    assert counts(other) == (0, 1, 1, 0, 0, 0)
    assert other.conflicts == [
        "query q document a: ana says 1 (s.csv, row 2), the written label is 2 (qrels.tsv:7)"
    ]


def test_annotators_who_agree_make_one_label() -> None:
    merged = merge([said("a", 2), said("a", 2, "ben")], labels={}, kept=[])
    assert counts(merged) == (1, 2, 0, 0, 0, 0)


def test_annotators_who_differ_make_none() -> None:
    merged = merge([said("a", 2), said("a", 0, "ben", where="t.csv, row 5")], labels={}, kept=[])
    assert merged.labels == []
    assert merged.conflicts == ["query q document a: ana 2 (s.csv, row 2), ben 0 (t.csv, row 5)"]


def test_a_third_reading_decides_and_all_judgments_are_kept() -> None:
    rows = [said("a", 2), said("a", 0, "ben"), said("b", 1), said("b", 1, "ben")]
    merged = merge(rows, labels={}, kept=[], resolved=[said("a", 1, "eva")])
    assert counts(merged) == (2, 5, 0, 0, 0, 1)
    assert [(row.doc_id, row.relevance, row.annotator) for row in merged.labels] == [
        ("a", 1, "eva"),
        ("b", 1, "ana"),
    ]


def test_a_third_reading_overwrites_no_label() -> None:
    merged = merge([said("a", 1)], labels=label("a", 2), kept=[], resolved=[said("a", 1, "eva")])
    assert len(merged.conflicts) == 1
    agreeing = merge([said("a", 1)], labels=label("a", 2), kept=[], resolved=[said("a", 2, "eva")])
    assert counts(agreeing) == (0, 2, 0, 1, 0, 0)


def test_an_annotator_contradicts_themselves() -> None:
    merged = merge([said("a", 1)], labels=label("a", 1), kept=[said("a", 2, where="judgments.csv, row 9")])
    assert merged.conflicts == [
        "query q document a: ana says 1 (s.csv, row 2) and said 2 (judgments.csv, row 9)"
    ]


def test_a_judgment_is_kept_once() -> None:
    assert counts(merge([said("a", 1)], labels=label("a", 1), kept=[said("a", 1)])) == (0, 0, 0, 1, 0, 0)


@pytest.mark.parametrize("source", ["llm", "click"])
def test_a_machine_claims_nothing_beside_people(source: str) -> None:
    machine = said("a", 0, "model", source)
    assert counts(merge([machine], labels=label("a", 2), kept=[])) == (0, 1, 0, 0, 1, 0)
    together = merge([machine, said("a", 2)], labels={}, kept=[])
    assert [(row.relevance, row.source) for row in together.labels] == [(2, "human")]
    assert together.conflicts == []


def test_a_machine_contradicts_its_own_label() -> None:
    assert len(merge([said("a", 0, "model", "llm")], labels=label("a", 2, "llm"), kept=[]).conflicts) == 1


def test_a_person_contradicts_a_machine_s_label() -> None:
    assert len(merge([said("a", 0)], labels=label("a", 2, "llm"), kept=[]).conflicts) == 1


def test_a_machine_labels_what_nobody_judged() -> None:
    merged = merge([said("a", 3, "model", "llm")], labels={}, kept=[])
    assert [row.source for row in merged.labels] == ["llm"]


rows = st.builds(
    said,
    st.sampled_from("abc"),
    st.integers(0, 2),
    st.sampled_from(["ana", "ben"]),
    st.sampled_from(["human", "llm"]),
)


@given(judged=st.lists(rows, max_size=8))
def test_a_second_time_adds_nothing(judged: list[Row]) -> None:
    merged = merge(judged, labels={}, kept=[])
    if merged.conflicts:
        return
    labels = {row.pair: Label(*row.pair, row.relevance or 0, row.source, None, "x") for row in merged.labels}
    again = merge(judged, labels=labels, kept=merged.judgments)
    assert (again.labels, again.judgments, again.conflicts) == ([], [], [])
    assert len({row.pair for row in judged}) == len(labels)
