"""A model that judges, behind an endpoint on loopback: what is sent, remembered, tried again, refused."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from backends.judge import Endpoint, Judge, endpoint_of
from backends.stores.retries import Patience, Refused, Unreachable
from tests.backends.loopback import listening
from vara.artifacts.items import ItemCache
from vara.errors import Problem
from vara.judgments.prompts import ORDERS, messages
from vara.judgments.sheets import Row

SECRET = "sk-very-secret"  # noqa: S105 - a test's
HASTE = Patience(attempts=3, first_s=0.001, longest_s=0.01, answer_s=5)
ASKED = messages(Row(query_id="q", doc_id="d", query="rings", text="Gold rings."), "descending")


def completion(answer: str | None) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": answer}}]}).encode()


@dataclass
class Model:
    """An endpoint that gives these answers in turn, the last one for ever; keeps what it was sent."""

    answers: Sequence[tuple[int, bytes, dict[str, str]]]
    sent: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)

    def respond(self, handler: Any, body: bytes) -> None:
        answer = self.answers[min(len(self.sent), len(self.answers) - 1)]
        self.sent.append((handler.path, dict(handler.headers), json.loads(body)))
        handler.send(*answer)


@contextmanager
def model(*answers: tuple[int, bytes] | tuple[int, bytes, dict[str, str]]) -> Iterator[tuple[Model, str]]:
    made = Model([(*answer, {})[:3] for answer in answers])  # type: ignore[misc]

    def respond(handler: Any, body: bytes) -> None:
        made.respond(handler, body)

    with listening(respond) as url:
        yield made, f"{url}/v1"


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Judge]:
    def make(url: str, name: str = "m", key: str = SECRET) -> Judge:
        endpoint = Endpoint(url, name, key, HASTE)
        return Judge(endpoint, ItemCache(tmp_path / "verdicts.sqlite"), random=Random(0))

    return make


Make = Callable[..., Judge]


def test_what_is_sent(judge: Make) -> None:
    with model((200, completion('{"relevance": 2}'))) as (made, url), judge(url) as one:
        assert one.verdict(ASKED) == 2
    [(path, headers, body)] = made.sent
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert (body["model"], body["temperature"], body["messages"]) == ("m", 0, ASKED)


def test_without_a_key_none_is_sent(judge: Make) -> None:
    with model((200, completion('{"relevance": 2}'))) as (made, url), judge(url, key="") as one:
        one.verdict(ASKED)
    assert "Authorization" not in made.sent[0][1]


def test_a_verdict_is_remembered_whatever_the_endpoint(judge: Make) -> None:
    with model((200, completion('{"relevance": 1}'))) as (made, url), judge(url) as one:
        assert [one.verdict(ASKED), one.verdict(ASKED)] == [1, 1]
        assert (len(made.sent), one.asked, one.remembered) == (1, 1, 1)
    with judge("http://127.0.0.1:9/v1") as elsewhere:  # nobody listens there
        assert elsewhere.verdict(ASKED) == 1


def test_another_model_order_or_text_is_another_question(judge: Make) -> None:
    other = Row(query_id="q", doc_id="d", query="rings", text="Gold rings!")
    questions = [ASKED, messages(other, "descending"), messages(other, ORDERS[1])]
    with model((200, completion('{"relevance": 1}'))) as (made, url):
        for name in ("m", "n"):
            with judge(url, name) as one:
                for asked in questions:
                    one.verdict(asked)
    assert len(made.sent) == 6


def test_another_version_of_the_prompt_asks_again(judge: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with model((200, completion('{"relevance": 1}'))) as (made, url):
        for version in ("pointwise-1", "pointwise-2"):
            monkeypatch.setattr("backends.judge.VERSION", version)
            with judge(url) as one:
                one.verdict(ASKED)
    assert len(made.sent) == 2


@pytest.mark.parametrize("answer", ["It is relevant.", '{"relevance": 9}', None])
def test_no_verdict_is_not_remembered(judge: Make, answer: str | None) -> None:
    with (
        model((200, completion(answer)), (200, completion('{"relevance": 3}'))) as (made, url),
        judge(url) as one,
    ):
        assert [one.verdict(ASKED), one.verdict(ASKED)] == [None, 3]
    assert len(made.sent) == 2


def test_a_busy_endpoint_is_asked_again_after_as_long_as_it_says(
    judge: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("backends.judge.time.sleep", waits.append)
    busy = [(429, b"{}", {"Retry-After": "7"}), (503, b"")]
    with model(*busy, (200, completion('{"relevance": 0}'))) as (made, url), judge(url) as one:
        assert one.verdict(ASKED) == 0
    drawn = Random(0)
    # At most longest_s of the 7 s asked for, and a draw up to first_s; then a draw up to twice that.
    assert waits == [0.01 + drawn.uniform(0, 0.001), drawn.uniform(0, 0.002)]
    assert len(made.sent) == 3


def test_an_endpoint_that_stays_busy(judge: Make) -> None:
    with (
        model((500, b"oops")) as (made, url),
        judge(url) as one,
        pytest.raises(Unreachable, match=r"^endpoint problem: 3 attempts failed, the last with HTTP 500"),
    ):
        one.verdict(ASKED)
    assert len(made.sent) == 3


def test_nobody_listens(judge: Make) -> None:
    with judge("http://127.0.0.1:9/v1") as one, pytest.raises(Unreachable, match=r"127\.0\.0\.1:9"):
        one.verdict(ASKED)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, SECRET.encode()), r"it refuses the key \(HTTP 401\).*Set VARA_JUDGE_KEY"),
        ((404, b"no such model"), "refuses to judge: HTTP 404 Not Found, no such model"),
        ((400, f"bad key {SECRET} given".encode()), "HTTP 400 Bad Request, bad key … given"),
        ((400, b"x" * 215 + SECRET.encode()), "HTTP 400 Bad Request, x+"),
        ((200, b"<html>"), "an answer that is no chat completion"),
        ((200, b'{"choices": []}'), "an answer that is no chat completion"),
        ((200, b"[]"), "an answer that is no chat completion"),
        ((200, b'{"choices": ' + b"[" * 100_000), "an answer that is no chat completion"),
        ((200, b"no gzip", {"Content-Encoding": "gzip"}), "an answer that is packed"),
        ((400, b"no gzip", {"Content-Encoding": "gzip"}), r"refuses to judge: HTTP 400 Bad Request \("),
        ((400, b"a\x1b[2Jb\x07"), r"HTTP 400 Bad Request, a\\x1b\[2Jb\\x07 \("),
        ((400, b"y" * 5000), "HTTP 400 Bad Request, y{220,230}…"),
        ((200, b" " * (1 << 20) + completion('{"relevance": 1}')), "an answer of more than 1 MiB"),
        ((307, b"", {"Location": "http://127.0.0.1:9/steal"}), "HTTP 307"),
    ],
)
def test_refusals_are_final_and_never_show_the_key(judge: Make, answer: Any, message: str) -> None:
    with model(answer) as (made, url), judge(url) as one, pytest.raises(Refused, match=message) as caught:
        one.verdict(ASKED)
    assert SECRET[:8] not in str(caught.value)
    assert len(made.sent) == 1


@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_without_end_is_not_read_to_it(judge: Make, status: int) -> None:
    def respond(handler: Any, _: bytes) -> None:
        handler.send_response(status)
        handler.end_headers()
        with suppress(ConnectionError):
            while True:
                handler.wfile.write(b" " * (1 << 16))

    with listening(respond) as url, judge(url) as one, pytest.raises(Refused):
        one.verdict(ASKED)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_an_answer_that_trickles_is_given_up(tmp_path: Path, head: bytes) -> None:
    def respond(handler: Any, _: bytes) -> None:
        with suppress(ConnectionError):
            handler.wfile.write(head)
            for _ in range(500):
                handler.wfile.write(b"a")
                time.sleep(0.01)
        handler.close_connection = True

    haste = Patience(attempts=1, answer_s=1)
    with (
        listening(respond) as url,
        Judge(Endpoint(url, "m", "", haste), ItemCache(tmp_path / "v")) as one,
        pytest.raises(Unreachable, match="the last with no whole answer within 1 s"),
    ):
        one.verdict(ASKED)


def test_the_key_comes_from_the_environment_and_is_not_shown() -> None:
    endpoint = endpoint_of("http://127.0.0.1:1/v1/", "m", {"VARA_JUDGE_KEY": SECRET})
    assert (endpoint.url, endpoint.key) == ("http://127.0.0.1:1/v1", SECRET)
    assert SECRET not in repr(endpoint)
    with pytest.raises(Problem, match=r"^VARA_JUDGE_KEY problem: characters that no header can hold"):
        endpoint_of("http://h/v1", "m", {"VARA_JUDGE_KEY": "a\nb"})


@pytest.mark.parametrize(
    "url",
    [
        "h/v1",
        "ftp://h",
        "http://",
        f"http://u:{SECRET}@h/v1",
        f"http://{SECRET}@h/v1",
        "http://h/v1?a=b",
        "http://h:x",
    ],
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(Problem, match=r"^endpoint problem: no plain address") as caught:
        endpoint_of(url, "m", {})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "key", "warning"),
    [
        ("https://h/v1", SECRET, ""),
        ("http://localhost:8000/v1", SECRET, ""),
        ("http://h/v1", SECRET, "the texts and the key travel to h unencrypted"),
        ("http://h:81/v1", "", "the texts travel to h:81 unencrypted"),
    ],
)
def test_what_travels_in_the_open_is_said(url: str, key: str, warning: str) -> None:
    found = Endpoint(url, "m", key).warning
    assert found.startswith(warning)
    assert bool(found) == bool(warning)
