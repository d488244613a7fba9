"""What is tracked does not depend on where the collection is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.run import perform, plain, prepare
from flows.workspace import Workspace
from tests.backends.standin import StandIn, serving
from tests.workspace import Sandbox, make_sandbox
from vara.errors import Problem
from vara.watch import Silence

KEY = "s3cret-key"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    sandbox = make_sandbox(tmp_path_factory.mktemp("engines") / "work space")
    sandbox.edit("params.yaml", "search: exact", "search: ann")  # so that the pool asks the engine
    return sandbox


def built(sandbox: Sandbox) -> dict[str, bytes]:
    run = prepare(Workspace(sandbox.root), "pipeline", {}, None)
    list(perform(run, plain(run.bench, Silence())))
    return {path.name: path.read_bytes() for path in (sandbox.root / "build").glob("*.json")}


def test_build_files_are_the_same_on_a_server_as_embedded(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "embedded"))
    embedded = built(sandbox)
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "served"))
    monkeypatch.setenv("QDRANT_API_KEY", KEY)
    server = StandIn(key=KEY)
    with serving(server) as url:
        monkeypatch.setenv("QDRANT_URL", url)
        served = built(sandbox)
        (name,) = server.collections
        assert list(server.aliases.values()) == [name]
        server.collections.clear()
        server.aliases.clear()
        assert built(sandbox) == served  # an emptied server costs no cache hit
        assert server.collections == {}
    assert served == embedded
    assert KEY.encode() not in b"".join(
        path.read_bytes() for path in (tmp_path / "served").rglob("*") if path.is_file()
    )


def test_a_server_that_is_asked_for_has_to_be_named(sandbox: Sandbox) -> None:
    run = prepare(Workspace(sandbox.root), "pipeline", {"index.engine": "server"}, None)
    with pytest.raises(Problem, match=r"^index\.engine problem: server, and QDRANT_URL is not set\."):
        list(perform(run, plain(run.bench, Silence())))
