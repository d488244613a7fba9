"""Is there a Prefect server? Asked without importing Prefect, answered within 0.3 seconds."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from contextlib import closing
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.parse import urlsplit

from flows.terminal import log

LOCAL = "http://127.0.0.1:4200/api"
"""Where `make server` listens; asked when PREFECT_API_URL is not set."""


def reachable(environment: Mapping[str, str], timeout_s: float = 0.3) -> str | None:
    """Return the URL of the Prefect API if it answers its health check, else None, and say so in one line.

    Args:
        environment: PREFECT_API_URL names another server; set to nothing, it asks for none.
        timeout_s: seconds to wait for connection and answer.
    """
    url = environment.get("PREFECT_API_URL", LOCAL)
    if not url:
        return None
    if _healthy(url, environment.get("PREFECT_API_KEY"), timeout_s):
        return url
    log.info("vara: no Prefect server at %s, running without one.", url)
    return None


def _healthy(url: str, key: str | None, timeout_s: float) -> bool:
    # A socket's timeout bounds each of its steps, and none bounds the lookup of a name: the clock is kept here.
    answers: SimpleQueue[bool] = SimpleQueue()
    Thread(target=lambda: answers.put(_ask(url, key, timeout_s)), daemon=True).start()
    try:
        return answers.get(timeout=timeout_s)
    except Empty:
        return False


def _ask(url: str, key: str | None, timeout_s: float) -> bool:
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return False
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        with closing(kind(parts.hostname, parts.port, timeout=timeout_s)) as connection:
            connection.request("GET", f"{parts.path.rstrip('/')}/health", headers=headers)
            answer = connection.getresponse()
            return answer.status == http.client.OK and answer.read(16).strip() == b"true"
    except (OSError, http.client.HTTPException, ValueError):
        return False
