"""Sources that cannot be imported, each with its whole message."""

# ruff: noqa: ISC004 - messages of several lines in tables

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.unit.datasets.importing.trec_source import TREC
from tests.unit.datasets.sound_dataset import SOUND
from vara.errors import Problem

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


def _encrypted(content):
    flags = bytearray(content)
    for start, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = flags.find(start)
        while place >= 0:
            flags[place + at] |= 1
            place = flags.find(start, place + 4)
    return bytes(flags)


def _patched(start, at, value):
    """Change a field in every header of a zip that begins with `start`."""

    def patch(content):
        changed = bytearray(content)
        place = changed.find(start)
        while place >= 0:
            changed[place + at : place + at + len(value)] = value
            place = changed.find(start, place + 4)
        return bytes(changed)

    return patch


DAMAGED_ARCHIVES = {
    "encrypted": _encrypted,
    "an unknown compression": _patched(b"PK\x01\x02", 10, b"\x63\x00"),
    "a later version": _patched(b"PK\x01\x02", 6, b"\xff\x00"),
    "another local name": _patched(b"PK\x03\x04", 30, b"X"),
    "another local mark": lambda content: content.replace(b"PK\x03\x04", b"PK\x03\x05"),
    "damaged bytes": lambda content: content.replace(b"BZh9", b"BZh0"),
    "damaged filters": lambda content: content.replace(b"\x09\x04\x05\x00\x5d", b"\x09\x04\x05\x00\xff"),
}
PACKED = {"damaged bytes": zipfile.ZIP_BZIP2, "damaged filters": zipfile.ZIP_LZMA}


@pytest.mark.parametrize("name", DAMAGED_ARCHIVES)
@pytest.mark.parametrize("ending", ["zip", "ZIP"])
def test_an_archive_that_cannot_be_read_is_one_problem(imported, tmp_path, name, ending):
    path = tmp_path / f"x.{ending}"
    with zipfile.ZipFile(path, "w", PACKED.get(name, zipfile.ZIP_DEFLATED)) as archive:
        for file, content in SOUND.items():
            archive.writestr(file, content)
    content = DAMAGED_ARCHIVES[name](path.read_bytes())
    assert content != path.read_bytes()
    path.write_bytes(content)
    with pytest.raises(Problem, match="archive"):
        imported("beir", {}, source=path)
