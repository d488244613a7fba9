"""A step: one stage of the pipeline as a value: what it reads, which parameters, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from vara.watch import Watch

if TYPE_CHECKING:
    from vara.artifacts.items import ItemCache

Facts = Mapping[str, Any]
"""What identifies an output: ids, counts, orders and their digests; never floats."""


def _unshared(watch: Watch) -> AbstractContextManager[None]:  # noqa: ARG001 - a default with the signature
    return nullcontext()


@dataclass(frozen=True)
class Settings:
    """What a step may use but what can change no number.

    Attributes:
        root: the workspace; relative paths of parameters start here.
        workers: encoder threads on a CPU.
        platform: what may change the last bit of a float; part of every key.
        digest_of: SHA-256 of a file, memoised.
        collections: where embedded engines keep their collections.
        qdrant: what the environment says of a Qdrant server (QDRANT_URL, …); holds its key, so it is never shown.
        clone: whose git history is read; None: the workspace's own.
        machine: what a duration depends on; part of the keys of measured steps, and of no other.
        alone: holds off every other measurement on this machine, and tells the watch when it has to wait for one.
    """

    root: Path
    collections: Path
    workers: int
    platform: Mapping[str, str]
    digest_of: Callable[[Path], str]
    qdrant: Mapping[str, str] = field(default_factory=dict, repr=False)
    clone: Path | None = None
    machine: Mapping[str, str] = field(default_factory=dict)
    alone: Callable[[Watch], AbstractContextManager[None]] = _unshared


@dataclass(frozen=True)
class Output:
    """One output of a step that has run: its payload folder in the store and the facts that identify it."""

    name: str
    folder: Path
    facts: Facts
    identity: Facts


@dataclass(frozen=True)
class Job:
    """All that a step may touch while it runs.

    Attributes:
        inputs: the outputs that the step declared to read, by name.
        params: exactly the parameters that it declared; another name is a KeyError.
        folder: where it writes its payload files.
        items: the per-item cache for work that is the same whatever its company.
        tested: takes (digest of labels, digest of settings) of test values that were computed; nothing comes back, so
            that no number can depend on it.
        recipe: digest of the recipe under which the outputs will be stored.
    """

    inputs: Mapping[str, Output]
    params: Mapping[str, Any]
    folder: Path
    watch: Watch
    settings: Settings
    items: ItemCache
    tested: Callable[[str, str], None]
    recipe: str


@dataclass(frozen=True)
class Made:
    """What a step made, beside the payload files in its folder.

    Attributes:
        outputs: {output name: facts}; each becomes build/<name>.json.
        bodies: {output name: more JSON for that file}, too large to be part of an identity.
        metrics: the content of the step's metric file, if it has one.
        items: how many items (rows, texts, pairs, queries) were really computed.
    """

    outputs: Mapping[str, Facts]
    bodies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    metrics: Mapping[str, Any] | None = None
    items: int = 0


def _nothing(params: Mapping[str, Any], settings: Settings) -> Mapping[str, str]:  # noqa: ARG001 - a default with the signature
    return {}


@dataclass(frozen=True)
class Step:
    """A stage as a value.

    Attributes:
        name: the stage's word in dvc.yaml, tasks/ and tests/.
        run: the function; its module is the root of the code fingerprint.
        outputs: names of its outputs.
        reads: names of the outputs of earlier steps that it always reads; `metrics/<step>` is a metric file.
        reads_when: {(parameter, value): outputs that it reads beside them when the parameter has this value}.
        spared: {module that the step's code can reach: (parameter, value) under which it runs, or None: never};
            where it does not run, its code is no part of the recipe.
        params: dotted names of the parameters that it reads.
        files: the files outside the store that it reads, as {name: SHA-256}.
        models: fingerprints of the models that it uses, as {parameter: fingerprint}.
        exact: whether its outputs hold no floats: their content identifies them; else their recipe does.
        metrics: whether it writes a metric file.
        measured: whether its numbers are this machine's at one time: stored by machine, made by one process at a
            time, and kept in lab/.
        plots: payload files that become plots/<file>.
    """

    name: str
    run: Callable[[Job], Made]
    outputs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    reads_when: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    spared: Mapping[str, tuple[str, str] | None] = field(default_factory=dict)
    params: tuple[str, ...] = ()
    files: Callable[[Mapping[str, Any], Settings], Mapping[str, str]] = _nothing
    models: Callable[[Mapping[str, Any], Settings], Mapping[str, str]] = _nothing
    exact: bool = False
    metrics: bool = False
    measured: bool = False
    plots: tuple[str, ...] = ()

    def needs(self, flat: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of all outputs that the step reads under these parameters."""
        more = (names for (name, value), names in self.reads_when.items() if flat[name] == value)
        return (*self.reads, *chain.from_iterable(more))

    def idle(self, flat: Mapping[str, Any]) -> frozenset[str]:
        """Return the modules that the step's code can reach and that do not run under these parameters."""
        return frozenset(
            module for module, when in self.spared.items() if when is None or flat[when[0]] != when[1]
        )

    @property
    def metric_file(self) -> str:
        """Return the path of its metric file in the workspace."""
        return f"{'lab/' if self.measured else ''}metrics/{self.name}.json"

    @property
    def provides(self) -> tuple[str, ...]:
        """Return what later steps may read: its outputs, and its metric file as `metrics/<name>`."""
        return (*self.outputs, *([f"metrics/{self.name}"] if self.metrics else []))

    @property
    def publishes(self) -> Mapping[str, str]:
        """Return {path in the workspace: payload file} of all that DVC tracks of this step."""
        paths = {f"build/{name}.json": f"{name}.json" for name in self.outputs}
        if self.metrics:
            paths[self.metric_file] = "metrics.json"
        paths.update({f"plots/{name}": name for name in self.plots})
        return MappingProxyType(paths)


@dataclass(frozen=True)
class Outcome:
    """What became of a step in a run.

    Attributes:
        state: "computed" or "cached".
        why: in words for people.
        recipe: digest of the recipe; the same on every platform.
        folder: the payload in the store.
    """

    step: Step
    state: str
    why: str
    recipe: str
    folder: Path
    outputs: Mapping[str, Output]
    items: int
    seconds: float
