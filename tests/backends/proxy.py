"""A proxy on loopback that does to requests what networks and overloaded servers do."""

from __future__ import annotations

import http.client
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.backends.loopback import listening

Forward = Callable[[bytes], tuple[int, bytes]]
Fault = Callable[[Any, bytes, Forward], None]


@dataclass
class Rule:
    """A fault for the requests that match, a number of times."""

    pattern: str
    fault: Fault
    times: int


@dataclass
class Faults:
    """What the proxy does, and what it saw as "METHOD path"."""

    rules: list[Rule] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def on(self, pattern: str, fault: Fault, times: int = 10**9) -> None:
        self.rules.append(Rule(pattern, fault, times))

    def take(self, line: str) -> Fault | None:
        with self.lock:
            self.seen.append(line)
            for rule in self.rules:
                if rule.times and re.search(rule.pattern, line):
                    rule.times -= 1
                    return rule.fault
        return None

    def count(self, pattern: str) -> int:
        return sum(bool(re.search(pattern, line)) for line in self.seen)


def reset(request: Any, body: bytes, forward: Forward) -> None:
    """Cut the connection before the server hears of the request."""
    cut(request)


def reset_after(request: Any, body: bytes, forward: Forward) -> None:
    """Let the server do it, and cut the connection before its answer."""
    forward(body)
    cut(request)


def half_then_reset(request: Any, body: bytes, forward: Forward) -> None:
    """Let the server have half of the points, then cut the connection."""
    tree = json.loads(body)
    tree["points"] = tree["points"][: len(tree["points"]) // 2]
    forward(json.dumps(tree).encode())
    cut(request)


def slow(seconds: float) -> Fault:
    """Let the server do it at once, and its answer come late."""

    def fault(request: Any, body: bytes, forward: Forward) -> None:
        status, content = forward(body)
        time.sleep(seconds)
        request.send(status, content)

    return fault


def says(status: int, text: str, **headers: str) -> Fault:
    """Answer without asking the server."""

    def fault(request: Any, body: bytes, forward: Forward) -> None:
        request.send(
            status, text.encode(), {name.replace("_", "-"): value for name, value in headers.items()}
        )

    return fault


def lies(change: Callable[[Any], Any]) -> Fault:
    """Change the result in the server's answer."""

    def fault(request: Any, body: bytes, forward: Forward) -> None:
        status, content = forward(body)
        tree = json.loads(content)
        tree["result"] = change(tree["result"])
        request.send(status, json.dumps(tree).encode())

    return fault


def after(action: Callable[[], object]) -> Fault:
    """Forward, then do something before the answer goes out."""

    def fault(request: Any, body: bytes, forward: Forward) -> None:
        status, content = forward(body)
        action()
        request.send(status, content)

    return fault


def cut(request: Any) -> None:
    """End a connection with RST, as a crash or a firewall does."""
    request.close_connection = True
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.rfile.close()
    request.wfile = type("Gone", (), {"flush": lambda _: None, "close": lambda _: None, "closed": True})()
    request.connection.close()


@contextmanager
def between(target: str, faults: Faults) -> Iterator[str]:
    """Stand between a client and the server at `target`; yields the address to use."""
    parts = urlsplit(target)

    def respond(request: Any, body: bytes) -> None:
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() not in ("host", "connection", "content-length")
        }

        def forward(content: bytes) -> tuple[int, bytes]:
            server = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
            try:
                server.request(request.command, request.path, content or None, headers)
                answer = server.getresponse()
                return answer.status, answer.read()
            finally:
                server.close()

        fault = faults.take(f"{request.command} {request.path.partition('?')[0]}")
        if fault is not None:
            fault(request, body, forward)
        else:
            request.send(*forward(body))

    with listening(respond) as url:
        yield url
