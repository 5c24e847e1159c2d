from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.train.simulate.helpers import star
from train.simulate.sky import LABELS
from train.simulate.telescope.pipeline_class import _CONFUSION, draw_pipeline_class


@pytest.mark.parametrize("label", LABELS)
def test_every_label_has_a_confusion_table_and_gets_a_class(
    rng: np.random.Generator, label: str
) -> None:
    assert label in _CONFUSION
    answers = [draw_pipeline_class(star(label=label), 30.0, rng) for _ in range(50)]
    assert {a.class_name for a in answers} <= {"STAR", "QSO", "GALAXY", "Unknown", "UNKNOWN"}
    assert not any("{" in a.subclass for a in answers)


def test_common_classes_are_mostly_right_and_rare_ones_mostly_not(rng: np.random.Generator) -> None:
    drawn = (draw_pipeline_class(star(label="A"), 50.0, rng) for _ in range(300))
    a_stars = Counter(each.subclass[:1] for each in drawn)
    cvs = Counter(draw_pipeline_class(star(label="CV"), 50.0, rng).subclass for _ in range(300))
    assert a_stars["A"] > 200
    assert 40 < cvs["CV"] < 150


def test_pipeline_gives_up_at_low_snr(rng: np.random.Generator) -> None:
    def unknown(snr: float) -> int:
        drawn = (draw_pipeline_class(star(label="A"), snr, rng) for _ in range(300))
        return sum(each.class_name.upper() == "UNKNOWN" for each in drawn)

    assert unknown(1.0) > unknown(50.0) + 60


def test_redshift_is_right_for_the_right_kind_and_wrong_for_the_wrong(
    rng: np.random.Generator,
) -> None:
    quasar = replace(star(label="QSO"), z=2.0)
    answers = [draw_pipeline_class(quasar, 40.0, rng) for _ in range(200)]
    assert all(abs(a.z - 2.0) < 0.02 for a in answers if a.class_name in ("QSO", "GALAXY"))
    assert all(abs(a.z) < 0.01 for a in answers if a.class_name == "STAR")
    moving = star(label="CV", velocity_kms=90.0)
    stars = [draw_pipeline_class(moving, 40.0, rng) for _ in range(200)]
    assert all(a.z > 0.2 for a in stars if a.class_name == "QSO")
    z = np.median([each.z for each in stars if each.class_name == "STAR"])
    assert z == pytest.approx(3e-4, abs=5e-5)
