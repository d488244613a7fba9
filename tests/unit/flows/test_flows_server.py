"""Asking for a Prefect server: tiny servers on loopback, each with another answer."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from flows.server import LOCAL, reachable

Answer = Callable[[BaseHTTPRequestHandler], None]
PATIENT = 10.0  # seconds, for answers that must arrive on a busy machine too


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """Serve `answer` on a free port and give the URL of its API."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                answer(self)
            except OSError:  # the other side did not wait
                self.close_connection = True

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = False  # closing waits for every answer
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/api"
        finally:
            server.shutdown()
            thread.join()


def body(content: bytes, status: int = 200, path: str = "/api/health") -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status if handler.path == path else 404)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def late(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(0.6)
    body(b"true")(handler)


def drop_by_drop(handler: BaseHTTPRequestHandler) -> None:
    """Never silent for 0.3 seconds, and not done for a second."""
    for byte in b"HTTP/1.0 200 OK\r\n\r\ntrue":
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        time.sleep(0.05)


def closed_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.parametrize("content", [b"true", b"true\n", b" true "])
@pytest.mark.parametrize("slash", ["", "/"])
def test_a_healthy_server(said: list[str], content: bytes, slash: str) -> None:
    with serving(body(content)) as url:
        assert reachable({"PREFECT_API_URL": url + slash}, PATIENT) == url + slash
    assert said == []


@pytest.mark.parametrize(
    "answer",
    [
        body(b"false"),
        body(b"true", 503),
        body(b"true", 302),
        body(b"<html>true"),
        body(b""),
        body(b"true", path="/"),
    ],
    ids=["not healthy", "unavailable", "moved", "another server", "nothing", "not found"],
)
def test_a_wrong_answer_is_no_server(said: list[str], answer: Answer) -> None:
    with serving(answer) as url:
        assert reachable({"PREFECT_API_URL": url}, PATIENT) is None
    assert said == [f"vara: no Prefect server at {url}, running without one."]


@pytest.mark.parametrize("answer", [late, drop_by_drop])
def test_nobody_waits_for_a_slow_server(said: list[str], answer: Answer) -> None:
    with serving(answer) as url:
        started = time.monotonic()
        assert reachable({"PREFECT_API_URL": url}) is None
        assert 0.29 < time.monotonic() - started < 1
    assert said == [f"vara: no Prefect server at {url}, running without one."]


def test_a_slow_server_is_heard_by_who_waits() -> None:
    with serving(late) as url:
        assert reachable({"PREFECT_API_URL": url}, PATIENT) == url


def test_a_port_where_nobody_listens(said: list[str]) -> None:
    url = f"http://127.0.0.1:{closed_port()}/api"
    started = time.monotonic()
    assert reachable({"PREFECT_API_URL": url}) is None
    assert time.monotonic() - started < 1
    assert said == [f"vara: no Prefect server at {url}, running without one."]


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "ftp://127.0.0.1/api",
        "http:///api",
        "http://127.0.0.1:port/api",
        "http://[::1/api",
        "http://a b/api",
    ],
)
def test_what_is_no_address_is_no_server(said: list[str], url: str) -> None:
    assert reachable({"PREFECT_API_URL": url}) is None
    assert said == [f"vara: no Prefect server at {url}, running without one."]


def test_set_to_nothing_asks_nobody_and_says_nothing(said: list[str]) -> None:
    assert reachable({"PREFECT_API_URL": ""}) is None
    assert said == []


def test_not_set_asks_where_make_server_listens(said: list[str]) -> None:
    found = reachable({})
    assert (found, said) in [
        (LOCAL, []),
        (None, [f"vara: no Prefect server at {LOCAL}, running without one."]),
    ]


@pytest.mark.parametrize(("key", "header"), [({}, None), ({"PREFECT_API_KEY": "k3y"}, "Bearer k3y")])
def test_the_key_of_a_server_is_sent_and_only_then(key: dict[str, str], header: str | None) -> None:
    heard: list[str | None] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        heard.append(handler.headers["Authorization"])
        body(b"true")(handler)

    with serving(answer) as url:
        assert reachable({"PREFECT_API_URL": url, **key}, PATIENT) == url
    assert heard == [header]
