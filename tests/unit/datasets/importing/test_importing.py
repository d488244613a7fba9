"""Imports, whole: small sources in each form become datasets whose every line is known."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

from tests.unit.datasets.importing.trec_source import TREC
from tests.unit.datasets.sound_dataset import SOUND, write_dataset
from vara.datasets.dataset import load_dataset
from vara.datasets.tables import table_digest

TABLES = ("documents", "queries", "labels")


QRELS = ["query-id\tcorpus-id\tscore"]


def test_csv_with_other_columns(imported):
    """Quotes, line breaks and blank lines inside of a cell stay; an empty cell is nothing; ids are never numbers."""
    counted, files = imported(
        "csv",
        {
            "corpus.csv": 'key,title,body,lang\r\n001,"A, b","one\n\n""two""",en\r\n1e5,,x,\r\n',
            "queries.tsv": 'qid\tquestion\tsplit\nNA\twhat "is\tdev\n',
            "qrels.csv": "query_id,doc_id,score\nNA,001,1.0\n",
        },
        mapping=["documents._id=key", "text=body", "queries._id=qid", "queries.text=question"],
    )
    assert files == {
        "corpus.jsonl": [
            {"_id": "001", "title": "A, b", "text": 'one\n\n"two"', "metadata": {"lang": "en"}},
            {"_id": "1e5", "text": "x"},
        ],
        "queries.jsonl": [{"_id": "NA", "text": 'what "is', "metadata": {"split": "dev"}}],
        "qrels.tsv": [*QRELS, "NA\t001\t1.0"],
    }
    assert (counted.documents, counted.queries, counted.labels) == (2, 1, {"": 1})


def test_jsonl_with_other_fields(imported):
    """An id that is a number is taken as it is written; what is not mapped goes into metadata, null is left out."""
    _, files = imported(
        "jsonl",
        {
            "docs.jsonl": '{"id": 1.0, "body": "x", "price": 2.50, "note": null, "metadata": {"a": 1}}\n'
            '{"id": 10000000000000000000001, "body": "y"}\n',
            "topics.ndjson": '{"id": "q", "text": "t", "tags": ["u"]}\n',
            "labels.jsonl": '{"query_id": "q", "doc_id": 1.0, "relevance": 2, "source": "llm", "split": "dev"}\n',
        },
        mapping=["text=body", "queries.text=text"],
    )
    assert files == {
        "corpus.jsonl": [
            {"_id": "1.0", "text": "x", "metadata": {"a": 1, "price": 2.5}},
            {"_id": "10000000000000000000001", "text": "y"},
        ],
        "queries.jsonl": [{"_id": "q", "text": "t", "metadata": {"tags": ["u"]}}],
        "qrels/dev.tsv": ["query-id\tcorpus-id\tscore\tsource", "q\t1.0\t2\tllm"],
    }


TREC_LINES = {
    "corpus.jsonl": [
        {"_id": "FT911-1", "title": "Of &amp; on", "text": "One.\n\nTwo.", "metadata": {"date": "910101"}},
        {"_id": "001", "text": "A\nB"},
    ],
    "queries.jsonl": [
        {"_id": "301", "text": "Organized Crime", "metadata": {"desc": "Identify them.", "narr": "Any."}}
    ],
    "qrels/test.tsv": [*QRELS, "301\tFT911-1\t1", "301\t001\t-1"],
}


def test_trec_as_nist_writes_it(imported):
    assert imported("trec", TREC)[1] == TREC_LINES


def test_packed_trec_is_the_same(imported):
    packed = {f"{name}.gz": gzip.compress(content.encode()) for name, content in TREC.items()}
    assert imported("trec", packed)[1] == TREC_LINES


def test_trec_topics_in_xml_and_texts_with_tabs(imported):
    _, files = imported(
        "trec",
        {
            "collection.tsv": "d1\tA text\nd2\tA title\tA text\n",
            "topics.xml": '<topics task="x">\r\n  <topic number="7">\r\n    <query>virus</query>\r\n'
            "    <question>what is it?</question>\r\n  </topic>\r\n</topics>\r\n",
            "qrels": "7 0 d1 1\n",
        },
    )
    assert files["corpus.jsonl"] == [
        {"_id": "d1", "text": "A text"},
        {"_id": "d2", "title": "A title", "text": "A text"},
    ]
    assert files["queries.jsonl"] == [{"_id": "7", "text": "virus", "metadata": {"question": "what is it?"}}]


def test_another_field_of_a_topic_can_be_its_text(imported):
    _, files = imported("trec", TREC, mapping=["queries.text=desc"], splits=["dev"])
    assert files["queries.jsonl"][0]["text"] == "Identify them."
    assert "qrels/dev.tsv" in files


def same_tables(one, other):
    return all(table_digest(one.tables[name]) == table_digest(other.tables[name]) for name in TABLES)


def test_beir_is_taken_as_it_is_from_a_folder_and_from_a_zip(put, imported, tmp_path):
    source = put(SOUND)
    with zipfile.ZipFile(tmp_path / "scifact.zip", "w") as archive:
        archive.writestr("../outside.txt", "never unpacked")
        for name, content in SOUND.items():
            archive.writestr(f"scifact/{name}", content)
    imported("beir", {}, source=tmp_path / "scifact.zip")
    assert same_tables(load_dataset(source), load_dataset(tmp_path / "target"))
    assert not (tmp_path.parent / "outside.txt").exists()


def test_a_zip_in_capitals(imported, tmp_path):
    with zipfile.ZipFile(tmp_path / "SCIFACT.ZIP", "w") as archive:
        for name, content in SOUND.items():
            archive.writestr(name, content)
    assert imported("beir", {}, source=tmp_path / "SCIFACT.ZIP")[0].documents == 2


SPLITS = {
    "corpus.jsonl": SOUND["corpus.jsonl"],
    "queries.jsonl": "".join(f'{{"_id": "q{n}", "text": "x"}}\n' for n in range(4)),
    "qrels/dev.tsv": "query-id\tcorpus-id\tscore\tsource\nq0\td1\t1\tllm\n",
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t0\n",
    "qrels/train.tsv": "query-id\tcorpus-id\tscore\n",
}


def test_splits_as_files(imported):
    counted, files = imported("beir", SPLITS)
    assert counted.labels == {"dev": 1, "test": 2}
    assert {name: lines for name, lines in files.items() if name.startswith("qrels")} == {
        name: content.splitlines() for name, content in SPLITS.items() if name.startswith("qrels")
    }


def test_one_split_of_them_and_its_queries(imported):
    counted, files = imported("beir", SPLITS, splits=["test"])
    assert (counted.documents, counted.queries, counted.labels) == (2, 2, {"test": 2})
    assert [query["_id"] for query in files["queries.jsonl"]] == ["q1", "q2"]
    assert [name for name in files if name.startswith("qrels")] == ["qrels/test.tsv"]


def test_one_split_where_queries_name_theirs(imported):
    counted, files = imported("beir", SOUND, splits=["dev"])
    assert [query["_id"] for query in files["queries.jsonl"]] == ["q1"]
    assert files["qrels.tsv"] == [*QRELS, "q1\td1\t1"]
    assert counted.labels == {"": 1}


def test_the_file_of_the_documents_as_source_and_others_by_name(put, imported):
    source = put(
        {
            "articles.csv": "id,text\na,x\n",
            "asked/q.csv": "id,text\nq,y\n",
            "judged.csv": "query_id,doc_id,score\nq,a,1\n",
        }
    )
    named = {"queries": Path("asked/q.csv"), "labels": source / "judged.csv"}
    counted, _ = imported("csv", {}, source=source / "articles.csv", **named)
    assert (counted.documents, counted.queries, counted.labels) == (1, 1, {"test": 1})


def test_every_sound_dataset_survives_an_import(imported, tmp_path):
    """The import of an import is the import: nothing is lost, and nothing is added."""
    source = write_dataset(
        tmp_path / "sound", {"qrels.tsv": SOUND["qrels.tsv"].replace("score", "score\tsource")}
    )
    imported("beir", {}, source=source)
    assert same_tables(load_dataset(source), load_dataset(tmp_path / "target"))
