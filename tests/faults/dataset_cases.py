"""Broken datasets as data: for each its files, and the whole message that a person gets (exit code 2).

`{folder}` in a message stands for the dataset's folder, whose name is `broken`. What reports them is told
elsewhere: test_dataset_faults.py calls the task, the command line runs over the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

from tests.faults.file_cases import FILES
from tests.faults.permission_cases import PERMISSIONS
from tests.faults.sound import CORPUS, HEADER, LABELS, QUERIES, SOUND

ENDING = "\nNothing was written. Correct the errors at the places named above and run this again."


@dataclass(frozen=True)
class Case:
    """One broken dataset.

    Args:
        name: what is broken, in words.
        files: content by name; the folder is not made when there are none.
        message: the whole message of the Problem.
    """

    name: str
    files: dict[str, str | bytes]
    message: str

    def build(self, parent: Path) -> Path:
        """Write the dataset below `parent` and return its folder."""
        folder = parent / "broken"
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    def message_for(self, folder: Path) -> str:
        """Return the message as it reads for the dataset in `folder`."""
        return self.message.replace("{folder}", str(folder))


def _case(name: str, totals: str, report: str, **changes: str | bytes | None) -> Case:
    """Return the sound dataset with changes; a key is a file (its ending may be left out), None removes it."""
    endings = {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels.tsv"}
    files = {**SOUND, **{endings.get(key, key): content for key, content in changes.items()}}
    lines = indent(dedent(report).strip(), "  ")
    message = f"Dataset broken problem: {totals} in {{folder}}:\n{lines}{ENDING}"
    return Case(name, {file: content for file, content in files.items() if content is not None}, message)


MISSING = Case(
    "no such folder",
    {},
    "Dataset broken problem: 1 error in {folder}:\n"
    "  error missing-folder (1): the dataset's folder is missing. "
    "Name a folder (dataset.path) with corpus.jsonl, queries.jsonl and qrels.tsv.\n"
    f"      {{folder}}{ENDING}",
)

CASES = [
    MISSING,
    _case(
        "an empty folder but for a note",
        "3 errors",
        """
          error missing-file (2): a file of the dataset is missing or cannot be read. Put the file there, under exactly this name.
              corpus.jsonl
              queries.jsonl
          error missing-labels (1): there is neither qrels.tsv nor qrels/<split>.tsv. Add one: its first line is query-id, corpus-id, score, separated by tabs.
              qrels.tsv
        """,
        corpus=None,
        queries=None,
        qrels=None,
        **{"README.md": "nothing here"},
    ),
    _case(
        "a file cut off in the middle of a line",
        "1 error",
        """
          error bad-json (1): a line is not JSON. Write one JSON object on each line.
              corpus.jsonl:2 Unterminated string starting at column 23
        """,
        corpus=CORPUS[:-8],
    ),
    _case(
        "a compressed file under the plain name",
        "1 error",
        """
          error not-utf8 (1): a line is not UTF-8. Convert the file to UTF-8 (iconv -f latin1 -t utf-8).
              corpus.jsonl:1 byte 0x8b at position 1
        """,
        corpus=b"\x1f\x8b\x08\x00" + bytes(range(128, 140)),
    ),
    _case(
        "one JSON array instead of lines",
        "2 errors",
        """
          error bad-json (1): a line is not JSON. Write one JSON object on each line.
              queries.jsonl:1 Expecting value at column 2
          error not-an-object (1): a line is JSON, but no object. Write {"_id": "…", "text": "…"} on each line.
              queries.jsonl:2 []
        """,
        queries="[\n[]\n",
    ),
    _case(
        "ids that lost their quotes",
        "3 errors",
        """
          error id-not-string (3): an _id is not a string. Put it in quotes as it should be compared ("1" and "001" are two ids).
              corpus.jsonl:1 _id 1
              corpus.jsonl:2 _id 1.5
              corpus.jsonl:3 _id true
        """,
        corpus='{"_id": 1, "text": "x"}\n{"_id": 1.5, "text": "y"}\n{"_id": true, "text": "z"}\n',
    ),
    _case(
        "more than three of a kind",
        "5 errors",
        """
          error duplicate-id (5): an id stands on two lines. Keep one of the rows, or give the other an id of its own.
              corpus.jsonl:3 id d1, first at corpus.jsonl:1
              corpus.jsonl:4 id d1, first at corpus.jsonl:1
              corpus.jsonl:5 id d1, first at corpus.jsonl:1
        """,
        corpus=CORPUS + '{"_id": "d1", "text": "again"}\n' * 5,
    ),
    _case(
        "labels without a header",
        "1 error",
        r"""
          error bad-header (1): the first line of a label file is not query-id, corpus-id, score (and source, if any). Put these names on the first line, separated by tabs.
              qrels.tsv:1 q1\td1\t1
        """,
        qrels="q1\td1\t1\nq2\td2\t1\n",
    ),
    _case(
        "labels separated by spaces",
        "1 error",
        """
          error bad-header (1): the first line of a label file is not query-id, corpus-id, score (and source, if any). Put these names on the first line, separated by tabs.
              qrels.tsv:1 query-id corpus-id score
        """,
        qrels=LABELS.replace("\t", " "),
    ),
    _case(
        "relevances that are no whole numbers",
        "3 errors",
        """
          error bad-relevance (3): a relevance is not a whole number. Write 0, 1, 2, … (1.0 is read as 1); decide what a fraction means before you round it.
              qrels.tsv:2 query q1 document d1: 0.5
              qrels.tsv:3 query q1 document d2: NaN
              qrels.tsv:4 query q2 document d2: yes
        """,
        qrels=f"{HEADER}q1\td1\t0.5\nq1\td2\tNaN\nq2\td2\tyes\n",
    ),
    _case(
        "two judges who disagree",
        "1 error",
        """
          error contradictory-label (1): one query and document have two different relevances. Keep the line that is right.
              qrels.tsv:4 query q1 document d1: 2, but 1 at qrels.tsv:2
        """,
        qrels=f"{LABELS}q1\td1\t2\n",
    ),
    _case(
        "labels of another corpus, whose ids are padded",
        "2 errors",
        """
          error no-known-document (2): none of the labelled documents is in corpus.jsonl. Compare how both files write ids (padding, prefix, case), or the files themselves.
              qrels.tsv:2 document 0756, but corpus.jsonl:1 has 756
              qrels.tsv:3 document 0001
        """,
        corpus='{"_id": "756", "text": "x"}\n{"_id": "2", "text": "y"}\n',
        qrels=f"{HEADER}q1\t0756\t1\nq2\t0001\t1\n",
    ),
    _case(
        "a query in dev and in test",
        "1 error",
        """
          error split-contradiction (1): a label stands in the file of a split that is not its query's. Let metadata.split and one label file agree: dev and test must not share a query.
              qrels/test.tsv:2 query q1 is also in dev
        """,
        qrels=None,
        **{"qrels/dev.tsv": f"{HEADER}q1\td1\t1\n", "qrels/test.tsv": f"{HEADER}q1\td2\t1\nq2\td2\t1\n"},
    ),
    _case(
        "a split that would lead out of the folder",
        "1 error",
        """
          error bad-split (1): a split (metadata.split or the name of a label file) is not a plain name. Use letters, digits, - and _ only, as in test.
              queries.jsonl:2 split is "../../etc/passwd"
        """,
        queries=QUERIES.replace('"test"', '"../../etc/passwd"'),
    ),
    *(
        _case(name, totals, report, corpus=CORPUS + documents, queries=queries)
        for name, totals, report, documents, queries in PERMISSIONS
    ),
    *(_case(name, totals, report, **changes) for name, totals, report, changes in FILES),
    _case(
        "everything at once: errors first, then what else was seen",
        "3 errors, 2 warnings, 1 notice",
        """
          error not-a-string (1): a title or text is not a string. Put it in quotes, or leave the field out.
              corpus.jsonl:3 title is 7
          error empty-query (1): a query has no text. Give it a text, or leave it out together with its labels.
              queries.jsonl:2 id q2
          error bad-columns (1): a label has another number of columns than the header. Separate query id, document id and relevance by one tab each.
              qrels.tsv:4 q2
          warning empty-document (1): a document has neither title nor text and gets no vector. Give it a text, or leave it out.
              corpus.jsonl:4 id d4
          warning unknown-document (1): a label names a document that corpus.jsonl lacks, so that no system can find it. Add the document, correct the id, or drop the label.
              qrels.tsv:5 document D1, but corpus.jsonl:1 has d1
          notice repeated-label (1): the same judgment stands on several lines and counts once. Nothing needs doing.
              qrels.tsv:6 query q1 document d1: 1, first at qrels.tsv:2
        """,
        corpus=CORPUS + '{"_id": "d3", "title": 7, "text": "x"}\n{"_id": "d4"}\n',
        queries=QUERIES.replace('"printer"', '"  "'),
        qrels=f"{LABELS}q2\nq2\tD1\t1\nq1\td1\t1.0\n",
    ),
]
