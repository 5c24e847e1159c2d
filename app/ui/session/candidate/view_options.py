"""View options and the visible window; all but `z` stay the same from candidate to candidate."""

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Signal

from agent.spectra.lines import Line
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum, Window
from app.core.session.velocity import Z_LIMIT
from app.core.spectra.flux_quantity import (
    AS_IN_FILE,
    NORMALISED,
    PER_FREQUENCY,
    PER_WAVELENGTH,
    can_show,
)
from app.core.spectra.wavelength_frame import WavelengthFrame

SMOOTHINGS_PX = (0.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 35.0, 60.0)
"""FWHM of the Gaussian in pixels; 0: none."""
RV_STEP_KMS = 20.0
RV_FINE_KMS = 2.0
RV_LIMIT_KMS = 3000.0

translate = QCoreApplication.translate
SYMBOLS = {PER_WAVELENGTH: "f_λ", PER_FREQUENCY: "f_ν"}


@dataclass(frozen=True, kw_only=True)
class ViewOptions:
    """Options of the plot.

    `line_sets` None means those of the task. `z` shifts lines, templates and the rest axis; for
    stars the window shows it as a velocity. It is that of the object: see ObjectVelocity.
    """

    lines: bool = True
    labels: bool = True
    errors: bool = True
    mask: bool = True
    template: str = ""  # Name of the drawn template; empty: none.
    template_scale: float = 1.0  # factor on the automatic scale of the template
    rest_axis: bool = False
    smoothing: int = 0  # index in SMOOTHINGS_PX
    z: float = 0.0
    line_sets: frozenset[str] | None = None
    keep_window: bool = True  # whether a zoomed window stays for the next candidate
    keep_velocity: bool = False  # whether `z` stays for one that has no velocity of its own
    flux: str = AS_IN_FILE  # quantity of the flux axis, one of flux_quantity.QUANTITIES
    flux_zero: bool = False  # whether the flux axis includes zero
    flux_log: bool = False
    wavelength_unit: str = "Å"
    medium: str = "vacuum"  # of the wavelength axis, one of wavelength_frame.MEDIA
    velocity_line: Line | None = None
    """The line about which velocities are shown in place of wavelengths."""

    @property
    def smoothing_px(self) -> float:
        return SMOOTHINGS_PX[self.smoothing]

    @property
    def velocity_kms(self) -> float:
        """c z, the optical convention that star catalogues use."""
        return LIGHT_KMS * self.z

    def frame(self, spectrum: Spectrum | None) -> WavelengthFrame:
        in_file = "vacuum" if spectrum is None else spectrum.medium_in_file
        return WavelengthFrame(
            unit=self.wavelength_unit,
            is_air=(in_file if self.medium == "file" else self.medium) == "air",
            is_rest=self.rest_axis,
            z=self.z,
            line=self.velocity_line,
        )


_AXES = ("flux", "flux_zero", "flux_log", "rest_axis", "wavelength_unit", "medium", "velocity_line")
USUAL_AXES: dict[str, Any] = {name: getattr(ViewOptions(), name) for name in _AXES}
"""The options of both axes as they are at first."""
AXIS_SWITCHES: dict[str, tuple[str, str]] = {
    "flux_normalised": ("flux", NORMALISED),
    "flux_f_nu": ("flux", PER_FREQUENCY),
    "axis_nm": ("wavelength_unit", "nm"),
    "axis_air": ("medium", "air"),
}
"""Actions that give an option a value, or take it back; with the option and the value."""


class View(QObject):
    """Options and the visible window (observed frame, vacuum angstrom; None: whole spectrum)."""

    changed = Signal(frozenset)  # names of the changed options
    window_changed = Signal(object)  # a Window, or None

    def __init__(self, options: ViewOptions | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.options = options or ViewOptions()
        self.window: Window | None = None
        self.window_name = ""
        """Name of the visible diagnostic window or of the agent's look; empty: neither."""

    def change(self, **changes: Any) -> None:
        if "smoothing" in changes:
            changes["smoothing"] = min(max(int(changes["smoothing"]), 0), len(SMOOTHINGS_PX) - 1)
        if "z" in changes:
            changes["z"] = min(max(float(changes["z"]), -RV_LIMIT_KMS / LIGHT_KMS), Z_LIMIT)
        options = replace(self.options, **changes)
        names = frozenset(
            name for name in changes if getattr(options, name) != getattr(self.options, name)
        )
        if names:
            self.options = options
            self.changed.emit(names)

    def toggle(self, name: str) -> None:
        self.change(**{name: not getattr(self.options, name)})

    def switch(self, name: str) -> None:
        """Give an option of the axes the value of one of AXIS_SWITCHES, or the usual one."""
        option, value = AXIS_SWITCHES[name]
        is_on = getattr(self.options, option) == value
        self.change(**{option: USUAL_AXES[option] if is_on else value})

    def set_window(self, window: Window | None, name: str = "") -> None:
        """Show this part of the spectrum, in observed angstrom."""
        if window is not None and not 0.0 < window[0] < window[1]:
            return
        if (window, name) != (self.window, self.window_name):
            self.window, self.window_name = window, name
            self.window_changed.emit(window)

    def change_smoothing(self, steps: int) -> None:
        self.change(smoothing=self.options.smoothing + steps)

    def observed(self, rest: Window) -> Window:
        """Convert a rest-frame window to the observed frame."""
        return rest[0] * (1.0 + self.options.z), rest[1] * (1.0 + self.options.z)


# Short words for what the axes show, where that is not as usual.
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
            refused = translate("axis_words", "no {quantity} from this unit")
            name = refused.replace("{quantity}", name)
        words.append(name)
    if options.flux_log:
        words.append(translate("axis_words", "log"))
    elif options.flux_zero:
        words.append(translate("axis_words", "from 0"))
    return words
