"""Where a server is, and what may be sent there: checked before anything is."""

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

KeyLookup = Callable[[str], str | None]
"""From a host to its key."""

_KEY_LIKE = re.compile(r"\b(?:sk|key|token)-[\w*.\-]{6,}", re.IGNORECASE)


class Key:
    """A key that does not print. Ask for `header` where it is sent."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        secret = secret.strip()
        if not secret or len(secret) > MAX_KEY or not (secret.isascii() and secret.isprintable()):
            raise EngineError("the key is not usable: it is empty or holds strange characters")
        self._secret = secret

    def __repr__(self) -> str:
        return "Key(***)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not stored")

    @property
    def header(self) -> str:
        return f"Bearer {self._secret}"

    def redact(self, text: str) -> str:
        """The text without the key, should a server have repeated it."""
        return text.replace(self._secret, "***")


def find_key(host: str) -> str | None:
    """From SPEC_O3_API_KEY, for OpenAI also OPENAI_API_KEY, else the keyring's entry for the
    host under `spec-o3-workbench`."""
    return key_in_environment(host, os.environ) or key_in_keyring(host)


def key_in_environment(host: str, environment: Mapping[str, str]) -> str | None:
    names = [OUR_VARIABLE, OPENAI_VARIABLE] if host == OPENAI_HOST else [OUR_VARIABLE]
    return next((key for name in names if (key := environment.get(name, "").strip())), None)


def key_in_keyring(host: str) -> str | None:
    """None also where there is no keyring or it stays locked."""
    try:
        import keyring

        return keyring.get_password(KEYRING_SERVICE, host)
    except Exception:  # each system's keyring fails with errors of its own
        return None


def redact_keys(text: str, key: Key | None) -> str:
    """A server's words without our key and without what looks like one."""
    return _KEY_LIKE.sub("***", text if key is None else key.redact(text))


MAX_URL = 2000
LOCAL_ENDINGS = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
CHAT = "/chat/completions"
FORM = "give http(s)://HOST[:PORT]/v1"


@dataclass(frozen=True)
class Address:
    """The root of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def netloc(self) -> str:
        """Host and port, the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}[self.scheme]
        return host if self.port == usual else f"{host}:{self.port}"

    @property
    def root(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"

    @property
    def is_secure(self) -> bool:
        return self.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        """On this machine."""
        ip = _ip(self.host)
        return self.host == "localhost" if ip is None else ip.is_loopback

    @property
    def is_private(self) -> bool:
        """On this machine or this network, as far as its name tells."""
        ip = _ip(self.host)
        if ip is not None:
            return ip.is_private or ip.is_loopback or ip.is_link_local
        return "." not in self.host or self.host.endswith(LOCAL_ENDINGS)

    @property
    def may_receive_key(self) -> bool:
        return self.is_secure or self.is_loopback

    def has_same_origin(self, other: Address) -> bool:
        """The same server on the same road."""
        mine, others = (self.scheme, self.host, self.port), (other.scheme, other.host, other.port)
        return mine == others


def read_address(text: str, *, allow_http: bool = False) -> Address:
    """The server's root from what a person typed; `/v1` is added to a bare host."""
    url = _parsed(text)
    if url.scheme not in ("http", "https") or not url.host:
        raise EngineError(f"{_shown(url)} is not a server's address: {FORM}")
    if url.userinfo:
        raise EngineError("an address may not hold a password: put the key in SPEC_O3_API_KEY")
    if url.query or url.fragment:
        raise EngineError(f"{_shown(url)}: leave out what follows the ? or # in the address")
    path = url.path.rstrip("/").removesuffix(CHAT).rstrip("/") or "/v1"
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    address = Address(url.scheme, url.host.lower(), port, path)
    if not (address.is_secure or address.is_private or allow_http):
        raise EngineError(
            f"{address.root} would get your spectra unencrypted: use https://, "
            "or an ssh tunnel and http://localhost"
        )
    return address


def _parsed(text: str) -> httpx.URL:
    try:
        if len(text) > MAX_URL:
            raise EngineError(f"an address of {len(text)} characters is too long")
        url = httpx.URL(text.strip())
        if url.port is not None and not 1 <= url.port <= 65535:
            raise EngineError(f"{url.port} is no server's port")
    except (httpx.InvalidURL, ValueError) as error:
        raise EngineError(
            "that is not a server's address: give http(s)://HOST[:PORT]/v1"
        ) from error
    return url


def _shown(url: httpx.URL) -> str:
    """Without what may be a secret."""
    return f"{url.scheme}://{url.host}{url.path}"[:200]


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
