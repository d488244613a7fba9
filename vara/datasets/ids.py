"""Ids: taken as they are, compared byte for byte. One registry for documents and one for queries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from vara.datasets.fields import as_json
from vara.datasets.findings import Findings

_ORDINARY = re.compile(r"[!-~]+").fullmatch  # printable ASCII without the space: nothing to look at twice
_UNPORTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]").search


class Ids:
    """The ids of one file with the place of each.

    Args:
        findings: takes what is wrong with an id.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._places: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def place(self, name: str) -> str:
        """Return where an id was first seen, "file:line"."""
        return self._places[name]

    def take(self, value: Any, where: str) -> str | None:
        """Return the id, or None after a finding (missing, not a string, seen before)."""
        if not isinstance(value, str):
            code = "missing-id" if value is None else "id-not-string"
            self._findings.add(code, where, what="" if value is None else f"_id {as_json(value)}")
            return None
        name = clean_id(value, self._findings, where)
        if not name:
            self._findings.add("missing-id", where)
            return None
        first = self._places.setdefault(name, where)
        if first is not where:
            self._findings.add("duplicate-id", where, what=f"id {name}, first at {first}")
            return None
        if not _ORDINARY(name) and _UNPORTABLE(name):
            self._findings.add("unportable-id", where, what=f"id {name}")
        return name

    def compare_forms(self) -> None:
        """Report ids that are equal after NFC but differ in bytes; both stay as they are."""
        unusual = [name for name in self._places if not name.isascii()]
        forms: dict[str, str] = {}
        for name in unusual:
            form = unicodedata.normalize("NFC", name)
            other = forms.setdefault(form, form if form in self._places else name)
            if other != name:
                what = f"id {name!a} and {other!a} at {self._places[other]}"
                self._findings.add("same-after-nfc", self._places[name], what=what)


def clean_id(name: str, findings: Findings, where: str) -> str:
    r"""Return an id without a leading BOM and a trailing CR, each counted; nothing else is ever removed.

    Example:
        >>> clean_id("001\r", Findings(), "corpus.jsonl:1")
        '001'
    """
    if _ORDINARY(name):
        return name
    if name.startswith("\ufeff"):
        findings.add("bom-removed", where, what=f"id {name[1:]}")
        name = name[1:]
    if name.endswith("\r"):
        findings.add("cr-removed", where, what=f"id {name[:-1]}")
        name = name[:-1]
    return name


def similar_id(name: str, known: Ids) -> str | None:
    """Return a known id that differs from `name` only in padding zeros, case, outer space or Unicode form."""
    variants = (
        name.strip(),
        name.lstrip("0"),
        name.lower(),
        name.upper(),
        unicodedata.normalize("NFC", name),
    )
    return next((variant for variant in variants if variant != name and variant in known), None)
