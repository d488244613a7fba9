"""A server on a free port of loopback whose answers a test writes."""

from __future__ import annotations

import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """Reads one request whole and hands it to `respond`, which a server's class fills in."""

    protocol_version = "HTTP/1.1"

    def respond(self, body: bytes) -> None:
        raise NotImplementedError

    def send(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def handle_any(self) -> None:
        self.respond(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def log_message(self, *_: object) -> None:
        """Stay silent."""


class Server(ThreadingHTTPServer):
    """Answers each connection in a thread; says nothing of a client that gave up, as tests make clients do."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def listening(respond: Callable[[Any, bytes], None], certificate: Path | None = None) -> Iterator[str]:
    """Serve on a free port of loopback and yield the address."""
    verbs = {f"do_{verb}": Handler.handle_any for verb in ("GET", "PUT", "POST", "PATCH", "DELETE")}
    server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {**verbs, "respond": respond}))
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
