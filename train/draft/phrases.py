"""Sentence templates in two styles, which phrases.toml holds."""

from collections.abc import Mapping
from typing import Literal

from train.toml_beside import toml_beside

Words = Literal["short", "long"]

PHRASES: Mapping[str, Mapping[str, list[str]]] = toml_beside(__file__)
SHORT = PHRASES["short"]
