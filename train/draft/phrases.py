"""Sentence templates in two styles, which phrases.toml holds."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Words = Literal["short", "long"]

PHRASES: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
SHORT = PHRASES["short"]
