"""A run in which nothing has to be computed loads nothing that computes."""

from __future__ import annotations

from pathlib import Path

from flows.pipeline import PIPELINE
from tests.workspace import make_sandbox

HEAVY = (
    "torch",
    "transformers",
    "prefect",
    "qdrant_client",
    "qdrant_edge",
    "pandera",
    "polars",
    "bm25s",
    "Stemmer",
    "regex",
    "rapidfuzz",
    "numpy",
)

SCRIPT = """
import sys
from flows.__main__ import main
code = main(["pipeline"])
print(code, sorted({name.split(".")[0] for name in sys.modules}))
"""


def test_a_hit_loads_no_heavy_library(tmp_path: Path) -> None:
    sandbox = make_sandbox(tmp_path / "noop")
    assert len(sandbox.computed()) == len(PIPELINE)
    words = sandbox.run("python", "-c", SCRIPT).stdout
    assert words.startswith("0 [")
    # numpy is allowed; the steps name its functions at the top of their modules.
    assert [name for name in HEAVY[:-1] if f"'{name}'" in words] == []
