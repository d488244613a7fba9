"""Predictions of a comparison, written down before it: read from YAML, and judged by what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from vara.errors import Problem, examples
from vara.params import explain
from vara.quality.comparison import Paired, Values
from vara.quality.measures import parse
from vara.sections import Section

Outcome = Literal["confirmed", "refuted", "undecided"]
Size = Annotated[float, Field(ge=0)]


class Prediction(Section):
    """One expectation of B against A.

    Attributes:
        measure: its name.
        direction: of B − A.
        query: a query's id; left out, the mean over the queries.
        at_least: how much, with up and down; left out, anything above 0.
        within: with same: how far apart both may be.
    """

    measure: str
    direction: Literal["up", "down", "same"]
    query: str | None = None
    at_least: Size | None = None
    within: Size | None = None

    @model_validator(mode="after")
    def _fits(self) -> Prediction:
        if self.direction == "same" and self.at_least is not None:
            raise ValueError("at_least goes with up and down; write within")
        if self.direction != "same" and self.within is not None:
            raise ValueError("within goes with same; write at_least")
        return self

    def __str__(self) -> str:
        """Return it in words: "nDCG@10 up by at least 0.01"."""
        words = [self.measure, *([f"of {self.query}"] if self.query is not None else []), self.direction]
        if self.at_least is not None:
            words.append(f"by at least {self.at_least:g}")
        if self.within is not None:
            words.append(f"within {self.within:g}")
        return " ".join(words)


def read_predictions(tree: Any, where: str) -> list[Prediction]:
    """Check a list of predictions.

    Raises:
        Problem: it is no list of them, or names a measure that does not exist.
    """
    try:
        found = TypeAdapter(list[Prediction]).validate_python(tree)
    except ValidationError as error:
        lines = [_placed(one) for one in error.errors(include_url=False)]
        remedy = "Write a list of entries like {measure: nDCG@10, direction: up, at_least: 0.01}."
        raise Problem(where, examples(lines), remedy=remedy) from None
    return [one.model_copy(update={"measure": str(parse(one.measure))}) for one in found]


def judged(prediction: Prediction, measured: Sequence[Paired], a: Values, b: Values) -> tuple[Outcome, str]:
    """Return what became of a prediction, and the number that decided.

    **Conventions**: the mean is judged by its 95 % interval and by p after Holm. *up* (*down* mirrored) is
    confirmed where B is significantly higher and by at least that much, refuted where it is significantly lower
    or the whole interval lies below that much; *same* is confirmed where no query moved or the whole interval
    lies within, refuted where the difference is significant or the whole interval lies outside. Between them it is
    undecided: the queries do not tell. A single query has no chance in it: its difference decides.

    Args:
        prediction: one.
        measured: every measure that was compared.
        a: query_id → measure → value of A, over the shared queries.
        b: of B.
    """
    if prediction.query is not None:
        return _of_query(prediction, a, b)
    found = {one.measure: one for one in measured}.get(prediction.measure)
    if found is None:
        return "undecided", "this measure was not compared"
    said = f"{found.difference:+.4f}, {found.verdict}, p {found.p_holm:.4f} after Holm"
    if prediction.direction == "same":
        return _same(found, prediction.within), said
    return _directed(found, 1 if prediction.direction == "up" else -1, prediction.at_least or 0.0), said


def _same(found: Paired, within: float | None) -> Outcome:
    if found.verdict == "no difference":
        return "confirmed"
    if within is None:
        return "refuted" if found.verdict in ("higher", "lower") else "undecided"
    if found.low is None or found.high is None:
        return "undecided"
    if -within <= found.low and found.high <= within:
        return "confirmed"
    return "refuted" if found.low > within or found.high < -within else "undecided"


def _directed(found: Paired, sign: int, at_least: float) -> Outcome:
    if found.verdict == "no difference":
        return "refuted"
    if found.verdict in ("higher", "lower"):
        size = sign * found.difference
        if size < 0:
            return "refuted"
        if size >= at_least:
            return "confirmed"
    upper = found.high if sign > 0 else found.low
    return "refuted" if upper is not None and sign * upper < at_least else "undecided"


def _of_query(prediction: Prediction, a: Values, b: Values) -> tuple[Outcome, str]:
    sides = [side.get(str(prediction.query), {}).get(prediction.measure) for side in (a, b)]
    if sides[0] is None or sides[1] is None:
        return "undecided", "not compared: no such query or measure in both arms"
    difference = sides[1] - sides[0]
    if prediction.direction == "same":
        kept = abs(difference) <= (prediction.within or 0.0)
    else:
        size = difference if prediction.direction == "up" else -difference
        kept = size > 0 and size >= (prediction.at_least or 0.0)
    return "confirmed" if kept else "refuted", f"{difference:+.4f}"


def _placed(error: Mapping[str, Any]) -> str:
    """Say which entry is wrong, counted from 1, and how."""
    place, *rest = error["loc"] or ("",)
    if not isinstance(place, int):
        return f"no list: found {type(error['input']).__name__}"
    words = (
        explain({**error, "loc": rest}, Prediction)
        if rest
        else str(error["msg"]).removeprefix("Value error, ")
    )
    return f"entry {place + 1}: {words}"
