"""How well quantities are read: a perfect reader, a blind one, and an eye."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from tests.train.vision.conftest import SMALL
from train.vision.lessons import simulated
from train.vision.probe import reader, readings
from train.vision.settings import SchoolSettings
from train.vision.targets import asked_features, measured_values
from train.vision.train_tower import new_eye

ALPHA = asked_features().index("EW_H_alpha")


@pytest.fixture(scope="module")
def spectra() -> list[Spectrum]:
    labels = ("CV", "WD", "A", "MG")
    return [simulated(labels[n % 4], SMALL, np.random.default_rng([5, n])) for n in range(12)]


def test_a_reader_that_knows_the_whole_and_is_blind_to_windows(
    spectra: list[Spectrum], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at no picture, so none is drawn."""
    monkeypatch.setattr(
        "train.vision.probe.picture", lambda *others: np.zeros((1, 1), dtype=np.uint8)
    )
    truth = np.array([measured_values(each, 0.0) for each in spectra])
    by_range = {each.range: row for each, row in zip(spectra, truth, strict=True)}

    def read(pictures, ranges):
        assert len(pictures) == len(ranges)
        return np.array(
            [by_range.get(tuple(each), np.zeros(len(asked_features()))) for each in ranges]
        )

    row = readings(read, spectra)[ALPHA]
    assert row.quantity == "EW_H_alpha" and row.spectra >= 10
    assert row.whole == pytest.approx(1.0) and math.isnan(row.window)


def test_an_eye_is_read_for_every_quantity(
    spectra: list[Spectrum], small_school: SchoolSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("train.vision.probe.LEAST", 4)
    rows = readings(reader(new_eye(small_school).eval()), spectra[:5])
    assert [row.quantity for row in rows] == list(asked_features())
    assert all(math.isnan(row.window) or abs(row.window) <= 1.0 for row in rows)
    assert not math.isnan(rows[ALPHA].window)
