"""How a server is reached: what the environment may say, and certificates of one's own authority."""

from __future__ import annotations

import shutil
import socket
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from backends.stores.access import Access, access_of, engine_of
from backends.stores.retries import Refused, Unreachable
from backends.stores.server import ServerStore
from tests.backends.scene import FAST, KEY, SPEC
from tests.backends.standin import StandIn, serving
from vara.artifacts.step import Settings
from vara.errors import Problem

URL = "https://search.example:6333"
NO_ADDRESS = (
    "QDRANT_URL problem: no plain address, expected one like https://host:6333. "
    "Correct it; the key belongs into QDRANT_API_KEY."
)


@pytest.mark.parametrize(
    ("asked", "environment", "means"),
    [
        ("auto", {}, "edge"),
        ("auto", {"QDRANT_URL": " "}, "edge"),
        ("auto", {"QDRANT_URL": URL}, Access(URL)),
        ("server", {"QDRANT_URL": URL, "QDRANT_API_KEY": f"{KEY}\n"}, Access(URL, KEY)),
        ("server", {"QDRANT_URL": URL, "QDRANT_CA_CERT": "/ca.pem"}, Access(URL, ca=Path("/ca.pem"))),
        ("server", {"QDRANT_URL": URL, "QDRANT_PREFER_GRPC": "1"}, Access(URL, grpc_port=6334)),
        ("server", {"QDRANT_URL": URL, "QDRANT_PREFER_GRPC": "0"}, Access(URL)),
        ("edge", {"QDRANT_URL": URL}, "edge"),
        ("memory", {"QDRANT_URL": URL}, "memory"),
    ],
)
def test_what_an_engine_means(asked: str, environment: dict[str, str], means: object) -> None:
    assert engine_of(asked, environment) == means


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({}, "index.engine problem: server, and QDRANT_URL is not set. Set QDRANT_URL, or choose edge."),
        *(
            (
                {"QDRANT_URL": url},
                NO_ADDRESS,
            )
            for url in (
                "search:6333",
                "ftp://search",
                "https://",
                f"https://me:{KEY}@search:6333",
                f"https://search?api-key={KEY}",
                "https://search:port",
                "https://[search",
            )
        ),
        *(
            (
                {"QDRANT_URL": URL, "QDRANT_API_KEY": key},
                "QDRANT_API_KEY problem: characters that no header can hold. Copy the key again.",
            )
            for key in (f"{KEY}\n{KEY}", f"{KEY}é", f"{KEY}\0")
        ),
    ],
)
def test_an_unfit_environment_is_named_and_not_shown(environment: dict[str, str], message: str) -> None:
    with pytest.raises(Problem) as caught:
        engine_of("server", environment)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("url", "key", "warned"),
    [
        ("http://search:6333", KEY, True),
        ("http://search:6333", "", False),
        ("https://search:6333", KEY, False),
        ("http://localhost:6333", KEY, False),
        ("http://127.0.0.1:6333", KEY, False),
        ("http://[::1]:6333", KEY, False),
    ],
)
def test_a_key_that_can_be_read_on_its_way_is_mentioned(url: str, key: str, warned: bool) -> None:
    said = "the API key travels to search:6333 unencrypted; use https where the network is not your own"
    assert Access(url, key).warning == (said if warned else "")


def test_neither_access_nor_settings_show_the_key(tmp_path: Path) -> None:
    environment = {"QDRANT_URL": URL, "QDRANT_API_KEY": KEY}
    settings = Settings(tmp_path, tmp_path, 1, {}, lambda _: "", environment)
    assert KEY not in repr(access_of(environment)) + repr(settings)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=here"
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "ca.pem"]
    subprocess.run([*words.split(), *files], cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "ca.pem").read_text() + (folder / "key.pem").read_text())
    return both


def test_a_server_with_a_certificate_of_our_own_authority(certificate: Path) -> None:
    with serving(StandIn(key=KEY), certificate) as url:
        with closing(ServerStore(Access(url, KEY, certificate.with_name("ca.pem"), patience=FAST))) as store:
            store.create("docs", SPEC)
            assert store.names() == ["docs"]
        with closing(ServerStore(Access(url, KEY, patience=FAST))) as store:
            with pytest.raises(Refused) as caught:
                store.names()
            assert "CERTIFICATE_VERIFY_FAILED" in str(caught.value)
            assert str(caught.value).endswith("1.16 or newer, and QDRANT_CA_CERT its authority.")


def test_a_file_that_holds_no_certificate(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    for name in ("ca.pem", "missing.pem"):
        with pytest.raises(Problem) as caught:
            ServerStore(Access(URL, ca=tmp_path / name))
        expected = f"no file of certificates (PEM) ({tmp_path / name}). Name the CA's file."
        assert str(caught.value) == f"QDRANT_CA_CERT problem: {expected}"


@pytest.mark.parametrize("grpc", [False, True])
def test_a_server_that_is_not_there(grpc: bool) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: a connection is refused
        port = taken.getsockname()[1]
        access = Access(f"http://127.0.0.1:{port}", KEY, grpc_port=port if grpc else None, patience=FAST)
        with (
            closing(ServerStore(access)) as store,
            pytest.raises(
                Unreachable, match=r"^server problem: 4 attempts to list collections failed"
            ) as caught,
        ):
            store.names()
    last = "gRPC UNAVAILABLE: " if grpc else "ConnectError: [Errno 111] Connection refused (127.0.0.1:"
    assert last in str(caught.value)
