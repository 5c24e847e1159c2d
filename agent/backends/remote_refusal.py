"""What a server says when it says no: read from any form, kept short, sorted by what helps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.backends.remote_events import read_json
from agent.backends.remote_keys import Key, without_keys
from agent.backends.remote_retry import read_retry_after

MAX_BODY = 64 * 1024
MAX_WORDS = 300

PASSING = frozenset({408, 409, 425, 429})
NEVER_PASSING = frozenset({501, 505})
SPENT = ("insufficient_quota", "billing_hard_limit_reached")
FULL_CODES = ("context_length_exceeded", "exceed_context_size_error")
_FULL = re.compile(
    r"context (?:length|window|size)|maximum context|exceeds? (?:n_ctx|the context)"
    r"|prompt is too long|too many tokens|input is too long",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,500}>")


@dataclass(frozen=True)
class Refusal:
    """A status that is no success, with the server's own words, printable and short."""

    status: int
    words: str = ""
    code: str = ""
    param: str = ""
    retry_after_s: float | None = None

    @property
    def is_context_full(self) -> bool:
        if self.code in FULL_CODES:
            return True
        return self.status in (400, 413, 422, 500) and bool(_FULL.search(self.words))

    @property
    def is_passing(self) -> bool:
        """May be gone in a while."""
        if self.code in SPENT or self.is_context_full:
            return False
        passing = self.status >= 500 and self.status not in NEVER_PASSING
        return passing or self.status in PASSING

    @property
    def is_about_form(self) -> bool:
        """The server may accept the request in a simpler form. 500 is what some answer to one
        they cannot read."""
        return self.status in (400, 403, 415, 422, 500, 501)

    def names(self, keys: Iterable[str]) -> list[str]:
        """Those of the request's keys that the refusal speaks of, the longest first."""
        if self.param:
            at = self.param.split(".")[0]
            return [key for key in keys if key == at]
        found = [key for key in keys if re.search(rf"\b{re.escape(key)}\b", self.words)]
        return sorted(found, key=len, reverse=True)

    def __str__(self) -> str:
        reason = {401: "it asks for a key it knows", 403: "it does not allow this"}
        said = f" ({self.words})" if self.words else ""
        return f"{reason.get(self.status, f'it answered {self.status}')}{said}"


def read_refusal(
    status: int, headers: Mapping[str, str], body: bytes, key: Key | None = None
) -> Refusal:
    """From whatever came with the status."""
    error = _error_object(body)
    return Refusal(
        status=status,
        words=tidy_words(without_keys(_words(error, body), key)),
        code=_text(error.get("code")) or _text(error.get("type")),
        param=_text(error.get("param"))[:100],
        retry_after_s=read_retry_after(headers.get("retry-after")),
    )


def refusal_in_stream(event: Mapping[str, Any], key: Key | None = None) -> Refusal | None:
    """An error that came where a piece of the reply was due."""
    error = event.get("error")
    if error is None and "choices" not in event and "message" in event and "code" in event:
        error = event  # llama.cpp's `error:` lines hold the bare object
    if error is None:
        return None
    fields = error if isinstance(error, dict) else {"message": _said(error)}
    code = fields.get("code")
    return Refusal(
        status=code if isinstance(code, int) and 400 <= code < 600 else 500,
        words=tidy_words(without_keys(_text(fields.get("message")), key)),
        code=_text(code) or _text(fields.get("type")),
    )


def tidy_words(text: str, longest: int = MAX_WORDS) -> str:
    """One printable line."""
    text = _TAG.sub(" ", text[:MAX_BODY])
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _error_object(body: bytes) -> dict[str, Any]:
    try:
        whole = read_json(body)
    except ValueError:
        return {}
    error = whole.get("error")
    return error if isinstance(error, dict) else whole


def _words(error: Mapping[str, Any], body: bytes) -> str:
    for name in ("message", "detail", "error"):
        value = error.get(name)
        if value:
            return _said(value)
    return body.decode("utf-8", "replace")


def _said(value: object) -> str:
    """Words, or whatever a server gave in their place."""
    try:
        return value if isinstance(value, str) else repr(value)[:MAX_BODY]
    except RecursionError:
        return ""


def _text(value: object) -> str:
    return value[:MAX_BODY] if isinstance(value, str) else ""
