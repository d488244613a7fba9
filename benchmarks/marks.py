"""Measured tables in documents: a document's text between two marks is replaced, so that no figure is ever typed."""

from __future__ import annotations

from pathlib import Path


def write_between(path: Path, name: str, content: str) -> None:
    """Replace what stands between `<!-- name:start -->` and `<!-- name:end -->` in a Markdown file."""
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    before, first, rest = path.read_text(encoding="utf-8").partition(start)
    _, last, after = rest.partition(end)
    if not first or not last:
        raise SystemExit(f"{path}: no {start} … {end}. Put both marks where the table belongs.")
    path.write_text(f"{before}{start}\n{content}\n{end}{after}", encoding="utf-8")
