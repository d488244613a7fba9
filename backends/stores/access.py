"""How a Qdrant server is reached: read from the environment, once, and the key never shown.

`QDRANT_URL` and `QDRANT_API_KEY`; `QDRANT_CA_CERT` (a file) where the certificate is of one's own authority;
`QDRANT_PREFER_GRPC=1` sends points over gRPC, port 6334.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from backends.addresses import is_here, is_plain
from backends.stores.retries import Patience
from vara.errors import Problem

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_PORT, _GRPC_PORT = 6333, 6334


@dataclass(frozen=True)
class Access:
    """The way to one server.

    Attributes:
        url: http or https address without credentials.
        key: API key, or "" where the server asks for none; neither in the representation nor in any message.
        ca: certificates (PEM) that are trusted beside nobody else's; None: those of the system.
        grpc_port: where gRPC is spoken; None: REST.
        patience: how long the server is waited for.
    """

    url: str
    key: str = field(default="", repr=False)
    ca: Path | None = None
    grpc_port: int | None = None
    patience: Patience = field(default_factory=Patience)

    @property
    def where(self) -> str:
        """Return host:port, the name of the server in messages."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port or _PORT}"

    @property
    def warning(self) -> str:
        """Return in words that the key can be read on its way, or ""."""
        parts = urlsplit(self.url)
        if not self.key or parts.scheme == "https" or is_here(parts.hostname or ""):
            return ""
        return f"the API key travels to {self.where} unencrypted; use https where the network is not your own"

    def connect(self) -> QdrantClient:
        """Return a client; nothing is sent yet.

        Raises:
            Problem: the file of certificates is missing or holds none.
        """
        from qdrant_client import QdrantClient

        more: dict[str, Any] = {}
        if self.ca is not None:
            more = {"verify": _trust(self.ca), "grpc_options": {"root_certificates": self.ca.read_bytes()}}
        return QdrantClient(
            url=self.url,
            port=_PORT,
            grpc_port=self.grpc_port or _GRPC_PORT,
            prefer_grpc=self.grpc_port is not None,
            headers={"api-key": self.key} if self.key else None,  # as `api_key` it would warn about localhost
            timeout=self.patience.answer_s,
            check_compatibility=False,  # a thread that warns; `info` notices a server without metadata itself
            **more,
        )


Engine = Literal["edge", "memory"] | Access
"""Where a collection is kept: an embedded engine, or a server."""


def engine_of(asked: str, environment: Mapping[str, str]) -> Engine:
    """Return what `index.engine` means here: auto is the server where QDRANT_URL is set, else edge.

    Raises:
        Problem: a server is asked for and none is named, or what names it is unfit.
    """
    if asked == "memory":
        return "memory"
    if asked == "edge":
        return "edge"
    access = access_of(environment)
    if access is None and asked == "server":
        found, remedy = "server, and QDRANT_URL is not set", "Set QDRANT_URL, or choose edge."
        raise Problem("index.engine", found, remedy=remedy)
    return access or "edge"


def access_of(environment: Mapping[str, str]) -> Access | None:
    """Return the way to the server that the environment names, or None.

    Raises:
        Problem: address or key are unfit; the message shows neither.
    """
    url, key = (environment.get(name, "").strip() for name in ("QDRANT_URL", "QDRANT_API_KEY"))
    if not url:
        return None
    if not is_plain(url):
        remedy = "Correct it; the key belongs into QDRANT_API_KEY."
        raise Problem("QDRANT_URL", "no plain address", expected="one like https://host:6333", remedy=remedy)
    if not (key.isascii() and key.isprintable()):  # httpx would show it when it refuses the header
        remedy = "Copy the key again."
        raise Problem("QDRANT_API_KEY", "characters that no header can hold", remedy=remedy)
    ca = environment.get("QDRANT_CA_CERT", "").strip()
    grpc = environment.get("QDRANT_PREFER_GRPC", "").strip().lower() in ("1", "true", "yes")
    return Access(url, key, Path(ca).expanduser() if ca else None, _GRPC_PORT if grpc else None)


def _trust(ca: Path) -> Any:
    import ssl

    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError):
        raise Problem(
            "QDRANT_CA_CERT", "no file of certificates (PEM)", where=str(ca), remedy="Name the CA's file."
        ) from None
