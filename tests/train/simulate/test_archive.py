import csv
import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from app.core.importing.sky import unit_vectors
from tests.train.simulate.helpers import SETTINGS, star, truth_rows
from train.simulate import templates
from train.simulate.archive import SETTINGS_FILE, jobs_of, read_shard, run_campaign
from train.simulate.atlas import MIN_SPAN, RESOLUTIONS, observe_atlas
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum, usable_bases
from train.simulate.realism.library import Library
from train.simulate.sky import LABELS
from train.simulate.source import GRID, LIGHT_KMS, STEP_KMS
from train.simulate.telescope.observation import to_spectrum
from train.simulate.templates import (
    FOLDER,
    INDEX_FILE,
    KINDS,
    README_FILE,
    at_template_resolution,
    build,
    template,
)
from train.simulate.truth import (
    CANDIDATE_COLUMNS,
    CANDIDATES_FILE,
    TRUTH_COLUMNS,
    TRUTH_FILE,
    Tables,
)

DESI = Settings(seed=9, count=11, labels=("A", "F"), survey="DESI", gzip=False)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.usefixtures("forked_workers")
def test_workers_do_not_change_a_byte(campaign: Path, tmp_path: Path) -> None:
    run_campaign(tmp_path, SETTINGS, workers=2)
    assert contents(tmp_path) == contents(campaign)


def test_a_stopped_campaign_goes_on_where_it_stopped(campaign: Path, tmp_path: Path) -> None:
    shutil.copytree(campaign, tmp_path, dirs_exist_ok=True)
    lines = (tmp_path / TRUTH_FILE).read_text().splitlines(keepends=True)
    (tmp_path / TRUTH_FILE).write_text("".join(lines[:5]) + lines[5][:40])
    heard: list[int] = []
    assert run_campaign(tmp_path, SETTINGS, advance=heard.append) == SETTINGS.count - 4
    assert heard[0] == 4 and sum(heard) == SETTINGS.count
    assert contents(tmp_path) == contents(campaign)
    assert run_campaign(tmp_path, SETTINGS) == 0


def test_other_settings_are_refused(campaign: Path) -> None:
    before = contents(campaign)
    with pytest.raises(WorkbenchError, match="other settings"):
        run_campaign(campaign, Settings(seed=10, count=14, task="CV", odds=(1, 1)))
    assert contents(campaign) == before


def test_damaged_settings_are_a_message(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("{")
    with pytest.raises(WorkbenchError, match="damaged"):
        run_campaign(tmp_path, SETTINGS)


def test_desi_targets_share_files_and_resume_by_whole_files(tmp_path: Path) -> None:
    run_campaign(tmp_path, DESI)
    before = contents(tmp_path)
    rows = truth_rows(tmp_path)
    assert sorted(Counter(row["file"] for row in rows).values()) == [3, 8]
    assert {int(row["row"]) for row in rows} == set(range(8))
    assert [len(job) for job in jobs_of(DESI)] == [8, 3]
    Tables(tmp_path).keep(9)
    assert run_campaign(tmp_path, DESI) == 3
    assert contents(tmp_path) == before


def test_a_file_in_the_place_of_the_folder_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(WorkbenchError, match="cannot use"):
        run_campaign(tmp_path / "out", SETTINGS)
    assert (tmp_path / "out").read_text() == "mine"


def test_arrays_hold_the_spectra_the_files_would(tmp_path: Path) -> None:
    few = {"seed": 9, "count": 8, "task": "WD"}
    run_campaign(tmp_path / "fits", Settings(**few))  # type: ignore[arg-type]
    run_campaign(tmp_path / "arrays", Settings(**few, arrays=True))  # type: ignore[arg-type]
    files = truth_rows(tmp_path / "fits")
    shard = list(read_shard(tmp_path / "arrays" / "arrays-00000.npz"))
    rows = truth_rows(tmp_path / "arrays")
    assert len(shard) == len(rows) == 8
    for spectrum, row in zip(shard, rows, strict=True):
        twin = next(one for one in files if one["index"] == row["index"])
        other = read(tmp_path / "fits" / twin["file"], row=int(twin["row"]))
        assert twin["label"] == row["label"] and spectrum.simulated
        assert len(spectrum) == len(other)
        scale = abs(other.flux).max()
        assert abs(spectrum.flux - other.flux).max() < 1e-5 * scale
        assert (spectrum.ivar is None) == (other.ivar is None)


def test_a_shard_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    for content in (b"nothing", b"PK\x03\x04 cut off"):
        path.write_bytes(content)
        with pytest.raises(WorkbenchError, match="not a shard"):
            list(read_shard(path))


def test_a_shard_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_campaign(tmp_path, Settings(seed=1, count=1, labels=("A",), arrays=True))
    monkeypatch.setattr("train.simulate.archive.MAX_SHARD_BYTES", 1000)
    with pytest.raises(WorkbenchError, match="too much"):
        list(read_shard(tmp_path / "arrays-00000.npz"))


def test_unreadable_bases_are_counted_and_not_drawn(folder: Path, rng: np.random.Generator) -> None:
    usable, refused = usable_bases(str(folder), {"A", "K"})
    assert usable == 2 and len(refused) == 1 and "broken.fits" in refused[0]
    with pytest.raises(WorkbenchError, match="no readable base"):
        usable_bases(str(folder), {"CV"})
    with pytest.raises(WorkbenchError, match="no spectrum labelled"):
        Library(folder).draw("CV", rng)


def made(survey: str, seed: int, sky: int | None):
    settings = Settings(seed=seed, count=6, survey=survey, sky=sky, snr=(60.0, 60.0))
    return [simulate_spectrum(settings, one) for one in assignments(settings)]


def places(members) -> np.ndarray:
    return unit_vectors(*np.array([(m.entry.target.ra, m.entry.target.dec) for m in members]).T)


def test_two_telescopes_see_the_same_objects_of_one_sky():
    one, other = made("LAMOST", 1, 9), made("SDSS", 2, 9)
    arcsec = np.degrees(np.linalg.norm(places(one) - places(other), axis=1)) * 3600
    assert (arcsec < 2.0).all() and (arcsec > 0.0).any()
    for first, second in zip(one, other, strict=True):
        assert np.array_equal(first.source.flux, second.source.flux)
        assert first.source.label == second.source.label
        assert first.entry.observation.flux.size != second.entry.observation.flux.size


def test_another_sky_or_none_shows_others():
    one, other, none = made("LAMOST", 1, 9), made("LAMOST", 1, 8), made("LAMOST", 1, None)
    for members in (other, none):
        assert np.linalg.norm(places(one) - places(members), axis=1).min() > 1e-3


def candidates(folder: Path) -> list[dict[str, str]]:
    with (folder / CANDIDATES_FILE).open(newline="") as file:
        return list(csv.DictReader(file))


def test_truth_is_complete_and_every_row_can_be_read(campaign: Path) -> None:
    rows = truth_rows(campaign)
    assert len(rows) == SETTINGS.count
    assert {int(row["index"]) for row in rows} == set(range(SETTINGS.count))
    assert Counter(row["label"] for row in rows)["CV"] == 7
    for row in rows:
        assert all(row[key] != "" for key in TRUTH_COLUMNS if key not in ("release", "library"))
        assert row["label"] in LABELS
        parameters = json.loads(row["parameters"])
        assert parameters["telescope"] and set(parameters) == {"source", "telescope"}
        spectrum = read(campaign / row["file"], row=int(row["row"]))
        assert spectrum.simulated and spectrum.object_id == row["object_id"]
        assert spectrum.ra == pytest.approx(float(row["ra"]), abs=1e-5)


def test_candidate_list_has_the_same_objects_and_no_truth(campaign: Path) -> None:
    listed = candidates(campaign)
    truth = truth_rows(campaign)
    assert [row["object_id"] for row in listed] == [row["object_id"] for row in truth]
    assert not {"label", "subtype", "parameters", "velocity_kms", "index"} & set(listed[0])
    names = " ".join(row["file"] for row in listed)
    assert not any(f"{label}_" in names or f"_{label}" in names for label in LABELS)


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x"])
def test_formulas_are_defused(text: str, tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    tables.keep(0)
    cells = dict.fromkeys(CANDIDATE_COLUMNS, text) | {"ra": -3.5, "class": "A5V"}
    tables._append(tables.candidates, [cells])
    (row,) = csv.DictReader(tables.candidates.read_text().splitlines())
    assert (row["file"], row["ra"], row["class"]) == (f"'{text}", "-3.5", "A5V")


def test_grids_are_linear_and_vary(rng: np.random.Generator) -> None:
    seen = [observe_atlas(star(), rng) for _ in range(40)]
    for one in seen:
        steps = np.diff(one.wavelength)
        assert np.ptp(steps) < 1e-6 * steps[0] + 1e-9
        assert 0.5 < steps[0] <= 5.0 and one.wavelength[-1] - one.wavelength[0] >= MIN_SPAN - 5
        assert steps[0] <= 5500.0 / one.resolution / 2 + 1e-9
        assert RESOLUTIONS[0] - 1 <= one.resolution <= RESOLUTIONS[1] + 1
        assert (one.flux > 0).mean() > 0.99
    assert len({round(one.wavelength[0]) for one in seen}) > 5


def test_signal_to_noise_is_as_asked(rng: np.random.Generator) -> None:
    seen = observe_atlas(star(), rng, snr=100.0, errors_known=True)
    assert np.median(seen.flux * np.sqrt(seen.ivar)) == pytest.approx(100.0, rel=0.2)


def test_files_without_errors_read_as_such(rng: np.random.Generator) -> None:
    assert to_spectrum(observe_atlas(star(), rng, errors_known=False)).ivar is None
    assert to_spectrum(observe_atlas(star(), rng, errors_known=True)).ivar is not None


def test_a_coarse_base_is_not_sharpened(rng: np.random.Generator) -> None:
    assert observe_atlas(replace(star(), resolution=500.0), rng).resolution <= 500.0


def test_too_short_a_base_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(WorkbenchError, match="covers only"):
        observe_atlas(replace(star(), valid=(5000.0, 5300.0)), rng)


# Class templates: the same every time, of every class, at rest, small, called simulated.
def kind(name):
    return next(each for each in KINDS if each.name == name)


def wavelengths(content):
    step = content["step_kms"] / LIGHT_KMS
    return content["first_angstrom"] * np.exp(step * np.arange(len(content["flux"])))


@pytest.mark.parametrize("name", ["CV in quiescence", "M giant, late", "Quasar, high redshift"])
def test_what_is_in_the_box_is_what_the_simulator_makes(name):
    kept = json.loads((FOLDER / f"{kind(name).stem}.json").read_text(encoding="utf-8"))
    made = template(kind(name))
    assert made["made_of"] == kept["made_of"]
    # another processor's exp() may round otherwise
    assert np.abs(np.subtract(made["flux"], kept["flux"])).max() <= 1
    assert made["first_angstrom"] == pytest.approx(kept["first_angstrom"], abs=1e-5)


def test_every_class_has_one_and_all_are_small():
    index = json.loads((FOLDER / INDEX_FILE).read_text(encoding="utf-8"))
    assert index["simulated"] is True
    assert {each["class"] for each in index["templates"]} == set(LABELS)
    assert {each["file"] for each in index["templates"]} | {INDEX_FILE, README_FILE} == {
        path.name for path in FOLDER.iterdir()
    }
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_000_000


def test_each_says_that_it_is_simulated_and_covers_what_stars_show():
    for each in KINDS:
        content = json.loads((FOLDER / f"{each.stem}.json").read_text(encoding="utf-8"))
        assert content["simulated"] is True
        assert content["medium"] == "vacuum"
        wavelength = wavelengths(content)
        assert (max(content["flux"]), min(content["flux"]) >= 0) == (templates.FULL_SCALE, True)
        if each.z is None:
            assert wavelength[0] == pytest.approx(3700.0, abs=0.01)
            assert wavelength[-1] == pytest.approx(9100.0, abs=3.0)


def test_lines_lie_at_rest():
    content = template(kind("Polar"))
    wavelength, flux = wavelengths(content), np.array(content["flux"])
    around = (wavelength > 6500) & (wavelength < 6630)
    peak = wavelength[around][np.argmax(flux[around])]
    assert peak == pytest.approx(6564.6, abs=4.0)
    far = template(kind("Quasar, low redshift"))
    wavelength, flux = wavelengths(far), np.array(far["flux"])
    around = (wavelength > 4980) & (wavelength < 5040)
    assert wavelength[around][np.argmax(flux[around])] == pytest.approx(5008.2, abs=2.0)


def test_a_line_is_seen_as_wide_as_the_spectrograph_makes_it():
    flux = np.zeros(GRID.size)
    flux[3000] = 1.0
    found = at_template_resolution(flux)
    assert found.size == GRID.size
    assert found.sum() == pytest.approx(1.0)
    width = np.sum(found > found.max() / 2) * STEP_KMS
    assert width == pytest.approx(LIGHT_KMS / 2000.0, abs=STEP_KMS)


def test_what_was_there_before_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(templates, "KINDS", (replace(kind("Twilight"), stem="dusk"),))
    (tmp_path / "old.json").write_text("{}", encoding="utf-8")
    build(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        README_FILE,
        "dusk.json",
        INDEX_FILE,
    ]


def test_a_kind_that_is_never_drawn_is_told(monkeypatch):
    monkeypatch.setattr(templates, "MOST_DRAWS", 20)
    with pytest.raises(ValueError, match="20 draws contain only 0 of"):
        template(replace(kind("F dwarf"), subtype="no such"))
