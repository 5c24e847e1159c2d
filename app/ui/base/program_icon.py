"""The program's icon: a spectrum with an emission line under a lens."""

from importlib import resources
from pathlib import Path

# Bundlers include the SVG plugin, which icons and style sheets need, only if this is imported.
import PySide6.QtSvg  # noqa: F401
from PySide6.QtGui import QIcon


def program_icon() -> QIcon:
    return QIcon(str(Path(str(resources.files("resources"))) / "icons" / "spec-o3.svg"))
