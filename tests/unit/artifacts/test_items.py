"""The per-item cache and the memo of digests."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from vara.artifacts.items import ItemCache
from vara.artifacts.memo import DigestMemo


def test_values_come_back_by_space(tmp_path: Path) -> None:
    cache = ItemCache(tmp_path / "items.sqlite")
    cache.put("a", {"x": b"1", "y": b"2"})
    assert cache.get("a", ["x", "z"]) == {"x": b"1"}
    assert cache.get("b", ["x"]) == {}
    many = {f"item{n}": bytes([n % 256]) for n in range(1200)}
    cache.put("a", many)
    assert cache.get("a", list(many)) == many


@pytest.mark.parametrize("dimension", [384, 768, 1024])
def test_a_vector_costs_its_own_size_and_at_most_half_more(tmp_path: Path, dimension: int) -> None:
    path, value = tmp_path / "items.sqlite", bytes(4 + 4 * dimension)
    ItemCache(path).put("5" * 64, {f"{number:064x}": value for number in range(2000)})
    assert path.stat().st_size / 2000 < 1.5 * len(value)


def test_a_damaged_value_counts_as_absent(tmp_path: Path) -> None:
    cache = ItemCache(tmp_path / "items.sqlite")
    cache.put("a", {"x": b"right", "y": b"right"})
    with sqlite3.connect(tmp_path / "items.sqlite") as raw:
        raw.execute("UPDATE items SET value = ? WHERE item = 'x'", (b"wrong",))
    assert cache.get("a", ["x", "y"]) == {"y": b"right"}


def test_a_digest_is_read_once_and_follows_every_change(tmp_path: Path) -> None:
    memo, file = DigestMemo(tmp_path / "memo.sqlite"), tmp_path / "file"
    file.write_bytes(b"one")
    first = memo(file)
    assert memo(file) == first == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    stat = file.stat()
    file.write_bytes(b"two")  # same size, and the time put back: the change of the inode's own time tells
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert memo(file) != first
