"""`vara import`: the peak memory of a large import, and its speed beside copying the file line by line.

    python benchmarks/importing.py [DOCUMENTS]

Each side runs in a fresh process on the same made-up dataset of a million documents; the limit is 1 GiB.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
LIMIT_MIB = 1024

from benchmarks.check import write_dataset  # noqa: E402 - found through the line above


def child(way: str, source: Path, target: Path) -> None:
    start = time.process_time()
    if way == "import":
        from flows.importing import Choices, import_dataset
        from vara.watch import Silence

        import_dataset("beir", source, target, choices=Choices(), watch=Silence())
    else:
        target.mkdir()
        with (source / "corpus.jsonl").open("rb") as lines, (target / "corpus.jsonl").open("wb") as copy:
            copy.writelines(lines)
    print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(n_documents: int) -> int:
    found = {}
    with tempfile.TemporaryDirectory() as place:
        (source := Path(place) / "source").mkdir()
        write_dataset(source, n_documents)
        size = (source / "corpus.jsonl").stat().st_size / 1e6
        for way in ("copy", "import"):
            command = [sys.executable, __file__, way, str(source), f"{place}/{way}"]
            words = subprocess.run(
                command, check=True, capture_output=True, text=True, cwd=ROOT
            ).stdout.split()
            found[way] = (float(words[0]), float(words[1]))
            shutil.rmtree(f"{place}/{way}")
    print(f"{n_documents:,} documents, {size:.0f} MB:")
    for way, (seconds, peak) in found.items():
        print(
            f"  {way:<8}{seconds:8.1f} s CPU {n_documents / seconds:12,.0f} documents/s{peak:8.0f} MiB at most"
        )
    ratio, peak = found["import"][0] / found["copy"][0], found["import"][1]
    print(f"ratio {ratio:.1f} to a copy by lines; peak {peak:.0f} MiB (limit {LIMIT_MIB})")
    return 0 if peak <= LIMIT_MIB else 1


if __name__ == "__main__":
    if len(sys.argv) == 4:
        child(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) == 2 else 1_000_000))
