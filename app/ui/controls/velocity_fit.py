"""Fits the velocity to the template that is shown, and says in one sentence what came of it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from agent.spectra.matching.template_velocity import VelocityFit, fit_velocity
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FASTEST_STAR_Z, Spectrum
from app.ui.controls.template_library import TemplateLibrary
from app.ui.session_context import SessionContext


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
        text = text.replace("{error}", f"{fit.error_kms:.0f}")
        text = text.replace("{height}", f"{fit.height:.2f}")
        self._say(text.replace("{template}", name))

    def _why_not(self, fit: VelocityFit) -> str:
        match fit.reason:
            case "no_pixels":
                return self.tr("Not fitted: too few good pixels")
            case "no_overlap":
                return self.tr("Not fitted: the template does not cover this spectrum")
            case "edge":
                return self.tr("Not fitted: no velocity within 1500 km/s fits better than others")
            case "unlike":
                return self.tr("Not fitted: the spectrum does not look like this template")
        text = self.tr("Not fitted: no velocity stands out of the noise (best {speed} km/s)")
        return text.replace("{speed}", f"{fit.velocity_kms:.0f}")

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
