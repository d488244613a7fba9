"""Which column or field of a source becomes which of ours: what is known by name, and `--map`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from vara.errors import Problem, examples, near_names

Kind = Literal["documents", "queries", "labels"]

FIELDS: dict[Kind, dict[str, tuple[str, ...]]] = {
    "documents": {"_id": ("_id", "id"), "title": ("title",), "text": ("text",)},
    "queries": {"_id": ("_id", "id"), "text": ("text",)},
    "labels": {
        "query_id": ("query_id", "query-id"),
        "doc_id": ("doc_id", "corpus-id"),
        "relevance": ("relevance", "score"),
        "split": ("split",),
        "source": ("source",),
    },
}
"""Our fields, and the names under which each is found without being mapped."""

NEEDED: dict[Kind, tuple[str, ...]] = {
    "documents": ("_id",),
    "queries": ("_id", "text"),
    "labels": ("query_id", "doc_id", "relevance"),
}


@dataclass(slots=True)
class Columns:
    """The mapping of one import.

    Attributes:
        chosen: kind → our field → column of the source, as `--map` says.
        used: what of it some file had.
    """

    chosen: dict[Kind, dict[str, str]]
    used: set[tuple[Kind, str]] = field(default_factory=set)

    def names(self, kind: Kind, header: Collection[str]) -> dict[str, str]:
        """Return {our field: column} for a file with this header, or a row with these fields."""
        found: dict[str, str] = {}
        for name, known in FIELDS[kind].items():
            mapped = self.chosen[kind].get(name)
            column = next((one for one in ([mapped] if mapped else known) if one in header), None)
            if column is not None:
                found[name] = column
                self.used.add((kind, name))
        return found

    def check_header(self, kind: Kind, header: Sequence[str], where: str) -> dict[str, str]:
        """Return `names` of a header that has all that is needed.

        Raises:
            Problem: a needed column is missing, or one stands twice.
        """
        twice = sorted({name for name in header if header.count(name) > 1})
        if twice:
            found = f"column {examples(twice)} twice"
            raise Problem(where, found, expected="each column once", remedy="Rename one of them.")
        names = self.names(kind, header)
        missing = [name for name in NEEDED[kind] if name not in names]
        if missing:
            remedy = f"Say which it is: --map {kind}.{missing[0]}=COLUMN."
            raise Problem(
                where,
                f"no column for {examples(missing)}",
                expected=f"one of {', '.join(header)}",
                remedy=remedy,
            )
        return names

    def check_used(self) -> None:
        """Refuse a mapping that no file had.

        Raises:
            Problem: naming it.
        """
        for kind, mapping in self.chosen.items():
            for name, column in mapping.items():
                if not any(
                    (other, name) in self.used for other in FIELDS if self.chosen[other].get(name) == column
                ):
                    raise Problem(
                        "--map",
                        f"no file has {column!r}, which should be {kind}.{name}",
                        remedy="Correct the column's name; case counts.",
                    )


def read_map(settings: Iterable[str]) -> Columns:
    """Return the mapping of settings like "text=body" (every file that has such a field) or "queries.text=question".

    Raises:
        Problem: a setting without "=", or an unknown field; near names are offered.
    """
    chosen: dict[Kind, dict[str, str]] = {kind: {} for kind in FIELDS}
    for setting in settings:
        target, equals, column = setting.partition("=")
        if not equals or not column:
            raise Problem("--map", f"{setting!r}", expected="FIELD=COLUMN", remedy="Write it like text=body.")
        owner, dot, name = target.partition(".")
        kinds = [
            kind for kind in FIELDS if (not dot or owner == kind) and (name if dot else owner) in FIELDS[kind]
        ]
        if not kinds:
            known = [f"{kind}.{one}" for kind, fields in FIELDS.items() for one in fields]
            raise Problem("--map", f"unknown field {target!r}", remedy=near_names(target, known, "fields"))
        for kind in kinds:
            chosen[kind][name if dot else owner] = column
    return Columns(chosen)


def shaped(
    row: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Part a row into our fields and metadata.

    **Conventions** What is not mapped goes into metadata, beside what stands there already; null is left out.

    Args:
        row: fields of the source.
        names: our field → column.

    Returns:
        Our fields, metadata, and the names that stand in both places with two values.
    """
    taken = set(names.values())
    ours = {name: row[column] for name, column in names.items()}
    inner = row.get("metadata")
    metadata: dict[str, Any] = dict(inner) if isinstance(inner, dict) and "metadata" not in taken else {}
    clashes = []
    for name, value in row.items():
        if name in taken or value is None or (name == "metadata" and isinstance(inner, dict)):
            continue
        if metadata.setdefault(name, value) != value:
            clashes.append(name)
    return ours, metadata, clashes
