"""The machine: what it is said to be, and the lock that it has only once."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from backends.machine import alone, forget_peak, load, machine_facts, memory_mib
from tests.conftest import ROOT
from vara.watch import Silence

CPUINFO = (
    "processor\t: 0\nmodel name\t: AMD EPYC 9B14\nflags\t: avx2\n\nprocessor\t: 1\nmodel name\t: another\n"
)


def lay(root: Path, **files: str) -> Path:
    names = {
        "cpuinfo": "proc/cpuinfo",
        "meminfo": "proc/meminfo",
        "cpu_max": "sys/fs/cgroup/cpu.max",
        "memory_max": "sys/fs/cgroup/memory.max",
    }
    for name, text in files.items():
        path = root / names[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_what_a_machine_is(tmp_path: Path) -> None:
    root = lay(tmp_path, cpuinfo=CPUINFO, meminfo="MemTotal:       24684084 kB\nMemFree: 1 kB\n")
    facts = machine_facts({"OMP_NUM_THREADS": "1", "HOSTNAME": "somewhere"}, root)
    assert facts == {
        "cpu": "AMD EPYC 9B14",
        "cores": f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} cores",
        "memory": "24 GiB",  # 24,684,084 KiB / 1024² = 23.54
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "device": facts["device"],
        "threads": "OMP_NUM_THREADS=1",
    }


@pytest.mark.parametrize(
    ("limit", "said"), [("150000 100000\n", "at most 1.5 cores"), ("max 100000\n", None)]
)
def test_a_container_has_less(tmp_path: Path, limit: str, said: str | None) -> None:
    meminfo = "MemTotal:       24684084 kB\n"
    facts = machine_facts({}, lay(tmp_path, meminfo=meminfo, cpu_max=limit, memory_max="4294967296\n"))
    assert facts.get("core_limit") == said
    assert facts["memory"] == "4 GiB"
    assert machine_facts({}, lay(tmp_path, memory_max="max\n"))["memory"] == "24 GiB"


def test_an_arm_processor_has_a_part_and_no_name(tmp_path: Path) -> None:
    root = lay(tmp_path, cpuinfo="processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n")
    assert machine_facts({}, root)["cpu"] == "0x41 0xd0c"


def test_this_machine_is_the_same_twice_whatever_it_is_called() -> None:
    assert machine_facts(os.environ) == machine_facts(os.environ)
    assert platform.node() not in " ".join(machine_facts({}).values()).split()
    assert load() >= 0


def test_memory_is_read_in_mib(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("Name:\tpython\nVmHWM:\t    2048 kB\nVmRSS:\t    1536 kB\n")
    assert memory_mib(tmp_path / "status") == (1.5, 2.0)
    assert memory_mib(tmp_path / "none") == (None, None)


def test_the_peak_begins_anew_where_the_system_can(tmp_path: Path) -> None:
    assert not forget_peak(tmp_path / "none" / "clear_refs")
    if not forget_peak():
        pytest.skip("no /proc/self/clear_refs that can be written")
    block = bytearray(os.urandom(1)) * (64 * 1024**2)
    high = memory_mib()[1]
    del block
    assert forget_peak()
    now = memory_mib()[1]
    assert high is not None
    assert now is not None
    assert now < high - 32


class Notes(Silence):
    """A watch that keeps the notes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


HOLDER = """
import sys
from pathlib import Path
from backends.machine import alone
from vara.watch import Silence

class Aloud(Silence):
    def note(self, text):
        print(text, flush=True)

with alone(Aloud(), Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(lock: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_process_waits_and_says_so(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as first:
        assert line(first) == "held"
        second = holder(tmp_path / "lock")
        assert line(second) == "waiting: something else is measured on this machine"
        first.communicate("\n")
        assert line(second) == "held"
        second.communicate("\n")


def test_a_killed_process_lets_go(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        assert line(process) == "held"
        process.send_signal(signal.SIGKILL)
        process.wait()
    notes = Notes()
    with alone(notes, tmp_path / "lock"):
        assert notes.lines == []


def test_the_lock_is_free_after_a_failure_and_readable_by_others(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with pytest.raises(KeyError), alone(Silence(), tmp_path / "lock"):
            raise KeyError
    finally:
        os.umask(before)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o644
    notes = Notes()
    with alone(notes, tmp_path / "lock"):
        assert notes.lines == []


def test_a_link_in_the_place_of_the_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"), alone(Silence(), tmp_path / "lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()
