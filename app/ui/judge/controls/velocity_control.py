"""Sets the shift of the lines: a radial velocity by slider or box, or a redshift."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from agent.spectra.matching.template_velocity import VelocityFit, fit_velocity
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FASTEST_STAR_Z, Spectrum
from app.core.importing.role_names import normalized_name
from app.core.session.records import Candidate
from app.ui.base.theme.theme import Theme
from app.ui.judge.controls.template_library import TemplateLibrary
from app.ui.session.candidate.view_options import RV_LIMIT_KMS, Z_LIMIT
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import button, column, row, short_label, with_key, wrapped_label
from app.ui.widgets.number_box import NumberBox

TICKS = 1000  # steps of the slider on each side of zero, where they are finest
COLUMNS = ("z", "redshift", "z_best", "zbest", "z_spec", "zspec", "z_helio")
LOWEST, HIGHEST = -0.1, 20.0
Origin = Literal["header", "list"]


class VelocityControl(QWidget):
    def __init__(self, context: SessionContext, library: TemplateLibrary) -> None:
        super().__init__()
        self._view, self._current = context.view, context.current
        self._keymap, self._current_theme = context.keymap, context.current_theme
        fastest = Z_LIMIT * LIGHT_KMS
        speed, redshift = self.tr("Radial velocity, km/s"), self.tr("Redshift")
        self.speed = NumberBox(speed, low=-RV_LIMIT_KMS, high=fastest, decimals=1, parent=self)
        lowest = -RV_LIMIT_KMS / LIGHT_KMS
        self.z = NumberBox(redshift, low=lowest, high=Z_LIMIT, decimals=5, parent=self)
        self.reset = button(self.tr("Reset"))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(-TICKS, TICKS)
        self.slider.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.slider.setAccessibleName(self.tr("Radial velocity"))
        self.fitter = TemplateVelocity(context, library, self)
        self.fit = button("")
        self.listed = button("")
        self.note = wrapped_label("", "dim")
        kms, z = short_label("km/s", "dim"), short_label("z", "dim")
        typed = row(self.speed, kms, self.z, z, self.reset, spacing=6)
        column(self.slider, typed, self.fit, self.listed, self.note, spacing=4, parent=self)
        self.fit.clicked.connect(self.fitter.run)
        self.listed.clicked.connect(self._use_listed)
        self.fitter.changed.connect(self._show)
        context.current.spectrum_changed.connect(self._show)
        self.slider.valueChanged.connect(self._slide)
        self.speed.entered.connect(self._set_speed)
        self.z.entered.connect(self._set_z)
        self.reset.clicked.connect(partial(self._view.change, z=0.0))
        context.view.changed.connect(self._show)
        context.keymap.changed.connect(self._show_keys)
        context.current_theme.changed.connect(self._restyle)
        self._show_keys()
        self._restyle()
        self._show()

    @property
    def text(self) -> str:
        options = self._view.options
        if abs(options.velocity_kms) > RV_LIMIT_KMS:
            return f"z = {options.z:.4f}"
        return self.tr("{speed} km/s").replace("{speed}", f"{options.velocity_kms + 0.0:.0f}")

    def _slide(self, tick: int) -> None:
        self._view.change(z=velocity_at(tick) / LIGHT_KMS)

    def _set_speed(self, speed: float) -> None:
        self._view.change(z=speed / LIGHT_KMS)

    def _set_z(self, z: float) -> None:
        self._view.change(z=z)

    def _use_listed(self) -> None:
        found = listed_redshift(self._current.spectrum, self._current.candidate)
        if found is not None:
            self._view.change(z=found[0])

    def _show(self, *_: object) -> None:
        options = self._view.options
        self.speed.show_value(round(options.velocity_kms, 1))
        self.z.show_value(options.z)
        self.reset.setEnabled(options.z != 0.0)
        with QSignalBlocker(self.slider):
            self.slider.setValue(tick_at(options.velocity_kms))
        self.fit.setEnabled(self._current.spectrum is not None and bool(options.template))
        self.note.setText(self.fitter.note)
        self.note.setVisible(bool(self.fitter.note))
        self._show_listed()

    def _show_listed(self) -> None:
        found = listed_redshift(self._current.spectrum, self._current.candidate)
        self.listed.setVisible(found is not None)
        if found is None:
            return
        z, origin = found
        text = self.tr("Use z of the header, {z}")
        if origin == "list":
            text = self.tr("Use z of the list, {z}")
        text = text.replace("{z}", f"{z:.6f}" if abs(z) < 0.01 else f"{z:.5f}")
        self.listed.setText(text)
        self.listed.setAccessibleName(text)
        self.listed.setToolTip(self.tr("Nothing is shifted by it until you click here"))
        self.listed.setEnabled(abs(self._view.options.z - z) > 1e-9)

    def _show_keys(self) -> None:
        text = self.tr("Coarse steps: {down}, {up}. Fine steps: {fine_down}, {fine_up}.")
        steps = {"down": "rv_down", "up": "rv_up"}
        steps |= {"fine_down": "rv_down_fine", "fine_up": "rv_up_fine"}
        for name, action in steps.items():
            text = text.replace(f"{{{name}}}", self._keymap.label(action) or "–")
        self.slider.setToolTip(text)
        about = with_key(self.tr("Fit to the template"), self._keymap.label("fit_velocity"))
        self.fit.setText(about)
        self.fit.setToolTip(self.tr("Cross-correlate with the template that is shown"))

    def _restyle(self, *_: object) -> None:
        self.slider.setStyleSheet(slider_style(self._current_theme.theme))


def velocity_at(tick: int) -> float:
    """The velocity (km/s, a whole number) at a tick; it grows with the square of the tick."""
    fraction = min(max(tick / TICKS, -1.0), 1.0)
    return float(round(math.copysign(fraction * fraction, fraction) * RV_LIMIT_KMS))


def tick_at(speed: float) -> int:
    return round(math.copysign(math.sqrt(min(abs(speed) / RV_LIMIT_KMS, 1.0)), speed) * TICKS)


def slider_style(theme: Theme) -> str:
    """Style sheet that makes the slider look like `RangeSlider`."""
    return (
        "QSlider { background: transparent; min-height: 20px; }"
        f"QSlider::groove:horizontal {{ background: {theme.border}; height: 4px;"
        " border: none; border-radius: 2px; }"
        f"QSlider::handle:horizontal {{ background: {theme.panel}; width: 12px;"
        f" border: 2px solid {theme.accent}; border-radius: 8px; margin: -6px 0; }}"
        f"QSlider::sub-page:horizontal {{ background: {theme.accent}; border-radius: 2px; }}"
    )


def listed_redshift(
    spectrum: Spectrum | None, candidate: Candidate | None
) -> tuple[float, Origin] | None:
    """The redshift and where it is from, the header first; None if neither gives one."""
    if spectrum is not None and spectrum.z is not None and _is_possible(spectrum.z):
        return spectrum.z, "header"
    own = {} if candidate is None else candidate.own
    by_name = {normalized_name(name): number_in(value) for name, value in own.items()}
    listed = (by_name.get(name) for name in COLUMNS)
    return next(((z, "list") for z in listed if z is not None and _is_possible(z)), None)


def number_in(value: object) -> float | None:
    """The number in a cell of a list or header; None where it holds something else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _is_possible(z: float) -> bool:
    return math.isfinite(z) and LOWEST < z < HIGHEST and z != 0.0


class TemplateVelocity(QObject):
    """Runs the fit of the spectrum on screen; `note` is the sentence about the last one."""

    changed = Signal()

    def __init__(self, context: SessionContext, library: TemplateLibrary, parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._library = library
        self.note = ""
        context.commands.add("fit_velocity", self.run)
        context.current.spectrum_changed.connect(self._forget)

    def run(self) -> None:
        spectrum, name = self._current.spectrum, self._view.options.template
        if spectrum is None:
            self._say(self.tr("There is no spectrum to fit"))
        elif not name:
            self._say(self.tr("Show a template first: the velocity is fitted to it"))
        else:
            z = self._view.options.z
            start = z if abs(z) > FASTEST_STAR_Z else 0.0  # stars are searched around zero
            fit = partial(_fit, self._library, name, spectrum, start)
            done = partial(self._fitted, spectrum, name)
            self._runner.run(fit, done, self._current.report_error, owner=self)

    def _fitted(self, spectrum: Spectrum, name: str, fit: VelocityFit) -> None:
        if spectrum is not self._current.spectrum or name != self._view.options.template:
            return
        if not fit.is_trusted:
            self._say(self._why_not(fit))
            return
        self._view.change(z=fit.velocity_kms / LIGHT_KMS)
        text = self.tr("Fitted to {template}: {speed} ± {error} km/s, height {height}")
        text = text.replace("{speed}", f"{fit.velocity_kms:.0f}".replace("-", "\N{MINUS SIGN}"))
        text = text.replace("{error}", f"{fit.error_kms:.0f}").replace("{template}", name)
        self._say(text.replace("{height}", f"{fit.height:.2f}"))

    def _why_not(self, fit: VelocityFit) -> str:
        noise = self.tr("Not fitted: no velocity stands out of the noise (best {speed} km/s)")
        why = {
            "no_pixels": self.tr("Not fitted: too few good pixels"),
            "no_overlap": self.tr("Not fitted: the template does not cover this spectrum"),
            "edge": self.tr("Not fitted: no velocity within 1500 km/s fits better than others"),
            "unlike": self.tr("Not fitted: the spectrum does not look like this template"),
        }
        return why.get(fit.reason, noise.replace("{speed}", f"{fit.velocity_kms:.0f}"))

    def _say(self, note: str) -> None:
        self.note = note
        self._current.message.emit(note)
        self.changed.emit()

    def _forget(self, _: object) -> None:
        if self.note:
            self.note = ""
            self.changed.emit()


def _fit(library: TemplateLibrary, name: str, spectrum: Spectrum, z: float) -> VelocityFit:
    return fit_velocity(spectrum, *library.load(name), z=z)
