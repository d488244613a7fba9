"""What computes after which change: a table, every parameter in it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.run import perform, plain, prepare
from flows.workspace import Workspace
from tests.workspace import Sandbox, make_sandbox
from vara import params as parameters
from vara.sections import Params
from vara.watch import Silence

FROM_RERANK = ["rerank", "evaluate", "calibrate", "gate"]
FROM_POOL = ["pool", *FROM_RERANK]
FROM_EMBED = ["embed", "index", *FROM_POOL]
# the figures come out the same to the last digit, so that the gate has nothing new to judge
SAME_FROM_EMBED, SAME_FROM_POOL = FROM_EMBED[:-1], FROM_POOL[:-1]
MEASURED = ["evaluate", "calibrate", "gate"]

TABLE: dict[str, tuple[Any, list[str]]] = {
    "dataset.path": ("data/copy", ["validate", *MEASURED]),  # the same content under another name
    "seed": (7, ["evaluate", "gate"]),
    "embed.model": ("tiny-two", FROM_EMBED),
    "embed.dtype": ("bfloat16", FROM_EMBED),
    "embed.max_length": (128, FROM_EMBED),
    "embed.too_long": ("truncate", FROM_EMBED),
    "index.engine": ("memory", ["index"]),
    "index.m": (8, ["index"]),
    "index.ef_construct": (64, ["index"]),
    "lexical.fields": ({"title": 2.0, "text": 1.0}, FROM_POOL),
    "lexical.labels": (["title"], FROM_POOL),
    "lexical.k1": (0.9, FROM_POOL),
    "lexical.b": (0.4, FROM_POOL),
    "lexical.stem": ("english", FROM_POOL),
    "lexical.prefixes": (True, FROM_POOL),
    "lexical.typos": (True, FROM_POOL),
    "pool.depth": (3, FROM_POOL),
    "pool.retriever": ("bm25", FROM_POOL),
    "pool.search": ("ann", FROM_POOL),
    "pool.filter": ({"product": "web"}, FROM_POOL),
    "pool.exclude_self": (True, FROM_POOL),
    "pool.cap": (3, FROM_POOL),
    "pool.fusion": ("minmax", FROM_POOL),
    "pool.rrf_constant": (20, FROM_POOL),
    "pool.weights": ({"dense": 1.0, "bm25": 0.5}, FROM_POOL),
    "pool.title_guarantee": (True, FROM_POOL),
    "rerank.kind": ("none", FROM_RERANK),
    "rerank.weight": (0.5, FROM_RERANK),
    "evaluate.cutoffs": ([1, 2], ["evaluate", "gate"]),
    "evaluate.min_relevance": (2, MEASURED),
    "evaluate.min_group": (1, MEASURED),
    "calibrate.signal": ("margin", ["calibrate"]),
    "calibrate.objective": ("cost", ["calibrate"]),
    "calibrate.precision": (0.9, ["calibrate"]),
    "calibrate.cost_ratio": (5.0, ["calibrate"]),
    # what is only timed computes nothing of the pipeline (tests/pipeline/test_lab.py: what it measures again)
    "latency.split": ("dev", []),
    "latency.warmup": (1, []),
    "latency.repeats": (1, []),
    "latency.clients": ([1], []),
}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    sandbox = make_sandbox(tmp_path_factory.mktemp("table") / "work space")
    shutil.copytree(sandbox.root / "data/small", sandbox.root / "data/copy")
    models = yaml.safe_load((sandbox.root / "models.yaml").read_text())
    models["models"]["tiny-two"] = {**models["models"]["tiny"], "pooling": "cls"}
    (sandbox.root / "models.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(models))))
    assert computed(sandbox.root, {}) == ["validate", *FROM_EMBED]
    return sandbox


def computed(root: Path, changes: dict[str, Any]) -> list[str]:
    run = prepare(Workspace(root), "pipeline", changes, None)
    return [one.step.name for one in perform(run, plain(run.bench, Silence())) if one.state == "computed"]


def shipped(root: Path) -> Params:
    return parameters.load(root / "params.yaml")


def test_the_table_names_every_parameter(sandbox: Sandbox) -> None:
    assert list(TABLE) == list(shipped(sandbox.root).flat())


@pytest.mark.parametrize("name", TABLE)
def test_a_changed_parameter_computes_exactly(sandbox: Sandbox, name: str) -> None:
    value, expected = TABLE[name]
    assert shipped(sandbox.root).flat()[name] != value
    assert computed(sandbox.root, {name: value}) == expected
    assert computed(sandbox.root, {name: value}) == []
    assert computed(sandbox.root, {}) == []


CODE_CHANGES = [
    ("tasks/pool.py", '"""The pool stage', '"""The stage pool', []),
    ("tasks/embed.py", "    corpus = read_corpus(job)", "    corpus = read_corpus(job)  # all of it", []),
    ("vara/quality/ranking.py", '"""', '"""Text. ', []),
    ("backends/pooling.py", "lengths > 0)", "lengths > 1e-30)", SAME_FROM_EMBED),
    ("vara/quality/ranking.py", "\ndef ", "\nEXTRA = 1\n\n\ndef ", SAME_FROM_POOL),
    ("vara/index/fusion.py", "span.max() == span.min()", "span.min() == span.max()", SAME_FROM_POOL),
    ("vara/quality/bootstrap.py", "RESAMPLES = 10_000", "RESAMPLES = 9_000", ["evaluate", "calibrate"]),
    ("vara/datasets/rules.py", 'remedy="', 'remedy="Please. ', []),
    ("vara/datasets/rules.py", '"warning"', '"notice"', ["validate"]),
]


@pytest.mark.slow
def test_a_change_of_code_computes_exactly(tmp_path: Path) -> None:
    """Comments, docstrings and texts compute nothing; meaning computes what can reach it."""
    sandbox = make_sandbox(tmp_path / "code")
    assert sandbox.computed() == ["validate", *FROM_EMBED]
    for path, old, new, expected in CODE_CHANGES:
        original = (sandbox.root / path).read_text()
        sandbox.edit(path, old, new)
        run = sandbox.pipeline()
        assert [stage["stage"] for stage in run["stages"] if stage["state"] == "computed"] == expected, path
        if path == "backends/pooling.py":  # nothing is remembered across a change of the encoder's code
            assert next(stage for stage in run["stages"] if stage["stage"] == "embed")["items_computed"] == 14
        (sandbox.root / path).write_text(original)
    assert sandbox.computed() == []


def test_another_library_version_computes_what_uses_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    original = metadata.version

    def upgraded(name: str, to: str) -> Any:
        return lambda asked: to if asked == name else original(asked)

    for name, expected in {
        "bm25s": SAME_FROM_POOL,
        "torch": SAME_FROM_EMBED,
        "pandera": ["validate"],
        "qdrant-edge-py": ["index"],
        "prefect": [],
    }.items():
        with monkeypatch.context() as patch:
            patch.setattr(metadata, "version", upgraded(name, "99.0"))
            assert computed(sandbox.root, {}) == expected, name


def test_editing_two_documents_embeds_two_texts(tmp_path: Path) -> None:
    sandbox = make_sandbox(tmp_path / "edit")
    assert sandbox.pipeline()["stages"][1]["items_computed"] == 14
    sandbox.edit("data/small/corpus.jsonl", "Turn the roll round", "Turn the roll over")
    sandbox.edit("data/small/corpus.jsonl", "Drag the booking", "Pull the booking")
    stages = {stage["stage"]: stage for stage in sandbox.pipeline()["stages"]}
    assert stages["embed"]["state"] == "computed"
    assert stages["embed"]["items_computed"] == 2


def test_labels_do_not_reach_the_search(tmp_path: Path) -> None:
    sandbox = make_sandbox(tmp_path / "labels")
    sandbox.pipeline()
    sandbox.edit("data/small/qrels.tsv", "q1\td1\t3", "q1\td1\t2")
    assert sandbox.computed() == ["validate", *MEASURED]


def test_what_a_step_spares_it_never_runs(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The recipe leaves these modules out; so the step has to give its outputs without them."""
    import sys

    from flows.pipeline import PIPELINE

    spared = {module for step in PIPELINE for module in step.idle(shipped(sandbox.root).flat())}
    assert spared == {"tasks.approximate", "vara.quality.ranking"}

    def forbidden(*arguments: Any, **names: Any) -> Any:
        raise AssertionError("a spared module ran")

    monkeypatch.setenv("VARA_STORE", str(tmp_path / "store"))
    for name, member in vars(sys.modules["vara.quality.ranking"]).items():
        if callable(member) and getattr(member, "__module__", "") == "vara.quality.ranking":
            monkeypatch.setattr(f"backends.stores.points.{name}", forbidden, raising=False)
    run = prepare(Workspace(sandbox.root), "index", {}, "trials/spared")
    assert [one.state for one in perform(run, plain(run.bench, Silence()))] == ["computed"] * 3
