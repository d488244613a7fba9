"""Large synthetic collections through the whole pipeline: seconds and memory of each stage, disk of each part.

    nice python benchmarks/scale.py                              # 20,000 and 100,000 documents: many minutes
    python benchmarks/scale.py --documents 10000 --readers       # smaller; and two processes at once on the collection
    python benchmarks/scale.py --write docs/guides/scale.md      # replaces the table there

For each size `python -m flows pipeline` runs in a process of its own with an empty store, then again with nothing to
do. Its resident memory is sampled from outside every 20 ms; the peak is the kernel's own account. Goal: at most 3 GiB.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from backends.models import TOKENIZER, folder_of, load_registry  # noqa: E402 - found through the line above
from backends.stores.copying import copy_folder  # noqa: E402
from benchmarks.marks import write_between  # noqa: E402
from benchmarks.process import MIB, Running, Watched, disk  # noqa: E402
from benchmarks.synthetic import Size, write_dataset  # noqa: E402
from vara.report.table import markdown  # noqa: E402

GOAL = 3 << 30
STEP = 10_000
STAGES = ("validate", "embed", "index", "pool", "rerank", "evaluate")
READERS = (20, 30)
"""pool.depth of the two processes that search the collection at once: other recipes, so that neither waits."""


@dataclass(frozen=True)
class Measured:
    """One size: the cold run, the cached one, seconds of each stage, bytes on the disk of each part."""

    documents: int
    cold: Watched
    cached: Watched
    seconds: dict[str, float]
    disk: dict[str, int]
    quality: dict[str, float]
    readers: str


class Bench:
    """A dataset and a store in one temporary folder."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.folder, self.size = folder, size
        self.store = folder / "store"
        write_dataset(folder / "data", _words(), size)

    def start(self, name: str, *changes: str) -> Running:
        """Start the pipeline on this dataset and store."""
        sets = [f"dataset.path={self.folder / 'data'}", *changes]
        options = [word for one in sets for word in ("--set", one)]
        command = [sys.executable, "-m", "flows", "pipeline", *options, "--out", f"trials/{name}", "--json"]
        env = {name: value for name, value in os.environ.items() if not name.startswith("QDRANT_")}
        env |= {"VARA_STORE": str(self.store), "PREFECT_API_URL": "", "PYTHONPATH": str(ROOT)}
        return Running(command, folder=ROOT, env=env, output=self.folder / f"{name}.json")

    def stage(self) -> str:
        """Return the stage that is computing: the store has a folder for what it writes."""
        found = (path.name.partition("-")[0] for path in self.store.glob("tmp/*-*"))
        return next(found, "between")


def measure(size: Size, *, readers: bool) -> Measured:
    """Run the pipeline on a fresh dataset and store, and again."""
    with tempfile.TemporaryDirectory(prefix="vara-scale-") as folder:
        bench = Bench(Path(folder), size)
        cold, answer = _finished(bench, "scale")
        cached, again = _finished(bench, "scale")
        assert all(stage["state"] == "cached" for stage in again["stages"]), again["stages"]
        quality = {key: answer["metrics"]["evaluate"][f"test.first_stage.{key}"] for key in ("R@5", "R@20")}
        return Measured(
            size.documents,
            cold,
            cached,
            {stage["stage"]: stage["seconds"] for stage in answer["stages"]},
            dict(_parts(bench.store)),
            quality,
            _read_at_once(bench) if readers else "",
        )


def _finished(bench: Bench, name: str, *changes: str) -> tuple[Watched, dict[str, Any]]:
    watched = bench.start(name, *changes).watch(bench.stage)
    shutil.rmtree(ROOT / "trials" / name, ignore_errors=True)
    assert watched.code == 0, f"the pipeline ended with {watched.code}"
    return watched, json.loads(watched.output)


def _parts(store: Path) -> Iterator[tuple[str, int]]:
    for path in sorted(store.iterdir()):
        occupied = disk(path)
        if occupied >= MIB // 10:
            yield path.name, occupied


def _read_at_once(bench: Bench) -> str:
    """Let two processes search the collection at the same time, each in its own copy, and say how it went."""
    (collection,) = (path for path in (bench.store / "collections").iterdir() if path.name.startswith("c-"))
    began = time.monotonic()
    copy_folder(collection, bench.folder / "copy")
    seconds, copied = time.monotonic() - began, disk(bench.folder / "copy")
    running = [bench.start(f"scale-{depth}", "pool.search=ann", f"pool.depth={depth}") for depth in READERS]
    most = 0

    def stage() -> str:
        nonlocal most
        most = max(most, len(list(bench.store.glob("collections/.open-*"))))
        return bench.stage()

    with ThreadPoolExecutor(len(READERS)) as watchers:
        watched = list(watchers.map(lambda one: one.watch(stage), running))
    lines = []
    for depth, one in zip(READERS, watched, strict=True):
        shutil.rmtree(ROOT / f"trials/scale-{depth}", ignore_errors=True)
        assert one.code == 0, f"a reader ended with {one.code}"
        found = json.loads(one.output)["metrics"]["evaluate"][f"first_stage.annR@{depth}"]
        lines.append(f"annR@{depth} {found:.3f}, peak {one.peak / MIB:,.0f} MiB, {one.seconds:.0f} s")
    return (
        f"A copy of the collection takes {seconds:.2f} s and {copied / MIB:,.0f} MiB of disk. "
        f"Two readers at once ({most} copies at the same time): {'; '.join(lines)}."
    )


def _words() -> list[str]:
    """Return the words that the model's tokenizer knows whole, in its order: a word is a token."""
    entry = load_registry(ROOT / "models.yaml").entry("all-minilm-l6-v2")
    known = json.loads((folder_of(entry) / TOKENIZER).read_bytes())["model"]["vocab"]
    return [word for word in known if re.fullmatch("[a-z]{3,}", word)]


def report(measured: Sequence[Measured]) -> str:
    """Return the tables: stages by size with their growth, and the disk of each part."""
    first, last = measured[0], measured[-1]
    steps = (last.documents - first.documents) / STEP
    rows = []
    for stage in (*STAGES, "whole run"):
        row = {"stage": stage}
        for one in measured:
            seconds = one.cold.seconds if stage == "whole run" else one.seconds[stage]
            row[f"s, {one.documents:,}"] = f"{seconds:.1f}"
            row[f"peak MiB, {one.documents:,}"] = _peak(one, stage)
        if steps:
            low, high = _bytes(first, stage), _bytes(last, stage)
            known = low is not None and high is not None
            row[f"MiB more per {STEP:,}"] = f"{(high - low) / steps / MIB:.1f}" if known else "–"
        rows.append(row)
    parts = [
        {
            "in the store": name,
            **{f"MiB, {one.documents:,}": f"{one.disk.get(name, 0) / MIB:,.1f}" for one in measured},
        }
        for name in last.disk
    ]
    return f"{markdown(rows)}\n\n{markdown(parts)}"


def _bytes(one: Measured, stage: str) -> int | None:
    """Return the peak of a stage; None where it ended between two samples."""
    if stage == "whole run":
        return one.cold.peak
    return one.cold.stages[stage].resident if stage in one.cold.stages else None


def _peak(one: Measured, stage: str) -> str:
    peak = _bytes(one, stage)
    if peak is None:
        return "too short to see"
    own = f" ({one.cold.stages[stage].anonymous / MIB:,.0f} its own)" if stage in one.cold.stages else ""
    return f"{peak / MIB:,.0f}{own}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--readers", action="store_true", help="two processes at once on the collection, too")
    parser.add_argument("--write", type=Path, help="a document with the marks scale:start and scale:end")
    options = parser.parse_args()
    measured = []
    for documents in sorted(options.documents):
        one = measure(
            Size(documents, options.queries, options.seed),
            readers=options.readers and documents == max(options.documents),
        )
        measured.append(one)
        print(f"{documents:,} documents, {options.queries} queries: {one.quality}", flush=True)
        cached = f"cached {one.cached.seconds:.1f} s, {one.cached.peak / MIB:,.0f} MiB"
        print(f"  cold {one.cold.seconds:.0f} s; {cached}\n\n{report([one])}\n{one.readers}\n", flush=True)
    text = "\n\n".join(filter(None, [report(measured), measured[-1].readers]))
    peak = max(one.cold.peak for one in measured)
    verdict = f"peak {peak / (1 << 30):.2f} GiB of {GOAL >> 30} GiB allowed"
    print(f"\n{text}\n\n{verdict}")
    if options.write:
        write_between(options.write, "scale", f"{text}\n\n{measured[-1].documents:,} documents: {verdict}.")
    return 0 if peak <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
