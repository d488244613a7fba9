"""What a dataset becomes: ids byte for byte, typed columns, splits, counts; and what labels may not touch."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.datasets.sound_dataset import SOUND, more, write_dataset
from vara.datasets.dataset import dataset_counts, load_dataset
from vara.datasets.findings import Findings, printable
from vara.datasets.ids import Ids, clean_id
from vara.datasets.labels import parse_relevance
from vara.datasets.splits import query_splits
from vara.datasets.tables import table_digest
from vara.errors import Problem

CORPUS, QUERIES, LABELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
LOOKALIKES = [
    "001",
    "1",
    "01",
    "1.0",
    "1e5",
    "100000",
    "NA",
    "null",
    "None",
    "nan",
    "true",
    " 1",
    '"1"',
    "1 ",
]


def test_ids_that_look_like_numbers_or_nothing_stay_apart(build):
    corpus = [json.dumps({"_id": name, "text": "x"}) for name in LOOKALIKES]
    labels = [f"q1\t{name}\t1" for name in LOOKALIKES]
    dataset = load_dataset(build({**more(CORPUS, *corpus), **more(LABELS, *labels)}))
    assert dataset.documents["doc_id"].to_list() == ["d1", "d2", *LOOKALIKES]
    assert dataset.labels["doc_id"].to_list() == ["d1", "d2", *LOOKALIKES]
    assert [finding.code for finding in dataset.findings] == ["unportable-id"]  # " 1" and "1 "


def test_only_a_bom_and_a_final_cr_leave_an_id():
    findings = Findings()
    assert clean_id("\ufeff d\ufeff1 \r\r", findings, "here:1") == " d\ufeff1 \r"
    assert [finding.code for finding in findings.all()] == ["bom-removed", "cr-removed"]


@given(st.text().filter(lambda name: not name.startswith("\ufeff") and not name.endswith("\r")))
def test_any_other_id_is_taken_as_it_is(name):
    assert Ids(Findings()).take(name, "here:1") == (name or None)


def test_crlf_and_bom_files_are_the_same_dataset_as_plain_ones(tmp_path):
    plain = load_dataset(write_dataset(tmp_path / "plain", {}))
    changes = {name: "\ufeff" + content.replace("\n", "\r\n") for name, content in SOUND.items()}
    windows = load_dataset(write_dataset(tmp_path / "windows", changes))
    assert [finding.code for finding in windows.findings] == ["bom-removed", "cr-removed"]
    for table, frame in plain.tables.items():
        assert table_digest(windows.tables[table]) == table_digest(frame)


def test_columns_of_documents_and_queries(build):
    document = {
        "_id": "d3",
        "title": None,
        "text": "a\u2028b",  # a line separator ends no line
        "metadata": {"status": "archived", "b": 1, "audience": "staff", "a": ["é"]},
    }
    query = {
        "_id": "q3",
        "text": "x",
        "metadata": {
            "split": "dev",
            "language": "de",
            "category": "net",
            "allowed": ["staff"],
            "scope": {"b": [1, True], "a": "é"},
        },
    }
    everyone = '{"_id": "d4", "title": "", "text": "x", "metadata": {"audience": "everyone"}}'
    dataset = load_dataset(
        build(
            {
                **more(CORPUS, json.dumps(document, ensure_ascii=False), everyone),
                **more(QUERIES, json.dumps(query)),
            }
        )
    )
    assert dataset.documents.row(2) == (
        "d3",
        None,
        "a\u2028b",
        '{"a":["é"],"audience":"staff","b":1,"status":"archived"}',
        True,
        "staff",
    )
    assert dataset.documents.row(3) == ("d4", "", "x", '{"audience":"everyone"}', False, None)
    metadata = (
        '{"allowed":["staff"],"category":"net","language":"de","scope":{"a":"é","b":[1,true]},"split":"dev"}'
    )
    assert dataset.queries.row(2) == (
        "q3",
        "x",
        "dev",
        metadata,
        "de",
        "net",
        ["staff"],
        '{"a":"é","b":[1,true]}',
    )


def test_a_document_is_hidden_from_a_query_without_its_audience_only(lint):
    staff = more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"audience": "staff"}}')
    label = more(LABELS, "q3\td3\t1")
    for allowed, found in (('["guests"]', ["hidden-label"]), ("[]", ["hidden-label"]), ('["staff"]', [])):
        query = f'{{"_id": "q3", "text": "x", "metadata": {{"split": "dev", "allowed": {allowed}}}}}'
        assert [line.split()[1] for line in lint({**staff, **label, **more(QUERIES, query)})] == found


def test_sources(build):
    header = "query-id\tcorpus-id\tscore\tsource\n"
    rows = "q1\td1\t1\tmodel x\nq1\td2\t1\t\nq2\td2\t1\n"
    dataset = load_dataset(build({LABELS: header + rows}))
    assert dataset.labels["source"].to_list() == ["model x", "human", "human"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("2", 2), ("1.0", 1), ("2.000", 2), ("-1", -1), ("-2.0", -2), ("2147483647", 2147483647)]
    + [
        (text, None)
        for text in (
            "2147483648",
            "0.5",
            "1.",
            ".0",
            "NaN",
            "inf",
            "1e0",
            "+1",
            " 1",
            "1_0",
            "\uff11",
            "",
            "high",
        )
    ],
)
def test_relevance(text, value):
    assert parse_relevance(text) == value


def test_a_split_comes_from_the_query_else_from_its_label_file(build):
    dataset = load_dataset(
        build(
            {
                LABELS: None,
                QUERIES: '{"_id": "q1", "text": "x"}\n{"_id": "q2", "text": "x", "metadata": {"split": "dev"}}\n'
                '{"_id": "q3", "text": "x"}\n',
                "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
            }
        )
    )
    assert dataset.queries["split"].to_list() == [None, "dev", None]
    assert dataset.labels["split"].to_list() == ["test"]
    assert query_splits(dataset.queries, dataset.labels) == {"q1": "test", "q2": "dev", "q3": None}


def test_labels_in_one_file_take_the_split_of_their_query(build):
    assert load_dataset(build({})).labels["split"].to_list() == ["dev", "test"]


def test_no_label_touches_documents_or_queries(tmp_path):
    """What is made before evaluation reads these two tables: a label must not change a vector's key."""
    header = "query-id\tcorpus-id\tscore\n"
    plain = {LABELS: None, QUERIES: '{"_id": "q1", "text": "x"}\n{"_id": "q2", "text": "y"}\n'}
    one = load_dataset(write_dataset(tmp_path / "one", {**plain, "qrels/dev.tsv": f"{header}q1\td1\t1\n"}))
    two = load_dataset(write_dataset(tmp_path / "two", {**plain, "qrels/test.tsv": f"{header}q2\td2\t3\n"}))
    assert table_digest(one.documents) == table_digest(two.documents)
    assert table_digest(one.queries) == table_digest(two.queries)
    assert table_digest(one.labels) != table_digest(two.labels)


def test_counts(build):
    changes = {
        **more(
            CORPUS,
            '{"_id": "d3", "text": "x", "metadata": {"status": "archived", "audience": "staff"}}',
            '{"_id": "d4", "text": " "}',
        ),
        **more(LABELS, "q1\td2\t0", "q1\tdx\t2"),
    }
    assert dataset_counts(load_dataset(build(changes))) == {
        "dataset": "mini",
        "documents": {"n": 4, "n_archived": 1, "n_restricted": 1, "n_empty": 1},
        "queries": {"n": 2, "n_without_split": 0, "n_by_split": {"dev": 1, "test": 1}},
        "labels": {
            "n": 4,
            "n_by_relevance": {"0": 1, "1": 1, "2": 2},
            "n_by_source": {"human": 4},
            "n_by_split": {"dev": 3, "test": 1},
        },
        "findings": {"empty-document": 1, "unknown-document": 1},
        "severity": {"empty-document": "warning", "unknown-document": "warning"},
    }


def test_hidden_and_other_files_beside_the_label_files_are_left_alone(build):
    strays = {"qrels/._test.tsv": b"\x00\x05", "qrels/README.md": "x", "qrels/test.tsv.bak": "x"}
    dataset = load_dataset(
        build({LABELS: None, "qrels/test.tsv": SOUND[LABELS].replace("q1\td1\t1\n", ""), **strays})
    )
    assert dataset.labels["split"].to_list() == ["test"]


def test_nothing_outside_the_folder_is_read_whatever_a_split_is_called(build):
    folder = build({LABELS: None, "../secret.tsv": "x", "qrels/test.tsv": SOUND[LABELS]})
    (folder / QUERIES).write_text(
        '{"_id": "q1", "text": "x", "metadata": {"split": "../../secret"}}\n', "utf-8"
    )
    with pytest.raises(Problem, match=r'split is "\.\./\.\./secret"') as caught:
        load_dataset(folder)
    assert caught.value.exit_code == 2


def test_examples_are_cut_and_harmless_to_a_terminal():
    assert printable("\x1b[2J" + "x" * 100) == "\\x1b[2J" + "x" * 73 + "…"
