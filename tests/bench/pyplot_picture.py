"""The published picture drawn the straightforward way, with pyplot: what ours is measured against.

Written from the same figures as ours but through matplotlib's artists, so it also tells ours
apart from a picture that only looks alike.
"""

from __future__ import annotations

import io

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import AutoMinorLocator, MultipleLocator
from numpy.typing import NDArray

mpl.use("Agg")

from matplotlib import pyplot as plt

Array = NDArray[np.float64]
STEPS = [
    *((5000, 1000, 200), (1000, 200, 50), (500, 100, 20), (300, 100, 25), (150, 50, 25)),
    *((100, 25, 5), (50, 10, 2), (20, 5, 1), (5, 2, 0.5), (0, 1, 0.2)),
]


def pyplot_png(
    wavelength: Array, flux: Array, wavelength_range: tuple[float, float] | None, title: str
) -> bytes:
    return _draw(wavelength, flux, wavelength_range, title, "png")


def pyplot_pixels(
    wavelength: Array, flux: Array, wavelength_range: tuple[float, float] | None, title: str
) -> NDArray[np.uint8]:
    """The same as a flat run of RGBA pixels: the least work that yields an array."""
    raw = _draw(wavelength, flux, wavelength_range, title, "rgba")
    return np.frombuffer(raw, np.uint8).reshape(-1, 4)[:, :3].copy()


def _draw(
    w: Array, f: Array, wavelength_range: tuple[float, float] | None, title: str, kind: str
) -> bytes:
    if wavelength_range is not None:
        inside = (w >= wavelength_range[0]) & (w <= wavelength_range[1])
        w, f = w[inside], f[inside]
    size = _size(w[-1] - w[0], len(w), zoom=wavelength_range is not None)
    figure, axes = plt.subplots(figsize=size, dpi=80)
    axes.plot(w, f, color="blue", linewidth=1.0, alpha=0.8)
    axes.set_xlabel("Wavelength (Å)", fontsize=12, fontweight="bold")
    axes.set_ylabel("Flux", fontsize=12, fontweight="bold")
    axes.set_title(title, fontsize=14, fontweight="bold", pad=20)
    major, minor = next((a, b) for least, a, b in STEPS if w[-1] - w[0] >= least)
    axes.xaxis.set_major_locator(MultipleLocator(major))
    axes.xaxis.set_minor_locator(MultipleLocator(minor))
    axes.yaxis.set_minor_locator(AutoMinorLocator())
    axes.tick_params(which="both", direction="in", labelsize=10)
    axes.grid(True, which="major", alpha=0.3, linewidth=0.5)
    axes.grid(True, which="minor", alpha=0.1, linewidth=0.3)
    _box(axes, w, f)
    plt.tight_layout()
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=80, bbox_inches="tight")
    plt.close(figure)
    return buffer.getvalue()


def _size(span: float, points: int, *, zoom: bool) -> tuple[float, float]:
    if zoom:
        sizes = [(50, (6, 4)), (200, (7, 4.5)), (1000, (8, 5)), (np.inf, (9, 5.5))]
        width, height = next(size for below, size in sizes if span < below)
    else:
        sizes = [(3000, (10, 6)), (1000, (8, 5)), (200, (7, 4.5)), (-1, (6, 4))]
        width, height = next(size for above, size in sizes if span > above)
    return width * (1.05 if points > 10_000 else 0.95 if points < 50 else 1.0), height


def _box(axes: plt.Axes, w: Array, f: Array) -> None:
    left, high = w < (w.min() + w.max()) / 2, f > (f.min() + f.max()) / 2
    quarters = [left & high, ~left & high, left & ~high, ~left & ~high]
    corner = int(np.argmin([quarter.sum() for quarter in quarters]))
    text = (
        f"Data points: {len(w)}\nλ range: {w.min():.1f} - {w.max():.1f} Å\n"
        f"Flux range: {f.min():.2e} - {f.max():.2e}"
    )
    axes.text(
        (0.02, 0.98)[corner % 2], (0.98, 0.02)[corner // 2], text, transform=axes.transAxes,
        fontsize=9, ha=("left", "right")[corner % 2], va=("top", "bottom")[corner // 2],
        bbox={"boxstyle": "round", "facecolor": "white", "alpha": 0.8}
    )  # fmt: skip
