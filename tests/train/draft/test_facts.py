from __future__ import annotations

from agent.tasks.catalogue import find_task
from tests.train.draft.spectra import all_examples
from train.draft.facts import SIGNS, facts_of
from train.meter import Meter, contains


def test_every_fact_is_within_the_spectrum() -> None:
    example = all_examples()[0]
    meter = Meter.of(example.spectrum)
    for fact in facts_of(find_task(example.task), meter, "M_DWARF").all:
        assert fact.window is None or contains(meter.range, fact.window)


def test_every_sign_can_be_measured() -> None:
    meter = Meter.of(all_examples()[0].spectrum)
    features = [sign.feature for signs in SIGNS.values() for sign in signs]
    assert all(meter.strength(feature).reason != "no index has this name" for feature in features)
