"""Rules about single texts: length, markup, characters. Whole columns at a time: a corpus has millions of them."""

from __future__ import annotations

from vara.datasets.findings import Findings
from vara.datasets.ids import Ids
from vara.datasets.lint.tally import tally
from vara.datasets.lint.views import Texts

LONG = 2_000
"""Characters beyond which a text is reported; some 500 tokens of English."""
SHORT = 20
_WRITTEN = 100  # characters from which a text without capitals and punctuation is no mere heading

_MARKUP = r"</?[A-Za-z][A-Za-z0-9]*(\s[^<>]*)?/?>|&(#[0-9]{1,6}|#[xX][0-9A-Fa-f]{1,5}|[A-Za-z]{2,8});"
_INVISIBLE = (
    r"[\x{0}-\x{8}\x{B}-\x{1F}\x{7F}-\x{9F}\x{AD}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}\x{FEFF}]"
)
_BROKEN = r"\x{FFFD}|[\x{C2}\x{C3}][\x{80}-\x{BF}]|\x{E2}\x{20AC}"
_LINK = r"^(?i:https?://\S+\s*)+$"
_PUNCTUATION = r"[.,;:?!]"


def check_texts(texts: Texts, ids: Ids, findings: Findings, *, kind: str) -> None:
    """Report texts that are overlong or hold what nobody wrote.

    Args:
        texts: of documents or of queries.
        ids: where each stands.
        findings: takes what is wrong.
        kind: "document" or "query".
    """
    length = texts.whole.str.len_chars()
    long = texts.names.filter(length > LONG)
    sizes = dict(zip(long.head(3), length.filter(length > LONG).head(3), strict=True))
    tally(findings, f"overlong-{kind}", long, ids, what=lambda name: f"{name}: {sizes[name]} characters")
    tagged = texts.whole.str.contains_any(["<", "&"])
    marked = texts.names.filter(tagged).filter(texts.whole.filter(tagged).str.contains(_MARKUP))
    tally(findings, "markup", marked, ids)
    tally(findings, "invisible-character", texts.names.filter(texts.whole.str.contains(_INVISIBLE)), ids)
    names, whole = texts.names.filter(texts.wide), texts.whole.filter(texts.wide)
    tally(findings, "broken-character", names.filter(whole.str.contains(_BROKEN)), ids)
    tally(findings, "not-nfc", names.filter(whole.str.normalize("NFC") != whole), ids)


def check_documents(texts: Texts, ids: Ids, findings: Findings) -> None:
    """Report documents that say too little, or whose texts somebody has pre-processed."""
    length = texts.whole.str.len_chars()
    tally(findings, "short-document", texts.names.filter((length > 0) & (length < SHORT)), ids)
    linked = texts.bodies.str.contains(_LINK)
    tally(findings, "only-a-link", texts.names.filter(linked), ids)
    tally(findings, "title-only", texts.names.filter((texts.titles != "") & (texts.bodies == "")), ids)
    if len(length) and (texts.titles == "").all():
        findings.add("no-titles", "corpus.jsonl")
    long = length > _WRITTEN
    names, bodies = texts.names.filter(long), texts.whole.filter(long)
    for wanted, pattern in ((False, _PUNCTUATION), (False, r"\p{Lu}"), (True, r"\p{Ll}")):
        kept = bodies.str.contains(pattern) == wanted
        names, bodies = names.filter(kept), bodies.filter(kept)
    if 2 * len(names) > int(long.sum()):
        tally(findings, "preprocessed-text", names, ids)
