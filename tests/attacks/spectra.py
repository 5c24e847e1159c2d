"""Spectra of all kinds, damaged in many ways, for everything that reads, draws or judges them.

Imported by the process of the sandbox alone: what follows loads all that a case needs.
"""

import hashlib
import math
import random
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtGui import QFont, QGuiApplication

from agent.errors import ReadError, WorkbenchError
from agent.inspection.built_in import EYE
from agent.inspection.inspector import Inspector
from agent.inspection.inspector_factory import make_inspector
from agent.inspection.measured_inspector import MeasuredInspector
from agent.rendering.render import STYLES, render_array
from agent.spectra.fits.source_file import source_of
from agent.spectra.lines import builtin_lines
from agent.spectra.readers import read
from agent.spectra.readers.base import Request
from agent.spectra.readers.fits_tables import read as read_source
from agent.spectra.spectrum import WAVELENGTHS, Spectrum
from agent.tasks.catalogue import load_tasks
from app.core.report.object_section import thumbnail
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import THEMES
from app.ui.judge.overview.cell_picture import CellLook, cell_picture
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.marks import marks, task_ranks
from app.ui.judge.plot.trace import trace
from tests.agent.spectra.readers import hostile_files, samples
from tests.agent.spectra.readers.hostile_files import MUTATIONS, damage
from tests.agent.spectra.readers.test_text_table import cds
from tests.conftest import SHARED

NUMBERS = (
    *(b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-318", b"0", b"-1", b"9" * 400),
    *(b"1_0", b"", b"x"),
)
UNITS = (
    *(b"cm-1", b"0.1nm", b"um", b"m", b"Angstrom", b"log10", b"9" * 60 + b"nm", b"GHz"),
    b"\xc3\x85",
)
HEADS = (
    *(b"wavelength flux err", b"loglam,flux,ivar", b"lambda|Flux", b"#", b"|", b"\\x"),
    *(b"Byte-by-byte Description of file: a", b"-" * 80, b"\xef\xbb\xbf"),
)
LONGEST = 3_000_000
Mutation = Callable[[bytearray, random.Random], None]


def _lines(change: Callable[[list[bytes], random.Random], None]) -> Mutation:
    """A change of the lines of a text; of others it changes what looks like lines."""

    def mutate(data: bytearray, rng: random.Random) -> None:
        lines = bytes(data).split(b"\n")
        change(lines, rng)
        data[:] = b"\n".join(lines)[:LONGEST]

    return mutate


def other_cells(lines: list[bytes], rng: random.Random) -> None:
    for _ in range(rng.choice((1, 5, 100))):
        at = rng.randrange(len(lines))
        cells = re.split(rb"([\s,;|]+)", lines[at])
        cells[rng.randrange(len(cells))] = rng.choice(NUMBERS)
        lines[at] = b"".join(cells)


def other_heads(lines: list[bytes], rng: random.Random) -> None:
    lines[: rng.choice((0, 0, 1, 2))] = rng.choices(HEADS, k=rng.choice((1, 2, 3)))


def other_units(lines: list[bytes], rng: random.Random) -> None:
    lines.insert(rng.randrange(min(len(lines), 6)), b",".join(rng.choices(UNITS, k=2)))


def other_glue(lines: list[bytes], rng: random.Random) -> None:
    glue = rng.choice((b"|", b",", b"\t", b";", b" | ", b"", b"  "))
    lines[:] = [re.sub(rb"[ ,;|\t]+", lambda _: glue, line) for line in lines]


def moved_lines(lines: list[bytes], rng: random.Random) -> None:
    rng.choice((lines.reverse, lines.sort, lambda: rng.shuffle(lines)))()


def many_lines(lines: list[bytes], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    lines[at:at] = [rng.choice((b"", b"#", lines[at][:100], b"5000 1 1"))] * rng.choice(
        (1, 500, 20_000)
    )


def long_line(lines: list[bytes], rng: random.Random) -> None:
    filling = rng.choice((b" ", b"-", b"|", b"9", b"1 ", b"-+", b",", b"\t", b"<TD>", b"e"))
    lines.insert(rng.randrange(len(lines)), filling * rng.choice((200, 20_000, 90_000)))


def scaled_axis(lines: list[bytes], rng: random.Random) -> None:
    """The first number of each line becomes larger or smaller, or the number of the line."""
    factor = rng.choice((1e-4, 0.1, 1e3, 1e30, 1e-300, -1.0, None))
    for at, line in enumerate(lines):
        match = re.match(rb"\s*(\d{1,9}\.?\d*)", line[:1000])
        if match:
            value = at if factor is None else float(match.group(1)) * factor
            lines[at] = b"%.9g" % value + line[match.end() :]


def other_axis(data: bytearray, rng: random.Random) -> None:
    """Other wavelengths in a FITS header, among them those of the sky."""
    axes = (
        {"CTYPE1": "'-999'"}, {"CTYPE1": "'RA---TAN'"}, {"CTYPE1": "'WAVE-LOG'"},
        {"CRVAL1": "347.25"}, {"CRVAL1": "1E308", "CDELT1": "1E300"}, {"CDELT1": "1E-300"},
        {"CRVAL1": "-999"}, {"CTYPE1": "'MULTISPE'"}, {"CUNIT1": "'m'"}, {"DC-FLAG": "1"},
        {"COEFF0": "300.0"}, {"COEFF1": "1E-12"}, {"CRPIX1": "1E18"}, {"BSCALE": "1E300"},
    )  # fmt: skip
    for key, value in rng.choice(axes).items():
        at = data.find(key.ljust(8).encode() + b"=")
        at = data.find(b"END" + b" " * 77) if at < 0 else at
        if at >= 0:
            data[at : at + 80] = f"{key:8}= {value:>20}".ljust(80).encode()


def swapped_types(data: bytearray, rng: random.Random) -> None:
    """Numbers of FITS data are read in another type, and so as wild values."""
    old, new = rng.sample(("-32", "-64", "16", "32", "64", "8"), 2)
    at = data.find(f"BITPIX  = {old:>20}".encode())
    if at >= 0:
        data[at : at + 30] = f"BITPIX  = {new:>20}".encode()


OF_TEXT: tuple[Mutation, ...] = (
    *(hostile_files.flip, hostile_files.truncate, hostile_files.pack_badly, hostile_files.join),
    *map(_lines, (other_cells, other_heads, other_units, other_glue, moved_lines, many_lines)),
    *map(_lines, (long_line, scaled_axis, other_cells, scaled_axis)),
)
OF_FITS: tuple[Mutation, ...] = (*MUTATIONS, other_axis, other_axis, swapped_types)


def any_fitting(data: bytearray, rng: random.Random) -> None:
    """A change that suits the kind of file, now and then one that does not."""
    is_text = not data.startswith((b"SIMPLE", b"\x1f\x8b"))
    rng.choice(OF_TEXT if is_text != (rng.random() < 0.05) else OF_FITS)(data, rng)


def _kast() -> bytes:
    rows = [3500.0 + np.arange(300.0), samples.FLUX.mean() + np.sin(np.arange(300.0)), np.ones(300)]
    return samples.image_1d(np.array(rows), CTYPE1="-999", CRVAL1=347.25, CD1_1=1e-4)


def _files() -> list[tuple[str, bytes]]:
    files = [file for file in hostile_files.seeds(None) if "redrock" not in file[0]]
    three = (samples.WAVELENGTH, samples.FLUX, np.full(samples.PIXELS, 2.0))
    files += [
        ("kast.fits", _kast()),
        ("cds.dat", cds().encode()),
        ("three.dat", samples.text(three)),
        ("ruled.tsv", samples.text(three, "lambda|flux|err\nnm|Jy|Jy\n----|---|---\n", "|")),
        ("table.csv.gz", samples.gz(samples.text(head="wavelength,flux\n", glue=","))),
        ("table.vot.gz", samples.gz(samples.votable())),
    ]
    for folder in ("spectra", "labelled"):
        if (SHARED / folder).is_dir():
            real = [file for file in hostile_files.seeds(SHARED / folder) if len(file[1]) > 1000]
            # As often as all others together, large ones less often: they cost more.
            files += real[len(hostile_files.seeds(None)) :: 1 if folder == "spectra" else 4]
    return files


FILES = _files()
TASKS = list(load_tasks())


def attack(batch: int, number: int) -> dict[str, Any]:
    """Read one damaged file, draw it in all ways, measure it. Raises AssertionError."""
    with tempfile.TemporaryDirectory() as folder:
        spectrum, why, rng = _read(batch, number, Path(folder))
    if spectrum is None:
        return {"why": why}
    check(spectrum)
    draw(spectrum, rng)
    inspector = MeasuredInspector(draw=False)
    return {"judged": inspect(inspector, spectrum, rng)}


def _read(batch: int, number: int, folder: Path) -> tuple[Spectrum | None, str, random.Random]:
    name, data, rng = damage(FILES, f"{batch}:{number}", (any_fitting,))
    path = folder / name
    path.write_bytes(data)
    try:
        return read(path, row=rng.choice((0, 0, 0, 0, 0, 0, 0, 0, 1, 4))), "", rng
    except ReadError as error:
        assert "\n" not in str(error), str(error)
        assert str(error).startswith(name), str(error)
        return None, str(error)[:200], rng


def check(spectrum: Spectrum) -> None:
    wavelength = spectrum.wavelength
    assert len(spectrum) >= 2
    assert (np.diff(wavelength) > 0).all()
    assert WAVELENGTHS[0] <= wavelength[0] < wavelength[-1] <= WAVELENGTHS[1]
    texts = (spectrum.object_id, spectrum.survey, spectrum.class_name, *spectrum.warnings)
    assert all(text.isprintable() for text in texts), texts
    for value, low, high in ((spectrum.ra, 0.0, 360.0), (spectrum.dec, -90.0, 90.0)):
        assert value is None or low <= value <= high
    for value in (spectrum.z, spectrum.snr, spectrum.resolution):
        assert value is None or math.isfinite(value)


def draw(spectrum: Spectrum, rng: random.Random) -> None:
    style = STYLES[rng.choice(sorted(STYLES))]
    low, high = spectrum.range
    centre = rng.uniform(low, high)
    for window in (None, (centre - 100.0, centre + 150.0)):
        try:
            picture = render_array(spectrum, window, style=style)
        except WorkbenchError as error:
            assert "\n" not in str(error)
            continue
        assert picture.dtype == np.uint8
        assert 100 < picture.shape[1] < 2000
        assert 60 < picture.shape[0] < 2000
    for smoothing in (0.0, 5.0):
        made = trace(spectrum, smoothing)
        bottom, top = flux_range(made, made.range)
        assert bottom < top
        assert math.isfinite(top - bottom)
    assert str(thumbnail(spectrum, None)).startswith("<svg")


def cell(batch: int, number: int) -> dict[str, Any]:
    """A damaged spectrum as a cell of the contact sheet, large and small, in any window."""
    _ = QGuiApplication([])
    with tempfile.TemporaryDirectory() as folder:
        spectrum, why, rng = _read(batch, number, Path(folder))
    if spectrum is None:
        return {"why": why}
    z = rng.choice([0.0, 0.05, -0.5, spectrum.z or 0.0])
    lines = builtin_lines()
    task = rng.choice(TASKS)
    ranks = task_ranks(task, lines)
    for width, height in ((240, 160), (40, 30), (1, 1)):
        low, high = sorted((rng.uniform(1000.0, 30_000.0), spectrum.range[0]))
        window = rng.choice([None, (low, high), (6500.0, 6630.0)])
        look = CellLook(
            theme=THEMES["dark"], width=width, height=height, top=12, dots=1.0,
            font=QFont().toString(), window=window, unit="Å", medium="air", is_rest=True,
        )  # fmt: skip
        frame = WavelengthFrame(is_air=True, is_rest=True, z=z)
        made = cell_picture(
            trace(spectrum), look, marks(lines, task.lines, ranks, z, ranks), frame, z
        )
        assert (made.width(), made.height()) == (width, height)
    return {}


def inspect(inspector: Inspector, spectrum: Spectrum, rng: random.Random) -> bool:
    """Whether it was judged; it may be refused in a sentence."""
    steps = inspector.inspect(spectrum, rng.choice(TASKS))
    try:
        while True:
            next(steps)
    except StopIteration as end:
        record = end.value
    except WorkbenchError as error:
        assert "\n" not in str(error)
        return False
    assert record.stopped_by in ("answer", "turn_limit", "length"), record.stop_reason
    assert record.p_yes is None or 0.0 <= record.p_yes <= 1.0
    return record.verdict is not None


def _digest(spectrum: Spectrum) -> str:
    arrays = (spectrum.wavelength, spectrum.flux, spectrum.ivar)
    parts = (b"" if each is None else each.tobytes() for each in arrays)
    return hashlib.sha256(b"|".join(parts)).hexdigest()[:24]


def bundled(batch: int, count: int) -> dict[str, Any]:
    """Inspect `count` spectra that were read, each another, with the bundled model."""
    inspector = make_inspector(EYE, threads=1)
    seen: set[str] = set()
    judged = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        while len(seen) < count:
            spectrum, _, rng = _read(batch, tried, Path(folder))
            tried += 1
            if spectrum is None or (digest := _digest(spectrum)) in seen:
                continue
            seen.add(digest)
            judged += inspect(inspector, spectrum, rng)
    inspector.close()
    return {"inspected": len(seen), "judged": judged, "tried": tried}


def growth(few: int, many: int) -> float:
    """How many times longer than of few pixels a spectrum of many takes."""
    return _seconds(many) / min(_seconds(few) for _ in range(2))


def _seconds(pixels: int) -> float:
    """Of the processor, to read a table, draw it in all ways and measure it."""
    rng = np.random.default_rng(7)
    wavelength = np.linspace(3700.0, 9000.0, pixels)
    flux = 100.0 + rng.normal(0.0, 5.0, pixels)
    columns = {"WAVE": ("D", wavelength), "FLUX": ("E", flux), "ERR": ("E", np.full(pixels, 5.0))}
    began = time.process_time()
    spectrum = read_source(source_of(samples.fits_table(columns), "a.fits"), Request())
    assert len(spectrum) == pixels
    for style in STYLES.values():
        render_array(spectrum, style=style)
    draw(spectrum, random.Random(0))
    assert inspect(MeasuredInspector(draw=False), spectrum, random.Random(0))
    return time.process_time() - began


def warm() -> None:
    """Load fonts, lines, weights and tables once, not in every case."""
    spectrum = Spectrum(wavelength=samples.WAVELENGTH, flux=samples.FLUX)
    for style in STYLES.values():
        render_array(spectrum, style=style)
    draw(spectrum, random.Random(0))
    list(MeasuredInspector(draw=False).inspect(spectrum, TASKS[0]))


warm()
