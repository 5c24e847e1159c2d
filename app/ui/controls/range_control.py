"""Sets the wavelength window on screen, with two boxes and a slider."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from agent.spectra.spectrum import Window
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.candidate.view_options import USUAL_AXES
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, column, row, short_label, with_key
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.range_slider import RangeSlider

DEFAULT_BOUNDS: Window = (3700.0, 9100.0)
"""Bounds while there is no spectrum."""
MIN_WIDTH_A = 5.0
MIN_A, MAX_A = 100.0, 100_000.0
LARGEST = 1e9
"""No number typed is larger, in whatever unit."""


class RangeControl(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._keymap = context.view, context.current, context.keymap
        self.low, self.high = self._box(self.tr("From")), self._box(self.tr("To"))
        self.unit = short_label("", "dim")
        self.whole = button("")
        self.slider = RangeSlider(context.current_theme)
        self.slider.setAccessibleName(self.tr("Wavelength range"))
        layout = column(self.slider, spacing=4, parent=self)
        parts = (self.low, short_label("–", "dim"), self.high, self.unit, self.whole)
        layout.addLayout(row(*parts, spacing=6))
        self.slider.values_requested.connect(self._slide)
        self.low.entered.connect(self._apply_boxes)
        self.high.entered.connect(self._apply_boxes)
        self.whole.clicked.connect(partial(self._view.set_window, None))
        context.view.window_changed.connect(self._show)
        context.view.changed.connect(self._follow_axes)
        context.current.spectrum_changed.connect(self._show)
        context.keymap.changed.connect(self._show_keys)
        self._show_keys()
        self._show()

    @property
    def bounds(self) -> Window:
        spectrum = self._current.spectrum
        return DEFAULT_BOUNDS if spectrum is None else spectrum.range

    @property
    def shown(self) -> Window:
        return self._view.window or self.bounds

    @property
    def text(self) -> str:
        return self.frame.range_text(self.shown)

    @property
    def frame(self) -> WavelengthFrame:
        return self._view.options.frame(self._current.spectrum)

    def _box(self, title: str) -> NumberBox:
        return NumberBox(title, low=-LARGEST, high=LARGEST, decimals=1, parent=self)

    def _slide(self, low: float, high: float) -> None:
        first, last = self.bounds
        if low <= first + 1.0 and high >= last - 1.0:
            self._view.set_window(None)
        else:
            self._set_window(low, high)

    def _apply_boxes(self, *_: object) -> None:
        typed = self.low.value, self.high.value
        if typed[0] is not None and typed[1] is not None:
            observed = (self.frame.observed(each) for each in typed if each is not None)
            low, high = sorted(min(max(each, MIN_A), MAX_A) for each in observed)
            self._set_window(low, high)

    def _set_window(self, low: float, high: float) -> None:
        if high - low < MIN_WIDTH_A:
            middle = 0.5 * (low + high)
            low, high = middle - 0.5 * MIN_WIDTH_A, middle + 0.5 * MIN_WIDTH_A
        self._view.set_window((low, high))

    def _follow_axes(self, names: frozenset[str]) -> None:
        if names & {"z", *USUAL_AXES}:
            self._show()

    def _show(self, *_: object) -> None:
        low, high = self.shown
        frame = self.frame
        self.low.show_value(frame.shown(low))
        self.high.show_value(frame.shown(high))
        self.unit.setText(frame.unit_shown)
        for box, name in ((self.low, self.tr("From")), (self.high, self.tr("To"))):
            box.setAccessibleName(f"{name}, {frame.unit_shown}")
        self.whole.setEnabled(self._view.window is not None)
        self.slider.show_values(self.bounds, (low, high))

    def _show_keys(self) -> None:
        self.whole.setText(with_key(self.tr("Whole"), self._keymap.label("whole")))
