"""The plot's actions, run by key, button or menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from agent.errors import WorkbenchError
from app.core.spectra.flux_quantity import AS_IN_FILE
from app.ui.candidate.view_options import AXIS_SWITCHES, RV_FINE_KMS, RV_STEP_KMS, USUAL_AXES
from app.ui.plot.axes.ranges import panned, zoomed
from app.ui.plot.line_fit.fit_texts import copied_fit
from app.ui.plot.readout import measurements_text
from app.ui.plot.snapshot import SUFFIXES, save_snapshot
from app.ui.plot.spectrum_panel import SpectrumPanel
from app.ui.session_context import SessionContext

ZOOM = 1.5
TABLE_SUFFIXES = (".csv", ".fits", ".vot")
TOGGLED = "lines", "labels", "errors", "mask", "rest_axis", "flux_zero", "flux_log"
PAN = 0.2
"""Fraction of the window."""


class PlotActions(QObject):
    def __init__(self, panel: SpectrumPanel, context: SessionContext) -> None:
        super().__init__(panel)
        self._panel = panel
        self._view, self._current, self._runner = context.view, context.current, context.runner
        view = context.view
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
            "rv_up": partial(view.shift_velocity, RV_STEP_KMS),
            "rv_down": partial(view.shift_velocity, -RV_STEP_KMS),
            "rv_up_fine": partial(view.shift_velocity, RV_FINE_KMS),
            "rv_down_fine": partial(view.shift_velocity, -RV_FINE_KMS),
            "snapshot": self.snapshot,
            "save_spectrum": self.save_spectrum,
            "copy_range": self.copy_range,
        }
        for name, action in actions.items():
            context.commands.add(name, action)
        context.commands.add("peek", panel.peek, panel.end_peek)

    def reset(self) -> None:
        """Show the whole spectrum without smoothing, redshift or template, on the usual axes."""
        self._view.change(smoothing=0, z=0.0, template="", template_scale=1.0, **USUAL_AXES)
        self._panel.show_whole()

    def zoom(self, factor: float) -> None:
        """Zoom about the mouse if it is on the plot, else about the centre."""
        self._panel.go_to(zoomed(self._panel.window_now, factor, self._panel.under_mouse))

    def pan(self, share: float) -> None:
        self._panel.go_to(panned(self._panel.window_now, share))

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
        spectrum = self._panel.spectrum
        if spectrum is None:
            self._current.message.emit(self.tr("There is no spectrum to save"))
            return
        path = self._ask(self.tr("Save a picture of the plot"), SUFFIXES)
        if path is None:
            return
        try:
            save_snapshot(self._panel.plot, self._panel.caption, path)
        except WorkbenchError as error:
            self._current.report_error(error)
            return
        self._say_saved(path)

    def save_spectrum(self) -> None:
        """Write the spectrum as it is on screen: smoothing, window and rest wavelengths."""
        from app.core.exporting.spectrum_file import write_spectrum  # with all formats of tables

        spectrum = self._panel.spectrum
        if spectrum is None:
            self._current.message.emit(self.tr("There is no spectrum to save"))
            return
        path = self._ask(self.tr("Save the spectrum on screen"), TABLE_SUFFIXES)
        if path is None:
            return
        options = self._view.options
        write = partial(
            write_spectrum,
            spectrum,
            path,
            smoothing_px=options.smoothing_px or None,
            window=self._view.window,
            z=options.z or None,
            shown_as=self._shown_as(),
        )
        done = partial(self._say_saved, path)
        self._runner.run(write, done, self._current.report_error, owner=self)

    def _shown_as(self) -> dict[str, str]:
        """Header cards about axes on which the numbers are not those of the columns."""
        drawn, frame, cards = self._panel.plot.trace, self._panel.frame, {}
        if drawn is not None and drawn.quantity != AS_IN_FILE:
            cards["SHOWN_FL"] = drawn.quantity
        if not frame.is_usual:
            cards["SHOWN_WL"] = frame.ascii_description
        return cards

    def _ask(self, title: str, suffixes: Sequence[str]) -> Path | None:
        """A new file with one of these suffixes, named after the object."""
        spectrum = self._panel.spectrum
        name = "" if spectrum is None else spectrum.object_id
        proposed = "".join(c if c.isalnum() or c in "-+." else "_" for c in name) or "spectrum"
        types = ";;".join(f"{suffix[1:].upper()} (*{suffix})" for suffix in suffixes)
        start = f"{proposed}{suffixes[0]}"
        name, chosen = QFileDialog.getSaveFileName(self._panel, title, start, types)
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
        """Copy the window and what is measured in it to the clipboard."""
        if (spectrum := self._panel.spectrum) is not None:
            window, frame = self._panel.window_now, self._panel.frame
            fits = tuple(map(copied_fit, self._panel.plot.measured.fits))
            measure = partial(measurements_text, spectrum, window, frame, fits)
            self._runner.run(measure, self._copy, self._current.report_error, owner=self)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._current.message.emit(self.tr("Range and measurements copied to the clipboard"))
