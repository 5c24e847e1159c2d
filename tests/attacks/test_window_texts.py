"""Hostile texts in a session and a list: the window shows them, and does nothing else with them."""

from __future__ import annotations

import pytest

from tests.attacks.sandbox import Sandbox
from tests.attacks.window.texts import COUNT
from tests.night import BY_NIGHT, seeds

IN_BATCH = 3 if BY_NIGHT else 1
MOST_MB = 600
MOST_OF_ALL = 0.25
"""What one step may take of the processor time of a walk; on any machine it is a thirtieth."""


@pytest.mark.timeout(900)  # everything that the window has, for each session
@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=9))
def test_texts_of_strangers_are_only_shown(batch):
    """By night 27 sessions with twelve texts each."""
    with Sandbox("tests.attacks.window.walk:vet") as sandbox:
        outcomes = [sandbox.run(batch * IN_BATCH + number) for number in range(IN_BATCH)]
    full = 0
    for outcome in outcomes:
        assert (outcome.error, outcome.status) == ("", 0), outcome.output
        assert outcome.value["faults"] == []
        assert "Traceback" not in outcome.output
        assert outcome.value["texts"] == COUNT
        assert outcome.value["seen"]["labels"] > 100 and outcome.value["seen"]["tips"] > 20
        if outcome.value["seen"]["disputes"]:
            full += 1
        assert outcome.peak_mb <= MOST_MB
        share, step = outcome.value["slowest"]
        assert share <= MOST_OF_ALL, step
    assert full > 0, "no session was shown in full"
