"""A process watched from outside: its resident memory while it works, stage by stage, and its true peak."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_EVERY_S = 0.02
MIB = 1 << 20


@dataclass
class Memory:
    """Bytes at one time, or the most of each over a time.

    Attributes:
        resident: what the process holds of the machine's memory.
        anonymous: the part of it that is the process's own; the rest is mapped files, which the kernel drops and
            reads again as it likes.
    """

    resident: int = 0
    anonymous: int = 0

    def grow(self, other: Memory) -> None:
        """Take the larger of each."""
        self.resident = max(self.resident, other.resident)
        self.anonymous = max(self.anonymous, other.anonymous)


@dataclass
class Watched:
    """A process that has ended.

    Attributes:
        code: its exit code.
        peak: bytes; the kernel's own account of the most that was resident, missed by no sample.
        seconds: from start to end.
        stages: the most that samples saw in each stage.
        ends: what it held when a stage was seen for the last time.
        output: what it wrote to stdout.
    """

    code: int
    peak: int
    seconds: float
    output: str
    stages: dict[str, Memory] = field(default_factory=dict)
    ends: dict[str, Memory] = field(default_factory=dict)


class Running:
    """A started process and what has been seen of it."""

    def __init__(self, words: Sequence[str], *, folder: Path, env: Mapping[str, str], output: Path) -> None:
        """Start it in `folder`; its stdout goes to the file `output`, its stderr to ours."""
        self._output, self._started = output, time.monotonic()
        with output.open("w") as file:
            self._process = subprocess.Popen(words, cwd=folder, env=dict(env), stdout=file)
        self._stages: dict[str, Memory] = {}
        self._ends: dict[str, Memory] = {}

    def watch(self, stage: Callable[[], str]) -> Watched:
        """Sample it until it ends, and return what was seen; `stage` says what it is doing."""
        while True:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                break
            name, now = stage(), memory(self._process.pid)
            self._stages.setdefault(name, Memory()).grow(now)
            self._ends[name] = now
            time.sleep(_EVERY_S)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return Watched(
            self._process.returncode,
            usage.ru_maxrss * 1024,
            time.monotonic() - self._started,
            self._output.read_text(),
            self._stages,
            self._ends,
        )


def memory(pid: int) -> Memory:
    """Return what a process and its children hold now; nothing once they are gone."""
    total = Memory()
    try:
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, ValueError):
        return total
    total.resident, total.anonymous = (
        int(lines[name].split()[0]) * 1024 if name in lines else 0 for name in ("VmRSS", "RssAnon")
    )
    for child in children:
        more = memory(int(child))
        total.resident, total.anonymous = total.resident + more.resident, total.anonymous + more.anonymous
    return total


def disk(path: Path) -> int:
    """Return the bytes that a file or folder really occupies: its blocks; holes are not counted."""
    if not path.is_dir():
        return path.lstat().st_blocks * 512
    return sum(file.lstat().st_blocks * 512 for file in path.rglob("*") if file.is_file())
