"""Which address of a hub is used for downloads: encrypted, or on this machine."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from agent.errors import WorkbenchError

HUB = "https://huggingface.co"
# Set to 1 to accept a hub without encryption
ALLOW_HTTP = "SPEC_O3_ALLOW_HTTP_HUB"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class DownloadError(WorkbenchError):
    """A model could not be downloaded."""


class HubUnreachable(DownloadError):
    """The hub cannot be reached, or the connection keeps breaking."""


def refuse_if_offline() -> None:
    """Raise HubUnreachable if the user's environment forbids the network, as for other programs."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise HubUnreachable("HF_HUB_OFFLINE forbids network access")


def checked_endpoint(endpoint: str | None) -> str:
    """Return the hub's address, by default HF_ENDPOINT; raises DownloadError if it is unsafe."""
    url = (endpoint or os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise DownloadError("HF_ENDPOINT is not an address such as https://huggingface.co")
    if not is_safe(url) and os.environ.get(ALLOW_HTTP) != "1":
        raise DownloadError(
            f"{parts.scheme}://{parts.hostname} is not encrypted, so anybody on the way could "
            f"replace the model: use https:// in HF_ENDPOINT, or set {ALLOW_HTTP}=1 if you trust "
            "the network"
        )
    return url


def endpoint_warning() -> str:
    """What to tell the user about HF_ENDPOINT before a download; empty for nothing."""
    url = checked_endpoint(None)
    if is_safe(url):
        return ""
    return f"{urlsplit(url).hostname} is not encrypted: the model may be replaced on the way"


def is_private(host: str) -> bool:
    """Whether a host is this machine or in its network, judging by its address."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost"


def is_safe(endpoint: str) -> bool:
    """Whether nobody on the way can read or replace anything; only then a token is sent."""
    parts = urlsplit(endpoint)
    return parts.scheme == "https" or parts.hostname in LOOPBACK
