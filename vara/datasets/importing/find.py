"""The files of a source: which there are, and which holds what. No archive is ever unpacked to disk."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

from vara.datasets.importing.columns import Kind
from vara.datasets.opened import Metered, bare_name
from vara.errors import Problem, examples
from vara.watch import Watch

Format = Literal["beir", "trec", "csv", "jsonl"]

_STEMS: dict[Kind, tuple[str, ...]] = {
    "documents": ("corpus", "documents", "docs", "collection"),
    "queries": ("queries", "topics"),
    "labels": ("qrels", "labels"),
}
_ENDINGS: dict[Format, tuple[str, ...]] = {
    "beir": (".jsonl", ".tsv"),
    "csv": (".csv", ".tsv"),
    "jsonl": (".jsonl", ".ndjson"),
    "trec": ("",),
}


@dataclass(frozen=True, slots=True)
class Source:
    """The files of a source; each tells the watch how far it is read.

    Attributes:
        documents: the corpus.
        queries: the queries.
        labels: (split, file); None where the file's name tells no split.
    """

    documents: Metered
    queries: Metered
    labels: list[tuple[str | None, Metered]]


def find_source(root: Path, form: Format, named: Mapping[Kind, Path | None], watch: Watch) -> Source:
    """Return the files of a source.

    **Conventions** Files are known by their names up to the first dot: corpus, documents, docs or collection;
    queries or topics; qrels or labels; with an ending of the format, and .gz if packed. Labels may also be the
    files of a folder qrels, whose names are the splits. A .zip (BEIR's form) is read as the folder that it holds.

    Args:
        root: a folder, an archive, or the file of the documents, whose folder is then the source.
        form: the format.
        named: kind → a file, where a person named it; relative to the source, or as it stands.
        watch: takes the progress.

    Raises:
        Problem: nothing there, or more than one file that may be meant.
    """
    named = dict(named)
    if not root.exists():
        raise Problem(str(root), "no such folder or file", remedy="Name the source that is to be imported.")
    if root.is_file() and root.suffix.lower() != ".zip":
        named["documents"] = named.get("documents") or Path(root.name)
        root = root.parent
    place = _inside(root) if root.is_file() else root

    def one(kind: Kind) -> Metered:
        return _metered(_needed(_choose(place, form, kind, named.get(kind)), root, form, kind), watch)

    labels: list[tuple[str | None, Metered]] = [
        (bare_name(file).split(".")[0], _metered(file, watch))
        for file in _split_files(place, form)
        if named.get("labels") is None
    ]
    if not labels:
        labels = [(None, one("labels"))]
    elif _choose(place, form, "labels", None) is not None:
        raise Problem(
            str(root), "labels in qrels and beside it", remedy="Keep one, or name one file with --labels."
        )
    return Source(one("documents"), one("queries"), labels)


def _split_files(place: Traversable, form: Format) -> list[Traversable]:
    folder = place.joinpath("qrels")
    files = folder.iterdir() if folder.is_dir() else iter(())
    return sorted(
        (file for file in files if file.is_file() and _has_ending(file, form)), key=lambda x: x.name
    )


def _needed(file: Traversable | None, root: Path, form: Format, kind: Kind) -> Traversable:
    if file is None:
        expected = " or ".join(f"{stem}{_ENDINGS[form][0]}" for stem in _STEMS[kind])
        raise Problem(str(root), f"no {kind}", expected=expected, remedy=f"Name the file with --{kind}.")
    return file


def _inside(archive: Path) -> Traversable:
    """Return the folder of a zip archive that holds corpus.jsonl: its root, or the one folder in it."""
    try:
        root: Any = zipfile.Path(archive)
    except (zipfile.BadZipFile, NotImplementedError):
        raise Problem(
            str(archive), "not a zip archive that can be read", remedy="Fetch the file again."
        ) from None
    folders = [root, *(one for one in root.iterdir() if one.is_dir())]
    found = [one for one in folders if any(bare_name(file) == "corpus.jsonl" for file in one.iterdir())]
    if len(found) != 1:
        raise Problem(
            str(archive),
            f"{len(found)} folders with corpus.jsonl",
            expected="one dataset",
            remedy="Unpack it, and import the folder that you mean.",
        )
    place: Traversable = found[0]
    return place


def _choose(place: Traversable, form: Format, kind: Kind, named: Path | None) -> Traversable | None:
    if named is not None:
        file = (
            place.joinpath(str(named)) if not isinstance(place, Path) or (place / named).exists() else named
        )
        if not file.is_file():
            raise Problem(f"--{kind}", f"no file {named}", remedy="Name a file of the source, or a path.")
        return file
    files = [
        file
        for file in place.iterdir()
        if file.name.split(".")[0] in _STEMS[kind] and _has_ending(file, form) and file.is_file()
    ]
    if len(files) > 1:
        names = examples(sorted(file.name for file in files))
        raise Problem(str(place), f"{names} may all be the {kind}", remedy=f"Name one with --{kind}.")
    return files[0] if files else None


def _has_ending(file: Traversable, form: Format) -> bool:
    return bare_name(file).endswith(_ENDINGS[form]) and not file.name.startswith(".")


def _metered(file: Traversable, watch: Watch) -> Metered:
    member: Any = file
    inside = not isinstance(file, Path)
    size = member.root.getinfo(member.at).file_size if inside else member.stat().st_size
    return Metered(file, size, watch)
