"""Broken permissions as data: name, totals, report, documents to add, queries.jsonl (dataset_cases.py)."""

# ruff: noqa: ISC004 - a case is a tuple of texts, some of many lines

from __future__ import annotations

PERMISSIONS = [
    (
        "permissions and a scope nobody can read",
        "3 errors",
        """
          error bad-audience (1): metadata.audience is not a string, so that nobody knows who may see the document. Name one audience, or "everyone".
              corpus.jsonl:3 audience is {"group": "staff"}
          error bad-allowed (1): metadata.allowed is not a list of strings, so that nobody knows what the query may see. Write a list of audiences, as in ["staff"].
              queries.jsonl:1 allowed is "staff"
          error bad-scope (1): metadata.scope is not an object of values, so that nobody knows where the query searches. Write {"field": value}: a string, whole number, true or false, or a list of them.
              queries.jsonl:2 scope is "product: web"
        """,
        '{"_id": "d3", "text": "x", "metadata": {"audience": {"group": "staff"}}}\n',
        '{"_id": "q1", "text": "reset", "metadata": {"split": "dev", "allowed": "staff"}}\n'
        '{"_id": "q2", "text": "printer", "metadata": {"split": "test", "scope": "product: web"}}\n',
    ),
    (
        "permissions given twice: the last would open what the first closes",
        "3 errors",
        """
          error repeated-key (3): an object has a key twice, so that nobody knows which value counts. Keep one of the values.
              corpus.jsonl:3 key 'metadata'
              corpus.jsonl:4 key 'audience'
              queries.jsonl:1 key 'split'
        """,
        '{"_id": "d3", "text": "x", "metadata": {"audience": "staff"}, "metadata": {}}\n'
        '{"_id": "d4", "text": "x", "metadata": {"audience": "staff", "audience": "everyone"}}\n',
        '{"_id": "q1", "text": "reset", "metadata": {"split": "dev", "split": "test"}}\n'
        '{"_id": "q2", "text": "printer", "metadata": {"split": "test"}}\n',
    ),
    (
        "permissions under names that are nearly right",
        "5 errors",
        """
          error misspelt-name (3): a name that is read (metadata; in it audience, allowed, scope, split, status; the status archived) is spelt otherwise, and would be passed over. Write it exactly so, or choose a name that cannot be mistaken for it.
              corpus.jsonl:3 field 'meta_data' for metadata
              corpus.jsonl:4 status 'Archived' for archived
              queries.jsonl:1 key 'Allowed' for allowed
          error unclean-audience (2): an audience has white space around it or a control character in it, and audiences are compared byte for byte. Write its bare name, the same for documents and queries.
              corpus.jsonl:5 audience is 'staff '
              queries.jsonl:2 allowed has 'staff\\n'
        """,
        '{"_id": "d3", "text": "x", "meta_data": {"audience": "staff"}}\n'
        '{"_id": "d4", "text": "x", "metadata": {"status": "Archived"}}\n'
        '{"_id": "d5", "text": "x", "metadata": {"audience": "staff "}}\n',
        '{"_id": "q1", "text": "reset", "metadata": {"split": "dev", "Allowed": ["staff"]}}\n'
        '{"_id": "q2", "text": "printer", "metadata": {"split": "test", "allowed": ["staff\\n"]}}\n',
    ),
]
