"""A `dvc repro` in which nothing has to be done: a workspace of ours beside a bare DVC pipeline of as many stages.

    python benchmarks/noop.py

Both sides run in turn, each in its own git repository, after one `dvc repro` that did the work. Counted are user
and system CPU seconds of the process and all its children. Ours must start no stage command either.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
ROUNDS = 7

from tests.workspace import Sandbox, make_sandbox  # noqa: E402 - found through the line above


def bare(root: Path, stages: int) -> Sandbox:
    """Make a DVC pipeline in which each stage copies the file of the one before it."""
    (root / ".dvc").mkdir(parents=True)
    (root / ".dvc/config").write_text("[core]\n    analytics = false\n    check_update = false\n")
    (root / "file0").write_text("content\n")
    chain = {
        f"stage{n}": {"cmd": f"cp file{n} file{n + 1}", "deps": [f"file{n}"], "outs": [f"file{n + 1}"]}
        for n in range(stages)
    }
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": chain}))
    sandbox = Sandbox(root)
    sandbox.run("git", "init", "-q", "-b", "main")
    sandbox.run("dvc", "repro", "--quiet")
    sandbox.commit()
    return sandbox


def ours(root: Path) -> Sandbox:
    """Make a workspace of ours and reproduce it once."""
    sandbox = make_sandbox(root, dvc=True)
    sandbox.run("dvc", "repro", "--quiet")
    sandbox.commit()
    return sandbox


def cpu_seconds(sandbox: Sandbox) -> tuple[float, str]:
    """Run `dvc repro` and return user and system CPU seconds, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = sandbox.run("dvc", "repro").stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, words


def main() -> None:
    stages = len(yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"])
    seconds: dict[str, list[float]] = {"bare": [], "ours": []}
    with tempfile.TemporaryDirectory() as folder:
        sides = {"bare": bare(Path(folder) / "bare", stages), "ours": ours(Path(folder) / "ours")}
        for _ in range(ROUNDS):
            for name, sandbox in sides.items():
                spent, words = cpu_seconds(sandbox)
                started = [line for line in words.splitlines() if line.startswith("Running stage")]
                assert not started, f"{name}: {started}"
                seconds[name].append(spent)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    ratio = medians["ours"] / medians["bare"]
    print(f"no-op dvc repro of {stages} stages, CPU seconds, median of {ROUNDS} (least, most):")
    for name, values in seconds.items():
        print(f"  {name}  {medians[name]:.2f}  ({min(values):.2f}, {max(values):.2f})")
    print(f"no stage command was started; ratio {ratio:.2f}")


if __name__ == "__main__":
    os.environ["DVC_NO_ANALYTICS"] = "1"
    main()
