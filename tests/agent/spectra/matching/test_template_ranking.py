"""The template that fits best comes first, with its velocity."""

import csv
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.matching.template_ranking import Match, RankedTemplate, rank_templates
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.matching.made import SDSS_PIXELS, bundled, observed
from tests.night import BY_NIGHT

FAR = {"GALAXY": 0.8, "QSO": 5.0}


def index() -> list[dict[str, str]]:
    text = (files("resources") / "templates" / "index.json").read_text("utf-8")
    return list(json.loads(text)["templates"])


def all_templates() -> list[RankedTemplate]:
    return [
        RankedTemplate(each["class"], *bundled(each["file"].removesuffix(".json")), z_max)
        for each in index()
        for z_max in [FAR.get(each["class"], 0.0)]
    ]


STARS = ("a_dwarf", "b_dwarf", "cv_in_quiescence", "g_dwarf", "k_giant", "m_dwarf")


def ranked(spectrum: Spectrum) -> list[Match]:
    return rank_templates(spectrum, [RankedTemplate(name, *bundled(name)) for name in STARS])


@pytest.mark.parametrize("name", STARS)
def test_what_a_spectrum_was_made_of_comes_first(name: str) -> None:
    found = ranked(observed(name, 123.0, 10.0, 3, bad=(6000.0, 6100.0)))
    assert found[0].name == name
    assert found[0].velocity_kms == pytest.approx(123.0, abs=30.0)
    assert found[0].is_trusted
    assert found[0].chi2 == pytest.approx(1.0, abs=0.15)
    assert [match.chi2 for match in found] == sorted(match.chi2 for match in found)


def test_a_galaxy_is_found_at_its_redshift() -> None:
    names = ("galaxy_passive", "k_giant", "m_dwarf")
    offered = [
        RankedTemplate(name, *bundled(name), 0.8 if name == "galaxy_passive" else 0.0)
        for name in names
    ]
    best = rank_templates(observed("galaxy_passive", 60_000.0, 15.0, 5), offered)[0]
    assert best.name == "galaxy_passive"
    assert best.velocity_kms == pytest.approx(60_000.0, abs=60.0)


def test_what_does_not_overlap_is_not_ranked() -> None:
    wavelength, flux = bundled("g_dwarf")
    spectrum = observed("g_dwarf", 0.0, 20.0, 0)
    far = [RankedTemplate("infrared", wavelength * 4.0, flux)]
    assert rank_templates(spectrum, far) == []
    assert rank_templates(spectrum, []) == []
    dark = Spectrum(wavelength=SDSS_PIXELS, flux=np.full(SDSS_PIXELS.size, np.nan))
    assert ranked(dark) == []


def test_most_real_spectra_get_a_template_of_their_class(labelled_spectra: Path) -> None:
    """Three of four, of every sixteenth file by day, of every second by night."""
    manifest = (labelled_spectra / "MANIFEST.csv").read_text("utf-8")
    rows = list(csv.DictReader(manifest.splitlines()))
    known = {each["class"] for each in index()}
    rows = [row for row in rows if row["label"] in known][:: 2 if BY_NIGHT else 16]
    offered = all_templates()
    right = [
        rank_templates(read(labelled_spectra / row["file"]), offered)[0].name == row["label"]
        for row in rows
    ]
    assert np.mean(right) >= 0.75
