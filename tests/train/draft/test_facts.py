from __future__ import annotations

from agent.tasks.catalogue import find_task
from tests.train.draft.spectra import all_examples
from train.draft.facts import facts_of
from train.meter import Meter, contains


def test_every_fact_is_within_the_spectrum() -> None:
    example = all_examples()[0]
    meter = Meter.of(example.spectrum)
    for fact in facts_of(find_task(example.task), meter, "M_DWARF").all:
        assert fact.window is None or contains(meter.range, fact.window)
