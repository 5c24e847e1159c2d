import csv
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from train.cli import app
from train.stars import command
from train.stars.command import Star, label_from_parameters, label_from_spectral_type, stars


@pytest.fixture
def wheels(tmp_path: Path) -> tuple[Path, Path]:
    return mangadap_wheel(tmp_path / "mangadap.whl"), aspired_wheel(tmp_path / "aspired.whl")


def mangadap_wheel(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(
            f"{command.TEMPLATES}/miles/MILES_params.db",
            "#MILES Teff logg [Fe/H]\n  0001 3500 0.9 -0.1\n  0099 3560 0.6 0.0\n  0002 4500 2 0\n",
        )
        for number in ("0001", "0099", "0002"):
            name = f"{command.TEMPLATES}/miles/MILES_res2.50_star_m{number}V.fits"
            wheel.writestr(name, image({"TPLLIB": "MILES"}, 3540.5, 0.9, 4300))
        header = {"STARIDEN": "HD148783", "SPECTYPE": "M6III"}
        name = f"{command.TEMPLATES}/stelib/STELIB_v3.2_HD148783.fits"
        wheel.writestr(name, image(header, 3200.0, 1.0, 6700))
    return path


def image(header: dict[str, str], first: float, step: float, size: int) -> bytes:
    hdu = fits.PrimaryHDU(np.linspace(1, 2, size))
    hdu.header.update(header | {"CRPIX1": 1, "CRVAL1": first, "CDELT1": step})
    out = io.BytesIO()
    hdu.writeto(out)
    return out.getvalue()


def aspired_wheel(path: Path) -> Path:
    rows = (f"{w:.1f} 0.5E+03 0.17E+02\n" for w in range(2000, 12_000, 2))
    table = "".join(("a headline\n", *rows))
    with zipfile.ZipFile(path, "w") as wheel:
        for lists in (command.WHITE_DWARFS, command.HOT_SUBDWARFS):
            for folder, names in lists.items():
                for name in names.split():
                    wheel.writestr(f"{command.STANDARDS}/{folder}/f{name}.dat", table)
    return path


def test_folder_is_one_that_library_figures_are_made_of(
    wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "stars"
    result = CliRunner().invoke(app, ["stars", *map(str, wheels), str(out)])
    assert result.exit_code == 0, result.output
    with (out / "MANIFEST.csv").open(encoding="utf-8", newline="") as manifest:
        rows = {row["file"]: row for row in csv.DictReader(manifest)}
    assert rows["miles-0001.fits"]["label"] == "MG" and rows["miles-0002.fits"]["label"] == "K"
    assert rows["stelib-HD148783.fits"]["label"] == "MG" and "miles-0099.fits" not in rows
    for file in rows:
        spectrum = read(out / file)
        assert spectrum.good.sum() > 1000
        if file.endswith(".fits"):
            assert spectrum.medium_in_file == "air"
        else:
            assert spectrum.wavelength[0] > 3000 and spectrum.wavelength[-1] < 10_500
            assert spectrum.ivar is None or not np.isfinite(spectrum.ivar).any()


def test_what_stands_there_is_not_written_over(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "stars").mkdir()
    (tmp_path / "stars" / "mine.txt").touch()
    with pytest.raises(WorkbenchError, match="is not empty"):
        stars(*wheels, tmp_path / "stars")


def test_another_version_of_a_package_is_named(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"aspired\.whl has no mangadap/data"):
        stars(wheels[1], wheels[0], tmp_path / "stars")


def test_a_cool_star_is_a_giant_or_a_dwarf_by_its_gravity() -> None:
    assert label_from_parameters("0001", 3500, 0.9) == "MG"
    assert label_from_parameters("0001", 3500, 4.9) == "M_DWARF"
    assert label_from_parameters("0001", 3500, 3.3) is None


def test_stars_between_two_classes_are_left_out() -> None:
    for kelvin in (3900, 5100, 6000, 7300, 10_000, 29_500):
        assert label_from_parameters("0001", kelvin, 3.5) is None
    for spectral_type in ("K7III", "sdF5"):
        assert label_from_spectral_type("HD1", spectral_type) is None


def test_none_of_the_labelled_spectra_comes_again() -> None:
    assert label_from_parameters("0816", 3008, 0.0) is None
    assert label_from_spectral_type("HD086161", "WN") is None
    assert len(command.AMONG_THE_LABELLED) == 41


def test_giants_with_deep_zirconium_oxide_are_s_stars() -> None:
    assert label_from_parameters("0781", 3400, 0.3) == "SS"


@pytest.mark.parametrize(
    ("name", "spectral_type", "label"),
    [
        ("HD1", "M6III", "MG"), ("HD1", "M2V", "M_DWARF"), ("HD1", "B5III", "B"),
        ("HD1", "WC", "OTHER"), ("Feige110", "DA:", "OTHER"), ("LTT4364", "DC:", "WD"),
    ],
)  # fmt: skip
def test_types_of_stelib(name: str, spectral_type: str, label: str) -> None:
    assert label_from_spectral_type(name, spectral_type) == label


def test_of_a_common_label_only_some_are_kept_from_all_of_the_list() -> None:
    many = [Star(f"{n:04}", "MILES", "K", "") for n in range(100)]
    few = [Star(f"{n:04}", "MILES", "MG", "") for n in range(30)]
    kept = command.thinned(many + few)
    common = [int(star.name) for star in kept if star.label == "K"]
    assert len(common) == command.AT_MOST["K"] and len(set(common)) == len(common)
    assert min(common) < 10 and max(common) > 90
    assert [star for star in kept if star.label == "MG"] == few
