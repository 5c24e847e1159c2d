"""The look at one spectrum: numbers of the inspector, quality, planted members."""

import math
from dataclasses import replace

import numpy as np
import pytest

from agent.evidence.assessment import assess
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.quick import quick_weights
from agent.spectra.air import air_to_vacuum
from agent.spectra.readers import read
from agent.tasks.catalogue import find_task, task_source
from app.core.finding.inputs import Input
from app.core.finding.looking import FLAGS, Look, LookSettings, quality_bits, short
from app.core.finding.plant import members_of, planted
from app.core.finding.processes import found_from, found_message
from app.core.finding.table import FindTable
from app.worker.wire import encode, read_message
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.spectra.readers import samples
from tests.app.core.finding.surveys import SETTINGS, searched


def test_what_is_measured_in_full_has_the_inspectors_own_numbers(found):
    columns = found.columns(["measured", "p_CV", "p_WD", "velocity_kms"])
    paths = found.rows(np.arange(40), ["path", "row"])
    some = [n for n in range(40) if columns["measured"][n]]
    assert 3 < len(some) < 40
    for number in some[:6]:
        if paths["row"][number]:
            continue
        spectrum = read(paths["path"][number])
        for task in ("CV", "WD"):
            p = columns[f"p_{task}"][number]
            assert math.isnan(p) or p == assess(spectrum, find_task(task)).p_yes
        velocity = SpectrumMeasurements(spectrum).velocity
        told = columns["velocity_kms"][number]
        assert told == pytest.approx(velocity.kms, rel=3e-4) or not velocity.source


def test_a_class_of_ones_own_is_inspected_in_every_spectrum(survey, tmp_path):
    text = task_source(find_task("WD")).replace('id = "WD"', 'id = "MINE"', 1)
    look = Look(LookSettings((), (text,), 0))
    files = sorted(survey.rglob("spec*.fits.gz"))[:3]
    result = look([Input(str(each)) for each in files])
    assert np.isfinite(result.rows["p_MINE"]).all()
    assert "quick_MINE" not in result.rows
    table = FindTable.made(tmp_path / "a.find", [], LookSettings((), (text,), 0))
    assert table.own_ids == ("MINE",)


def test_the_answer_of_a_process_is_what_it_found(survey, tmp_path):
    result = Look(SETTINGS)([Input(str(p)) for p in sorted(survey.rglob("spec*.fits.gz"))[:2]])
    path = tmp_path / "message"
    path.write_bytes(encode(found_message(result)))
    with path.open("rb") as stream:
        message = read_message(stream)
    assert message is not None
    again = found_from(message)
    assert again.rows["p_CV"] == pytest.approx(result.rows["p_CV"], rel=0, nan_ok=True)
    assert again.rows["path"] == result.rows["path"]


def test_numbers_are_shortened_by_less_than_their_error():
    values = np.random.default_rng(1).lognormal(0, 5, 1000) * np.array([-1, 1] * 500)
    kept = np.array([short(value) for value in values])
    assert np.abs(kept / values - 1).max() < 3e-4
    assert math.isnan(short(math.nan))
    assert math.isnan(short(math.inf))


@pytest.fixture(scope="module")
def clean(survey):
    files = sorted(survey.rglob("spec*.fits.gz"))
    every = [read(path) for path in files]
    return next(each for each in every if not flags_of(each))


def flags_of(spectrum):
    bits = quality_bits(quick_weights().look(spectrum).numbers)
    return {name for place, name in enumerate(FLAGS) if bits >> place & 1}


def test_each_flag_says_what_is_wrong(clean):
    wavelength, ones = clean.wavelength, np.ones(len(clean))
    mask = np.arange(len(clean)) % 3 == 0
    assert "masked" in flags_of(replace(clean, mask=mask))
    step = np.where(wavelength > 5850, 1.5, 1.0)
    assert "join" in flags_of(replace(clean, flux=clean.flux * step, ivar=clean.ivar / step**2))
    top = np.minimum(clean.flux, np.quantile(clean.flux, 0.9))
    assert "saturated" in flags_of(replace(clean, flux=top))
    below = np.where(mask, -np.abs(clean.flux), clean.flux)
    assert "negative" in flags_of(replace(clean, flux=below))
    rng = np.random.default_rng(1)
    red = (wavelength > 8288) & (wavelength < 8500) | (wavelength > 8760) & (wavelength < 9000)
    noisy = clean.flux * np.where(red, 1 + 0.8 * rng.standard_normal(len(clean)), 1.0)
    assert "sky" in flags_of(replace(clean, flux=noisy))
    assert "noise" in flags_of(replace(clean, ivar=clean.ivar * 100 * ones))
    half = wavelength < 6000
    part = {name: getattr(clean, name)[half] for name in ("wavelength", "flux", "ivar")}
    assert "part" in flags_of(replace(clean, mask=None, **part))


def test_a_planted_member_has_the_noise_and_mask_of_its_spectrum(clean):
    members = members_of("CV")
    assert members is not None
    twin = planted(clean, members, 7)
    assert twin is not None
    assert twin.simulated
    assert not twin.good[~clean.good].any()
    np.testing.assert_array_equal(twin.ivar, clean.ivar)
    other = planted(clean, members, 7)
    np.testing.assert_array_equal(twin.flux, other.flux)
    # Of a member without noise, the errors are the only scatter.
    flat = members._replace(
        components=np.ones((1, members.components.shape[1])), coefficients=np.ones((1, 1))
    )
    spread = planted(clean, flat, 7)
    good = spread.good & (clean.wavelength > 5000) & (clean.wavelength < 7000)
    pulls = (spread.flux - np.median(spread.flux[good])) * np.sqrt(spread.ivar)
    assert np.std(pulls[good]) == pytest.approx(1.0, abs=0.15)
    assert members_of("MINE") is None


def test_planted_members_are_found(found):
    columns = found.columns(["planted", "planted_p", "planted_quick"])
    is_planted = columns["planted"] != ""
    assert 6 <= is_planted.sum() <= 22
    assert set(columns["planted"][is_planted]) == {"CV", "WD"}
    # Some five of six; which spectra they are planted in is drawn by the path of the folder.
    assert np.mean(columns["planted_p"][is_planted] > 0.5) > 0.4


# Simulated stars in files of 4MOST, WEAVE and PFS: a search finds and judges them rightly.
LABELS = ("CV", "WD", "MG")
STEP_A, PIXELS = 2.0, 2550  # as the samples, over what the simulated SDSS covers
AIR = 4000.0 + STEP_A * np.arange(PIXELS)
NM = 400.0 + 0.2 * np.arange(PIXELS)
LAYOUTS = {
    "4MOST": (lambda: samples.fourmost(SPEC_RES=2000.0), air_to_vacuum(AIR)),
    "WEAVE": (lambda: samples.weave(rows=1), air_to_vacuum(AIR)),
    "PFS": (lambda: samples.pfs_object(wcs=False), 10.0 * NM),
}


def file_content(monkeypatch, survey, label):
    """The bytes of a file in the layout of a survey, with a simulated star of a class."""
    make, grid = LAYOUTS[survey]
    star = simulated_spectrum(label)
    flux = np.interp(grid, star.wavelength, star.flux)
    ivar = np.interp(grid, star.wavelength, star.ivar)
    ivar[[20, 21, 22]] = 0.0
    given = {
        "PIXELS": PIXELS, "LINEAR": AIR, "PFS_NM": NM, "FLUX": flux, "IVAR": ivar,
        "SIGMA": samples.sigma_of(ivar),
        "QUALITY": np.zeros(PIXELS), "PFS_MASK": np.zeros(PIXELS, dtype=np.int32),
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setattr(samples, name, value)
    return make()


@pytest.mark.parametrize("survey", LAYOUTS)
def test_simulated_stars_in_the_layout_of_a_survey(tmp_path, monkeypatch, survey):
    folder = tmp_path / "survey"
    folder.mkdir()
    for label in LABELS:
        (folder / f"{label}.fits").write_bytes(file_content(monkeypatch, survey, label))
    table, state = searched(tmp_path / "a.find", folder)
    assert state.looked_at == len(LABELS)
    rows = table.rows(np.arange(len(LABELS)), ["path", "survey", "p_CV", "p_WD"])
    for path, told, *by_search in zip(*rows.values(), strict=True):
        assert told == survey
        label = path.rpartition("/")[2].removesuffix(".fits")
        for task, p in zip(("CV", "WD"), by_search, strict=True):
            alone = assess(read(path), find_task(task)).p_yes
            assert (alone > 0.5) == (label == task)
            assert p == alone or (p is None and label != task)
