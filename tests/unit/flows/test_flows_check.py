"""`vara check`: its report, its JSON, its exit code; with the model's tokenizer, with a log, outside of a workspace."""

# ruff: noqa: ISC004 - messages of several lines

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.workspace import Workspace
from tests.unit.datasets.sound_dataset import SOUND, more, write_dataset
from tests.unit.flows.conftest import Vara


def test_the_report_of_a_sound_dataset(vara: Vara) -> None:
    code, out, err = vara("check", "data/small")
    assert (code, err) == (0, [])
    assert out[0] == "small: 8 documents, 6 queries, 10 labels; 3 warnings, 6 notices"
    assert out[1:3] == [
        "  warning unknown-document (1): a label names a document that corpus.jsonl lacks, so that no system can find "
        "it. Add the document, correct the id, or drop the label.",
        "      qrels.tsv:11 document dx",
    ]


def test_the_form_that_other_programs_rely_on(vara: Vara) -> None:
    code, out, err = vara("check", "data/small", "--json")
    assert (code, err, len(out)) == (0, [], 1)
    answer = json.loads(out[0])
    assert answer["counts"] == {"documents": 8, "queries": 6, "labels": 10}
    first = answer["findings"][0]
    assert first == {
        "code": "unknown-document",
        "severity": "warning",
        "count": 1,
        "examples": ["qrels.tsv:11 document dx"],
        "where": "qrels.tsv:11",
    }
    # split dev has one answerable query, the shipped language groups 1 and 4; params.yaml here says min_group 2
    small = next(one for one in answer["findings"] if one["code"] == "small-group")
    assert small["examples"] == ["queries.jsonl split dev, language=en: 1"]


def test_a_broken_dataset_ends_with_2_and_its_findings_on_stdout(vara: Vara, tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "broken", more("corpus.jsonl", '{"_id": 3, "text": "x"}'))
    code, out, err = vara("check", str(folder))
    assert (code, err) == (2, [])
    assert out[0] == "broken: 2 documents, 2 queries, 2 labels; 1 error, 6 notices"
    assert out[1].startswith("  error id-not-string (1): ")
    code, out, _ = vara("check", str(folder), "--json")
    assert (code, json.loads(out[0])["findings"][0]["code"]) == (2, "id-not-string")


def test_shares_stand_beside_counts(vara: Vara, tmp_path: Path) -> None:
    folder = write_dataset(
        tmp_path / "long", more("corpus.jsonl", json.dumps({"_id": "d3", "text": "Word. " * 500}))
    )
    _, out, _ = vara("check", str(folder))
    assert any(line.startswith("  warning overlong-document (1, 33.33% of documents): ") for line in out)
    _, out, _ = vara("check", str(folder), "--json")
    assert json.loads(out[0])["shares"]["overlong-document"] == pytest.approx(1 / 3)


def test_tokens_of_the_models_own_tokenizer(vara: Vara, tmp_path: Path, ran: Workspace) -> None:
    """The tiny model reads 192 tokens; 500 words are more, and the two short documents are not."""
    folder = write_dataset(
        tmp_path / "long", more("corpus.jsonl", json.dumps({"_id": "d3", "text": "word " * 500}))
    )
    codes = {}
    for words in ([], ["--tokens"]):
        _, out, _ = vara("check", str(folder), "--json", *words)
        codes[bool(words)] = {one["code"]: one["examples"] for one in json.loads(out[0])["findings"]}
    assert "truncated-document" not in codes[False]
    (example,) = codes[True]["truncated-document"]
    assert example.startswith("corpus.jsonl:3 id d3: ")
    assert int(example.split()[-2]) > 500


def test_a_log_of_real_queries(vara: Vara, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"query": "how do i get my money back from you"}\n')
    code, out, _ = vara("check", "data/small", "--log", str(log), "--json")
    found = {one["code"]: one for one in json.loads(out[0])["findings"]}
    assert (code, found["unlike-log"]["where"]) == (0, "log.jsonl")


def test_a_log_that_is_a_folder(vara: Vara, tmp_path: Path) -> None:
    code, out, err = vara("check", "data/small", "--log", str(tmp_path), "--json")
    assert (code, out) == (2, [])
    assert err == [f"{tmp_path} problem: Is a directory. Name another file with --log."]


def test_a_log_that_is_not_there_is_said_on_stderr(vara: Vara) -> None:
    code, out, err = vara("check", "data/small", "--log", "none.txt", "--json")
    assert (code, out) == (2, [])
    assert err == ["none.txt problem: No such file or directory. Name another file with --log."]


def test_a_log_without_a_query(vara: Vara, tmp_path: Path) -> None:
    log = tmp_path / "none.txt"
    log.write_text("\n")
    code, out, err = vara("check", "data/small", "--log", str(log), "--json")
    assert (code, out) == (2, [])
    assert err == [
        f"{log} problem: no query, expected one query a line, or JSON objects with text, query, user_query. "
        "Name another file with --log."
    ]


def test_no_workspace_is_needed(vara: Vara, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [
        f'{{"_id": "g{n}", "text": "x{n}", "metadata": {{"split": "test", "language": "es"}}}}'
        for n in range(4)
    ]
    labels = [f"g{n}\td1\t1" for n in range(4)]
    write_dataset(tmp_path / "mine", {**more("queries.jsonl", *queries), **more("qrels.tsv", *labels)})
    monkeypatch.chdir(tmp_path)
    code, out, _ = vara("check", "mine", "--json")
    small = next(one for one in json.loads(out[0])["findings"] if one["code"] == "small-group")
    assert (code, small["examples"]) == (
        0,
        ["queries.jsonl split test, language=es: 4"],
    )  # 5 is the shipped min_group


def test_a_folder_called_dot_has_its_own_name(
    vara: Vara, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_dataset(tmp_path / "mine", {}))
    assert vara("check", ".")[1][0].startswith("mine: 2 documents")
    assert SOUND  # the dataset is the sound one
