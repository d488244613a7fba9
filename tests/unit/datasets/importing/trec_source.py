"""A small TREC collection as data."""

from __future__ import annotations

TREC = {
    "docs.trec": (
        "<DOC>\n<DOCNO> FT911-1 </DOCNO>\n<HEADLINE>Of &amp; on</HEADLINE>\n<TEXT>\nOne.\n\nTwo.\n</TEXT>\n"
        "<DATE>910101</DATE>\n</DOC>\n<doc><docno>001</docno><text>A</text><text>B</text></doc>\n"
    ),
    "topics.301": (
        "<top>\n<num> Number: 301 \n<title> Organized Crime\n\n<desc> Description: \nIdentify them.\n"
        "<narr> Narrative: \nAny.\n</top>\n"
    ),
    "qrels.txt": "# judged by hand\n301 0 FT911-1 1\n301\t0\t001\t-1\n\n",
}
