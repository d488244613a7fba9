"""What gates.yaml may say: gates and error budgets, refused at load where one could not mean what it says.

How they are judged is the affair of `gates` and `budgets`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from vara.errors import Problem, examples, near_names
from vara.params import shown
from vara.quality.measures import parse
from vara.sections import Section
from vara.yaml import line_of, load_yaml

BESIDE: dict[str, list[list[str]]] = {
    "floor": [[]],
    "max_drop": [["against"]],
    "max_ratio": [["against"], ["over"]],
}
"""The rules, and what each needs beside it: one of these."""

RULES = tuple(BESIDE)
_WINDOW = 1_000
_RATIO = 10.0


def _refused(text: str) -> PydanticCustomError:
    return PydanticCustomError("gate", "{text}", {"text": text})


def _finite(value: Any, expected: str) -> float:
    """Return a number that is finite and not negative; anything else is refused."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refused(f"{shown(value)} is no number, expected {expected}")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        number = math.inf
    if not math.isfinite(number):
        raise _refused(f"{shown(value)} is not finite, expected {expected}")
    if number < 0:
        raise _refused(f"{value} is negative, expected {expected}")
    return number


def _share(value: Any) -> float:
    number = _finite(value, "a share between 0 and 1")
    if number > 1:
        more = f"; write {number / 100:g} for {number:g} %" if number <= 100 else ""
        raise _refused(f"{value} is no share between 0 and 1{more}")
    return number


def _ratio(value: Any) -> float:
    number = _finite(value, "a ratio such as 1.2")
    if number == 0 or number > _RATIO:
        more = f"; write {number / 100:g} for {number:g} %" if number else ""
        raise _refused(f"{value} is no ratio between 0 and {_RATIO:g}{more}")
    return number


def _sum(value: Any) -> float:
    number = _finite(value, "a sum of shortfalls, above 0")
    if number == 0:
        raise _refused("a budget of nothing is a floor; write a gate")
    return number


Share = Annotated[float, BeforeValidator(_share)]
Ratio = Annotated[float, BeforeValidator(_ratio)]
Sum = Annotated[float, BeforeValidator(_sum)]
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f]+$")]
Revision = Annotated[str, Field(pattern=r"^[^-\s:][^\s:]*$")]


class Gate(Section):
    """One rule on one figure.

    Attributes:
        metric: a key of metrics/evaluate.json (floor, max_drop) or of lab/metrics/latency.json (max_ratio); with `*`
            every group that it fits.
        floor: the least value that passes.
        max_drop: the most that it may have lost since `against`.
        max_ratio: the most that it may be, as a multiple of itself in `against`, or of the key `over` beside it.
        against: a revision, by tag or commit.
    """

    name: Name
    metric: Name
    floor: Share | None = None
    max_drop: Share | None = None
    max_ratio: Ratio | None = None
    against: Revision | None = None
    over: Name | None = None

    @property
    def rule(self) -> str:
        """Return which of RULES it is."""
        return next(rule for rule in RULES if getattr(self, rule) is not None)

    @property
    def limit(self) -> float:
        """Return the number of the rule."""
        limit: float = getattr(self, self.rule)
        return limit

    @model_validator(mode="after")
    def _whole(self) -> Gate:
        given = [rule for rule in RULES if getattr(self, rule) is not None]
        if len(given) != 1:
            raise _refused(f"found {' and '.join(given) or 'no rule'}, expected one of {', '.join(RULES)}")
        beside = [name for name in ("against", "over") if getattr(self, name) is not None]
        fitting = BESIDE[given[0]]
        if beside not in fitting:
            names = " or ".join(one[0] if one else "nothing" for one in fitting)
            raise _refused(f"{given[0]} stands with {names}, found {' and '.join(beside) or 'nothing'}")
        if given[0] != "max_ratio":
            _check_measure(self.metric)
        if "*" in self.metric and (given[0] != "floor" or ".group." not in self.metric.partition("*")[0]):
            raise _refused("* stands for groups under a floor, as in test.group.language=*.reranked.nDCG@10")
        return self


class Budget(Section):
    """How far a figure may fall short over a window of readings, in sum.

    Attributes:
        metric: a key of metrics/evaluate.json, or of each line of `readings`.
        target: a reading below it burns what it lacks.
        allowed: the sum of shortfalls that a window may hold.
        window: how many readings count, the newest ones.
        readings: a file of readings, one JSON object a line, the newest last; left out, the readings are this run and
            the revisions that changed metrics/evaluate.json.
        when_spent: whether a spent budget fails the gate or is only said.
    """

    name: Name
    metric: Name
    target: Share
    allowed: Sum
    window: Annotated[int, Field(ge=1, le=_WINDOW)]
    readings: Name | None = None
    when_spent: Literal["fail", "warn"]

    @model_validator(mode="after")
    def _can_be_spent(self) -> Budget:
        _check_measure(self.metric)
        if "*" in self.metric:
            raise _refused("a budget is about one figure, not about *")
        if self.allowed >= self.target * self.window:
            most = f"{self.target:g} × {self.window} = {self.target * self.window:g}"
            raise _refused(f"allowed {self.allowed:g} can never be spent, expected less than {most}")
        return self


class GateFile(Section):
    """All of gates.yaml; on another dataset than its own nothing is judged."""

    dataset: Name
    gates: list[Gate]
    budgets: list[Budget] = Field(default_factory=list)

    @model_validator(mode="after")
    def _names(self) -> GateFile:
        names = [*(gate.name for gate in self.gates), *(budget.name for budget in self.budgets)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise _refused(f"a name that stands twice: {examples(twice)}")
        if not names:
            raise _refused("neither a gate nor a budget")
        return self


def load_gates(text: str, where: str) -> GateFile:
    """Read the text of gates.yaml.

    Raises:
        Problem: it is not YAML or does not fit; what is wrong stands there with its line, up to three of all.
    """
    tree = load_yaml(text, where)
    try:
        return GateFile.model_validate(tree)
    except ValidationError as error:
        lines = [f"line {line_of(text, one['loc'])}: {_said(one)}" for one in error.errors(include_url=False)]
        remedy = "Correct the named lines; docs/guides/gates.md describes each key."
        raise Problem(where, examples(lines), remedy=remedy) from None


def _said(error: Any) -> str:
    """Return in words what is wrong, without its place."""
    name = str(error["loc"][-1]) if error["loc"] else "file"
    if error["type"] == "extra_forbidden":
        owners: dict[str, type[Section]] = {"gates": Gate, "budgets": Budget}
        owner = owners[str(error["loc"][0])] if len(error["loc"]) > 1 else GateFile
        return f"unknown key {name!r} ({near_names(name, owner.model_fields)[:-1]})"
    if error["type"] == "missing":
        return f"missing key {name!r}"
    about = "" if name.isdecimal() or name == "file" else f"{name}: "
    if error["type"] == "gate":
        return f"{about}{error['msg']}"
    return f"{about}{error['msg'][0].lower()}{error['msg'][1:]}, found {shown(error['input'])}"


def _check_measure(metric: str) -> None:
    """Refuse a key that names no measure: gates and budgets know shares only, no counts."""
    split, _, name = next(_stems(metric)).rpartition(".")
    if re.fullmatch(r"annR@[1-9]\d*", name) and split:
        return
    try:
        written = str(parse(name))
    except Problem as problem:
        raise _refused(
            f"{metric} ends in no measure: {problem.found}, expected {problem.expected}. {problem.remedy}".rstrip(
                "."
            )
        ) from None
    if written != name or not split:
        raise _refused(
            f"{metric} is no key of metrics/evaluate.json, expected one like test.reranked.{written}"
        )


def _stems(metric: str) -> Iterator[str]:
    """Yield the key without the end that says which of a measure's figures it is."""
    for end in (".low", ".high", ".p5"):
        if metric.endswith(end):
            yield metric.removesuffix(end)
    yield metric
