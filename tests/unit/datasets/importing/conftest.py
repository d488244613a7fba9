"""Fixtures that write a source and import it."""

from __future__ import annotations

import json

import pytest

from vara.datasets.importing.columns import read_map
from vara.datasets.importing.find import find_source
from vara.datasets.importing.importer import Importer
from vara.watch import Silence

TABLES = ("documents", "queries", "labels")


@pytest.fixture
def put(tmp_path):
    """Write files into a folder `source` and return it."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / "source" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "source"

    return write


@pytest.fixture
def imported(put, tmp_path):
    """Import files; return what was counted, and {file: lines}."""

    def call(form, files, *, mapping=(), splits=(), source=None, **named):
        root = put(files) if source is None else source
        target = tmp_path / "target"
        target.mkdir()
        chosen = dict.fromkeys(TABLES) | named
        found = find_source(root, form, chosen, Silence())
        counted = Importer(form, read_map(mapping), splits).run(found, target)
        written = {
            path.relative_to(target).as_posix(): path.read_text().splitlines()
            for path in sorted(target.rglob("*"))
            if path.is_file()
        }
        return counted, {
            name: [json.loads(line) for line in lines] if name.endswith(".jsonl") else lines
            for name, lines in written.items()
        }

    return call
