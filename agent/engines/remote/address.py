"""Server addresses and API keys, and the rules for what may be sent where."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from agent.errors import EngineError

OUR_VARIABLE = "SPEC_O3_API_KEY"
OPENAI_VARIABLE = "OPENAI_API_KEY"
OPENAI_HOST = "api.openai.com"
KEYRING_SERVICE = "spec-o3-workbench"
MAX_KEY = 4096
# Shorter ones, such as EMPTY for a local server, are no secrets
SHORTEST_SECRET = 8
HIDDEN = "***"

KeyLookup = Callable[[str], str | None]  # returns the key for a host

_KEY_LIKE = re.compile(r"\b(?:sk|key|token)-[\w*.\-]{6,}", re.IGNORECASE)


class Key:
    """An API key that is hidden when printed; `header` holds its value."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        secret = secret.strip()
        if not secret or len(secret) > MAX_KEY or not (secret.isascii() and secret.isprintable()):
            raise EngineError("the API key is empty, too long or has characters outside ASCII")
        self._secret = secret

    def __repr__(self) -> str:
        return "Key(***)"

    def __reduce__(self) -> str:
        raise TypeError("a key may not be pickled or copied")

    @property
    def is_secret(self) -> bool:
        return len(self._secret) >= SHORTEST_SECRET

    @property
    def header(self) -> str:
        return f"Bearer {self._secret}"

    def redact(self, text: str) -> str:
        """Remove the key from a text, in case a server repeats it."""
        return re.sub(re.escape(self._secret), HIDDEN, text, flags=re.IGNORECASE)

    def starts_in(self, end: str) -> int:
        """Return how many characters at the end of a text may be the start of the key."""
        longest = min(len(end), len(self._secret) - 1)
        lengths = range(longest, 0, -1)
        return next((n for n in lengths if self._secret.startswith(end[-n:])), 0)


class KeyFilter:
    """Removes a key from a model's text, which arrives in pieces."""

    def __init__(self, key: Key | None) -> None:
        self._key = key if key is not None and key.is_secret else None
        self._held = ""

    def add(self, piece: str) -> str:
        """Return the text that is known not to be part of the key."""
        if self._key is None:
            return piece
        text = self._key.redact(self._held + piece)
        held = self._key.starts_in(text)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def end(self) -> str:
        """Return what was held back, as no more text follows."""
        held, self._held = self._held, ""
        return held

    def whole(self, text: str) -> str:
        return text if self._key is None else self._key.redact(text)


def find_key(host: str) -> str | None:
    """Look up the key for a host.

    It comes from SPEC_O3_API_KEY, for OpenAI also OPENAI_API_KEY, else from the keyring entry
    `spec-o3-workbench` for the host.
    """
    return key_in_environment(host, os.environ) or key_in_keyring(host)


def key_in_environment(host: str, environment: Mapping[str, str]) -> str | None:
    names = [OUR_VARIABLE, OPENAI_VARIABLE] if host == OPENAI_HOST else [OUR_VARIABLE]
    return next((key for name in names if (key := environment.get(name, "").strip())), None)


def key_in_keyring(host: str) -> str | None:
    """Return the key in the keyring; None also if there is no keyring or it is locked."""
    try:
        import keyring

        return keyring.get_password(KEYRING_SERVICE, host)
    except Exception:  # every keyring back-end raises its own errors
        return None


def redact_keys(text: str, key: Key | None) -> str:
    """Remove our key, and anything that looks like a key, from a server's message."""
    return _KEY_LIKE.sub("***", text if key is None else key.redact(text))


MAX_URL = 2000
LOCAL_ENDINGS = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
CHAT = "/chat/completions"
DEFAULT_PORTS = {"http": 80, "https": 443}
EXPECTED = "use http(s)://HOST[:PORT]/v1"


@dataclass(frozen=True)
class Address:
    """The root of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def netloc(self) -> str:
        """Host and port, without the default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def root(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"

    @property
    def is_secure(self) -> bool:
        return self.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        ip = _ip(self.host)
        return self.host == "localhost" if ip is None else ip.is_loopback

    @property
    def is_private(self) -> bool:
        """Whether the server is on this machine or local network, judging by its name."""
        ip = _ip(self.host)
        if ip is not None:
            return ip.is_private or ip.is_loopback or ip.is_link_local
        return "." not in self.host or self.host.endswith(LOCAL_ENDINGS)

    @property
    def may_receive_key(self) -> bool:
        return self.is_secure or self.is_loopback

    def has_same_origin(self, other: Address) -> bool:
        """Whether scheme, host and port are equal."""
        return (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)


def read_address(text: str, *, allow_http: bool = False) -> Address:
    """Parse an address typed by a user; `/v1` is added to a bare host."""
    try:
        if len(text) > MAX_URL:
            raise EngineError(f"the address is too long ({len(text)} characters)")
        url = httpx.URL(text.strip())
        if url.port is not None and not 1 <= url.port <= 65535:
            raise EngineError(f"{url.port} is not a valid port")
    except (httpx.InvalidURL, ValueError) as error:
        raise EngineError(f"that is not a server address; {EXPECTED}") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise EngineError(f"{_shown(url)} is not a server address; {EXPECTED}")
    if url.userinfo:
        raise EngineError("an address may not contain a password; put the key in SPEC_O3_API_KEY")
    if url.query or url.fragment:
        raise EngineError(f"{_shown(url)}: remove the part after ? or # from the address")
    path = url.path.rstrip("/").removesuffix(CHAT).rstrip("/") or "/v1"
    port = url.port or DEFAULT_PORTS[url.scheme]
    address = Address(url.scheme, url.host.lower(), port, path)
    if not (address.is_secure or address.is_private or allow_http):
        raise EngineError(
            f"your spectra would be sent to {address.root} unencrypted: use https://, "
            "or an ssh tunnel and http://localhost"
        )
    return address


def _shown(url: httpx.URL) -> str:
    """Format a URL for an error, without the parts that may be secret."""
    return f"{url.scheme}://{url.host}{url.path}"[:200]


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
