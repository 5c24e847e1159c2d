import json
import sys
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from PIL import Image

from agent.errors import ReadError, ToolError, WorkbenchError
from agent.rendering.render import COMPACT, STYLES, render_array
from agent.spectra.spectrum import Spectrum
from app.cli import render as command
from app.cli.main import main
from tests.agent.spectra.readers import samples
from tests.app.cli import commands
from tests.processes import full_disk, loaded

KEYS = {
    "survey", "release", "format", "object_id", "ra", "dec", "class", "subclass", "snr", "z",
    "n_pixels", "n_bad", "wavelength", "medium_in_file", "flux_unit", "rows", "warnings",
}  # fmt: skip


run = partial(commands.invoke, "info")


@pytest.fixture
def lamost(tmp_path: Path) -> Path:
    path = tmp_path / "spec-1.fits.gz"
    path.write_bytes(samples.gz(samples.lamost_table(SIMULATE=True)))
    return path


@pytest.fixture
def desi(tmp_path: Path) -> Path:
    path = tmp_path / "coadd-1.fits"
    path.write_bytes(samples.desi())
    return path


def test_json_alone_on_stdout_with_its_keys_and_the_plain_form(lamost: Path) -> None:
    result = run(lamost, "--json")
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert set(facts) >= KEYS and facts["survey"] == "LAMOST"
    assert facts["simulated"] is True and facts["n_pixels"] == samples.PIXELS
    assert facts["wavelength"] == pytest.approx([samples.WAVELENGTH[0], samples.WAVELENGTH[-1]])
    assert result.stdout.count("\n") == 1
    result = run(lamost)
    assert result.exit_code == 0
    for text in ("spec-1.fits.gz", "LAMOST DR10, SIMULATED", "G3", "240 (4 bad)", "vacuum"):
        assert text in result.stdout


def test_what_is_not_told_is_null_never_nan(tmp_path: Path) -> None:
    path = tmp_path / "star.dat"
    flux = samples.FLUX.copy()
    flux[3] = np.nan
    path.write_bytes(samples.text((samples.WAVELENGTH, flux)))
    result = run(path, "--json")
    assert "NaN" not in result.stdout
    facts = json.loads(result.stdout)
    assert facts["ra"] is None and facts["z"] is None
    assert facts["n_bad"] == 1


def test_markup_in_a_header_is_shown_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.fits"
    path.write_bytes(samples.lamost_image(SUBCLASS="[red]K5[/]"))
    assert "[red]K5[/]" in run(path).stdout


def test_rows_by_number_and_targetid_and_wrong_ones(desi: Path, tmp_path: Path) -> None:
    by_row = json.loads(run(desi, "--json", "--row", "2").stdout)
    by_target = json.loads(run(desi, "--json", "--row", str(samples.TARGETS[2])).stdout)
    assert by_row == by_target and (by_row["row"], by_row["rows"]) == (2, 5)
    assert run(desi, "--row", "two").exit_code == 2
    assert isinstance(run(desi, "--row", "5").exception, ReadError)
    assert isinstance(run(tmp_path / "gone.fits").exception, ReadError)


def test_the_program_ends_with_one_and_a_message_without_traceback(
    desi: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["spec-o3", "info", str(desi), "--row", "9", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert ended.value.code == 1
    assert out == ""
    assert err.startswith("spec-o3: coadd-1.fits: it holds 5 spectra") and "Traceback" not in err


def test_info_imports_nothing_heavy(lamost: Path) -> None:
    code = "from agent.spectra.readers import read; import app.cli.info;"
    heavy = ("astropy", "specutils", "scipy", "matplotlib", "PySide6")
    assert loaded(f"{code} read({str(lamost)!r})", *heavy) == []


REPLY = "Generated spectral visualization focused on wavelength range (5000, 5200) Å"


@pytest.fixture
def spectrum(monkeypatch: pytest.MonkeyPatch) -> Spectrum:
    wavelength = np.linspace(4000, 7000, 900)
    made = Spectrum(wavelength=wavelength, flux=np.sin(wavelength / 30), path="star.fits")
    monkeypatch.setattr(command, "read_row", lambda path, row: made if row == "0" else None)
    return made


render = partial(commands.run, "render")


def test_a_full_disk_leaves_the_picture_before(spectrum: Spectrum, tmp_path: Path) -> None:
    out = tmp_path / "star.png"
    for before in ([], [out]):
        with full_disk(), pytest.raises(WorkbenchError, match=r"star\.png could not be written"):
            render("star.fits", out)
        assert [*tmp_path.glob("*.p*"), *tmp_path.glob(".*")] == before
        out.write_bytes(b"before")
    assert out.read_bytes() == b"before"


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as opened:
        return np.asarray(opened)


def test_the_whole_or_a_range_is_written_as_the_tool_answers(
    spectrum: Spectrum, tmp_path: Path
) -> None:
    out = tmp_path / "whole.png"
    assert "whole spectrum" in render("star.fits", out)
    assert np.array_equal(pixels(out), render_array(spectrum, title="Spectrum: star.fits"))
    out = tmp_path / "part.PNG"
    options = ("--range", 5000, 5200, "--label", "Mg b", "--style", "compact", "--title", "T")
    assert render("star.fits", out, *options) == f"{REPLY} for Mg b.\n"
    assert np.array_equal(pixels(out), render_array(spectrum, (5000, 5200), style=COMPACT))
    out = tmp_path / "out.png"
    out.write_bytes(b"old")
    render("star.fits", out, "--range", 5000, 5200)
    assert pixels(out).shape[2] == 3


def test_a_row_by_number_and_by_targetid(tmp_path: Path) -> None:
    desi = tmp_path / "coadd.fits"
    desi.write_bytes(samples.desi())
    pictures = []
    for row in ("2", str(samples.TARGETS[2]), "1"):
        render(desi, tmp_path / "out.png", "--row", row)
        pictures.append(pixels(tmp_path / "out.png"))
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])


def test_a_simulated_one_is_called_so(tmp_path: Path) -> None:
    sample = next((Path(__file__).parents[3] / "resources" / "sample").rglob("spec-*.fits.gz"))
    found = render(sample, tmp_path / "out.png")
    assert found == f"{tmp_path / 'out.png'}: the whole spectrum, SIMULATED\n"


def test_styles_on_offer_are_those_there_are() -> None:
    assert set(get_args(command.StyleName)) == set(STYLES)


@pytest.mark.parametrize(("name", "options", "reason"), [
    ("out.jpg", (), r"ends in \.png"),
    ("out", (), r"ends in \.png"),
    ("nowhere/out.png", (), "is not an existing folder"),
    ("folder.png", (), "is a folder"),
    ("out.png", ("--label", "x"), "give --range"),
])  # fmt: skip
def test_targets_that_cannot_be_written_are_refused(
    spectrum: Spectrum, tmp_path: Path, name: str, options: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(WorkbenchError, match=reason):
        render("star.fits", tmp_path / name, *options)
    assert not (tmp_path / name).is_file()


@pytest.mark.parametrize("ends", [(5200, 5000), (8000, 9000), ("nan", 5000), ("1e300", "inf")])
def test_refused_ranges_write_nothing(
    spectrum: Spectrum, tmp_path: Path, ends: tuple[object, object]
) -> None:
    out = tmp_path / "out.png"
    with pytest.raises(ToolError):
        render("star.fits", out, "--range", *ends)
    assert not out.exists()


def test_a_real_file_is_drawn(real_spectra: Path, tmp_path: Path) -> None:
    source = next(iter(sorted(real_spectra.glob("spec-*.fits.gz"))), None)
    if source is None:
        pytest.skip("no survey spectrum is beside this checkout")
    out = tmp_path / "out.png"
    render(source, out)
    assert pixels(out).shape == (472, 792, 3)
