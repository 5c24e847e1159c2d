from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from tests.train.simulate.helpers import star
from train.simulate.atlas import observe_atlas
from train.simulate.layouts import atlas, desi, lamost, sdss
from train.simulate.layouts.common import Entry, Stamp, draw_target
from train.simulate.telescope.observation import Observation
from train.simulate.telescope.pipeline_class import PipelineClass
from train.simulate.telescope.telescope import observe

GUESS = PipelineClass("STAR", "A5V", 1.5e-4)
SINGLE = [
    ("LAMOST", "DR1", "image"), ("LAMOST", "DR2", "image"), ("LAMOST", "DR5", "image"),
    ("LAMOST", "DR8", "image"), ("LAMOST", "DR10", "table"), ("SDSS", "DR8", "spec, lite"),
    ("BOSS", "DR12", "spec, lite"), ("BOSS", "DR17", "spec, lite"),
]  # fmt: skip


def entry(seen: Observation, index: int = 3, pipeline_class: PipelineClass = GUESS) -> Entry:
    rng = np.random.default_rng(index)
    return Entry(seen, draw_target(seen, index, rng), pipeline_class, Stamp(11, index, "1.2.3"))


def write_single(folder: Path, one: Entry, suffix: str = "") -> Path:
    layout = lamost if one.observation.survey == "LAMOST" else sdss
    path = folder / (layout.file_name(one) + suffix)
    layout.write(path, one)
    return path


def assert_marked(path: Path) -> None:
    with fits.open(path) as hdus:
        header = hdus[0].header
        assert header["SIMULATE"] is True
        assert "SIMULATED" in str(header["COMMENT"]) and "seed 11" in str(header["COMMENT"])
        assert "1.2.3" in str(header["COMMENT"])


@pytest.mark.parametrize(("survey", "release", "form"), SINGLE)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_reads_back_what_was_written(
    tmp_path: Path, rng: np.random.Generator, survey: str, release: str, form: str, suffix: str
) -> None:
    seen = observe(star(label="CV"), survey, rng, snr=25.0, release=release)
    one = entry(seen)
    path = write_single(tmp_path, one, suffix)
    spectrum = read(path)
    assert form in spectrum.format and spectrum.simulated
    np.testing.assert_allclose(spectrum.wavelength, seen.wavelength, rtol=2e-6)
    np.testing.assert_array_equal(spectrum.flux, seen.flux.astype(np.float32))
    np.testing.assert_array_equal(spectrum.ivar, seen.ivar)
    assert spectrum.n_bad == int((seen.ivar == 0).sum())
    place = (one.target.ra, one.target.dec)
    assert (spectrum.ra, spectrum.dec) == pytest.approx(place, abs=1e-5)
    assert (spectrum.class_name, spectrum.subclass) == ("STAR", "A5V")
    assert spectrum.z == pytest.approx(1.5e-4, rel=1e-5)
    assert spectrum.snr is not None and 5 < spectrum.snr < 60
    assert_marked(path)


@pytest.mark.parametrize(("survey", "release", "form"), SINGLE)
def test_nothing_in_the_file_gives_the_truth_away(
    tmp_path: Path, rng: np.random.Generator, survey: str, release: str, form: str
) -> None:
    source = star(label="SYMBIOTIC")
    path = write_single(tmp_path, entry(observe(source, survey, rng, release=release)))
    content = path.read_bytes() + path.name.encode()
    assert b"SYMBIOTIC" not in content and b"test" not in content


def test_same_entry_same_bytes(tmp_path: Path, rng: np.random.Generator) -> None:
    one = entry(observe(star(), "LAMOST", rng, release="DR10"))
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
        write_single(folder, one, ".gz")
    assert [p.read_bytes() for p in first.iterdir()] == [p.read_bytes() for p in second.iterdir()]


def test_a_folder_that_is_not_there_is_a_message_and_leaves_nothing(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    one = entry(observe(star(), "LAMOST", rng))
    with pytest.raises(WorkbenchError, match="could not be written"):
        lamost.write(tmp_path / "absent" / "x.fits", one)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("release", ["DR1", "DR10"])
def test_names_say_sim(tmp_path: Path, rng: np.random.Generator, release: str) -> None:
    path = write_single(tmp_path, entry(observe(star(), "LAMOST", rng, release=release)))
    spectrum = read(path)
    assert spectrum.object_id.startswith("SIM J")
    assert str(spectrum.meta["OBJNAME"]).startswith("SIM")
    assert ("OBSID" in spectrum.meta) == (release != "DR1")


def test_first_release_keeps_normalised_flux_in_row_three(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = write_single(tmp_path, entry(observe(star(), "LAMOST", rng, 40.0, release="DR1")))
    with fits.open(path) as hdus:
        assert hdus[0].data.shape[0] == 5
        assert 0.7 < np.median(hdus[0].data[2]) < 1.3
        assert "SN_G" in hdus[0].header and max(hdus[0].header["SN_I"], 0) <= 99.0


def test_boresight_is_not_where_the_object_is(tmp_path: Path, rng: np.random.Generator) -> None:
    one = entry(observe(star(), "SDSS", rng))
    with fits.open(write_single(tmp_path, one)) as hdus:
        assert abs(hdus[0].header["RA"] - one.target.ra) > 0.1
        assert hdus[2].data["PLUG_RA"][0] == one.target.ra


def test_desi_file_holds_its_targets_and_redrock_their_classes(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    others = [("QSO", "", 2.1), ("Unknown", "Non", -9999.0), ("STAR", "WD", 0)]
    entries = [
        entry(observe(star(), "DESI", rng, snr=20.0), index, pipeline_class)
        for index, pipeline_class in enumerate([GUESS, *(PipelineClass(*one) for one in others)])
    ]
    path = tmp_path / (desi.file_name(entries[0]) + ".gz")
    desi.write(path, entries)
    answers = [("STAR", "A"), ("QSO", "HIZ"), ("GALAXY", ""), ("STAR", "WD")]
    for row, (one, answer) in enumerate(zip(entries, answers, strict=True)):
        seen = one.observation
        spectrum = read(path, row=row)
        assert spectrum.rows == 4 and spectrum.simulated
        assert spectrum.object_id == str(one.target.targetid)
        assert (spectrum.class_name, spectrum.subclass) == answer
        np.testing.assert_allclose(spectrum.wavelength, seen.wavelength, atol=1e-6)
        good = seen.ivar > 0
        scale = float(np.median(np.abs(seen.flux)))
        np.testing.assert_allclose(spectrum.flux[good], seen.flux[good], atol=3e-6 * scale)
        np.testing.assert_allclose(spectrum.ivar, seen.ivar, rtol=1e-6)
        assert read(path, target=one.target.targetid).row == row
    assert_marked(path)
    assert_marked(desi.redrock_path(path))


@pytest.mark.parametrize("errors_known", [True, False])
def test_atlas_table_reads_back(
    tmp_path: Path, rng: np.random.Generator, errors_known: bool
) -> None:
    one = entry(observe_atlas(star(), rng, errors_known=errors_known))
    path = tmp_path / atlas.file_name(one)
    atlas.write(path, one)
    spectrum = read(path)
    np.testing.assert_allclose(spectrum.wavelength, one.observation.wavelength, rtol=1e-9)
    np.testing.assert_allclose(spectrum.flux, one.observation.flux, rtol=1e-6)
    assert (spectrum.ivar is not None) == errors_known
    assert spectrum.simulated and spectrum.medium_in_file == "vacuum"
    assert_marked(path)
