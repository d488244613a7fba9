"""Rules about files in other forms than BEIR's: what `vara import` and `vara evaluate` cannot take."""

from __future__ import annotations

from vara.datasets.rule import Rule

# A table, three lines a rule:
# fmt: off
SOURCES = (
    Rule("bad-trec-label", "error",
         rule="a TREC label is not query, iteration, document and relevance",
         remedy="Write these four, separated by blanks or tabs."),
    Rule("bad-row", "error",
         rule="a row has another number of cells than the header",
         remedy="Quote cells that hold the separator; in a .tsv file no cell can hold a tab."),
    Rule("bad-markup", "error",
         rule="a TREC document or topic has no number, or does not end",
         remedy="Write <DOC> <DOCNO>…</DOCNO> … </DOC>, or <top> <num>… … </top>."),
    Rule("unwritable-id", "error",
         rule="an id holds a tab or a line break, which qrels.tsv cannot carry",
         remedy="Give the row another id, in the labels, too."),
    Rule("both-places", "error",
         rule="a field stands beside metadata and within it, with two values",
         remedy="Keep one of them."),
)
# fmt: on
