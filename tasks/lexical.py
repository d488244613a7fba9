"""The lexical index of a corpus: which of a document's values are fields, and what they weigh."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vara.artifacts.canonical import canonical
from vara.errors import Problem, examples, near_names

if TYPE_CHECKING:
    import polars as pl

    from backends.lexical.bm25 import BM25
    from backends.lexical.fallbacks import Fallback, StandIns
    from vara.index.candidates import StoodIn

METADATA = "metadata."
COLUMNS = ("title", "text")

PARAMS = tuple(f"lexical.{name}" for name in ("b", "fields", "k1", "labels", "prefixes", "stem", "typos"))
"""The parameters that are read here."""


def lexical_index(documents: pl.DataFrame, params: Mapping[str, Any]) -> BM25:
    """Return the index over the fields that the parameters name.

    **Conventions** Row i of `documents` has score i. An archived document has no values: it is outside search, and its
    words must not weigh in anybody's scores.

    Args:
        documents: the documents' table.
        params: the flat parameters.

    Raises:
        Problem: a field that no document has, a label that is no field or is running text, an unknown stemmer.
    """
    from backends.lexical.bm25 import BM25, Field
    from backends.lexical.terms import Terms

    weights: Mapping[str, float] = params["lexical.fields"]
    labels: Sequence[str] = params["lexical.labels"]
    _check_labels(labels, weights)
    values = _values(documents, list(weights))
    acting: list[tuple[bool, Fallback]] = [
        (params["lexical.prefixes"], "prefix"),
        (params["lexical.typos"], "typo"),
    ]
    return BM25(
        [(Field(name, weight, label=name in labels), values[name]) for name, weight in weights.items()],
        terms=Terms(params["lexical.stem"]),
        k1=params["lexical.k1"],
        b=params["lexical.b"],
        fallbacks=[name for on, name in acting if on],
    )


def by_fallback(replaced: Mapping[str, StandIns]) -> StoodIn:
    """Return what fallbacks did, as the pool's file has it: {fallback: {term: its stand-ins}}."""
    acted: dict[str, dict[str, list[str]]] = {}
    for term, found in sorted(replaced.items()):
        acted.setdefault(found.by, {})[term] = list(found.terms)
    return acted


def _check_labels(labels: Sequence[str], fields: Mapping[str, float]) -> None:
    if "text" in labels:
        raise Problem(
            "lexical.labels",
            "text",
            expected="fields that hold names",
            remedy="Running text is never a label; put the names into the title or into metadata.",
        )
    strange = [name for name in labels if name not in fields]
    if strange:
        raise Problem(
            "lexical.labels",
            examples(strange),
            expected="names of lexical.fields",
            remedy=near_names(strange[0], fields, "fields"),
        )


def _values(documents: pl.DataFrame, names: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the values of each field, a list for each document."""
    if not names:
        raise Problem("lexical.fields", "none", expected="one or more", remedy="Set {title: 1.0, text: 1.0}.")
    values: dict[str, list[list[str]]] = {name: [] for name in names}
    known: set[str] = set(COLUMNS)
    for title, text, metadata, archived in documents.select(*COLUMNS, "metadata", "archived").iter_rows():
        held = {f"{METADATA}{key}": value for key, value in json.loads(metadata).items()}
        known |= held.keys()
        held |= {"title": title, "text": text}
        for name in names:
            values[name].append([] if archived else _members(held.get(name)))
    strange = [name for name in names if name not in known]
    if strange:
        raise Problem(
            "lexical.fields",
            f"no document has {examples(strange)}",
            expected="title, text or metadata.NAME",
            remedy=near_names(
                strange[0].removeprefix(METADATA), sorted(name.removeprefix(METADATA) for name in known)
            ),
        )
    return values


def _members(value: Any) -> list[str]:
    """Return the texts of a value: its own, or those of a list's members; objects and nulls have none."""
    members = value if isinstance(value, list) else [value]
    return [
        one if isinstance(one, str) else canonical(one)
        for one in members
        if isinstance(one, str | int | float)
    ]
