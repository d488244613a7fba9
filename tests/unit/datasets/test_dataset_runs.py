"""Runs and labels from anywhere: what is read, what is passed over with a notice, what is refused, whole messages."""

# ruff: noqa: ISC004 - messages of several lines in tables

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from vara.datasets.qrels import read_qrels
from vara.datasets.runs import read_run
from vara.errors import Problem

RUN = "q1 Q0 d1 1 2.5 tag\nq1\tQ0\td2\t2\t 1.5 tag\n\n# a comment\nq2 Q0 d#3 1 -1e-3 tag\n"


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_a_trec_run(file):
    scores = {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d#3": -0.001}}
    plain = read_run(file("bm25.run", RUN))
    assert (plain.name, plain.scores, plain.notices) == ("bm25.run", scores, ())
    assert read_run(file("bm25.run.gz", gzip.compress(RUN.encode()))).scores == scores
    windows = read_run(file("w.run", "\ufeff" + RUN.replace("\n", "\r\n")))
    assert windows.scores == scores
    assert [notice.split(" (")[0] for notice in windows.notices] == [
        "run w.run: notice bom-removed",
        "run w.run: notice cr-removed",
    ]


def test_a_json_run_with_scores_or_lists(file):
    found = read_run(file("a.json", '{"q1": {"d1": 0.5, "d2": 1}, "q2": ["b", "a"], "q3": []}'))
    assert found.scores == {"q1": {"d1": 0.5, "d2": 1.0}, "q2": {"b": 0.0, "a": -1.0}, "q3": {}}


def test_ids_are_parted_by_ascii_blanks_alone(file):
    found = read_run(file("a.run", "q\u00a01 Q0 d\u30001 1 1.0 t\n"))
    assert found.scores == {"q\u00a01": {"d\u30001": 1.0}}


def test_ranks_that_contradict_the_scores_are_ignored_with_a_notice(file):
    lines = [
        "q1 Q0 a 1 0.1 t", "q1 Q0 b 2 0.9 t",  # rank 1 has the lower score
        "q2 Q0 a 2 0.1 t", "q2 Q0 b 1 0.9 t",  # in agreement, whatever the order of the lines
        "q3 Q0 a 7 0.5 t", "q3 Q0 b 3 0.5 t",  # a tie contradicts nothing
        "q4 Q0 a 0 0.1 t", "q4 Q0 b 0 0.9 t",  # nor does one rank for all
        "q5 Q0 a first 0.1 t",  # no rank at all
    ]  # fmt: skip
    run = read_run(file("a.run", "\n".join(lines)))
    assert run.scores["q1"] == {"a": 0.1, "b": 0.9}
    assert run.notices == (
        "run a.run: the rank column contradicts the scores in 2 of 5 queries (q1, q5) and is ignored: scores alone "
        "order a run",
    )


BROKEN_RUNS = {
    "a NaN, an infinity, a word, Python's own spelling": (
        "q1 Q0 a 1 nan t\nq1 Q0 b 2 inf t\nq1 Q0 c 3 high t\nq1 Q0 d 4 1_0 t\n",
        "run x.run problem: a score that is no finite number (x.run:1 query q1 document a: nan, "
        "x.run:2 query q1 document b: inf, x.run:3 query q1 document c: high and 1 more), "
        "expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "a document twice, five columns": (
        "q1 Q0 a 1 0.9 t\nq1 Q0 a 2 0.8 t\nq1 Q0 b 3 0.7\n",
        "run x.run problem: a document twice in a query (x.run:2 query q1 document a); "
        "a line that is no query Q0 document rank score tag (x.run:3 q1 Q0 b 3 0.7), "
        "expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "two records on one line": (
        "q1 Q0 a 1 0.9 t\nq1 Q0 b 2 0.8 t q1 Q0 c 3 0.7 t\n",
        "run x.run problem: a line that is no query Q0 document rank score tag "
        "(x.run:2 q1 Q0 b 2 0.8 t q1 Q0 c 3 0.7 t), "
        "expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "lines that a CR alone parts, a comment first": (
        "# made\rq1 Q0 a 1 0.9 t\rq1 Q0 b 2 0.8 t\r",
        "run x.run problem: a line that is no query Q0 document rank score tag "
        "(x.run:1 # made\\rq1 Q0 a 1 0.9 t\\rq1 Q0 b 2 0.8 t), "
        "expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "a CR in an id": (
        "q1 Q0 a\rb 1 0.9 t\n",
        "run x.run problem: a line that is no query Q0 document rank score tag (x.run:1 q1 Q0 a\\rb 1 0.9 t), "
        "expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "digits of another script": (
        "q1 Q0 a 1 \u0660.\u0669 t\nq1 Q0 b 2 \uff11 t\n",
        "run x.run problem: a score that is no finite number (x.run:1 query q1 document a: \u0660.\u0669, "
        "x.run:2 query q1 document b: \uff11), expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "Latin-1": (
        "q1 Q0 é 1 0.9 t\n".encode("latin1"),
        "run x.run problem: a line that is not UTF-8 (x.run:1 byte 0xe9 at position 6), "
        "expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "nothing": (
        "# only a comment\n",
        "run x.run problem: no line, expected query Q0 document rank score tag, or JSON {query: {document: score}} "
        "or {query: [document, …]}. Name another file.",
    ),
    "JSON: NaN, a list that repeats, a number for a ranking": (
        '{"q1": {"a": NaN, "b": true}, "q2": ["a", "a", null], "q3": 5}',
        "run x.run problem: a score that is no finite number (query q1 document a: NaN, query q1 document b: True); "
        "a document twice in a query (query q2 document a); a document that is no string (query q2: None); "
        "a ranking that is neither object nor list (query q3: 5), "
        "expected finite scores, each document once a query. "
        "Repair the system that wrote the run: nothing of it was measured.",
    ),
    "JSON: a document twice": (
        '{"q1": {"a": 1, "a": 2}}',
        "run x.run problem: 'a' stands twice in one object. Keep one of the values.",
    ),
    "JSON cut off": (
        '{"q1": {"a": 1',
        "run x.run problem: not JSON (Expecting ',' delimiter: line 1 column 15 (char 14)). "
        "Write {query: {document: number}}.",
    ),
}


@pytest.mark.parametrize("name", BROKEN_RUNS)
def test_broken_runs(file, name):
    content, message = BROKEN_RUNS[name]
    with pytest.raises(Problem) as caught:
        read_run(file("x.run", content))
    assert str(caught.value) == message


LONG = "y" * 100_000
LONG_FILES = {
    "a line": (read_run, f"q1 Q0 {LONG}\n"),
    "an id": (read_run, f"q1 Q0 {LONG} 1 x t\n"),
    "a score": (read_run, f"q1 Q0 a 1 {LONG} t\n"),
    "a document twice": (read_run, f"q1 Q0 {LONG} 1 2 t\nq1 Q0 {LONG} 1 2 t\n"),
    "a JSON ranking": (read_run, json.dumps({LONG: LONG, "b": {LONG: LONG}, "c": [[LONG], LONG, LONG]})),
    "a JSON key twice": (read_run, f'{{"{LONG}": [], "{LONG}": []}}'),
    "a label": (read_qrels, f"q1 0 {LONG}\n"),
    "a relevance": (read_qrels, f"q1 0 {LONG} {LONG}\n"),
    "a table": (read_qrels, f"query-id\tcorpus-id\tscore\nq1\t{LONG}\t{LONG}\t{LONG}\n"),
    "JSON labels": (read_qrels, json.dumps({LONG: LONG, "b": {LONG: LONG}})),
    "a JSON label twice": (read_qrels, f'{{"{LONG}": {{}}, "{LONG}": {{}}}}'),
}


@pytest.mark.parametrize("name", LONG_FILES)
def test_no_message_is_as_long_as_its_line(file, name):
    read, content = LONG_FILES[name]
    with pytest.raises(Problem) as caught:
        read(file("x", content))
    assert len(str(caught.value)) < 1_000


def test_a_notice_is_not_as_long_as_its_ids(file):
    run = read_run(file("x", f"{LONG} Q0 a 1 0.1 t\n{LONG} Q0 b 2 0.9 t\n"))
    assert len(run.notices[0]) < 400


@pytest.mark.parametrize("line", ["q1 0 d\r1 1", "# c\rq1 0 d1 1", "q1 0 d1 1\rq1 0 d2 1"])
def test_a_cr_inside_a_line_of_labels(file, line):
    with pytest.raises(Problem, match=r"error bad-trec-label \(1\)(.|\n)*x\.qrels:1 "):
        read_qrels(file("x.qrels", line + "\n"))


def test_a_damaged_archive(file):
    path = file("x.run.gz", gzip.compress(RUN.encode() * 99)[:-20])
    with pytest.raises(Problem) as caught:
        read_run(path)
    assert str(caught.value) == (
        "x.run.gz problem: damaged archive (Compressed file ended before the end-of-stream marker was reached). "
        "Fetch or make the file again."
    )


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_no_such_file(tmp_path, read):
    with pytest.raises(Problem) as caught:
        read(tmp_path / "none")
    option = "labels with --qrels" if read is read_qrels else "--run"
    expected = f"Name a file of {option}." if read is read_qrels else "Name a file with --run."
    assert str(caught.value) == f"{tmp_path}/none problem: No such file or directory. {expected}"


FORMS = {
    "trec": ("x.qrels", "# c\nq1 0 d1 2\nq1\t0\td2  0 \n\nq2 0 d#1 1.0\n"),
    "beir": ("x.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td#1\t1.0\n"),
    "beir with sources": (
        "x.tsv",
        "query-id\tcorpus-id\tscore\tsource\nq1\td1\t2\tllm\nq1\td2\t0\nq2\td#1\t1\tx\n",
    ),
    "json": ("x.json", json.dumps({"q1": {"d1": 2, "d2": 0}, "q2": {"d#1": 1.0}})),
}


@pytest.mark.parametrize("form", FORMS)
def test_labels_in_every_form(file, form):
    name, content = FORMS[form]
    for found in (
        read_qrels(file(name, content)),
        read_qrels(file(f"{name}.gz", gzip.compress(content.encode()))),
    ):
        assert found.qrels == {"q1": {"d1": 2, "d2": 0}, "q2": {"d#1": 1}}
        assert (found.n_unjudged, found.n_repeated) == (0, 0)


def test_negative_labels_and_exact_repeats_are_counted(file):
    found = read_qrels(file("x.qrels", "q1 0 d1 1\nq1 0 d2 -1\nq1 1 d1 1.0\n"))
    assert found.qrels == {"q1": {"d1": 1}}
    assert (found.n_unjudged, found.n_repeated) == (1, 1)
    assert found.notices == (
        "x.qrels: notice unjudged-label (1): a negative relevance means unjudged, as in TREC; the label was dropped "
        "(x.qrels:2 query q1 document d2: -1). Nothing needs doing; write 0 if the document was judged not relevant.",
        "x.qrels: notice repeated-label (1): the same judgment stands on several lines and counts once "
        "(x.qrels:3 query q1 document d1: 1, first at x.qrels:1). Nothing needs doing.",
    )


def test_all_that_is_wrong_with_labels_is_said_at_once(file):
    with pytest.raises(Problem) as caught:
        read_qrels(file("x.qrels", "q1 0 d1 1\nq1 0 d1 2\nq1 d2 1\nq2 0 d1 0.5\n"))
    assert str(caught.value) == (
        "labels x.qrels problem: 3 errors:\n"
        "  error bad-relevance (1): a relevance is not a whole number. "
        "Write 0, 1, 2, … (1.0 is read as 1); decide what a fraction means before you round it.\n"
        "      x.qrels:4 query q2 document d1: 0.5\n"
        "  error contradictory-label (1): one query and document have two different relevances. "
        "Keep the line that is right.\n"
        "      x.qrels:2 query q1 document d1: 2, but 1 at x.qrels:1\n"
        "  error bad-trec-label (1): a TREC label is not query, iteration, document and relevance. "
        "Write these four, separated by blanks or tabs.\n"
        "      x.qrels:3 q1 d2 1\n"
        "Nothing was measured. Correct the errors at the places named above and run this again."
    )


@pytest.mark.parametrize("content", ["", "# c\n", "query-id\tcorpus-id\tscore\n", "{}", "q1 0 d1 -1\n"])
def test_no_labels_are_no_perfect_score(file, content):
    with pytest.raises(Problem, match=r"error no-labels \(1\)"):
        read_qrels(file("x", content))


def test_json_labels_that_are_none(file):
    with pytest.raises(Problem) as caught:
        read_qrels(file("x.json", '{"q1": {"d1": 0.5, "d2": null}, "q2": [1]}'))
    assert [line.strip() for line in str(caught.value).splitlines()[2:5]] == [
        "x.json query q1 document d1: 0.5",
        "x.json query q1 document d2: None",
        "x.json query q2: ['1'] is no object",
    ]


def test_words_behind_the_tag_are_passed_over_and_said(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q1 Q0 a 1 0.9 t and more\nq1 Q0 b 2 0.8 t\n")
    run = read_run(path)
    assert run.scores == {"q1": {"a": 0.9, "b": 0.8}}
    assert run.notices == ("run x.run: words behind the tag of 1 lines are passed over",)
