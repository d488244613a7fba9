"""The story of `vara judge llm`: each pair of a sheet is asked in both orders, and agreement with people is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from backends.judge import Endpoint, Judge
from flows.whole import write_whole
from vara.artifacts.items import ItemCache
from vara.errors import Problem, examples
from vara.judgments.agreements import Agreement, agreements
from vara.judgments.annotators import check_annotator
from vara.judgments.merging import MACHINES
from vara.judgments.prompts import ORDERS, VERSION, messages
from vara.judgments.sheets import Row, read_sheet, sheet_text
from vara.watch import Watch

LLM = "llm"
_PERSON = "people"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model said of a sheet.

    Attributes:
        n: pairs.
        grades: grade → pairs with that verdict.
        n_contradicted: pairs whose two orders have different grades; no verdict.
        n_malformed: pairs with an answer that is no grade; no verdict.
        n_requests: answers that were fetched.
        n_remembered: questions whose verdict was known.
        agreement: with the people who judged pairs of the sheet; None where nobody did.
    """

    n: int
    grades: dict[int, int] = field(default_factory=dict)
    n_contradicted: int = 0
    n_malformed: int = 0
    n_requests: int = 0
    n_remembered: int = 0
    agreement: Agreement | None = None


def ask(sheet: Path, endpoint: Endpoint, cache: ItemCache, *, out: Path, watch: Watch) -> Asked:
    """Write a copy of a sheet whose grades are a model's; rows without a verdict stay empty.

    Args:
        sheet: with texts; grades that people wrote into it are never shown to the model, only compared.
        endpoint: whom to ask.
        cache: verdicts that were given before.
        out: the new sheet.
        watch: takes progress.

    Raises:
        Problem: the sheet or the new one is not what it should be, or the endpoint does not answer.
    """
    if out.exists():
        raise Problem(str(out), "something is there already", remedy="Name a new sheet with --out.")
    rows = read_sheet(sheet)
    _check(rows, sheet)
    annotator = f"{endpoint.model} {VERSION}"
    check_annotator(annotator)
    if endpoint.warning:
        watch.note(endpoint.warning)
    judged: list[Row] = []
    unsaid = Counter[str]()
    with Judge(endpoint, cache) as judge:
        for done, row in enumerate(rows, start=1):
            verdicts = [judge.verdict(messages(row, order)) for order in ORDERS]
            grade = verdicts[0] if len(set(verdicts)) == 1 else None
            if grade is None:
                unsaid["malformed" if None in verdicts else "contradicted"] += 1
            judged.append(replace(row, relevance=grade, annotator=annotator, source=LLM))
            watch.progress(done, len(rows), "pairs")
    write_whole(out, sheet_text(judged, delimiter="\t" if out.suffix == ".tsv" else ",").encode())
    return Asked(
        n=len(rows),
        grades=dict(sorted(Counter(row.relevance for row in judged if row.relevance is not None).items())),
        n_contradicted=unsaid["contradicted"],
        n_malformed=unsaid["malformed"],
        n_requests=judge.asked,
        n_remembered=judge.remembered,
        agreement=_agreement(rows, judged),
    )


def _check(rows: Sequence[Row], sheet: Path) -> None:
    bare = [row.where for row in rows if not row.query or not (row.title or row.text)]
    if bare or not rows:
        found = f"{len(bare)} rows without texts ({examples(bare)})" if bare else "no row"
        remedy = "Make the sheet with `vara judge next`, or fill in query, title and text."
        raise Problem(sheet.name, found, remedy=remedy)


def _agreement(people: Sequence[Row], model: Sequence[Row]) -> Agreement | None:
    """Compare the model's verdicts with the grades that people wrote into the sheet, whoever they are."""
    known = [
        replace(row, annotator=_PERSON)
        for row in people
        if row.relevance is not None and row.source not in MACHINES
    ]
    return next(iter(agreements((*known, *model))), None)
