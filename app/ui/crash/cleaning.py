"""Takes passwords, keys and the name of the home folder out of a text of any size and kind."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

REMOVED = "[left out]"
MAX_CHARACTERS = 60_000
MAX_CLEANED = 4 * MAX_CHARACTERS
"""So much is searched. What is cut here is cut again, shorter, where the text is used: so a key
whose name was cut away is never at the edge of what remains."""
SHORTEST_SECRET = 8
_NAMES = (
    r"(?:token|secret|passwo?r?d|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|credential)"
)
_is_secret_name = re.compile(rf"(?i){_NAMES}").search
_COLOURS = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Every repetition has a limit, so that no text takes long.
_SECRETS = (
    re.compile(r"()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----)){0,9000}"),
    re.compile(r"(?<=://)\S{0,400}(?=@)()"),
    re.compile(r"(?i)(cookie\\*[\"']?\s{0,8}[=:]).{1,2000}"),
    re.compile(
        r"(?i)(authorization\\*[\"']?\s{0,8}(?:[=:,]|%3[ad])\s{0,8})"
        r"b?\W{0,4}(?:digest\s.{1,2000}|(?:[a-z]{1,20}\s{1,4})?\S{1,2000})"
    ),
    re.compile(
        rf"(?i)({_NAMES}[\w.-]{{0,40}}\\*[\"']?\s{{0,8}}(?:=>|[=:]|%3[ad]|(?<=[\"']),)\s{{0,8}})"
        r"(?:b?\\*\"(?:[^\"\\\n]|\\.){0,2000}\"?|b?\\*'(?:[^'\\\n]|\\.){0,2000}'?|\S{1,2000})"
    ),
    re.compile(r"(?i)\b((?:bearer|basic)\s{1,8})[^\s\"']{1,5000}"),
    re.compile(
        r"()\b(?:hf_|sk-|gh[pousr]_|github_pat_|glpat-|AIza|AKIA|xox[a-z]-|ya29\.|eyJ)[\w.-]{8,2000}"
    ),
    re.compile(r"(?i)([?&](?:key|sig|signature|access|auth)=)[^&\s\"']{1,2000}"),
)


def cleaned(text: str) -> str:
    """The text, cut where it is very long, without secrets and the name of the home folder."""
    text = _CONTROLS.sub(" ", _COLOURS.sub("", truncated(text, MAX_CLEANED)))
    for secret in _secrets_of_environment():
        text = text.replace(secret, REMOVED)
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<1>{REMOVED}", text)
    with suppress(RuntimeError):  # there is no home folder
        text = _spellings(str(Path.home())).sub("~", text)
    return text.encode(errors="backslashreplace").decode()  # no lone surrogates, as in file names


def truncated(text: str, most: int = MAX_CHARACTERS) -> str:
    """Shorten a long text, keeping more of its end, where a traceback says most."""
    if len(text) <= most:
        return text
    head = most // 4
    return f"{text[:head]}\n[...]\n{text[-(most - head) :]}"


def _secrets_of_environment() -> list[str]:
    values = (
        os.environ[name] for name in os.environ if _is_secret_name(name) and "PWD" not in name
    )
    return sorted((each for each in values if len(each) >= SHORTEST_SECRET), key=len, reverse=True)


@lru_cache(maxsize=4)
def _spellings(home: str) -> re.Pattern[str]:
    """The home folder as plain text, in literals of Python and JSON, as bytes and in URLs."""
    found = set()
    for folder in (home, os.path.realpath(home)):
        for form in ("NFC", "NFD"):
            plain = unicodedata.normalize(form, folder)
            found |= {plain, plain.replace("\\", "/")}
    for _ in range(2):  # a literal may be quoted in another one
        found |= {written for each in found for written in _literals(each)}
    long_first = sorted((each for each in found if len(each) > 1), key=len, reverse=True)
    return re.compile("(?i)" + ("|".join(map(re.escape, long_first)) or r"(?!)"))


def _literals(text: str) -> set[str]:
    raw = text.encode("utf-8", "surrogateescape")
    inside = {repr(text)[1:-1], ascii(text)[1:-1], json.dumps(text)[1:-1], repr(raw)[2:-1]}
    return {*inside, quote(raw), quote(raw, safe="")}
