"""The program's icon: a spectrum with an emission line under a lens."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

# Without it no SVG would be read, neither here nor in style sheets, once the program is bundled.
import PySide6.QtSvg  # noqa: F401
from PySide6.QtGui import QIcon


def program_icon() -> QIcon:
    return QIcon(str(Path(str(resources.files("resources"))) / "icons" / "spec-o3.svg"))
