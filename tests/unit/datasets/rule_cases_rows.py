"""Rules about files, ids and rows: changes to the sound dataset, and the whole line that a person reads."""

# ruff: noqa: ISC004 - a case is (changes, line), and the line is long

from __future__ import annotations

from tests.unit.datasets.sound_dataset import SOUND, more

CORPUS, QUERIES, LABELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"

FILES = {
    "missing file": (
        {CORPUS: None},
        "error missing-file (1): a file of the dataset is missing or cannot be read (corpus.jsonl). "
        "Put the file there, under exactly this name.",
    ),
    "missing labels": (
        {LABELS: None},
        "error missing-labels (1): there is neither qrels.tsv nor qrels/<split>.tsv (qrels.tsv). "
        "Add one: its first line is query-id, corpus-id, score, separated by tabs.",
    ),
    "both layouts": (
        {"qrels/test.tsv": SOUND[LABELS]},
        "error both-layouts (1): qrels.tsv and qrels/<split>.tsv stand side by side "
        "(qrels.tsv and qrels/test.tsv). Keep one of them, so that each label has one home.",
    ),
    "latin-1": (
        {CORPUS: SOUND[CORPUS].encode() + '{"_id": "d3", "text": "café"}\n'.encode("latin1")},
        "error not-utf8 (1): a line is not UTF-8 (corpus.jsonl:3 byte 0xe9 at position 26). "
        "Convert the file to UTF-8 (iconv -f latin1 -t utf-8).",
    ),
    "not JSON": (
        more(QUERIES, '{"_id": "q3", "text": }'),
        "error bad-json (1): a line is not JSON (queries.jsonl:3 Expecting value at column 23). "
        "Write one JSON object on each line.",
    ),
    "NaN is not JSON": (
        more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"price": NaN}}'),
        "error bad-json (1): a line is not JSON (corpus.jsonl:3 NaN is not JSON). "
        "Write one JSON object on each line.",
    ),
    "a bracket bomb": (
        more(CORPUS, "[" * 100_000),
        "error bad-json (1): a line is not JSON (corpus.jsonl:3 nested too deeply). "
        "Write one JSON object on each line.",
    ),
    "an array": (
        more(CORPUS, '["d3"]'),
        'error not-an-object (1): a line is JSON, but no object (corpus.jsonl:3 ["d3"]). '
        'Write {"_id": "…", "text": "…"} on each line.',
    ),
    "half a surrogate pair": (
        more(CORPUS, r'{"_id": "d3", "text": "\ud83d"}', r'{"_id": "d4", "text": "\ud83d\ude00"}'),
        "error lone-surrogate (1): an escape such as \\ud800 is half a character, which UTF-8 cannot hold "
        "(corpus.jsonl:3). Write the whole surrogate pair, or the character itself.",
    ),
    "a key twice": (
        more(
            CORPUS,
            '{"_id": "d3", "text": "x", "metadata": {"audience": "staff"}, "metadata": {}}',
            '{"_id": "d4", "text": "x", "metadata": {"audience": "staff", "audience": "everyone"}}',
        ),
        "error repeated-key (2): an object has a key twice, so that nobody knows which value counts "
        "(corpus.jsonl:3 key 'metadata'; corpus.jsonl:4 key 'audience'). Keep one of the values.",
    ),
    "blank lines": (
        more(CORPUS, "", ""),
        "notice blank-line (2): blank lines were skipped (corpus.jsonl:3; corpus.jsonl:4). Nothing needs doing.",
    ),
    "byte order mark": (
        {CORPUS: "\ufeff" + SOUND[CORPUS]},
        "notice bom-removed (1): a byte order mark (U+FEFF) was removed from the start of a file or an id "
        "(corpus.jsonl:1). Nothing needs doing.",
    ),
    "CR LF": (
        {LABELS: SOUND[LABELS].replace("\n", "\r\n")},
        "notice cr-removed (3): a carriage return was removed from the end of a line or an id "
        "(qrels.tsv:1; qrels.tsv:2; qrels.tsv:3). Nothing needs doing.",
    ),
    "a label file's name": (
        {LABELS: None, "qrels/te.st.tsv": SOUND[LABELS]},
        "error bad-split (1): a split (metadata.split or the name of a label file) is not a plain name "
        "(qrels/te.st.tsv). Use letters, digits, - and _ only, as in test.",
    ),
}

IDS = {
    "missing": (
        more(CORPUS, '{"text": "x"}', '{"_id": "", "text": "x"}', '{"_id": null, "text": "x"}'),
        "error missing-id (3): a row has no id, or an empty one "
        "(corpus.jsonl:3; corpus.jsonl:4; corpus.jsonl:5). Give every row an id that is a non-empty string.",
    ),
    "a number": (
        more(CORPUS, '{"_id": 7, "text": "x"}'),
        "error id-not-string (1): an _id is not a string (corpus.jsonl:3 _id 7). "
        'Put it in quotes as it should be compared ("1" and "001" are two ids).',
    ),
    "twice": (
        more(CORPUS, '{"_id": "d1", "text": "other"}'),
        "error duplicate-id (1): an id stands on two lines (corpus.jsonl:3 id d1, first at corpus.jsonl:1). "
        "Keep one of the rows, or give the other an id of its own.",
    ),
    "equal after NFC": (
        more(CORPUS, '{"_id": "caf\u00e9", "text": "x"}', '{"_id": "cafe\u0301", "text": "y"}'),
        "warning same-after-nfc (1): two ids look alike (equal after Unicode NFC) and are kept as two "
        "(corpus.jsonl:4 id 'cafe\\u0301' and 'caf\\xe9' at corpus.jsonl:3). "
        "Write both in one normal form if they mean the same thing.",
    ),
    "NFC turns the Kelvin sign into a K that comes later": (
        more(CORPUS, '{"_id": "\u212a", "text": "x"}', '{"_id": "K", "text": "y"}'),
        "warning same-after-nfc (1): two ids look alike (equal after Unicode NFC) and are kept as two "
        "(corpus.jsonl:3 id '\\u212a' and 'K' at corpus.jsonl:4). "
        "Write both in one normal form if they mean the same thing.",
    ),
    "white space and NUL": (
        more(CORPUS, '{"_id": "d 3", "text": "x"}', r'{"_id": "d\u0000", "text": "y"}'),
        "warning unportable-id (2): an id holds white space or control characters, which TREC files cannot carry "
        "(corpus.jsonl:3 id d 3; corpus.jsonl:4 id d\\x00). "
        "Use ids without them if runs or labels will be exported.",
    ),
}

ROWS = {
    "a field that nobody reads": (
        more(CORPUS, '{"_id": "d3", "text": "x", "url": "http://x"}'),
        "warning unknown-field (1): a field is not one of _id, title, text, metadata and is not read "
        "(corpus.jsonl:3 url). Move it into metadata, or correct its name.",
    ),
    "names that are nearly right": (
        more(
            CORPUS,
            '{"_id": "d3", "text": "x", "metdata": {"audience": "staff"}}',
            '{"_id": "d4", "text": "x", "metadata": {"Audience ": "staff"}}',
            '{"_id": "d5", "text": "x", "metadata": {"status": "Archived"}}',
        ),
        "error misspelt-name (3): a name that is read (metadata; in it audience, allowed, scope, split, status; the "
        "status archived) is spelt otherwise, and would be passed over (corpus.jsonl:3 field 'metdata' for metadata; "
        "corpus.jsonl:4 key 'Audience ' for audience; corpus.jsonl:5 status 'Archived' for archived). "
        "Write it exactly so, or choose a name that cannot be mistaken for it.",
    ),
    "title and text": (
        more(CORPUS, '{"_id": "d3", "title": ["a"], "text": 3}'),
        'error not-a-string (2): a title or text is not a string (corpus.jsonl:3 title is ["a"]; '
        "corpus.jsonl:3 text is 3). Put it in quotes, or leave the field out.",
    ),
    "metadata": (
        more(
            CORPUS,
            '{"_id": "d3", "text": "x", "metadata": []}',
            '{"_id": "d4", "text": "x", "metadata": {"n": 1e999}}',
        ),
        "error bad-metadata (2): metadata is not a JSON object of ordinary values (corpus.jsonl:3 metadata is []; "
        "corpus.jsonl:4 Out of range float values are not JSON compliant). "
        'Write {"name": value, …} with finite numbers, or leave the field out.',
    ),
    "audience": (
        more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"audience": ["staff"]}}'),
        "error bad-audience (1): metadata.audience is not a string, so that nobody knows who may see the document "
        '(corpus.jsonl:3 audience is ["staff"]). Name one audience, or "everyone".',
    ),
    "empty document": (
        more(CORPUS, '{"_id": "d3", "title": " ", "text": null}', '{"_id": "d4"}'),
        "warning empty-document (2): a document has neither title nor text and gets no vector "
        "(corpus.jsonl:3 id d3; corpus.jsonl:4 id d4). Give it a text, or leave it out.",
    ),
    "empty query": (
        more(QUERIES, '{"_id": "q1b", "text": " \\n", "metadata": {"split": "test"}}'),
        "error empty-query (1): a query has no text (queries.jsonl:3 id q1b). "
        "Give it a text, or leave it out together with its labels.",
    ),
    "allowed": (
        more(
            QUERIES,
            '{"_id": "q3", "text": "x", "metadata": {"split": "test", "allowed": "staff"}}',
            '{"_id": "q4", "text": "x", "metadata": {"split": "test", "allowed": ["a", 1]}}',
        ),
        "error bad-allowed (2): metadata.allowed is not a list of strings, so that nobody knows what the query may "
        'see (queries.jsonl:3 allowed is "staff"; queries.jsonl:4 allowed is ["a", 1]). '
        'Write a list of audiences, as in ["staff"].',
    ),
    "scope": (
        more(
            QUERIES,
            '{"_id": "q3", "text": "x", "metadata": {"split": "test", "scope": "product"}}',
            '{"_id": "q4", "text": "x", "metadata": {"split": "test", "scope": {"year": 2020.0}}}',
            '{"_id": "q5", "text": "x", "metadata": {"split": "test", "scope": {"year": [2020, null]}}}',
        ),
        "error bad-scope (3): metadata.scope is not an object of values, so that nobody knows where the query searches "
        '(queries.jsonl:3 scope is "product"; queries.jsonl:4 scope is {"year": 2020.0}; '
        'queries.jsonl:5 scope is {"year": [2020, null]}). '
        'Write {"field": value}: a string, whole number, true or false, or a list of them.',
    ),
    "an audience with more than its name": (
        {
            **more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"audience": "staff "}}'),
            **more(
                QUERIES,
                r'{"_id": "q3", "text": "x", "metadata": {"split": "test", "allowed": ["hr", "st\u0000aff"]}}',
            ),
        },
        "error unclean-audience (2): an audience has white space around it or a control character in it, and "
        "audiences are compared byte for byte (corpus.jsonl:3 audience is 'staff '; queries.jsonl:3 allowed has "
        "'st\\x00aff'). Write its bare name, the same for documents and queries.",
    ),
    "split": (
        more(
            QUERIES,
            '{"_id": "q3", "text": "x", "metadata": {"split": "../../etc"}}',
            '{"_id": "q4", "text": "x", "metadata": {"split": 1}}',
        ),
        "error bad-split (2): a split (metadata.split or the name of a label file) is not a plain name "
        '(queries.jsonl:3 split is "../../etc"; queries.jsonl:4 split is 1). '
        "Use letters, digits, - and _ only, as in test.",
    ),
    "group": (
        more(QUERIES, '{"_id": "q3", "text": "x", "metadata": {"split": "test", "language": ["en"]}}'),
        "warning bad-group (1): metadata.language or metadata.category is not a string, so that the query is in no "
        'such group (queries.jsonl:3 language is ["en"]). Write it as one string.',
    ),
}
