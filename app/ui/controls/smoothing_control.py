"""Sets the smoothing, and shows its width in pixels and in km/s."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QWidget

from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum, Window
from app.ui.candidate.view_options import SMOOTHINGS_PX
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, row, short_label


class SmoothingControl(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._keymap = context.view, context.current, context.keymap
        self.value = short_label("", "number")
        self.less, self.more, self.off = button("−", "key"), button("+", "key"), button("")
        row(self.less, self.more, self.value, 1, self.off, spacing=4, parent=self)
        self.less.clicked.connect(partial(self._view.change_smoothing, -1))
        self.more.clicked.connect(partial(self._view.change_smoothing, 1))
        self.off.clicked.connect(partial(self._view.change, smoothing=0))
        context.view.changed.connect(self._show)
        context.view.window_changed.connect(self._show)
        context.current.spectrum_changed.connect(self._show)
        context.keymap.changed.connect(self._show_keys)
        self._show_keys()
        self._show()

    @property
    def text(self) -> str:
        """The width, such as `3 px · 207 km/s`."""
        width = self._view.options.smoothing_px
        if not width:
            return self.tr("none")
        spectrum = self._current.spectrum
        pixels = self.tr("{width} px").replace("{width}", f"{width:g}")
        if spectrum is None:
            return pixels
        speed = width * pixel_kms(spectrum, self._view.window)
        return f"{pixels} · " + self.tr("{speed} km/s").replace("{speed}", f"{speed:.0f}")

    def _show(self, *_: object) -> None:
        step = self._view.options.smoothing
        self.value.setText(self.text)
        self.less.setEnabled(step > 0)
        self.off.setEnabled(step > 0)
        self.more.setEnabled(step < len(SMOOTHINGS_PX) - 1)

    def _show_keys(self) -> None:
        less, more = self._keymap.label("smooth_less"), self._keymap.label("smooth_more")
        self.less.setText(f"−  {less}".strip())
        self.more.setText(f"+  {more}".strip())
        label, off = self.tr("Off"), self._keymap.label("smooth_off")
        self.off.setText(f"{label}  {off}".strip())
        self.less.setAccessibleName(self.tr("Smooth less"))
        self.more.setAccessibleName(self.tr("Smooth more"))
        self.off.setAccessibleName(self.tr("No smoothing"))


def pixel_kms(spectrum: Spectrum, window: Window | None = None) -> float:
    """Pixel width in km/s at the centre of the window or of the spectrum."""
    low, high = window or spectrum.range
    pixel = int(np.searchsorted(spectrum.wavelength, 0.5 * (low + high)))
    pixel = min(max(pixel, 1), len(spectrum) - 1)
    first, second = spectrum.wavelength[pixel - 1], spectrum.wavelength[pixel]
    return float(LIGHT_KMS * (second - first) / first)
