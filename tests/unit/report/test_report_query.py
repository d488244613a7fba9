"""One query's report, line by line."""

from __future__ import annotations

from dataclasses import replace

from vara.report.query import Candidate, QueryReport, lines

FIRST = Candidate(
    doc_id="d1",
    title="Reset a password",
    text="Open the sign-in page.",
    before=2,
    after=1,
    dense=0.61239,
    lexical=12.34567,
    score=0.91236,
    relevance=3,
    guaranteed=False,
)
SECOND = Candidate(
    doc_id="d20",
    title="Billing",
    text="Every\n month " + "x" * 200,
    before=1,
    after=2,
    dense=-0.05,
    lexical=0.0,
    score=-9.0,
    relevance=None,
    guaranteed=True,
)
REPORT = QueryReport(
    query_id="q-1",
    text="forgot password",
    about={"split": "test", "language": "en"},
    extent="2 of 9 matching documents, cut at 1",
    verdict="",
    stood_in={"forgot": ["forgotten", "forget"]},
    candidates=[SECOND, FIRST],
    missing={"d9": 2},
    titles={"d9": "Change a password"},
    measures={
        "first_stage": {"RR": "0.5", "R@5": "0.3333333333"},
        "reranked": {"RR": "1.0", "R@5": "0.6666666667"},
        "bm25": {"RR": "0.0", "R@5": ""},
    },
)


def test_a_report_as_a_reader_sees_it() -> None:
    assert list(lines(REPORT)) == [
        "q-1  forgot password  (split test, language en)",
        "2 of 9 matching documents, cut at 1",
        "no document holds forgot; searched for forgotten, forget instead",
        "",
        "after  before  label    score   cosine     BM25  document",
        "    1       2      3   0.9124   0.6124   12.346  d1  Reset a password",
        "                                                   Open the sign-in page.",
        "    2       1      –  -9.0000  -0.0500    0.000  d20  Billing  (guaranteed by its title)",
        "                                                   Every month …",
        "    –       –      2        –        –        –  d9  Change a password (not in the pool)",
        "",
        "before, after: ranks in the pool and after reranking by score; label: grade, – is unjudged",
        "",
        "      first_stage      reranked          bm25",
        "RR         0.5000        1.0000        0.0000",
        "R@5        0.3333        0.6667             –",
    ]


def test_a_query_about_which_nothing_is_known() -> None:
    assert next(lines(replace(REPORT, about={}))) == "q-1  forgot password"


def test_the_longest_name_of_a_measure_makes_the_column() -> None:
    report = replace(REPORT, measures={"bm25": {"R@5": "1", "nDCG(gain='exp')@10": "0.00006"}})
    assert list(lines(report))[-3:] == [
        "                             bm25",
        "R@5                        1.0000",
        "nDCG(gain='exp')@10        0.0001",
    ]


def test_a_label_of_zero_is_a_label() -> None:
    report = replace(REPORT, candidates=[replace(FIRST, relevance=0)])
    assert list(lines(report))[5].split()[2] == "0"


def test_a_query_that_no_document_answers() -> None:
    report = replace(REPORT, missing={}, measures={})
    assert list(lines(report))[-2:] == [
        "",
        "No relevant document is labelled for this query: it is left out of every measure.",
    ]


def test_an_empty_pool_and_a_document_without_title_or_text() -> None:
    assert list(lines(replace(REPORT, candidates=[])))[5].endswith("(not in the pool)")
    bare = list(lines(replace(REPORT, candidates=[replace(FIRST, title="", text=" \n")])))
    assert bare[5] == "    1       2      3   0.9124   0.6124   12.346  d1"
    assert bare[6].endswith("(not in the pool)")
    assert all(line == line.rstrip() for line in bare)


def test_a_threshold_is_said_where_there_is_one() -> None:
    shown = list(lines(replace(REPORT, verdict="first document shown: cosine 0.6, threshold 0.5")))
    assert shown[2] == "first document shown: cosine 0.6, threshold 0.5"


def test_nothing_in_the_data_reaches_the_terminal_as_a_command() -> None:
    hostile = "a\x1b[31m\u202eb\nc"
    told = list(
        lines(replace(REPORT, text=hostile, candidates=[replace(FIRST, doc_id=hostile, title=hostile)]))
    )
    assert all(char not in line for line in told for char in "\x1b\u202e\n")
    assert told[0].startswith("q-1  a\\x1b[31m\\u202eb\\nc  (split")
