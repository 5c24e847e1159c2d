"""What a button does, with its keys."""

from __future__ import annotations

from app.ui.keymap import Keymap


def hint(words: str, keymap: Keymap, name: str) -> str:
    every = ", ".join(keymap.labels(name))
    return f"{words} ({every})" if every else words
