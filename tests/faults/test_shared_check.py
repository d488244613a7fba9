"""Real collections: each imports without loss, and the troubles that its PROVENANCE.md names are found by check."""

from __future__ import annotations

import pytest

from flows.importing import Choices, import_dataset
from tests.conftest import SHARED
from vara.datasets.dataset import load_dataset
from vara.datasets.lint.check import check_dataset
from vara.datasets.tables import table_digest
from vara.watch import Silence

TROUBLES = {
    # "82 documents only: for smoke tests"
    "adi": {"small-corpus": 1, "numeric-id": 117},
    # "many relevant documents per query (35-187), so recall@10 is capped"; "short texts"
    "banking77-derived": {"many-relevant": 385, "short-document": 72, "no-titles": 1},
    # "only 52 of 64 queries have judgments"; "more than half the documents have a title only, no abstract"; document
    # ids that the source's labels pad with zeros
    "cacm": {"unlabelled-query": 12, "title-only": 1617, "numeric-id": 3268, "half-judged-twin": 1},
    # "HTML (<br />) in descriptions"; "queries have no positive rating" (5 of the 19 are here); "numeric strings as ids"
    "chorus-third": {"markup": 468, "unanswerable-query": 5, "numeric-id": 19406, "half-judged-twin": 9},
    # "76 of 112 queries have judgments"
    "cisi": {"unlabelled-query": 36, "overlong-query": 1},
    # "2 documents are empty"
    "cranfield": {"empty-document": 2},
    # "documents have no titles"
    "med": {"no-titles": 1},
    # "lower-cased, stop words and numbers already removed, no punctuation"; "many judgments per query"
    "nfcorpus-pre": {"preprocessed-text": 3349, "many-relevant": 144},
    # "no titles, no punctuation"; "several texts are near-duplicates"
    "npl": {"no-titles": 1, "preprocessed-text": 9647, "identical-texts": 16, "same-start": 121},
    # (its quirks were in the source's CSV cells, and the conversion undid them; two encodings shine through)
    "scifact": {"overlong-document": 743, "broken-character": 8, "invisible-character": 6, "not-nfc": 1},
    # "several documents share one title"; "escaped markup inside texts"
    "stackfaq": {"same-title": 594, "markup": 10},
    # "only one relevant document, others of the same article are unjudged"; "no article titles"
    "xquad-en": {"one-relevant": 1, "no-titles": 1, "repeated-query": 5},
    # "U+FEFF and U+200B characters inside some paragraphs", in es and zh
    "xquad-es": {"invisible-character": 3, "one-relevant": 1, "no-titles": 1},
    "xquad-zh": {"invisible-character": 6, "one-relevant": 1, "no-titles": 1},
    # "the same question exists in several courses"; "answers of one line or only a link"; "duplicated query texts";
    # and ids in hexadecimal, some of which are numbers to a program that guesses (36e54439)
    "zoomcamp-faq": {
        "same-title": 3,
        "only-a-link": 2,
        "repeated-query": 71,
        "changing-id": 13,
        "markup": 56,
    },
}
"""What check must find, of what PROVENANCE.md names in quotes."""


@pytest.mark.parametrize("name", sorted({path.name for path in SHARED.glob("data/*")} | TROUBLES.keys()))
def test_a_collection_imports_and_its_troubles_are_found(shared, tmp_path, name):
    source, target = shared / "data" / name, tmp_path / name
    import_dataset("beir", source, target, choices=Choices(), watch=Silence())
    before, after = load_dataset(source), load_dataset(target)
    for table, frame in before.tables.items():
        assert table_digest(after.tables[table]) == table_digest(frame)
    checked = check_dataset(target, min_group=5)
    assert checked.sound
    found = {one.code: one.count for one in checked.findings}
    assert TROUBLES[name].items() <= found.items()
