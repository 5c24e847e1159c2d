"""One column of a catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "whole", "real", "flag"]


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column. `kind` is used if the values allow it; None: detected from the values."""

    name: str
    kind: Kind | None = None
    unit: str = ""
    ucd: str = ""
    description: str = ""
    given_name: str = ""
    """The name in the list, if it differs."""
