"""Short words for what the axes show, where that is not as usual."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.spectra.spectrum import Spectrum
from app.core.spectra.flux_quantity import AS_IN_FILE, PER_FREQUENCY, PER_WAVELENGTH, can_show
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.candidate.view_options import ViewOptions

translate = QCoreApplication.translate
SYMBOLS = {PER_WAVELENGTH: "f_λ", PER_FREQUENCY: "f_ν"}


def wavelength_words(frame: WavelengthFrame) -> list[str]:
    words = [translate("axis_words", "rest")] if frame.is_rest else []
    if frame.line is not None:
        about = translate("axis_words", "km/s about {line}")
        return [*words, about.replace("{line}", frame.line.label)]
    words += [frame.unit] if frame.unit != "Å" else []
    return [*words, translate("axis_words", "air")] if frame.is_air else words


def flux_words(options: ViewOptions, spectrum: Spectrum | None) -> list[str]:
    """A quantity that the file's unit does not allow is named with that reason."""
    words = []
    if options.flux != AS_IN_FILE:
        name = SYMBOLS.get(options.flux) or translate("axis_words", "normalised")
        if spectrum is not None and not can_show(spectrum, options.flux):
            name = translate("axis_words", "no {quantity} from this unit").replace(
                "{quantity}", name
            )
        words.append(name)
    if options.flux_log:
        words.append(translate("axis_words", "log"))
    elif options.flux_zero:
        words.append(translate("axis_words", "from 0"))
    return words
