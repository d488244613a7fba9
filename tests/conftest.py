"""What every test shares: no server but those that a test starts, and workspaces in temporary folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

# No test meets a server, a store or DVC settings of the person who runs it.
for name in ("VARA_STORE", "VARA_WORKERS", "DVC_ROOT", "DVC_STAGE"):
    os.environ.pop(name, None)
# The server that the contract tests of stores may use is kept under names that nothing else reads; in the environment
# because this file is imported twice, and by each worker.
for name in [name for name in os.environ if name.startswith("QDRANT_")]:
    os.environ[f"VARA_TEST_{name}"] = os.environ.pop(name)
QDRANT = {name[10:]: value for name, value in os.environ.items() if name.startswith("VARA_TEST_QDRANT_")}
os.environ["PREFECT_API_URL"] = ""
os.environ["DVC_NO_ANALYTICS"] = "1"
os.environ["DO_NOT_TRACK"] = "1"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real collections and fixtures, where it is present."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder {SHARED}")
    return SHARED
