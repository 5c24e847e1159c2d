"""One exposure of a source by a survey."""

import numpy as np
from numpy.typing import NDArray

from agent.errors import WorkbenchError
from agent.spectra.spectrum import FloatArray
from train.simulate.source import GRID, LIGHT_KMS, Rng, Source
from train.simulate.telescope import detector, night
from train.simulate.telescope.instrument import BANDS, Instrument, instrument_of, pixels_between
from train.simulate.telescope.observation import (
    Camera,
    Frame,
    Observation,
    Record,
    band_snr,
    happens,
    log_uniform,
)
from train.simulate.telescope.optics import LN_STEP, integrate, through_arms
from train.simulate.telescope.surveys import Profile, Quality, graded, profile_named

SNR_RANGE = (5.0, 100.0)
MIN_PIXELS = 200
MIN_REFERENCE = 40
EDGE_TOLERANCE = 1e-6  # Angstrom; the ends of arms fall on pixel centres.
STORED_APART = ("DESI",)
_HEIGHTS = night.heights(night.SKY_LINES)
_NEBULAR = night.heights(night.NEBULAR_LINES)


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
    detector.add_calibration_error(frame, rng)
    detector.add_join_steps(frame, rng)
    first = int(rng.integers(profile.first_pixel[0], profile.first_pixel[1] + 1))
    last = int(rng.integers(profile.last_pixel[0], profile.last_pixel[1] + 1))
    start, stop = max(first, low), min(profile.wavelength.size - last, high)
    if profile.name in STORED_APART:
        _mask_outside(frame, start, stop)
    else:
        frame.crop(start, stop)
    detector.inflate_window_errors(frame, rng)
    detector.add_cosmic_rays(frame, rng)
    detector.mask_short_runs(frame, rng)
    detector.add_dead_block(frame, rng)
    detector.add_dead_end(frame, rng)
    detector.mask_early_lamost(frame, rng)
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
        relative_kms = companion.velocity_kms - source.velocity_kms
        flux = add_neighbour(flux, companion, fraction, relative_kms)
        record["neighbour"] = companion.label
        record["neighbour_fraction"] = round(fraction, 4)
    blurred = through_arms(flux, profile.arms, sharpness, source.resolution)
    seen = integrate(blurred, instrument.edges, velocity)
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
    if source.valid[0] <= GRID[0] and source.valid[1] >= GRID[-1]:
        return 0, profile.wavelength.size
    doppler = 1.0 + source.velocity_kms / LIGHT_KMS
    window = pixels_between(profile.wavelength, *(edge * doppler for edge in source.valid))
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
    electrons = detector.draw_exposure(instrument.profile, frame.snr, rng)
    frame.sky = electrons[1] / electrons[0]
    frame.record["sky_over_object"] = round(frame.sky, 4)
    brightness = sky_brightness(frame, rng)
    wobble = detector.smooth_curve(rng, instrument.curves, frame.quality.throughput_spread)
    add_telluric_residuals(frame, rng)
    add_moonlight(frame, rng)
    add_nebular_residuals(frame, rng)
    sensitivity = instrument.sensitivity * np.exp(wobble)
    frame.variance = detector.stated_variance(frame.flux, sensitivity, brightness, electrons)
    detector.set_snr(frame)
    add_sky_line_residuals(frame, rng)
    detector.add_noise(frame, rng)
    return electrons[0]


def _finish(frame: Frame, rng: Rng, electrons: float) -> Observation:
    profile = frame.instrument.profile
    mean, sigma = profile.electrons_per_flux
    scale = electrons / 10 ** (mean + sigma * float(rng.standard_normal()))
    flux = frame.flux * scale
    ivar = detector.rounded_to_12_bits(1.0 / (frame.variance * scale**2))
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
        arms=split_by_camera(frame, flux, ivar, andmask, rng),
        survey=profile.name,
        release=frame.release,
        flux_unit=profile.flux_unit,
        resolution=float(np.median(frame.instrument.resolution)),
        snr=band_snr(frame.wavelength, flux, ivar),
        parameters=parameters,
    )


def split_by_camera(
    frame: Frame, flux: FloatArray, ivar: FloatArray, mask: NDArray[np.int32], rng: Rng
) -> tuple[Camera, ...]:
    """The spectrum of each camera.

    Where two overlap, a merged pixel becomes two measurements of half its weight. Their mean is the
    merged pixel and their scatter agrees with their own ivar.
    """
    profile, wavelength = frame.instrument.profile, frame.wavelength
    if profile.name not in STORED_APART:
        return ()
    apart = rng.standard_normal(wavelength.size)
    apart *= np.sqrt(np.divide(1.0, ivar, out=np.zeros_like(ivar), where=ivar > 0))
    cameras = []
    for number, arm in enumerate(profile.arms):
        part = pixels_between(wavelength, arm.low - EDGE_TOLERANCE, arm.high + EDGE_TOLERANCE)
        w, own_flux, own_ivar = wavelength[part], flux[part].copy(), ivar[part].copy()
        for other, sign in ((number - 1, -1.0), (number + 1, 1.0)):
            if not 0 <= other < len(profile.arms):
                continue
            low = max(arm.low, profile.arms[other].low) - EDGE_TOLERANCE
            high = min(arm.high, profile.arms[other].high) + EDGE_TOLERANCE
            shared = pixels_between(w, low, high)
            own_flux[shared] += sign * apart[part][shared]
            own_ivar[shared] *= 0.5
        own = Camera(name=arm.name, wavelength=w, flux=own_flux, ivar=own_ivar, mask=mask[part])
        cameras.append(own)
    return tuple(cameras)


# Light from other sources: sky and telluric residuals, nebulae, moonlight, neighbouring fibres.
def sky_brightness(frame: Frame, rng: Rng) -> FloatArray:
    """Sky brightness relative to its continuum at 6750 A; line groups vary from night to night."""
    group = np.exp(0.35 * rng.standard_normal(len(night.LINE_GROUPS)))[night.GROUP_OF_LINE]
    instrument = frame.instrument
    tilt = rng.uniform(0.0, 1.5)
    frame.record["sky_tilt"] = round(float(tilt), 3)
    continuum = instrument.sky_continuum * (6750.0 / frame.wavelength) ** tilt
    return continuum + instrument.sky_lines @ (_HEIGHTS * group)


def add_sky_line_residuals(frame: Frame, rng: Rng) -> None:
    """Leave over- and under-subtracted lines, and P Cygni pairs where a line drifted."""
    quality = frame.quality
    residual = log_uniform(rng, quality.sky_residual) * frame.sky
    drift = quality.sky_drift_pixels * float(rng.standard_normal()) * frame.sky
    groups = rng.standard_normal((2, len(night.LINE_GROUPS)))[:, night.GROUP_OF_LINE]
    each = rng.standard_normal((2, _HEIGHTS.size))
    instrument = frame.instrument
    frame.flux += instrument.sky_lines @ (residual * (groups[0] + 0.5 * each[0]) * _HEIGHTS)
    frame.flux += instrument.sky_drift @ (drift * (1.0 + 0.3 * each[1]) * _HEIGHTS)
    frame.record["sky_left"] = round(float(residual), 5)
    frame.record["sky_drift"] = round(float(drift), 5)


def add_telluric_residuals(frame: Frame, rng: Rng) -> None:
    """Leave oxygen and water absorption, as a standard star from another time and place does."""
    quality = frame.quality
    oxygen, water = quality.telluric_jitter * rng.standard_normal(2)
    if happens(rng, quality.telluric_odds):
        oxygen += rng.uniform(*quality.telluric_left)
        water += rng.uniform(*quality.telluric_left) * rng.uniform(0.1, 1.0)
    frame.flux *= (1.0 - oxygen * frame.instrument.oxygen) * (1.0 - water * frame.instrument.water)
    frame.record["oxygen_left"] = round(float(oxygen), 4)
    frame.record["water_left"] = round(float(water), 4)


def add_nebular_residuals(frame: Frame, rng: Rng) -> None:
    """Leave H II emission of the Galactic disc, which differs between target and sky fibres."""
    if not happens(rng, frame.quality.nebular_odds):
        return
    height = log_uniform(rng, frame.quality.nebular_left) * frame.sky
    height *= 6.0 if happens(rng, 0.5) else -6.0
    ratios = _NEBULAR * np.exp(0.3 * rng.standard_normal(_NEBULAR.size))
    frame.flux += frame.instrument.nebular @ (height * ratios)
    frame.record["nebular"] = round(float(height), 4)


def add_moonlight(frame: Frame, rng: Rng) -> None:
    if not happens(rng, frame.quality.moon_odds):
        return
    fraction = log_uniform(rng, frame.quality.moon_fraction) * min(frame.sky, 3.0)
    frame.flux += fraction * frame.instrument.moon
    frame.record["moon"] = round(float(fraction), 4)


def add_neighbour(
    flux: FloatArray, companion: Source, fraction: float, velocity: float
) -> FloatArray:
    """Flux on GRID plus a second spectrum scaled to `fraction` of its median flux.

    `velocity`, in km/s, is that of the neighbour relative to the target.
    """
    cells = round(np.log1p(velocity / LIGHT_KMS) / LN_STEP)
    foreign = np.roll(companion.flux, cells)
    inside = (max(companion.valid[0], 3700.0) < GRID) & (min(companion.valid[1], 9000.0) > GRID)
    own, other = float(np.median(flux[inside])), float(np.median(foreign[inside]))
    if own <= 0 or other <= 0:
        return flux
    return flux + foreign * (fraction * own / other)
