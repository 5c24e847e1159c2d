"""Tables that a module keeps in a TOML file beside it."""

import tomllib
from pathlib import Path
from typing import Any


def toml_beside(module: str, name: str = "") -> dict[str, Any]:
    """The tables of the file of this name beside a module, else of the module's own name."""
    path = Path(module).with_name(name) if name else Path(module).with_suffix(".toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
