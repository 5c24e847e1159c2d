"""Measuring lines by hand: a Ctrl drag, or a key at each of two points of the continuum."""

from dataclasses import asdict
from functools import partial

from PySide6.QtCore import QObject, Signal

from agent.spectra.measure.fitted_profile import measure_between
from agent.spectra.spectrum import Window
from app.core.session.measurements import (
    HandMeasurement,
    RecordedMeasurement,
    measurements_of,
    record_measurement,
    withdraw_measurement,
)
from app.core.session.records import Change
from app.ui.judge.plot.measured_layer import width_text
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.session.session_context import SessionContext


class MeasureTool(QObject):
    """Keeps each measurement with the candidate, and shows those of the current one."""

    changed = Signal()  # of the measurements kept of this candidate

    def __init__(self, panel: SpectrumPanel, context: SessionContext) -> None:
        super().__init__(panel)
        self._panel, self._layer = panel, panel.plot.measured
        self._current = context.current
        self._answer = context.runner.latest(self, soon=True)
        self._session = context.bridge.session
        self._first: float | None = None  # the point chosen by key that waits for the second
        self.kept: tuple[RecordedMeasurement, ...] = ()
        panel.plot.stage.measure_changed.connect(self._show_drag)
        panel.plot.stage.measure_drawn.connect(self.measure)
        context.current.candidate_changed.connect(self._start)
        context.current.spectrum_changed.connect(self._draw)
        context.bridge.changed.connect(self._follow)
        context.commands.add("measure", self.choose_point)
        context.commands.add("withdraw_measurement", self.withdraw_last)
        context.commands.ran.connect(self._command_ran)
        self._start()

    def choose_point(self) -> None:
        """Take the point under the mouse; the second one measures."""
        at = self._panel.under_mouse
        if at is None:
            self._current.message.emit(self.tr("Put the mouse on the continuum beside the line"))
        elif self._first is None:
            self._first = at
            self._show_drag((at, at))
            self._current.message.emit(self.tr("Now the continuum on the other side of the line"))
        else:
            first, self._first = self._first, None
            self._show_drag(None)
            self.measure(first, at)

    def measure(self, low: float, high: float) -> None:
        spectrum, candidate = self._panel.spectrum, self._current.candidate
        if spectrum is None or candidate is None:
            return
        with self._current.reporting():
            found = measure_between(spectrum, low, high)
            at = 0.5 * (low + high) if found.centroid is None else found.centroid
            line = self._panel.lines.name_near(at, self._panel.frame.z)
            measurement = HandMeasurement(line=line, **asdict(found))
            record_measurement(self._session, candidate.id, measurement)
            self._current.message.emit(self._told(measurement))

    def withdraw_last(self) -> None:
        own = [each for each in self.kept if each.reviewer == self._session.reviewer]
        if not own:
            self._current.message.emit(self.tr("You measured nothing here"))
            return
        with self._current.reporting():
            withdraw_measurement(self._session, own[-1].id)
            text = self.tr("Removed: {what}")
            self._current.message.emit(text.replace("{what}", width_text(own[-1].measurement)))

    def _told(self, measurement: HandMeasurement) -> str:
        parts = [width_text(measurement)]
        if measurement.fwhm_kms is not None:
            parts.append(f"FWHM {measurement.fwhm_kms:.0f} km/s")
        if measurement.centroid is not None:
            parts.append(self._panel.frame.of_wavelengths.text(measurement.centroid, 2))
        if measurement.snr is not None:
            parts.append(f"S/N {measurement.snr:.1f}")
        return self.tr("Measured: {what}").replace("{what}", " · ".join(parts))

    def _start(self, _: object = None) -> None:
        """Show what was measured of another candidate, once it is read."""
        self._first, self.kept = None, ()
        self._answer.forget()
        self._show_drag(None)
        self._read()

    def _read(self) -> None:
        if (candidate := self._current.candidate) is not None:
            work = partial(measurements_of, self._session, candidate.id)
            self._answer.ask(work, self._show, self._current.report_error)

    def _show(self, kept: list[RecordedMeasurement]) -> None:
        self.kept = tuple(kept)
        self._draw()
        self.changed.emit()

    def _draw(self, _: object = None) -> None:
        self._layer.shown = [each.measurement for each in self.kept]
        self._panel.plot.viewport().update()

    def _show_drag(self, window: Window | None) -> None:
        self._layer.dragged = window
        self._panel.plot.viewport().update()

    def _follow(self, change: Change) -> None:
        if change.aspect == "measurement":
            self._read()

    def _command_ran(self, name: str) -> None:
        if name == "escape" and self._first is not None:
            self._first = None
            self._show_drag(None)
