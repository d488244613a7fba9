"""What two arms show beyond relevance, from metric files."""

from __future__ import annotations

from typing import Any

from tests.unit.report.arm_files import run_files
from vara.report.arm import Arm, read_arm
from vara.report.beyond import OTHER_VECTORS, Aspect, Beyond, beyond, brief, rows
from vara.report.comparison import compared
from vara.report.comparison_json import as_json
from vara.report.comparison_text import sections

FIGURES = {
    "test.reranked.categories@5": 2.5,
    "test.reranked.ILD@5": 0.5,
    "test.reranked.median_age_days@5": None,
    "test.reranked.median_age_days@5.reason": "no document shown has a date in metadata.updated_at",
    "test.reranked.never_shown@5": 0.25,
    "test.reranked.exposure_gini@5": 0.75,
    "test.reranked.categories@5.n": 59,
    "test.bm25.categories@5": 9.0,
    "dev.reranked.categories@5": 8.0,
}


def arm(name: str, figures: dict[str, Any], model: str = "m") -> Arm:
    facts = {"systems": {"pool": {"model_fingerprint": model}, "reranked": {}}, **figures}
    return read_arm(name, name, run_files({}, facts=facts).get)


def of(a: Arm, b: Arm) -> Beyond:
    return beyond(a, b, split="test", system="reranked")


OTHER = {**FIGURES, "test.reranked.categories@5": 2.25, "test.reranked.ILD@5": 0.625}


def test_figures_stand_side_by_side() -> None:
    found = of(arm("A", FIGURES), arm("B", OTHER))
    assert found.figures == (
        Aspect("categories@5", 2.5, 2.25, -0.25, ""),
        Aspect("ILD@5", 0.5, 0.625, 0.125, ""),
        Aspect("median_age_days@5", None, None, None, "no document shown has a date in metadata.updated_at"),
        Aspect("never_shown@5", 0.25, 0.25, 0.0, ""),
        Aspect("exposure_gini@5", 0.75, 0.75, 0.0, ""),
    )
    assert rows(found)[:3] == [
        {"figure": "categories@5", "A": "2.5000", "B": "2.2500", "B − A": "-0.2500"},
        {"figure": "ILD@5", "A": "0.5000", "B": "0.6250", "B − A": "+0.1250"},
        {"figure": "median_age_days@5", "A": "–", "B": "–", "B − A": "no document shown has a date in metadata.updated_at"},
    ]  # fmt: skip


def test_distances_of_two_encoders_are_not_subtracted() -> None:
    found = {one.name: one for one in of(arm("A", FIGURES), arm("B", OTHER, model="other")).figures}
    assert found["ILD@5"] == Aspect("ILD@5", 0.5, 0.625, None, OTHER_VECTORS)
    assert found["categories@5"].difference == -0.25


def test_where_there_is_nothing_it_says_so() -> None:
    bare, full = arm("A", {}), arm("B", FIGURES)
    for a, b, side in ((bare, full, "A"), (full, bare, "B"), (bare, bare, "A and B")):
        found = of(a, b)
        assert found.figures == ()
        assert brief(found) == f"not measured (no such figure in metrics/evaluate.json of {side})."
    shifted = {key.replace("@5", "@7"): value for key, value in FIGURES.items()}
    assert of(full, arm("B", shifted)).reason == "not measured (other cutoffs)"


def test_a_comparison_shows_them_beside_cost_without_a_verdict() -> None:
    found = compared(arm("A", FIGURES), arm("B", OTHER), split=None, system="reranked")
    titles = [one.title for one in sections(found)]
    assert titles[titles.index("Cost and latency") + 1] == "Beyond relevance"
    section = next(one for one in sections(found) if one.title == "Beyond relevance")
    assert section.lines == [
        "Over all queries of the split, also those without an answer. No test of chance is made of these."
    ]
    assert list(section.rows[0]) == ["figure", "A", "B", "B − A"]
    assert as_json(found)["beyond"]["figures"][1]["difference"] == 0.125
    assert found.verdict == "no difference"
