"""Sets the velocity of the object: by hand, from a template, from lines, or as listed."""

import math
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSlider, QWidget

from agent.evidence.star_velocity import velocity_from_lines
from agent.spectra.matching.template_velocity import VelocityFit, fit_velocity
from agent.spectra.measure.measurement import Measurement
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.rebinning import measurable
from agent.spectra.spectrum import FASTEST_STAR_Z, Spectrum
from app.core.importing.role_names import normalized_name
from app.core.session.records import Candidate
from app.core.session.velocity import HIGHEST_KMS, MAX_QUALITY, Z_LIMIT, Velocity
from app.ui.base.theme.theme import Theme
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.controls.template_choice import TemplateLibrary
from app.ui.session.candidate.object_velocity import velocity_translated
from app.ui.session.candidate.view_options import RV_LIMIT_KMS
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.number_box import NumberBox

TICKS = 1000  # steps of the slider on each side of zero, where they are finest
COLUMNS = ("z", "redshift", "z_best", "zbest", "z_spec", "zspec", "z_helio")
LOWEST, HIGHEST = -0.1, 20.0
Origin = Literal["header", "list"]


class VelocityControl(QWidget):
    def __init__(self, context: SessionContext, library: TemplateLibrary) -> None:
        super().__init__()
        self._view, self._current = context.view, context.current
        self._velocity = context.velocity
        self._keymap, self._current_theme = context.keymap, context.current_theme
        speed, redshift = self.tr("Radial velocity, km/s"), self.tr("Redshift")
        self.speed = NumberBox(speed, low=-RV_LIMIT_KMS, high=HIGHEST_KMS, decimals=1, parent=self)
        lowest = -RV_LIMIT_KMS / LIGHT_KMS
        self.z = NumberBox(redshift, low=lowest, high=Z_LIMIT, decimals=5, parent=self)
        self.reset = labels.button(self.tr("Reset"))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.slider.setRange(-TICKS, TICKS)
        self.slider.setAccessibleName(self.tr("Radial velocity"))
        self.fitter = TemplateVelocity(context, library, self)
        self.fit = labels.button("", call=self.fitter.run)
        self.lines = labels.button(self.tr("Measure from lines"), call=self.fitter.run_lines)
        self.listed = labels.button("", call=self._use_listed)
        self.state = labels.wrapped_label("", "dim")
        self.quality = QComboBox()
        self.quality.setAccessibleName(self.tr("Quality of the velocity"))
        self.quality.addItems(["–", *map(str, range(1, MAX_QUALITY + 1))])
        self.quality.setToolTip(self.tr("From 1, a guess, to 4, certain"))
        self.kept = labels.check_box(self.tr("Keep over candidates"))
        self.kept.setToolTip(
            self.tr("Show the next object at this velocity too, unless it has one")
        )
        self.note = labels.wrapped_label("", "dim")
        kms, z = labels.short_label("km/s", "dim"), labels.short_label("z", "dim")
        typed = labels.row(self.speed, kms, self.z, z, self.reset, spacing=6)
        graded = labels.row(
            (self.kept, 1), labels.short_label(self.tr("Quality"), "dim"), self.quality, spacing=6
        )
        ways = self.fit, self.lines, self.listed
        labels.column(
            self.slider, typed, *ways, self.state, graded, self.note, spacing=4, parent=self
        )
        self.quality.activated.connect(lambda at: self._velocity.set_quality(at or None))
        self.kept.clicked.connect(lambda on: self._view.change(keep_velocity=on))
        by_hand = self._velocity.set_by_hand
        self.slider.valueChanged.connect(lambda tick: by_hand(velocity_at(tick), save=False))
        self.speed.entered.connect(by_hand)
        self.z.entered.connect(lambda z: by_hand(LIGHT_KMS * z))
        self.reset.clicked.connect(lambda: self._velocity.set(None))
        labels.keep_current(self._show_keys, context.keymap.changed)
        labels.keep_current(self._restyle, context.current_theme.changed)
        of_object = context.current.spectrum_changed, context.current.opinion_changed
        labels.keep_current(self._show, *of_object, context.view.changed, self.fitter.changed)

    @property
    def text(self) -> str:
        options = self._view.options
        if abs(options.velocity_kms) > RV_LIMIT_KMS:
            return f"z = {options.z:.4f}"
        speed = f"{options.velocity_kms + 0.0:.0f}".replace("-", "\N{MINUS SIGN}")
        return self.tr("{speed} km/s").replace("{speed}", speed)

    def _use_listed(self) -> None:
        found = listed_redshift(self._current.spectrum, self._current.candidate)
        if found is not None:
            z, origin = found
            self._velocity.set(Velocity(kms=LIGHT_KMS * z, source=origin))

    def _show(self, *_: object) -> None:
        options = self._view.options
        self.speed.show_value(round(options.velocity_kms, 1))
        self.z.show_value(options.z)
        kept = self._velocity.kept
        self.reset.setEnabled(options.z != 0.0 or kept is not None)
        state = self.tr("Of the object before: shown, and not kept with this one")
        if kept is not None:
            state = velocity_translated(kept)
        labels.show_or_hide(self.state, state if kept is not None or options.z else "")
        self.quality.setCurrentIndex(0 if kept is None or kept.quality is None else kept.quality)
        self.quality.setEnabled(kept is not None)
        self.kept.setChecked(options.keep_velocity)
        with QSignalBlocker(self.slider):
            self.slider.setValue(tick_at(options.velocity_kms))
        self.fit.setEnabled(self._current.spectrum is not None and bool(options.template))
        self.lines.setEnabled(self._current.spectrum is not None)
        labels.show_or_hide(self.note, self.fitter.note)
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
        about = labels.with_key(self.tr("Fit to the template"), self._keymap.label("fit_velocity"))
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
    """Measures the velocity of the spectrum on screen; `note` is the sentence about it."""

    changed = Signal()

    def __init__(self, context: SessionContext, library: TemplateLibrary, parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._current = context.view, context.current
        self._answer = context.runner.latest(self)
        self._library, self._velocity = library, context.velocity
        self.note = ""
        context.commands.add("fit_velocity", self.run)
        context.current.candidate_changed.connect(self._forget)
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
            self._answer.ask(
                lambda: fit_velocity(spectrum, *self._library.load(name), z=start),
                partial(self._fitted, name),
                self._current.report_error,
            )

    def _fitted(self, name: str, fit: VelocityFit) -> None:
        if name != self._view.options.template:
            return
        if not fit.is_trusted:
            self._say(self._why_not(fit))
            return
        kms, error = fit.velocity_kms, fit.error_kms
        self._velocity.set(Velocity(kms=kms, error_kms=error, source="template"))
        text = self.tr("Fitted to {template}: {speed} ± {error} km/s, height {height}")
        text = text.replace("{speed}", f"{fit.velocity_kms:.0f}".replace("-", "\N{MINUS SIGN}"))
        text = text.replace("{error}", f"{fit.error_kms:.0f}").replace("{template}", name)
        self._say(text.replace("{height}", f"{fit.height:.2f}"))

    def run_lines(self) -> None:
        spectrum = self._current.spectrum
        if spectrum is None:
            self._say(self.tr("There is no spectrum to fit"))
        else:
            self._answer.ask(lambda: velocity_from_lines(measurable(spectrum)), self._measured)

    def _measured(self, found: Measurement) -> None:
        if found.value is None:
            why = self.tr("Not measured: {reason}")
            self._say(why.replace("{reason}", translate_message(found.reason)))
            return
        self._velocity.set(Velocity(kms=found.value, error_kms=found.error, source="lines"))
        # As many lines agree as the measurement counts pixels.
        text = self.tr("{count} lines: {speed} ± {error} km/s")
        text = text.replace("{speed}", f"{found.value:.0f}".replace("-", "\N{MINUS SIGN}"))
        text = text.replace("{error}", f"{found.error or 0.0:.0f}")
        self._say(text.replace("{count}", str(found.n_pixels)))

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
        self._answer.forget()
        if self.note:
            self.note = ""
            self.changed.emit()
