"""`vara evaluate`: the JSON that other programs rely on, the tables, the notices, many runs, groups, refusals."""

# ruff: noqa: ISC004 - messages of several lines

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.flows.conftest import Vara

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq2 0 x -1\nq3 0 a 0\n"
RUN = "q1 Q0 z 1 0.9 t\nq1 Q0 a 2 0.8 t\nq2 Q0 c 1 0.5 t\n"
OTHER = "q1 Q0 a 2 0.9 t\nq1 Q0 z 1 0.8 t\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "labels.txt").write_text(QRELS)
    (tmp_path / "one.run").write_text(RUN)
    (tmp_path / "other.run").write_text(OTHER)
    return tmp_path


def test_the_form_that_other_programs_rely_on(vara: Vara, files: Path) -> None:
    """one: q1 second, q2 first: RR (1/2 + 1) / 2. other: q1 first, q2 missing: 1/2."""
    runs = ["--run", f"{files}/one.run", "--run", f"{files}/other.run"]
    code, out, err = vara(
        "evaluate", *runs, "--qrels", f"{files}/labels.txt", "--measures", "RR P@1", "--json"
    )
    assert (code, len(out)) == (0, 1)
    answer = json.loads(out[0])
    assert answer["runs"] == {"one.run": {"RR": 0.75, "P@1": 0.5}, "other.run": {"RR": 0.5, "P@1": 0.5}}
    assert answer["counts"] == {
        "n_queries": 3,
        "n_evaluated": 2,
        "n_unanswerable": 1,
        "n_missing": 1,
        "n_relevant": 2,
        "n_unjudged": 1,
        "n_repeated": 0,
        "by_run": {
            "one.run": {"n_missing": 0, "n_ignored": 0},
            "other.run": {"n_missing": 1, "n_ignored": 0},
        },
    }
    assert answer["intervals"]["one.run"]["RR"] == {"low": 0.5, "high": 1.0, "p5": 0.5}
    assert err == answer["notices"]
    assert err[1:] == [
        "run other.run: the rank column contradicts the scores in 1 of 1 queries (q1) and is ignored: scores alone "
        "order a run"
    ]


def test_the_tables_for_a_person(vara: Vara, files: Path) -> None:
    queries = files / "queries.jsonl"
    queries.write_text(
        "".join(f'{{"_id": "q{n}", "text": "x", "metadata": {{"language": "en"}}}}\n' for n in (1, 2))
    )
    run = ["--run", f"{files}/one.run", "--qrels", f"{files}/labels.txt", "--queries", str(queries)]
    code, out, _ = vara("evaluate", *run, "--measures", "RR")
    assert code == 0
    assert out == [
        "run      measure  value   95 % interval     p5      queries  missing",
        "one.run  RR       0.7500  [0.5000, 1.0000]  0.5000  2        0",
        "",
        "3 labelled queries: 2 evaluated, 1 without a relevant document, 0 missing in some run; 2 relevant documents",
        "",
        "group        queries  run      RR",
        "language=en  2        one.run  too few",
    ]


def test_groups_in_json(vara: Vara, files: Path) -> None:
    labels = "".join(f"g{n} 0 a 1\n" for n in range(6))
    (files / "labels.txt").write_text(labels)
    (files / "one.run").write_text("".join(f"g{n} Q0 a 1 1.0 t\n" for n in range(5)))
    (files / "queries.jsonl").write_text(
        "".join(
            f'{{"_id": "g{n}", "text": "x", "metadata": {{"category": "{"ab"[n > 4]}"}}}}\n' for n in range(6)
        )
    )
    words = [
        "--run",
        f"{files}/one.run",
        "--qrels",
        f"{files}/labels.txt",
        "--queries",
        f"{files}/queries.jsonl",
    ]
    _, out, _ = vara("evaluate", *words, "--measures", "RR", "--json")
    assert json.loads(out[0])["groups"] == {
        "category=a": {"n": 5, "runs": {"one.run": {"RR": 1.0}}},
        "category=b": {"n": 1, "runs": None, "reason": "too few: n=1"},
    }


def test_runs_of_one_name_are_told_apart_by_their_paths(vara: Vara, files: Path) -> None:
    (files / "two").mkdir()
    (files / "two/one.run").write_text(OTHER)
    runs = ["--run", f"{files}/one.run", "--run", f"{files}/two/one.run"]
    _, out, _ = vara("evaluate", *runs, "--qrels", f"{files}/labels.txt", "--measures", "RR", "--json")
    assert json.loads(out[0])["runs"] == {
        f"{files}/one.run": {"RR": 0.75},
        f"{files}/two/one.run": {"RR": 0.5},
    }


def test_the_level_from_which_a_document_is_relevant(vara: Vara, files: Path) -> None:
    words = ["--run", f"{files}/one.run", "--qrels", f"{files}/labels.txt", "--min-relevance", "2"]
    _, out, _ = vara("evaluate", *words, "--measures", "RR", "--json")
    assert json.loads(out[0])["runs"] == {"one.run": {"RR": 1.0}}


WRONG = {
    "a measure that there is not": (
        ["--measures", "MRR"],
        "measure problem: found 'MRR', expected one of R@k, Rcap@k, P@k, RR, nDCG, AP, Success@k, Judged@k. "
        "Did you mean RR?",
    ),
    "queries that are broken": (
        ["--queries", "{files}/labels.txt"],
        "queries labels.txt problem: 5 errors:",
    ),
    "labels that are not there": (
        ["--qrels", "{files}/none"],
        "{files}/none problem: No such file or directory. Name a file of labels with --qrels.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_ends_with_2_on_stderr(vara: Vara, files: Path, name: str) -> None:
    words, message = WRONG[name]
    given = ["--run", f"{files}/one.run", "--qrels", f"{files}/labels.txt", "--json"]
    code, out, err = vara("evaluate", *given, *(word.replace("{files}", str(files)) for word in words))
    assert (code, out) == (2, [])
    assert err[0] == message.replace("{files}", str(files))
