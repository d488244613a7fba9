"""Which `dvc repro` started this process? Its stages are separate processes and share a tag in Prefect."""

from __future__ import annotations

import os
from pathlib import Path


def dvc_run() -> tuple[str, ...]:
    """Return ("dvc-<process>-<start>",) naming the DVC process above this one, or () where there is none."""
    if "DVC_STAGE" not in os.environ:
        return ()
    process = os.getppid()
    while process > 1:
        folder = Path("/proc") / str(process)
        try:
            # The command's name may hold spaces and brackets; the fields after it are plain.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            return ()
        # "dvc repro", "python …/dvc repro", "python -m dvc repro"
        if any(Path(os.fsdecode(word)).name == "dvc" for word in words[:3]):
            return (f"dvc-{process}-{fields[19]}",)
        process = int(fields[1])
    return ()
