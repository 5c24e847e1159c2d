"""Fits a line measured by hand with a Gaussian or a Voigt profile, and shows it until the next."""

import math
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject

from agent.errors import WorkbenchError
from agent.spectra.measure.fitted_profile import FitError, FittedProfile, Shape, fit_profile
from agent.spectra.spectrum import Spectrum
from app.core.session.measurements import HandMeasurement
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.background.runner import LatestAnswer
from app.ui.judge.plot.mark_menu import Entry
from app.ui.judge.plot.measure_tool import MeasureTool
from app.ui.judge.plot.measured_layer import width_text
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.session.session_context import SessionContext

translate = QCoreApplication.translate
MOST_DECIMALS = 4


class FitTool(QObject):
    """Nothing of a fit is stored; a measurement shows one fit at a time."""

    def __init__(self, panel: SpectrumPanel, context: SessionContext, measure: MeasureTool) -> None:
        super().__init__(panel)
        self._panel, self._measure, self._layer = panel, measure, panel.plot.measured
        self._current, self._runner = context.current, context.runner
        self._fits: dict[HandMeasurement, FittedProfile] = {}
        self._answers: dict[HandMeasurement, LatestAnswer] = {}
        context.commands.add("fit_gaussian", partial(self.fit_last, "gaussian"))
        context.commands.add("fit_voigt", partial(self.fit_last, "voigt"))
        context.current.candidate_changed.connect(self._forget)
        measure.changed.connect(self._keep_measured)

    def fit_last(self, shape: Shape) -> None:
        if self._measure.kept:
            self.fit(self._measure.kept[-1].measurement, shape)
        else:
            self._current.message.emit(self.tr("Measure a line first: the fit is of it"))

    def fit(self, measurement: HandMeasurement, shape: Shape) -> None:
        if (spectrum := self._panel.spectrum) is not None:
            work = partial(fit_profile, spectrum, measurement.left, measurement.right, shape)
            answer = self._answers.setdefault(measurement, self._runner.latest(self))
            done = partial(self._fitted, spectrum, measurement)
            answer.ask(work, done, partial(self._failed, spectrum, measurement))

    def entries_at(self, wavelength: float) -> list[Entry]:
        """What the menu of the plot offers for the measurement under the mouse."""
        measurement = self._layer.at(wavelength)
        if measurement is None:
            return []
        texts: dict[Shape, str] = {
            "gaussian": self.tr("Fit a Gaussian to {what}"),
            "voigt": self.tr("Fit a Voigt profile to {what}"),
        }
        return [
            (text.replace("{what}", width_text(measurement)), partial(self.fit, measurement, shape))
            for shape, text in texts.items()
        ]

    def _fitted(self, spectrum: Spectrum, measurement: HandMeasurement, fit: FittedProfile) -> None:
        if spectrum is self._panel.spectrum and self._is_kept(measurement):
            self._fits[measurement] = fit
            self._draw()
            self._current.message.emit(fit_text(fit, measurement.line, self._panel.frame))

    def _failed(
        self, spectrum: Spectrum, measurement: HandMeasurement, error: WorkbenchError
    ) -> None:
        if spectrum is not self._panel.spectrum:
            return
        self._fits.pop(measurement, None)
        self._draw()
        if isinstance(error, FitError):
            self._current.message.emit(why_not_fitted(error))
        else:
            self._current.report_error(error)

    def _is_kept(self, measurement: HandMeasurement) -> bool:
        return any(each.measurement == measurement for each in self._measure.kept)

    def _keep_measured(self) -> None:
        """Forget the fits of measurements that were withdrawn."""
        self._fits = {each: fit for each, fit in self._fits.items() if self._is_kept(each)}
        self._draw()

    def _forget(self, _: object = None) -> None:
        self._fits, self._answers = {}, {}
        self._draw()

    def _draw(self) -> None:
        self._layer.fits = tuple(self._fits.values())
        self._panel.plot.viewport().update()


# What a fitted line says: its numbers on the message line and in a copy, or why there is none.
def fit_text(fit: FittedProfile, line: str, frame: WavelengthFrame) -> str:
    """One sentence about a fit, with its centre in the frame of the axis."""
    frame = frame.of_wavelengths
    step = abs(frame.shown(fit.centre + fit.centre_error) - frame.shown(fit.centre))
    centre = f"{_with_error(frame.shown(fit.centre), step)} {frame.unit_shown}"
    text = translate("fit_texts", "Voigt fit of {line}: {numbers}")
    if fit.shape == "gaussian":
        text = translate("fit_texts", "Gaussian fit of {line}: {numbers}")
    text = text.replace("{numbers}", f"{centre} · {_numbers(fit)}").replace("{line}", line)
    if fit.is_poor:
        text += " · " + translate("fit_texts", "the shape does not fit; more than one line?")
    return text


def copied_fit(fit: FittedProfile) -> str:
    """A line of the copied measurements: observed vacuum angstrom."""
    centre = f"{_with_error(fit.centre, fit.centre_error)} Å (observed, vacuum)"
    return f"{fit.shape} fit: {centre} · {_numbers(fit)}"


def why_not_fitted(error: FitError) -> str:
    why = {
        "no_pixels": translate("fit_texts", "Not fitted: too few good pixels between the points"),
        "not_positive": translate("fit_texts", "Not fitted: the continuum is not positive"),
        "noise": translate("fit_texts", "Not fitted: no line stands out of the noise by 5 σ"),
        "wide": translate(
            "fit_texts", "Not fitted: the line is as wide as the range; measure a wider one"
        ),
        "narrow": translate("fit_texts", "Not fitted: it is narrower than a pixel, as a spike is"),
        "edge": translate("fit_texts", "Not fitted: the centre runs into one of the two points"),
        "wings": translate("fit_texts", "Not fitted: no Lorentzian wings show; fit a Gaussian"),
    }
    other = translate("fit_texts", "Not fitted: no best profile was found")
    return why.get(error.reason, other)


def _numbers(fit: FittedProfile) -> str:
    kms = _with_error(fit.fwhm_kms, fit.fwhm_kms_error)
    fwhm, ew = _with_error(fit.fwhm, fit.fwhm_error), _with_error(fit.ew, fit.ew_error)
    text = f"FWHM {fwhm} Å ({kms} km/s) · EW {ew} Å"
    if fit.reduced_chi2 is not None:
        text += f" · χ²/ν {fit.reduced_chi2:.2f}"
    return text.replace("-", "\N{MINUS SIGN}")


def _with_error(value: float, error: float) -> str:
    """Both with two digits of the error."""
    digits = 1 - math.floor(math.log10(error)) if error > 0 else MOST_DECIMALS
    digits = min(max(digits, 0), MOST_DECIMALS)
    return f"{value:.{digits}f} ± {error:.{digits}f}"
