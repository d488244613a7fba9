"""Addresses of services that a person names: what may be asked, and whether it is this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_plain(url: str) -> bool:
    """Return whether an address is http or https with a host, without credentials, query or fragment."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        return False
    extras = parts.username or parts.password or parts.query or parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not extras


def is_here(host: str) -> bool:
    """Return whether a host is the loopback of this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
