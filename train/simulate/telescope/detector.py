"""Detector defects: cosmic rays, runs of masked pixels, dead blocks, flagged windows."""

from __future__ import annotations

import numpy as np

from train.simulate.source import Rng
from train.simulate.telescope.frame import Frame, happens
from train.simulate.telescope.instrument import pixels_between

# The first LAMOST releases state errors about three times too large in these windows.
INFLATED_WINDOWS = (
    (3926, 3946), (3962, 3982), (4094, 4113), (4296, 4316), (4332, 4352), (4853, 4873),
    (5168, 5187), (6555, 6575), (8492, 8510), (8535, 8554), (8656, 8675),
)  # fmt: skip
FLAGGED_OXYGEN = (7581.0, 7681.0)


def inflate_window_errors(frame: Frame, rng: Rng) -> None:
    if not _is_early(frame, ("DR1", "DR2")):
        return
    factor = rng.uniform(7.0, 11.0)
    for low, high in INFLATED_WINDOWS:
        frame.variance[pixels_between(frame.wavelength, low, high)] *= factor
    frame.record["doubted_windows"] = round(float(factor), 2)


def add_cosmic_rays(frame: Frame, rng: Rng) -> None:
    """Add spikes of 1 to 3 pixels, rarely negative; the pipeline masks some of them."""
    count = int(rng.poisson(frame.quality.cosmic_mean))
    frame.record["cosmics"] = count
    for _ in range(count):
        pixel = int(rng.integers(2, frame.flux.size - 4))
        hit = slice(pixel, pixel + int(rng.integers(1, 4)))
        height = float(np.sqrt(frame.variance[pixel])) * np.exp(rng.uniform(1.5, 4.0))
        frame.flux[hit] += height * (1.0 if happens(rng, 0.85) else -1.0)
        if happens(rng, 0.4):
            frame.bad[hit] = True


def mask_short_runs(frame: Frame, rng: Rng) -> None:
    """Mask short runs of about six pixels; in a third of them the flux collapses."""
    mean, sigma = frame.quality.bad_runs
    count = int(min(np.exp(mean + sigma * rng.standard_normal()), 60))
    frame.record["bad_runs"] = count
    for _ in range(count):
        # The blue camera is worse: two of three runs fall into the blue half.
        x = rng.random()
        pixel = int((x * x if happens(rng, 0.5) else x) * (frame.flux.size - 20))
        length = 6 if happens(rng, 0.6) else int(rng.integers(5, 19))
        frame.bad[pixel : pixel + length] = True
        if happens(rng, 0.35):
            middle = pixel + length // 2
            is_negative = happens(rng, 0.15)
            factor = rng.uniform(-0.3, 0.0) if is_negative else max(rng.uniform(-0.5, 0.6), 0.0)
            frame.flux[middle - 1 : middle + int(rng.integers(0, 3))] *= factor
        if happens(rng, 0.3):
            frame.masked[pixel : pixel + length] = True


def add_dead_block(frame: Frame, rng: Rng) -> None:
    """Add a stretch of zeros, usually near the join of the two arms."""
    if not happens(rng, frame.quality.dead_block_odds):
        return
    length = int(np.exp(rng.uniform(*np.log(frame.quality.dead_block_pixels))))
    join = frame.instrument.profile.joins[0]
    end = int(np.searchsorted(frame.wavelength, join + rng.uniform(-700.0, 110.0)))
    block = slice(max(end - length, 0), end)
    frame.flux[block] = 0.0
    frame.bad[block] = frame.masked[block] = True
    frame.record["dead_block_pixels"] = end - block.start


def add_dead_end(frame: Frame, rng: Rng) -> None:
    """Set the reddest pixels to zero and make the few before them noisy."""
    reaches_end = frame.wavelength[-1] > 0.99 * frame.instrument.profile.wavelength[-1]
    if not (reaches_end and happens(rng, frame.quality.end_block_odds)):
        return
    length = int(rng.integers(8, 40))
    wild = slice(-length - 8, -length)
    frame.flux[wild] += rng.standard_normal(8) * 6.0 * np.sqrt(frame.variance[wild])
    frame.flux[-length:] = 0.0
    frame.bad[-length - int(rng.integers(0, 30)) :] = True
    frame.record["end_block_pixels"] = length


def mask_early_lamost(frame: Frame, rng: Rng) -> None:
    """Mask what early LAMOST releases mask: oxygen, the red end, and a faint blue end."""
    if not _is_early(frame, ("DR1",)):
        return
    w = frame.wavelength
    frame.bad[pixels_between(w, *FLAGGED_OXYGEN)] = True
    frame.bad[int(np.searchsorted(w, rng.uniform(9000.0, 9060.0))) :] = True
    blue = int(np.searchsorted(w, 4600.0))
    snr = frame.flux[:blue] / np.sqrt(frame.variance[:blue])
    frame.bad[:blue] |= snr < 1.5


def _is_early(frame: Frame, releases: tuple[str, ...]) -> bool:
    return frame.instrument.profile.name == "LAMOST" and frame.release in releases
