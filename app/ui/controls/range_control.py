"""The part of the spectrum on screen: two boxes and a slider."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.candidate.view_options import Range
from app.ui.keys.keymap import Keymap
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, name, row, with_key
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.range_slider import RangeSlider

DEFAULT: Range = (3700.0, 9100.0)
"""Where there is no spectrum."""
NARROWEST_A = 5.0
SHORTEST_A, LONGEST_A = 100.0, 100_000.0


class RangeControl(QWidget):
    def __init__(
        self, context: SessionContext, keymap: Keymap, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._view, self._current, self._keymap = context.view, context.current, keymap
        self.low, self.high = self._box(self.tr("From, Å")), self._box(self.tr("To, Å"))
        self.whole = button("")
        self.slider = RangeSlider(context.current_theme)
        self.slider.setAccessibleName(self.tr("Wavelength range"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.slider)
        parts = (self.low, name("–", "dim"), self.high, name("Å", "dim"), self.whole)
        layout.addLayout(row(*parts, spacing=6))
        self.slider.wanted.connect(self._slid)
        self.low.entered.connect(self._typed)
        self.high.entered.connect(self._typed)
        self.whole.clicked.connect(self._whole)
        context.view.window_changed.connect(self._show)
        context.current.spectrum_changed.connect(self._show)
        keymap.changed.connect(self._show_keys)
        self._show_keys()
        self._show()

    @property
    def bounds(self) -> Range:
        spectrum = self._current.spectrum
        return DEFAULT if spectrum is None else spectrum.range

    @property
    def shown(self) -> Range:
        return self._view.window or self.bounds

    @property
    def text(self) -> str:
        low, high = self.shown
        return f"{low:.0f}–{high:.0f} Å"

    def _box(self, title: str) -> NumberBox:
        return NumberBox(title, low=SHORTEST_A, high=LONGEST_A, decimals=1, parent=self)

    def _slid(self, low: float, high: float) -> None:
        first, last = self.bounds
        if low <= first + 1.0 and high >= last - 1.0:
            self._view.look_at(None)
        else:
            self._look(low, high)

    def _typed(self, *_: object) -> None:
        low, high = self.low.value, self.high.value
        if low is not None and high is not None:
            self._look(min(low, high), max(low, high))

    def _look(self, low: float, high: float) -> None:
        if high - low < NARROWEST_A:
            middle = 0.5 * (low + high)
            low, high = middle - 0.5 * NARROWEST_A, middle + 0.5 * NARROWEST_A
        self._view.look_at((low, high))

    def _whole(self) -> None:
        self._view.look_at(None)

    def _show(self, *_: object) -> None:
        first, last = self.bounds
        low, high = self.shown
        self.low.show_value(low)
        self.high.show_value(high)
        self.whole.setEnabled(self._view.window is not None)
        self.slider.show_values((first, last), (low, high))

    def _show_keys(self) -> None:
        self.whole.setText(with_key(self.tr("Whole"), self._keymap.label("whole")))
