"""The shipped pipeline on another instruction path: other vectors, the same rankings, metrics and tracked files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from backends.devices import cpu_path
from tests.conftest import ROOT
from tests.workspace import Sandbox, make_shipped

AVX2 = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
}


def tracked(sandbox: Sandbox) -> dict[str, bytes]:
    paths = [
        path for room in ("build", "metrics", "plots") for path in sorted((sandbox.root / room).iterdir())
    ]
    return {path.relative_to(sandbox.root).as_posix(): path.read_bytes() for path in paths}


def vectors(sandbox: Sandbox) -> np.ndarray:
    (path,) = (sandbox.root / ".vara/embed").glob("*/documents.npy")
    loaded: np.ndarray = np.load(path, allow_pickle=False)
    return loaded


@pytest.mark.slow
def test_avx2_gives_other_vectors_and_the_same_numbers(tmp_path: Path) -> None:
    if "avx512" not in cpu_path():
        pytest.skip("this processor has no path wider than AVX2")
    if not (ROOT / "data/helpdesk").is_dir():
        pytest.skip("data/helpdesk is not pulled (make data)")
    native, narrow = make_shipped(tmp_path / "native"), make_shipped(tmp_path / "narrow")
    assert native.pipeline()["stages"][1]["items_computed"] == 280
    narrow.pipeline(env=AVX2)
    assert not np.array_equal(vectors(native), vectors(narrow))
    assert np.allclose(vectors(native), vectors(narrow), atol=1e-5)
    assert tracked(native) == tracked(narrow)


@pytest.mark.slow
def test_two_of_200_documents_embed_two_texts_and_another_pooling_all(tmp_path: Path) -> None:
    if not (ROOT / "data/helpdesk").is_dir():
        pytest.skip("data/helpdesk is not pulled (make data)")
    sandbox = make_shipped(tmp_path / "edited")
    sandbox.pipeline()
    corpus = sandbox.root / "data/helpdesk/corpus.jsonl"
    lines = corpus.read_text(encoding="utf-8").splitlines(keepends=True)
    for row in (17, 111):
        document = json.loads(lines[row])
        document["text"] += " Ask us if it does not work."
        lines[row] = json.dumps(document, ensure_ascii=False) + "\n"
    corpus.unlink()  # DVC may have linked it to its cache
    corpus.write_text("".join(lines), encoding="utf-8")
    stages = {stage["stage"]: stage for stage in sandbox.pipeline()["stages"]}
    assert stages["validate"]["items_computed"] == 200
    assert stages["embed"]["items_computed"] == 2
    # Another constant in the pooling module: every vector is another, and none is remembered.
    sandbox.edit("backends/pooling.py", "lengths > 0)", "lengths > 1e-30)")
    stages = {stage["stage"]: stage for stage in sandbox.pipeline()["stages"]}
    assert stages["embed"]["items_computed"] == 280
