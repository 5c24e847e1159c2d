"""The notes in the header of the plot: how the spectrum is drawn, and what is near a click."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.spectra.spectrum import Window
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.plot.trace import Trace

translate = QCoreApplication.translate


def drawn_as(drawn: Trace | None, template: str, *, fits: bool) -> list[str]:
    """Smoothing and template; `fits` says whether the template overlaps the spectrum."""
    notes = []
    if drawn is not None and drawn.is_smoothed:
        width = translate("notes", "Smoothed {px} px = {kms} km/s (FWHM)")
        width = width.replace("{px}", f"{drawn.smoothing_px:g}")
        notes.append(width.replace("{kms}", f"{drawn.smoothing_kms:.0f}"))
    if template:
        text = translate("notes", "Template: {name}").replace("{name}", template)
        has_place = fits or drawn is None
        notes.append(text if has_place else text + translate("notes", " (no overlap)"))
    return notes


def no_data_note(window: Window, frame: WavelengthFrame) -> str:
    text = translate("notes", "No data at {range}: showing the whole spectrum")
    return text.replace("{range}", frame.range_text(window))


def near_note(place: str, lines: str) -> str:
    """What is near a place that was clicked; `lines` is empty where no line is known."""
    text = translate("notes", "At {place}: {lines}").replace("{place}", place)
    return text.replace("{lines}", lines or translate("notes", "no known line"))
