"""What a picture costs: ours and the pyplot way, to the same end, in one run.

python -m tests.bench render
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO

import numpy as np
from PIL import Image

from agent.rendering import text
from agent.rendering.render import COMPACT, COMPACT_PANELS, png_bytes, render_array, render_spectrum
from agent.spectra.spectrum import Spectrum
from tests.bench.measuring import figure_line, ms_of
from tests.bench.pyplot_picture import pyplot_pixels, pyplot_png
from tests.conftest import SHARED

ROUNDS = 7
WINDOWS = (None, (6400, 6700), (4600, 5000), (6550, 6580), (4000, 6000), (8450, 8700))


@dataclass(frozen=True)
class Case:
    name: str
    spectrum: Spectrum
    window: tuple[float, float] | None
    title: str

    @property
    def arguments(self) -> tuple[np.ndarray, np.ndarray, tuple[float, float] | None, str]:
        return self.spectrum.wavelength, self.spectrum.flux, self.window, self.title


def cases() -> list[Case]:
    """The reference pictures' spectra, or simulated ones of the same length and windows."""
    index = SHARED / "render" / "cases.json"
    if not index.is_file():
        return [_simulated(number) for number in range(12)]
    found = []
    for entry in json.loads(index.read_text()):
        arrays = np.load(index.with_name(f"{entry['case']}.npz"))
        spectrum = Spectrum(wavelength=arrays["wavelength"], flux=arrays["flux"])
        window = entry["wavelength_range"]
        found.append(
            Case(entry["case"], spectrum, tuple(window) if window else None, entry["title"])
        )
    return found


def _simulated(number: int) -> Case:
    rng = np.random.default_rng(number)
    wavelength = np.linspace(3700.0, 9098.9, 4154)
    slope = np.linspace(1.0, rng.uniform(0.2, 5.0), wavelength.size)
    flux = 100 * slope * (1 + rng.normal(scale=rng.uniform(0.02, 0.3), size=wavelength.size))
    title = f"Spectrum: spec-55011-T{number:02d}.fits.gz"
    spectrum = Spectrum(wavelength=wavelength, flux=flux)
    return Case(f"simulated{number:02d}", spectrum, WINDOWS[number % 6], title)


def _ours_png(case: Case) -> bytes:
    return png_bytes(render_array(case.spectrum, case.window, title=case.title))


def _ours_pixels(case: Case) -> np.ndarray:
    return render_array(case.spectrum, case.window, title=case.title)


def _ours_png_forgetful(case: Case) -> bytes:
    """As for the very first picture: every string shaped and every glyph rasterised anew."""
    text.clear_caches()
    return _ours_png(case)


def _unseen(case: Case, turn: int) -> Case:
    """The case with other flux, range and name, so that no text is known from a turn before."""
    rng = np.random.default_rng([turn, len(case.title), int(1e3 * abs(case.spectrum.flux[0]))])
    flux = case.spectrum.flux * rng.uniform(0.1, 10) + rng.uniform(0, 10)
    spectrum = Spectrum(wavelength=case.spectrum.wavelength, flux=flux)
    window = case.window and (case.window[0] + rng.uniform(-9, 9), case.window[1])
    return Case(case.name, spectrum, window, f"Spectrum: spec-{rng.integers(10**6)}.fits.gz")


def _paired(
    ours: Callable[[Case], object], theirs: Callable[[Case], object], over: list[Case],
    change: Callable[[Case, int], Case] = lambda case, turn: case,
) -> tuple[float, float, float]:  # fmt: skip
    """Means over the cases of each case's median, taken turn by turn, and the median ratio."""
    mine, other = np.empty((ROUNDS, len(over))), np.empty((ROUNDS, len(over)))
    for case in over:
        ours(case), theirs(case)
    for turn in range(ROUNDS):
        for i, case in enumerate(over):
            changed = change(case, turn)
            mine[turn, i] = ms_of(partial(ours, changed))
            other[turn, i] = ms_of(partial(theirs, changed))
    mine_median, other_median = np.median(mine, axis=0), np.median(other, axis=0)
    ratio = float(np.median(other_median / mine_median))
    return float(mine_median.mean()), float(other_median.mean()), ratio


def _similarities(over: list[Case]) -> list[tuple[float, int]]:
    """Structural similarity with each reference picture, and how far the sizes differ."""
    from skimage.metrics import structural_similarity

    found = []
    for case in over:
        path = SHARED / "render" / f"{case.name}.png"
        if not path.is_file():
            continue
        with Image.open(path) as opened:
            reference = opened.convert("RGB")
        drawn = Image.open(BytesIO(_ours_png(case)))
        apart = max(abs(a - b) for a, b in zip(drawn.size, reference.size, strict=True))
        pixels = np.asarray(drawn.resize(reference.size))
        found.append((structural_similarity(pixels, np.asarray(reference), channel_axis=2), apart))
    return found


def _figure(name: str, value: float, unit: str, baseline: str = "") -> dict[str, object]:
    return figure_line(name, round(value, 4), unit, baseline=baseline)


def figures() -> Iterator[dict[str, object]]:
    over = cases()
    as_png = (_ours_png, lambda case: pyplot_png(*case.arguments))
    as_array = (_ours_pixels, lambda case: pyplot_pixels(*case.arguments))
    for product, ways, change in (
        ("PNG bytes", as_png, lambda case, turn: case),
        ("RGB array", as_array, lambda case, turn: case),
        ("PNG bytes, unseen spectra", as_png, _unseen),
    ):
        mine, other, ratio = _paired(*ways, over, change)
        yield _figure(f"published picture to {product}", mine, "ms", f"pyplot {other:.1f} ms")
        yield _figure(f"published picture to {product}, times faster", ratio, "x", "pyplot 1")
    first = [ms_of(partial(_ours_png_forgetful, case)) for _ in range(ROUNDS) for case in over]
    yield _figure("published picture to PNG bytes, very first", float(np.median(first)), "ms")
    for style in (COMPACT, COMPACT_PANELS):

        def compact(case: Case, style=style) -> object:
            return render_spectrum(case.spectrum, case.window, title=case.title, style=style)

        times = [ms_of(partial(compact, case)) for _ in range(ROUNDS) for case in over]
        yield _figure(
            f"{style.name} picture {style.width} x {style.height}", np.median(times), "ms"
        )
    yield _figure(
        "size of a PNG", np.mean([len(_ours_png(c)) for c in over]) / 1024, "KiB",
        f"pyplot {np.mean([len(pyplot_png(*c.arguments)) for c in over]) / 1024:.1f} KiB"
    )  # fmt: skip
    if similar := _similarities(over):
        yield _figure("similarity to the reference, least", min(s for s, _ in similar), "SSIM")
        yield _figure("size off the reference, most", max(a for _, a in similar), "px")
