"""Keys for servers: found in the environment or the system's keyring, shown to nobody."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

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

    def hidden_in(self, text: str) -> str:
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


def without_keys(text: str, key: Key | None) -> str:
    """A server's words without our key and without what looks like one."""
    return _KEY_LIKE.sub("***", text if key is None else key.hidden_in(text))
