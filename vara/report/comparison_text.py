"""A comparison for people: the same sections for a terminal and for Markdown, what differs in the data first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vara.errors import examples
from vara.quality.comparison import Paired
from vara.report.beyond import brief as brief_beyond
from vara.report.beyond import rows as rows_beyond
from vara.report.comparison import Comparison
from vara.report.cost import brief
from vara.report.table import markdown
from vara.report.verdict import interval, limits, p_value, tested, verdict_line

Cells = Mapping[str, str]
Body = tuple[Sequence[str], Sequence[Cells]]


@dataclass(frozen=True, slots=True)
class Section:
    """A title (none for what follows without one), then lines, then a table."""

    title: str
    lines: Sequence[str] = ()
    rows: Sequence[Cells] = ()


def sections(found: Comparison) -> Iterator[Section]:
    """Yield what there is to say, in the order in which it should be read."""
    yield Section("", [f"A: {found.a.title}", f"B: {found.b.title}", _scope(found)])
    if lines := _before(found):
        yield Section("Before the numbers", lines)
    if found.data is not None:
        yield Section("Datasets", *_data(found))
    yield Section("Verdict", [verdict_line(found), brief(found.costs), *limits(found), *tested(found)])
    if found.movers:
        yield Section(f"Biggest movers by {found.families.primary}", rows=_movers(found))
    yield Section("Measures of the result table", rows=_measures(found.families.headline))
    if found.families.others:
        yield _others(found.families.others)
    if found.families.condensed:
        words = "Judged@k differs: nDCG over judged documents alone stands beside the plain one."
        coverage = [
            f"{one.measure}: A {one.a:.4f}, B {one.b:.4f}"
            for one in found.families.coverage
            if one.a != one.b
        ]
        yield Section("Judgment coverage", [words, *coverage], _measures(found.families.condensed))
    if found.groups:
        yield Section(f"Groups by {found.families.primary}", rows=_groups(found))
    yield Section("Cost and latency", [found.costs.reason] if found.costs.reason else [], _costs(found))
    yield Section("Beyond relevance", [brief_beyond(found.beyond)], rows_beyond(found.beyond))
    yield Section("Tuned", *_tuned(found))
    if found.predictions is not None:
        yield Section("Predictions", *_predictions(found))


def markdown_lines(found: Comparison) -> Iterator[str]:
    """Yield the sections as Markdown."""
    yield f"# {_code(found.a.name)} against {_code(found.b.name)}"
    for section in sections(found):
        if section.title:
            yield f"\n## {section.title}"
        if section.lines:
            yield ""
            yield from (f"* {line}" for line in section.lines)
        if section.rows:
            rows = [{name: cell.replace("|", "\\|") for name, cell in row.items()} for row in section.rows]
            yield f"\n{markdown(rows)}"


def _scope(found: Comparison) -> str:
    return f"{found.system} on {found.split}, {found.n} queries in common"


def _before(found: Comparison) -> list[str]:
    lines = [f"{reason}." for reason in found.incomparable]
    if found.incomparable:
        lines.append("Run A again on B's data and definitions, then compare.")
    lines += [f"{warning}." for warning in found.warnings]
    lines += [
        f"Queries that only {side} has are left out: {len(ids)} ({examples(ids)})."
        for side, ids in found.only.items()
        if ids
    ]
    if found.families.unmeasured:
        lines.append(f"Not in both arms: {examples(found.families.unmeasured)}.")
    if found.data is None and any(
        "differ" in line.casefold() for line in (*found.incomparable, *found.warnings)
    ):
        lines.append(f"What differs: vara compare {found.a.name} {found.b.name} --data.")
    return lines


def _others(measured: Sequence[Paired]) -> Section:
    """Show the measures that moved, and name the rest."""
    still = [one.measure for one in measured if not one.moved]
    lines = [f"No query moved: {', '.join(still)}."] if still else []
    return Section("All other measures", lines, _measures([one for one in measured if one.moved]))


def _data(found: Comparison) -> Body:
    if not found.data:
        return ["Documents, queries and labels are the same."], []
    rows = [
        {"table": one.table, "what": one.kind, "n": str(one.n), "examples": examples(one.examples)}
        for one in found.data
    ]
    return [], rows


def _measures(measured: Sequence[Paired]) -> list[Cells]:
    return [
        {
            "measure": one.measure,
            "A": f"{one.a:.4f}",
            "B": f"{one.b:.4f}",
            "B − A": f"{one.difference:+.4f}{interval(one)}",
            "win/tie/loss": f"{one.wins}/{one.ties}/{one.losses}",
            "p": p_value(one.p),
            "Holm": p_value(one.p_holm),
            "can see": "–" if one.detectable is None else f"{one.detectable:.4f}",
            "verdict": one.verdict,
        }
        for one in measured
    ]


def _movers(found: Comparison) -> list[Cells]:
    return [
        {
            "query": one.query_id,
            "A": f"{one.a:.4f}",
            "B": f"{one.b:.4f}",
            "B − A": f"{one.difference:+.4f}",
            "why": one.why,
        }
        for one in found.movers
    ]


def _groups(found: Comparison) -> list[Cells]:
    return [
        {
            "group": one.name,
            "n": str(one.n_a) if one.n_a == one.n_b else f"{one.n_a} / {one.n_b}",
            "A": _value(one.a),
            "B": _value(one.b),
            "B − A": one.reason or f"{one.difference:+.4f}",
        }
        for one in found.groups
    ]


def _costs(found: Comparison) -> list[Cells]:
    return [
        {
            "figure": one.name,
            "A": f"{one.a:g}",
            "B": f"{one.b:g}",
            "B / A": "–" if one.ratio is None else f"{one.ratio:.2f}",
        }
        for one in found.costs.figures
    ]


def _tuned(found: Comparison) -> Body:
    if not found.tuned:
        return ["No parameter differs: only data or code can have moved anything."], []
    return [], [{"setting": one.name, "A": str(one.a), "B": str(one.b)} for one in found.tuned]


def _predictions(found: Comparison) -> Body:
    rows = [
        {"prediction": one.prediction, "outcome": one.outcome, "why": one.why}
        for one in found.predictions or ()
    ]
    return [found.written], rows


def _code(name: str) -> str:
    return f"`{name}`"


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
