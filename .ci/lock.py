#!/usr/bin/env python3
"""Resolve pyproject.toml anew into requirements.lock and constraints.txt (`make lock`; needs uv on PATH)."""

import re
import subprocess
from pathlib import Path

CUDA = re.compile(r"(triton|nvidia-|cuda-)")
COMMAND = [
    "uv",
    "pip",
    "compile",
    "pyproject.toml",
    "--universal",
    "--python-version",
    "3.11",
    "--all-extras",
]
FLAGS = ["--generate-hashes", "--no-header", "--no-annotate", "--quiet"]

resolved = subprocess.run([*COMMAND, *FLAGS], check=True, capture_output=True, text=True).stdout
packages = [part for part in re.split(r"\n(?=\w)", resolved.strip()) if not CUDA.match(part)]
hashed = [part for part in packages if not part.startswith("torch==")]
pins = [part.split("\\")[0].strip() for part in packages]
Path("requirements.lock").write_text(
    "# Every package but torch and its CUDA parts, with hashes. Written by `make lock`.\n"
    + "\n".join(hashed)
    + "\n"
)
Path("constraints.txt").write_text(
    "# The versions of requirements.lock, and torch, for torch's own install. Written by `make lock`.\n"
    + "\n".join(pins)
    + "\n"
)
