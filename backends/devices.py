"""What the vectors will be computed on, found without importing torch.

Two machines that give another last bit of a float must not share artifacts: both answers are part of every
key.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

GPUS = Path("/proc/driver/nvidia/gpus")
CPUINFO = Path("/proc/cpuinfo")

# Best first; a level is reached when all its flags are there. oneDNN has a path of its own for each.
LEVELS = (
    ("amx", ("amx_tile", "amx_bf16")),
    ("avx512_bf16", ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_bf16")),
    ("avx512", ("avx512f", "avx512bw", "avx512dq", "avx512vl")),
    ("avx2", ("avx2", "fma")),
    ("sve", ("sve",)),
    ("neon", ("asimd",)),
)
LOWERED_BY = (
    "ATEN_CPU_CAPABILITY",
    "DNNL_DEFAULT_FPMATH_MODE",
    "DNNL_MAX_CPU_ISA",
    "MKL_CBWR",
    "MKL_ENABLE_INSTRUCTIONS",
    "NPY_DISABLE_CPU_FEATURES",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
)
"""Variables by which torch, oneDNN, MKL, numpy and OpenBLAS are held to lesser instructions or precision."""


def effective_device(environment: Mapping[str, str] | None = None, gpus: Path = GPUS) -> str:
    """Return "cpu", or "cuda:" and the name of the GPU that torch would use.

    "cpu" when torch is absent or a CPU build (its version label says so), when no NVIDIA driver shows a GPU,
    or when CUDA_VISIBLE_DEVICES hides all of them. The encoder refuses to run where torch then disagrees.
    """
    environment = os.environ if environment is None else environment
    if not _cuda_build():
        return "cpu"
    cards = [_fields(file.read_text(errors="replace")) for file in sorted(gpus.glob("*/information"))]
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if not cards or (visible is not None and visible.strip() in ("", "-1")):
        return "cpu"
    first = (visible or "0").split(",")[0].strip()
    if first.isdigit():
        chosen = cards[int(first) : int(first) + 1]
    else:
        chosen = [card for card in cards if card.get("GPU UUID", "").startswith(first)]
    return f"cuda:{chosen[0].get('Model', 'unknown')}" if chosen else f"cuda:{first}"


def cpu_path(environment: Mapping[str, str] | None = None, cpuinfo: Path = CPUINFO) -> str:
    """Return the processor's maker, its widest instructions, and what lowers them: "AuthenticAMD avx512".

    The maker counts because MKL takes other paths on other makers' processors. A variable that lowers one
    library's instructions is named with its value: a mixture of levels is not the lower level everywhere.
    """
    environment = os.environ if environment is None else environment
    maker, flags = _processor(cpuinfo)
    level = next((name for name, needed in LEVELS if flags.issuperset(needed)), "baseline")
    lowered = [f"{name}={environment[name].lower()}" for name in LOWERED_BY if environment.get(name)]
    return " ".join([maker, level, *lowered])


def _cuda_build() -> bool:
    try:
        label = version("torch").partition("+")[2]
    except PackageNotFoundError:
        return False
    return not label.startswith("cpu")


def _fields(text: str) -> dict[str, str]:
    lines = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def _processor(cpuinfo: Path) -> tuple[str, set[str]]:
    if not cpuinfo.is_file():
        return platform.machine(), set()
    first, _, _ = cpuinfo.read_text(errors="replace").partition("\n\n")
    facts = _fields(first)
    maker = facts.get("vendor_id") or facts.get("CPU implementer") or platform.machine()
    return maker, set((facts.get("flags") or facts.get("Features") or "").split())
