"""A measured step: its key is of one machine, it runs alone, and what it says stands in lab/."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vara.artifacts.execute import Bench, execute, plan
from vara.artifacts.step import Job, Made, Settings, Step
from vara.artifacts.store import Store
from vara.watch import Silence, Watch

HERE = {"cpu": "a", "cores": "2 of 2 cores"}


def bench(root: Path, **settings: Any) -> Bench:
    store = Store(root / "store")
    machine = {"machine": HERE, **settings}
    return Bench(
        store, Settings(root, store.root / "collections", 1, {"cpu": "avx2"}, store.digest_of, **machine)
    )


def run(job: Job) -> Made:
    return Made(outputs={}, metrics={"ms": 1.5}, items=1)


TIMED = Step("times", run, metrics=True, measured=True)
PLAIN = replace(TIMED, measured=False)


def key(step: Step, where: Bench) -> str:
    return plan(step, {}, {}, where).key


@pytest.mark.parametrize(
    "machine", [{**HERE, "cpu": "b"}, {**HERE, "cores": "1 of 2 cores"}, {"cpu": "a"}, {}]
)
def test_another_machine_has_another_key(tmp_path: Path, machine: dict[str, str]) -> None:
    here, there = bench(tmp_path), bench(tmp_path, machine=machine)
    assert key(TIMED, here) == key(TIMED, bench(tmp_path))
    assert key(TIMED, here) != key(TIMED, there)
    assert key(PLAIN, here) == key(PLAIN, there)
    assert plan(TIMED, {}, {}, here).recipe == plan(TIMED, {}, {}, there).recipe  # a recipe is of no machine


def test_the_machine_does_not_hide_the_platform(tmp_path: Path) -> None:
    """Both speak of a cpu."""
    here = bench(tmp_path)
    other = replace(here, settings=replace(here.settings, platform={"cpu": "avx512"}))
    assert key(TIMED, here) != key(TIMED, other)


def test_where_it_is_published() -> None:
    assert dict(TIMED.publishes) == {"lab/metrics/times.json": "metrics.json"}
    assert dict(PLAIN.publishes) == {"metrics/times.json": "metrics.json"}


def test_it_is_computed_alone_and_a_hit_waits_for_nobody(tmp_path: Path) -> None:
    story: list[str] = []

    @contextmanager
    def alone(watch: Watch) -> Iterator[None]:
        story.append("begin")
        yield
        story.append("end")

    def speaking(job: Job) -> Made:
        story.append("run")
        return run(job)

    where = bench(tmp_path, alone=alone)
    step = replace(TIMED, run=speaking)
    assert execute(plan(step, {}, {}, where), where, Silence()).state == "computed"
    assert story == ["begin", "run", "end"]
    assert execute(plan(step, {}, {}, where), where, Silence()).state == "cached"
    assert story == ["begin", "run", "end"]
    execute(plan(replace(step, name="plain", measured=False), {}, {}, where), where, Silence())
    assert story == ["begin", "run", "end", "run"]


def test_what_is_forgotten_is_made_again(tmp_path: Path) -> None:
    where = bench(tmp_path)
    planned = plan(TIMED, {}, {}, where)
    where.store.forget("times", planned.key)  # nothing there yet
    assert [execute(planned, where, Silence()).state for _ in range(2)] == ["computed", "cached"]
    where.store.forget("times", planned.key)
    assert execute(planned, where, Silence()).state == "computed"


def test_why_it_would_be_measured(tmp_path: Path) -> None:
    here, there = bench(tmp_path), bench(tmp_path, machine={**HERE, "cpu": "b"})
    execute(plan(TIMED, {}, {}, here), here, Silence())
    why = execute(plan(TIMED, {}, {}, there), there, Silence()).why
    assert why == "same recipe, but made on another platform or machine, or damaged"
