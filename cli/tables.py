"""Tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer


def echo_table(rows: Sequence[Mapping[str, str]]) -> None:
    """Print rows with aligned columns, as wide as they need to be; no rows print nothing."""
    if not rows:
        return
    names = list(rows[0])
    widths = [max(len(name), *(len(row[name]) for row in rows)) for name in names]
    for line in (dict(zip(names, names, strict=True)), *rows):
        typer.echo(
            "  ".join(line[name].ljust(width) for name, width in zip(names, widths, strict=True)).rstrip()
        )
