"""One query's report: what was asked, what came back before and after reranking, and what the labels say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten

from vara.report.plain import plain


@dataclass(frozen=True)
class Candidate:
    """One document in the report.

    Attributes:
        before: rank in the frozen pool, from 1.
        after: rank after reranking, from 1.
        dense: cosine of query and document.
        lexical: BM25 score.
        score: what decides the order after reranking.
        relevance: the label, None where unjudged.
        guaranteed: whether it is there for its title, behind what is ranked.
    """

    doc_id: str
    title: str
    text: str
    before: int
    after: int
    dense: float
    lexical: float
    score: float
    relevance: int | None
    guaranteed: bool


@dataclass(frozen=True)
class QueryReport:
    """Everything that is shown of one query.

    Attributes:
        about: split and groups of the query, as far as it has them.
        extent: how complete its result is, in words.
        verdict: whether its first document is shown at the calibrated threshold, in words; empty where there is none.
        stood_in: {term that no document holds: terms that stood in for it}.
        missing: {doc_id: relevance} of the relevant documents that are not in the pool.
        titles: {doc_id: title} of the missing ones.
        measures: {system: {measure: value}}, as the table of queries has them.
    """

    query_id: str
    text: str
    about: Mapping[str, str]
    extent: str
    verdict: str
    stood_in: Mapping[str, Sequence[str]]
    candidates: Sequence[Candidate]
    missing: Mapping[str, int]
    titles: Mapping[str, str]
    measures: Mapping[str, Mapping[str, str]]


def lines(report: QueryReport) -> Iterator[str]:
    """Yield the report as lines of text: candidates in reranked order, each with the start of its text."""
    about = ", ".join(f"{name} {plain(value)}" for name, value in report.about.items())
    yield f"{plain(report.query_id)}  {plain(report.text)}" + (f"  ({about})" if about else "")
    yield report.extent
    if report.verdict:
        yield report.verdict
    for term, others in report.stood_in.items():
        yield f"no document holds {term}; searched for {', '.join(others)} instead"
    yield ""
    yield "after  before  label    score   cosine     BM25  document"
    for one in sorted(report.candidates, key=lambda candidate: candidate.after):
        label = "–" if one.relevance is None else str(one.relevance)
        scores = f"{one.score:>7.4f}  {one.dense:>7.4f}  {one.lexical:>7.3f}"
        why = "  (guaranteed by its title)" if one.guaranteed else ""
        what = f"{plain(one.doc_id)}  {plain(one.title)}{why}"
        yield f"{one.after:>5}  {one.before:>6}  {label:>5}  {scores}  {what}".rstrip()
        if start := shorten(one.text, 100, placeholder=" …"):
            yield f"{'':>51}{plain(start)}"
    for doc_id, relevance in report.missing.items():
        dashes = f"{'–':>5}  {'–':>6}  {relevance:>5}  {'–':>7}  {'–':>7}  {'–':>7}"
        yield f"{dashes}  {plain(doc_id)}  {plain(report.titles[doc_id])} (not in the pool)"
    yield ""
    yield "before, after: ranks in the pool and after reranking by score; label: grade, – is unjudged"
    yield ""
    yield from _measures(report.measures)


def _measures(measures: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    if not measures:
        yield "No relevant document is labelled for this query: it is left out of every measure."
        return
    names = list(next(iter(measures.values())))
    width = max(len(name) for name in names)
    yield f"{'':<{width}}" + "".join(f"  {system:>12}" for system in measures)
    for name in names:
        values = (values[name] for values in measures.values())
        shown = "".join(f"  {f'{float(value):.4f}' if value else '–':>12}" for value in values)
        yield f"{name:<{width}}{shown}"
