"""Titles of the axes, and the badges that say which of them are not as usual."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from agent.spectra.spectrum import Spectrum
from app.core.spectra.flux_quantity import NORMALISED
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.marks import ROWS, TOP_PX
from app.ui.judge.plot.readout import flux_title
from app.ui.judge.plot.trace import Trace
from app.ui.session.candidate.view_options import (
    RV_LIMIT_KMS,
    SYMBOLS,
    ViewOptions,
    flux_words,
    wavelength_words,
)

translate = QCoreApplication.translate
PAD_PX, APART_PX, EDGE_PX, RADIUS_PX = 6.0, 5.0, 8.0, 4.0


def wavelength_title(frame: WavelengthFrame) -> str:
    if frame.line is not None:
        text = translate("titles", "Velocity about {line} (km/s)")
        if frame.is_rest:
            text = translate("titles", "Velocity about {line} at rest (km/s)")
        return text.replace("{line}", frame.line.label)
    text = {
        (True, True): translate("titles", "Rest wavelength ({unit}, air)"),
        (True, False): translate("titles", "Rest wavelength ({unit}, vacuum)"),
        (False, True): translate("titles", "Wavelength ({unit}, air)"),
        (False, False): translate("titles", "Wavelength ({unit}, vacuum)"),
    }[frame.is_rest, frame.is_air]
    return text.replace("{unit}", frame.unit)


def flux_axis_title(drawn: Trace | None, unit: str) -> str:
    """`unit` is that of the file, for a plot without a spectrum."""
    if drawn is not None and drawn.quantity == NORMALISED:
        return translate("titles", "Normalised flux")
    relative, absolute = translate("titles", "Relative flux"), translate("titles", "Flux")
    if drawn is None:
        return flux_title(relative, absolute, unit, 0)
    name = SYMBOLS.get(drawn.quantity, absolute)
    return flux_title(relative, name, drawn.flux_unit, drawn.exponent)


def badges(options: ViewOptions, frame: WavelengthFrame, spectrum: Spectrum | None) -> list[str]:
    """What the axes show that is not as usual, and the velocity by which lines are shifted."""
    velocity = f"RV {options.velocity_kms:+.0f} km/s".replace("-", "\N{MINUS SIGN}")
    if abs(options.velocity_kms) > RV_LIMIT_KMS:
        velocity = f"z = {options.z:.4f}"
    words = wavelength_words(frame), flux_words(options, spectrum)
    return [*([velocity] if options.z else []), *(" · ".join(each) for each in words if each)]


class BadgeLayer(Layer):
    """They stand below the names of the lines, at the right."""

    depth = 24

    def __init__(self, *shared: object) -> None:
        super().__init__(*shared)  # type: ignore[arg-type]
        self.shown: tuple[str, ...] = ()
        self.hide()

    def show_texts(self, badges: Sequence[str]) -> None:
        self.shown = tuple(badges)
        self.setVisible(bool(badges))
        self.update()

    def draw(self, painter: QPainter) -> None:
        height = self.texts.height + 6.0  # letters of a fallback font stand lower
        right, top = self.box.rect().width() - EDGE_PX, TOP_PX + (ROWS + 0.5) * self.texts.height
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for text in reversed(self.shown):
            width = self.texts.width(text) + 2.0 * PAD_PX
            badge = QRectF(right - width, top, width, height)
            painter.setPen(QPen(QColor(self.theme.accent), 1.2))
            painter.setBrush(QColor(self.theme.plot))
            painter.drawRoundedRect(badge, RADIUS_PX, RADIUS_PX)
            painter.setPen(QColor(self.theme.text))
            self.texts.draw(painter, badge.left() + PAD_PX, top + 2.0, text)
            right = badge.left() - APART_PX
