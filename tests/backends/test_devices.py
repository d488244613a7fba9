"""Device and instruction path: found from files and the environment, never from torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from backends import devices
from backends.devices import cpu_path, effective_device

WIDE = "avx2 fma avx512f avx512bw avx512dq avx512vl"


@pytest.fixture
def gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two cards, and a torch that was built for CUDA."""
    monkeypatch.setattr(devices, "version", lambda _: "2.13.0+cu130")
    for bus, model, uuid in (
        ("0000:01:00.0", "NVIDIA H200", "GPU-aa"),
        ("0000:02:00.0", "NVIDIA L4", "GPU-bb"),
    ):
        (tmp_path / bus).mkdir()
        (tmp_path / bus / "information").write_text(
            f"Model: \t\t {model}\nIRQ:   \t\t 1\nGPU UUID: \t {uuid}\n"
        )
    return tmp_path


@pytest.mark.parametrize(
    ("visible", "device"),
    [
        (None, "cuda:NVIDIA H200"),
        ("1", "cuda:NVIDIA L4"),
        ("GPU-bb,GPU-aa", "cuda:NVIDIA L4"),
        ("", "cpu"),
        ("-1", "cpu"),
    ],
)
def test_the_device_is_the_first_visible_card(gpus: Path, visible: str | None, device: str) -> None:
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert effective_device(environment, gpus) == device


def test_a_cpu_build_of_torch_sees_no_card(gpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "version", lambda _: "2.13.0+cpu")
    assert effective_device({}, gpus) == "cpu"


def test_no_driver_means_cpu(gpus: Path) -> None:
    assert effective_device({}, gpus / "none") == "cpu"


@pytest.mark.parametrize(
    ("cpuinfo", "path"),
    [
        (
            f"processor: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu {WIDE}\n\nprocessor: 1\n",
            "GenuineIntel avx512",
        ),
        (f"vendor_id: AuthenticAMD\nflags: {WIDE} avx512_bf16\n", "AuthenticAMD avx512_bf16"),
        ("vendor_id: AuthenticAMD\nflags: avx2 fma\n", "AuthenticAMD avx2"),
        ("Features\t: fp asimd sve\nCPU implementer\t: 0x41\n\n", "0x41 sve"),
        ("vendor_id: GenuineIntel\nflags: sse2\n", "GenuineIntel baseline"),
    ],
)
def test_the_path_is_maker_and_widest_instructions(tmp_path: Path, cpuinfo: str, path: str) -> None:
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    assert cpu_path({}, tmp_path / "cpuinfo") == path


def test_what_lowers_the_instructions_is_part_of_the_path(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(f"vendor_id: GenuineIntel\nflags: {WIDE}\n")
    environment = {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": ""}
    assert cpu_path(environment, tmp_path / "cpuinfo") == (
        "GenuineIntel avx512 ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=avx2"
    )
