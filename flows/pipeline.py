"""The story of `dvc repro`: from a corpus, queries and labels to committed metrics; and what is measured beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks import calibrate, embed, evaluate, gate, index, latency, pool, rerank, validate
from vara.artifacts.step import Step

PIPELINE: tuple[Step, ...] = (
    validate.STEP,  # is the data what it says it is?
    embed.STEP,  # texts become vectors
    index.STEP,  # vectors become a collection that answers
    pool.STEP,  # the candidates of each query, frozen
    rerank.STEP,  # the same candidates in a better order
    evaluate.STEP,  # what a user gets, in numbers
    calibrate.STEP,  # and when nothing should be shown
    gate.STEP,  # is it good enough?
)

LAB: tuple[Step, ...] = (
    latency.STEP,  # how long does an answer take, here and now?
)
"""The measured steps, of lab/dvc.yaml: each follows the pipeline, and none is run by it."""

STEPS = (*PIPELINE, *LAB)


def upto(stage: str, flat: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps that `stage` needs under these parameters, in order, itself last.

    Args:
        stage: a name of STEPS.
        flat: all parameters by dotted name.
    """
    target = next(step for step in STEPS if step.name == stage)
    wanted, needed = [target], set(target.needs(flat))
    for step in reversed(STEPS[: STEPS.index(target)]):
        if needed.intersection(step.provides):
            wanted.append(step)
            needed.update(step.needs(flat))
    return tuple(reversed(wanted))
