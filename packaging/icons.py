"""The icon, drawn from its SVG in the sizes and forms that systems want."""

from __future__ import annotations

import os
from pathlib import Path

import contents

SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)


def draw_all(out: Path) -> None:
    """`out/icons/SIZE.png`, and one file of many for Windows and macOS."""
    from PIL import Image

    folder = out / "icons"
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {size: folder / f"{size}.png" for size in SIZES}
    _draw(pictures)
    largest = Image.open(pictures[512])
    others = [Image.open(pictures[size]) for size in SIZES]
    ico, icns = (out / f"{contents.FOLDER}.{suffix}" for suffix in ("ico", "icns"))
    sizes = [(size, size) for size in ICO_SIZES]
    largest.save(ico, sizes=sizes, append_images=others)
    largest.save(icns, append_images=others)


def _draw(pictures: dict[int, Path]) -> None:
    """Each from the drawing itself: a small one made of a large one is blurred."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QRectF, Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    drawing = QSvgRenderer(str(contents.ICON))
    for size, path in pictures.items():
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        drawing.render(painter, QRectF(0, 0, size, size))
        painter.end()
        image.save(str(path))
    del application
