"""The server that compose.yaml starts: pinned, closed to others, and known to be ready."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import version
from typing import Any

import pytest
import yaml

from tests.backends.loopback import listening
from tests.conftest import ROOT

QDRANT: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["qdrant"]


def test_the_pinned_server_fits_the_client() -> None:
    from qdrant_client.common.version_check import is_compatible

    found = re.fullmatch(r"qdrant/qdrant:v(\d+\.\d+\.\d+)", QDRANT["image"])
    assert found
    assert is_compatible(version("qdrant-client"), found[1])


def test_it_needs_a_key_and_listens_to_this_machine() -> None:
    assert QDRANT["environment"]["QDRANT__SERVICE__API_KEY"].startswith("${QDRANT_API_KEY:?")
    assert all(port.startswith("127.0.0.1:") for port in QDRANT["ports"])
    assert {"mem_limit", "cpus"} <= set(QDRANT)


@pytest.mark.parametrize(("status", "ready"), [(200, True), (503, False)])
def test_the_health_check_asks_whether_it_is_ready(status: int, ready: bool) -> None:
    asked: list[str] = []

    def respond(request: Any, body: bytes) -> None:
        asked.append(request.path)
        request.send(status, b"all shards are ready")

    kind, *words = QDRANT["healthcheck"]["test"]
    assert kind == "CMD"
    with listening(respond) as url:
        words = [word.replace("6333", url.rpartition(":")[2]).replace("$$", "$") for word in words]
        done = subprocess.run(words, check=False, timeout=10)
    assert asked == ["/readyz"]
    assert (done.returncode == 0) is ready
