"""Real collections: each reads, and the troubles that its PROVENANCE.md names and our rules cover are found."""

from __future__ import annotations

import pytest

from tests.conftest import SHARED
from vara.datasets.dataset import load_dataset

# documents, queries, labels, findings
KNOWN = {
    "adi": (82, 35, 170, {}),
    "banking77-derived": (10003, 385, 50015, {}),
    "cacm": (3204, 64, 796, {"unlabelled-query": 12}),  # "only 52 of 64 queries have judgments"
    "chorus-third": (
        19406,
        47,
        1174,
        {"unanswerable-query": 5},
    ),  # of the "19 queries" that have no positive rating
    "cisi": (1460, 112, 3114, {"unlabelled-query": 36}),  # "76 of 112 queries have judgments"
    "cranfield": (
        1400,
        225,
        1612,
        {"empty-document": 2},
    ),  # "2 documents are empty"; 225 rows with -1 were dropped
    "med": (1033, 30, 696, {}),
    "nfcorpus-pre": (3395, 323, 12334, {}),
    "npl": (11429, 93, 2083, {}),
    "scifact": (5183, 300, 339, {}),
    "stackfaq": (719, 1249, 7184, {}),
    "xquad-en": (240, 1190, 1190, {}),  # U+FEFF inside paragraphs stays
    "xquad-es": (240, 1190, 1190, {}),
    "xquad-zh": (240, 1190, 1190, {}),
    "zoomcamp-faq": (947, 4627, 4627, {}),  # the duplicate id of the source was folded by the conversion
}


@pytest.mark.parametrize("name", sorted({path.name for path in SHARED.glob("data/*")} | KNOWN.keys()))
def test_collection_reads(shared, name):
    dataset = load_dataset(shared / "data" / name)
    sizes = (dataset.documents.height, dataset.queries.height, dataset.labels.height)
    assert (*sizes, {finding.code: finding.count for finding in dataset.findings}) == KNOWN[name]
    assert dataset.labels["split"].unique().to_list() == ["test"]


def test_the_empty_documents_of_cranfield_are_named(shared):
    (finding,) = load_dataset(shared / "data/cranfield").findings
    assert finding.examples == ("corpus.jsonl:471 id 471", "corpus.jsonl:995 id 995")


def test_a_byte_order_mark_inside_a_text_stays(shared):
    assert load_dataset(shared / "data/xquad-es").documents["text"][0].startswith("\ufeffLos Panthers")
