"""A comparison for people: the same sections for a terminal and for Markdown, what differs in the data first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vara.errors import examples
from vara.quality.comparison import FEWEST, Paired
from vara.quality.power import ALPHA
from vara.report.beyond import brief as brief_beyond
from vara.report.beyond import rows as rows_beyond
from vara.report.comparison import Comparison
from vara.report.cost import brief
from vara.report.table import markdown

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
    yield Section("Verdict", [verdict_line(found), brief(found.costs), *_limits(found), *_tested(found)])
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


def verdict_line(found: Comparison) -> str:
    """Return the verdict as one sentence; cost and latency belong beside it."""
    if found.incomparable:
        return "Not comparable: no verdict is given while the same measure means different things."
    one = found.deciding
    if one is None:
        return f"Not measured: an arm has no value of {found.families.primary}."
    size = f"{one.measure} {one.a:.4f} → {one.b:.4f} ({one.difference:+.4f}{_interval(one)})"
    p = f"p = {_p(one.p_holm)} after Holm"
    if one.verdict == "no difference":
        everywhere = not any(other.moved for other in found.measured)
        rest = "and of every other measure" if everywhere else "other measures moved, see below"
        return f"No difference: all {one.n} queries have the same {one.measure} in both, p = 1; {rest}."
    if one.verdict in ("higher", "lower"):
        word = "better" if one.verdict == "higher" else "worse"
        return f"B is {word}: {size}, {p}."
    if one.verdict == "noise":
        alone = one.low is not None and one.high is not None and (one.low > 0 or one.high < 0)
        beside = " The interval is of this measure alone, without that correction." if alone else ""
        return f"Noise: {size}, {p}.{beside}"
    return f"Undecided: {size}, {p}."


def _limits(found: Comparison) -> Iterator[str]:
    """Say what this many queries can and cannot show."""
    if (one := found.deciding) is None or found.incomparable:
        return
    if one.detectable is not None:
        sight = f"n = {one.n} can see {one.detectable:.4f} or more of {one.measure} (.05 two-sided, power .8)"
        rest = f"; {abs(one.difference):.4f} is within noise" if one.verdict == "noise" else ""
        yield f"{sight}, where queries scatter as they do here{rest}."
    few = [other for other in found.families.headline if 0 < other.moved < FEWEST]
    if few:
        moved = examples([f"{other.measure} {other.moved} of {other.n}" for other in few])
        most = max(other.moved for other in few)
        yield (
            f"Too few queries moved ({moved}): {ALPHA:g} cannot be reached with fewer than {FEWEST}; "
            f"the smallest p of {most} is {2 / 2**most:g}."
        )


def _tested(found: Comparison) -> Iterator[str]:
    """Say how often the labels of test were looked at, as far as the store knows."""
    if found.tested is None:
        return
    if found.tested == 0:
        yield "This store has computed no test values on these labels; a store knows only what was computed with it."
        return
    settings = "1 setting" if found.tested == 1 else f"{found.tested} settings"
    yield (
        f"Test values of {settings} were computed on these labels "
        "(ledger of this store; it knows only what was computed with it)."
    )


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
            "B − A": f"{one.difference:+.4f}{_interval(one)}",
            "win/tie/loss": f"{one.wins}/{one.ties}/{one.losses}",
            "p": _p(one.p),
            "Holm": _p(one.p_holm),
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


def _interval(one: Paired) -> str:
    return "" if one.low is None or one.high is None else f" [{one.low:+.4f}, {one.high:+.4f}]"


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _p(p: float) -> str:
    return "1" if p == 1 else f"{p:.4f}"
