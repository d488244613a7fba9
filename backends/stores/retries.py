"""Requests to a server that may fail: what is tried again, how long is waited, and what a failure is called.

Every request that is made through here may be made twice without harm: points have ids of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from json import JSONDecodeError
from random import Random
from typing import NamedTuple, TypeVar

from vara.errors import Problem

T = TypeVar("T")

_OVERLOADED = frozenset({408, 425, 429})
_GRPC = {
    "INVALID_ARGUMENT": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "RESOURCE_EXHAUSTED": 429,
    "UNIMPLEMENTED": 405,
}
"""The HTTP status that says the same; all other codes are failures of the moment."""


@dataclass(frozen=True)
class Patience:
    """How long a server is waited for.

    Attributes:
        attempts: how often one request is made, the first time included.
        first_s: most seconds before the second attempt; doubled for each further one.
        longest_s: most seconds before any attempt.
        answer_s: seconds within which an answer has to come.
        settle_s: seconds within which a collection has to be indexed.
        poll_s: seconds between two looks at an unfinished index.
    """

    attempts: int = 7
    first_s: float = 0.5
    longest_s: float = 30.0
    answer_s: int = 60
    settle_s: float = 6 * 3600.0
    poll_s: float = 1.0


class Unreachable(Problem):
    """The server failed at every attempt; whether it did what the last request said is not known."""


class Refused(Problem):
    """The server understood a request and will not do it."""


class Absent(Problem):
    """The server has no such collection."""


class Trouble(NamedTuple):
    """What went wrong with one attempt.

    Attributes:
        status: as HTTP counts; 0 where no answer came.
        words: for people.
        again: whether another attempt may go better.
        wait_s: seconds that the server asks to wait.
    """

    status: int
    words: str
    again: bool = True
    wait_s: float = 0.0


class Caller:
    """Makes requests until they succeed, are refused, or have failed too often.

    Args:
        patience: how often and how long.
        where: the server's name in messages.
        secret: is never part of a message, whatever the server sends back.
        random: draws the waiting times (full jitter: evenly between nothing and the longest).
    """

    def __init__(
        self, patience: Patience, where: str, *, secret: str = "", random: Random | None = None
    ) -> None:
        self._patience, self._where, self._secret = patience, where, secret
        self._random = random or Random()  # noqa: S311 - spreads load, guards nothing

    def __call__(self, what: str, request: Callable[[], T], *, name: str = "") -> T:
        """Return what `request` returns.

        Args:
            what: it, in words that follow "to": "upsert points".
            request: makes one attempt.
            name: the collection that it is about.

        Raises:
            Absent: the server has no collection `name`.
            Refused: it answered that it will not.
            Unreachable: no attempt succeeded.
        """
        attempt = 1
        while True:
            try:
                return request()
            except Exception as error:
                trouble = trouble_of(error)
                if trouble is None:
                    raise
            if not trouble.again or attempt >= self._patience.attempts:
                raise self._problem(what, trouble, attempt, name)
            time.sleep(self._delay(attempt, trouble.wait_s))
            attempt += 1

    def _delay(self, attempt: int, asked_s: float) -> float:
        longest = self._patience.longest_s
        jitter = self._random.uniform(0, min(longest, self._patience.first_s * 2 ** (attempt - 1)))
        return min(asked_s, longest) + jitter

    def _problem(self, what: str, trouble: Trouble, attempts: int, name: str) -> Problem:
        words = trouble.words.replace(self._secret, "…") if self._secret else trouble.words
        if trouble.status in (401, 403):
            remedy = "Set QDRANT_API_KEY to a key that may write."
            return Refused("server", f"it refuses the key to {what}", where=self._where, remedy=remedy)
        if trouble.status == 404 and name:
            return Absent("collection", f"no {name}", where=self._where, remedy="Run the index stage.")
        if not trouble.again:
            remedy = "Check that QDRANT_URL names a Qdrant server, 1.16 or newer, and QDRANT_CA_CERT its authority."
            return Refused("server", f"it refuses to {what}: {words}", where=self._where, remedy=remedy)
        found = f"{attempts} attempts to {what} failed, the last with {words}"
        remedy = "See that the server runs and has memory and disk left, then run the command again."
        return Unreachable("server", found, where=self._where, remedy=remedy)


def trouble_of(error: Exception) -> Trouble | None:
    """Say what an exception of qdrant-client means; None: it is no failure of a request."""
    from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return Trouble(429, "HTTP 429 Too Many Requests", wait_s=float(error.retry_after_s))
    if isinstance(error, QdrantException):  # a Retry-After that is a date
        return Trouble(429, "HTTP 429 Too Many Requests")
    if isinstance(error, UnexpectedResponse):
        return _answered(error.status_code or 0, error.reason_phrase, error.content)
    if isinstance(error, ResponseHandlingException) and not isinstance(error.source, ValueError):
        return _unanswered(error.source)
    if isinstance(error, (ResponseHandlingException, JSONDecodeError, UnicodeDecodeError, AssertionError)):
        return Trouble(200, "an answer that is not Qdrant's", again=False)
    code = getattr(error, "code", None)  # grpc.RpcError
    return _spoken(code().name, str(getattr(error, "details", str)())) if callable(code) else None


def _answered(status: int, phrase: str, content: bytes) -> Trouble:
    words = f"HTTP {status} {phrase}".strip()
    again = status >= 500 or status in _OVERLOADED
    said = " ".join(content[:200].decode(errors="replace").split())
    return Trouble(status, words if again or not said else f"{words}, {said}", again=again)


def _unanswered(source: Exception) -> Trouble:
    kind, text = type(source).__name__, str(source).rstrip(".")
    if kind.endswith("Timeout"):
        return Trouble(0, f"no answer in time ({kind})")
    return Trouble(0, f"{kind}: {text}", again="CERTIFICATE_VERIFY_FAILED" not in text)


def _spoken(code: str, details: str) -> Trouble:
    status = _GRPC.get(code, 503)
    return Trouble(status, f"gRPC {code}: {details[:200]}", again=status >= 500 or status in _OVERLOADED)
