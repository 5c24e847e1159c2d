"""One exposure of a source by a survey."""

from __future__ import annotations

import numpy as np

from agent.errors import WorkbenchError
from train.simulate.source import GRID, LIGHT_KMS, Rng, Source
from train.simulate.telescope import artefacts, calibration, detector, noise
from train.simulate.telescope.cameras import STORED_APART, split_by_camera
from train.simulate.telescope.frame import Frame, Record, log_uniform
from train.simulate.telescope.instrument import BANDS, Instrument, instrument_of, pixels_between
from train.simulate.telescope.observation import Observation, band_snr
from train.simulate.telescope.optics import integrate, through_arms
from train.simulate.telescope.quality import Quality, graded
from train.simulate.telescope.surveys import Profile, profile_named

SNR_RANGE = (5.0, 100.0)
MIN_PIXELS = 200
MIN_REFERENCE = 40


def observe(
    source: Source,
    profile: Profile | str,
    rng: Rng,
    snr: float | None = None,
    companion: Source | None = None,
    quality: str | Quality = "typical",
    release: str | None = None,
) -> Observation:
    """Observe a source; `snr` is the median S/N per pixel in the r band, drawn where it is None.

    `companion` is a neighbour on the detector whose light spills over. `quality` determines how
    much of it, the caller how often this happens (`Quality.crosstalk_odds`).
    """
    profile = profile_named(profile) if isinstance(profile, str) else profile
    strengths = graded(profile.quality, quality)
    instrument = instrument_of(profile.name)
    snr = log_uniform(rng, SNR_RANGE) if snr is None else snr
    frame = _noiseless_frame(source, instrument, strengths, rng, snr, companion)
    frame.release = release or _draw_release(profile, rng)
    low, high = _covered_pixels(source, profile)
    electrons = _add_sky_and_noise(frame, rng)
    calibration.add_calibration_error(frame, rng)
    calibration.add_join_steps(frame, rng)
    first = int(rng.integers(profile.first_pixel[0], profile.first_pixel[1] + 1))
    last = int(rng.integers(profile.last_pixel[0], profile.last_pixel[1] + 1))
    start, stop = max(first, low), min(profile.wavelength.size - last, high)
    if profile.name in STORED_APART:
        _mask_outside(frame, start, stop)
    else:
        frame.crop(start, stop)
    _add_detector_defects(frame, rng)
    return _finish(frame, rng, electrons)


def _noiseless_frame(
    source: Source,
    instrument: Instrument,
    quality: Quality,
    rng: Rng,
    snr: float,
    companion: Source | None,
) -> Frame:
    """The noiseless spectrum on the detector, with a median of 1 in the r band."""
    profile = instrument.profile
    velocity = source.velocity_kms + quality.velocity_error_kms * float(rng.standard_normal())
    sharpness = float(np.clip(1 + quality.resolution_spread * rng.standard_normal(), 0.7, 1.4))
    record: Record = {"velocity_seen_kms": round(velocity, 2), "sharpness": round(sharpness, 4)}
    flux = source.flux
    if companion is not None:
        fraction = log_uniform(rng, quality.crosstalk_fraction)
        flux = artefacts.add_neighbour(
            flux, companion, fraction, companion.velocity_kms - source.velocity_kms
        )
        record["neighbour"] = companion.label
        record["neighbour_fraction"] = round(fraction, 4)
    seen = integrate(
        through_arms(flux, profile.arms, sharpness, source.resolution), instrument.edges, velocity
    )
    reference = _reference_pixels(source, profile)
    level = float(np.median(seen[reference]))
    if not level > 0:
        raise WorkbenchError(f"the simulated {source.label} has no flux in the reference band")
    return Frame(
        instrument=instrument,
        quality=quality,
        wavelength=profile.wavelength,
        flux=seen / level,
        snr=snr,
        sky=0.0,
        release="",
        reference=reference,
        bad=np.zeros(seen.size, dtype=np.bool_),
        masked=np.zeros(seen.size, dtype=np.bool_),
        record=record,
    )


def _covered_pixels(source: Source, profile: Profile) -> tuple[int, int]:
    """Range of pixels that the source covers."""
    if source.valid[0] <= GRID[0] and source.valid[1] >= GRID[-1]:
        return 0, profile.wavelength.size
    doppler = 1.0 + source.velocity_kms / LIGHT_KMS
    window = pixels_between(
        profile.wavelength, source.valid[0] * doppler, source.valid[1] * doppler
    )
    if window.stop - window.start < MIN_PIXELS:
        raise WorkbenchError(
            f"{source.label} {source.subtype} covers {source.valid[0]:.0f}-{source.valid[1]:.0f} A:"
            f" too little of the range of {profile.name}"
        )
    return window.start, window.stop


def _reference_pixels(source: Source, profile: Profile) -> slice:
    """Every second pixel of the r band, or of the whole range if that does not cover it."""
    low, high = _covered_pixels(source, profile)
    band = pixels_between(profile.wavelength, *BANDS["r"])
    start, stop = max(band.start, low), min(band.stop, high)
    if stop - start < 2 * MIN_REFERENCE:
        start, stop = low, high
    return slice(start, stop, 2)


def _mask_outside(frame: Frame, start: int, stop: int) -> None:
    """Mask all pixels outside this range: targets in one file must share its grid."""
    for outside in (slice(0, start), slice(stop, frame.flux.size)):
        frame.flux[outside] = 0.0
        frame.bad[outside] = frame.masked[outside] = True


def _draw_release(profile: Profile, rng: Rng) -> str:
    names, odds = zip(*profile.releases, strict=True)
    return str(names[int(np.searchsorted(np.cumsum(odds), rng.random() * sum(odds)))])


def _add_sky_and_noise(frame: Frame, rng: Rng) -> float:
    """Add both to the frame and return the electrons per pixel of the object at 6500 A."""
    instrument = frame.instrument
    electrons = noise.draw_exposure(instrument.profile, frame.snr, rng)
    frame.sky = electrons[1] / electrons[0]
    frame.record["sky_over_object"] = round(frame.sky, 4)
    brightness = artefacts.sky_brightness(frame, rng)
    wobble = calibration.smooth_curve(rng, instrument.curves, frame.quality.throughput_spread)
    artefacts.add_telluric_residuals(frame, rng)
    artefacts.add_moonlight(frame, rng)
    artefacts.add_nebular_residuals(frame, rng)
    frame.variance = noise.stated_variance(
        frame.flux, instrument.sensitivity * np.exp(wobble), brightness, electrons
    )
    noise.set_snr(frame)
    artefacts.add_sky_line_residuals(frame, rng)
    noise.add_noise(frame, rng)
    return electrons[0]


def _add_detector_defects(frame: Frame, rng: Rng) -> None:
    detector.inflate_window_errors(frame, rng)
    detector.add_cosmic_rays(frame, rng)
    detector.mask_short_runs(frame, rng)
    detector.add_dead_block(frame, rng)
    detector.add_dead_end(frame, rng)
    detector.mask_early_lamost(frame, rng)


def _finish(frame: Frame, rng: Rng, electrons: float) -> Observation:
    profile = frame.instrument.profile
    mean, sigma = profile.electrons_per_flux
    scale = electrons / 10 ** (mean + sigma * float(rng.standard_normal()))
    flux = frame.flux * scale
    ivar = noise.rounded_to_12_bits(1.0 / (frame.variance * scale**2))
    ivar[frame.bad] = 0.0
    andmask = (frame.masked & frame.bad).astype(np.int32)
    ormask = andmask | frame.bad
    parameters = {"snr_asked": round(frame.snr, 3), "flux_scale": round(scale, 5), **frame.record}
    parameters["release"] = frame.release
    return Observation(
        wavelength=frame.wavelength,
        flux=flux,
        ivar=ivar,
        andmask=andmask,
        ormask=ormask,
        arms=split_by_camera(profile, frame.wavelength, flux, ivar, andmask, rng),
        survey=profile.name,
        release=frame.release,
        flux_unit=profile.flux_unit,
        resolution=float(np.median(frame.instrument.resolution)),
        snr=band_snr(frame.wavelength, flux, ivar),
        parameters=parameters,
    )
