"""A language model that judges, behind an OpenAI-compatible endpoint (POST …/chat/completions).

Questions go one after the other, at temperature 0. Answers that hold a verdict are remembered, by prompt version,
model and question, whatever the endpoint; others are asked again the next time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from backends.addresses import is_here, is_plain
from backends.completions import content_of, read_body, refusal, unanswered
from backends.stores.retries import Patience, Refused, Trouble, Unreachable
from vara.artifacts.canonical import digest
from vara.artifacts.items import ItemCache
from vara.datasets.findings import printable
from vara.errors import Problem
from vara.judgments.prompts import VERSION, question_digest, read_verdict

if TYPE_CHECKING:
    import httpx

KEY = "VARA_JUDGE_KEY"
_MOST_TOKENS = 64
_MOST_SAID = 250
"""Characters of an endpoint's refusal that are shown."""
Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Endpoint:
    """The way to a model.

    Attributes:
        url: http or https address that ends before /chat/completions, without credentials.
        model: as the endpoint calls it.
        key: sent as bearer token, "" for none; neither in the representation nor in any message.
        patience: how long the endpoint is waited for.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    patience: Patience = field(default_factory=Patience)

    @property
    def where(self) -> str:
        """Return host and port, the endpoint's name in messages."""
        return urlsplit(self.url).netloc

    @property
    def warning(self) -> str:
        """Return in words that key and texts can be read on their way, or ""."""
        parts = urlsplit(self.url)
        if parts.scheme == "https" or is_here(parts.hostname or ""):
            return ""
        what = "the texts and the key travel" if self.key else "the texts travel"
        return f"{what} to {self.where} unencrypted; use https where the network is not your own"


def endpoint_of(url: str, model: str, environment: Mapping[str, str]) -> Endpoint:
    """Return an endpoint, with the key of the environment.

    Raises:
        Problem: address or key are unfit; the message shows neither.
    """
    if not is_plain(url):
        remedy = f"Correct it; a key belongs into {KEY}."
        raise Problem("endpoint", "no plain address", expected="one like https://host/v1", remedy=remedy)
    key = environment.get(KEY, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise Problem(KEY, "characters that no header can hold", remedy="Copy the key again.")
    return Endpoint(url.rstrip("/"), model, key)


class Judge:
    """Asks questions until they are answered, refused, or have failed too often; to be used in a `with` statement.

    Attributes:
        asked: requests that were answered.
        remembered: questions whose verdict was known.

    Args:
        endpoint: whom to ask.
        cache: what was answered before.
        random: draws the waiting times (evenly between nothing and the longest).
    """

    def __init__(self, endpoint: Endpoint, cache: ItemCache, *, random: Random | None = None) -> None:
        self.asked = self.remembered = 0
        self._endpoint, self._cache = endpoint, cache
        self._random = random or Random()  # noqa: S311 - spreads load, guards nothing
        self._space = digest([VERSION, endpoint.model])
        self._client, self._runner = _client(endpoint), asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()

    def verdict(self, messages: Messages) -> int | None:
        """Return the grade that the model answers; None where its answer is none.

        Raises:
            Refused: the endpoint will not answer.
            Unreachable: no attempt succeeded.
        """
        item = question_digest(messages)
        known = self._cache.get(self._space, [item])
        if item in known:
            self.remembered += 1
            return int(known[item])
        grade = read_verdict(self._answer(messages))
        self.asked += 1
        if grade is not None:
            self._cache.put(self._space, {item: str(grade).encode()})
        return grade

    def _answer(self, messages: Messages) -> str:
        body = {
            "model": self._endpoint.model,
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": _MOST_TOKENS,
        }
        attempt = 1
        while True:
            found = self._attempt(body)
            if isinstance(found, str):
                return found
            if not found.again or attempt >= self._endpoint.patience.attempts:
                raise self._problem(found, attempt)
            time.sleep(self._delay(attempt, found.wait_s))
            attempt += 1

    def _attempt(self, body: Mapping[str, Any]) -> str | Trouble:
        import httpx

        try:
            return self._runner.run(self._fetched(body))
        except TimeoutError:
            return Trouble(0, f"no whole answer within {self._endpoint.patience.answer_s} s")
        except httpx.RequestError as error:
            return unanswered(error)

    async def _fetched(self, body: Mapping[str, Any]) -> str | Trouble:
        """Fetch one answer; a limit on the whole of it, headers included, needs a task that can be cancelled."""
        url = f"{self._endpoint.url}/chat/completions"
        async with (
            asyncio.timeout(self._endpoint.patience.answer_s),
            self._client.stream("POST", url, json=body) as response,
        ):
            content = await read_body(response)
        return content_of(response, content) if response.status_code == 200 else refusal(response, content)

    def _delay(self, attempt: int, asked_s: float) -> float:
        patience = self._endpoint.patience
        longest = min(patience.longest_s, patience.first_s * 2 ** (attempt - 1))
        return min(asked_s, patience.longest_s) + self._random.uniform(0, longest)

    def _problem(self, trouble: Trouble, attempts: int) -> Problem:
        key, where = self._endpoint.key, self._endpoint.where
        words = printable(trouble.words.replace(key, "…") if key else trouble.words, _MOST_SAID)
        if trouble.status in (401, 403):
            return Refused(
                "endpoint", f"it refuses the key (HTTP {trouble.status})", where=where, remedy=f"Set {KEY}."
            )
        if not trouble.again:
            remedy = "Check address and model: it has to speak chat completions as OpenAI's API does."
            return Refused("endpoint", f"it refuses to judge: {words}", where=where, remedy=remedy)
        found = f"{attempts} attempts failed, the last with {words}"
        remedy = "Run the command again: verdicts that came are remembered."
        return Unreachable("endpoint", found, where=where, remedy=remedy)


def _client(endpoint: Endpoint) -> httpx.AsyncClient:
    """Return a client that follows no redirect: texts and key go to the address that was typed.

    It asks for unpacked answers, so that what is read is as long as what was sent.
    """
    import httpx

    headers = {"Accept-Encoding": "identity"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    return httpx.AsyncClient(headers=headers, timeout=endpoint.patience.answer_s, follow_redirects=False)
