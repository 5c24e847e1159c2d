from __future__ import annotations

from tests.train.draft.spectra import all_examples
from train.draft.facts import SIGNS
from train.meter import Meter


def test_every_sign_can_be_measured() -> None:
    meter = Meter.of(all_examples()[0].spectrum)
    features = [sign.feature for signs in SIGNS.values() for sign in signs]
    assert all(meter.strength(feature).reason != "no index has this name" for feature in features)
