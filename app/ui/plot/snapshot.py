"""Saves a picture of the plot as PNG, SVG or PDF, by the suffix of the file name."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QCoreApplication,
    QIODevice,
    QMarginsF,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QImage,
    QImageWriter,
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
)

from agent.errors import WorkbenchError
from app.ui.plot.plot_view import PlotView

SUFFIXES = (".png", ".svg", ".pdf")
PNG_SCALE = 2
TITLE_PX, BESIDE_PX, AROUND_PX = 26, 12, 10
"""Height of the title's row, and the room beside the text and above and below more rows of it."""
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class SnapshotError(WorkbenchError):
    """The picture could not be written."""


def save_snapshot(plot: PlotView, title: str, path: Path) -> None:
    """Draw in memory first, so that a failure leaves an existing file as it was."""
    suffix = path.suffix.casefold()
    if suffix not in SUFFIXES:
        reason = QCoreApplication.translate("snapshot", "choose a name in .png, .svg or .pdf")
        raise SnapshotError(f"{path.name}: {reason}")
    size = QSize(plot.width(), plot.height() + title_px(plot, title))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    {".png": _png, ".svg": _svg, ".pdf": _pdf}[suffix](plot, title, size, buffer)
    try:
        path.write_bytes(buffer.data().data())
    except OSError as error:
        reason = QCoreApplication.translate("snapshot", "cannot be written: choose another folder")
        raise SnapshotError(f"{path}: {reason}") from error


def title_px(plot: PlotView, title: str) -> int:
    """The height that the title needs, which may go on in further rows."""
    room = QRect(0, 0, plot.width() - 2 * BESIDE_PX, plot.height())
    needed: int = plot.fontMetrics().boundingRect(room, WRAPPED, title).height()
    return max(TITLE_PX, needed + AROUND_PX)


def _png(plot: PlotView, title: str, size: QSize, out: QBuffer) -> None:
    image = QImage(size * PNG_SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PNG_SCALE)
    _draw(plot, title, size, image)
    QImageWriter(out, QByteArray(b"png")).write(image)


def _svg(plot: PlotView, title: str, size: QSize, out: QBuffer) -> None:
    from PySide6.QtSvg import QSvgGenerator  # only needed here

    writer = QSvgGenerator()
    writer.setOutputDevice(out)
    writer.setSize(size)
    writer.setViewBox(QRect(0, 0, size.width(), size.height()))
    writer.setTitle(title)
    _draw(plot, title, size, writer)


def _pdf(plot: PlotView, title: str, size: QSize, out: QBuffer) -> None:
    writer = QPdfWriter(out)
    writer.setTitle(title)
    writer.setPageSize(QPageSize(QSizeF(size), QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF())
    writer.setResolution(72)
    _draw(plot, title, size, writer)


def _draw(plot: PlotView, title: str, size: QSize, device: QPaintDevice) -> None:
    painter = QPainter(device)
    theme = plot.theme
    painter.setFont(plot.font())
    painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(theme.plot))
    painter.setPen(QColor(theme.text))
    height = size.height() - plot.height()
    painter.drawText(QRectF(BESIDE_PX, 0.0, size.width() - 2 * BESIDE_PX, height), WRAPPED, title)
    whole = QRectF(0.0, 0.0, plot.width(), plot.height())
    plot.scene().render(painter, whole.translated(0.0, height), whole)
    painter.end()
