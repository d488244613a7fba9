"""Rules about judgments and between the files: changes, and the whole line that a person reads."""

# ruff: noqa: ISC004 - a case is (changes, line), and the line is long

from __future__ import annotations

from tests.unit.datasets.sound_dataset import more

CORPUS, QUERIES, LABELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
HEADER = "query-id\tcorpus-id\tscore\n"

JUDGMENTS = {
    "no header": (
        {LABELS: "q1\td1\t1\nq2\td2\t2\n"},
        "error bad-header (1): the first line of a label file is not query-id, corpus-id, score (and source, if "
        "any) (qrels.tsv:1 q1\\td1\\t1). Put these names on the first line, separated by tabs.",
    ),
    "an empty file": (
        {LABELS: ""},
        "error bad-header (1): the first line of a label file is not query-id, corpus-id, score (and source, if "
        "any) (qrels.tsv). Put these names on the first line, separated by tabs.",
    ),
    "columns": (
        more(LABELS, "q1 d1 1", "q1\td1\t1\thuman"),
        "error bad-columns (2): a label has another number of columns than the header (qrels.tsv:4 q1 d1 1; "
        "qrels.tsv:5 q1\\td1\\t1\\thuman). Separate query id, document id and relevance by one tab each.",
    ),
    "an empty id": (
        more(LABELS, "\td1\t1"),
        "error missing-id (1): a row has no id, or an empty one (qrels.tsv:4 \\td1\\t1). "
        "Give every row an id that is a non-empty string.",
    ),
    "relevance": (
        more(LABELS, "q1\td2\t0.5", "q2\td1\tNaN", "q2\td1\thigh", "q2\td1\t"),
        "error bad-relevance (4): a relevance is not a whole number (qrels.tsv:4 query q1 document d2: 0.5; "
        "qrels.tsv:5 query q2 document d1: NaN; qrels.tsv:6 query q2 document d1: high). "
        "Write 0, 1, 2, … (1.0 is read as 1); decide what a fraction means before you round it.",
    ),
    "source": (
        {LABELS: "query-id\tcorpus-id\tscore\tsource\nq1\td1\t1\tHuman\nq2\td2\t2\tllm\n"},
        "warning unknown-source (1): a label has a source of another name, by which it is reported apart "
        "(qrels.tsv:2 query q1 document d1: Human). "
        "Write human, written, derived, click or llm; what is left out is human.",
    ),
    "negative": (
        more(LABELS, "q1\td2\t-1"),
        "notice unjudged-label (1): a negative relevance means unjudged, as in TREC; the label was dropped "
        "(qrels.tsv:4 query q1 document d2: -1). "
        "Nothing needs doing; write 0 if the document was judged not relevant.",
    ),
    "a repeat": (
        more(LABELS, "q1\td1\t1.0"),
        "notice repeated-label (1): the same judgment stands on several lines and counts once "
        "(qrels.tsv:4 query q1 document d1: 1, first at qrels.tsv:2). Nothing needs doing.",
    ),
    "a contradiction": (
        more(LABELS, "q1\td1\t0"),
        "error contradictory-label (1): one query and document have two different relevances "
        "(qrels.tsv:4 query q1 document d1: 0, but 1 at qrels.tsv:2). Keep the line that is right.",
    ),
}

LINKS = {
    "no documents": (
        {CORPUS: ""},
        "error no-documents (1): there is no document at all (corpus.jsonl). Put documents into corpus.jsonl.",
    ),
    "no queries": (
        {QUERIES: ""},
        "error no-queries (1): there is no query at all (queries.jsonl). Put queries into queries.jsonl.",
    ),
    "no labels": (
        {LABELS: HEADER},
        "error no-labels (1): there is no judgment at all (qrels.tsv). "
        "Without one, no quality can be measured: judge a few documents for some queries.",
    ),
    "no labelled document is known": (
        {LABELS: HEADER + "q1\t01\t1\nq2\t02\t1\n"},
        "error no-known-document (2): none of the labelled documents is in corpus.jsonl "
        "(qrels.tsv:2 document 01; qrels.tsv:3 document 02). "
        "Compare how both files write ids (padding, prefix, case), or the files themselves.",
    ),
    "no labelled query is known": (
        {LABELS: HEADER + "x1\td1\t1\n"},
        "error no-known-query (1): none of the labelled queries is in queries.jsonl (qrels.tsv:2 query x1). "
        "Compare how both files write ids (padding, prefix, case), or the files themselves.",
    ),
    "an unknown document, padded": (
        more(LABELS, "q1\t00d1\t1"),
        "warning unknown-document (1): a label names a document that corpus.jsonl lacks, so that no system can find "
        "it (qrels.tsv:4 document 00d1, but corpus.jsonl:1 has d1). "
        "Add the document, correct the id, or drop the label.",
    ),
    "an unknown query, in capitals": (
        more(LABELS, "Q2\td2\t1"),
        "warning unknown-query (1): a label names a query that queries.jsonl lacks "
        "(qrels.tsv:4 query Q2, but queries.jsonl:2 has q2). Add the query, correct the id, or drop the label.",
    ),
    "an archived document": (
        {
            **more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"status": "archived"}}'),
            **more(LABELS, "q1\td3\t1"),
        },
        "warning archived-label (1): a label names an archived document, which is outside the truth "
        "(qrels.tsv:4 query q1 document d3). "
        "Label the document that took its place, or make it active again.",
    ),
    "a hidden document": (
        {
            **more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"audience": "staff"}}'),
            **more(LABELS, "q1\td3\t1"),
        },
        "warning hidden-label (1): a label names a document that its query may not see, which is outside the truth "
        "(qrels.tsv:4 query q1 document d3, audience staff). "
        "Correct the document's audience, the query's allowed, or the label.",
    ),
    "a document outside the scope": (
        {
            **more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"product": "web"}}'),
            **more(
                QUERIES,
                '{"_id": "q3", "text": "x", "metadata": {"split": "test", "scope": {"product": "web"}}}',
            ),
            **more(LABELS, "q3\td3\t1", "q3\td1\t1"),
        },
        "warning out-of-scope-label (1): a label names a document outside its query's metadata.scope, which is outside "
        'the truth (qrels.tsv:5 query q3 document d1, scope {"product":"web"}). '
        "Correct the query's scope, the document's metadata, or the label.",
    ),
    "a scope over a field that no document has": (
        {
            **more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"product": "web"}}'),
            **more(
                QUERIES,
                '{"_id": "q3", "text": "x", "metadata": {"split": "test", "scope": {"produkt": "web"}}}',
            ),
            **more(LABELS, "q3\td3\t1"),
        },
        "error unknown-scope (1): a query's metadata.scope names a field that no document's metadata has, so that it "
        "would find nothing (queries.jsonl:3 query q3: 'produkt'. Near names: product). "
        "Correct the field's name, or give the documents that field.",
    ),
    "a scope that holds nothing": (
        {
            **more(
                CORPUS,
                '{"_id": "d3", "text": "x", "metadata": {"shop": "north", "status": "archived"}}',
                '{"_id": "d4", "text": "x", "metadata": {"shop": ["north", "east"], "audience": "staff"}}',
            ),
            **more(
                QUERIES,
                '{"_id": "q3", "text": "x", "metadata": {"split": "test", "scope": {"shop": "south"}}}',
                '{"_id": "q4", "text": "x", "metadata": {"split": "test", "scope": {"shop": "north"}}}',
                '{"_id": "q5", "text": "x", '
                '"metadata": {"split": "test", "scope": {"shop": "north"}, "allowed": ["staff"]}}',
            ),
        },
        "warning empty-scope (2): a query's metadata.scope holds no document that the query may see, so that it finds "
        'nothing (queries.jsonl:3 query q3: {"shop":"south"}; queries.jsonl:4 query q4: {"shop":"north"}). '
        "Correct a value of the scope, the documents' metadata, or the query's allowed.",
    ),
    "a label file against metadata.split": (
        {
            LABELS: None,
            "qrels/dev.tsv": HEADER + "q1\td1\t1\n",
            "qrels/test.tsv": HEADER + "q1\td2\t1\nq2\td2\t1\n",
        },
        "error split-contradiction (1): a label stands in the file of a split that is not its query's "
        "(qrels/test.tsv:2 query q1 is also in dev). "
        "Let metadata.split and one label file agree: dev and test must not share a query.",
    ),
    "the same judgment in two label files": (
        {
            LABELS: None,
            QUERIES: '{"_id": "q1", "text": "x"}\n',
            "qrels/dev.tsv": HEADER + "q1\td1\t1\n",
            "qrels/test.tsv": HEADER + "q1\td1\t1\n",
        },
        "error split-contradiction (1): a label stands in the file of a split that is not its query's "
        "(qrels/test.tsv:2 query q1 is also in dev). "
        "Let metadata.split and one label file agree: dev and test must not share a query.",
    ),
    "no split": (
        more(QUERIES, '{"_id": "q3", "text": "x"}'),
        "error missing-split (1): a query has no metadata.split, which qrels.tsv needs (queries.jsonl:3 query q3). "
        'Add "split": "dev" or "test" to its metadata, or use qrels/<split>.tsv.',
    ),
    "a query in no label file": (
        {
            LABELS: None,
            QUERIES: '{"_id": "q1", "text": "x"}\n{"_id": "q2", "text": "x"}\n',
            "qrels/test.tsv": HEADER + "q1\td1\t1\n",
        },
        "notice unlabelled-query (1): a query stands in no label file, belongs to no split and is not evaluated "
        '(queries.jsonl:2 query q2). Nothing needs doing; "split" in its metadata makes it an unanswerable query of '
        "that split.",
    ),
    "nothing relevant": (
        {LABELS: HEADER + "q1\td1\t1\nq2\td2\t0\n"},
        "notice unanswerable-query (1): a query has no relevant document; it stays out of every labelled measure "
        "(queries.jsonl:2 query q2). Nothing needs doing; they are counted apart as n_unanswerable.",
    ),
}
