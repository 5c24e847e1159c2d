"""A picture of the plot as a file: PNG, SVG or PDF, by the ending of its name."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMarginsF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPageSize, QPaintDevice, QPainter, QPdfWriter

from agent.errors import WorkbenchError
from app.ui.plot.plot_view import PlotView

ENDINGS = (".png", ".svg", ".pdf")
SHARPER = 2
"""Pixels of a PNG for each of the screen."""
TITLE_PX = 26


class SnapshotError(WorkbenchError):
    """The picture could not be written."""


def save_snapshot(plot: PlotView, title: str, path: Path) -> None:
    ending = path.suffix.casefold()
    if ending not in ENDINGS:
        raise SnapshotError(f"{path.name}: a picture is .png, .svg or .pdf")
    size = QSize(plot.width(), plot.height() + TITLE_PX)
    if ending == ".png":
        _save_png(plot, title, size, path)
    elif ending == ".svg":
        _save_svg(plot, title, size, path)
    else:
        _save_pdf(plot, title, size, path)


def _save_png(plot: PlotView, title: str, size: QSize, path: Path) -> None:
    image = QImage(size * SHARPER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SHARPER)
    _draw(plot, title, size, image, path)
    if not image.save(str(path)):
        raise _not_written(path)


def _save_svg(plot: PlotView, title: str, size: QSize, path: Path) -> None:
    from PySide6.QtSvg import QSvgGenerator  # of no use to anything else in the window

    writer = QSvgGenerator()
    writer.setFileName(str(path))
    writer.setSize(size)
    writer.setViewBox(QRect(0, 0, size.width(), size.height()))
    writer.setTitle(title)
    _draw(plot, title, size, writer, path)


def _save_pdf(plot: PlotView, title: str, size: QSize, path: Path) -> None:
    writer = QPdfWriter(str(path))
    writer.setTitle(title)
    writer.setPageSize(QPageSize(QSizeF(size), QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF())
    writer.setResolution(72)
    _draw(plot, title, size, writer, path)


def _draw(plot: PlotView, title: str, size: QSize, device: QPaintDevice, path: Path) -> None:
    painter = QPainter()
    if not painter.begin(device):
        raise _not_written(path)
    theme = plot.frame.theme
    painter.setFont(plot.font())
    painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(theme.plot))
    painter.setPen(QColor(theme.text))
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(12.0, 0.0, size.width() - 24.0, TITLE_PX), flags, title)
    whole = QRectF(0.0, 0.0, plot.width(), plot.height())
    plot.scene().render(painter, whole.translated(0.0, TITLE_PX), whole)
    painter.end()


def _not_written(path: Path) -> SnapshotError:
    return SnapshotError(f"{path}: cannot be written; choose another folder")
