"""The rules a dataset is read by: one table, shared by the validate step and by `vara check`.

What lives here: codes, severities and the two sentences a person reads. What does not: how a rule is tested
(documents.py, queries.py, labels.py, links.py, scopes.py) and how its findings are shown (findings.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Args:
        code: kebab-case name, stable across releases.
        severity: `error` refuses the dataset; `warning` may move a number; `notice` says what was done.
        rule: what was found, as a clause without a final stop.
        remedy: what to do, as a whole sentence.
    """

    code: str
    severity: Severity
    rule: str
    remedy: str


# A table, three lines a rule:
# fmt: off
_TABLE = (
    # Files
    Rule("missing-folder", "error",
         rule="the dataset's folder is missing",
         remedy="Give dataset.path a folder with corpus.jsonl, queries.jsonl and qrels.tsv."),
    Rule("missing-file", "error",
         rule="a file of the dataset is missing or cannot be read",
         remedy="Put the file there, under exactly this name."),
    Rule("missing-labels", "error",
         rule="there is neither qrels.tsv nor qrels/<split>.tsv",
         remedy="Add one: its first line is query-id, corpus-id, score, separated by tabs."),
    Rule("both-layouts", "error",
         rule="qrels.tsv and qrels/<split>.tsv stand side by side",
         remedy="Keep one of them, so that each label has one home."),
    Rule("not-utf8", "error",
         rule="a line is not UTF-8",
         remedy="Convert the file to UTF-8 (iconv -f latin1 -t utf-8)."),
    Rule("bad-json", "error",
         rule="a line is not JSON",
         remedy="Write one JSON object on each line."),
    Rule("not-an-object", "error",
         rule="a line is JSON, but no object",
         remedy='Write {"_id": "…", "text": "…"} on each line.'),
    Rule("lone-surrogate", "error",
         rule="an escape such as \\ud800 is half a character, which UTF-8 cannot hold",
         remedy="Write the whole surrogate pair, or the character itself."),
    Rule("repeated-key", "error",
         rule="an object has a key twice, so that nobody knows which value counts",
         remedy="Keep one of the values."),
    Rule("blank-line", "notice",
         rule="blank lines were skipped",
         remedy="Nothing needs doing."),
    Rule("bom-removed", "notice",
         rule="a byte order mark (U+FEFF) was removed from the start of a file or an id",
         remedy="Nothing needs doing."),
    Rule("cr-removed", "notice",
         rule="a carriage return was removed from the end of a line or an id",
         remedy="Nothing needs doing."),
    # Ids
    Rule("missing-id", "error",
         rule="a row has no id, or an empty one",
         remedy="Give every row an id that is a non-empty string."),
    Rule("id-not-string", "error",
         rule="an _id is not a string",
         remedy='Put it in quotes as it should be compared ("1" and "001" are two ids).'),
    Rule("duplicate-id", "error",
         rule="an id stands on two lines",
         remedy="Keep one of the rows, or give the other an id of its own."),
    Rule("same-after-nfc", "warning",
         rule="two ids look alike (equal after Unicode NFC) and are kept as two",
         remedy="Write both in one normal form if they mean the same thing."),
    Rule("unportable-id", "warning",
         rule="an id holds white space or control characters, which TREC files cannot carry",
         remedy="Use ids without them if runs or labels will be exported."),
    # Rows
    Rule("misspelt-name", "error",
         rule="a name that is read (metadata; in it audience, allowed, scope, split, status; the status "
              "archived) is spelt otherwise, and would be passed over",
         remedy="Write it exactly so, or choose a name that cannot be mistaken for it."),
    Rule("unknown-field", "warning",
         rule="a field is not one of _id, title, text, metadata and is not read",
         remedy="Move it into metadata, or correct its name."),
    Rule("not-a-string", "error",
         rule="a title or text is not a string",
         remedy="Put it in quotes, or leave the field out."),
    Rule("bad-metadata", "error",
         rule="metadata is not a JSON object of ordinary values",
         remedy='Write {"name": value, …} with finite numbers, or leave the field out.'),
    Rule("bad-audience", "error",
         rule="metadata.audience is not a string, so that nobody knows who may see the document",
         remedy='Name one audience, or "everyone".'),
    Rule("bad-allowed", "error",
         rule="metadata.allowed is not a list of strings, so that nobody knows what the query may see",
         remedy='Write a list of audiences, as in ["staff"].'),
    Rule("bad-scope", "error",
         rule="metadata.scope is not an object of values, so that nobody knows where the query searches",
         remedy='Write {"field": value}: a string, whole number, true or false, or a list of them.'),
    Rule("unclean-audience", "error",
         rule="an audience has white space around it or a control character in it, and audiences are compared "
              "byte for byte",
         remedy="Write its bare name, the same for documents and queries."),
    Rule("bad-split", "error",
         rule="a split (metadata.split or the name of a label file) is not a plain name",
         remedy="Use letters, digits, - and _ only, as in test."),
    Rule("bad-group", "warning",
         rule="metadata.language or metadata.category is not a string, so that the query is in no such group",
         remedy="Write it as one string."),
    Rule("empty-document", "warning",
         rule="a document has neither title nor text and gets no vector",
         remedy="Give it a text, or leave it out."),
    Rule("empty-query", "error",
         rule="a query has no text",
         remedy="Give it a text, or leave it out together with its labels."),
    # Labels
    Rule("bad-header", "error",
         rule="the first line of a label file is not query-id, corpus-id, score (and source, if any)",
         remedy="Put these names on the first line, separated by tabs."),
    Rule("bad-columns", "error",
         rule="a label has another number of columns than the header",
         remedy="Separate query id, document id and relevance by one tab each."),
    Rule("bad-relevance", "error",
         rule="a relevance is not a whole number",
         remedy="Write 0, 1, 2, … (1.0 is read as 1); decide what a fraction means before you round it."),
    Rule("unjudged-label", "notice",
         rule="a negative relevance means unjudged, as in TREC; the label was dropped",
         remedy="Nothing needs doing; write 0 if the document was judged not relevant."),
    Rule("repeated-label", "notice",
         rule="the same judgment stands on several lines and counts once",
         remedy="Nothing needs doing."),
    Rule("contradictory-label", "error",
         rule="one query and document have two different relevances",
         remedy="Keep the line that is right."),
    # Between the files
    Rule("no-documents", "error",
         rule="there is no document at all",
         remedy="Put documents into corpus.jsonl."),
    Rule("no-queries", "error",
         rule="there is no query at all",
         remedy="Put queries into queries.jsonl."),
    Rule("no-labels", "error",
         rule="there is no judgment at all",
         remedy="Without one, no quality can be measured: judge a few documents for some queries."),
    Rule("no-known-document", "error",
         rule="none of the labelled documents is in corpus.jsonl",
         remedy="Compare how both files write ids (padding, prefix, case), or the files themselves."),
    Rule("no-known-query", "error",
         rule="none of the labelled queries is in queries.jsonl",
         remedy="Compare how both files write ids (padding, prefix, case), or the files themselves."),
    Rule("unknown-document", "warning",
         rule="a label names a document that corpus.jsonl lacks, so that no system can find it",
         remedy="Add the document, correct the id, or drop the label."),
    Rule("unknown-query", "warning",
         rule="a label names a query that queries.jsonl lacks",
         remedy="Add the query, correct the id, or drop the label."),
    Rule("archived-label", "warning",
         rule="a label names an archived document, which is outside the truth",
         remedy="Label the document that took its place, or make it active again."),
    Rule("hidden-label", "warning",
         rule="a label names a document that its query may not see, which is outside the truth",
         remedy="Correct the document's audience, the query's allowed, or the label."),
    Rule("out-of-scope-label", "warning",
         rule="a label names a document outside its query's metadata.scope, which is outside the truth",
         remedy="Correct the query's scope, the document's metadata, or the label."),
    Rule("unknown-scope", "error",
         rule="a query's metadata.scope names a field that no document's metadata has, so that it would find nothing",
         remedy="Correct the field's name, or give the documents that field."),
    Rule("empty-scope", "warning",
         rule="a query's metadata.scope holds no document that the query may see, so that it finds nothing",
         remedy="Correct a value of the scope, the documents' metadata, or the query's allowed."),
    Rule("split-contradiction", "error",
         rule="a label stands in the file of a split that is not its query's",
         remedy="Let metadata.split and one label file agree: dev and test must not share a query."),
    Rule("missing-split", "error",
         rule="a query has no metadata.split, which qrels.tsv needs",
         remedy='Add "split": "dev" or "test" to its metadata, or use qrels/<split>.tsv.'),
    Rule("unlabelled-query", "notice",
         rule="a query stands in no label file, belongs to no split and is not evaluated",
         remedy='Nothing needs doing; "split" in its metadata makes it an unanswerable query of that split.'),
    Rule("unanswerable-query", "notice",
         rule="a query has no relevant document; it stays out of every labelled measure",
         remedy="Nothing needs doing; they are counted apart as n_unanswerable."),
)
# fmt: on

RULES: dict[str, Rule] = {rule.code: rule for rule in _TABLE}

# fmt: off
HIDING = frozenset((
    "missing-file", "missing-labels", "both-layouts", "bad-split", "not-utf8", "bad-json", "not-an-object",
    "lone-surrogate", "repeated-key", "missing-id", "id-not-string", "bad-header", "bad-columns",
    "bad-relevance",
))
# fmt: on
"""Rules that hide rows: after one of them an id may look unknown only because its row could not be read."""
