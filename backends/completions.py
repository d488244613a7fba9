"""Answers of an endpoint of chat completions, which may be anything of any length: what they say, or what is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from backends.stores.retries import Trouble

if TYPE_CHECKING:
    import httpx

_AGAIN = frozenset({408, 425, 429})
_MOST_READ = 1 << 20
"""Bytes of an answer that are read."""


async def read_body(response: httpx.Response) -> bytes:
    """Return the body as it was sent, at most a little more than is read of any."""
    content = bytearray()
    async for part in response.aiter_raw():
        content += part
        if len(content) > _MOST_READ:
            break
    return bytes(content)


def _is_packed(response: httpx.Response) -> bool:
    return str(response.headers.get("Content-Encoding", "identity")).lower() != "identity"


def content_of(response: httpx.Response, sent: bytes) -> str | Trouble:
    """Return what the model said, "" for nothing; a body that is no chat completion is a trouble."""
    if _is_packed(response):
        return Trouble(200, "an answer that is packed, which was not asked for", again=False)
    if len(sent) > _MOST_READ:
        return Trouble(200, f"an answer of more than {_MOST_READ >> 20} MiB", again=False)
    try:
        content = json.loads(sent)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Trouble(200, "an answer that is no chat completion", again=False)
    return content if isinstance(content, str) else ""  # null: the model said nothing


def refusal(response: httpx.Response, sent: bytes) -> Trouble:
    """Return what a status other than 200 means, with what the endpoint says of it."""
    status = response.status_code
    again = status >= 500 or status in _AGAIN
    said = "" if _is_packed(response) else " ".join(sent[: 1 << 16].decode(errors="replace").split())
    words = f"HTTP {status} {response.reason_phrase}".strip()
    asked = response.headers.get("Retry-After", "")
    return Trouble(
        status,
        words if again or not said else f"{words}, {said}",
        again=again,
        wait_s=float(asked) if asked.isdecimal() else 0.0,
    )


def unanswered(error: httpx.RequestError) -> Trouble:
    """Return what it means that no answer came."""
    kind, text = type(error).__name__, str(error).rstrip(".")
    return Trouble(0, f"{kind}: {text}", again="CERTIFICATE_VERIFY_FAILED" not in text)
