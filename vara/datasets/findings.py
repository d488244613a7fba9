"""What the rules (rules.py) found: tallies by code, and their rendering for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vara.datasets.names import dataset_name
from vara.datasets.rule import SEVERITIES, Severity
from vara.datasets.rules import HIDING, RULES
from vara.errors import Problem

N_EXAMPLES = 3
"""Places that are shown of each rule."""


@dataclass(frozen=True, slots=True)
class Finding:
    """All that one rule found in one dataset.

    Args:
        code: the rule's code (rules.py).
        severity: the rule's severity.
        count: how many places.
        examples: the first three places, "file:line what".
        where: the first place, "file:line".
    """

    code: str
    severity: Severity
    count: int
    examples: tuple[str, ...]
    where: str


class Findings:
    """Collects places by code: the count and the first three, so that memory does not grow with trouble."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._places: dict[str, list[tuple[str, str]]] = {}
        self._incomplete: set[str] = set()

    def add(self, code: str, where: str, *, what: str = "") -> None:
        """Note one place.

        Args:
            code: a code of the rule table.
            where: "file:line", or the file alone.
            what: the id, value or other line that a person needs to see.
        """
        self._counts[code] = self._counts.get(code, 0) + 1
        places = self._places.setdefault(code, [])
        if len(places) < N_EXAMPLES:
            places.append((where, printable(what)))
        if code in HIDING:
            self._incomplete.add(where.partition(":")[0])

    def add_all(self, code: str, count: int, places: Sequence[tuple[str, str]]) -> None:
        """Note many places of one rule at once.

        Args:
            code: a code of the rule table that hides no rows.
            count: how many; 0 says nothing.
            places: (where, what) of the first three.
        """
        if not count:
            return
        self._counts[code] = self._counts.get(code, 0) + count
        known = self._places.setdefault(code, [])
        known += [(where, printable(what)) for where, what in places[: N_EXAMPLES - len(known)]]

    def has(self, *codes: str) -> bool:
        """Return whether any of these rules found something."""
        return any(code in self._counts for code in codes)

    def complete(self, file: str) -> bool:
        """Return whether every row of the files whose names begin with `file` could be read."""
        return not any(name.startswith(file) for name in self._incomplete)

    def all(self) -> tuple[Finding, ...]:
        """Return the findings, errors first, otherwise in the order of the rule table."""
        found = [
            Finding(
                code=code,
                severity=rule.severity,
                count=self._counts[code],
                examples=tuple(f"{where} {what}".rstrip() for where, what in self._places[code]),
                where=self._places[code][0][0],
            )
            for code, rule in RULES.items()
            if code in self._counts
        ]
        return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def printable(text: str, limit: int = 80) -> str:
    r"""Return text for one line of a report: control characters escaped, cut after `limit` characters.

    Example:
        >>> printable("a\tb")
        'a\\tb'
    """
    shown = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text[: limit + 1])
    return shown if len(shown) <= limit else shown[:limit] + "…"


def one_line(finding: Finding) -> str:
    """Return a finding as one line: severity, code, count, rule, examples, remedy."""
    rule = RULES[finding.code]
    return f"{_head(finding)}: {rule.rule} ({'; '.join(finding.examples)}). {rule.remedy}"


def report(findings: Iterable[Finding], shares: Mapping[str, float] | None = None) -> str:
    """Return all findings, each with its examples on lines of their own.

    Args:
        findings: in order.
        shares: code → share of the rows that broke the rule, 0..1, where that says something.
    """
    lines = []
    for finding in findings:
        rule = RULES[finding.code]
        share = (shares or {}).get(finding.code)
        part = "" if share is None else f", {share:.2%} of {rule.share_of}"
        lines.append(f"  {_head(finding, part)}: {rule.rule}. {rule.remedy}")
        lines.extend(f"      {example}" for example in finding.examples)
    return "\n".join(lines)


def refuse_errors(folder: Path, findings: Sequence[Finding]) -> None:
    """Raise one Problem with the whole report when there is an error among the findings of a dataset.

    Raises:
        Problem: at least one finding is an error.
    """
    name = dataset_name(str(folder))
    refuse(f"Dataset {name}", findings, place=f" in {folder}", done="Nothing was written")


def refuse(subject: str, findings: Sequence[Finding], *, place: str = "", done: str) -> None:
    """Raise one Problem with the whole report when there is an error among the findings.

    Args:
        subject: what was read.
        findings: what was found in it.
        place: behind the totals: where it lies.
        done: what was not done because of it.

    Raises:
        Problem: at least one finding is an error.
    """
    if not any(finding.severity == "error" for finding in findings):
        return
    raise Problem(
        subject,
        f"{totals(findings)}{place}:\n{report(findings)}\n{done}",
        remedy="Correct the errors at the places named above and run this again.",
    )


def _head(finding: Finding, part: str = "") -> str:
    return f"{finding.severity} {finding.code} ({finding.count}{part})"


def totals(findings: Iterable[Finding]) -> str:
    """Return how many places there are of each severity: "2 errors, 1 notice"; "" where there are none."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        counts[finding.severity] += finding.count
    return ", ".join(f"{n} {severity}{'' if n == 1 else 's'}" for severity, n in counts.items() if n)
