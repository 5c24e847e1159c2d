"""One source, one survey, one exposure: what ends up in the file."""

from __future__ import annotations

import numpy as np

from agent.errors import WorkbenchError
from train.simulate.source import GRID, LIGHT_KMS, Rng, Source
from train.simulate.telescope import artefacts, calibration, detector, noise
from train.simulate.telescope.cameras import STORED_APART, parted
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
    """Look at a source. `snr` is the file's median S/N per pixel in r; None draws it.

    `companion` is a neighbour on the detector whose light spills over; how much of it is up to
    `quality`, how often it happens is up to the caller (`Quality.crosstalk_odds`).
    """
    profile = profile_named(profile) if isinstance(profile, str) else profile
    strengths = graded(profile.quality, quality)
    instrument = instrument_of(profile.name)
    snr = log_uniform(rng, SNR_RANGE) if snr is None else snr
    frame = _light(source, instrument, strengths, rng, snr, companion)
    frame.release = release or _draw_release(profile, rng)
    low, high = _covered(source, profile)
    electrons = _add_sky_and_noise(frame, rng)
    calibration.miscalibrate(frame, rng)
    calibration.disjoin(frame, rng)
    first = int(rng.integers(profile.first_pixel[0], profile.first_pixel[1] + 1))
    last = int(rng.integers(profile.last_pixel[0], profile.last_pixel[1] + 1))
    start, stop = max(first, low), min(profile.wavelength.size - last, high)
    if profile.name in STORED_APART:
        _blank(frame, start, stop)
    else:
        frame.crop(start, stop)
    _spoil_pixels(frame, rng)
    return _finish(frame, rng, electrons)


def _light(
    source: Source,
    instrument: Instrument,
    quality: Quality,
    rng: Rng,
    snr: float,
    companion: Source | None,
) -> Frame:
    """The noiseless spectrum on the detector, 1 in the median of the r band."""
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
    reference = _reference(source, profile)
    level = float(np.median(seen[reference]))
    if not level > 0:
        raise WorkbenchError(f"the simulated {source.label} has no light in its reference band")
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


def _covered(source: Source, profile: Profile) -> tuple[int, int]:
    """Pixels the source has information for."""
    if source.valid[0] <= GRID[0] and source.valid[1] >= GRID[-1]:
        return 0, profile.wavelength.size
    doppler = 1.0 + source.velocity_kms / LIGHT_KMS
    window = pixels_between(
        profile.wavelength, source.valid[0] * doppler, source.valid[1] * doppler
    )
    if window.stop - window.start < MIN_PIXELS:
        raise WorkbenchError(
            f"{source.label} {source.subtype} covers {source.valid[0]:.0f}-{source.valid[1]:.0f} A:"
            f" too little of what {profile.name} sees"
        )
    return window.start, window.stop


def _reference(source: Source, profile: Profile) -> slice:
    """The r band, or all there is where the source does not reach it; every second pixel."""
    low, high = _covered(source, profile)
    band = pixels_between(profile.wavelength, *BANDS["r"])
    start, stop = max(band.start, low), min(band.stop, high)
    if stop - start < 2 * MIN_REFERENCE:
        start, stop = low, high
    return slice(start, stop, 2)


def _blank(frame: Frame, start: int, stop: int) -> None:
    """No weight outside these pixels: targets that share a file must share its grid."""
    for outside in (slice(0, start), slice(stop, frame.flux.size)):
        frame.flux[outside] = 0.0
        frame.bad[outside] = frame.masked[outside] = True


def _draw_release(profile: Profile, rng: Rng) -> str:
    names, odds = zip(*profile.releases, strict=True)
    return str(names[int(np.searchsorted(np.cumsum(odds), rng.random() * sum(odds)))])


def _add_sky_and_noise(frame: Frame, rng: Rng) -> float:
    """Returns the electrons per pixel of the object at 6500 A."""
    instrument = frame.instrument
    electrons = noise.draw_exposure(instrument.profile, frame.snr, rng)
    frame.sky = electrons[1] / electrons[0]
    frame.record["sky_over_object"] = round(frame.sky, 4)
    brightness = artefacts.sky_brightness(frame, rng)
    wobble = calibration.smooth_curve(rng, instrument.curves, frame.quality.throughput_spread)
    artefacts.leave_bands(frame, rng)
    artefacts.add_moonlight(frame, rng)
    artefacts.leave_nebula(frame, rng)
    frame.variance = noise.stated_variance(
        frame.flux, instrument.sensitivity * np.exp(wobble), brightness, electrons
    )
    noise.set_snr(frame)
    artefacts.leave_sky_lines(frame, rng)
    noise.expose(frame, rng)
    return electrons[0]


def _spoil_pixels(frame: Frame, rng: Rng) -> None:
    detector.doubt_windows(frame, rng)
    detector.strike_cosmics(frame, rng)
    detector.drop_runs(frame, rng)
    detector.lose_block(frame, rng)
    detector.lose_end(frame, rng)
    detector.flag_hopeless(frame, rng)


def _finish(frame: Frame, rng: Rng, electrons: float) -> Observation:
    profile = frame.instrument.profile
    mean, sigma = profile.electrons_per_flux
    scale = electrons / 10 ** (mean + sigma * float(rng.standard_normal()))
    flux = frame.flux * scale
    ivar = noise.coarse(1.0 / (frame.variance * scale**2))
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
        arms=parted(profile, frame.wavelength, flux, ivar, andmask, rng),
        survey=profile.name,
        release=frame.release,
        flux_unit=profile.flux_unit,
        resolution=float(np.median(frame.instrument.resolution)),
        snr=band_snr(frame.wavelength, flux, ivar),
        parameters=parameters,
    )
