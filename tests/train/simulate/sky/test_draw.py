"""Draws of every class are sound, reproducible and of all subtypes."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from tests.train.simulate.sky.helpers import ALL, draws
from train.simulate.sky import LABELS, carbon, cataclysmic, draw_source, white_dwarf
from train.simulate.sky.draw import draw_balanced_kind, subtypes_of
from train.simulate.source import GRID, LIGHT_KMS
from train.simulate.telescope.optics import integrate, pixel_edges

SUBTYPES = {
    "CV": set(cataclysmic.KINDS),
    "CS": set(carbon.KINDS),
    "WD": set(white_dwarf.KINDS),
    "SS": {"MS", "S", "SC"},
    "MG": {"MG early", "MG mid", "MG late", "MG Mira"},
    "O": {"O", "Of", "Oe"},
    "B": {"B V", "B III", "B I", "B He-weak", "B He-strong", "Be"},
    "A": {"A V", "A III", "A I", "Am", "Ap", "BHB", "Ae"},
    "F": {"F dwarf", "F giant"},
    "G": {"G dwarf", "G giant"},
    "K": {"K dwarf", "K giant", "K barium"},
    "M_DWARF": {"M dwarf", "M dwarf active"},
    "L_DWARF": {"L dwarf"},
    "SDB": {"sdB", "sdOB", "sdO", "He-sdO", "sdB+MS"},
    "QSO": {"QSO", "QSO BAL"},
    "GALAXY": {"starforming", "passive"},
    "NEBULA": {"compact nebula", "nebula over A", "nebula over B", "nebula over cool star"},
    "SYMBIOTIC": {"symbiotic"},
    "WR": {"WN", "WC"},
    "YSO": {"CTTS", "WTTS"},
    "ARTEFACT": {"smooth", "twilight"},
}


@pytest.mark.parametrize("label", LABELS)
def test_draws_are_sound(label: str) -> None:
    for source in draws(label):
        assert source.label == label and source.subtype
        assert source.flux.shape == GRID.shape
        assert np.isfinite(source.flux).all() and source.flux.min() >= 0 < np.median(source.flux)
        assert abs(source.velocity_kms) < 1200 and 0 <= source.z < 5
        assert source.z == 0 or source.velocity_kms == 0
        assert json.loads(json.dumps(source.parameters, allow_nan=False)) == source.parameters
    fluxes = {source.flux.tobytes() for source in draws(label)}
    assert len(fluxes) == ALL


@pytest.mark.parametrize("label", LABELS)
def test_same_seed_is_same_source(label: str) -> None:
    one, two, other = (draw_source(label, np.random.default_rng(seed)) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one.flux, two.flux)
    for field in ("subtype", "velocity_kms", "z", "parameters"):
        assert getattr(one, field) == getattr(two, field)
    assert not np.array_equal(one.flux, other.flux)


@pytest.mark.parametrize("label", LABELS)
def test_every_subtype_comes(label: str) -> None:
    rng = np.random.default_rng(29)
    missing = set(SUBTYPES[label])
    for _ in range(400):
        missing.discard(draw_source(label, rng).subtype)
        if not missing:
            return
    raise AssertionError(f"{label} never came as {sorted(missing)}")


@pytest.mark.parametrize("label", ["CS", "K", "MG"])
def test_receding_source_is_shifted_to_the_red(label: str) -> None:
    source = draws(label)[0]
    wavelength = np.arange(4200.0, 8800.0, 1.2)
    edges = pixel_edges(wavelength)
    at_rest, moving = (integrate(source.flux, edges, velocity) for velocity in (0.0, 300.0))

    def mismatch(velocity: float) -> float:
        shifted = np.interp(wavelength / (1 + velocity / LIGHT_KMS), wavelength, at_rest)
        return float(np.square(shifted - moving).sum())

    found = min(np.arange(-500.0, 501.0), key=mismatch)
    assert found == pytest.approx(300.0, abs=12.0)


def test_drawn_evenly_every_kind_comes_as_often() -> None:
    kinds = set(white_dwarf.KINDS)
    assert set(subtypes_of("WD")) == kinds
    rng = np.random.default_rng(2)
    seen = Counter(draw_balanced_kind("WD", rng).subtype for _ in range(135))
    # Fifteen of each are expected, where the sky has 67 DA and three DO.
    assert set(seen) == set(white_dwarf.KINDS)
    assert 5 <= min(seen.values()) <= max(seen.values()) <= 32


def test_a_class_of_one_kind_is_drawn_as_it_is() -> None:
    one, other = (np.random.default_rng(4) for _ in range(2))
    one.integers(1)
    drawn, plain = draw_balanced_kind("L_DWARF", other), draw_source("L_DWARF", one)
    assert subtypes_of("L_DWARF") == ("L dwarf",) and np.array_equal(drawn.flux, plain.flux)
