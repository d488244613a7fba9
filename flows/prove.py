"""Would the gates notice? Every gate judged on deliberately broken arms of the present run.

Shuffled ids, reversed order, a lost half and foreign labels are made from the frozen rankings; truncated texts and a
dropped prefix are embedded anew, under parameters or a registry of their own. Times are slowed ten times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from backends.models import Prefixes, load_registry
from flows.look import made
from flows.workspace import Workspace
from tasks.gate import GATES, GREEN, RED, read_gates
from tasks.readings import read_readings
from tasks.truth import truth_of
from vara import params as parameters
from vara.artifacts.execute import Bench
from vara.artifacts.step import Output
from vara.datasets.tables import read_table
from vara.errors import Problem
from vara.index.frozen import read_pool, read_reranked
from vara.quality import broken
from vara.quality.budgets import burn
from vara.quality.evaluation import evaluate
from vara.quality.gatefile import Budget, Gate
from vara.quality.gates import Metrics, Readings, judge
from vara.quality.judging import Qrels
from vara.quality.split import Runs, Settings
from vara.report.table import read_metrics
from vara.sections import Params
from vara.watch import Watch

PRESENT, SLOWED = "this run", "ten times slower"
UNTOUCHED = "–"
FEW_TOKENS = 4
"""Tokens that truncated texts keep, special tokens included: two of their own in most models."""


@dataclass(frozen=True)
class Proof:
    """What the gates said of each arm.

    Attributes:
        cells: gate or budget → arm → green, red, or – where the arm cannot touch it.
        skipped: arm → why it was not made.
        toothless: gates that stay green whatever is broken.
    """

    cells: Mapping[str, Mapping[str, str]]
    skipped: Mapping[str, str]
    toothless: tuple[str, ...]


def prove(workspace: Workspace, watch: Watch) -> Proof:
    """Judge every gate on every arm; a budget is held against an arm that lasts for its whole window.

    Raises:
        Problem: gates.yaml does not fit, is about another dataset, or names a revision that cannot be read.
    """
    gates, params, bench = (
        read_gates(workspace.root),
        parameters.load(workspace.params_path),
        workspace.bench(),
    )
    folder, outputs = made("evaluate", params, bench, watch)
    present = read_metrics(folder / "metrics.json")
    if gates.dataset != present["dataset"]:
        found = f"it is about {gates.dataset}, this run is of {present['dataset']}"
        raise Problem(GATES, found, remedy="Set `dataset` and the floors for the data that you measure.")
    arms: dict[str, Metrics] = {PRESENT: present}
    skipped = {}
    for name, arm in (*_mixed(outputs, params, present), *_embedded(workspace, params, bench, watch)):
        if isinstance(arm, str):
            skipped[name] = arm
        else:
            arms[name] = arm
    readings = read_readings(gates, present, bench.settings)
    names = (*arms, SLOWED) if any(gate.max_ratio is not None for gate in gates.gates) else tuple(arms)
    cells = {
        **{gate.name: {arm: _judged(gate, readings, arms, arm) for arm in names} for gate in gates.gates},
        **{one.name: {arm: _burnt(one, readings, arms, arm) for arm in names} for one in gates.budgets},
    }
    monitored = {one.name for one in gates.budgets if one.readings is not None}
    toothless = [name for name, row in cells.items() if name not in monitored and RED not in row.values()]
    return Proof(cells, skipped, tuple(toothless))


def _judged(gate: Gate, readings: Readings, arms: Mapping[str, Metrics], arm: str) -> str:
    """Return green or red; times are touched by one arm alone, and it touches nothing else."""
    if arm != PRESENT and (arm == SLOWED) != (gate.max_ratio is not None):
        return UNTOUCHED
    if arm == SLOWED:
        time = readings.latency.get(gate.metric)
        slowed = {gate.metric: 10 * time} if isinstance(time, int | float) else {}
        seen = replace(readings, latency={**readings.latency, **slowed})
    else:
        seen = replace(readings, present=arms[arm])
    return GREEN if judge(gate, seen).green else RED


def _burnt(budget: Budget, readings: Readings, arms: Mapping[str, Metrics], arm: str) -> str:
    """Return green or red (also of a budget that only warns); what a monitor reads no arm can touch."""
    if arm != PRESENT and (arm == SLOWED or budget.readings is not None):
        return UNTOUCHED
    history = readings.history[budget.name] if arm == PRESENT else [arms[arm]] * budget.window
    return GREEN if burn(budget, history).verdict == GREEN else RED


def _mixed(
    outputs: Mapping[str, Output], params: Params, present: Metrics
) -> Iterator[tuple[str, Metrics | str]]:
    """Yield the arms that need no new vector, by name."""
    truth = truth_of(outputs)
    pool, reranked = read_pool(outputs["pool"].folder), read_reranked(outputs["reranked"].folder)
    runs: Runs = {"first_stage": pool.first_stage, "reranked": reranked.run, "bm25": pool.bm25}
    settings = Settings(
        cutoffs=params.evaluate.cutoffs,
        min_relevance=params.evaluate.min_relevance,
        min_group=params.evaluate.min_group,
        seed=params.seed,
        depth=outputs["pool"].facts["depth"],
    )

    def measured(runs: Runs, qrels: Qrels = truth.qrels) -> Metrics:
        sources = truth.sources if qrels is truth.qrels else None  # foreign labels have none
        found = evaluate(runs, truth.queries, qrels, settings=settings, sources=sources)
        return {**present, **found.metrics}

    documents = read_table(outputs["documents"].folder / "documents.parquet", "documents")
    yield "shuffled ids", measured(broken.shuffled_ids(runs, documents["doc_id"].to_list(), params.seed))
    yield "reversed order", measured(broken.reversed_order(runs))
    yield "half of the pool lost", {**measured(broken.half_lost(runs, params.seed)), **_half_found(present)}
    foreign = broken.labels_of_others(truth.queries, truth.qrels, params.evaluate.min_relevance)
    yield "labels of another split", measured(runs, foreign) if foreign else "no two queries have labels"


def _half_found(present: Metrics) -> Metrics:
    """Return half of each fidelity to exact search: what is lost was found as often as the rest."""
    return {key: value / 2 for key, value in present.items() if ".annR@" in key and isinstance(value, float)}


def _embedded(
    workspace: Workspace, params: Params, bench: Bench, watch: Watch
) -> Iterator[tuple[str, Metrics | str]]:
    """Yield the arms whose texts are embedded anew, by name; the store keeps them for the next proof."""
    short = parameters.changed(params, {"embed.max_length": FEW_TOKENS, "embed.too_long": "truncate"})
    yield "truncated texts", _run(short, bench, watch)
    entry = load_registry(workspace.root / "models.yaml").entry(params.embed.model)
    if not (entry.prefixes.query or entry.prefixes.passage):
        yield "dropped prefix", f"{params.embed.model} has none"
        return
    bare = entry.model_copy(update={"prefixes": Prefixes(query="", passage="")})
    path = str((workspace.root / params.dataset.path).absolute())
    with TemporaryDirectory() as folder:
        registry = yaml.safe_dump({"models": {params.embed.model: bare.model_dump()}})
        (Path(folder) / "models.yaml").write_text(registry, encoding="utf-8")
        there = Bench(bench.store, replace(bench.settings, root=Path(folder)))
        yield "dropped prefix", _run(parameters.changed(params, {"dataset.path": path}), there, watch)


def _run(params: Params, bench: Bench, watch: Watch) -> Metrics:
    return read_metrics(made("evaluate", params, bench, watch)[0] / "metrics.json")
