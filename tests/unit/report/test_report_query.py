"""One query's report, line by line."""

from __future__ import annotations

from dataclasses import replace

from vara.report.query import Candidate, QueryReport, lines

FIRST = Candidate("d1", "Reset a password", "Open the sign-in page.", 2, 1, 0.61239, 12.34567, 3)
SECOND = Candidate("d20", "Billing", "Every\n month " + "x" * 200, 1, 2, -0.05, 0.0, None)
REPORT = QueryReport(
    query_id="q-1",
    text="forgot password",
    candidates=[SECOND, FIRST],
    missing={"d9": 2},
    titles={"d9": "Change a password"},
    measures={
        "first_stage": {"RR": "0.5", "R@5": "0.3333333333"},
        "reranked": {"RR": "1.0", "R@5": "0.3333333333"},
        "bm25": {"RR": "0.0", "R@5": ""},
    },
)


def test_a_report_as_a_reader_sees_it() -> None:
    assert list(lines(REPORT)) == [
        "q-1  forgot password",
        "",
        "after  before  label   cosine     BM25  document",
        "    1       2      3   0.6124   12.346  d1  Reset a password",
        "                                          Open the sign-in page.",
        "    2       1      –  -0.0500    0.000  d20  Billing",
        "                                          Every month …",
        "    –       –      2        –        –  d9  Change a password (not in the pool)",
        "",
        "                 first_stage      reranked          bm25",
        "RR                       0.5           1.0           0.0",
        "R@5                 0.333333      0.333333             –",
    ]


def test_a_label_of_zero_is_a_label() -> None:
    report = replace(REPORT, candidates=[replace(FIRST, relevance=0)])
    assert list(lines(report))[3].split()[2] == "0"


def test_a_query_that_no_document_answers() -> None:
    report = replace(REPORT, missing={}, measures={})
    assert list(lines(report))[-2:] == [
        "",
        "No relevant document is labelled for this query: it is left out of every measure.",
    ]


def test_an_empty_pool_and_a_document_without_title_or_text() -> None:
    assert list(lines(replace(REPORT, candidates=[])))[3].endswith("(not in the pool)")
    bare = list(lines(replace(REPORT, candidates=[replace(FIRST, title="", text=" \n")])))
    assert bare[3] == "    1       2      3   0.6124   12.346  d1"
    assert bare[4].endswith("(not in the pool)")
    assert all(line == line.rstrip() for line in bare)
