"""The picture as a whole: against the reference files, against pyplot, and in hard cases."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image
from skimage.metrics import structural_similarity

from agent.errors import SpectrumError
from agent.rendering import text
from agent.rendering.canvas import Canvas
from agent.rendering.published import figure_size
from agent.rendering.render import (
    COMPACT,
    COMPACT_PANELS,
    PUBLISHED,
    STYLES,
    Style,
    default_title,
    png_bytes,
    render_array,
    render_spectrum,
)
from agent.rendering.scales import emptiest_corner, info_lines, thinned
from agent.rendering.window import DrawnPixels
from agent.spectra.spectrum import Spectrum
from tests.bench.pyplot_picture import pyplot_png

ALL_STYLES = [PUBLISHED, COMPACT, COMPACT_PANELS]
TITLE = "Spectrum: spec-55011-T09_sp01-009.fits.gz"


def spectrum_of(wavelength: np.ndarray, flux: np.ndarray) -> Spectrum:
    return Spectrum(wavelength=wavelength, flux=flux)


def noisy(
    points: int = 800, low: float = 4000.0, span: float = 3000.0, seed: int = 1, scale: float = 1.0
) -> Spectrum:
    rng = np.random.default_rng(seed)
    wavelength = np.linspace(low, low + span, points)
    return spectrum_of(wavelength, scale * rng.normal(10, 2, points))


def pyplot(spectrum: Spectrum, window: tuple[float, float] | None, title: str) -> np.ndarray:
    data = pyplot_png(spectrum.wavelength, spectrum.flux, window, title)
    return np.asarray(Image.open(BytesIO(data)).convert("RGB"))


@pytest.mark.parametrize("style", STYLES.values(), ids=list(STYLES))
@pytest.mark.parametrize("points", [40, 400, 60_000])
def test_no_line_crosses_a_gap(monkeypatch: pytest.MonkeyPatch, style: Style, points: int) -> None:
    curves: list[np.ndarray] = []
    monkeypatch.setattr(Canvas, "curve", lambda _, drawn, *more: curves.append(drawn))
    arms = np.linspace(4000.0, 5000.0, points), np.linspace(6175.0, 7000.0, points)
    wavelength = np.concatenate(arms)
    render_array(spectrum_of(wavelength, np.ones(2 * points)), style=style)
    assert len(curves) >= 2
    extent = max(curve[-1, 0] for curve in curves) - min(curve[0, 0] for curve in curves)
    for curve in curves:
        assert np.diff(curve[:, 0]).max() < 0.1 * extent


def test_reference_pictures_are_drawn_alike(reference_pictures: Path) -> None:
    cases = json.loads((reference_pictures / "cases.json").read_text())
    assert len(cases) == 12
    for case in cases:
        arrays = np.load(reference_pictures / f"{case['case']}.npz")
        with Image.open(reference_pictures / f"{case['case']}.png") as opened:
            reference = np.asarray(opened.convert("RGB"))
        window = case["wavelength_range"]
        drawn = render_array(
            spectrum_of(arrays["wavelength"], arrays["flux"]),
            tuple(window) if window else None,
            title=case["title"],
        )
        assert np.abs(np.subtract(drawn.shape, reference.shape)).max() <= 2, case
        fitted = np.asarray(Image.fromarray(drawn).resize(reference.shape[1::-1]))
        assert structural_similarity(fitted, reference, channel_axis=2) >= 0.98, case
        if mpl.__version_info__[:2] == (3, 11):  # what the references were drawn with
            assert np.array_equal(drawn, reference), case


@pytest.mark.skipif(not text.HAS_GLYPH_CALLS, reason="text is measured otherwise before 3.11")
@pytest.mark.parametrize(("spectrum", "window", "title"), [
    (noisy(), None, TITLE),
    (noisy(), (5000.0, 5400.0), "Spectrum"),
    (noisy(11_000, 3000.0, 20_000.0), None, TITLE),
    (noisy(40, 6500.0, 45.0), (6500.0, 6540.0), TITLE),
    (noisy(60, 10_830.0, 0.9), None, TITLE),  # hardly a tick, and an offset under the axis
    (noisy(300, 10_830.0, 6.0), (10_830.0, 10_836.0), TITLE),
    (noisy(scale=1e-17), None, TITLE),
    (noisy(scale=-1e-17), (4500.0, 4520.0), TITLE),
    (noisy(scale=1e30), None, "Spectrum"),
    (spectrum_of(np.arange(4000.0, 4400.0), np.zeros(400)), None, "Spectrum"),
    (spectrum_of(np.arange(4000.0, 4400.0), np.full(400, -3.0)), None, "Spectrum"),
    (spectrum_of(np.array([5000.0, 5001.0]), np.array([1.0, 2.0])), None, "Spectrum"),
    (spectrum_of(np.arange(4000.0, 4400.0), 1e6 + np.arange(400.0) % 7), None, "Spectrum"),
])  # fmt: skip
def test_pixels_equal_those_of_the_pyplot_way(
    spectrum: Spectrum, window: tuple[float, float] | None, title: str
) -> None:
    ours = render_array(spectrum, window, title=title)
    theirs = pyplot(spectrum, window, title)
    assert ours.shape == theirs.shape
    # Where a side of the frame falls half way between pixels its four corners may differ.
    assert np.count_nonzero((ours != theirs).any(axis=2)) <= 4


def test_without_the_glyph_calls_matplotlib_draws_the_same_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert text.HAS_GLYPH_CALLS, "this matplotlib moved its glyph calls: pictures are slower now"
    ours = render_array(noisy(), title=TITLE)
    monkeypatch.setattr(text, "HAS_GLYPH_CALLS", False)
    text.clear_caches()
    plain = render_array(noisy(), title=TITLE)
    text.clear_caches()
    assert np.array_equal(ours, plain)


@pytest.mark.parametrize("style", ALL_STYLES, ids=lambda style: style.name)
@pytest.mark.parametrize("flux", [
    np.zeros(50),
    np.full(50, -1e-17),
    np.linspace(-5, -1, 50),
    np.full(50, 5e-324),
    np.where(np.arange(50) == 7, 1e99, 1.0),
    np.where(np.arange(50) % 2, np.nan, 3e30 * np.arange(50)),
    np.where(np.arange(50) < 3, np.arange(50.0), np.inf),
    np.where(np.arange(50) < 2, np.arange(50.0), 1e300),
], ids=["zero", "negative", "slope", "tiny", "spike", "half nan", "mostly inf",
        "fill values"])  # fmt: skip
def test_hard_flux_still_makes_a_picture(style: object, flux: np.ndarray) -> None:
    spectrum = spectrum_of(np.linspace(5000, 5100, 50), flux)
    picture = render_array(spectrum, style=style)  # type: ignore[arg-type]
    assert picture.dtype == np.uint8
    assert picture.shape[2] == 3
    assert 0 < np.count_nonzero((picture < 128).any(axis=2)) < picture.shape[0] * picture.shape[1]


@pytest.mark.parametrize("style", ALL_STYLES, ids=lambda style: style.name)
def test_two_pixels_are_enough_and_one_is_not(style: object) -> None:
    pair = spectrum_of(np.array([5000.0, 5001.0, 5002.0]), np.array([1.0, 2.0, np.nan]))
    assert render_array(pair, style=style).size  # type: ignore[arg-type]
    with pytest.raises(SpectrumError, match="1 finite pixels"):
        render_array(pair, (5000.9, 5002.0), style=style)  # type: ignore[arg-type]


@pytest.mark.parametrize("style", ALL_STYLES, ids=lambda style: style.name)
@pytest.mark.parametrize("step", [0.0, 1e-9, 0.01, 9e5])
def test_any_span_of_wavelength_has_a_bearable_number_of_ticks(
    style: object, step: float, caplog: pytest.LogCaptureFixture
) -> None:
    wavelength = np.array([5000.0, np.nextafter(5000.0, 6000.0) + step])
    pair = spectrum_of(wavelength, np.array([1.0, 2.0]))
    picture = render_array(pair, style=style)  # type: ignore[arg-type]
    assert max(picture.shape) < 1000
    assert not caplog.records


def test_points_that_are_not_finite_change_nothing() -> None:
    clean = noisy(500)
    wavelength = np.insert(clean.wavelength, [50, 300], clean.wavelength[[50, 300]] - 0.01)
    flux = np.insert(clean.flux, [50, 300], [np.nan, -np.inf])
    holed = spectrum_of(wavelength, flux)
    assert np.array_equal(render_array(holed, title="t"), render_array(clean, title="t"))


def test_published_shows_masked_pixels_and_compact_does_not() -> None:
    wavelength, flux = np.linspace(5000, 5200, 200), np.ones(200)
    flux[::2] = 1.01
    flux[90:110] = 0.0
    masked = Spectrum(wavelength=wavelength, flux=flux, mask=flux == 0)
    unmasked = spectrum_of(wavelength, flux)
    assert np.array_equal(render_array(masked), render_array(unmasked))
    one, other = (render_array(each, style=COMPACT) for each in (masked, unmasked))
    assert not np.array_equal(one, other)


def test_a_hundred_thousand_pixels_look_as_all_of_them_do() -> None:
    many = noisy(100_000, 3000.0, 7000.0)
    picture = render_array(many, title="Spectrum")
    theirs = pyplot(many, None, "Spectrum")
    assert picture.shape == theirs.shape
    assert structural_similarity(picture, theirs, channel_axis=2) > 0.99


@pytest.mark.parametrize("style", ALL_STYLES, ids=lambda style: style.name)
def test_the_same_bytes_every_time_and_in_every_thread(style: object) -> None:
    spectra = [noisy(seed=seed) for seed in range(6)]

    def draw(spectrum: Spectrum) -> bytes:
        return png_bytes(render_spectrum(spectrum, (4500, 5500), title=TITLE, style=style))  # type: ignore[arg-type]

    text.clear_caches()
    alone = [draw(spectrum) for spectrum in spectra]
    text.clear_caches()
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(draw, spectra * 6))
    assert together == alone * 6
    assert len(set(alone)) == len(spectra)


def test_a_redshift_moves_the_picture_to_the_rest_frame() -> None:
    rest = noisy()
    moved = spectrum_of(rest.wavelength * 1.5, rest.flux)
    window = (5000.0, 5400.0)
    at_rest = render_array(rest, window, title="t")
    assert np.array_equal(render_array(moved, window, title="t", z=0.5), at_rest)
    with pytest.raises(SpectrumError, match="redshift"):
        render_array(moved, z=float("nan"))


def test_titles_come_from_the_file_and_are_kept_to_one_line() -> None:
    base = noisy()
    named = Spectrum(wavelength=base.wavelength, flux=base.flux, path="/data/spec-1.fits.gz")
    assert default_title(named) == "Spectrum: spec-1.fits.gz"
    assert default_title(base) == "Spectrum"
    assert np.array_equal(render_array(base, title="a\n\tb\x00"), render_array(base, title="a b"))
    wide = render_array(base, title="x" * 1_000_000).shape[1]
    assert wide == render_array(base, title="x" * 200).shape[1] < 2500


def test_odd_characters_in_a_title_are_boxes_not_warnings() -> None:
    for title in ("谱.fits", "$x^2$ \\frac", "\ud800", "🌟", "fi ffi ﬁ", ""):
        assert render_array(noisy(), title=title).size


def test_neither_the_agent_nor_the_tool_loads_matplotlib_until_a_picture_is_drawn() -> None:
    script = (
        "import sys, agent.protocol.tool, agent.rendering.model_image\n"
        "from agent.rendering import render\n"
        "assert not [m for m in sys.modules if m.startswith('matplotlib')]\n"
        "import numpy as np\n"
        "from agent.spectra.spectrum import Spectrum\n"
        "s = Spectrum(wavelength=np.arange(5000., 5100), flux=np.arange(100.))\n"
        "for style in render.STYLES.values(): render.render_array(s, style=style)\n"
        "assert 'matplotlib.figure' not in sys.modules, 'artists'\n"
        "assert 'matplotlib.pyplot' not in sys.modules, 'pyplot'\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_png_bytes_of_a_picture_hold_the_same_pixels() -> None:
    picture = render_spectrum(noisy(), style=STYLES["compact"])
    assert picture.mode == "RGB"
    opened = Image.open(BytesIO(png_bytes(picture)))
    assert np.array_equal(np.asarray(opened), np.asarray(picture))


# Thinned curves, tick positions and the info box.
@pytest.mark.parametrize(("points", "corner"), [
    # wavelength, flux: corners of a 0..10 square, drawn so that one quarter is emptiest
    ([(0, 0), (1, 1), (9, 9), (10, 10), (9, 1)], ("top", "left")),
    ([(0, 0), (1, 1), (1, 9), (10, 2), (9, 1), (0, 10)], ("top", "right")),
    ([(0, 10), (1, 9), (9, 9), (10, 10), (9, 1), (10, 0)], ("bottom", "left")),
    ([(0, 10), (1, 9), (9, 9), (10, 10), (0, 0), (1, 1)], ("bottom", "right")),
    ([(0, 0), (10, 10)], ("top", "left")),
    ([(0, 10), (10, 0)], ("top", "right")),
    ([(0, 10), (1, 10), (10, 10), (10, 0)], ("bottom", "left")),
])  # fmt: skip
def test_the_box_takes_the_emptiest_corner(
    points: list[tuple[float, float]], corner: tuple[str, str]
) -> None:
    wavelength, flux = np.array(sorted(points), dtype=float).T
    assert emptiest_corner(wavelength, flux) == corner


def test_the_box_tells_points_and_ranges() -> None:
    wavelength = np.array([4000.04, 4001.0, 4002.06])
    shown = DrawnPixels(wavelength, np.array([-2.5334, 1.0, 57.69]), wavelength > 0, whole=True)
    assert info_lines(shown) == (
        "Data points: 3", "λ range: 4000.0 - 4002.1 Å", "Flux range: -2.53e+00 - 5.77e+01",
    )  # fmt: skip


def test_thinning_keeps_ends_and_every_extreme() -> None:
    rng = np.random.default_rng(0)
    points = np.column_stack([np.arange(1003.0), rng.normal(size=1003)])
    points[417, 1], points[711, 1] = 50.0, -50.0
    kept = thinned(points, most=100)
    assert 100 <= len(kept) <= 130
    assert (np.diff(kept[:, 0]) > 0).all()
    assert {0.0, 417.0, 711.0} <= set(kept[:, 0])
    assert thinned(points, most=1003) is points


def window(span: float, points: int = 100, *, whole: bool) -> DrawnPixels:
    wavelength = np.linspace(4000.0, 4000.0 + span, points)
    return DrawnPixels(wavelength, np.ones(points), np.ones(points, dtype=bool), whole)


OF_WHOLE = [
    (3000.5, (10, 6)), (3000, (8, 5)), (1000.5, (8, 5)), (1000, (7, 4.5)), (200.5, (7, 4.5)),
    (200, (6, 4)), (1, (6, 4)),
]  # fmt: skip
OF_ZOOM = [
    (49.5, (6, 4)), (50, (7, 4.5)), (199.5, (7, 4.5)), (200, (8, 5)), (999.5, (8, 5)),
    (1000, (9, 5.5)), (5000, (9, 5.5)),
]  # fmt: skip


def test_sizes_of_whole_spectra_and_of_zooms() -> None:
    for whole, sizes in ((True, OF_WHOLE), (False, OF_ZOOM)):
        for span, size in sizes:
            assert figure_size(window(span, whole=whole)) == size, (span, whole)


@pytest.mark.parametrize(
    ("points", "factor"), [(2, 0.95), (49, 0.95), (50, 1.0), (10_000, 1.0), (10_001, 1.05)]
)
@pytest.mark.parametrize("whole", [True, False])
def test_width_follows_the_number_of_points(points: int, factor: float, whole: bool) -> None:
    usual = figure_size(window(2000, whole=whole))
    assert figure_size(window(2000, points, whole=whole)) == (usual[0] * factor, usual[1])
