"""The machine on which something is measured: what it is, how busy it is, and a lock that it has only once.

What the machine is decides the key of a measurement; how busy it was stands beside the numbers. Neither its name nor
who uses it is asked.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from backends.devices import effective_device
from vara.watch import Watch

LOCK = "vara-measuring.lock"
"""In the folder for temporary files, so that clones and stores of one machine share it."""

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""Variables that decide how many threads the libraries under numpy and torch take."""

_GIB = 1024**3


def machine_facts(environment: Mapping[str, str], root: Path = Path("/")) -> dict[str, str]:
    """Return what a duration depends on: processor, cores, memory, system, device, and limits where some are set.

    Args:
        environment: may name the threads of numerical libraries and hide GPUs.
        root: where /proc and /sys are found.
    """
    threads = [f"{name}={environment[name]}" for name in THREADS if environment.get(name)]
    facts = {
        "cpu": _cpu(root / "proc/cpuinfo"),
        "cores": f"{cores()} of {os.cpu_count()} cores",
        "core_limit": _core_limit(root / "sys/fs/cgroup/cpu.max"),
        "memory": _memory(root),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "device": effective_device(environment),
        "threads": " ".join(threads),
    }
    return {name: fact for name, fact in facts.items() if fact}


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load() -> float:
    """Return the mean number of processes that ran or wanted to run in the last minute."""
    return os.getloadavg()[0]


def memory_mib(status: Path = Path("/proc/self/status")) -> tuple[float | None, float | None]:
    """Return what this process has in memory and the most that it had, in MiB; None where the system does not say."""
    fields = _fields(status, ":")
    now, most = (fields.get(name, "").split() for name in ("VmRSS", "VmHWM"))
    return (float(now[0]) / 1024 if now else None, float(most[0]) / 1024 if most else None)


def forget_peak(switch: Path = Path("/proc/self/clear_refs")) -> bool:
    """Let the most that this process had in memory begin at what it has now; say whether the system did so."""
    try:
        switch.write_text("5")
    except OSError:
        return False
    return True


@contextmanager
def alone(watch: Watch, path: Path | None = None) -> Iterator[None]:
    """Hold off every other measurement on this machine; wait for one that runs. A crash lets go.

    Args:
        watch: is told of waiting.
        path: the file that is locked; None: the one that all clones share.
    """
    handle = _open(path or Path(tempfile.gettempdir()) / LOCK)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            watch.note("waiting: something else is measured on this machine")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    """Open the lock for reading, which suffices to lock it, also where another user made it."""
    while True:
        with suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            made = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError as error:
            if error.errno != errno.EEXIST:  # somebody was faster
                raise
            continue
        os.fchmod(made, 0o644)  # whatever the umask
        return made


def _fields(path: Path, mark: str) -> dict[str, str]:
    """Return {name: value} of the lines of a file up to its first empty one; nothing where it cannot be read."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return {}
    lines = (line.partition(mark) for line in text.partition("\n\n")[0].splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def _cpu(cpuinfo: Path) -> str:
    fields = _fields(cpuinfo, ":")
    part = " ".join(fields[name] for name in ("CPU implementer", "CPU part") if name in fields)
    return fields.get("model name") or part or platform.processor() or platform.machine()


def _core_limit(limit: Path) -> str:
    """Return the share of cores that a container may use, "at most 1.5 cores", or "" where nothing limits it."""
    try:
        quota, period = limit.read_text().split()
    except (OSError, ValueError):
        return ""
    return "" if quota == "max" else f"at most {int(quota) / int(period):g} cores"


def _memory(root: Path) -> str:
    """Return the memory of the machine or of the container, the smaller one, to the GiB: kernels keep some MiB."""
    total = _fields(root / "proc/meminfo", ":").get("MemTotal", "").split()
    sizes = [int(total[0]) * 1024] if total else []
    with suppress(OSError, ValueError):
        sizes.append(int((root / "sys/fs/cgroup/memory.max").read_text()))
    return f"{min(sizes) / _GIB:.0f} GiB" if sizes else ""
