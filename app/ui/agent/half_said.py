"""What is shown of a turn while the agent still says it: its words, not its tags."""

from __future__ import annotations

import re

MAX_SHOWN = 4_000

_TAG = re.compile(r"</?(?:think|tool_call|answer|tool_response)>")
_HALF_TAG = re.compile(r"</?[a-z_]{0,13}$")
_CALL = "<tool_call>"


def half_said(raw: str) -> tuple[str, bool]:
    """The words so far, their end where they are many, and whether it is asking for a picture."""
    words, found, _ = raw.partition(_CALL)
    shown = _TAG.sub(" ", _HALF_TAG.sub("", words)).strip()
    if len(shown) > MAX_SHOWN:
        shown = "… " + shown[-MAX_SHOWN:]
    return shown, bool(found)
