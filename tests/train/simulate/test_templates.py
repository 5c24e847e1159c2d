"""Class templates: the same every time, of every class, at rest, small, called simulated."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from train.simulate import templates
from train.simulate.sky import LABELS
from train.simulate.source import GRID, LIGHT_KMS, STEP_KMS
from train.simulate.templates import (
    FOLDER,
    INDEX_FILE,
    KINDS,
    README_FILE,
    at_template_resolution,
    build,
    template,
)


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
