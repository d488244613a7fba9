"""Putting aside what was found damaged: out of the way, and still there to be looked at."""

from __future__ import annotations

from pathlib import Path


def put_aside(path: Path, shelf: Path, name: str) -> Path:
    """Move `path` to `shelf` under `name` and the first number that is free, and return where it went."""
    shelf.mkdir(parents=True, exist_ok=True)
    target = next(place for n in range(10**6) if not (place := shelf / f"{name}-{n}").exists())
    path.rename(target)
    return target
