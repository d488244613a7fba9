"""Imports, whole: small sources in each form become datasets whose every line is known."""

# ruff: noqa: ISC004 - messages of several lines in tables

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from tests.unit.datasets.sound_dataset import SOUND, write_dataset
from vara.datasets.dataset import load_dataset
from vara.datasets.importing.columns import read_map
from vara.datasets.importing.find import find_source
from vara.datasets.importing.importer import Importer
from vara.datasets.tables import table_digest
from vara.errors import Problem
from vara.watch import Silence

TABLES = ("documents", "queries", "labels")


@pytest.fixture
def put(tmp_path):
    """Write files into a folder `source` and return it."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / "source" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "source"

    return write


@pytest.fixture
def imported(put, tmp_path):
    """Import files; return what was counted, and {file: lines}."""

    def call(form, files, *, mapping=(), splits=(), source=None, **named):
        root = put(files) if source is None else source
        target = tmp_path / "target"
        target.mkdir()
        chosen = dict.fromkeys(TABLES) | named
        found = find_source(root, form, chosen, Silence())
        counted = Importer(form, read_map(mapping), splits).run(found, target)
        written = {
            path.relative_to(target).as_posix(): path.read_text().splitlines()
            for path in sorted(target.rglob("*"))
            if path.is_file()
        }
        return counted, {
            name: [json.loads(line) for line in lines] if name.endswith(".jsonl") else lines
            for name, lines in written.items()
        }

    return call


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


TREC = {
    "docs.trec": (
        "<DOC>\n<DOCNO> FT911-1 </DOCNO>\n<HEADLINE>Of &amp; on</HEADLINE>\n<TEXT>\nOne.\n\nTwo.\n</TEXT>\n"
        "<DATE>910101</DATE>\n</DOC>\n<doc><docno>001</docno><text>A</text><text>B</text></doc>\n"
    ),
    "topics.301": (
        "<top>\n<num> Number: 301 \n<title> Organized Crime\n\n<desc> Description: \nIdentify them.\n"
        "<narr> Narrative: \nAny.\n</top>\n"
    ),
    "qrels.txt": "# judged by hand\n301 0 FT911-1 1\n301\t0\t001\t-1\n\n",
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


CSV = {
    "corpus.csv": "id,text\nd1,x\n",
    "queries.csv": "id,text\nq1,y\n",
    "qrels.csv": "query_id,doc_id,relevance\nq1,d1,1\n",
}
DONE = "Nothing was imported. Correct the errors at the places named above and run this again."

BROKEN = {
    "no such column": (
        {**CSV, "queries.csv": "qid,question\nq1,y\n"},
        {},
        "queries.csv problem: no column for _id, text, expected one of qid, question. "
        "Say which it is: --map queries._id=COLUMN.",
    ),
    "a column twice": (
        {**CSV, "corpus.csv": "id,text,text\nd1,x,y\n"},
        {},
        "corpus.csv problem: column text twice, expected each column once. Rename one of them.",
    ),
    "a row that is too long": (
        {**CSV, "corpus.csv": "id,text\nd1,x\nd2,x,y\n"},
        {},
        "import problem: 1 error:\n  error bad-row (1): a row has another number of cells than the header. "
        "Quote cells that hold the separator; in a .tsv file no cell can hold a tab.\n"
        f"      corpus.csv:3 3 cells, the header has 2\n{DONE}",
    ),
    "quotes that do not close": (
        {**CSV, "corpus.csv": 'id,text\nd1,"x\n'},
        {},
        "corpus.csv problem: unexpected end of data (corpus.csv:2). Close the quotes; double those inside of a cell.",
    ),
    "Latin-1": (
        {**CSV, "corpus.csv": "id,text\nd1,é\n".encode("latin1")},
        {},
        "corpus.csv problem: byte 0xe9 is not UTF-8 (corpus.csv:2). "
        "Convert the file to UTF-8 (iconv -f latin1 -t utf-8).",
    ),
    "no header": (
        {**CSV, "qrels.csv": ""},
        {},
        "qrels.csv problem: no header, expected names of columns. Name the columns on the first line.",
    ),
    "an id with a tab": (
        {**CSV, "qrels.csv": 'query_id,doc_id,relevance\nq1,"d\t1",1\n'},
        {},
        "import problem: 1 error:\n  error unwritable-id (1): an id holds a tab or a line break, which qrels.tsv "
        "cannot carry. Give the row another id, in the labels, too.\n"
        f"      qrels.csv:2 query q1 document d\\t1\n{DONE}",
    ),
    "a split that is a path": (
        {**CSV, "qrels.csv": "query_id,doc_id,relevance,split\nq1,d1,1,../../x\n"},
        {},
        "import problem: 1 error:\n  error bad-split (1): a split (metadata.split or the name of a label file) is not "
        "a plain name. Use letters, digits, - and _ only, as in test.\n"
        f"      qrels.csv:2 split is '../../x'\n{DONE}",
    ),
    "no labels": (
        {name: content for name, content in CSV.items() if name != "qrels.csv"},
        {},
        "{source} problem: no labels, expected qrels.csv or labels.csv. Name the file with --labels.",
    ),
    "two files that may be meant": (
        {**CSV, "docs.csv": "id,text\n"},
        {},
        "{source} problem: corpus.csv, docs.csv may all be the documents. Name one with --documents.",
    ),
    "a mapping that no file has": (
        CSV,
        {"mapping": ["queries.text=question"]},
        "queries.csv problem: no column for text, expected one of id, text. "
        "Say which it is: --map queries.text=COLUMN.",
    ),
    "a mapping of a column that nobody needs": (
        CSV,
        {"mapping": ["title=headline"]},
        "--map problem: no file has 'headline', which should be documents.title. "
        "Correct the column's name; case counts.",
    ),
    "a mapping to a field that there is not": (
        CSV,
        {"mapping": ["queries.txt=body"]},
        "--map problem: unknown field 'queries.txt'. Near fields: queries.text, queries._id.",
    ),
    "half a mapping": (
        CSV,
        {"mapping": ["text"]},
        "--map problem: 'text', expected FIELD=COLUMN. Write it like text=body.",
    ),
    "a file that is not there": (
        CSV,
        {"labels": Path("none.csv")},
        "--labels problem: no file none.csv. Name a file of the source, or a path.",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_sources_that_cannot_be_imported(imported, tmp_path, name):
    files, options, message = BROKEN[name]
    with pytest.raises(Problem) as caught:
        imported("csv", files, **options)
    assert str(caught.value) == message.replace("{source}", str(tmp_path / "source"))


def test_all_that_is_wrong_with_json_is_said_at_once(imported):
    files = {
        "corpus.jsonl": '{"_id": true, "text": "x"}\n{"text": "y"}\n{"_id": "d", "text": [1]}\n'
        '{"_id": "e", "text": "z", "a": 1, "metadata": {"a": 2}}\n{"_id": "f"\n',
        "queries.jsonl": '{"_id": "q", "text": "t"}\n',
        "qrels.jsonl": '{"query_id": "q", "relevance": 1}\n',
    }
    with pytest.raises(Problem) as caught:
        imported("jsonl", files)
    lines = str(caught.value).splitlines()
    assert lines[0] == "import problem: 6 errors:"
    assert [line.split()[1] for line in lines if line.startswith("  error")] == [
        "bad-json",
        "missing-id",
        "id-not-string",
        "not-a-string",
        "both-places",
    ]


def test_trec_markup_that_does_not_fit(imported):
    files = {
        **TREC,
        "docs.trec": "<DOC><TEXT>no number</TEXT></DOC>\n<DOC><DOCNO>1</DOCNO>\n",
        "qrels.txt": "301 d 1\n",
    }
    with pytest.raises(Problem) as caught:
        imported("trec", files)
    shown = [line.strip() for line in str(caught.value).splitlines()]
    assert {"docs.trec:1", "docs.trec:2", "qrels.txt:1 301 d 1"} <= set(shown)


def test_an_archive_of_two_datasets(put, imported, tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        for folder in "ab":
            archive.writestr(f"{folder}/corpus.jsonl", "")
    with pytest.raises(Problem) as caught:
        imported("beir", {}, source=tmp_path / "two.zip")
    assert str(caught.value) == (
        f"{tmp_path}/two.zip problem: 2 folders with corpus.jsonl, expected one dataset. "
        "Unpack it, and import the folder that you mean."
    )


def test_every_sound_dataset_survives_an_import(imported, tmp_path):
    """The import of an import is the import: nothing is lost, and nothing is added."""
    source = write_dataset(
        tmp_path / "sound", {"qrels.tsv": SOUND["qrels.tsv"].replace("score", "score\tsource")}
    )
    imported("beir", {}, source=source)
    assert same_tables(load_dataset(source), load_dataset(tmp_path / "target"))
