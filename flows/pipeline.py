"""The story of `dvc repro`: from a corpus, queries and labels to committed metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks import embed, evaluate, gate, index, pool, rerank, validate
from vara.artifacts.step import Step

PIPELINE: tuple[Step, ...] = (
    validate.STEP,  # is the data what it says it is?
    embed.STEP,  # texts become vectors
    index.STEP,  # vectors become a collection that answers
    pool.STEP,  # the candidates of each query, frozen
    rerank.STEP,  # the same candidates in a better order
    evaluate.STEP,  # what a user gets, in numbers
    gate.STEP,  # is it good enough?
)


def upto(stage: str, flat: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps that `stage` needs under these parameters, in order, itself last.

    Args:
        stage: a name of PIPELINE.
        flat: all parameters by dotted name.
    """
    target = next(step for step in PIPELINE if step.name == stage)
    wanted, needed = [target], set(target.needs(flat))
    for step in reversed(PIPELINE[: PIPELINE.index(target)]):
        if needed.intersection(step.provides):
            wanted.append(step)
            needed.update(step.needs(flat))
    return tuple(reversed(wanted))
