"""The plot's actions, run by key, button or menu."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QCoreApplication,
    QIODevice,
    QMarginsF,
    QObject,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
)
from PySide6.QtWidgets import QFileDialog

from agent.atomic_file import write_file
from agent.errors import WorkbenchError
from app.core.spectra.flux_quantity import AS_IN_FILE
from app.ui.judge.plot.axes.flux_range import zoomed
from app.ui.judge.plot.line_fit.fit_tool import copied_fit
from app.ui.judge.plot.plot_view import PlotView
from app.ui.judge.plot.readout import measurements_text
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.session.candidate.view_options import (
    AXIS_SWITCHES,
    RV_FINE_KMS,
    RV_STEP_KMS,
    USUAL_AXES,
)
from app.ui.session.session_context import SessionContext
from app.ui.widgets.file_dialogs import last_folder, note_chosen

ZOOM = 1.5
TABLE_SUFFIXES = (".csv", ".fits", ".vot")
TOGGLED = "lines", "labels", "errors", "mask", "rest_axis", "flux_zero", "flux_log"
PAN = 0.2  # fraction of the window
SUFFIXES = (".png", ".svg", ".pdf")
PNG_SCALE = 2
TITLE_PX, BESIDE_PX, AROUND_PX = 26, 12, 10
"""Height of the title's row, and the room beside the text and above and below more rows of it."""
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class PlotActions(QObject):
    def __init__(self, panel: SpectrumPanel, context: SessionContext) -> None:
        super().__init__(panel)
        self._panel = panel
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._copied = context.runner.latest(self)
        view, velocity = context.view, context.velocity
        self._velocity = velocity
        actions: dict[str, Callable[[], object]] = {
            "whole": panel.show_whole,
            "reset": self.reset,
            "autoscale": panel.autoscale,
            "zoom_in": partial(self.zoom, 1.0 / ZOOM),
            "zoom_out": partial(self.zoom, ZOOM),
            "pan_left": partial(self.pan, -PAN),
            "pan_right": partial(self.pan, PAN),
            **{name: partial(view.toggle, name) for name in TOGGLED},
            **{name: partial(view.switch, name) for name in AXIS_SWITCHES},
            "velocity_axis": self.flip_velocity,
            "smooth_more": partial(view.change_smoothing, 1),
            "smooth_less": partial(view.change_smoothing, -1),
            "smooth_off": partial(view.change, smoothing=0),
            "rv_up": partial(velocity.shift, RV_STEP_KMS),
            "rv_down": partial(velocity.shift, -RV_STEP_KMS),
            "rv_up_fine": partial(velocity.shift, RV_FINE_KMS),
            "rv_down_fine": partial(velocity.shift, -RV_FINE_KMS),
            "snapshot": self.snapshot,
            "save_spectrum": self.save_spectrum,
            "copy_range": self.copy_range,
        }
        for name, action in actions.items():
            context.commands.add(name, action)
        context.commands.add("peek", partial(panel.peek, True), partial(panel.peek, False))

    def reset(self) -> None:
        """Show the whole spectrum without smoothing or template, on the usual axes.

        A velocity that is kept with the object stays.
        """
        if self._velocity.kept is None:
            self._view.change(z=0.0)
        self._view.change(smoothing=0, template="", template_scale=1.0, **USUAL_AXES)
        self._panel.show_whole()

    def zoom(self, factor: float) -> None:
        """Zoom about the mouse if it is on the plot, else about the centre."""
        self._panel.go_to(zoomed(self._panel.window_now, factor, self._panel.under_mouse))

    def pan(self, share: float) -> None:
        lo, hi = self._panel.window_now
        step = share * (hi - lo)
        self._panel.go_to((lo + step, hi + step))

    def flip_velocity(self) -> None:
        """Show velocities about the line under the mouse or in the middle, or wavelengths again."""
        if self._view.options.velocity_line is not None:
            self._view.change(velocity_line=None)
            return
        low, high = self._panel.window_now
        line = self._panel.plot.marks.line_near(self._panel.under_mouse or 0.5 * (low + high))
        if line is None:
            self._current.message.emit(self.tr("There is no marked line on screen"))
        else:
            self._view.change(velocity_line=line)

    def snapshot(self) -> None:
        path = self._ask(self.tr("Save a picture of the plot"), SUFFIXES)
        if path is not None:
            with self._current.reporting():
                save_snapshot(self._panel.plot, self._panel.caption, path)
                self._say_saved(path)

    def save_spectrum(self) -> None:
        """Write the spectrum as it is on screen: smoothing, window and rest wavelengths."""
        from app.core.exporting.spectrum_file import write_spectrum  # with all formats of tables

        spectrum = self._panel.spectrum
        path = self._ask(self.tr("Save the spectrum on screen"), TABLE_SUFFIXES)
        if spectrum is None or path is None:
            return
        smoothing_px, z = self._view.options.smoothing_px or None, self._view.options.z or None
        window, shown_as = self._view.window, self._shown_as()
        write = partial(write_spectrum, spectrum, path, smoothing_px=smoothing_px, window=window)
        done, failed = partial(self._say_saved, path), self._current.report_error
        self._runner.run(partial(write, z=z, shown_as=shown_as), done, failed, owner=self)

    def _shown_as(self) -> dict[str, str]:
        """Header cards about axes on which the numbers are not those of the columns."""
        drawn, frame, cards = self._panel.plot.trace, self._panel.frame, {}
        if drawn is not None and drawn.quantity != AS_IN_FILE:
            cards["SHOWN_FL"] = drawn.quantity
        if not frame.is_usual:
            cards["SHOWN_WL"] = frame.ascii_description
        return cards

    def _ask(self, title: str, suffixes: Sequence[str]) -> Path | None:
        """A new file with one of these suffixes, named after the object; says if there is none."""
        spectrum = self._panel.spectrum
        if spectrum is None:
            self._current.message.emit(self.tr("There is no spectrum to save"))
            return None
        name = "".join(c if c.isalnum() or c in "-+." else "_" for c in spectrum.object_id)
        types = ";;".join(f"{suffix[1:].upper()} (*{suffix})" for suffix in suffixes)
        start = Path(last_folder(), f"{name or 'spectrum'}{suffixes[0]}")
        name, chosen = QFileDialog.getSaveFileName(self._panel, title, str(start), types)
        note_chosen(name)
        if not name:
            return None
        path = Path(name)
        if path.suffix.casefold() in suffixes:
            return path
        suffix = next((each for each in suffixes if f"*{each}" in chosen), suffixes[0])
        return path.with_name(path.name + suffix)

    def _say_saved(self, path: Path, _: object = None) -> None:
        self._current.message.emit(self.tr("Saved: {name}").replace("{name}", str(path)))

    def copy_range(self) -> None:
        if (spectrum := self._panel.spectrum) is not None:
            window, frame = self._panel.window_now, self._panel.frame
            fits = tuple(map(copied_fit, self._panel.plot.measured.fits))
            measure = partial(measurements_text, spectrum, window, frame, fits)
            self._copied.ask(measure, self._copy, self._current.report_error)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._current.message.emit(self.tr("Range and measurements copied to the clipboard"))


# Saves a picture of the plot as PNG, SVG or PDF, by the suffix of the file name.
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
        write_file(path, bytes(buffer.data().data()))
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
