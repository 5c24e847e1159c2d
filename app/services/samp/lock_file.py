"""The file in which a SAMP hub says where it listens; it is believed only within this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.services.samp.library import SampError

PROFILE = "std-lockurl:"
MAX_BYTES = 64 * 1024


@dataclass(frozen=True)
class HubAddress:
    url: str
    secret: str


def lock_path() -> Path:
    """Where the lock file of the hub is, or would be. Raises SampError."""
    told = os.environ.get("SAMP_HUB", "")
    if not told:
        return Path.home() / ".samp"
    url = urlsplit(told.removeprefix(PROFILE))
    if not told.startswith(PROFILE) or url.scheme != "file" or url.netloc not in ("", "localhost"):
        raise SampError("SAMP_HUB names no file of this machine: only such a hub is used")
    return Path(unquote(url.path))


def read_lock_file() -> HubAddress | None:
    """The hub that the lock file names; None without one. Raises SampError."""
    path = lock_path()
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise SampError(f"{path.name}: the file of the SAMP hub cannot be read") from error
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    values = {key.strip(): value.strip() for key, _, value in pairs}
    url = values.get("samp.hub.xmlrpc.url", "").replace("\\", "")
    secret = values.get("samp.secret", "")
    if not url or not secret:
        return None
    if not is_here(url):
        raise SampError(f"the SAMP hub of {path} is not on this machine: it is not used")
    return HubAddress(url, secret)


def is_here(url: str) -> bool:
    """Whether an http URL leads to this machine itself, without a look at the network."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme != "http" or not (1 <= (parts.port or 80) <= 65535):
            return False
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
