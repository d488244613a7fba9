"""Broken files as data: name, totals, report, and what of the sound dataset is otherwise (dataset_cases.py)."""

# ruff: noqa: C408 - a case is a tuple of texts, some of many lines, and the changes by name

from __future__ import annotations

from tests.faults.sound import CORPUS, HEADER, LABELS, QUERIES

FILES = [
    (
        "UTF-16, as some editors save it",
        "3 errors",
        """
          error not-utf8 (1): a line is not UTF-8. Convert the file to UTF-8 (iconv -f latin1 -t utf-8).
              corpus.jsonl:1 byte 0xff at position 0
          error bad-json (2): a line is not JSON. Write one JSON object on each line.
              corpus.jsonl:2 Expecting value at column 1
              corpus.jsonl:3 Expecting value at column 1
        """,
        dict(corpus=CORPUS.encode("utf-16")),
    ),
    (
        "half of an emoji",
        "1 error",
        r"""
          error lone-surrogate (1): an escape such as \ud800 is half a character, which UTF-8 cannot hold. Write the whole surrogate pair, or the character itself.
              corpus.jsonl:3
        """,
        dict(corpus=CORPUS + '{"_id": "d3", "text": "\\ud83d"}\n'),
    ),
    (
        "a price that is NaN",
        "1 error",
        """
          error bad-json (1): a line is not JSON. Write one JSON object on each line.
              corpus.jsonl:3 NaN is not JSON
        """,
        dict(corpus=CORPUS + '{"_id": "d3", "text": "x", "metadata": {"price": NaN}}\n'),
    ),
    (
        "a text nested a hundred thousand deep",
        "1 error",
        """
          error bad-json (1): a line is not JSON. Write one JSON object on each line.
              corpus.jsonl:3 nested too deeply
        """,
        dict(corpus=CORPUS + "[" * 100_000 + "\n"),
    ),
    (
        "rows without an id",
        "3 errors",
        """
          error missing-id (3): a row has no id, or an empty one. Give every row an id that is a non-empty string.
              corpus.jsonl:3
              corpus.jsonl:4
              corpus.jsonl:5
        """,
        dict(corpus=CORPUS + '{"text": "x"}\n{"_id": null, "text": "y"}\n{"_id": "", "text": "z"}\n'),
    ),
    (
        "texts that are lists and numbers",
        "2 errors",
        """
          error not-a-string (2): a title or text is not a string. Put it in quotes, or leave the field out.
              corpus.jsonl:3 title is 5
              corpus.jsonl:3 text is ["x"]
        """,
        dict(corpus=CORPUS + '{"_id": "d3", "title": 5, "text": ["x"]}\n'),
    ),
    (
        "metadata that is a list",
        "1 error",
        """
          error bad-metadata (1): metadata is not a JSON object of ordinary values. Write {"name": value, …} with finite numbers, or leave the field out.
              corpus.jsonl:3 metadata is ["a"]
        """,
        dict(corpus=CORPUS + '{"_id": "d3", "text": "x", "metadata": ["a"]}\n'),
    ),
    (
        "a corpus without a single line",
        "1 error",
        """
          error no-documents (1): there is no document at all. Put documents into corpus.jsonl.
              corpus.jsonl
        """,
        dict(corpus=""),
    ),
    (
        "queries that are all blank lines",
        "1 error, 2 notices",
        """
          error no-queries (1): there is no query at all. Put queries into queries.jsonl.
              queries.jsonl
          notice blank-line (2): blank lines were skipped. Nothing needs doing.
              queries.jsonl:1
              queries.jsonl:2
        """,
        dict(queries="\n\n"),
    ),
    (
        "a query of nothing but blanks",
        "1 error",
        """
          error empty-query (1): a query has no text. Give it a text, or leave it out together with its labels.
              queries.jsonl:1 id q1
        """,
        dict(queries=QUERIES.replace('"reset"', '" \\t"')),
    ),
    (
        "queries without a split",
        "2 errors",
        """
          error missing-split (2): a query has no metadata.split, which qrels.tsv needs. Add "split": "dev" or "test" to its metadata, or use qrels/<split>.tsv.
              queries.jsonl:1 query q1
              queries.jsonl:2 query q2
        """,
        dict(queries='{"_id": "q1", "text": "reset"}\n{"_id": "q2", "text": "printer"}\n'),
    ),
    (
        "labels in both layouts",
        "1 error",
        """
          error both-layouts (1): qrels.tsv and qrels/<split>.tsv stand side by side. Keep one of them, so that each label has one home.
              qrels.tsv and qrels/test.tsv
        """,
        dict(**{"qrels/test.tsv": LABELS}),
    ),
    (
        "labels separated by commas",
        "1 error",
        """
          error bad-header (1): the first line of a label file is not query-id, corpus-id, score (and source, if any). Put these names on the first line, separated by tabs.
              qrels.tsv:1 query-id,corpus-id,score
        """,
        dict(qrels=LABELS.replace("\t", ",")),
    ),
    (
        "labels with a column too many and one too few",
        "2 errors",
        r"""
          error bad-columns (2): a label has another number of columns than the header. Separate query id, document id and relevance by one tab each.
              qrels.tsv:4 q1\td2\t1\tx
              qrels.tsv:5 q2\td1
        """,
        dict(qrels=f"{LABELS}q1\td2\t1\tx\nq2\td1\n"),
    ),
    (
        "a header and no label",
        "1 error",
        """
          error no-labels (1): there is no judgment at all. Without one, no quality can be measured: judge a few documents for some queries.
              qrels.tsv
        """,
        dict(qrels=HEADER),
    ),
    (
        "labels of other queries",
        "2 errors, 2 notices",
        """
          error no-known-query (2): none of the labelled queries is in queries.jsonl. Compare how both files write ids (padding, prefix, case), or the files themselves.
              qrels.tsv:2 query Q1, but queries.jsonl:1 has q1
              qrels.tsv:3 query q-2
          notice unanswerable-query (2): a query has no relevant document; it stays out of every labelled measure. Nothing needs doing; they are counted apart as n_unanswerable.
              queries.jsonl:1 query q1
              queries.jsonl:2 query q2
        """,
        dict(qrels=f"{HEADER}Q1\td1\t1\nq-2\td2\t1\n"),
    ),
    (
        "a relevance that no integer of 32 bits holds",
        "1 error",
        """
          error bad-relevance (1): a relevance is not a whole number. Write 0, 1, 2, … (1.0 is read as 1); decide what a fraction means before you round it.
              qrels.tsv:4 query q1 document d2: 99999999999
        """,
        dict(qrels=f"{LABELS}q1\td2\t99999999999\n"),
    ),
    (
        "a label file whose name is no split",
        "1 error",
        """
          error bad-split (1): a split (metadata.split or the name of a label file) is not a plain name. Use letters, digits, - and _ only, as in test.
              qrels/dev set.tsv
        """,
        dict(qrels=None, **{"qrels/dev set.tsv": LABELS}),
    ),
    (
        "one pair labelled in dev and in test",
        "1 error",
        """
          error split-contradiction (1): a label stands in the file of a split that is not its query's. Let metadata.split and one label file agree: dev and test must not share a query.
              qrels/test.tsv:2 query q1 is also in dev
        """,
        dict(
            qrels=None,
            queries='{"_id": "q1", "text": "reset"}\n',
            **{"qrels/dev.tsv": f"{HEADER}q1\td1\t1\n", "qrels/test.tsv": f"{HEADER}q1\td1\t0\n"},
        ),
    ),
]
