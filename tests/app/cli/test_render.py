from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from agent.errors import ToolError, WorkbenchError
from agent.rendering.render import COMPACT, STYLES, render_array
from agent.spectra.spectrum import Spectrum
from app.cli import render as command
from app.cli.main import workbench
from tests.agent.spectra.readers import samples

REPLY = "Generated spectral visualization focused on wavelength range (5000, 5200) Å"


@pytest.fixture
def spectrum(monkeypatch: pytest.MonkeyPatch) -> Spectrum:
    wavelength = np.linspace(4000, 7000, 900)
    made = Spectrum(wavelength=wavelength, flux=np.sin(wavelength / 30), path="star.fits")
    monkeypatch.setattr(command, "read_row", lambda path, row: made if row == "0" else None)
    return made


def run(*arguments: object) -> str:
    result = CliRunner().invoke(
        workbench(), ["render", *map(str, arguments)], catch_exceptions=False, standalone_mode=False
    )
    return result.output


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as opened:
        return np.asarray(opened)


def test_the_whole_spectrum_is_written(spectrum: Spectrum, tmp_path: Path) -> None:
    out = tmp_path / "whole.png"
    assert "whole spectrum" in run("star.fits", out)
    assert np.array_equal(pixels(out), render_array(spectrum, title="Spectrum: star.fits"))


def test_a_range_is_answered_as_the_tool_answers(spectrum: Spectrum, tmp_path: Path) -> None:
    out = tmp_path / "part.PNG"
    options = ("--range", 5000, 5200, "--label", "Mg b", "--style", "compact", "--title", "T")
    assert run("star.fits", out, *options) == f"{REPLY} for Mg b.\n"
    assert np.array_equal(pixels(out), render_array(spectrum, (5000, 5200), style=COMPACT))


def test_an_older_picture_is_replaced(spectrum: Spectrum, tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    out.write_bytes(b"old")
    run("star.fits", out, "--range", 5000, 5200)
    assert pixels(out).shape[2] == 3


def test_a_row_by_number_and_by_targetid(tmp_path: Path) -> None:
    desi = tmp_path / "coadd.fits"
    desi.write_bytes(samples.desi())
    pictures = []
    for row in ("2", str(samples.TARGETS[2]), "1"):
        run(desi, tmp_path / "out.png", "--row", row)
        pictures.append(pixels(tmp_path / "out.png"))
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])


def test_a_simulated_one_is_called_so(tmp_path: Path) -> None:
    sample = next((Path(__file__).parents[3] / "resources" / "sample").rglob("spec-*.fits.gz"))
    assert (
        run(sample, tmp_path / "out.png")
        == f"{tmp_path / 'out.png'}: the whole spectrum, SIMULATED\n"
    )


def test_styles_on_offer_are_those_there_are() -> None:
    assert {style.value for style in command.StyleName} == set(STYLES)


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("out.jpg", (), r"ends in \.png"),
        ("out", (), r"ends in \.png"),
        ("nowhere/out.png", (), "is not an existing folder"),
        ("folder.png", (), "is a folder"),
        ("out.png", ("--label", "x"), "give --range"),
    ],
)
def test_targets_that_cannot_be_written_are_refused(
    spectrum: Spectrum, tmp_path: Path, name: str, options: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(WorkbenchError, match=reason):
        run("star.fits", tmp_path / name, *options)
    assert not (tmp_path / name).is_file()


@pytest.mark.parametrize("ends", [(5200, 5000), (8000, 9000), ("nan", 5000), ("1e300", "inf")])
def test_refused_ranges_write_nothing(
    spectrum: Spectrum, tmp_path: Path, ends: tuple[object, object]
) -> None:
    out = tmp_path / "out.png"
    with pytest.raises(ToolError):
        run("star.fits", out, "--range", *ends)
    assert not out.exists()


def test_a_real_file_is_drawn(real_spectra: Path, tmp_path: Path) -> None:
    source = next(iter(sorted(real_spectra.glob("spec-*.fits.gz"))), None)
    if source is None:
        pytest.skip("no survey spectrum is beside this checkout")
    out = tmp_path / "out.png"
    run(source, out)
    assert pixels(out).shape == (472, 792, 3)
